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
    """The cost of the station to the line. Given in legal lists, optional in answers."""


Action = Bid | Build | Pass
"""An answer of a player."""

Entry = BidRange | Build | Pass
"""An entry of a legal list."""


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
    """The seat that bought it."""
    price: int
    """The amount paid into the line's treasury."""


class ShareUnsold(msgspec.Struct, tag="share_unsold", tag_field="type", frozen=True, gc=False):
    """Nobody bid, and a share left the game."""

    line: str
    """Its line."""


class Built(msgspec.Struct, tag="built", tag_field="type", frozen=True, gc=False):
    """A station was built."""

    seat: int
    """The seat that built it."""
    line: str
    """The line."""
    station: str
    """The station."""
    cost: int
    """The amount the line paid."""
    income: int
    """The income of the line after building."""


class DividendPaid(msgspec.Struct, tag="dividend_paid", tag_field="type", frozen=True, gc=False):
    """The bank paid the shareholders of a line."""

    line: str
    """The line."""
    per_share: int
    """The amount paid for each share."""
    payouts: list[int]
    """The amount each seat received."""


class CharterPaid(msgspec.Struct, tag="charter_paid", tag_field="type", frozen=True, gc=False):
    """A charter was shown."""

    seat: int
    """The seat that holds it."""
    line: str
    """The line it names."""
    bonus: int
    """The amount the bank paid for it, 0 if the line is not complete."""


class GameEnded(msgspec.Struct, tag="game_ended", tag_field="type", frozen=True, gc=False):
    """The game has ended."""

    reasons: list[EndReason]
    """One or both reasons for the end."""


Event = Dealt | ShareDrawn | BidMade | Passed | ShareSold | ShareUnsold | Built | DividendPaid | CharterPaid | GameEnded
"""An event of the game."""


class Question(msgspec.Struct, frozen=True, gc=False):
    """The open question."""

    seat: int
    """The seat that must answer."""
    asks: Literal["bid", "build"]
    """Whether a bid is asked for, or a line to build."""


class Auction(msgspec.Struct, frozen=True, gc=False):
    """The running auction."""

    line: str
    """The line whose share is sold."""
    bid: int | None
    """The standing bid; null if there is none yet."""
    leader: int | None
    """The seat that made it."""
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
    """Number of its stations that are built."""
    next_cost: int | None
    """The cost of the next station, null if the line is complete."""
    treasury: int
    """The money the line can spend."""
    income: int
    """Its income in each round."""
    dividend: int
    """The dividend of each share if it were paid now."""
    shares: list[int]
    """Number of its shares that each seat holds."""
    to_come: int
    """Number of its shares still in the pile."""


class View(msgspec.Struct, frozen=True, gc=False):
    """Everything a seat may see."""

    seat: int | None
    """The seat whose view this is, null for the public view."""
    question: Question | None
    """The open question; null when the game has ended."""
    auction: Auction | None
    """The running auction; null if there is none."""
    players: list[Player]
    """The players, by seat."""
    lines: list[Line]
    """The lines, in board order."""
    pile: int
    """Number of shares still to be drawn."""
    opener: int
    """The seat that opens the running or the last auction."""
    end_reasons: list[EndReason]
    """Why the game has ended; empty while it runs."""
    options: Options
    """The options the game is played with."""
