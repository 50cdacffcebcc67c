"""Tests of game logs: hash chains and signatures."""
