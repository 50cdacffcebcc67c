"""Tests of the evaluation of American Rails, and of the players that use it."""

from itertools import islice
from typing import Any

import pytest

from rails_cli.games.american_rails import GAME
from rails_cli.games.american_rails.players import EVALUATION, medium
from rails_cli.games.american_rails.questions import BidOrPass
from rails_cli.games.game import check_listed, without_info_fields
from rails_cli.games.moves import action_of
from rails_cli.games.shared.luck import stream
from rails_cli.players.search.one_ply import judged_runs, nearly_best
from rails_cli.protocol.american_rails import Choose, Offer
from rails_cli.protocol.common import Bid, Pass
from tests.support.positions import Setting, walk

MARGIN = 0.004


def setting(players: int) -> Setting:
    return Setting(GAME.name, players, GAME.options_type())


def one_move_ahead_game(players: int, seed: int) -> list[tuple[Any, Any]]:
    """Play a game between players that look one move ahead. Return its positions, each with the action played there.

    The action of the final position is None.
    """
    table = setting(players)
    state, chance = table.start(seed), stream(seed)
    steps = []
    while state.pending is not None:
        for move in nearly_best(judged_runs(GAME, table.board, EVALUATION, [state]), MARGIN, chance):
            steps.append((state.copy(), action_of(GAME.moves, table.board, move)))
            GAME.moves.apply(state, table.board, move)
    return [*steps, (state, None)]


def test_players_that_look_one_move_ahead_play_sensibly() -> None:
    """Players that look one move ahead make sensible choices in two games.

    - No player spends all cash on an opening share.
    - Companies make links, and players offer shares for sale.
    - The two games, which have different seeds, differ.
    """
    games = [one_move_ahead_game(3, seed) for seed in range(2)]
    board = setting(3).board
    links = 0
    for steps in games:
        for state, action in steps:
            question = state.pending
            if type(question) is BidOrPass and question.opening and type(action) is Bid:
                assert action.amount < state.money[question.seat] or state.money[question.seat] < 20
        final = steps[-1][0]
        links += sum((track & board.link_cities).bit_count() > 1 for track in final.track)
        assert any(type(action) is Offer for _, action in steps[40:])
        assert len({action.action for _, action in steps if type(action) is Choose}) >= board.height - 1
    assert links
    assert GAME.dump(games[0][-1][0]) != GAME.dump(games[1][-1][0])


@pytest.mark.parametrize("players", GAME.players)
def test_medium_answers_legally_and_equally_for_equal_random_numbers(players: int) -> None:
    think = medium.think
    board = setting(players).board
    for state, legal, seat, _ in islice(walk(setting(players), 3, "busy"), 0, None, 5):
        view = GAME.view(state, board, seat)
        check_listed(legal, without_info_fields(think(view, legal, board)))
        assert think(view, legal, board, stream(1)) == think(view, legal, board, stream(1))


def test_medium_keeps_cash_for_a_second_share() -> None:
    table = setting(4)
    state, think = table.start(1), medium.think
    while state.lots or type(state.pending) is BidOrPass:
        legal = GAME.legal_actions(state, table.board)
        action = think(GAME.view(state, table.board, state.pending.seat), legal, table.board)
        if type(action) is Bid:
            assert action.amount <= 0.6 * state.money[state.pending.seat]
        else:
            assert type(action) is not Pass or type(state.pending) is BidOrPass
        GAME.apply(state, table.board, action, None)
