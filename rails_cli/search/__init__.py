"""Looks ahead in any game that has an evaluation."""
