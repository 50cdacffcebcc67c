"""Tests of `rails_cli.adapters` and of the example bot `learning`."""
