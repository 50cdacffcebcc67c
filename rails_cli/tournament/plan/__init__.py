"""Plans of tournaments: reading, validation, entrants that join and leave, and how games start."""
