"""Training of value networks: self-play (`selfplay.py`), fitting (`fit.py`), comparison and rounds (`rounds.py`)."""
