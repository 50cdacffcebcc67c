"""Analysis of logged games: the value of each decision to every player, and the moments that decided the game."""
