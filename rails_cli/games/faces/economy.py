"""Economic figures of each seat, computed from the events of a game: where its money came from and where it went.

The profile of a seat has these keys. In games without companies, the properties that players buy count as shares.

- `paid`: dollars paid for shares.
- `returned`: dollars received from dividends, payments and sales.
- `built`: cost in dollars of the track built on the seat's turns, even if a company paid.
- `income`: yearly income in dollars that the seat's building added.
- `shares`: number of shares held at the end.
- `companies`: number of companies in which the seat holds shares.
- `held`: a dictionary from company ids to the number of shares held.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

Profile = dict[str, Any]


class Transfer(NamedTuple):
    """A rule for one type of events.

    It says how these events change the money of seats. `sign` is 1 if seats receive money, and -1 if they pay.
    """

    kind: str
    """A short label of the kind of transfer, used as a column heading."""
    sign: int
    amount: str
    """Name of the event field with the amount. The field is a number for the seat in the event, or a list by seat."""
    payer: str = ""
    """Name of the event field with the id of the payer. Empty if the event names no payer."""
    part: Literal["paid", "returned", "built"] | None = None
    """Key in the economic profile of the seat to which the amount is added.

    None if profiles do not include the amount.
    """


Transfers = Mapping[type[Any], Transfer]


class Flow(NamedTuple):
    """Dollars that a seat received in an event, negative if the seat paid.

    `kind` is the label of the transfer. `payer` is the id of the payer, or empty if the event names no payer.
    """

    seat: int
    kind: str
    amount: int
    payer: str


class EconomyWords(NamedTuple):
    """Words for the tables of economic figures in one game.

    `built` is the phrase for the track that players have built.
    """

    shares: str
    company: str
    companies: str
    income: str
    built: str = "track built"


USUAL_WORDS = EconomyWords("shares", "company", "companies", "income added by building")


class EconomyTally:
    """Sums of money, income and shares by seat, over the events of a game.

    Money is added up according to `transfers`. The caller adds income to `gained`, shares to `held`, and costs that are
    not in `transfers` to `built`. The method `profiles` returns the economic figures of each seat, made from these
    sums.
    """

    def __init__(
        self, players: int, events: Sequence[Any], transfers: Transfers, companies: Iterable[str] = ()
    ) -> None:
        self.players = players
        self.gained = [0] * players
        self.held: dict[str, list[int]] = {company: [0] * players for company in companies}
        self.built = [0] * players
        self.sums = {"paid": [[0] * players], "returned": [[0] * players], "built": [self.built]}
        """For each key of a profile, lists of dollars by seat. The profile of a seat has the total of its dollars."""
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
