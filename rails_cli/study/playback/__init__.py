"""Playback of logged games: reading, stepping, output as text or JSON, and display on a terminal."""
