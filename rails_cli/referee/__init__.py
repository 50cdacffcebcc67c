"""Code that plays matches over pipes: one match with a connection per player, or many matches over one connection."""
