"""Count the legal action sequences from fixed positions. A changed number shows that the rules have changed.

A range of bids counts as two actions: its lowest and its highest amount. The positions come from fixed games. A policy
plays each of these games.
"""

from typing import Any

import pytest

from rails_cli.conformance.settings import settings_of
from rails_cli.games import game_names
from rails_cli.games.game import Game
from rails_cli.protocol.common import Bid, BidRange
from tests.support.positions import walk


def perft(game: Game[Any, Any], board: Any, state: Any, depth: int) -> int:
    """Return the number of sequences of `depth` actions from `state`.

    A sequence that ends the game earlier counts once.
    """
    if depth == 0 or state.pending is None:
        return 1
    total = 0
    for entry in game.legal_actions(state, board):
        for action in (Bid(entry.min), Bid(entry.max)) if type(entry) is BidRange else (entry,):
            after = state.copy()
            game.apply(after, board, action, None)
            total += perft(game, board, after, depth - 1)
    return total


COUNTS: dict[str, dict[int, list[int]]] = {
    "chicago_express-3p busy": {
        0: [3, 9, 27, 81],
        9: [3, 9, 27, 81],
        30: [3, 22, 151, 1263],
        60: [3, 19, 115, 527],
        110: [3, 17, 86, 543],
    },
    "chicago_express-5p-before_action busy": {0: [3, 9, 27, 81], 40: [7, 51, 407, 1230], 90: [4, 11, 36, 100]},
    "chicago_express-4p-at_once builder": {1: [3, 9, 27, 81], 152: [33, 1041, 3168], 153: [34, 102, 880]},
    "american_rails-4p-drawn builder": {0: [6, 18, 270], 100: [7, 40, 271], 220: [5, 56, 796]},
    "american_rails-3p busy": {
        0: [5, 15, 225, 1230],
        12: [38, 114, 342, 1026],
        40: [6, 20, 81, 553],
        80: [13, 183, 2825],
    },
    "american_rails-5p busy": {3: [3, 45, 285, 1191], 60: [3, 9, 120, 1144], 150: [3, 33, 516]},
    "last_spike-2p-free_choice busy": {0: [4, 16, 56, 208], 7: [4, 19, 82, 385], 40: [4, 24, 97, 321]},
    "last_spike-4p-hidden busy": {0: [2, 2, 7, 19], 15: [7, 14, 98, 196], 60: [8, 24, 183, 549]},
}
"""Numbers of legal sequences of 1, 2, 3 and 4 actions, by the setting and the policy of a game with the seed 1, and by
the number of actions played before the position. Sequences of 4 actions are left out if there are many.
"""


@pytest.mark.parametrize("name", sorted(COUNTS))
def test_the_numbers_of_action_sequences_are_unchanged(name: str) -> None:
    setting_name, policy = name.split()
    setting = next(setting for setting in settings_of(game_names()) if str(setting) == setting_name)
    found = {
        number: [
            perft(setting.game, setting.board, step.state, depth + 1) for depth in range(len(COUNTS[name][number]))
        ]
        for number, step in enumerate(walk(setting, 1, policy))
        if number in COUNTS[name]
    }
    assert found == COUNTS[name]
