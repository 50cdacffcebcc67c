"""The files of a server: logs, seats of tables, and records about them."""
