"""Websocket server for games: a lobby, tables that can be restored from their logs, and connections with limits."""
