"""Data types that several games share: first player, bids and passes."""

import msgspec


class Bid(msgspec.Struct, tag="bid", tag_field="type", frozen=True, gc=False, forbid_unknown_fields=True):
    """Bid an amount in the current auction."""

    amount: int
    """Whole dollars, within the range of the `bid` entry in the legal list."""


class BidRange(msgspec.Struct, tag="bid", tag_field="type", frozen=True, gc=False):
    """An entry of a legal list: a bid of any whole amount from `min` to `max`, both included."""

    min: int
    """Lowest bid allowed, in dollars."""
    max: int
    """Highest bid allowed, in dollars: the bidder's cash."""


class Pass(msgspec.Struct, tag="pass", tag_field="type", frozen=True, gc=False, forbid_unknown_fields=True):
    """Pass: leave the auction, decline the chosen action, stop expanding, or buy nothing."""


class FirstPlayer(msgspec.Struct, tag="first_player", tag_field="type", frozen=True, gc=False):
    """The first player was drawn at random. Sent only if the option `first_player` is `drawn`."""

    seat: int
    """The seat that was drawn."""


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
    """True if passing was the only legal action, so that the seat was not asked."""
