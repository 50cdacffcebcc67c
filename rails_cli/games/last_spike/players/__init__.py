"""The built-in players of The Last Spike by name, and the evaluation of positions for searches."""

from dataclasses import replace

from rails_cli.games.last_spike.players import evaluation, greedy, medium
from rails_cli.games.last_spike.players.inputs import INPUTS

EVALUATION = replace(evaluation.EVALUATION, inputs=INPUTS)
PLAYERS = {"greedy": greedy.think, "medium": medium.think}
