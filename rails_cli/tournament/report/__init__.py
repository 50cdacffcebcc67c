"""The results of a tournament as one web page with charts, and replay pages next to it."""
