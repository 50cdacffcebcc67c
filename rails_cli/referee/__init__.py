"""Drivers of sessions over pipes: for one match with blocking connections, or for many matches over one connection."""
