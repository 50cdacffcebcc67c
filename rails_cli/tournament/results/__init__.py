"""The stored results of a tournament: database, export and audit."""
