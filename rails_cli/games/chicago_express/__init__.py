"""Chicago Express: board, state and rules."""
