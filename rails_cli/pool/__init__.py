"""The rated pool: registration, pairing, results and ratings. It uses no sockets."""
