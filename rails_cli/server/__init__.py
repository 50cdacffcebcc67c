"""A websocket server: a lobby, tables that are their logs, and connections that can hurt nobody else."""
