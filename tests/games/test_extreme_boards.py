"""Tests of players and evaluations on boards with extreme values, such as free land, no cash or very many shares."""

import json
from collections.abc import Callable
from math import isfinite
from typing import Any

import pytest

from rails_cli.games import board_file, load_evaluation, load_game, load_players
from rails_cli.games.evaluation import Evaluation
from rails_cli.games.game import check_listed, without_info_fields
from rails_cli.games.shared.luck import stream
from rails_cli.players.chance import choose_busy
from tests.support.extreme_boards import (
    VERY_MANY,
    File,
    long_scales,
    no_cash,
    one_company_for_a_phase,
    one_property_a_city,
    one_railway_and_wabash,
    pass_in_second_space,
    players_without_cash,
    two_long_lines_and_a_maze,
    two_long_routes,
    very_many,
    with_costs_and_payouts,
    with_cube_cost,
    with_land_cost,
)

PLAYERS = 3
DECISIONS = 72
STRIDE = 9

BOARDS: dict[str, dict[str, Callable[[File], None]]] = {
    "chicago_express": {
        "free land": with_land_cost(0),
        "dear where others are": with_land_cost(14, "city", "industrial"),
        "dear cities": with_land_cost(40, "city", "industrial"),
        "unpayable land": with_land_cost(VERY_MANY),
        "no cash": no_cash,
        "long scales": long_scales,
        "one railway": one_railway_and_wabash,
        "very many of everything": very_many,
    },
    "american_rails": {
        "free land": with_cube_cost(0),
        "dear land": with_cube_cost(250),
        "no cash": players_without_cash,
        "one company": one_company_for_a_phase,
        "spaces in another order": pass_in_second_space,
    },
    "last_spike": {
        "nothing costs or pays": with_costs_and_payouts(0),
        "high amounts": with_costs_and_payouts(10**9),
        "nothing for sale": one_property_a_city,
        "long routes": two_long_routes,
        "maze": two_long_lines_and_a_maze,
    },
}


@pytest.mark.parametrize(("name", "board"), [(name, board) for name, boards in BOARDS.items() for board in boards])
def test_all_players_answer_legally_on_extreme_boards(name: str, board: str) -> None:
    """Each built-in player chooses a legal action in positions of a game on an extreme board.

    The actions of the game are chosen alternately at random and by the player `medium`. All built-in players must
    answer at every `STRIDE`-th decision.
    """
    game, players, evaluation = load_game(name), load_players(name), load_evaluation(name)
    assert evaluation is not None
    evaluation = evaluation.weighing(evaluation.weights)
    file = json.loads(board_file(name))
    BOARDS[name][board](file)
    table = game.read_board(json.dumps(file).encode())
    chance = stream(1)
    state = game.setup(table, PLAYERS, game.options_type(), 1, None)
    for decision in range(DECISIONS):
        if state.pending is None:
            break
        legal = game.legal_actions(state, table)
        view = game.view(state, table, state.pending.seat)
        if decision % STRIDE == 0:
            for think in players.values():
                check_listed(legal, without_info_fields(think(view, legal, table)))
            check_listed(legal, without_info_fields(players["medium"](view, legal, table, chance)))
            check_evaluation(name, table, evaluation, state)
        action = (
            choose_busy(legal, chance) if decision % 2 else without_info_fields(players["medium"](view, legal, table))
        )
        game.apply(state, table, action, None)


def check_evaluation(name: str, board: Any, evaluation: Evaluation[Any, Any], state: Any) -> None:
    """Assert that the values of `evaluation` in `state` are finite and its candidates are legal sequences of moves."""
    game = load_game(name)
    seats = len(game.scores(state))
    assert sum(map(isfinite, evaluation.worth(state, board))) == seats
    assert isfinite(evaluation.spread(state, board))
    if evaluation.limits is not None and hasattr(state.pending, "still_in"):
        assert len(evaluation.limits(state, board)) == seats
    if evaluation.policy is not None:
        assert evaluation.policy(state, board) in game.moves.legal(state, board)
    runs = evaluation.candidates(state, board)
    assert 1 <= len(runs) == len(set(runs))
    for run in runs:
        after = state.copy()
        for move in run:
            assert after.pending.seat == state.pending.seat
            assert move in game.moves.legal(after, board)
            game.moves.apply(after, board, move)
        assert all(map(isfinite, evaluation.worth(after, board)))
