"""Data types of Chicago Express: options, actions, entries of `legal` in requests, events, views and the board."""

from typing import Literal

import msgspec

from rails_cli.protocol.common import Bid, BidMade, BidRange, FirstPlayer, Pass, Passed

ActionName = Literal["auction", "expand", "develop"]
Terrain = Literal["plain", "forest", "mountain", "city", "industrial", "start"]
EndReason = Literal["locomotives_out", "shares_out", "houses_out", "detroit_full"]


class Options(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """The options of a game of Chicago Express, chosen before the game."""

    dividend_timing: Literal["after_action", "before_action"] = "after_action"
    """When the general dividend is paid. The action that turns the second dial red leads to it. `after_action`: after
    this action. `before_action`: before this action.
    """
    chicago_phase: Literal["after_expansion", "at_once"] = "after_expansion"
    """When the Chicago phase takes place. `after_expansion`: after the expansion in which a company reached Chicago.
    `at_once`: as soon as a company reaches Chicago, which ends the expansion.
    """
    first_player: Literal["seat_0", "drawn"] = "seat_0"
    """The seat that bids first in the first opening auction. `seat_0`: seat 0. `drawn`: a seat chosen at random."""


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
    """Place a locomotive of a company in a hex next to the company's network."""

    company: str
    """Id of a company in which the player holds a share. All builds of one expansion are for the same company."""
    hex: str
    """Id of the hex where the locomotive is placed."""
    cost: int | None = None
    """Dollars that the company pays. Present in the list of legal actions, optional in an answer."""


class Develop(msgspec.Struct, tag="develop", tag_field="type", frozen=True, gc=False, forbid_unknown_fields=True):
    """Develop a hex that holds a locomotive."""

    hex: str
    """Id of the hex to develop."""


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
    """Reason for the auction. `opening`: before the first turn. `auction`: a player chose the Auction action. `wabash`:
    the Wabash opened.
    """


class ShareSold(msgspec.Struct, tag="share_sold", tag_field="type", frozen=True, gc=False):
    """A player got a share of a company and paid the price into the company's treasury."""

    seat: int
    """The seat that got the share."""
    company: str
    """Id of the company whose share was sold."""
    price: int
    """Price of the share in dollars. 0 for an opening share on which nobody bid."""
    shares_sold: int
    """Number of shares of the company that players now hold."""
    per_share: int
    """Dollars that a dividend would pay now for each share of the company."""


class ShareUnsold(msgspec.Struct, tag="share_unsold", tag_field="type", frozen=True, gc=False):
    """Nobody bid in an auction, so the share stays with the company."""

    company: str
    """Id of the company whose share was not sold."""


class ActionChosen(msgspec.Struct, tag="action_chosen", tag_field="type", frozen=True, gc=False):
    """A player chose the action for a turn."""

    seat: int
    """The seat whose turn it is."""
    action: ActionName
    """Name of the action."""
    dial: int
    """Position of the action's dial: the number of times that the action was chosen since the last general dividend."""
    is_red: bool
    """Whether the action's dial is now red."""


class Built(msgspec.Struct, tag="built", tag_field="type", frozen=True, gc=False):
    """A company placed a locomotive."""

    seat: int
    """The seat that placed the locomotive."""
    company: str
    """Id of the company that owns the locomotive."""
    hex: str
    """Id of the hex where the locomotive was placed."""
    name: str | None
    """Name of the place in the hex. Null if the hex has no named place."""
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
    """Name of the place in the hex. Null if the hex has no named place."""
    value: int
    """Dollars that a locomotive in the hex now adds to the income of its company."""
    houses_left: int
    """Number of houses left in the supply."""
    incomes: dict[str, int]
    """Mapping from company id to new income in dollars, for each company whose income rose."""
    received: dict[str, int]
    """Mapping from company id to the dollars that the bank paid the company. The bank pays only if the developed hex is
    a forest.
    """


class ChicagoReached(msgspec.Struct, tag="chicago_reached", tag_field="type", frozen=True, gc=False):
    """An expansion that reached Chicago is over, and the Chicago phase begins."""

    seat: int
    """The seat that expanded the company."""
    company: str
    """Id of the company that reached Chicago."""


class DividendPaid(msgspec.Struct, tag="dividend_paid", tag_field="type", frozen=True, gc=False):
    """The bank paid a dividend to the shareholders of one company."""

    company: str
    """Id of the company whose shareholders were paid."""
    occasion: Literal["general", "chicago"]
    """Kind of dividend. `general`: the general dividend of all companies. `chicago`: the dividend of a company that
    reached Chicago.
    """
    income: int
    """Income of the company, in dollars."""
    per_share: int
    """Dollars paid for each share."""
    payouts: list[int]
    """Dollars paid to each seat, by seat."""


class WabashOpened(msgspec.Struct, tag="wabash_opened", tag_field="type", frozen=True, gc=False):
    """The company Wabash opened, because another company reached Chicago. Its first locomotive was placed free of
    charge.
    """

    company: str
    """Id of the company Wabash."""
    hex: str
    """Id of the hex with the first locomotive of the Wabash."""
    income: int
    """Income of the Wabash, in dollars."""
    locomotives_left: int
    """Number of locomotives that the Wabash may still place."""


class DialsReset(msgspec.Struct, tag="dials_reset", tag_field="type", frozen=True, gc=False):
    """The dials of all actions went back to 0 after a general dividend."""


class DetroitMoved(msgspec.Struct, tag="detroit_moved", tag_field="type", frozen=True, gc=False):
    """Detroit's value increased by one step after a general dividend."""

    hex: str
    """Id of the hex of Detroit."""
    value: int
    """Dollars that a locomotive in Detroit now adds to the income of its company."""
    incomes: dict[str, int]
    """Mapping from company id to new income in dollars, for each company in Detroit."""


class ActionLost(msgspec.Struct, tag="action_lost", tag_field="type", frozen=True, gc=False):
    """The action that a player chose is not carried out. A dividend was paid just before it and ended the game."""

    seat: int
    """The seat whose turn it was."""
    action: ActionName
    """Name of the action that was chosen."""


class GameEnded(msgspec.Struct, tag="game_ended", tag_field="type", frozen=True, gc=False):
    """The game is over."""

    reasons: list[EndReason]
    """Names of the end conditions that were met."""


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
    """The open question, which a seat has to answer before the game continues."""

    seat: int
    """The seat that has to answer."""
    asks: Literal["bid_or_pass", "choose_action", "offer_share", "expand", "develop"]
    """Kind of question. `bid_or_pass`: bid or pass. `choose_action`: choose an action. `offer_share`: offer a share.
    `expand`: expand a company. `develop`: develop a hex.
    """
    company: str | None
    """For `bid_or_pass`, the id of the company whose share is sold. For `expand`, the id of the company that builds.
    Null before the first build of an expansion, and for other kinds of questions.
    """
    builds_left: int | None
    """For `expand`, the number of locomotives that may still be placed in this expansion. Null for other kinds of
    questions.
    """
    has_reached_chicago: bool = False
    """True for the question `expand` after the company has reached Chicago in this expansion. The Chicago phase follows
    the expansion. Left out if false.
    """


class Auction(msgspec.Struct, frozen=True, gc=False):
    """The auction in progress."""

    company: str
    """Id of the company whose share is sold."""
    is_opening: bool
    """Whether this is an opening auction. If nobody bids in an opening auction, the seat in `first_bidder` gets the
    share for nothing.
    """
    first_bidder: int
    """Seat that had to bid or pass first."""
    minimum: int
    """Lowest bid allowed now, in dollars."""
    bid: int | None
    """Highest bid so far, in dollars. Null before the first bid."""
    leader: int | None
    """Seat that made the highest bid. Null before the first bid."""
    still_in: list[int]
    """The seats that have not passed in this auction."""


class Player(msgspec.Struct, frozen=True, gc=False):
    """One player in a view."""

    seat: int
    """Seat number, from 0."""
    cash: int
    """Cash of the player in dollars, which is also the score."""
    shares: dict[str, int]
    """Mapping from the id of every company to the number of its shares that the player holds."""


class Company(msgspec.Struct, frozen=True, gc=False):
    """One company in a view."""

    id: str
    """Id of the company in actions, events and views."""
    is_open: bool
    """Whether the company is in play. False only for the Wabash, until another company has reached Chicago."""
    treasury: int
    """Dollars in the company's treasury."""
    income: int
    """Income of the company in dollars: the sum of the values of all hexes that hold its locomotives."""
    shares_sold: int
    """Number of shares of the company that players hold."""
    shares_left: int
    """Number of shares of the company that are not sold yet."""
    locomotives_left: int
    """Number of locomotives that the company may still place."""
    track: list[str]
    """Ids of the hexes with locomotives of the company, including the hex where the company starts."""
    has_reached_chicago: bool
    """Whether the company has a locomotive in Chicago."""
    minimum_bid: int | None
    """Lowest first bid for the next share of the company, in dollars. Null if no share of the company can be offered.
    """
    dividend: int
    """Dollars that a dividend would pay now for each sold share. 0 if no share is sold."""


class Dial(msgspec.Struct, frozen=True, gc=False):
    """The dial of one action. It counts how often the action was chosen since the last general dividend."""

    action: ActionName
    """Name of the action."""
    moved: int
    """Number of times the action was chosen since the last general dividend."""
    red_at: int
    """Value of `moved` at which the dial turns red. An action with a red dial cannot be chosen. Two red dials lead to
    the general dividend.
    """


class Scale(msgspec.Struct, frozen=True, gc=False):
    """The current value of one industrial hex, and its value after the next increase."""

    hex: str
    """Id of the hex."""
    name: str | None
    """Name of the place in the hex. Null if the hex has no named place."""
    value: int
    """Dollars that a locomotive in the hex now adds to the income of its company."""
    next_value: int | None
    """Value of the hex in dollars after the next increase. Null if the value cannot increase any more."""


class EndCondition(msgspec.Struct, frozen=True, gc=False):
    """A condition that can end the game. If it is met, the game ends after the next general dividend."""

    reason: EndReason
    """Name of the end condition."""
    now: int
    """Current number that is compared with `limit`. Depending on `reason`, it is a number of companies without
    locomotives, a number of companies without shares, the number of houses left, or the value of Detroit in dollars.
    """
    limit: int
    """Value of `now` at which the condition is met. For the condition on houses, lower values meet it, too."""
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
    """The auction in progress. Null if there is no auction."""
    players: list[Player]
    """All players, by seat."""
    companies: list[Company]
    """All companies, in board order."""
    dials: list[Dial]
    """The dials of the three actions."""
    scales: list[Scale]
    """The current values of the industrial hexes."""
    developed: list[str]
    """Ids of the hexes with a house."""
    houses_left: int
    """Number of houses left in the supply."""
    end_conditions: list[EndCondition]
    """All conditions for the end of the game. The game ends after a general dividend if at least one of them is met."""
    has_ended: bool
    """Whether the game is over."""
    end_reasons: list[EndReason]
    """Names of the end conditions that ended the game. Empty while the game runs."""
    options: Options
    """The options with which the game is played."""


class BoardHex(msgspec.Struct, frozen=True, gc=False):
    """A hex of the board."""

    id: str
    """Id of the hex in actions, events and views."""
    q: int
    """First axial coordinate of the hex. It increases to the east."""
    r: int
    """Second axial coordinate of the hex. It increases to the south."""
    terrain: Terrain
    """Kind of land. A forest or mountain hex holds one locomotive in total. No company builds in a `start` hex."""
    name: str | None
    """Name of the place in the hex. Null if the hex has no named place."""
    cost: int | None
    """Cost of the first locomotive in the hex, in dollars. The second costs twice as much, the third three times as
    much. Null for a `start` hex.
    """
    income: int
    """Dollars that a locomotive in the hex adds to the income of its company before the hex is developed."""
    develop: int | None
    """Dollars by which development increases `income`. Null if development does not increase it."""
    develop_cash: int | None
    """Dollars that each company in the hex receives when the hex is developed. Null if the hex is not a forest."""
    neighbours: list[str]
    """Ids of the adjacent hexes."""


class BoardScale(msgspec.Struct, frozen=True, gc=False):
    """The series of values that an industrial hex can have."""

    hex: str
    """Id of the hex."""
    values: list[int]
    """Values of the hex in dollars, from first to last."""
    moves: Literal["develop", "dividend"]
    """What increases the value. `develop`: the Develop action. `dividend`: every general dividend."""


class BoardCompany(msgspec.Struct, frozen=True, gc=False):
    """Initial data of a company, as defined by the board."""

    id: str
    """Id of the company in actions, events and views."""
    name: str
    """Name of the company."""
    colour: str
    """Colour of the company."""
    shares: int
    """Number of shares of the company."""
    locomotives: int
    """Number of locomotives of the company, including the locomotive in the hex where the company starts."""
    start: str
    """Id of the hex where the company starts."""
    opens: Literal["start", "chicago"]
    """`chicago` for the company that opens when another company reaches Chicago. `start` for a company that is open
    from the start.
    """
    opening_bid: int | None
    """Lowest bid in the opening auction of the company, in dollars. Null if the company has no opening auction."""


class BoardDials(msgspec.Struct, frozen=True, gc=False):
    """For each action, how often players can choose it from the start of the game until its dial is red."""

    auction: int
    """How often players can choose the action `auction` until its dial is red."""
    expand: int
    """How often players can choose the action `expand` until its dial is red."""
    develop: int
    """How often players can choose the action `develop` until its dial is red."""


class BoardEnd(msgspec.Struct, frozen=True, gc=False):
    """Thresholds of the end conditions. The game ends after a general dividend if a threshold is reached."""

    companies_without_locomotives: int
    """The game ends if this many companies have no locomotives left."""
    companies_without_shares: int
    """The game ends if this many companies have no shares left."""
    houses_left_at_most: int
    """The game ends if at most this many houses are left in the supply."""
    detroit_at: int
    """The game ends if the value of Detroit is this many dollars."""


class Board(msgspec.Struct, frozen=True, gc=False):
    """The parts of a board that do not change during a game: geometry, names and costs."""

    name: str
    """Name of the board. `standard` is the built-in board of the published game. Other names are custom boards."""
    title: str
    """Title of the board, for display."""
    hexes: list[BoardHex]
    """All hexes of the board."""
    scales: list[BoardScale]
    """The series of values of the industrial hexes."""
    companies: list[BoardCompany]
    """All companies of the game."""
    chicago: str
    """Id of the hex of Chicago."""
    dials: BoardDials
    """For each action, how often players can choose it from the start of the game until its dial is red."""
    expand_max: int
    """Largest number of locomotives that one expansion may place."""
    houses: int
    """Number of houses in the supply at the start."""
    cash: dict[str, int]
    """Mapping from the number of players, as text, to the dollars that each player starts with."""
    end: BoardEnd
    """Thresholds of the end conditions. The game ends after a general dividend if a threshold is reached."""
