"""Data types that several games share: actions and events for bids and passes, and an event for the choice of the first
player.
"""

from typing import Any

import msgspec


class Bid(msgspec.Struct, tag="bid", tag_field="type", frozen=True, gc=False, forbid_unknown_fields=True):
    """Bid an amount in the current auction."""

    amount: int
    """Amount of the bid in whole dollars, from `min` to `max` of the `bid` entry in the request's list of legal
    actions.
    """


class BidRange(msgspec.Struct, tag="bid", tag_field="type", frozen=True, gc=False):
    """Entry of a request's list of legal actions that allows a bid of any whole amount from `min` to `max`, both
    included.
    """

    min: int
    """Lowest bid allowed, in dollars."""
    max: int
    """Highest bid allowed, in dollars, which is the cash of the bidder."""


class Pass(msgspec.Struct, tag="pass", tag_field="type", frozen=True, gc=False, forbid_unknown_fields=True):
    """Pass. Depending on the open question, a pass leaves the auction, declines the chosen action, ends the expansion,
    or buys nothing.
    """


class FirstPlayer(msgspec.Struct, tag="first_player", tag_field="type", frozen=True, gc=False):
    """The first player was chosen at random. This event occurs only if the option `first_player` is `drawn`."""

    seat: int
    """The seat that plays first."""


class BidMade(msgspec.Struct, tag="bid_made", tag_field="type", frozen=True, gc=False):
    """A player bid in the current auction."""

    seat: int
    """The seat that bid."""
    amount: int
    """Amount of the bid in dollars."""


class Passed(msgspec.Struct, tag="passed", tag_field="type", frozen=True, gc=False):
    """A player passed."""

    seat: int
    """The seat that passed."""
    forced: bool = False
    """True if passing was the only legal action, so that the server passed for the seat without a request."""


class StartingPosition(msgspec.Struct, tag="starting_position", tag_field="type", frozen=True, gc=False):
    """A game without hidden information was set up. The three built-in games use other events instead."""

    position: dict[str, Any]
    """The whole position, as a mapping with the fields of the game's state. Options with their default value are left
    out.
    """
