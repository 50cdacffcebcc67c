"""Tests of `rails_cli.adapters` and of the example that learns."""
