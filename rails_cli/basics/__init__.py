"""Code for files, seeds, tokens, settings, worker processes and schemas. It uses only the games and the protocol."""
