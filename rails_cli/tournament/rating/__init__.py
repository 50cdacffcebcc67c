"""Ratings and standings of entrants, and estimates of means with confidence intervals."""
