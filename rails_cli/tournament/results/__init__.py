"""Stored results: the database, export and audit."""
