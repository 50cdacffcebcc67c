"""Games between built-in players, to measure how strong they are and to fit the weights of their evaluations."""
