"""Tests of the messages and logs of the protocol, of their schemas and of the protocol manual."""
