"""Tests of `rails-cli analyse` and of hints."""
