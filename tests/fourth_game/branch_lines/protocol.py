"""Branch Lines: its options, actions, events and views."""

from typing import Literal

import msgspec

from rails_cli.protocol.common import Bid, BidMade, BidRange, Pass, Passed

EndReason = Literal["pile_empty", "lines_complete"]
"""Reason for the end of a game: all shares have left the pile, or all lines are complete."""


class Options(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """Choices made before the game."""

    charters: Literal["hidden", "open"] = "hidden"
    """The charters that a player may see before the end of the game: `hidden` for only the own charter, `open` for all.
    """


class Build(
    msgspec.Struct, tag="build", tag_field="type", frozen=True, gc=False, forbid_unknown_fields=True, omit_defaults=True
):
    """Build the next station of a line."""

    line: str
    """Id of the line."""
    cost: int | None = None
    """Dollars that the line pays. Present in the list of legal actions, optional in an answer."""


Action = Bid | Build | Pass
"""An answer of a player."""

Entry = BidRange | Build | Pass
"""An entry of a list of legal actions."""


class Dealt(msgspec.Struct, tag="dealt", tag_field="type", frozen=True, gc=False):
    """Each seat was dealt a charter, which is a card that names a line.

    The charter pays a bonus at the end of the game if this line is complete.
    """

    charters: list[str | None]
    """The line of each seat's charter, by seat. Null for a charter that you may not see."""


class ShareDrawn(msgspec.Struct, tag="share_drawn", tag_field="type", frozen=True, gc=False):
    """A share was drawn from the pile and is auctioned."""

    line: str
    """The line of the share."""
    minimum: int
    """Lowest bid allowed, in dollars."""


class ShareSold(msgspec.Struct, tag="share_sold", tag_field="type", frozen=True, gc=False):
    """A share was bought."""

    line: str
    """The line of the share."""
    seat: int
    """Seat that bought the share."""
    price: int
    """Dollars paid into the line's treasury."""


class ShareUnsold(msgspec.Struct, tag="share_unsold", tag_field="type", frozen=True, gc=False):
    """A share left the game, because nobody bid for it."""

    line: str
    """The line of the share."""


class Built(msgspec.Struct, tag="built", tag_field="type", frozen=True, gc=False):
    """A station was built."""

    seat: int
    """Seat that built the station."""
    line: str
    """Id of the line of the station."""
    station: str
    """Name of the station."""
    cost: int
    """Dollars that the line paid."""
    income: int
    """Income of the line after building, in dollars."""


class DividendPaid(msgspec.Struct, tag="dividend_paid", tag_field="type", frozen=True, gc=False):
    """The bank paid the shareholders of a line."""

    line: str
    """Id of the line."""
    per_share: int
    """Dollars paid for each share."""
    payouts: list[int]
    """Dollars paid to each seat, by seat."""


class CharterPaid(msgspec.Struct, tag="charter_paid", tag_field="type", frozen=True, gc=False):
    """A charter was revealed at the end of the game, and its bonus, if any, was paid."""

    seat: int
    """The seat that holds the charter."""
    line: str
    """The line that the charter names."""
    bonus: int
    """Dollars that the bank paid for the charter. 0 if the line is not complete."""


class GameEnded(msgspec.Struct, tag="game_ended", tag_field="type", frozen=True, gc=False):
    """The game has ended."""

    reasons: list[EndReason]
    """One or both reasons for the end."""


Event = Dealt | ShareDrawn | BidMade | Passed | ShareSold | ShareUnsold | Built | DividendPaid | CharterPaid | GameEnded
"""An event of the game."""


class Question(msgspec.Struct, frozen=True, gc=False):
    """The open question. The game continues when the seat has answered it."""

    seat: int
    """The seat that must answer."""
    asks: Literal["bid", "build"]
    """Kind of question: `bid` for a bid on a share, `build` for a line to extend."""


class Auction(msgspec.Struct, frozen=True, gc=False):
    """The running auction."""

    line: str
    """Id of the line whose share is sold."""
    bid: int | None
    """The highest bid so far. Null before the first bid."""
    leader: int | None
    """The seat that made the highest bid. Null before the first bid."""
    minimum: int
    """Lowest bid allowed now, in dollars."""
    still_in: list[int]
    """The seats that have not passed."""


class Player(msgspec.Struct, frozen=True, gc=False):
    """A player's holdings."""

    seat: int
    """Seat number, from 0."""
    cash: int
    """Cash of the player in dollars."""
    charter: str | None
    """The line of the player's charter. Null if you may not see it."""


class Line(msgspec.Struct, frozen=True, gc=False):
    """The state of a line."""

    id: str
    """Id of the line."""
    built: int
    """Number of stations of the line that are built."""
    next_cost: int | None
    """Cost of the next station in dollars. Null if the line is complete."""
    treasury: int
    """Dollars that the line can spend."""
    income: int
    """Income of the line in each round, in dollars."""
    dividend: int
    """Dollars that a dividend would pay now for each share of the line."""
    shares: list[int]
    """Number of shares of the line that each seat holds, by seat."""
    to_come: int
    """Number of shares of the line still in the pile."""


class View(msgspec.Struct, frozen=True, gc=False):
    """The position as one seat may see it."""

    seat: int | None
    """Seat that receives the view. Null for the public view."""
    question: Question | None
    """The open question. Null when the game has ended."""
    auction: Auction | None
    """The running auction. Null if there is none."""
    players: list[Player]
    """The players, by seat."""
    lines: list[Line]
    """All lines, in board order."""
    pile: int
    """Number of shares in the pile."""
    opener: int
    """The seat that opens the running or the last auction."""
    end_reasons: list[EndReason]
    """Reasons for the end of the game. Empty while the game runs."""
    options: Options
    """Options with which the game is played."""
