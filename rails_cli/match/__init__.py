"""A game in progress, without any input or output: who is asked what, for how long, and what is written down."""
