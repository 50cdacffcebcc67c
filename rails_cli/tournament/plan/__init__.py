"""Plans: reading, validation, members, and how games start."""
