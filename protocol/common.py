"""Words that several games share: who begins, bids and passes."""

import msgspec


class Bid(msgspec.Struct, tag="bid", tag_field="type", frozen=True, gc=False, forbid_unknown_fields=True):
    """Bid this much in the running auction."""

    amount: int
    """Whole dollars, inside the range of the `bid` entry in the legal list."""


class BidRange(msgspec.Struct, tag="bid", tag_field="type", frozen=True, gc=False):
    """Entry of a legal list: a bid of any whole amount from `min` to `max`, both included."""

    min: int
    """The lowest bid allowed."""
    max: int
    """The highest bid allowed: the bidder's cash."""


class Pass(msgspec.Struct, tag="pass", tag_field="type", frozen=True, gc=False, forbid_unknown_fields=True):
    """Do nothing: leave the auction, give the chosen action up, stop expanding, buy nothing."""


class FirstPlayer(msgspec.Struct, tag="first_player", tag_field="type", frozen=True, gc=False):
    """The player who begins was drawn; told only with the option `first_player` `drawn`."""

    seat: int
    """Who was drawn."""


class BidMade(msgspec.Struct, tag="bid_made", tag_field="type", frozen=True, gc=False):
    """A player bid in the running auction."""

    seat: int
    """Who bid."""
    amount: int
    """The bid, now the one to beat."""


class Passed(msgspec.Struct, tag="passed", tag_field="type", frozen=True, gc=False):
    """A player passed."""

    seat: int
    """Who passed."""
    forced: bool = False
    """True if passing was the only possibility, so that the rules passed without asking."""
