"""Games between built-in players, to measure their strength and to fit the weights of their evaluation functions."""
