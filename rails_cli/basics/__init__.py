"""Files, seeds, tokens, settings, worker processes and schemas, which depend only on the games and the protocol."""
