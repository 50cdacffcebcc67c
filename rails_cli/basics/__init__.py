"""Code for files, seeds, tokens, settings, worker processes and schemas. It imports only the games and the protocol."""
