"""The money of each seat in a game, read off its events: where it came from, and what shares cost and returned.

A share is a share of a company, or whatever a game sells instead. A profile of a seat has: `paid` for shares;
`returned` by dividends, payments and sales; `built`, the cost of the track laid on its turns, whoever paid; `income`,
what its building earned; `shares` and `companies` in hand at the end; `held`, the shares by company.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

Profile = dict[str, Any]


class Transfer(NamedTuple):
    """What events of a type give to seats or, if `sign` is -1, take from them."""

    kind: str
    """In a word: it heads a column."""
    sign: int
    amount: str
    """The field of the event that has the amount of its seat, or one for each seat."""
    payer: str = ""
    """The field that says who paid, where that is worth telling."""
    part: Literal["paid", "returned", "built"] | None = None
    """What it is in a profile."""


Transfers = Mapping[type[Any], Transfer]


class Flow(NamedTuple):
    """Money that came to a seat or, below 0, went from it."""

    seat: int
    kind: str
    amount: int
    payer: str


class EconomyWords(NamedTuple):
    """What a game calls the parts of a profile."""

    shares: str
    company: str
    companies: str
    income: str
    built: str = "track built"


USUAL_WORDS = EconomyWords("shares", "company", "companies", "income added by building")


class EconomyTally:
    """Sums by seat: of money by the transfers of a game; what was built and gained, and who holds what, it adds."""

    def __init__(
        self, players: int, events: Sequence[Any], transfers: Transfers, companies: Iterable[str] = ()
    ) -> None:
        self.players = players
        self.gained = [0] * players
        self.held: dict[str, list[int]] = {company: [0] * players for company in companies}
        self.built = [0] * players
        self.sums = {"paid": [[0] * players], "returned": [[0] * players], "built": [self.built]}
        """By part, all of them added up at the end."""
        parts = {kind: (one.amount, self.sums[one.part]) for kind, one in transfers.items() if one.part}
        for event in events:
            if type(event) in parts:
                amount, sums = parts[type(event)]
                found = getattr(event, amount)
                if type(found) is list:
                    sums.append(found)
                else:
                    sums[0][event.seat] += found

    def profiles(self) -> list[Profile]:
        companies = list(self.held)
        money = {part: list(map(sum, zip(*sums, strict=True))) for part, sums in self.sums.items()}
        shares = list(zip(*self.held.values(), strict=True)) or [()] * self.players
        return [
            {
                **{part: by_seat[seat] for part, by_seat in money.items()},
                "income": self.gained[seat],
                "shares": sum(own),
                "companies": len(own) - own.count(0),
                "held": dict(zip(companies, own, strict=True)),
            }
            for seat, own in enumerate(shares)
        ]
