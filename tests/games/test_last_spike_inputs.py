"""Tests of the numbers that describe positions of The Last Spike."""

import pytest

from rails_cli.games.game import digest
from rails_cli.games.last_spike.players.evaluation import PositionEvaluator
from rails_cli.games.last_spike.players.inputs import describe, own_inputs, shared_inputs
from rails_cli.games.last_spike.players.weights import Weights
from tests.support.positions import Setting, all_settings, walk

SETTINGS = [setting for setting in all_settings() if setting.name == "last_spike"]


@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_numbers_of_positions_have_a_fixed_count_and_the_evaluation_is_the_usual_one(setting: Setting) -> None:
    board = setting.board
    evaluator = PositionEvaluator(Weights())
    shared, own = shared_inputs(board), own_inputs(board)
    for state, _, seat, _ in walk(setting, 3, "random"):
        if state.pending is None:
            break
        before = digest(setting.game, state)
        numbers, worth, spread = describe(state, board, evaluator)
        assert digest(setting.game, state) == before
        assert len(numbers) == shared + setting.players * own
        assert all(type(number) is int and abs(number) <= 30_000 for number in numbers)
        assert worth == evaluator.worth(state, board)
        assert spread == evaluator.spread(state, board)
        to_move = [numbers[shared + own * other + 1] for other in range(setting.players)]
        assert to_move == [int(other == seat) for other in range(setting.players)]
