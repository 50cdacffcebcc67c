"""Studies of games: simulations, analyses, recordings and branches."""
