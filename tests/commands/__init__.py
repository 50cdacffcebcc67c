"""Tests of commands that belong to no other test folder."""
