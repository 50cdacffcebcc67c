"""Formats, the order of seed groups, and stopping rules."""
