"""Tests of the games: rules, boards, players, and the properties that all games have."""
