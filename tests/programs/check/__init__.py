"""Tests of `rails-cli check-bot`."""
