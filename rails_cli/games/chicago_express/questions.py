"""The questions that a game of Chicago Express can ask.

Fields are in alphabetical order after the tag, so that the keys of an encoded question are sorted.
"""

from typing import Final, final

import msgspec

NOBODY: Final = -1
"""Used instead of a seat: no seat."""
ANY_COMPANY: Final = -1
"""Used instead of a company in an expansion: no company has been chosen yet."""


@final
class BidOrPass(msgspec.Struct, frozen=True, gc=False, tag="bid_or_pass", tag_field="asks"):
    """Bid at least `minimum` for a share of `company`, or pass. The current bid, if any, is `minimum` - 1."""

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
    """Place the next of `left` locomotives of `company` (ANY_COMPANY for the first one), or pass."""

    company: int
    has_reached_chicago: bool
    left: int
    seat: int


@final
class DevelopHex(msgspec.Struct, frozen=True, gc=False, tag="develop_hex", tag_field="asks"):
    """Choose a hex to develop, or pass."""

    seat: int


Question = BidOrPass | PickDial | OfferShare | Expand | DevelopHex
