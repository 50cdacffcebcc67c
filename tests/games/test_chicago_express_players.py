"""Tests of the evaluation of Chicago Express, and of the players that use it."""

from functools import cache
from typing import Any, NamedTuple

import pytest

from rails_cli.games import standard_board
from rails_cli.games.chicago_express import GAME
from rails_cli.games.chicago_express.players import EVALUATION
from rails_cli.games.chicago_express.players.tours import tours_on
from rails_cli.games.chicago_express.players.weights import Weights
from rails_cli.games.chicago_express.questions import NOBODY
from rails_cli.games.moves import action_of
from rails_cli.games.shared.hexgrid import mask_of, numbers_in
from rails_cli.games.shared.luck import stream
from rails_cli.players.search.one_ply import judged_runs, nearly_best
from rails_cli.protocol.chicago_express import ActionChosen, ChicagoReached, ShareSold
from rails_cli.protocol.common import Passed
from tests.support.positions import Setting

SAMPLE = 2
MARGIN = 0.004


@pytest.mark.parametrize("undeveloped", [Weights().undeveloped, 4.0])
def test_a_cached_tour_equals_a_newly_computed_tour(undeveloped: float) -> None:
    chance, board = stream(5), standard_board(GAME.name)
    tours = tours_on(board, undeveloped)
    state = GAME.setup(board, 4, GAME.options_type(), 1, None)

    def random_up_to(most: int) -> int:
        return int(chance() * (most + 1))

    def extended(track: int, steps: int) -> int:
        """Return `track`, a bitmask in which bit N is hex N, with up to `steps` random adjacent hexes added."""
        for _ in range(steps):
            around = [number for place in numbers_in(track) for number in board.beside[place]]
            track |= 1 << around[random_up_to(len(around) - 1)]
        return track

    cached = 0
    for _ in range(12):
        own = extended(1 << board.start[random_up_to(board.companies - 1)], random_up_to(12))
        others = [extended(1 << start, random_up_to(25)) for start in board.start[1:]]
        for _ in range(15):
            state.track = [own, *[extended(track, random_up_to(2)) if random_up_to(2) else track for track in others]]
            state.developed = mask_of(place for place in numbers_in(board.house_hexes) if not random_up_to(9))
            state.scales = [
                random_up_to(len(values) - 1) if not random_up_to(3) else 0 for values in board.scale_values
            ]
            network, world = tours.network(own, board), tours.world(state)
            known = list(network.tours)
            tour, made = tours.tour(network, world), tours.compute_tour(network, world)
            cached += tour in known
            assert (tour.ways, tour.costs, tour.steps, tour.gains, tour.chicago) == (
                *(made.ways, made.costs, made.steps, made.gains, made.chicago),
            )
    assert cached > 30


class GameRecord(NamedTuple):
    """The last position and all events of a game, or of its opening auctions only."""

    state: Any
    events: list[Any]


@cache
def played(players: int, seed: int, is_whole: bool) -> GameRecord:
    """Play a game in which all seats choose nearly the best sequence of moves. Return its last position and its events.

    A sequence is judged by the value of the position after it. Unless `is_whole`, stop after the opening auctions.
    """
    setting = Setting(GAME.name, players, GAME.options_type())
    board = setting.board
    chance = stream(seed)
    state = setting.start(seed)
    events: list[Any] = []
    while state.pending is not None and (is_whole or state.turn == NOBODY):
        for move in nearly_best(judged_runs(GAME, board, EVALUATION, [state]), MARGIN, chance):
            GAME.apply(state, board, action_of(GAME.moves, board, move), events)
    return GameRecord(state, events)


def games(players: int = 4, *, is_whole: bool = True) -> list[GameRecord]:
    return [played(players, seed, is_whole) for seed in range(SAMPLE)]


@pytest.mark.parametrize("players", [3, 4])
def test_opening_shares_cost_about_half_the_starting_cash(players: int) -> None:
    openings = games(players, is_whole=False)
    prices = [event.price for game in openings for event in game.events if type(event) is ShareSold]
    cash = standard_board(GAME.name).cash[players]
    assert abs(sum(prices) / len(prices) - cash / 2) <= 3
    assert max(prices) < cash
    assert sum(0 in GAME.scores(game.state) for game in openings) <= 1


def test_companies_reach_chicago_in_many_games() -> None:
    arrived = sum(any(type(event) is ChicagoReached for event in game.events) for game in games())
    assert arrived >= SAMPLE / 3


def test_players_sometimes_choose_an_action_and_pass() -> None:
    given_up = 0
    for game in games():
        for event, following in zip(game.events, game.events[1:], strict=False):
            given_up += type(event) is ActionChosen and type(following) is Passed and not following.forced
    assert given_up


def test_games_with_different_seeds_end_differently() -> None:
    assert len({GAME.dump(game.state) for game in games()}) == SAMPLE
