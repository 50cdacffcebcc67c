"""The built-in players, which run inside the program."""
