"""Game logs: how they are written, signed, read, replayed, verified and resumed."""
