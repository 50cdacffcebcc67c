"""The Last Spike: board, state and rules."""
