"""The questions that a game of Chicago Express can ask.

Fields are in alphabetical order after the tag, so that the keys of an encoded question are sorted.
"""

from typing import Final, final

import msgspec

NOBODY: Final = -1
"""Value used instead of a seat number if there is no such seat."""
ANY_COMPANY: Final = -1
"""Value used instead of a company number in an expansion before a company is chosen."""


@final
class BidOrPass(msgspec.Struct, frozen=True, gc=False, tag="bid_or_pass", tag_field="asks"):
    """Bid at least `minimum` for a share of `company`, or pass. If `leader` has bid, its bid is `minimum` - 1."""

    company: int
    first: int
    is_opening: bool
    leader: int
    minimum: int
    seat: int
    still_in: int


@final
class PickDial(msgspec.Struct, frozen=True, gc=False, tag="pick_dial", tag_field="asks"):
    """Choose one of the three actions for this turn."""

    seat: int


@final
class OfferShare(msgspec.Struct, frozen=True, gc=False, tag="offer_share", tag_field="asks"):
    """Choose a company whose share is auctioned, or pass."""

    seat: int


@final
class Expand(msgspec.Struct, frozen=True, gc=False, tag="expand", tag_field="asks"):
    """Place a locomotive of `company` (ANY_COMPANY before the first one), or pass. `left` is how many may be placed."""

    company: int
    has_reached_chicago: bool
    left: int
    seat: int


@final
class DevelopHex(msgspec.Struct, frozen=True, gc=False, tag="develop_hex", tag_field="asks"):
    """Choose a hex to develop, or pass."""

    seat: int


Question = BidOrPass | PickDial | OfferShare | Expand | DevelopHex
