"""A position of Branch Lines and its open question."""

from typing import final

import msgspec

from branch_lines.protocol import EndReason, Options


@final
class BidOrPass(msgspec.Struct, frozen=True, gc=False, tag_field="asks", tag="bid_or_pass"):
    """The question how much a seat bids for a share of a line."""

    bid: int
    """Highest bid so far, in dollars. 0 before the first bid."""
    leader: int
    """Seat that made the highest bid, or NOBODY."""
    line: int
    seat: int
    still_in: int
    """Seats that have not passed, as a bitmask: bit n is set for seat n."""


@final
class BuildOrStop(msgspec.Struct, frozen=True, gc=False, tag_field="asks", tag="build_or_stop"):
    """The question which line a seat extends, if any."""

    seat: int


Question = BidOrPass | BuildOrStop
NOBODY = -1


class State:
    """A position. Lines are identified by their number."""

    __slots__ = ("built", "charters", "ended", "held", "money", "opener", "options", "pending", "pile")

    pending: Question | None
    money: list[int]
    """Dollars in each account: cash by seat, then the treasuries of the lines, the bank last."""
    charters: list[int]
    """Number of the line that the charter of each seat names, by seat."""
    pile: list[int]
    """For each share not drawn yet, the number of its line. The last share in the list is drawn next."""
    held: list[list[int]]
    """Number of shares that each seat holds. The first index is the line, the second the seat."""
    built: list[int]
    """Number of stations built, by line."""
    opener: int
    """The seat that opens the running or the last auction."""
    options: Options
    ended: list[EndReason]

    def copy(self) -> "State":
        twin = State.__new__(State)
        twin.pending = self.pending
        twin.money = self.money.copy()
        twin.charters = self.charters
        twin.pile = self.pile.copy()
        twin.held = [shares.copy() for shares in self.held]
        twin.built = self.built.copy()
        twin.opener = self.opener
        twin.options = self.options
        twin.ended = self.ended
        return twin
