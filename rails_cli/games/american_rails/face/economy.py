"""The economy of each seat in American Rails."""

from collections.abc import Sequence
from typing import Any

from protocol.american_rails import (
    Built,
    Developed,
    DividendPaid,
    Founded,
    IncomeChanged,
    LinkMade,
    ShareRemoved,
    ShareSold,
)
from rails_cli.games.american_rails.board import Board
from rails_cli.games.economy import EconomyTally, Profile

TOLD = {Built, Developed, DividendPaid, Founded, IncomeChanged, LinkMade, ShareRemoved, ShareSold}


def economy(board: Board, players: int, events: Sequence[Any]) -> list[Profile]:
    """The most frequent events come first."""
    tally = EconomyTally(players, board.company_ids)
    built, gained = tally.built, tally.gained
    incomes = dict.fromkeys(board.company_ids, 0)
    builder = 0
    for event in events:
        kind = type(event)
        if kind not in TOLD:
            continue
        if kind is Built or kind is Founded:
            builder, income, company = event.seat, event.income, event.company
            gained[builder] += income - incomes[company]
            incomes[company] = income
            if kind is Built:
                built[builder] += event.cost
        elif kind is DividendPaid:
            tally.payouts.append(event.payouts)
        elif kind is IncomeChanged or kind is LinkMade:
            income, company = event.income, event.company
            gained[builder] += max(0, income - incomes[company])  # what others lose is not held against it
            incomes[company] = income
        elif kind is Developed:
            builder = event.seat
        elif kind is ShareSold:
            tally.paid[event.seat] += event.price
            tally.held[event.company][event.seat] += 1
        elif kind is ShareRemoved and event.seat is not None:
            tally.held[event.company][event.seat] -= 1
    return tally.profiles()
