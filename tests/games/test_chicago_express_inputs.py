"""Tests of the numbers that describe positions of Chicago Express for a value network."""

import pytest

from rails_cli.games.chicago_express import GAME
from rails_cli.games.chicago_express.players import EVALUATION
from rails_cli.games.chicago_express.players.inputs import INPUTS
from tests.support.positions import Setting, walk


@pytest.mark.parametrize("players", GAME.players)
def test_every_position_has_the_promised_numbers_and_the_hand_made_worth(players: int) -> None:
    """`describe` returns all numbers that a value network needs for a position, and the correct worth of the position.

    The worth is the estimated value of the position for each seat. It must equal the worth that the evaluation computes
    without a network. Computing the numbers does not change the position.
    """
    setting = Setting(GAME.name, players, GAME.options_type())
    board, state = setting.board, setting.start(players)
    count = INPUTS.shared(board) + players * INPUTS.own(board)
    kinds = set()
    for number, _ in enumerate(walk(setting, players, "busy", state)):
        kinds.add(type(state.pending))
        if number % 5:
            continue
        before = GAME.dump(state)
        numbers, worth, spread = INPUTS.describe(state, board)
        assert GAME.dump(state) == before
        assert len(numbers) == count
        assert all(type(number) is int for number in numbers)
        assert worth == EVALUATION.worth(state, board)
        assert spread == EVALUATION.spread(state, board)
    assert len(kinds) == 5, "every kind of question has occurred"
