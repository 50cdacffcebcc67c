"""The report of a tournament: one web page with tables and charts, and replay pages of games next to it."""
