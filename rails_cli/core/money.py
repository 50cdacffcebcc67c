"""Money has one door: only `pay` changes an account, and every payment has a payer and a payee.

The accounts of a game are one list of ints: the seats first, then the companies' treasuries, the bank last. The bank is
unlimited: it starts at nothing and may go below, so the sum of the list never changes.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Final

BANK: Final = -1


def added(parts: Iterable[float]) -> float:
    """Their sum, rounded at each step: since Python 3.12 `sum` rounds otherwise, and games must not depend on that."""
    total = 0.0
    for part in parts:
        total += part
    return total


def open_accounts(cash: Sequence[int], treasuries: int) -> list[int]:
    """Accounts with the given cash by seat, empty treasuries, and a bank that has handed out that cash."""
    return [*cash, *([0] * treasuries), -sum(cash)]


def pay(money: list[int], payer: int, payee: int, amount: int) -> None:
    money[payer] -= amount
    money[payee] += amount


def per_share(income: int, shares: int) -> int:
    """What one of `shares` shares gets of an income, rounded up; nothing if there are none."""
    return -(-income // shares) if shares else 0


def per_share_once_sold(income: int, shares: int) -> int:
    """The same when one more than `shares` shares are in hands."""
    return per_share(income, shares + 1)


def ranks_of(standings: Sequence[Any]) -> list[int]:
    """The rank of each: 1 and the number of those that stand higher; ties share a rank."""
    return [1 + sum(other > own for other in standings) for own in standings]
