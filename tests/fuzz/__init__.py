"""Readers of what may come from anybody, against spoiled files."""
