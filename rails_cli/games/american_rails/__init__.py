"""American Rails: board, state and rules."""
