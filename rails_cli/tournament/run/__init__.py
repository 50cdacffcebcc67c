"""Runs of a tournament: playing seed groups in workers and collecting the results."""
