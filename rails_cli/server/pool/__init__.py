"""The rated pool of a server: bots and people register, wait for games, play and are rated."""
