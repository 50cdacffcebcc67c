"""Ratings of entrants, and means with intervals."""
