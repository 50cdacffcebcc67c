"""Drivers of sessions over pipes: one match with blocking connections, or many matches over one connection."""
