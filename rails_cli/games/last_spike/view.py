"""Views of The Last Spike (LS-32), built field by field so that nothing hidden is included.

Most of a view is the same as in the previous one, so parts that seldom change are cached in the state's `memo`, for the
wire as encoded JSON.
"""

from typing import Any, assert_never, get_args

import msgspec

from rails_cli.games.game import ALL_SEATS
from rails_cli.games.last_spike.board import PLAYERS, Board, PileInView, RouteInView
from rails_cli.games.last_spike.questions import BuyOrPass, PlayPiece, SellFor
from rails_cli.games.last_spike.rules import piece_names, resale_value
from rails_cli.games.last_spike.state import NO_PIECE, State, joined_to, top_of
from rails_cli.games.shared.hexgrid import numbers_in
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
"""Draws as others see them, by seat. In a log from another program the seat may be None."""

PUBLIC_EVENTS = frozenset(get_args(PublicEvent))

_encode = msgspec.json.Encoder().encode


def view(state: State, board: Board, seer: int) -> View:
    return _view(state, board, seer, _memo(state, board, is_written=False))


def wire_view(state: State, board: Board, seer: int) -> View:
    """Like `view`, but with parts already encoded as JSON. The result can only be encoded."""
    return _view(state, board, seer, _memo(state, board, is_written=True))


def _view(state: State, board: Board, seer: int, memo: "Memo") -> View:
    _renew(memo, state, board)
    ended = state.ended
    is_aside = state.aside != NO_PIECE
    return View(
        seer if 0 <= seer < len(state.hands) else None,
        _question(state, board, seer),
        _players(state, board, seer, memo),
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


def _sees_hand(state: State, seat: int, seer: int) -> bool:
    return seer in (seat, ALL_SEATS) or state.ended is not None


def _question(state: State, board: Board, seer: int) -> Question | None:
    asked = state.pending
    if type(asked) is PlayPiece:
        return TO_PLAY[asked.seat]
    if type(asked) is BuyOrPass:
        return TO_BUY[asked.seat]
    if type(asked) is SellFor:
        is_shown = state.options.cash == "open" or _sees_hand(state, asked.seat, seer)
        short = asked.cost - state.money[asked.seat] if is_shown else None
        return Question(asked.seat, "sell", board.piece_ids[asked.piece], asked.cost, short)
    return None


def _players(state: State, board: Board, seer: int, memo: "Memo") -> list[Any]:
    is_all_seen = seer == ALL_SEATS or state.ended is not None
    players = []
    for seat, hand in enumerate(state.hands):
        estate = memo.estates[seat]
        if is_all_seen or seat == seer:
            players.append(_player(state, seat, state.money[seat], piece_names(board, hand), estate))
            continue
        cash = None if state.options.cash == "hidden" else state.money[seat]
        if estate.pieces != len(hand) or estate.cash != cash:
            estate.pieces = len(hand)
            estate.cash = cash
            estate.unseen = memo.kept(_player(state, seat, cash, None, estate))
        players.append(estate.unseen)
    return players


def _player(state: State, seat: int, cash: int | None, hand: list[str] | None, estate: "Estate") -> Player:
    pieces, is_bankrupt = len(state.hands[seat]), not state.solvent >> seat & 1
    return Player(seat, cash, pieces, hand, estate.properties, estate.total, estate.resale, is_bankrupt)


# Cached parts


class Estate:
    """A seat's properties in a view, and the whole player if the hand is hidden."""

    unseen: Any
    cash: int | None

    def __init__(self) -> None:
        self.properties: list[str] = []
        self.total = 0
        self.resale = 0
        self.pieces = NOT_MADE


NOT_MADE = -1


class Memo:
    """Cached parts of the views of one state, and the numbers from which they were computed."""

    links: list[int]
    """Masks of the routes between a city connected to the start and one connected to the end."""
    last_spikes: list[str]
    touching: list[str]

    def __init__(self, state: State, board: Board, is_written: bool) -> None:
        """Start with values that make every piece, property and route count as changed."""
        self.is_written = is_written
        self.laid = state.laid ^ (1 << len(board.piece_ids)) - 1
        self.complete = state.complete ^ (1 << len(board.route_ids)) - 1
        self.pile = state.pile ^ (board.free | board.bought)
        self.sellable = 0
        self.solvent = state.solvent
        self.held = [0] * len(state.held)
        self.looks = [NO_ROUTE] * len(board.route_ids)
        self.routes: list[Any] = [None] * len(board.route_ids)
        self.cities: list[Any] = [None] * len(board.city_ids)
        self.estates = [Estate() for _ in state.held]

    def kept(self, part: Any) -> Any:
        return msgspec.Raw(_encode(part)) if self.is_written else part


NO_ROUTE = RouteInView(Route("", [], []), msgspec.Raw(), [])


def _memo(state: State, board: Board, is_written: bool) -> Memo:
    """Return the cache of a state for one kind of view."""
    memos: dict[bool, Memo] | None = state.memo
    if memos is None:
        memos = state.memo = {}
    memo = memos.get(is_written)
    if memo is None:
        memo = memos[is_written] = Memo(state, board, is_written)
    return memo


def _renew(memo: Memo, state: State, board: Board) -> None:
    """Recompute the parts whose numbers have changed."""
    is_completed = memo.complete != state.complete
    if is_completed:
        memo.links = _links(state, board)
    if memo.laid != state.laid:
        _renew_routes(memo, state, board)
    if is_completed or memo.pile != state.pile or memo.held != state.held:
        moved = state.pile ^ memo.pile | _renew_estates(memo, state, board)
        _renew_cities(memo, state, board, moved, state.complete ^ memo.complete)
        memo.pile = state.pile
        memo.complete = state.complete
    if memo.solvent != state.solvent:
        memo.solvent = state.solvent
        for estate in memo.estates:
            estate.pieces = NOT_MADE


def _renew_routes(memo: Memo, state: State, board: Board) -> None:
    laid = state.laid
    changed = laid ^ memo.laid
    memo.laid = laid
    memo.routes = memo.routes.copy()
    while changed:
        route = board.piece_route[changed.bit_length() - 1]
        changed &= ~board.route_wholes[route]
        memo.looks[route] = look = _route_in_view(board, route, laid & board.route_wholes[route])
        memo.routes[route] = look.written if memo.is_written else look.route
    touching: list[str] = []
    for look in memo.looks:
        touching += look.touching
    memo.touching = touching
    memo.last_spikes = []
    for link in memo.links:
        missing = link & ~laid
        if missing.bit_count() == 1:
            memo.last_spikes.append(board.piece_ids[missing.bit_length() - 1])


def _route_in_view(board: Board, route: int, laid: int) -> RouteInView:
    """Return a route as shown in views. There are few variants, so each is cached."""
    look = board.route_looks[route].get(laid)
    if look is None:
        along = board.route_pieces[route]
        missing = [piece for piece in along if not laid >> piece & 1]
        seen = Route(
            board.route_ids[route],
            [board.piece_ids[piece] for piece in along if laid >> piece & 1],
            [board.piece_ids[piece] for piece in missing],
        )
        touching = [piece for piece in missing if board.bit[piece] & board.ends or board.beside[piece] & laid]
        look = RouteInView(seen, msgspec.Raw(_encode(seen)), [board.piece_ids[piece] for piece in touching])
        board.route_looks[route][laid] = look
    return look


def _links(state: State, board: Board) -> list[int]:
    from_start = state.from_start
    to_end = joined_to(board, 1 << board.end, state.complete)
    links = []
    for route, cities in enumerate(board.route_cities):
        if cities & from_start and cities & to_end:
            links.append(board.route_wholes[route])
    return links


def _renew_estates(memo: Memo, state: State, board: Board) -> int:
    """Update the estates. Return the mask of properties that changed hands."""
    moved = 0
    for seat, held in enumerate(state.held):
        before = memo.held[seat]
        if held != before:
            moved |= held ^ before
            memo.held[seat] = held
            _renew_estate(memo.estates[seat], board, before, held, memo.sellable)
    if memo.sellable != state.sellable:
        memo.sellable = state.sellable
        for seat, estate in enumerate(memo.estates):
            estate.resale = resale_value(state, board, seat)
            estate.pieces = NOT_MADE
    return moved


def _renew_estate(estate: Estate, board: Board, before: int, now: int, sellable: int) -> None:
    """Update an estate: insert or remove each property that changed hands, in order."""
    properties = estate.properties.copy()
    changed = before ^ now
    while changed:
        bit = changed & -changed
        changed ^= bit
        lot = bit.bit_length() - 1
        place = (now & bit - 1).bit_count()
        if now & bit:
            properties.insert(place, board.property_ids[lot])
            sign = 1
        else:
            del properties[place]
            sign = -1
        estate.total += sign * board.price[lot]
        if sellable & bit:
            estate.resale += sign * board.gain[lot]
    estate.properties = properties
    estate.pieces = NOT_MADE


def _renew_cities(memo: Memo, state: State, board: Board, moved: int, completed: int) -> None:
    changed = 0
    while moved:
        city = board.property_city[moved.bit_length() - 1]
        moved &= ~board.city_properties[city]
        changed |= 1 << city
    while completed:
        route = completed.bit_length() - 1
        completed ^= 1 << route
        changed |= board.route_cities[route]
    memo.cities = memo.cities.copy()
    for city in numbers_in(changed):
        memo.cities[city] = memo.kept(_city(state, board, city))


def _city(state: State, board: Board, city: int) -> City:
    properties = board.city_properties[city]
    payout = board.payout[city]
    counts = []
    pays = []
    for held in state.held:
        count = (held & properties).bit_count()
        counts.append(count)
        pays.append(payout[count])
    pile = _pile_in_view(board, city, state.pile & properties)
    left = (board.city_routes[city] & ~state.complete).bit_count()
    return City(board.city_ids[city], pile.is_open, pile.names, pile.for_sale, pile.price, counts, pays, left)


def _pile_in_view(board: Board, city: int, pile: int) -> PileInView:
    """Return a pile as shown in views. There are few variants, so each is cached."""
    look = board.pile_looks[city].get(pile)
    if look is None:
        names = [board.property_ids[lot] for lot in numbers_in(pile)]
        top = top_of(board, pile, city)
        is_open = not pile & board.free
        look = PileInView(is_open, names, None, None)
        if top != board.nothing:
            look = PileInView(is_open, names, board.property_ids[top], board.price[top])
        board.pile_looks[city][pile] = look
    return look


# Events


def redact(original: Event, seer: int, options: Options) -> Event:
    """Return the event as `seer` may see it. An event that is not public must be handled here."""
    kind = type(original)
    if kind in PUBLIC_EVENTS:  # ten times as fast as `isinstance`, which asks the metaclass of each
        return original
    if kind is Drew:  # occurs with every move
        seat = original.seat  # type: ignore[union-attr]
        return original if seer in (seat, ALL_SEATS) else DREW.get(seat) or Drew(seat=seat, piece=None)
    event: Dealt | Passed | WentBankrupt = original  # type: ignore[assignment]  # `cast` is a call
    if isinstance(event, Dealt):
        hands = [hand if seer in (seat, ALL_SEATS) else None for seat, hand in enumerate(event.hands)]
        return Dealt(event.first, hands, None, event.draws)
    if seer in (event.seat, ALL_SEATS):
        return event
    if isinstance(event, Passed):  # a forced pass reveals that the seat has little cash
        return event if options.cash == "open" else Passed(event.seat)
    if isinstance(event, WentBankrupt):
        cash = event.cash if options.cash == "open" else None
        return WentBankrupt(event.seat, cash, None, event.returned, event.removed)
    assert_never(event)
