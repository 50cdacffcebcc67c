"""The economy of each seat in Chicago Express."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from protocol.chicago_express import Built, DetroitMoved, Developed, DividendPaid, Options, ShareSold, WabashOpened
from rails_cli.games.chicago_express.board import Board
from rails_cli.games.chicago_express.rules import setup
from rails_cli.games.economy import EconomyTally, Profile

TOLD = {Built, Developed, DetroitMoved, DividendPaid, ShareSold, WabashOpened}


def economy(board: Board, players: int, events: Sequence[Any]) -> list[Profile]:
    """The most frequent events come first."""
    tally = EconomyTally(players, board.company_ids)
    built, gained = tally.built, tally.gained
    incomes = _first_incomes(board, players).copy()
    for event in events:
        kind = type(event)
        if kind not in TOLD:
            continue
        if kind is Built:
            seat, income, company = event.seat, event.income, event.company
            built[seat] += event.cost
            gained[seat] += income - incomes[company]
            incomes[company] = income
        elif kind is DividendPaid:
            tally.payouts.append(event.payouts)
        elif kind is Developed:
            for company, income in event.incomes.items():
                gained[event.seat] += income - incomes[company]
                incomes[company] = income
        elif kind is ShareSold:
            tally.paid[event.seat] += event.price
            tally.held[event.company][event.seat] += 1
        elif kind is DetroitMoved:
            incomes.update(event.incomes)
        elif kind is WabashOpened:
            incomes[event.company] = event.income
    return tally.profiles()


@lru_cache(maxsize=16)
def _first_incomes(board: Board, players: int) -> dict[str, int]:
    return dict(zip(board.company_ids, setup(board, players, Options(), 0).income, strict=True))
