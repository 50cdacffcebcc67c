"""Websocket server: a lobby, game tables that can be restored from their logs, and connections with strict limits."""
