"""Game logs: written, signed, read, replayed, verified, and resumed."""
