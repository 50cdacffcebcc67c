"""Accounts and payments. Only `pay` changes an account, and every payment has a payer and a payee.

The accounts of a game are one list of ints: the seats first, then the companies' treasuries, the bank last. The bank is
unlimited: it starts at -(the seats' cash) and may be negative, so the sum of the list is always 0.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Final

BANK: Final = -1


def added(parts: Iterable[float]) -> float:
    """Return the sum of `parts`, rounded after each addition.

    Since Python 3.12 `sum` rounds differently, and games must not depend on the version.
    """
    total = 0.0
    for part in parts:
        total += part
    return total


def open_accounts(cash: Sequence[int], treasuries: int) -> list[int]:
    """Return accounts with the given cash by seat, empty treasuries, and a bank that has paid out that cash."""
    return [*cash, *([0] * treasuries), -sum(cash)]


def pay(money: list[int], payer: int, payee: int, amount: int) -> None:
    money[payer] -= amount
    money[payee] += amount


def per_share(income: int, shares: int) -> int:
    """Return the dividend of one of `shares` shares, rounded up. Return 0 if there are no shares."""
    return -(-income // shares) if shares else 0


def per_share_once_sold(income: int, shares: int) -> int:
    """Return the dividend of one share if one more than `shares` shares were sold."""
    return per_share(income, shares + 1)


def ranks_of(standings: Sequence[Any]) -> list[int]:
    """Return the rank of each standing: 1 plus the number of higher standings. Ties share a rank."""
    return [1 + sum(other > own for other in standings) for own in standings]
