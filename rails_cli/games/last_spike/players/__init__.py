"""The players that come with The Last Spike, by name; and how they see it."""

from rails_cli.games.last_spike.players import greedy, medium
from rails_cli.games.last_spike.players.evaluation import EVALUATION

__all__ = ["EVALUATION", "PLAYERS"]

PLAYERS = {"greedy": greedy.think, "medium": medium.think}
