"""A position of Branch Lines and its open question."""

from typing import final

import msgspec

from branch_lines.protocol import EndReason, Options
from rails_cli.games.plain import PlainState


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
    """The question which line a seat extends. The seat may also pass."""

    seat: int


Question = BidOrPass | BuildOrStop
NOBODY = -1


class State(PlainState):
    """A position. Lines are identified by their number."""

    pending: Question | None
    money: list[int]
    """Dollars in each account: cash by seat, then the treasuries of the lines, the bank last."""
    charters: list[int]
    """By seat, the number of the line on the charter of the seat."""
    pile: list[int]
    """For each share in the pile, the number of its line. The last share in the list is auctioned next."""
    held: list[list[int]]
    """Number of shares that each seat holds. The first index is the line, the second the seat."""
    built: list[int]
    """Number of stations built, by line."""
    opener: int
    """The seat that opens the running or the last auction."""
    options: Options
    ended: list[EndReason]
