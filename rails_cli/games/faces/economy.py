"""Money by seat, computed from the events of a game: where it came from, and what shares cost and returned.

A share is a share of a company, or whatever a game sells instead. The profile of a seat has these keys:

- `paid`: paid for shares.
- `returned`: received from dividends, payments and sales.
- `built`: cost of the track laid on its turns, even if others paid.
- `income`: income that its building earned.
- `shares` and `companies`: numbers held at the end.
- `held`: shares by company.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

Profile = dict[str, Any]


class Transfer(NamedTuple):
    """How events of one type change the seats' money. `sign` is 1 for receipts and -1 for payments."""

    kind: str
    """A one-word label, used as a column heading."""
    sign: int
    amount: str
    """Name of the event field that holds the amount: one number for the event's seat, or a list by seat."""
    payer: str = ""
    """Name of the event field with the payer's id, or empty if the payer is not reported."""
    part: Literal["paid", "returned", "built"] | None = None
    """The profile key that the amount is added to, or None."""


Transfers = Mapping[type[Any], Transfer]


class Flow(NamedTuple):
    """Money received by a seat, or paid if `amount` is negative."""

    seat: int
    kind: str
    amount: int
    payer: str


class EconomyWords(NamedTuple):
    """The words a game uses for the parts of a profile."""

    shares: str
    company: str
    companies: str
    income: str
    built: str = "track built"


USUAL_WORDS = EconomyWords("shares", "company", "companies", "income added by building")


class EconomyTally:
    """Sums by seat over the events of a game.

    Money is added up from `transfers`. The caller adds to `gained`, `held` and `built`.
    """

    def __init__(
        self, players: int, events: Sequence[Any], transfers: Transfers, companies: Iterable[str] = ()
    ) -> None:
        self.players = players
        self.gained = [0] * players
        self.held: dict[str, list[int]] = {company: [0] * players for company in companies}
        self.built = [0] * players
        self.sums = {"paid": [[0] * players], "returned": [[0] * players], "built": [self.built]}
        """For each profile key, lists of amounts by seat that `profiles` adds up."""
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
