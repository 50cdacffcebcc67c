"""Tests of the web page of the server."""
