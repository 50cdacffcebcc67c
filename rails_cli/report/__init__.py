"""The results of a tournament as one web page with charts, and pages of replays beside it."""
