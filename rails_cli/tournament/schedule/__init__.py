"""The schedule of a tournament: formats, the order of seed groups (the games with one seed), and stopping rules."""
