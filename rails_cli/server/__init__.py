"""A websocket server: a lobby, tables whose state is their log, and connections with strict limits."""
