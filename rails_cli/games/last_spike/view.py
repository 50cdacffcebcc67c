"""Views of The Last Spike (LS-32). Each view is built field by field, so that it contains nothing hidden.

Most of a view is the same as in the previous view of the game. Parts that seldom change are therefore cached in the
state's `memo`.
"""
# ruff: noqa: B905 (a strict zip takes twice the time)

from functools import lru_cache
from typing import Any, NamedTuple, assert_never, get_args

from rails_cli.games.game import ALL_SEATS
from rails_cli.games.last_spike.board import PLAYERS, Board
from rails_cli.games.last_spike.questions import BuyOrPass, PlayPiece, SellFor
from rails_cli.games.last_spike.rules import piece_names, resale_value
from rails_cli.games.last_spike.state import NO_PIECE, State, joined_to
from rails_cli.games.shared.hexgrid import few_numbers_in, numbers_in
from rails_cli.protocol.common import Passed
from rails_cli.protocol.last_spike import (
    City,
    Dealt,
    Drew,
    Event,
    Options,
    Player,
    PublicEvent,
    Question,
    Route,
    View,
    WentBankrupt,
)

TO_PLAY = tuple(Question(seat, "play") for seat in range(max(PLAYERS)))
TO_BUY = tuple(Question(seat, "buy") for seat in range(max(PLAYERS)))

DREW = {seat: Drew(seat=seat, piece=None) for seat in (None, *range(max(PLAYERS)))}
"""Mapping from a seat that draws a piece to the event that the other seats see."""

PUBLIC_EVENTS = frozenset(get_args(PublicEvent))

CACHED = 1 << 14
"""Maximum number of values in the cache of routes: enough for all routes of several boards."""


def view(state: State, board: Board, observer: int) -> View:
    memo, ended = _memo(state, board), state.ended
    is_aside = state.aside != NO_PIECE
    return View(
        observer if 0 <= observer < len(state.hands) else None,
        _question(state, board, observer),
        _players(state, board, observer, memo),
        memo.cities,
        memo.routes,
        memo.touching,
        [] if ended else memo.last_spikes,
        len(state.mix),
        1 if is_aside else 0,
        board.piece_ids[state.aside] if ended and is_aside else None,
        ended is not None,
        [ended] if ended else [],
        state.options,
    )


def _question(state: State, board: Board, observer: int) -> Question | None:
    asked = state.pending
    if type(asked) is PlayPiece:
        return TO_PLAY[asked.seat]
    if type(asked) is BuyOrPass:
        return TO_BUY[asked.seat]
    if type(asked) is SellFor:
        is_shown = state.options.cash == "open" or observer in (asked.seat, ALL_SEATS)
        short = asked.cost - state.money[asked.seat] if is_shown else None
        return Question(asked.seat, "sell", board.piece_ids[asked.piece], asked.cost, short)
    return None


def _players(state: State, board: Board, observer: int, memo: "Memo") -> list[Any]:
    is_all_seen = observer == ALL_SEATS or state.ended is not None
    players = []
    for seat, hand in enumerate(state.hands):
        estate = memo.estates[seat]
        if is_all_seen or seat == observer:
            players.append(_player(state, seat, state.money[seat], piece_names(board, hand), estate))
            continue
        cash = None if state.options.cash == "hidden" else state.money[seat]
        if estate.hidden is None or estate.pieces != len(hand) or estate.cash != cash:
            estate.pieces = len(hand)
            estate.cash = cash
            estate.hidden = _player(state, seat, cash, None, estate)
        players.append(estate.hidden)
    return players


def _player(state: State, seat: int, cash: int | None, hand: list[str] | None, estate: "Estate") -> Player:
    pieces, is_bankrupt = len(state.hands[seat]), not state.solvent >> seat & 1
    return Player(seat, cash, pieces, hand, estate.properties, estate.total, estate.resale, is_bankrupt)


# Cached parts


class Estate:
    """The properties of one seat in a view: their ids, total price and resale value.

    `hidden` caches the `Player` object that other seats see, or is None if there is none. The cache is valid while the
    seat's visible cash is `cash` and its number of pieces is `pieces`.
    """

    cash: int | None
    pieces: int

    def __init__(self, properties: list[str], total: int, resale: int) -> None:
        self.properties = properties
        self.total = total
        self.resale = resale
        self.hidden: Any = None


NO_ESTATE = Estate([], 0, 0)


class RouteInView(NamedTuple):
    """A route as it appears in views.

    `touching` has the ids of those missing pieces that touch a city or a laid piece.
    """

    route: Route
    touching: list[str]


class Memo:
    """Cached parts of the last view of one state.

    `routes`, `touching`, `last_spikes`, `cities` and `estates` are these parts. The other attributes are copies of the
    values in the state from which the parts were made.
    """

    routes: list[Any]
    touching: list[str]
    last_spikes: list[str]

    def __init__(self, state: State, board: Board) -> None:
        self.laid = NOT_MADE
        self.complete = 0
        self.pile = 0
        self.sellable = NOT_MADE
        self.solvent = NOT_MADE
        self.held = [NOT_MADE] * len(state.held)
        self.cities: list[Any] = [None] * len(board.city_ids)
        self.estates = [NO_ESTATE] * len(state.held)


NOT_MADE = -1


def _memo(state: State, board: Board) -> Memo:
    """Return the cached view parts of a state, after outdated parts are recomputed."""
    memo: Memo | None = state.memo
    if memo is None:
        memo = state.memo = Memo(state, board)
    if memo.laid != state.laid:
        _renew_routes(memo, state, board)
    if memo.held != state.held or memo.pile != state.pile or memo.complete != state.complete:
        _renew_cities(memo, state, board)
    if memo.held != state.held or memo.sellable != state.sellable or memo.solvent != state.solvent:
        _renew_estates(memo, state, board)
    return memo


def _renew_routes(memo: Memo, state: State, board: Board) -> None:
    """Recompute three parts of a view: the routes, the touching pieces and the last spikes.

    Touching pieces are missing pieces beside a city or a laid piece. A last spike is a piece that would end the game.
    """
    memo.laid = laid = state.laid
    memo.routes, memo.touching, memo.last_spikes = [], [], []
    to_end = joined_to(board, 1 << board.end, state.complete)
    for number, whole in enumerate(board.route_wholes):
        route, touching = _route_in_view(board, number, laid & whole)
        memo.routes.append(route)
        memo.touching += touching
        cities = board.route_cities[number]
        if len(route.missing) == 1 and cities & state.from_start and cities & to_end:
            memo.last_spikes += route.missing


@lru_cache(CACHED)
def _route_in_view(board: Board, route: int, laid: int) -> RouteInView:
    along = board.route_pieces[route]
    missing = [piece for piece in along if not laid >> piece & 1]
    shown = Route(
        board.route_ids[route],
        [board.piece_ids[piece] for piece in along if laid >> piece & 1],
        [board.piece_ids[piece] for piece in missing],
    )
    touching = [piece for piece in missing if board.is_end[piece] or board.beside[piece] & laid]
    return RouteInView(shown, [board.piece_ids[piece] for piece in touching])


def _renew_cities(memo: Memo, state: State, board: Board) -> None:
    """Recompute the cities in which a property has moved to another place or a route was completed."""
    completed = state.complete ^ memo.complete
    moved = state.pile ^ memo.pile
    for held, held_before in zip(state.held, memo.held):
        moved |= held ^ held_before
    memo.pile, memo.complete = state.pile, state.complete
    memo.cities = memo.cities.copy()
    for city, properties in enumerate(board.city_properties):
        if moved & properties or completed & board.city_routes[city]:
            memo.cities[city] = _city(state, board, city)


def _city(state: State, board: Board, city: int) -> City:
    properties = board.city_properties[city]
    counts = [(held & properties).bit_count() for held in state.held]
    pays = [board.payout[city][count] for count in counts]
    pile = state.pile & properties
    left = (board.city_routes[city] & ~state.complete).bit_count()
    is_open = not pile & board.free
    names = [board.property_ids[lot] for lot in few_numbers_in(pile)]
    top = state.tops[city]
    if top == board.nothing:
        return City(board.city_ids[city], is_open, names, None, None, counts, pays, left)
    return City(board.city_ids[city], is_open, names, board.property_ids[top], board.price[top], counts, pays, left)


def _renew_estates(memo: Memo, state: State, board: Board) -> None:
    """Recompute the properties of the seats whose properties or resale values have changed."""
    is_all = memo.sellable != state.sellable or memo.solvent != state.solvent
    for seat, held in enumerate(state.held):
        if is_all or held != memo.held[seat]:
            lots = numbers_in(held)
            total = sum([board.price[lot] for lot in lots])
            properties = [board.property_ids[lot] for lot in lots]
            memo.estates[seat] = Estate(properties, total, resale_value(state, board, seat))
    memo.held, memo.sellable, memo.solvent = state.held.copy(), state.sellable, state.solvent


# Events


def redact(original: Event, observer: int, options: Options) -> Event:
    """Return the event `original` without the parts that are hidden from the seat `observer`."""
    kind = type(original)
    if kind in PUBLIC_EVENTS:  # ten times as fast as `isinstance` with all these types
        return original
    if kind is Drew:  # occurs with every move
        seat = original.seat  # type: ignore[union-attr]
        return original if observer in (seat, ALL_SEATS) else DREW.get(seat) or Drew(seat=seat, piece=None)
    event: Dealt | Passed | WentBankrupt = original  # type: ignore[assignment]  # `cast` is a call
    if isinstance(event, Dealt):
        hands = [hand if observer in (seat, ALL_SEATS) else None for seat, hand in enumerate(event.hands)]
        return Dealt(event.first, hands, None, event.draws)
    if observer in (event.seat, ALL_SEATS):
        return event
    if isinstance(event, Passed):  # a forced pass reveals that the seat has little cash
        return event if options.cash == "open" else Passed(event.seat)
    if isinstance(event, WentBankrupt):
        cash = event.cash if options.cash == "open" else None
        return WentBankrupt(event.seat, cash, None, event.returned, event.removed)
    assert_never(event)
