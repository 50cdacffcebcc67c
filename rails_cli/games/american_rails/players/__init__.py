"""The built-in players of American Rails by name, and the evaluation of positions for searches."""

from rails_cli.games.american_rails.players import greedy, medium
from rails_cli.games.american_rails.players.evaluation import EVALUATION

PLAYERS = {"greedy": greedy.think, "medium": medium.think}

__all__ = ["EVALUATION", "PLAYERS"]
