"""Tests of the rules as a library and as a service."""
