"""All tables of a server: creating, limiting, finding, restoring and forgetting them. No network access."""
