"""Data types of Chicago Express: options, actions, entries of a legal list, events, views and the board."""

from typing import Literal

import msgspec

from rails_cli.protocol.common import Bid, BidMade, BidRange, FirstPlayer, Pass, Passed

ActionName = Literal["auction", "expand", "develop"]
Terrain = Literal["plain", "forest", "mountain", "city", "industrial", "start"]
EndReason = Literal["locomotives_out", "shares_out", "houses_out", "detroit_full"]


class Options(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """The choices made before a game of Chicago Express."""

    dividend_timing: Literal["after_action", "before_action"] = "after_action"
    """When the general dividend is paid: after the action that turned the second dial red, or before it."""
    chicago_phase: Literal["after_expansion", "at_once"] = "after_expansion"
    """When the Chicago phase comes: after the expansion that reached Chicago, or at once, which ends the expansion."""
    first_player: Literal["seat_0", "drawn"] = "seat_0"
    """The seat that bids first on the first opening share: seat 0, or a seat drawn at random."""


class Choose(msgspec.Struct, tag="choose", tag_field="type", frozen=True, gc=False, forbid_unknown_fields=True):
    """Choose one of the three actions for this turn. Its dial moves one step."""

    action: ActionName
    """Name of the action, whose dial must not be red."""


class Offer(msgspec.Struct, tag="offer", tag_field="type", frozen=True, gc=False, forbid_unknown_fields=True):
    """Offer a share of a company for auction."""

    company: str
    """Id of a company that is open and has a share left."""


class Build(
    msgspec.Struct, tag="build", tag_field="type", frozen=True, gc=False, forbid_unknown_fields=True, omit_defaults=True
):
    """Place a locomotive of a company in a hex next to its network."""

    company: str
    """Id of a company in which the player holds a share. All builds of one expansion are for the same company."""
    hex: str
    """Id of the hex where the locomotive is placed."""
    cost: int | None = None
    """Dollars that the company pays. Given in the legal list, optional in an answer."""


class Develop(msgspec.Struct, tag="develop", tag_field="type", frozen=True, gc=False, forbid_unknown_fields=True):
    """Develop a hex that holds a locomotive."""

    hex: str
    """Id of the hex."""


Action = Bid | Pass | Choose | Offer | Build | Develop
Entry = BidRange | Pass | Choose | Offer | Build | Develop


class ShareOffered(msgspec.Struct, tag="share_offered", tag_field="type", frozen=True, gc=False):
    """An auction of a share began."""

    seat: int
    """The seat that bids first."""
    company: str
    """Id of the company whose share is sold."""
    minimum: int
    """The lowest first bid."""
    occasion: Literal["opening", "auction", "wabash"]
    """Reason: `opening` before the first turn, `auction` by an auction action, `wabash` because the Wabash opened."""


class ShareSold(msgspec.Struct, tag="share_sold", tag_field="type", frozen=True, gc=False):
    """A share went to a player, who paid the company's treasury."""

    seat: int
    """The seat that got the share."""
    company: str
    """Id of the company whose share it is."""
    price: int
    """Price in dollars. 0 for an opening share on which nobody bid."""
    shares_sold: int
    """Number of shares of the company sold now."""
    per_share: int
    """Dollars that a dividend would pay now for each of these shares."""


class ShareUnsold(msgspec.Struct, tag="share_unsold", tag_field="type", frozen=True, gc=False):
    """Nobody bid, so the share stays with the company."""

    company: str
    """Id of the company whose share it is."""


class ActionChosen(msgspec.Struct, tag="action_chosen", tag_field="type", frozen=True, gc=False):
    """A player chose the action of the turn."""

    seat: int
    """The seat whose turn it is."""
    action: ActionName
    """Name of the action."""
    dial: int
    """Position of the action's dial now."""
    is_red: bool
    """Whether the action's dial has turned red."""


class Built(msgspec.Struct, tag="built", tag_field="type", frozen=True, gc=False):
    """A company placed a locomotive."""

    seat: int
    """The seat that built."""
    company: str
    """Id of the company that owns the locomotive."""
    hex: str
    """Id of the hex where the locomotive was placed."""
    name: str | None
    """The name of the place, if it has one."""
    cost: int
    """Dollars that the company paid to the bank."""
    treasury: int
    """Dollars left in the company's treasury."""
    income: int
    """Income of the company now, in dollars."""
    locomotives_left: int
    """Number of locomotives that the company may still place."""


class Developed(msgspec.Struct, tag="developed", tag_field="type", frozen=True, gc=False):
    """A player developed a hex."""

    seat: int
    """The seat that developed the hex."""
    hex: str
    """Id of the hex."""
    name: str | None
    """The name of the place, if it has one."""
    value: int
    """Current income in dollars from a locomotive in this hex."""
    houses_left: int
    """Houses left in the supply."""
    incomes: dict[str, int]
    """The new income of each company whose income rose."""
    received: dict[str, int]
    """Dollars that each company received from the bank, by company (forest only)."""


class ChicagoReached(msgspec.Struct, tag="chicago_reached", tag_field="type", frozen=True, gc=False):
    """An expansion that reached Chicago is over, and the Chicago phase begins."""

    seat: int
    """The seat that expanded the company."""
    company: str
    """Id of the company."""


class DividendPaid(msgspec.Struct, tag="dividend_paid", tag_field="type", frozen=True, gc=False):
    """The bank paid the shareholders of one company."""

    company: str
    """Id of the company."""
    occasion: Literal["general", "chicago"]
    """`general` for the general dividend, `chicago` for the dividend after reaching Chicago."""
    income: int
    """Income of the company, in dollars."""
    per_share: int
    """Dollars paid for each share."""
    payouts: list[int]
    """Dollars paid to each seat, by seat."""


class WabashOpened(msgspec.Struct, tag="wabash_opened", tag_field="type", frozen=True, gc=False):
    """The Wabash opened, because another company reached Chicago, and placed its first locomotive free of charge."""

    company: str
    """Id of the company."""
    hex: str
    """Id of the hex of its first locomotive."""
    income: int
    """Income of the company, in dollars."""
    locomotives_left: int
    """Number of locomotives that the company may still place."""


class DialsReset(msgspec.Struct, tag="dials_reset", tag_field="type", frozen=True, gc=False):
    """All dials went back to 0 after a general dividend."""


class DetroitMoved(msgspec.Struct, tag="detroit_moved", tag_field="type", frozen=True, gc=False):
    """Detroit's marker moved one step after a general dividend."""

    hex: str
    """Detroit's hex."""
    value: int
    """Income in dollars from a locomotive there now."""
    incomes: dict[str, int]
    """The new income of each company there."""


class ActionLost(msgspec.Struct, tag="action_lost", tag_field="type", frozen=True, gc=False):
    """The dividend paid before the chosen action ended the game, so the action is not carried out."""

    seat: int
    """The seat whose turn it was."""
    action: ActionName
    """Name of the action."""


class GameEnded(msgspec.Struct, tag="game_ended", tag_field="type", frozen=True, gc=False):
    """The game is over."""

    reasons: list[EndReason]
    """End conditions that were met."""


Event = (
    FirstPlayer
    | ShareOffered
    | BidMade
    | Passed
    | ShareSold
    | ShareUnsold
    | ActionChosen
    | Built
    | Developed
    | ChicagoReached
    | DividendPaid
    | WabashOpened
    | DialsReset
    | DetroitMoved
    | ActionLost
    | GameEnded
)


class Question(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """The question that the game waits for."""

    seat: int
    """The seat that has to answer."""
    asks: Literal["bid_or_pass", "choose_action", "offer_share", "expand", "develop"]
    """Kind of question."""
    company: str | None
    """For `bid_or_pass`, the company whose share is sold. For `expand`, the company that is building, null before the
    first build."""
    builds_left: int | None
    """For `expand`, the number of locomotives that may still be placed in this expansion."""
    has_reached_chicago: bool = False
    """For `expand`, true once this expansion has reached Chicago, so that the Chicago phase follows. Otherwise left
    out."""


class Auction(msgspec.Struct, frozen=True, gc=False):
    """The auction in progress."""

    company: str
    """Id of the company whose share is sold."""
    is_opening: bool
    """Whether it is an opening auction, in which `first_bidder` gets the share for nothing if nobody bids."""
    first_bidder: int
    """The seat that was first to bid or pass."""
    minimum: int
    """The lowest bid allowed now."""
    bid: int | None
    """The standing bid, null if there is none."""
    leader: int | None
    """The seat that made the standing bid. Null if there is none."""
    still_in: list[int]
    """The seats that have not passed."""


class Player(msgspec.Struct, frozen=True, gc=False):
    """One player in a view."""

    seat: int
    """Seat number, from 0."""
    cash: int
    """Dollars in hand, which are also the score."""
    shares: dict[str, int]
    """Shares held, by company. Every company is listed."""


class Company(msgspec.Struct, frozen=True, gc=False):
    """One company in a view."""

    id: str
    """Id that actions, events and views use."""
    is_open: bool
    """False for the Wabash until a company has reached Chicago."""
    treasury: int
    """Dollars that it can spend on building."""
    income: int
    """The sum of the values of its hexes."""
    shares_sold: int
    """Number of shares held by players."""
    shares_left: int
    """Number of shares not sold yet."""
    locomotives_left: int
    """Locomotives it may still place."""
    track: list[str]
    """Ids of the hexes with its locomotives, including its start."""
    has_reached_chicago: bool
    """Whether it has a locomotive in Chicago."""
    minimum_bid: int | None
    """The lowest first bid for its next share now. Null if no share can be offered."""
    dividend: int
    """Dollars that a dividend would pay now for each sold share. 0 if none is sold."""


class Dial(msgspec.Struct, frozen=True, gc=False):
    """The dial of one action."""

    action: ActionName
    """Name of the action."""
    moved: int
    """Number of times the action was chosen since the last general dividend."""
    red_at: int
    """Position at which the dial turns red. A red dial cannot be chosen. Two red dials lead to the general dividend."""


class Scale(msgspec.Struct, frozen=True, gc=False):
    """The scale of one industrial hex."""

    hex: str
    """Id of the hex."""
    name: str | None
    """The name of the place, if it has one."""
    value: int
    """Income in dollars from a locomotive there now."""
    next_value: int | None
    """The value after the next step. Null at the end of the scale."""


class EndCondition(msgspec.Struct, frozen=True, gc=False):
    """One condition under which the game ends after the next general dividend."""

    reason: EndReason
    """Name of the condition."""
    now: int
    """Current value: the number of companies without locomotives or without shares, the houses left, or Detroit's
    value."""
    limit: int
    """Value of `now` at which the condition is met. For houses, the condition is also met below it."""
    is_met: bool
    """Whether the condition is met."""


class View(msgspec.Struct, frozen=True, gc=False):
    """The whole position. Nothing is hidden in this game."""

    seat: int | None
    """The seat that receives this view. Null for a spectator."""
    question: Question | None
    """The open question. Null when the game has ended."""
    turn: int | None
    """The seat whose turn it is. Null during the opening auctions."""
    auction: Auction | None
    """The auction in progress, if there is one."""
    players: list[Player]
    """All players, by seat."""
    companies: list[Company]
    """All companies, in board order."""
    dials: list[Dial]
    """The three dials."""
    scales: list[Scale]
    """The industrial scales."""
    developed: list[str]
    """The hexes with a house."""
    houses_left: int
    """Houses left in the supply."""
    end_conditions: list[EndCondition]
    """How close the game is to its end: it ends after a general dividend if any of these is met."""
    has_ended: bool
    """Whether the game is over."""
    end_reasons: list[EndReason]
    """Reasons for the end of the game. Empty while it runs."""
    options: Options
    """The options the game is played with."""


class BoardHex(msgspec.Struct, frozen=True, gc=False):
    """A hex of the board."""

    id: str
    """Id that actions and events use."""
    q: int
    """Its axial coordinate to the east."""
    r: int
    """Its axial coordinate to the south."""
    terrain: Terrain
    """Kind of land. Forest and mountain hold one locomotive in total. Nobody builds in `start`."""
    name: str | None
    """The name of the place, if it has one."""
    cost: int | None
    """Cost of the first locomotive there, in dollars. The second costs twice as much, the third three times. Null for
    `start`."""
    income: int
    """Income in dollars from a locomotive in this hex, before the hex is developed."""
    develop: int | None
    """Dollars that development adds to this income."""
    develop_cash: int | None
    """Dollars that a company there receives at once when the hex is developed."""
    neighbours: list[str]
    """The adjacent hexes."""


class BoardScale(msgspec.Struct, frozen=True, gc=False):
    """The values of an industrial hex."""

    hex: str
    """Id of the hex."""
    values: list[int]
    """Values of the hex, from first to last."""
    moves: Literal["develop", "dividend"]
    """What advances the value: `develop` for the Develop action, `dividend` for every general dividend."""


class BoardCompany(msgspec.Struct, frozen=True, gc=False):
    """A company at the start of the game."""

    id: str
    """Id that actions, events and views use."""
    name: str
    """Name of the company."""
    colour: str
    """Colour of the company."""
    shares: int
    """Number of shares."""
    locomotives: int
    """Number of locomotives, including the one on its start."""
    start: str
    """Id of the hex where the company starts."""
    opens: Literal["start", "chicago"]
    """`chicago` for the company that opens when another reaches Chicago, otherwise `start`."""
    opening_bid: int | None
    """Minimum bid in the opening auction. Null for a company without one."""


class BoardDials(msgspec.Struct, frozen=True, gc=False):
    """Number of times each action may be chosen before its dial is red."""

    auction: int
    """Number for the action `auction`."""
    expand: int
    """Number for the action `expand`."""
    develop: int
    """Number for the action `develop`."""


class BoardEnd(msgspec.Struct, frozen=True, gc=False):
    """Conditions under which the game ends after a general dividend."""

    companies_without_locomotives: int
    """Number of companies without locomotives at which the game ends."""
    companies_without_shares: int
    """Number of companies without shares at which the game ends."""
    houses_left_at_most: int
    """Number of houses left at which the game ends."""
    detroit_at: int
    """Value of Detroit at which the game ends."""


class Board(msgspec.Struct, frozen=True, gc=False):
    """The parts of a board that do not change during a game: geometry, names and costs."""

    name: str
    """The name of the board. `standard` is the one that comes with the game."""
    title: str
    """Title of the board."""
    hexes: list[BoardHex]
    """All hexes."""
    scales: list[BoardScale]
    """The industrial scales."""
    companies: list[BoardCompany]
    """All companies."""
    chicago: str
    """The hex of Chicago."""
    dials: BoardDials
    """The three dials."""
    expand_max: int
    """Largest number of locomotives in one expansion."""
    houses: int
    """Houses in the supply."""
    cash: dict[str, int]
    """Dollars that each player starts with, by number of players."""
    end: BoardEnd
    """Conditions under which the game ends."""
