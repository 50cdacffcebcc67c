"""The economy of each seat in a game, read off its events: what shares cost, what they returned, what was built.

A share is a share of a company, or whatever a game sells instead. A profile of a seat has: `paid` for shares;
`returned` by dividends, payments and sales; `built`, the cost of the track laid on its turns, whoever paid; `income`,
what its building earned; `shares` and `companies` in hand at the end; `held`, the shares by company.
"""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

Profile = dict[str, Any]


class EconomyWords(NamedTuple):
    """What a game calls the parts of a profile."""

    shares: str
    company: str
    companies: str
    income: str
    built: str = "track built"


USUAL_WORDS = EconomyWords("shares", "company", "companies", "income added by building")


class EconomyTally:
    """Sums by seat. A game fills them in one loop over its events, as that is run after every game."""

    __slots__ = ("built", "gained", "held", "paid", "payouts", "players", "sales")

    def __init__(self, players: int, companies: Iterable[str] = ()) -> None:
        self.players = players
        self.paid = [0] * players
        self.sales = [0] * players
        self.payouts: list[Sequence[int]] = [self.sales]
        """By seat, all of them added up at the end."""
        self.built = [0] * players
        self.gained = [0] * players
        self.held: dict[str, list[int]] = {company: [0] * players for company in companies}

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
