"""Tests of the server's page."""
