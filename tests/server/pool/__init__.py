"""Tests of the server's rated pool: registration, pairing, ratings and seasons."""
