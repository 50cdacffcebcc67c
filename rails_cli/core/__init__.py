"""What at least two games need, as functions on plain values; knows no game."""
