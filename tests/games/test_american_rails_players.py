"""Tests of the evaluation of American Rails, and of the players that use it."""

from collections.abc import Iterator
from typing import Any

import pytest

from rails_cli.games.american_rails import GAME
from rails_cli.games.american_rails.players import EVALUATION, medium
from rails_cli.games.american_rails.questions import BidOrPass
from rails_cli.games.game import check_listed, without_info_fields
from rails_cli.games.moves import action_of
from rails_cli.games.shared.luck import stream
from rails_cli.players.chance import choose_busy
from rails_cli.players.search.one_ply import judged_runs, nearly_best
from rails_cli.protocol.american_rails import Choose, Offer
from rails_cli.protocol.common import Bid, Pass
from tests.support.positions import Setting

MARGIN = 0.004
MOST_CANDIDATES = 40


def setting(players: int) -> Setting:
    return Setting(GAME.name, players, GAME.options_type())


def busy_game(players: int, seed: int) -> Iterator[Any]:
    """Yield the positions of a random game, including the last one."""
    table = setting(players)
    state, chance = table.start(seed), stream(seed)
    while state.pending is not None:
        yield state
        GAME.apply(state, table.board, choose_busy(GAME.legal_actions(state, table.board), chance), None)
    yield state


@pytest.mark.parametrize("players", GAME.players)
def test_every_position_has_a_worth_and_candidates_that_can_be_played(players: int) -> None:
    """Each candidate is a run of legal moves by one seat, and no candidate is listed twice."""
    board = setting(players).board
    for number, state in enumerate(busy_game(players, players)):
        if number % 3 and state.pending is not None:
            continue
        if state.pending is None:
            assert EVALUATION.worth(state, board) == GAME.scores(state)
            assert EVALUATION.spread(state, board) == 0
            continue
        before = GAME.dump(state)
        assert len(EVALUATION.worth(state, board)) == players
        assert EVALUATION.spread(state, board) > 0
        runs = EVALUATION.candidates(state, board)
        assert runs
        assert len(runs) == len(set(runs)) <= MOST_CANDIDATES
        for run in runs:
            after, seat = state.copy(), state.pending.seat
            for move in run:
                assert after.pending.seat == seat
                assert move in GAME.moves.legal(after, board)
                GAME.moves.apply(after, board, move)
        assert GAME.dump(state) == before


def test_other_weights_change_the_worth_of_a_position() -> None:
    state = next(busy_game(4, 1))
    board = setting(4).board
    weights = type(EVALUATION.weights)(thirst=0.1, lots=0.1)
    assert EVALUATION.weighing(weights).worth(state, board) != EVALUATION.worth(state, board)


def one_move_ahead_game(players: int, seed: int) -> list[tuple[Any, Any]]:
    """Return the positions and actions of a game between players that look one move ahead. The last action is None."""
    table = setting(players)
    state, chance = table.start(seed), stream(seed)
    steps = []
    while state.pending is not None:
        for move in nearly_best(judged_runs(GAME, table.board, EVALUATION, [state]), MARGIN, chance):
            steps.append((state.copy(), action_of(GAME.moves, table.board, move)))
            GAME.moves.apply(state, table.board, move)
    return [*steps, (state, None)]


def test_players_that_look_one_move_ahead_play_sensibly() -> None:
    """No player spends all cash on an opening share. Links are made, shares are offered, and games differ."""
    games = [one_move_ahead_game(4, seed) for seed in range(2)]
    board = setting(4).board
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
    for number, state in enumerate(busy_game(players, 3)):
        if state.pending is None or number % 5:
            continue
        legal = GAME.legal_actions(state, board)
        view = GAME.view(state, board, state.pending.seat)
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
