"""Playing of a tournament: worker processes play seed groups, and the runner stores their results."""
