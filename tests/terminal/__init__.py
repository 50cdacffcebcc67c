"""Tests of `rails-cli play`, `learn`, `watch` and the home screen at a terminal."""
