"""Plans of tournaments: reading, validation, changes of the entrants, and the setup of games."""
