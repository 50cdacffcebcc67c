"""What a game of Chicago Express waits for.

Fields are in alphabetical order, the tag first: so the keys of a written question come out sorted.
"""

from typing import Final, final

import msgspec

NOBODY: Final = -1
"""In place of a seat."""
ANY_COMPANY: Final = -1
"""In an expansion: no company has been chosen yet."""


@final
class BidOrPass(msgspec.Struct, frozen=True, gc=False, tag="bid_or_pass", tag_field="asks"):
    """A bid of at least `minimum` for a share of `company`, or a pass; the standing bid, if any, is 1 below."""

    company: int
    first: int
    is_opening: bool
    leader: int
    minimum: int
    seat: int
    still_in: int


@final
class PickDial(msgspec.Struct, frozen=True, gc=False, tag="pick_dial", tag_field="asks"):
    """Which of the three actions the turn is for."""

    seat: int


@final
class OfferShare(msgspec.Struct, frozen=True, gc=False, tag="offer_share", tag_field="asks"):
    """Which company's share to auction, if any."""

    seat: int


@final
class Expand(msgspec.Struct, frozen=True, gc=False, tag="expand", tag_field="asks"):
    """Where `company` (at first: any company held) places the next of `left` locomotives."""

    company: int
    has_reached_chicago: bool
    left: int
    seat: int


@final
class DevelopHex(msgspec.Struct, frozen=True, gc=False, tag="develop_hex", tag_field="asks"):
    """Which hex to develop, if any."""

    seat: int


Question = BidOrPass | PickDial | OfferShare | Expand | DevelopHex
