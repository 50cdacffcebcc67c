"""Judges logged games: what each decision was worth to everybody, and which moments decided the game."""
