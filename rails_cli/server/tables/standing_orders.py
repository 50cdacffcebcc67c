"""Standing orders: a player orders the server to bid or pass in the player's place, until a condition ends the order.

The logs contain ordinary actions. Other players do not see the orders.
"""

from collections.abc import Mapping
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import msgspec

from rails_cli.games import load_face
from rails_cli.games.faces.auctions import Auction
from rails_cli.games.faces.bid_limits import bid_range, limit_words, next_bid, outcome_words
from rails_cli.games.faces.phrases import dollars
from rails_cli.games.shared.text import printable
from rails_cli.match.match import Match
from rails_cli.protocol.common import Pass
from rails_cli.protocol.lines import frame
from rails_cli.protocol.lobby import BidUpTo, Order, OrderNotice, PassUntil, StandingOrder
from rails_cli.protocol.messages import Answer
from rails_cli.server.refused import Refused, check_number
from rails_cli.server.store.records import SeatOrder
from rails_cli.server.tables.seat import Connection, ServerSeat

if TYPE_CHECKING:
    from rails_cli.server.tables.registry import TableRegistry
    from rails_cli.server.tables.table import GameTable

UNTIL_WORDS = {
    "auction_ends": "Passing for you until this auction ends.",
    "choices_change": "Passing for you until your choices change.",
}


def order_words(order: Order) -> str:
    """Return a sentence that describes the effect of `order`."""
    if isinstance(order, PassUntil):
        return UNTIL_WORDS[order.until]
    return f"Bidding for you up to {dollars(order.limit)}{', then passing' if order.then == 'pass' else ''}."


class TableOrders:
    """The standing orders at one table, by which the server bids or passes for players."""

    def __init__(self) -> None:
        self.by_seat: dict[int, SeatOrder] = {}
        self.unsent: dict[int, str] = {}
        """For each seat whose order has ended, the reason as a sentence. It will be sent when the player returns."""

    def review(self, match: Match) -> tuple[Any | None, dict[int, str]]:
        """Return the action to play for the seat to move, and the orders that end now.

        The action is None if the seat to move has no order, or if its player must decide. The second value maps each
        seat whose order ends to a sentence with the reason.
        """
        action, ended = None, {}
        auctions = _auctions(match)
        for seat, own in self.by_seat.items():
            chosen, words = _review(match, auctions, seat, own)
            if chosen is not None:
                action = chosen
            if words is not None:
                ended[seat] = words
        return action, ended


def _review(match: Match, auctions: list[Auction], seat: int, own: SeatOrder) -> tuple[Any | None, str | None]:
    """Apply the order `own` of `seat`. Return the action to play now, and the reason for the end of the order.

    The action is None if the order plays nothing now. The reason is None if the order does not end. `auctions` are all
    auctions of the match so far.
    """
    order, legal = own.order, match.legal if match.seat == seat else []
    passes = next((entry for entry in legal if type(entry) is Pass), None)
    if isinstance(order, PassUntil) and order.until == "choices_change":
        if passes is None:
            return None, None
        return (passes, None) if _hash(legal) == own.choices else (None, "Your choices have changed.")
    names = [printable(player.name) for player in match.header.players]
    if own.auction > len(auctions):  # a crash lost the last lines of the log
        return None, "The auction has not begun yet, so your order has ended."
    auction = auctions[own.auction - 1]
    if isinstance(order, PassUntil):
        if auction.end is not None:
            return None, f"The auction has ended. {outcome_words(auction, seat, names)}."
        return passes, None
    bids = bid_range(legal)
    if auction.end is not None:
        return None, limit_words(auction, seat, names, order.limit, 0)
    if bids is None:
        return None, None
    bid = next_bid(legal, order.limit)
    if bid is not None:
        return bid, None
    words = limit_words(auction, seat, names, order.limit, bids.min)
    return (passes, f"{words} You passed.") if order.then == "pass" and passes is not None else (None, words)


def _auctions(match: Match) -> list[Auction]:
    return load_face(match.game.name).auctions([(0, match.history)])


def _hash(legal: list[Any]) -> str:
    return sha256(msgspec.json.encode(legal)).hexdigest()[:16]


def follow_orders(table: "GameTable") -> Any | None:
    """Return the action that an order plays now for the seat to move, or None. Orders that end now are removed.

    An order also ends if a substitute plays for its seat. A seat without time left gets no action.
    """
    match = table.match
    assert match is not None
    replaced = [index for index in table.orders.by_seat if table.seats[index].player is not None]
    end_orders(table, dict.fromkeys(replaced, "A substitute plays for you, so your order has ended."))
    action, ended = table.orders.review(match)
    end_orders(table, ended)
    return action if match.seat is not None and table.seats[match.seat].has_time else None


def end_orders(table: "GameTable", words: dict[int, str]) -> None:
    """Remove the orders of the seats in `words`, which maps each seat to a sentence with the reason.

    Send the sentences to the players. A player who is not connected receives the sentence after returning.
    """
    for index, why in words.items():
        del table.orders.by_seat[index]
        table.orders.unsent[index] = why
        _send_order(table, table.seats[index])
    if words:
        table.host.save(table)


def _send_order(table: "GameTable", seat: ServerSeat, ref: str | None = None) -> None:
    """Send the standing order of `seat`, or the reason for its end, to the player, if the player is connected.

    `ref` is the id of the player's request that the message answers, if any.
    """
    if seat.channel is not None:
        given, why = table.orders.by_seat.get(seat.index), table.orders.unsent.pop(seat.index, "")
        order = None if given is None else given.order
        words = why if order is None else order_words(order)
        seat.channel.post(frame(OrderNotice(table.id, order, words, ref)))


class StandingOrders:
    """Handler of the messages with which players give and cancel standing orders."""

    def __init__(self, registry: "TableRegistry", seated: Mapping[Connection, "tuple[GameTable, ServerSeat]"]) -> None:
        """`seated` maps each connection to its table and seat."""
        self.registry = registry
        self.seated = seated

    def receive(self, connection: Connection, address: str, request: StandingOrder) -> None:
        """Set or cancel the order of a seat. If the seat is to move, carry out the order at once.

        Raise Refused if the order is not possible now.
        """
        table, seat = self.seated.get(connection, (None, None))
        if table is None or seat is None or table.state != "playing" or seat.player is not None:
            raise Refused("bad_request", "you can give orders only for your own seat, while its game is being played")
        session, orders = table.session, table.orders
        assert session is not None
        if request.number is not None:
            check_number(request.number, session.number)
        is_asked = session.pending is not None and session.pending.seat is seat
        if request.order is None:
            orders.by_seat.pop(seat.index, None)
        else:
            orders.by_seat[seat.index] = _checked(session.match, seat.index, request.order, is_asked=is_asked)
        orders.unsent.pop(seat.index, None)
        self.registry.save(table)
        _send_order(table, seat, request.ref)
        if request.order is None or session.pending is None or not is_asked:
            return
        action, ended = orders.review(session.match)
        try:
            end_orders(table, ended)
            if action is not None:
                answer = Answer(session.pending.number, action=action)
                table.advance(session.receive(seat, answer, self.registry.now()))
        except Exception as error:
            self.registry.end_after_error(table, error)

    def table_joined(self, connection: Connection, table: "GameTable") -> None:
        """Schedule a message to a player who joined a table: the player's standing order, or the reason for its end."""
        seat = next((one for one in table.seats if one.channel is connection), None)
        if seat is not None and (seat.index in table.orders.by_seat or seat.index in table.orders.unsent):
            table.host.later(table, _send_order, table, seat)


def _checked(match: Match, seat: int, order: Order, *, is_asked: bool) -> SeatOrder:
    """Return `order` with the data for detecting its end. `is_asked` says whether the player is to move now.

    Raise Refused if the order is not possible now.
    """
    if isinstance(order, PassUntil) and order.until == "choices_change":
        if not is_asked or not any(type(entry) is Pass for entry in match.legal):
            raise Refused("not_your_turn", "you can order passes until your choices change only when you may pass")
        return SeatOrder(order, choices=_hash(match.legal))
    auctions = _auctions(match)
    if not auctions or auctions[-1].end is not None:
        raise Refused("bad_request", "no auction is running")
    auction = auctions[-1]
    if any(bidder == seat and amount is None for bidder, amount, _ in auction.bids):
        raise Refused("too_late", "you have already passed in this auction")
    bids = bid_range(match.legal) if is_asked else None
    if isinstance(order, BidUpTo):
        made = [amount for _, amount, _ in auction.bids if amount is not None]
        least = bids.min if bids is not None else max(made, default=auction.minimum)
        if order.limit < least:
            raise Refused("bad_request", f"a limit of ${order.limit} is too low; expected at least ${least}")
        if bids is not None and order.limit > bids.max:
            raise Refused("bad_request", f"a limit of ${order.limit} is too high; you have ${bids.max}")
    return SeatOrder(order, len(auctions))
