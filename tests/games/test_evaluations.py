"""Tests of the evaluations of all games: values of positions, candidate moves, weights and caches."""

from typing import Any

import msgspec
import pytest

from rails_cli.games import board_file, load_evaluation, load_game, whole_games
from rails_cli.games.american_rails.players.routes import PLANS, REGIONS, STARTS
from rails_cli.games.chicago_express.players.tours import GROUNDS, NETWORKS
from rails_cli.games.evaluation import REMEMBERED, Run, remember
from rails_cli.games.last_spike.players.evaluation import WAYS
from rails_cli.games.last_spike.players.habits import ESTATES, PAID, STAKES, TRACKS
from rails_cli.games.shared.money import added
from tests.support.positions import Setting, all_settings, walk

GAMES = [name for name in whole_games() if load_evaluation(name) is not None]
STRIDE = 9
CACHES: dict[str, list[dict[Any, Any]]] = {
    "american_rails": [PLANS, REGIONS, STARTS],
    "chicago_express": [GROUNDS, NETWORKS],
    "last_spike": [WAYS, ESTATES, PAID, STAKES, TRACKS],
}


SETTINGS = [setting for setting in all_settings() if setting.name in CACHES]
EVERY = 16
MOST_CANDIDATES = {"american_rails": 40, "chicago_express": 30, "last_spike": 25}
OTHER_WEIGHTS = {"american_rails": {"thirst": 0.1, "lots": 0.1}, "last_spike": {"last_spike": 2.0}}


@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_every_position_has_a_worth_and_legal_candidates(setting: Setting) -> None:
    """The evaluation of each position has a worth for each seat, and legal candidates.

    - The worth is in dollars. It does not depend on cached values. After the end of a game it equals the scores.
    - Candidates are a few different sequences of legal moves of one seat. Listing them does not change the position.
    """
    game, board, evaluation = setting.game, setting.board, load_evaluation(setting.name)
    assert evaluation is not None
    state = setting.start(2)
    for count, step in enumerate(walk(setting, 2, "busy", state)):
        if count % EVERY:
            continue
        before = game.dump(state)
        worth, runs = evaluation.worth(state, board), evaluation.candidates(state, board)
        assert len(worth) == setting.players
        assert evaluation.weighing(evaluation.weights).worth(state, board) == worth
        assert evaluation.spread(state, board) > 0
        assert 1 <= len(runs) == len(set(runs)) <= MOST_CANDIDATES[setting.name]
        for run in runs:
            after = state.copy()
            for move in run:
                assert after.pending.seat == step.seat
                assert move in game.moves.legal(after, board)
                game.moves.apply(after, board, move)
        assert game.dump(state) == before
    assert evaluation.worth(state, board) == game.scores(state)
    assert evaluation.spread(state, board) == 0


@pytest.mark.parametrize("name", OTHER_WEIGHTS)
def test_other_weights_change_the_worth_of_a_position(name: str) -> None:
    setting, evaluation = Setting(name, 4, load_game(name).options_type()), load_evaluation(name)
    assert evaluation is not None
    other = evaluation.weighing(msgspec.structs.replace(evaluation.weights, **OTHER_WEIGHTS[name]))
    state = setting.start(4)
    assert other.worth(state, setting.board) != evaluation.worth(state, setting.board)


@pytest.mark.parametrize("name", GAMES)
def test_the_order_of_evaluations_does_not_change_results(name: str) -> None:
    """The positions of a game get the same values in forward and in backward order."""
    game = load_game(name)
    setting = Setting(name, 4, game.options_type())
    states = [step.state.copy() for step in walk(setting, 7, "greedy")][::STRIDE]
    onwards, backwards = evaluated(name, states), evaluated(name, states[::-1])
    assert onwards == backwards[::-1]


def evaluated(name: str, states: list[Any]) -> list[tuple[list[float], list[Run]]]:
    """Return for each state its worth to each seat, and its candidates (sequences of moves).

    The evaluation starts with empty caches, and the board is read again.
    """
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
    states = [step.state.copy() for step in walk(Setting(name, 4, game.options_type()), 7, "greedy")][::21]
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
    """The evaluation adds amounts in the same way in every Python version, so that moves do not differ.

    Up to Python 3.11, `sum` of ten times 0.1 is 0.9999999999999999. In later versions it is 1.0.
    """
    assert added([0.1] * 10) == 0.9999999999999999
