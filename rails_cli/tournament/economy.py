"""The economy of each seat in a game, read off its events: what shares cost, what they returned, what was built.

A share is a share of a company, or a property of a city. A profile of a seat has: `paid` for shares; `returned` by
dividends, payments and sales; `built`, the cost of the track laid on its turns, whoever paid; `income`, what its
building added to the income of companies, or made a completed route pay; `shares` and `companies` in hand at the end;
`held`, the shares by company.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from protocol import american_rails, chicago_express, last_spike

Profile = dict[str, Any]


def economy(game: str, players: int, incomes: Mapping[str, int], events: Sequence[Any]) -> list[Profile]:
    """The profile of each seat; `incomes` are those of the companies before the first event."""
    books = _Books(players, incomes)
    getattr(books, f"read_{game}")(events)
    return books.profiles()


class _Books:
    """Sums by seat. Each game is one loop with the most frequent events first, as it is run after every game."""

    __slots__ = ("built", "gained", "held", "incomes", "paid", "payouts", "players", "sales")

    def __init__(self, players: int, incomes: Mapping[str, int]) -> None:
        self.players = players
        self.paid = [0] * players
        self.sales = [0] * players
        self.payouts: list[Sequence[int]] = [self.sales]
        """By seat, all of them added up at the end."""
        self.built = [0] * players
        self.gained = [0] * players
        self.incomes = dict(incomes)
        self.held: dict[str, list[int]] = {company: [0] * players for company in incomes}

    def read_chicago_express(self, events: Sequence[Any]) -> None:
        Built, ShareSold, DividendPaid = chicago_express.Built, chicago_express.ShareSold, chicago_express.DividendPaid
        Developed, DetroitMoved = chicago_express.Developed, chicago_express.DetroitMoved
        built, gained, incomes = self.built, self.gained, self.incomes
        for event in events:
            kind = type(event)
            if kind not in _OF_CHICAGO_EXPRESS:
                continue
            if kind is Built:
                seat, income, company = event.seat, event.income, event.company
                built[seat] += event.cost
                gained[seat] += income - incomes[company]
                incomes[company] = income
            elif kind is DividendPaid:
                self.payouts.append(event.payouts)
            elif kind is Developed:
                for company, income in event.incomes.items():
                    gained[event.seat] += income - incomes[company]
                    incomes[company] = income
            elif kind is ShareSold:
                self.paid[event.seat] += event.price
                self.held[event.company][event.seat] += 1
            elif kind is DetroitMoved:
                incomes.update(event.incomes)
            elif kind is chicago_express.WabashOpened:
                incomes[event.company] = event.income

    def read_american_rails(self, events: Sequence[Any]) -> None:
        Built, DividendPaid, ShareSold = american_rails.Built, american_rails.DividendPaid, american_rails.ShareSold
        IncomeChanged, LinkMade = american_rails.IncomeChanged, american_rails.LinkMade
        Developed, Founded = american_rails.Developed, american_rails.Founded
        built, gained, incomes = self.built, self.gained, self.incomes
        builder = 0
        for event in events:
            kind = type(event)
            if kind not in _OF_AMERICAN_RAILS:
                continue
            if kind is Built or kind is Founded:
                builder, income, company = event.seat, event.income, event.company
                gained[builder] += income - incomes.get(company, 0)
                incomes[company] = income
                if kind is Built:
                    built[builder] += event.cost
            elif kind is DividendPaid:
                self.payouts.append(event.payouts)
            elif kind is IncomeChanged or kind is LinkMade:
                income, company = event.income, event.company
                gained[builder] += max(0, income - incomes[company])  # what others lose is not held against it
                incomes[company] = income
            elif kind is Developed:
                builder = event.seat
            elif kind is ShareSold:
                self.paid[event.seat] += event.price
                self.held.setdefault(event.company, [0] * self.players)[event.seat] += 1
            elif kind is american_rails.ShareRemoved and event.seat is not None:
                self.held[event.company][event.seat] -= 1

    def read_last_spike(self, events: Sequence[Any]) -> None:
        PiecePlayed, PropertyBought, RoutePaid = last_spike.PiecePlayed, last_spike.PropertyBought, last_spike.RoutePaid
        PropertyTaken, RouteCompleted, PropertySold = (
            last_spike.PropertyTaken,
            last_spike.RouteCompleted,
            last_spike.PropertySold,
        )
        built, paid, held = self.built, self.paid, self.held
        builder = 0
        for event in events:
            kind = type(event)
            if kind not in _OF_LAST_SPIKE:
                continue
            if kind is PiecePlayed:
                built[event.seat] += event.cost
            elif kind is PropertyBought:
                seat = event.seat
                paid[seat] += event.cost
                held[event.city][seat] += 1
            elif kind is RoutePaid:
                self.payouts.append(event.amounts)
                self.gained[builder] += sum(event.amounts)
            elif kind is PropertyTaken:
                held.setdefault(event.city, [0] * self.players)[event.seat] += 1
            elif kind is RouteCompleted:
                builder = event.seat
            elif kind is PropertySold:
                self.sales[event.seat] += event.gain
                held[event.city][event.seat] -= 1
            elif kind is last_spike.WentBankrupt:
                for shares in held.values():
                    shares[event.seat] = 0

    def profiles(self) -> list[Profile]:
        companies = list(self.held)
        returned = list(map(sum, zip(*self.payouts, strict=True)))
        shares = list(zip(*self.held.values(), strict=True)) or [()] * self.players
        return [
            {
                "paid": self.paid[seat],
                "returned": returned[seat],
                "built": self.built[seat],
                "income": self.gained[seat],
                "shares": sum(own),
                "companies": len(own) - own.count(0),
                "held": dict(zip(companies, own, strict=True)),
            }
            for seat, own in enumerate(shares)
        ]


_OF_CHICAGO_EXPRESS = {
    chicago_express.Built,
    chicago_express.Developed,
    chicago_express.DetroitMoved,
    chicago_express.DividendPaid,
    chicago_express.ShareSold,
    chicago_express.WabashOpened,
}
_OF_AMERICAN_RAILS = {
    american_rails.Built,
    american_rails.Developed,
    american_rails.DividendPaid,
    american_rails.Founded,
    american_rails.IncomeChanged,
    american_rails.LinkMade,
    american_rails.ShareRemoved,
    american_rails.ShareSold,
}
_OF_LAST_SPIKE = {
    last_spike.PiecePlayed,
    last_spike.PropertyBought,
    last_spike.PropertySold,
    last_spike.PropertyTaken,
    last_spike.RouteCompleted,
    last_spike.RoutePaid,
    last_spike.WentBankrupt,
}
