"""Playing of a tournament: seed groups are played in worker processes, and their results are collected."""
