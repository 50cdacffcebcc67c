"""Tests of Freight Yard: the conformance suite, and one test for each rule."""

from collections.abc import Callable

import pytest
from freight_yard.protocol import GameEnded, Options, Question, State, Take, Taken
from freight_yard.rules import apply, legal_actions, setup

from rails_cli.games.plain import PlainBoard

BOARD = PlainBoard(game="freight_yard")


@pytest.mark.conformance("freight_yard")
def test_conformance(conformance: Callable[[], None]) -> None:
    conformance()


def test_fy_1_the_train_has_four_wagons_of_each_number() -> None:
    state = setup(BOARD, 3, Options(), 1, None)
    assert sorted(state.train) == sorted([1, 2, 3, 4] * 4)


def test_fy_2_a_player_takes_up_to_three_wagons_from_the_end() -> None:
    state = State(Question(0), [1, 2, 3, 4], [0, 0], Options())
    apply(state, BOARD, Take(1))
    assert (state.train, state.scores, state.pending) == ([1, 2, 3], [4, 0], Question(1))
    assert legal_actions(State(Question(0), [1, 2], [0, 0], Options()), BOARD) == [Take(2), Take(1)]


@pytest.mark.parametrize(("options", "points"), [(Options(), 5), (Options(penalty="one"), 7)])
def test_fy_3_each_wagon_after_the_first_costs_points(options: Options, points: int) -> None:
    state = State(Question(0), [1, 2, 3, 4], [0, 0], options)
    apply(state, BOARD, Take(3))
    assert state.scores == [points, 0]


def test_fy_4_the_game_ends_with_the_train() -> None:
    state, events = State(Question(1), [4], [0, 0], Options()), []
    apply(state, BOARD, Take(1), events)
    assert events == [Taken(1, [4], 4), GameEnded()]
    assert state.pending is None
