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
from rails_cli.games.economy import EconomyTally, EconomyWords, Profile
from rails_cli.games.last_spike.board import Board

WORDS = EconomyWords("properties", "city", "cities", "paid out by routes it completed")
TOLD = {PiecePlayed, PropertyBought, PropertySold, PropertyTaken, RouteCompleted, RoutePaid, WentBankrupt}


def economy(board: Board, players: int, events: Sequence[Any]) -> list[Profile]:
    """The most frequent events come first."""
    tally = EconomyTally(players)
    built, paid, held = tally.built, tally.paid, tally.held
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
            tally.payouts.append(event.amounts)
            tally.gained[builder] += sum(event.amounts)
        elif kind is PropertyTaken:
            held.setdefault(event.city, [0] * players)[event.seat] += 1
        elif kind is RouteCompleted:
            builder = event.seat
        elif kind is PropertySold:
            tally.sales[event.seat] += event.gain
            held[event.city][event.seat] -= 1
        elif kind is WentBankrupt:
            for owned in held.values():
                owned[event.seat] = 0
    return tally.profiles()
