"""Words that several games share: who begins, bids and passes."""

import msgspec


class Bid(msgspec.Struct, tag="bid", tag_field="type", frozen=True, gc=False, forbid_unknown_fields=True):
    """Bid this much in the current auction."""

    amount: int
    """Whole dollars, within the range of the `bid` entry in the legal list."""


class BidRange(msgspec.Struct, tag="bid", tag_field="type", frozen=True, gc=False):
    """An entry of a legal list: a bid of any whole amount from `min` to `max`, both included."""

    min: int
    """The lowest bid allowed."""
    max: int
    """The highest bid allowed: the bidder's cash."""


class Pass(msgspec.Struct, tag="pass", tag_field="type", frozen=True, gc=False, forbid_unknown_fields=True):
    """Do nothing: leave the auction, decline the chosen action, stop expanding, buy nothing."""


class FirstPlayer(msgspec.Struct, tag="first_player", tag_field="type", frozen=True, gc=False):
    """The player who begins was drawn; sent only if the option `first_player` is `drawn`."""

    seat: int
    """Who was drawn."""


class BidMade(msgspec.Struct, tag="bid_made", tag_field="type", frozen=True, gc=False):
    """A player bid in the current auction."""

    seat: int
    """Who bid."""
    amount: int
    """The amount, now the bid to beat."""


class Passed(msgspec.Struct, tag="passed", tag_field="type", frozen=True, gc=False):
    """A player passed."""

    seat: int
    """Who passed."""
    forced: bool = False
    """True if passing was the only legal action, so the rules passed without asking."""
