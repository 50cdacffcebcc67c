"""Search algorithms for any game that has an evaluation."""
