"""Parts of observations that all games with companies have: bids, cash, treasuries, shares and dividends."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from rails_cli.games.numbers import (
    Block,
    Column,
    Item,
    Layout,
    Map,
    RowParts,
    Shares,
    divided_by,
    is_in_mask,
    one_byte,
    two_bytes,
)

MONEY: Final = 20
INCOME: Final = 10


class StockBytes(NamedTuple):
    """Indices of bytes in a row of bytes, which describes a position.

    `held[seat][company]` is the index of one byte. Each other field is the index of the first of several bytes, such as
    one for each company.
    """

    still_in: int
    income: int
    dividends: int
    earnings: int
    cash: int
    treasuries: int
    held: list[list[int]]

    def seat_items(self, shares: Sequence[int]) -> list[Item]:
        """Return the attributes of each seat in an observation.

        They are: whether it is bidding, its cash, its dividends, and its fraction of each company's shares. `shares`
        has the total number of shares of each company.
        """

        def parts(seat: int) -> list[Column]:
            return [Column(byte, divided_by(number)) for byte, number in zip(self.held[seat], shares, strict=True)]

        meaning = f"dividends of the seat if they were paid now, in units of ${MONEY}"
        return [
            is_in_mask("is_bidding", "1 if the seat has not passed in the auction", self.still_in),
            two_bytes("cash", f"cash, in units of ${MONEY}", self.cash, MONEY),
            one_byte("earnings", meaning, self.earnings, MONEY),
            Item("shares", "shares of each company, in parts of all shares of the company", parts),
        ]

    def company_items(self) -> list[Item]:
        """Return the attributes of each company in an observation: treasury, income and dividend per share."""
        return [
            two_bytes("treasury", f"treasury, in units of ${MONEY}", self.treasuries, MONEY),
            one_byte("income", f"income, in units of ${INCOME}", self.income, INCOME),
            one_byte("dividend", f"income per share, rounded up, in units of ${INCOME}", self.dividends, INCOME),
        ]

    def layout(
        self,
        row: RowParts,
        company_ids: list[str],
        table: list[Item],
        by_seat: list[Item],
        by_company: list[Item],
        maps: list[Map],
    ) -> Layout:
        """Return the layout of rows of bytes.

        It has three blocks and `maps`. The block `table` has the items of the game as a whole, `by_seat` those of each
        seat, and `by_company` those of each company.
        """
        seats, companies = range(len(self.held)), range(len(company_ids))
        blocks = [
            Block("table", [""], table),
            Block("seat", [""] * len(seats), by_seat, is_by_seat=True),
            Block("company", company_ids, by_company),
        ]
        return Layout(row.length, blocks, maps, Shares([self.income + company for company in companies], self.held))
