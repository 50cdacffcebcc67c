"""Tests of the client side of a connection to a server."""
