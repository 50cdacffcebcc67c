"""The built-in players of Chicago Express by name, and the evaluation of positions for searches."""

from rails_cli.games.chicago_express.players import greedy, medium
from rails_cli.games.chicago_express.players.evaluation import EVALUATION

__all__ = ["EVALUATION", "PLAYERS"]

PLAYERS = {"greedy": greedy.think, "medium": medium.think}
