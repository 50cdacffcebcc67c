"""Playing of a tournament: workers play seed groups (the games with one seed), and the runner stores the results."""
