"""Consistency checks of The Last Spike positions, and actions that must be refused in them."""

from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from typing import Any

from rails_cli.games.last_spike.board import Board
from rails_cli.games.last_spike.questions import BuyOrPass, PlayPiece, SellFor
from rails_cli.games.last_spike.state import State
from rails_cli.protocol.common import Bid, Pass
from rails_cli.protocol.last_spike import Action, Buy, Play, Sell


def audit(state: State, board: Board) -> None:
    """Assert that `state` is consistent: no money, piece or property lost or added, and all derived values correct."""
    _audit_money(state)
    _audit_pieces(state, board)
    _audit_properties(state, board)
    _audit_track(state, board)
    _audit_question(state, board)


def _audit_money(state: State) -> None:
    assert sum(state.money) == 0, "the sum of all accounts is not 0"
    assert all(cash >= 0 for cash in state.money[:-1]), "an account is below 0"


def _audit_pieces(state: State, board: Board) -> None:
    """Assert that every piece is in exactly one place.

    The places are the board, the hands, the mix (draw pile), and the piece set aside.
    """
    laid = [piece for piece in range(len(board.piece_ids)) if state.laid >> piece & 1]
    in_hands = [piece for hand in state.hands for piece in hand]
    aside = [state.aside] if state.aside >= 0 else []
    assert sorted(laid + in_hands + state.mix + aside) == list(range(len(board.piece_ids)))
    assert len(aside) == board.set_aside[len(state.hands)]
    for seat, hand in enumerate(state.hands):
        assert hand == sorted(hand)
        assert len(hand) <= board.hand_size
        assert state.solvent >> seat & 1 or not hand, "a bankrupt player has pieces"
    assert not state.logged_draws


def _audit_properties(state: State, board: Board) -> None:
    """Assert that every property is in a pile or has an owner, with one exception.

    The first property of each city is given to the player who first reaches the city. If this player went bankrupt, the
    property may have left the game. Also assert that bankrupt players own nothing.
    """
    bankrupt = [seat for seat in range(len(state.hands)) if not state.solvent >> seat & 1]
    for seat in bankrupt:
        assert state.held[seat] == 0
        assert state.money[seat] == 0
    for city, lots in enumerate(_lots_by_city(board)):
        for lot in lots:
            places = (state.pile >> lot & 1) + sum(held >> lot & 1 for held in state.held)
            may_be_gone = bankrupt and lot == lots[0]
            assert places == 1 or (may_be_gone and places == 0), f"{board.property_ids[lot]} is in {places} places"
        touched = any(state.laid >> piece & 1 for piece in _pieces_at_city(board)[city])
        assert touched == (not state.pile >> lots[0] & 1), (
            "the free property must be taken exactly if the city is touched"
        )
        if not touched:
            assert all(state.pile >> lot & 1 for lot in lots), "a property was bought before the free one was taken"
        for_sale = [lot for lot in lots if state.pile >> lot & 1] if touched else []
        cheapest = min(for_sale, key=lambda lot: board.price[lot], default=board.nothing)
        assert state.tops[city] == cheapest


@cache
def _lots_by_city(board: Board) -> list[list[int]]:
    return [
        [lot for lot in range(len(board.property_ids)) if board.property_city[lot] == city]
        for city in range(len(board.city_ids))
    ]


@cache
def _pieces_at_city(board: Board) -> list[list[int]]:
    """Return for each city the pieces that touch the city: those at the ends of its routes."""
    touching: list[list[int]] = [[] for _ in board.city_ids]
    for along, (start, end) in zip(board.route_pieces, board.route_ends, strict=True):
        touching[start].append(along[0])
        touching[end].append(along[-1])
    return touching


def _audit_track(state: State, board: Board) -> None:
    """Assert that the values cached in `state` equal values computed again from the pieces laid."""
    laid = {board.piece_ids[piece] for piece in range(len(board.piece_ids)) if state.laid >> piece & 1}
    touching = set()
    complete = []
    for route, along in enumerate(board.route_pieces):
        names = [board.piece_ids[piece] for piece in along]
        touching |= {names[0], names[-1]}
        for one, other in pairwise(names):
            touching |= {other} if one in laid else set()
            touching |= {one} if other in laid else set()
        if laid.issuperset(names):
            complete.append(route)
    assert touching == {board.piece_ids[piece] for piece in range(len(board.piece_ids)) if state.touching[piece]}
    assert complete == [route for route in range(len(board.route_ids)) if state.complete >> route & 1]
    reached = _reached(board, complete)
    assert reached == {city for city in range(len(board.city_ids)) if state.from_start >> city & 1}
    assert (board.end in reached) == (state.ended == "last_spike")
    has_routes_left = {city for route, ends in enumerate(board.route_ends) if route not in complete for city in ends}
    for lot, price in enumerate(board.price[:-1]):
        is_sellable = price > 0 and board.property_city[lot] in has_routes_left
        assert bool(state.sellable >> lot & 1) == is_sellable


def _reached(board: Board, complete: list[int]) -> set[int]:
    """Return the cities connected with the start city by complete routes."""
    reached = {board.start}
    frontier = [board.start]
    while frontier:
        city = frontier.pop()
        for route in complete:
            if city in board.route_ends[route]:
                for other in board.route_ends[route]:
                    if other not in reached:
                        reached.add(other)
                        frontier.append(other)
    return reached


def _audit_question(state: State, board: Board) -> None:
    question = state.pending
    assert (question is None) == (state.ended is not None)
    assert (state.solvent.bit_count() == 1) == (state.ended == "last_solvent")
    if question is None:
        return
    assert state.solvent >> question.seat & 1, "a bankrupt player is asked"
    cash = state.money[question.seat]
    if isinstance(question, PlayPiece):
        assert state.hands[question.seat]
    elif isinstance(question, BuyOrPass):
        assert any(board.price[top] <= cash for top in state.tops), (
            "the seat is asked to buy, but nothing can be bought"
        )
    else:
        assert question.piece in state.hands[question.seat]
        assert cash < question.cost
        assert cash + _resale(state, board, question.seat) >= question.cost


def _sellable(state: State, board: Board, seat: int) -> list[int]:
    return [lot for lot in range(len(board.property_ids)) if state.held[seat] >> lot & 1 and state.sellable >> lot & 1]


def _resale(state: State, board: Board, seat: int) -> int:
    """Return the dollars that the bank would pay `seat` for all properties that can be sold."""
    return sum(board.gain[lot] for lot in _sellable(state, board, seat))


def near_misses(state: State, board: Board) -> list[tuple[int, Action]]:
    """Return pairs of a seat and an action. Each action must be refused if this seat plays it in `state`."""
    question = state.pending
    if question is None:
        return [(seat, Pass()) for seat in range(len(state.hands))]
    seat = question.seat
    wrong: list[Any] = [Play("A0"), Play(""), Sell("STL9"), Buy("Omaha"), Bid(1)]
    if not isinstance(question, PlayPiece):
        wrong += [Play(board.piece_ids[piece]) for piece in state.hands[seat]]
    if not isinstance(question, SellFor):
        wrong += [Sell(lot) for lot in board.property_ids]
    if not isinstance(question, BuyOrPass):
        wrong += [Pass(), *(Buy(city) for city in board.city_ids)]
    if isinstance(question, PlayPiece):
        wrong += _wrong_plays(state, board, seat)
    elif isinstance(question, SellFor):
        wrong += _wrong_sales(state, board, seat)
    else:
        wrong += _wrong_purchases(state, board, seat)
    others = [other for other in range(-1, len(state.hands) + 1) if other != seat]
    likely: list[Any] = [Pass(), Buy(board.city_ids[0])]
    likely += [Play(board.piece_ids[piece]) for piece in state.hands[seat]]
    return [*((seat, action) for action in wrong), *((other, action) for other in others for action in likely)]


def _wrong_plays(state: State, board: Board, seat: int) -> list[Any]:
    """Return illegal plays of pieces for `seat`. These are:

    - pieces that are not in its hand, are too expensive, or have a wrong cost.
    - pieces that touch no laid piece, if the seat must play a piece that touches one.
    """
    hand = state.hands[seat]
    purse = state.money[seat] + _resale(state, board, seat)
    touching = [piece for piece in hand if state.touching[piece]]
    apart = [piece for piece in hand if piece not in touching]
    is_forced = all(board.cost[piece] > purse for piece in touching)
    wrong: list[Any] = [Play(id) for piece, id in enumerate(board.piece_ids) if piece not in hand]
    wrong += [Play(board.piece_ids[piece], board.cost[piece] * 2) for piece in touching]
    wrong += [Play(board.piece_ids[piece], board.cost[piece]) for piece in apart]
    wrong += [Play(board.piece_ids[piece]) for piece in touching if board.cost[piece] > purse]
    wrong += [
        Play(board.piece_ids[piece])
        for piece in apart
        if board.cost[piece] * 2 > purse or not (is_forced or state.options.non_adjacent == "free_choice")
    ]
    return wrong


def _wrong_sales(state: State, board: Board, seat: int) -> list[Any]:
    """Return illegal sales for `seat`: properties that it does not own or may not sell, and sales at a wrong price."""
    allowed = _sellable(state, board, seat)
    wrong: list[Any] = [Sell(id) for lot, id in enumerate(board.property_ids) if lot not in allowed]
    wrong += [Sell(board.property_ids[lot], board.price[lot]) for lot in allowed]
    return wrong


def _wrong_purchases(state: State, board: Board, seat: int) -> list[Any]:
    """Return illegal purchases for `seat`: in a city without track, sold out, too expensive, or at a wrong price."""
    cash = state.money[seat]
    wrong: list[Any] = []
    for city, id in enumerate(board.city_ids):
        top = state.tops[city]
        if top == board.nothing or board.price[top] > cash:
            wrong.append(Buy(id))
        else:
            wrong += [Buy(id, board.price[top] - 1000), Buy(board.property_ids[top])]
    return wrong


def audit_ranks(state: State, scores: Sequence[int], ranks: Sequence[int]) -> None:
    """Assert that all bankrupt players are ranked below the others.

    Equal scores may have different ranks, because the properties decide between them.
    """
    solvent = [seat for seat in range(len(scores)) if state.solvent >> seat & 1]
    for bankrupt in set(range(len(scores))).difference(solvent):
        assert all(ranks[seat] < ranks[bankrupt] for seat in solvent), f"{ranks}"
