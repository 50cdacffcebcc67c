"""The ends of the lines: each seat moves lines between the referee and a player, and nothing else."""
