"""Accounts and payments. Only `pay` changes an account, and every payment has a payer and a payee.

The accounts of a game are one list of ints: the cash of each seat, then the treasury of each company, then the bank.
The balance of the bank may be negative. It starts at minus the cash of all seats, so the sum of the list is always 0.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Final

BANK: Final = -1


def added(parts: Iterable[float]) -> float:
    """Return the sum of `parts`, added one after another as floats.

    The result is the same in all versions of Python. The result of the built-in `sum` changed in Python 3.12.
    """
    total = 0.0
    for part in parts:
        total += part
    return total


def open_accounts(cash: Sequence[int], treasuries: int) -> list[int]:
    """Return the initial accounts: the cash of each seat, `treasuries` empty treasuries, and the bank."""
    return [*cash, *([0] * treasuries), -sum(cash)]


def pay(money: list[int], payer: int, payee: int, amount: int) -> None:
    money[payer] -= amount
    money[payee] += amount


def per_share(income: int, shares: int) -> int:
    """Return the dividend of each share if `income` is divided among `shares` shares, rounded up.

    Return 0 for no shares.
    """
    return -(-income // shares) if shares else 0


def per_share_once_sold(income: int, shares: int) -> int:
    """Return the dividend of each share if one more share than `shares` were sold."""
    return per_share(income, shares + 1)


def ranks_of(standings: Sequence[Any]) -> list[int]:
    """Return the rank of each standing: 1 plus the number of higher standings. Equal standings share a rank."""
    return [1 + sum(other > own for other in standings) for own in standings]
