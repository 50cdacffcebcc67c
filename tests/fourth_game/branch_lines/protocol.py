"""Branch Lines: its options, actions, events and views."""

from typing import Literal

import msgspec

from rails_cli.protocol.common import Bid, BidMade, BidRange, Pass, Passed

EndReason = Literal["pile_empty", "lines_complete"]
"""Why a game ended: the last share was drawn, or all lines are complete."""


class Options(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """Choices made before the game."""

    charters: Literal["hidden", "open"] = "hidden"
    """Whether a charter is shown to its owner alone until the game has ended, or to all."""


class Build(
    msgspec.Struct, tag="build", tag_field="type", frozen=True, gc=False, forbid_unknown_fields=True, omit_defaults=True
):
    """Build the next station of a line."""

    line: str
    """The line, by its id."""
    cost: int | None = None
    """What the station costs the line; given in the legal list, optional in an answer."""


Action = Bid | Build | Pass
"""What a player may answer."""

Entry = BidRange | Build | Pass
"""What a legal list holds."""


class Dealt(msgspec.Struct, tag="dealt", tag_field="type", frozen=True, gc=False):
    """The charters were dealt."""

    charters: list[str | None]
    """The line of each seat's charter; null for a charter that you may not see."""


class ShareDrawn(msgspec.Struct, tag="share_drawn", tag_field="type", frozen=True, gc=False):
    """A share came off the pile and is put up for auction."""

    line: str
    """Its line."""
    minimum: int
    """The lowest bid allowed."""


class ShareSold(msgspec.Struct, tag="share_sold", tag_field="type", frozen=True, gc=False):
    """A share was bought."""

    line: str
    """Its line."""
    seat: int
    """Who bought it."""
    price: int
    """What was paid into the line's treasury."""


class ShareUnsold(msgspec.Struct, tag="share_unsold", tag_field="type", frozen=True, gc=False):
    """Nobody bid, and a share left the game."""

    line: str
    """Its line."""


class Built(msgspec.Struct, tag="built", tag_field="type", frozen=True, gc=False):
    """A station was built."""

    seat: int
    """Who built."""
    line: str
    """The line."""
    station: str
    """The station."""
    cost: int
    """What the line paid."""
    income: int
    """What the line earns now."""


class DividendPaid(msgspec.Struct, tag="dividend_paid", tag_field="type", frozen=True, gc=False):
    """The bank paid the shareholders of a line."""

    line: str
    """The line."""
    per_share: int
    """What each share was paid."""
    payouts: list[int]
    """What each seat received."""


class CharterPaid(msgspec.Struct, tag="charter_paid", tag_field="type", frozen=True, gc=False):
    """A charter was shown."""

    seat: int
    """Whose it is."""
    line: str
    """The line it names."""
    bonus: int
    """What the bank paid for it; 0 if the line is not complete."""


class GameEnded(msgspec.Struct, tag="game_ended", tag_field="type", frozen=True, gc=False):
    """The game has ended."""

    reasons: list[EndReason]
    """Why: one or both."""


Event = Dealt | ShareDrawn | BidMade | Passed | ShareSold | ShareUnsold | Built | DividendPaid | CharterPaid | GameEnded
"""What can happen."""


class Question(msgspec.Struct, frozen=True, gc=False):
    """The open question."""

    seat: int
    """Who has to answer."""
    asks: Literal["bid", "build"]
    """What is asked: a bid, or what to build."""


class Auction(msgspec.Struct, frozen=True, gc=False):
    """The running auction."""

    line: str
    """Whose share is sold."""
    bid: int | None
    """The standing bid; null if there is none yet."""
    leader: int | None
    """Who made it."""
    minimum: int
    """The lowest bid allowed now."""
    still_in: list[int]
    """The seats that have not passed."""


class Player(msgspec.Struct, frozen=True, gc=False):
    """A player's holdings."""

    seat: int
    """The seat."""
    cash: int
    """Cash."""
    charter: str | None
    """The line of the player's charter; null if you may not see it."""


class Line(msgspec.Struct, frozen=True, gc=False):
    """The state of a line."""

    id: str
    """The line."""
    built: int
    """How many of its stations are built."""
    next_cost: int | None
    """What the next one costs; null if the line is complete."""
    treasury: int
    """What it can spend."""
    income: int
    """What it earns."""
    dividend: int
    """What each share would be paid now."""
    shares: list[int]
    """How many of its shares each seat holds."""
    to_come: int
    """How many of its shares are still in the pile."""


class View(msgspec.Struct, frozen=True, gc=False):
    """Everything a seat may see."""

    seat: int | None
    """The seat whose view this is; null for a view that belongs to nobody."""
    question: Question | None
    """The open question; null when the game has ended."""
    auction: Auction | None
    """The running auction; null if there is none."""
    players: list[Player]
    """The players, by seat."""
    lines: list[Line]
    """The lines, in board order."""
    pile: int
    """How many shares are still to be drawn."""
    opener: int
    """The seat that opens the running or the last auction."""
    end_reasons: list[EndReason]
    """Why the game has ended; empty while it runs."""
    options: Options
    """The options the game is played with."""
