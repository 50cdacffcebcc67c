"""Studies of games: simulation, analysis, playback, and branches of logged games."""
