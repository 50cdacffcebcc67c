"""Tests of `rails-cli replay` and `rails-cli export`."""
