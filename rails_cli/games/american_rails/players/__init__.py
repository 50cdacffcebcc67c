"""The built-in players of American Rails by name, and the evaluation of positions for searches."""

from dataclasses import replace

from rails_cli.games.american_rails.players import evaluation, greedy, medium
from rails_cli.games.american_rails.players.inputs import INPUTS

EVALUATION = replace(evaluation.EVALUATION, inputs=INPUTS)
PLAYERS = {"greedy": greedy.think, "medium": medium.think}
