"""The words of Chicago Express: options, actions, events and views."""

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
    """Who bids first on the first opening share: seat 0, or a seat drawn at random."""


class Choose(msgspec.Struct, tag="choose", tag_field="type", frozen=True, gc=False, forbid_unknown_fields=True):
    """Take one of the three actions for this turn; its dial moves one step."""

    action: ActionName
    """The action: its dial must not be red."""


class Offer(msgspec.Struct, tag="offer", tag_field="type", frozen=True, gc=False, forbid_unknown_fields=True):
    """Offer a share of a company for auction."""

    company: str
    """The company: open, and with a share left."""


class Build(
    msgspec.Struct, tag="build", tag_field="type", frozen=True, gc=False, forbid_unknown_fields=True, omit_defaults=True
):
    """Place a locomotive of a company in a hex next to its network."""

    company: str
    """A company in which the player holds a share; after the first build of an expansion, the same company."""
    hex: str
    """Where the locomotive goes."""
    cost: int | None = None
    """What the company pays; given in the legal list, optional in an answer."""


class Develop(msgspec.Struct, tag="develop", tag_field="type", frozen=True, gc=False, forbid_unknown_fields=True):
    """Develop a hex that holds a locomotive."""

    hex: str
    """The hex."""


Action = Bid | Pass | Choose | Offer | Build | Develop
Entry = BidRange | Pass | Choose | Offer | Build | Develop


class ShareOffered(msgspec.Struct, tag="share_offered", tag_field="type", frozen=True, gc=False):
    """An auction began."""

    seat: int
    """Who bids first."""
    company: str
    """Whose share is sold."""
    minimum: int
    """The lowest first bid."""
    occasion: Literal["opening", "auction", "wabash"]
    """Why: before the first turn, by an auction action, or because the Wabash opened."""


class ShareSold(msgspec.Struct, tag="share_sold", tag_field="type", frozen=True, gc=False):
    """A share went to a player, who paid the company's treasury."""

    seat: int
    """Who got it."""
    company: str
    """Whose share it is."""
    price: int
    """What was paid; 0 for an opening share on which nobody bid."""
    shares_sold: int
    """How many shares of the company are sold now."""
    per_share: int
    """What each of these shares would be paid at a dividend now."""


class ShareUnsold(msgspec.Struct, tag="share_unsold", tag_field="type", frozen=True, gc=False):
    """Nobody bid; the share stays with the company."""

    company: str
    """Whose share it is."""


class ActionChosen(msgspec.Struct, tag="action_chosen", tag_field="type", frozen=True, gc=False):
    """A player chose the action of the turn."""

    seat: int
    """Whose turn it is."""
    action: ActionName
    """The action."""
    dial: int
    """Where its dial stands now."""
    is_red: bool
    """Whether its dial has turned red."""


class Built(msgspec.Struct, tag="built", tag_field="type", frozen=True, gc=False):
    """A company placed a locomotive."""

    seat: int
    """Who built."""
    company: str
    """Whose locomotive it is."""
    hex: str
    """Where it stands."""
    name: str | None
    """The name of the place, if it has one."""
    cost: int
    """What the company paid to the bank."""
    treasury: int
    """What the company has left."""
    income: int
    """The company's income now."""
    locomotives_left: int
    """How many locomotives the company may still place."""


class Developed(msgspec.Struct, tag="developed", tag_field="type", frozen=True, gc=False):
    """A player developed a hex."""

    seat: int
    """Who developed it."""
    hex: str
    """The hex."""
    name: str | None
    """The name of the place, if it has one."""
    value: int
    """What a locomotive there is worth in income now."""
    houses_left: int
    """Houses left in the supply."""
    incomes: dict[str, int]
    """The new income of each company whose income rose."""
    received: dict[str, int]
    """What a company received from the bank (forest only)."""


class ChicagoReached(msgspec.Struct, tag="chicago_reached", tag_field="type", frozen=True, gc=False):
    """An expansion that reached Chicago is over; the Chicago phase begins."""

    seat: int
    """Who brought the company there."""
    company: str
    """The company."""


class DividendPaid(msgspec.Struct, tag="dividend_paid", tag_field="type", frozen=True, gc=False):
    """The bank paid the shareholders of one company."""

    company: str
    """The company."""
    occasion: Literal["general", "chicago"]
    """The general dividend, or the one for reaching Chicago."""
    income: int
    """The company's income."""
    per_share: int
    """What each share was paid."""
    payouts: list[int]
    """What each player was paid, by seat."""


class WabashOpened(msgspec.Struct, tag="wabash_opened", tag_field="type", frozen=True, gc=False):
    """The company that was waiting for Chicago opened: it placed its first locomotive free of charge."""

    company: str
    """The company."""
    hex: str
    """Where it begins."""
    income: int
    """Its income."""
    locomotives_left: int
    """How many locomotives it may still place."""


class DialsReset(msgspec.Struct, tag="dials_reset", tag_field="type", frozen=True, gc=False):
    """All dials went back to 0 after a general dividend."""


class DetroitMoved(msgspec.Struct, tag="detroit_moved", tag_field="type", frozen=True, gc=False):
    """Detroit's marker moved one step after a general dividend."""

    hex: str
    """Detroit's hex."""
    value: int
    """What a locomotive there is worth in income now."""
    incomes: dict[str, int]
    """The new income of each company there."""


class ActionLost(msgspec.Struct, tag="action_lost", tag_field="type", frozen=True, gc=False):
    """The dividend paid before the chosen action ended the game, so the action is not carried out."""

    seat: int
    """Whose turn it was."""
    action: ActionName
    """The action."""


class GameEnded(msgspec.Struct, tag="game_ended", tag_field="type", frozen=True, gc=False):
    """The game is over."""

    reasons: list[EndReason]
    """The conditions that were met."""


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
    """The open question."""

    seat: int
    """Who has to answer."""
    asks: Literal["bid_or_pass", "choose_action", "offer_share", "expand", "develop"]
    """What kind of question."""
    company: str | None
    """`bid_or_pass`: whose share is sold; `expand`: the company that is building, null before the first build."""
    builds_left: int | None
    """`expand`: how many locomotives may still be placed in this expansion."""
    has_reached_chicago: bool = False
    """`expand`: true once this expansion has reached Chicago, so that the Chicago phase follows; otherwise left out."""


class Auction(msgspec.Struct, frozen=True, gc=False):
    """The auction in progress."""

    company: str
    """Whose share is sold."""
    is_opening: bool
    """Whether it is an opening auction: if nobody bids, `first_bidder` gets the share for nothing."""
    first_bidder: int
    """The seat that was first to bid or pass."""
    minimum: int
    """The lowest bid allowed now."""
    bid: int | None
    """The standing bid, null if there is none."""
    leader: int | None
    """Who made the standing bid."""
    still_in: list[int]
    """The seats that have not passed."""


class Player(msgspec.Struct, frozen=True, gc=False):
    """One player."""

    seat: int
    """The seat."""
    cash: int
    """Cash in hand: the score."""
    shares: dict[str, int]
    """Shares held, by company; every company is listed."""


class Company(msgspec.Struct, frozen=True, gc=False):
    """One company."""

    id: str
    """Its id."""
    is_open: bool
    """False for the Wabash until a company has reached Chicago."""
    treasury: int
    """What it can spend on building."""
    income: int
    """The sum of the values of its hexes."""
    shares_sold: int
    """Shares in players' hands."""
    shares_left: int
    """Shares still to be sold."""
    locomotives_left: int
    """Locomotives it may still place."""
    track: list[str]
    """The hexes it stands on, its start included."""
    has_reached_chicago: bool
    """Whether it stands in Chicago."""
    minimum_bid: int | None
    """The lowest first bid for its next share now; null if no share can be offered."""
    dividend: int
    """What each sold share would be paid at a dividend now; 0 if none is sold."""


class Dial(msgspec.Struct, frozen=True, gc=False):
    """The dial of one action."""

    action: ActionName
    """The action."""
    moved: int
    """How often it was chosen since the last general dividend."""
    red_at: int
    """Where it turns red. A red dial cannot be chosen; two red dials bring the general dividend."""


class Scale(msgspec.Struct, frozen=True, gc=False):
    """The scale of one industrial hex."""

    hex: str
    """The hex."""
    name: str | None
    """The name of the place, if it has one."""
    value: int
    """What a locomotive there is worth in income now."""
    next_value: int | None
    """The value after the next step; null at the end of the scale."""


class EndCondition(msgspec.Struct, frozen=True, gc=False):
    """One condition under which the game ends after the next general dividend."""

    reason: EndReason
    """Its name."""
    now: int
    """The number of companies without locomotives or without shares, of houses left in the supply, or Detroit's
    value."""
    limit: int
    """The condition is met when `now` reaches this (for houses: this or fewer)."""
    is_met: bool
    """Whether it is met."""


class View(msgspec.Struct, frozen=True, gc=False):
    """The whole position; nothing is hidden in this game."""

    seat: int | None
    """Whose view it is; null for a spectator."""
    question: Question | None
    """The open question; null when the game has ended."""
    turn: int | None
    """Whose turn it is; null during the opening auctions."""
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
    """Why it ended; empty while it runs."""
    options: Options
    """The options the game is played with."""


class BoardHex(msgspec.Struct, frozen=True, gc=False):
    """A hex of the board."""

    id: str
    """The hex, as in actions and events."""
    q: int
    """Its axial coordinate to the east."""
    r: int
    """Its axial coordinate to the south."""
    terrain: Terrain
    """Forest and mountain hold one locomotive in total; nobody builds in `start`."""
    name: str | None
    """The name of the place, if it has one."""
    cost: int | None
    """What the first locomotive there costs; the second costs twice as much, and so on. Null for `start`."""
    income: int
    """What a locomotive there is worth in income, before development."""
    develop: int | None
    """What development adds to that."""
    develop_cash: int | None
    """What a company there receives at once when the hex is developed."""
    neighbours: list[str]
    """The adjacent hexes."""


class BoardScale(msgspec.Struct, frozen=True, gc=False):
    """The values of an industrial hex."""

    hex: str
    """The hex."""
    values: list[int]
    """Its values from first to last."""
    moves: Literal["develop", "dividend"]
    """`develop`: players move it. `dividend`: every general dividend moves it."""


class BoardCompany(msgspec.Struct, frozen=True, gc=False):
    """A company at the start of the game."""

    id: str
    """Its id."""
    name: str
    """Its name."""
    colour: str
    """Its colour."""
    shares: int
    """How many shares it has."""
    locomotives: int
    """How many locomotives it has; the one on its start counts."""
    start: str
    """Where it begins."""
    opens: Literal["start", "chicago"]
    """`chicago` for the company that opens when another reaches Chicago."""
    opening_bid: int | None
    """The minimum in the opening auction, if it has one."""


class BoardDials(msgspec.Struct, frozen=True, gc=False):
    """How often each action may be chosen before its dial is red."""

    auction: int
    """For `auction`."""
    expand: int
    """For `expand`."""
    develop: int
    """For `develop`."""


class BoardEnd(msgspec.Struct, frozen=True, gc=False):
    """When the game ends, after a general dividend."""

    companies_without_locomotives: int
    """This many companies have no locomotives left."""
    companies_without_shares: int
    """This many companies have no shares left."""
    houses_left_at_most: int
    """This many houses or fewer are left."""
    detroit_at: int
    """Detroit's value."""


class Board(msgspec.Struct, frozen=True, gc=False):
    """What does not change during a game: geometry, names and costs."""

    name: str
    """The name of the board; `standard` is the one that comes with the game."""
    title: str
    """Its title."""
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
    """Locomotives in one expansion."""
    houses: int
    """Houses in the supply."""
    cash: dict[str, int]
    """What each player starts with, by number of players."""
    end: BoardEnd
    """When the game ends."""
