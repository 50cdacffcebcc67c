"""Tests of `rails_cli.library` and of the `rails-cli engine` service."""
