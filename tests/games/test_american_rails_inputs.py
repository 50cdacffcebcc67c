"""Tests of the numbers that describe positions of American Rails for a value network."""

import pytest

from rails_cli.games.american_rails import GAME
from rails_cli.games.american_rails.players import EVALUATION
from rails_cli.games.american_rails.players.evaluation import PositionEvaluator
from rails_cli.games.american_rails.players.inputs import (
    GROWTHS,
    KINDS,
    RISKS,
    describe,
    own_inputs,
    shared_inputs,
)
from rails_cli.games.american_rails.players.weights import Weights
from tests.support.positions import Setting, walk

EVALUATOR = PositionEvaluator(Weights())


@pytest.mark.parametrize("players", GAME.players)
def test_every_position_has_the_promised_numbers_and_the_hand_made_worth(players: int) -> None:
    """`describe` returns all numbers that a value network needs for a position, and the correct worth of the position.

    The worth is the estimated value of the position for each seat. It must equal the worth that the evaluation computes
    without a network. The numbers do not depend on cached values. Computing them does not change the position.
    """
    setting = Setting(GAME.name, players, GAME.options_type())
    board, state = setting.board, setting.start(players)
    count = shared_inputs(board) + players * own_inputs(board)
    kinds = set()
    for number, _ in enumerate(walk(setting, players, "busy", state)):
        kinds.add(type(state.pending))
        if number % 9 and len(kinds) == len(KINDS):
            continue
        before = GAME.dump(state)
        numbers, worth, spread = describe(state, board, EVALUATOR)
        assert GAME.dump(state) == before
        assert len(numbers) == count
        assert all(type(number) is int for number in numbers)
        assert worth == EVALUATION.worth(state, board)
        assert spread == EVALUATION.spread(state, board)
        GROWTHS.clear()
        RISKS.clear()
        assert describe(state.copy(), board, EVALUATOR) == (numbers, worth, spread)
    assert kinds == {*KINDS}
