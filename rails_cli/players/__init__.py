"""Players that come with the program and run inside it."""
