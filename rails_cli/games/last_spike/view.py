"""What a seat may see of The Last Spike (LS-32): views are built field by field from nothing."""

from protocol.common import Passed
from protocol.last_spike import City, Dealt, Drew, Event, Options, Player, Question, Route, View, WentBankrupt
from rails_cli.core.hexgrid import numbers_in
from rails_cli.games.game import ALL_SEATS
from rails_cli.games.last_spike.board import Board
from rails_cli.games.last_spike.rules import piece_names, resale_value
from rails_cli.games.last_spike.state import NO_PIECE, PlayPiece, SellFor, State, joined_to


def view(state: State, board: Board, seer: int) -> View:
    seats = range(len(state.hands))
    return View(
        seat=seer if seer in seats else None,
        question=_question(state, board, seer),
        players=[_player(state, board, seat, seer) for seat in seats],
        cities=[_city(state, board, city) for city in range(len(board.city_ids))],
        routes=[_route(state, board, route) for route in range(len(board.route_ids))],
        touching=piece_names(board, numbers_in(state.touching & ~state.laid)),
        last_spikes=_last_spikes(state, board),
        mix=len(state.mix),
        set_aside=0 if state.aside == NO_PIECE else 1,
        set_aside_piece=board.piece_ids[state.aside] if state.ended and state.aside != NO_PIECE else None,
        ended=[state.ended] if state.ended else [],
    )


def _sees_hand(state: State, seat: int, seer: int) -> bool:
    return seer in (seat, ALL_SEATS) or bool(state.ended)


def _sees_cash(state: State, seat: int, seer: int) -> bool:
    return not state.hidden or _sees_hand(state, seat, seer)


def _question(state: State, board: Board, seer: int) -> Question | None:
    asked = state.pending
    if asked is None:
        return None
    if isinstance(asked, SellFor):
        short = asked.cost - state.money[asked.seat] if _sees_cash(state, asked.seat, seer) else None
        return Question(asked.seat, "sell", board.piece_ids[asked.piece], asked.cost, short)
    return Question(asked.seat, "play" if isinstance(asked, PlayPiece) else "buy")


def _player(state: State, board: Board, seat: int, seer: int) -> Player:
    hand = state.hands[seat]
    lots = numbers_in(state.held[seat])
    return Player(
        seat=seat,
        cash=state.money[seat] if _sees_cash(state, seat, seer) else None,
        pieces=len(hand),
        hand=piece_names(board, hand) if _sees_hand(state, seat, seer) else None,
        properties=[board.property_ids[lot] for lot in lots],
        property_total=sum([board.price[lot] for lot in lots]),
        resale=resale_value(state, board, seat),
        bankrupt=not state.solvent >> seat & 1,
    )


def _city(state: State, board: Board, city: int) -> City:
    properties = board.city_properties[city]
    payout = board.payout[city]
    counts = []
    pays = []
    for held in state.held:
        count = (held & properties).bit_count()
        counts.append(count)
        pays.append(payout[count])
    pile = state.pile & properties
    top = state.tops[city]
    is_for_sale = top != board.nothing
    return City(
        id=board.city_ids[city],
        free_taken=not pile & board.free,
        pile=_pile_names(board, pile),
        for_sale=board.property_ids[top] if is_for_sale else None,
        price=board.price[top] if is_for_sale else None,
        properties=counts,
        pays=pays,
        routes_left=(board.city_routes[city] & ~state.complete).bit_count(),
    )


def _pile_names(board: Board, pile: int) -> list[str]:
    """Piles of a city are few, so their names are made once."""
    known = board.pile_names.get(pile)
    if known is None:
        known = board.pile_names[pile] = [board.property_ids[lot] for lot in numbers_in(pile)]
    return known


def _route(state: State, board: Board, route: int) -> Route:
    """A route looks few ways, so each is made once."""
    along = board.route_pieces[route]
    laid = state.laid & board.with_piece[along[0]]
    known = board.route_views[route].get(laid)
    if known is None:
        known = board.route_views[route][laid] = Route(
            id=board.route_ids[route],
            laid=[board.piece_ids[piece] for piece in along if laid >> piece & 1],
            missing=[board.piece_ids[piece] for piece in along if not laid >> piece & 1],
        )
    return known


def _last_spikes(state: State, board: Board) -> list[str]:
    """The last missing piece of a route between a city joined to the start and one joined to the end."""
    if state.ended:
        return []
    to_end = joined_to(board, 1 << board.end, state.complete)
    found = []
    for along, cities in zip(board.route_pieces, board.route_cities, strict=True):
        if cities & state.from_start and cities & to_end:
            missing = [piece for piece in along if not state.laid >> piece & 1]
            if len(missing) == 1:
                found.append(board.piece_ids[missing[0]])
    return found


def redact(event: Event, seer: int, options: Options) -> Event:
    """The event as `seer` may see it."""
    if isinstance(event, Dealt):
        hands = [hand if seer in (seat, ALL_SEATS) else None for seat, hand in enumerate(event.hands)]
        return Dealt(event.first, hands, None, event.draws)
    if isinstance(event, Drew):
        return Drew(seat=event.seat, piece=event.piece if seer in (event.seat, ALL_SEATS) else None)
    if isinstance(event, WentBankrupt):
        is_own = seer in (event.seat, ALL_SEATS)
        return WentBankrupt(
            event.seat,
            event.cash if is_own or options.cash == "open" else None,
            event.hand if is_own else None,
            event.returned,
            event.removed,
        )
    if isinstance(event, Passed) and options.cash == "hidden" and seer not in (event.seat, ALL_SEATS):
        return Passed(event.seat)  # whether it was forced tells how little cash there is
    return event
