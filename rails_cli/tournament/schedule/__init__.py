"""The schedule of a tournament: formats, the order of seed groups, and stopping rules."""
