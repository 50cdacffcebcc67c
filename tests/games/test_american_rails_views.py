"""Tests of the open question in views of American Rails."""

import pytest

from rails_cli.games import load_game, standard_board
from rails_cli.protocol.american_rails import Options
from tests.support.positions import Setting, walk

GAME = load_game("american_rails")


@pytest.mark.parametrize(("players", "cubes_of_take"), [(3, None), (4, 2)])
def test_a_question_has_a_number_of_cubes_only_if_cubes_may_be_placed(players: int, cubes_of_take: int | None) -> None:
    """With three players Take cannot expand (AR-32), so its question has no number of cubes."""
    setting, board = Setting("american_rails", players, Options(first_player="drawn")), standard_board("american_rails")
    asked = set()
    for step in walk(setting, 1000, "busy"):
        question = GAME.view(step.state, board, step.seat).question
        asked.add(question.asks)
        if question.asks == "take":
            assert question.cubes == cubes_of_take
        elif question.asks == "expand":
            assert question.cubes >= 1
        else:
            assert question.cubes is None
    assert {"take", "expand", "bid", "choose"} <= asked
