"""Tests of the evaluations of all games: their caches change no result and have a limited size."""

from typing import Any

import pytest

from rails_cli.games import board_file, load_evaluation, load_game, whole_games
from rails_cli.games.american_rails.players.routes import PLANS, REGIONS, STARTS
from rails_cli.games.chicago_express.players.tours import GROUNDS, NETWORKS
from rails_cli.games.evaluation import REMEMBERED, Run, remember
from rails_cli.games.last_spike.players.evaluation import WAYS
from rails_cli.games.last_spike.players.habits import ESTATES, PAID, STAKES, TRACKS
from rails_cli.games.shared.money import added
from tests.support.positions import Setting, walk

GAMES = [name for name in whole_games() if load_evaluation(name) is not None]
STRIDE = 3
CACHES: dict[str, list[dict[Any, Any]]] = {
    "american_rails": [PLANS, REGIONS, STARTS],
    "chicago_express": [GROUNDS, NETWORKS],
    "last_spike": [WAYS, ESTATES, PAID, STAKES, TRACKS],
}


@pytest.mark.parametrize("name", GAMES)
def test_the_order_of_evaluations_does_not_change_results(name: str) -> None:
    """The positions of a game are evaluated forwards and backwards with the same results."""
    game = load_game(name)
    setting = Setting(name, 4, game.options_type())
    states = [step.state.copy() for step in walk(setting, 7, "greedy")][::STRIDE]
    onwards, backwards = evaluated(name, states), evaluated(name, states[::-1])
    assert onwards == backwards[::-1]


def evaluated(name: str, states: list[Any]) -> list[tuple[list[float], list[Run]]]:
    """Return worths and candidates of `states`, from an evaluation with empty caches and a newly read board."""
    board = load_game(name).read_board(board_file(name))
    evaluation = load_evaluation(name)
    assert evaluation is not None
    fresh = evaluation.weighing(evaluation.weights)
    return [(fresh.worth(state, board), fresh.candidates(state, board)) for state in states]


@pytest.mark.parametrize("name", CACHES)
def test_caches_keep_the_values_of_several_boards(name: str) -> None:
    """Cached values of a board stay in the cache while other boards are evaluated."""
    game, evaluation = load_game(name), load_evaluation(name)
    assert evaluation is not None
    boards = [game.read_board(board_file(name)) for _ in range(3)]
    states = [step.state.copy() for step in walk(Setting(name, 4, game.options_type()), 7, "greedy")][::7]
    for cached in CACHES[name]:
        cached.clear()
    cached_ids = []
    for _ in range(2):
        for state in states:
            for board in boards:
                evaluation.worth(state, board)
                if evaluation.policy is not None and state.pending is not None:
                    evaluation.policy(state, board)
        cached_ids.append([list(map(id, cached.values())) for cached in CACHES[name]])
    assert cached_ids[0] == cached_ids[1]
    assert all(len(cached) % len(boards) == 0 < len(cached) for cached in CACHES[name])


def test_a_cache_has_a_limited_size() -> None:
    known: dict[int, int] = {}
    for number in range(3 * REMEMBERED):
        assert remember(known, number, -number) == -number
        assert known[max(0, number - REMEMBERED // 2 + 1)] <= 0
        assert len(known) <= REMEMBERED


def test_amounts_have_the_same_sum_in_every_python_version() -> None:
    """`sum` of ten times 0.1 is 0.9999999999999999 up to Python 3.11 and 1.0 later. Moves must not depend on that."""
    assert added([0.1] * 10) == 0.9999999999999999
