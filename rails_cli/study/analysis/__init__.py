"""Analysis of logged games: the value of each decision to every player, and the moves that decided the game."""
