"""Replies to plain HTTP requests."""
