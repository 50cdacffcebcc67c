"""The economy of each seat in The Last Spike: properties of cities, and what routes paid."""

from collections.abc import Sequence
from typing import Any

from protocol.last_spike import (
    PiecePlayed,
    PropertyBought,
    PropertySold,
    PropertyTaken,
    RouteCompleted,
    RoutePaid,
    WentBankrupt,
)
from rails_cli.games.economy import Books, EconomyWords, Profile
from rails_cli.games.last_spike.board import Board

WORDS = EconomyWords("properties", "city", "cities", "paid out by routes it completed")
TOLD = {PiecePlayed, PropertyBought, PropertySold, PropertyTaken, RouteCompleted, RoutePaid, WentBankrupt}


def economy(board: Board, players: int, events: Sequence[Any]) -> list[Profile]:
    """The most frequent events come first."""
    books = Books(players)
    built, paid, held = books.built, books.paid, books.held
    builder = 0
    for event in events:
        kind = type(event)
        if kind not in TOLD:
            continue
        if kind is PiecePlayed:
            built[event.seat] += event.cost
        elif kind is PropertyBought:
            seat = event.seat
            paid[seat] += event.cost
            held[event.city][seat] += 1
        elif kind is RoutePaid:
            books.payouts.append(event.amounts)
            books.gained[builder] += sum(event.amounts)
        elif kind is PropertyTaken:
            held.setdefault(event.city, [0] * players)[event.seat] += 1
        elif kind is RouteCompleted:
            builder = event.seat
        elif kind is PropertySold:
            books.sales[event.seat] += event.gain
            held[event.city][event.seat] -= 1
        elif kind is WentBankrupt:
            for owned in held.values():
                owned[event.seat] = 0
    return books.profiles()
