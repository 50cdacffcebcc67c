"""Counts of action sequences from fixed positions: a change of rules, order or duplicates shows up as another number.

A bid counts as its lowest and highest amount. Positions are reached by a fixed game of the busy policy.
"""

from typing import Any

import pytest

from protocol.common import Bid, BidRange
from rails_cli.games.game import Game
from tests.positions import Setting, all_settings, walk


def perft(game: Game[Any, Any], board: Any, state: Any, depth: int) -> int:
    """How many sequences of `depth` actions there are; a game that ends early counts once."""
    if depth == 0 or state.pending is None:
        return 1
    total = 0
    for entry in game.legal_actions(state, board):
        for action in (Bid(entry.min), Bid(entry.max)) if type(entry) is BidRange else (entry,):
            after = state.copy()
            game.apply(after, board, action, None)
            total += perft(game, board, after, depth - 1)
    return total


COUNTS: dict[str, dict[int, list[int]]] = {}


@pytest.mark.parametrize("name", sorted(COUNTS))
def test_counts(name: str) -> None:
    setting = next(setting for setting in all_settings() if str(setting) == name)
    assert counted(setting, sorted(COUNTS[name])) == COUNTS[name]


def counted(setting: Setting, places: list[int]) -> dict[int, list[int]]:
    """Counts to depths 1, 2 and 3 from the positions before the given actions of the game with seed 1."""
    counts = {}
    for number, step in enumerate(walk(setting, 1, "busy")):
        if number in places:
            counts[number] = [perft(setting.game, setting.board, step.state.copy(), depth) for depth in (1, 2, 3)]
    return counts
