"""The economy of each seat in a game, read off its events: what shares cost, what they returned, what was built.

A share is a share of a company, or a property of a city. A profile of a seat has: `paid` for shares; `returned` by
dividends, payments and sales; `built`, the cost of the track laid on its turns, whoever paid; `income`, what its
building added to the income of companies, or made a completed route pay; `shares` and `companies` in hand at the end;
`held`, the shares by company.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from protocol import american_rails, chicago_express, last_spike

Profile = dict[str, Any]


def economy(game: str, players: int, incomes: Mapping[str, int], events: Sequence[Any]) -> list[Profile]:
    """The profile of each seat; `incomes` are those of the companies before the first event."""
    books = _Books(players, incomes)
    _READERS[game](books, events)
    return books.profiles()


class _Books:
    """Sums by seat."""

    __slots__ = ("built", "held", "income", "incomes", "paid", "returned")

    def __init__(self, players: int, incomes: Mapping[str, int]) -> None:
        self.paid = [0] * players
        self.returned = [0] * players
        self.built = [0] * players
        self.income = [0] * players
        self.incomes = dict(incomes)
        self.held: dict[str, list[int]] = {company: [0] * players for company in incomes}

    def receive(self, amounts: Sequence[int]) -> None:
        returned = self.returned
        for seat, amount in enumerate(amounts):
            returned[seat] += amount

    def hold(self, seat: int, company: str, shares: int) -> None:
        held = self.held.get(company)
        if held is None:
            held = self.held[company] = [0] * len(self.paid)
        held[seat] += shares

    def raise_income(self, seat: int, company: str, income: int) -> None:
        """A company's income is this now, and what it gained is due to a seat."""
        gained = income - self.incomes.get(company, 0)
        if gained > 0:
            self.income[seat] += gained
        self.incomes[company] = income

    def profiles(self) -> list[Profile]:
        profiles = []
        for seat, paid in enumerate(self.paid):
            held = {company: shares[seat] for company, shares in self.held.items()}
            profiles.append(
                {
                    "paid": paid,
                    "returned": self.returned[seat],
                    "built": self.built[seat],
                    "income": self.income[seat],
                    "shares": sum(held.values()),
                    "companies": sum(map(bool, held.values())),
                    "held": held,
                }
            )
        return profiles


def _read_chicago_express(books: _Books, events: Sequence[Any]) -> None:
    for event in events:
        kind = type(event)
        if kind is chicago_express.Built:
            books.built[event.seat] += event.cost
            books.raise_income(event.seat, event.company, event.income)
        elif kind is chicago_express.ShareSold:
            books.paid[event.seat] += event.price
            books.hold(event.seat, event.company, 1)
        elif kind is chicago_express.DividendPaid:
            books.receive(event.payouts)
        elif kind is chicago_express.Developed:
            for company, income in event.incomes.items():
                books.raise_income(event.seat, company, income)
        elif kind is chicago_express.DetroitMoved:
            books.incomes.update(event.incomes)
        elif kind is chicago_express.WabashOpened:
            books.incomes[event.company] = event.income


def _read_american_rails(books: _Books, events: Sequence[Any]) -> None:
    builder = 0
    for event in events:
        kind = type(event)
        if kind is american_rails.Built:
            builder = event.seat
            books.built[builder] += event.cost
            books.raise_income(builder, event.company, event.income)
        elif kind is american_rails.IncomeChanged or kind is american_rails.LinkMade:
            books.raise_income(builder, event.company, event.income)
        elif kind is american_rails.ShareSold:
            books.paid[event.seat] += event.price
            books.hold(event.seat, event.company, 1)
        elif kind is american_rails.DividendPaid:
            books.receive(event.payouts)
        elif kind is american_rails.Founded:
            builder = event.seat
            books.raise_income(builder, event.company, event.income)
        elif kind is american_rails.Developed:
            builder = event.seat
        elif kind is american_rails.ShareRemoved and event.seat is not None:
            books.hold(event.seat, event.company, -1)


def _read_last_spike(books: _Books, events: Sequence[Any]) -> None:
    builder = 0
    for event in events:
        kind = type(event)
        if kind is last_spike.PiecePlayed:
            books.built[event.seat] += event.cost
        elif kind is last_spike.RoutePaid:
            books.receive(event.amounts)
            books.income[builder] += sum(event.amounts)
        elif kind is last_spike.RouteCompleted:
            builder = event.seat
        elif kind is last_spike.PropertyBought:
            books.paid[event.seat] += event.cost
            books.hold(event.seat, event.city, 1)
        elif kind is last_spike.PropertyTaken:
            books.hold(event.seat, event.city, 1)
        elif kind is last_spike.PropertySold:
            books.returned[event.seat] += event.gain
            books.hold(event.seat, event.city, -1)
        elif kind is last_spike.WentBankrupt:
            for shares in books.held.values():
                shares[event.seat] = 0


_READERS: dict[str, Callable[[_Books, Sequence[Any]], None]] = {
    "chicago_express": _read_chicago_express,
    "american_rails": _read_american_rails,
    "last_spike": _read_last_spike,
}
