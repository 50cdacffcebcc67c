"""The built-in players of The Last Spike by name, and the evaluation of positions for searches."""

from rails_cli.games.last_spike.players import greedy, medium
from rails_cli.games.last_spike.players.evaluation import EVALUATION

__all__ = ["EVALUATION", "PLAYERS"]

PLAYERS = {"greedy": greedy.think, "medium": medium.think}
