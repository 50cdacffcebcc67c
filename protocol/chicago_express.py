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
    """Choose one of the three actions for this turn. The dial of the action moves one step."""

    action: ActionName
    """Name of the action. The dial of the action must not be red."""


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
    """Lowest amount of the first bid, in dollars."""
    occasion: Literal["opening", "auction", "wabash"]
    """Reason: `opening` before the first turn, `auction` by an auction action, `wabash` because the Wabash opened."""


class ShareSold(msgspec.Struct, tag="share_sold", tag_field="type", frozen=True, gc=False):
    """A share went to a player, who paid the company's treasury."""

    seat: int
    """The seat that got the share."""
    company: str
    """Id of the company whose share was sold."""
    price: int
    """Price in dollars. 0 for an opening share on which nobody bid."""
    shares_sold: int
    """Number of shares of the company that players now hold."""
    per_share: int
    """Dollars that a dividend would pay now for each share of the company."""


class ShareUnsold(msgspec.Struct, tag="share_unsold", tag_field="type", frozen=True, gc=False):
    """Nobody bid, so the share stays with the company."""

    company: str
    """Id of the company whose share was not sold."""


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
    """Name of the place in the hex. Null if the place has none."""
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
    """Name of the place in the hex. Null if the place has none."""
    value: int
    """Dollars that a locomotive in the hex now adds to the income of its company."""
    houses_left: int
    """Number of houses left in the supply."""
    incomes: dict[str, int]
    """New income in dollars of each company whose income rose, by id of the company."""
    received: dict[str, int]
    """Dollars that each company received from the bank for a forest, by id of the company."""


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
    """Id of the Wabash."""
    hex: str
    """Id of the hex with the first locomotive of the Wabash."""
    income: int
    """Income of the Wabash, in dollars."""
    locomotives_left: int
    """Number of locomotives that the Wabash may still place."""


class DialsReset(msgspec.Struct, tag="dials_reset", tag_field="type", frozen=True, gc=False):
    """All dials went back to 0 after a general dividend."""


class DetroitMoved(msgspec.Struct, tag="detroit_moved", tag_field="type", frozen=True, gc=False):
    """Detroit's marker moved one step after a general dividend."""

    hex: str
    """Id of the hex of Detroit."""
    value: int
    """Dollars that a locomotive in Detroit now adds to the income of its company."""
    incomes: dict[str, int]
    """New income in dollars of each company in Detroit, by id of the company."""


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
    """For `bid_or_pass`, the company whose share is sold. For `expand`, the company that is building. Null before the
    first build, and for other questions.
    """
    builds_left: int | None
    """For `expand`, the number of locomotives that may still be placed in this expansion. Null for other questions."""
    has_reached_chicago: bool = False
    """For `expand`, true once the expansion has reached Chicago. The Chicago phase then follows. Otherwise left out."""


class Auction(msgspec.Struct, frozen=True, gc=False):
    """The auction in progress."""

    company: str
    """Id of the company whose share is sold."""
    is_opening: bool
    """Whether this is an opening auction, in which `first_bidder` gets the share for nothing if nobody bids."""
    first_bidder: int
    """Seat that had to bid or pass first."""
    minimum: int
    """Lowest bid allowed now, in dollars."""
    bid: int | None
    """Highest bid so far, in dollars. Null before the first bid."""
    leader: int | None
    """Seat that made the highest bid. Null before the first bid."""
    still_in: list[int]
    """The seats that have not passed."""


class Player(msgspec.Struct, frozen=True, gc=False):
    """One player in a view."""

    seat: int
    """Seat number, from 0."""
    cash: int
    """Cash of the player in dollars, which is also the score."""
    shares: dict[str, int]
    """Number of shares held, by id of the company. Every company is listed."""


class Company(msgspec.Struct, frozen=True, gc=False):
    """One company in a view."""

    id: str
    """Id that actions, events and views use."""
    is_open: bool
    """False for the Wabash until a company has reached Chicago."""
    treasury: int
    """Dollars that the company can spend on building."""
    income: int
    """Income of the company in dollars: the sum of the values of the hexes with its locomotives."""
    shares_sold: int
    """Number of shares held by players."""
    shares_left: int
    """Number of shares not sold yet."""
    locomotives_left: int
    """Number of locomotives that the company may still place."""
    track: list[str]
    """Ids of the hexes with locomotives of the company, including its start."""
    has_reached_chicago: bool
    """Whether the company has a locomotive in Chicago."""
    minimum_bid: int | None
    """Lowest first bid for the company's next share, in dollars. Null if no share can be offered."""
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
    """The current value of one industrial hex."""

    hex: str
    """Id of the hex."""
    name: str | None
    """Name of the place in the hex. Null if the place has none."""
    value: int
    """Dollars that a locomotive in the hex now adds to the income of its company."""
    next_value: int | None
    """Value of the hex after the next step, in dollars. Null at the end of the scale."""


class EndCondition(msgspec.Struct, frozen=True, gc=False):
    """One condition under which the game ends after the next general dividend."""

    reason: EndReason
    """Name of the condition."""
    now: int
    """Current value: companies without locomotives or without shares, the houses left, or Detroit's value."""
    limit: int
    """Value of `now` at which the condition is met. The condition on houses is also met below this value."""
    is_met: bool
    """Whether the condition is met."""


class View(msgspec.Struct, frozen=True, gc=False):
    """The whole position. Nothing is hidden in Chicago Express."""

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
    """The current values of the industrial hexes."""
    developed: list[str]
    """Ids of the hexes with a house."""
    houses_left: int
    """Number of houses left in the supply."""
    end_conditions: list[EndCondition]
    """All end conditions. The game ends after a general dividend if at least one is met."""
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
    """Name of the place in the hex. Null if the place has none."""
    cost: int | None
    """Cost of the first locomotive in the hex, in dollars. The second costs twice as much, the third three times. Null
    for `start`.
    """
    income: int
    """Dollars that a locomotive in the hex adds to the income of its company before the hex is developed."""
    develop: int | None
    """Dollars that development adds to `income`. Null if the hex cannot be developed in this way."""
    develop_cash: int | None
    """Dollars that each company in the hex receives when the hex is developed. Null unless the hex is a forest."""
    neighbours: list[str]
    """Ids of the adjacent hexes."""


class BoardScale(msgspec.Struct, frozen=True, gc=False):
    """The values of an industrial hex."""

    hex: str
    """Id of the hex."""
    values: list[int]
    """Values of the hex in dollars, from first to last."""
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
    """Number of shares of the company."""
    locomotives: int
    """Number of locomotives of the company, including the one on its start."""
    start: str
    """Id of the hex where the company starts."""
    opens: Literal["start", "chicago"]
    """`chicago` for the company that opens when another one reaches Chicago, otherwise `start`."""
    opening_bid: int | None
    """Minimum bid in the opening auction of the company, in dollars. Null if it has no opening auction."""


class BoardDials(msgspec.Struct, frozen=True, gc=False):
    """For each action, how often it may be chosen before its dial is red."""

    auction: int
    """How often the action `auction` may be chosen before its dial is red."""
    expand: int
    """How often the action `expand` may be chosen before its dial is red."""
    develop: int
    """How often the action `develop` may be chosen before its dial is red."""


class BoardEnd(msgspec.Struct, frozen=True, gc=False):
    """Conditions under which the game ends after a general dividend."""

    companies_without_locomotives: int
    """Number of companies without locomotives at which the game ends."""
    companies_without_shares: int
    """Number of companies without shares at which the game ends."""
    houses_left_at_most: int
    """Number of houses in the supply at or below which the game ends."""
    detroit_at: int
    """Value of Detroit in dollars at which the game ends."""


class Board(msgspec.Struct, frozen=True, gc=False):
    """The parts of a board that do not change during a game: geometry, names and costs."""

    name: str
    """Name of the board. `standard` is the board that is part of the game."""
    title: str
    """Title of the board."""
    hexes: list[BoardHex]
    """All hexes of the board."""
    scales: list[BoardScale]
    """The values of the industrial hexes."""
    companies: list[BoardCompany]
    """All companies of the game."""
    chicago: str
    """Id of the hex of Chicago."""
    dials: BoardDials
    """For each action, how often it may be chosen before its dial is red."""
    expand_max: int
    """Largest number of locomotives in one expansion."""
    houses: int
    """Number of houses in the supply."""
    cash: dict[str, int]
    """Dollars that each player starts with, by number of players."""
    end: BoardEnd
    """Conditions under which the game ends after a general dividend."""
