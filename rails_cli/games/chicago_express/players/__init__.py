"""The built-in players of Chicago Express by name, and the evaluation of positions for searches."""

from dataclasses import replace

from rails_cli.games.chicago_express.players import evaluation, greedy, medium
from rails_cli.games.chicago_express.players.inputs import INPUTS

EVALUATION = replace(evaluation.EVALUATION, inputs=INPUTS)
PLAYERS = {"greedy": greedy.think, "medium": medium.think}
