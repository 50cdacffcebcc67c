"""All tables of a server: creating, limiting, finding, restoring and removing them.

These modules do no network access.
"""
