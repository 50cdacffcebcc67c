"""Tests of the games: their rules, their boards, and what every game keeps."""
