"""Worker processes of a server, which compute moves and hints."""
