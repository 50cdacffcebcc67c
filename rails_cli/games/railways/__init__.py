"""Shared code of the games in which companies build on a map of hexes and sell shares."""
