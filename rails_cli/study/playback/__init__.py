"""Playback of a logged game: reading, stepping, output as text or JSON, and display on a terminal."""
