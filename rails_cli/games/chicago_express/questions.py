"""The questions of Chicago Express. Fields are in alphabetical order, so that encoded keys are sorted."""

from typing import Final, final

import msgspec

NOBODY: Final = -1
"""Value used instead of a seat number to mean no seat."""
ANY_COMPANY: Final = -1
"""Value of `company` in a question for an expansion, before the player has chosen the company."""


@final
class BidOrPass(msgspec.Struct, frozen=True, gc=False, tag="bid_or_pass", tag_field="asks"):
    """Question in an auction: bid at least `minimum` dollars for a share of `company`, or pass.

    `leader` is the seat with the highest bid, or NOBODY before the first bid. The highest bid is `minimum` - 1. `first`
    is the seat that was asked first, and `still_in` is the mask of seats that have not passed.
    """

    company: int
    first: int
    is_opening: bool
    leader: int
    minimum: int
    seat: int
    still_in: int


@final
class PickDial(msgspec.Struct, frozen=True, gc=False, tag="pick_dial", tag_field="asks"):
    """Question at the start of a turn: which action (auction, expand or develop) does the player choose?"""

    seat: int


@final
class OfferShare(msgspec.Struct, frozen=True, gc=False, tag="offer_share", tag_field="asks"):
    """Question of the action auction: a share of which company is auctioned? The player may pass."""

    seat: int


@final
class Expand(msgspec.Struct, frozen=True, gc=False, tag="expand", tag_field="asks"):
    """Question of the action expand: where does the player place the next locomotive of `company`? The player may pass.

    `company` is ANY_COMPANY before the first locomotive. `left` is the number of locomotives that may still be placed.
    `has_reached_chicago` is true if this expansion has reached Chicago.
    """

    company: int
    has_reached_chicago: bool
    left: int
    seat: int


@final
class DevelopHex(msgspec.Struct, frozen=True, gc=False, tag="develop_hex", tag_field="asks"):
    """Question of the action develop: which hex is developed? The player may pass."""

    seat: int


Question = BidOrPass | PickDial | OfferShare | Expand | DevelopHex
