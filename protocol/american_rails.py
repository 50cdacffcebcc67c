"""Data types of American Rails: options, actions, entries of a legal list, events, views and the board."""

from typing import Literal

import msgspec

from rails_cli.protocol.common import Bid, BidMade, BidRange, FirstPlayer, Pass, Passed

SpaceName = Literal["pass", "develop", "fund", "take", "expand3", "auction", "expand4"]
"""Names of the action spaces in a column of the board."""

EndReason = Literal["last_year", "no_shares", "low_supplies"]
"""Why a game ended: the last year is over, no share is left in any supply, or enough supplies have run low."""


class Options(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """The choices made before a game of American Rails."""

    first_player: Literal["seat_0", "drawn"] = "seat_0"
    """Which seat is the banker and offers the first share: seat 0, or a seat drawn at random."""


class Offer(msgspec.Struct, tag="offer", tag_field="type", frozen=True, gc=False, forbid_unknown_fields=True):
    """Nominate a company: one share of it is auctioned, and you bid first or pass."""

    company: str
    """The company whose share is auctioned."""


class Found(msgspec.Struct, tag="found", tag_field="type", frozen=True, gc=False, forbid_unknown_fields=True):
    """Place the first cube of the company whose share you just bought, free of charge."""

    hex: str
    """Id of the city where the first cube is placed. The city must not hold a cube yet."""


class Choose(msgspec.Struct, tag="choose", tag_field="type", frozen=True, gc=False, forbid_unknown_fields=True):
    """Move your marker to a free action space of the current column."""

    action: SpaceName
    """Name of the space. Unless it is `pass`, a request for the action of the space follows, which you may decline."""


class Develop(msgspec.Struct, tag="develop", tag_field="type", frozen=True, gc=False, forbid_unknown_fields=True):
    """Place a development marker."""

    hex: str
    """Id of the city: a developable city that holds a cube and no development marker."""


class Fund(msgspec.Struct, tag="fund", tag_field="type", frozen=True, gc=False, forbid_unknown_fields=True):
    """Make the bank pay a fixed amount into a company's treasury."""

    company: str
    """Id of any company in play."""


class Take(msgspec.Struct, tag="take", tag_field="type", frozen=True, gc=False, forbid_unknown_fields=True):
    """Take money from the bank, or make every other player pay the bank."""

    source: Literal["bank", "players"] = msgspec.field(name="from")
    """`bank`: the bank pays you. `players`: every other player pays the bank."""


class Build(
    msgspec.Struct, tag="build", tag_field="type", frozen=True, gc=False, forbid_unknown_fields=True, omit_defaults=True
):
    """Place a cube of a company in which you hold a share, next to another cube of the company. The company pays."""

    company: str
    """Id of the company that builds."""
    hex: str
    """Id of the hex where the cube is placed."""
    cost: int | None = None
    """Dollars that the company's treasury pays. Given in the legal list, optional in an answer."""


Action = Offer | Bid | Pass | Found | Choose | Develop | Fund | Take | Build
Entry = Offer | BidRange | Pass | Found | Choose | Develop | Fund | Take | Build


class CompanyRemoved(msgspec.Struct, tag="company_removed", tag_field="type", frozen=True, gc=False):
    """A company, drawn at random, was removed from the game before it began, with its shares and cubes."""

    company: str
    """Id of the company."""


class ShareOffered(msgspec.Struct, tag="share_offered", tag_field="type", frozen=True, gc=False):
    """A share was offered for auction."""

    seat: int
    """Seat that nominated the company and bids first."""
    company: str
    """Id of the company."""
    minimum: int
    """Lowest amount of the first bid, in dollars."""
    occasion: Literal["opening", "auction"]
    """`opening` for the opening auctions, `auction` for the Auction action."""


class ShareSold(msgspec.Struct, tag="share_sold", tag_field="type", frozen=True, gc=False):
    """A player won an auction and paid the price into the company's treasury."""

    seat: int
    """The seat that bought the share."""
    company: str
    """Id of the company."""
    price: int
    """Price in dollars."""
    treasury: int
    """Dollars in the company's treasury now."""
    left: int
    """Number of shares left in the company's supply."""


class ShareRemoved(msgspec.Struct, tag="share_removed", tag_field="type", frozen=True, gc=False):
    """Shares left the game, because nobody bid or because there was no city for the company to start in."""

    company: str
    """Id of the company."""
    shares: int
    """Number of shares of the company that left the game."""
    why: Literal["no_bid", "no_city"]
    """`no_bid`: nobody bid. `no_city`: the share just bought and all shares in the supply left the game."""
    left: int
    """Number of shares left in the company's supply."""
    seat: int | None = None
    """The seat that lost the share just bought. Null if nobody bid."""


class Founded(msgspec.Struct, tag="founded", tag_field="type", frozen=True, gc=False):
    """A company's first cube was placed, free of charge."""

    seat: int
    """The seat that placed the cube."""
    company: str
    """Id of the company."""
    hex: str
    """Id of the city where the company starts."""
    name: str
    """Name of the city."""
    income: int
    """Income of the company now, in dollars."""


class NumberTaken(msgspec.Struct, tag="number_taken", tag_field="type", frozen=True, gc=False):
    """A player took the lowest free number on the turn order track."""

    seat: int
    """The seat that took the number."""
    number: int
    """Number on the turn order track, from 1."""


class TurnOrderSet(msgspec.Struct, tag="turn_order_set", tag_field="type", frozen=True, gc=False):
    """An action phase began, with a new turn order."""

    year: int
    """Calendar year in the game."""
    phase: int
    """Number of the action phase in the year, from 1."""
    order: list[int]
    """The seats in turn order."""


class SpaceTaken(msgspec.Struct, tag="space_taken", tag_field="type", frozen=True, gc=False):
    """A player moved to a space of the current column."""

    seat: int
    """The seat that moved."""
    action: SpaceName
    """Name of the space, which stays taken until the year is over."""


class Developed(msgspec.Struct, tag="developed", tag_field="type", frozen=True, gc=False):
    """A development marker was placed. `income_changed` events report the gain of each company in the city."""

    seat: int
    """The seat that placed the marker."""
    hex: str
    """Id of the city."""
    name: str
    """Name of the city."""
    left: int
    """Markers still in the supply."""


class Funded(msgspec.Struct, tag="funded", tag_field="type", frozen=True, gc=False):
    """The bank paid into a treasury."""

    seat: int
    """The seat that chose the company."""
    company: str
    """Id of the company."""
    amount: int
    """Dollars that the bank paid."""
    treasury: int
    """Dollars in the company's treasury now."""


class MoneyTaken(msgspec.Struct, tag="money_taken", tag_field="type", frozen=True, gc=False):
    """A player took money from the bank."""

    seat: int
    """The seat that took the money."""
    amount: int
    """Dollars that the bank paid."""


class PlayersPaid(msgspec.Struct, tag="players_paid", tag_field="type", frozen=True, gc=False):
    """A player made all other players pay the bank."""

    seat: int
    """Seat that made the other players pay."""
    payments: list[int]
    """Dollars that each seat paid to the bank, by seat."""


class Built(msgspec.Struct, tag="built", tag_field="type", frozen=True, gc=False):
    """A company placed a cube."""

    seat: int
    """The seat that expanded the company."""
    company: str
    """Id of the company."""
    hex: str
    """Id of the hex where the cube was placed."""
    name: str | None
    """Name of the city. Null if the hex is not a city."""
    cost: int
    """Dollars that the company paid to the bank."""
    treasury: int
    """Dollars in the company's treasury now."""
    income: int
    """Income of the company now, in dollars, without links that the next events report."""


class IncomeChanged(msgspec.Struct, tag="income_changed", tag_field="type", frozen=True, gc=False):
    """A company's income from a city changed, because another company arrived or the city was developed."""

    company: str
    """Id of the company."""
    hex: str
    """Id of the city."""
    name: str
    """Name of the city."""
    change: int
    """Change of the income in dollars. Negative if the income fell."""
    income: int
    """Income of the company now, in dollars."""


class LinkMade(msgspec.Struct, tag="link_made", tag_field="type", frozen=True, gc=False):
    """A company linked a pair of the bonus cities."""

    company: str
    """Id of the company."""
    cities: list[str]
    """Ids of the hexes of the two cities. The city just reached comes last."""
    names: list[str]
    """Names of the two cities."""
    bonus: int
    """Dollars that this pair of cities adds to the income of the company."""
    income: int
    """Income of the company now, in dollars."""


class DividendPaid(msgspec.Struct, tag="dividend_paid", tag_field="type", frozen=True, gc=False):
    """The bank paid a company's dividend."""

    company: str
    """Id of the company."""
    income: int
    """Income of the company, in dollars."""
    per_share: int
    """Dollars paid for each share held by a player."""
    payouts: list[int]
    """Dollars paid to each seat, by seat."""


class YearAdvanced(msgspec.Struct, tag="year_advanced", tag_field="type", frozen=True, gc=False):
    """A new year began."""

    year: int
    """Calendar year in the game."""


class GameEnded(msgspec.Struct, tag="game_ended", tag_field="type", frozen=True, gc=False):
    """The game ended after a dividend."""

    reasons: list[EndReason]
    """Every end condition that was met."""


Event = (
    CompanyRemoved
    | FirstPlayer
    | ShareOffered
    | BidMade
    | Passed
    | ShareSold
    | ShareRemoved
    | Founded
    | NumberTaken
    | TurnOrderSet
    | SpaceTaken
    | Developed
    | Funded
    | MoneyTaken
    | PlayersPaid
    | Built
    | IncomeChanged
    | LinkMade
    | DividendPaid
    | YearAdvanced
    | GameEnded
)


class OpenQuestion(msgspec.Struct, frozen=True, gc=False):
    """The question that the game waits for."""

    seat: int
    """The seat that has to answer."""
    asks: Literal["nominate", "bid", "found", "choose", "develop", "fund", "take", "expand", "auction"]
    """Kind of question: `nominate` in the opening, `auction` for the Auction action, else the name of the action."""
    company: str | None = None
    """Id of the company whose share is sold (`bid`) or that is founded (`found`). Null for other questions."""
    cubes: int | None = None
    """Number of cubes that may still be placed (`expand`, and `take` if it may expand). Null for other questions."""


class AuctionView(msgspec.Struct, frozen=True, gc=False):
    """The auction in progress."""

    company: str
    """Id of the company whose share is sold."""
    is_opening: bool
    """True in the opening auctions, false after the Auction action."""
    seat: int
    """Seat that has to bid or pass next."""
    minimum: int
    """Lowest bid allowed now, in dollars."""
    bid: int | None
    """Highest bid so far, in dollars. Null before the first bid."""
    leader: int | None
    """Seat that made the highest bid. Null before the first bid."""
    still_in: list[int]
    """The seats that have not passed."""


class PlayerView(msgspec.Struct, frozen=True, gc=False):
    """One player in a view."""

    seat: int
    """Seat number, from 0."""
    cash: int
    """Cash of the player in dollars, which is also the score."""
    shares: dict[str, int]
    """Number of shares held, by id of the company. Every company of the board is listed."""
    due: int
    """Dollars that a dividend would pay the player now."""


class CompanyView(msgspec.Struct, frozen=True, gc=False):
    """One company in a view."""

    id: str
    """Id of the company."""
    in_play: bool
    """False if the company was removed from the game before it began."""
    treasury: int
    """Dollars in the company's treasury."""
    income: int
    """Income of the company, in dollars."""
    dividend: int
    """Dollars that a dividend would pay now for each share held by a player. 0 if players hold none."""
    shares_left: int
    """Number of shares in the company's supply."""
    shares_held: int
    """Number of shares held by players."""
    shares_removed: int
    """Number of shares that left the game."""
    cubes_left: int
    """Number of cubes in the company's supply."""
    track: list[str]
    """Ids of the hexes that hold a cube of the company. Empty if the company has not started."""
    links: int
    """Number of pairs of bonus cities that the company has linked."""


class EndView(msgspec.Struct, frozen=True, gc=False):
    """How close the game is to its end."""

    years_left: int
    """Number of years after the current one."""
    shares_left: int
    """Number of shares in all supplies together. The game ends when no share is left."""
    low_supplies: int
    """Number of low supplies. Supplies are the cubes of each company in play and the development markers."""
    low_supplies_needed: int
    """Number of low supplies at which the game ends."""
    low_means: int
    """Number of pieces at or below which a supply has run low."""


class View(msgspec.Struct, frozen=True, gc=False):
    """The whole position. Nothing is hidden in American Rails, so all seats see the same."""

    seat: int | None
    """The seat that receives this view. Null for a spectator."""
    is_opening: bool
    """True until the opening auctions are over. The years of action phases follow."""
    question: OpenQuestion | None
    """The open question. Null when the game has ended."""
    auction: AuctionView | None
    """The auction in progress, if any."""
    opening_lots: list[str]
    """Companies whose opening share is still to be auctioned."""
    year: int
    """Calendar year in the game."""
    phase: int
    """Number of the action phase in the year, from 1."""
    order: list[int]
    """Seats in the turn order of the current phase. In the opening, only the seats that have a number."""
    columns: list[dict[SpaceName, int]]
    """For each action phase of the year: the taken spaces, top to bottom, each with the seat that took it."""
    players: list[PlayerView]
    """The players, by seat."""
    companies: list[CompanyView]
    """All companies of the board, including those that were removed from the game."""
    developed: list[str]
    """Ids of the cities that hold a development marker."""
    markers_left: int
    """Number of development markers in the supply."""
    end: EndView
    """How close the game is to its end."""
    has_ended: bool
    """Whether the game has ended."""
    end_reasons: list[EndReason]
    """Reasons for the end of the game. Empty while it runs."""
    banker: int = 0
    """The seat that offered the first share."""
    options: Options = Options()
    """The options the game is played with."""


class BoardHex(msgspec.Struct, frozen=True, gc=False):
    """A hex of the board. `name`, `full`, `shared` and `developable` are null unless the hex is a city."""

    id: str
    """Id that actions and events use."""
    q: int
    """Axial coordinate of the hex to the east."""
    r: int
    """Axial coordinate of the hex to the south."""
    terrain: Literal["city", "plain", "forest", "mountain"]
    """Kind of land."""
    name: str | None
    """The name of the city."""
    full: int | None
    """Income in dollars for a company that is alone in the city."""
    shared: int | None
    """Income in dollars for each company if several are in the city."""
    developable: bool | None
    """Whether the city may hold a development marker."""
    neighbours: list[str]
    """Ids of the adjacent hexes."""


class BoardCompany(msgspec.Struct, frozen=True, gc=False):
    """A company at the start of the game."""

    id: str
    """Id that actions, events and views use."""
    colour: str
    """Colour of the company."""
    cubes: int
    """Number of cubes of the company. One of them marks the company's income."""
    shares: int
    """Number of shares of the company."""


class BoardGrid(msgspec.Struct, frozen=True, gc=False):
    """Description of the map in plain words."""

    orientation: str
    """Orientation of the hexes, in words."""
    coordinates: str
    """Numbering of the hexes, in words."""


class BoardPlayers(msgspec.Struct, frozen=True, gc=False):
    """Values that depend on the number of players."""

    cash: int
    """Dollars that each player starts with."""
    companies_removed: int
    """Number of companies removed at random before the game begins."""
    low_supplies: int
    """Number of low supplies at which the game ends."""
    take_may_expand: bool
    """Whether the Take action includes an expansion."""


class BoardTerrain(msgspec.Struct, frozen=True, gc=False):
    """Cost of a cube on one kind of land."""

    base: int
    """Cost of the first cube on a hex, in dollars."""
    per_piece: int
    """Surcharge in dollars for each cube or marker already on the hex."""
    limit: int | None
    """Number of cubes that a hex can hold. Null for no limit."""


class BoardTerrains(msgspec.Struct, frozen=True, gc=False):
    """Cost of a cube by kind of land."""

    city: BoardTerrain
    """Cost of a cube in a city."""
    plain: BoardTerrain
    """Cost of a cube on plain land."""
    forest: BoardTerrain
    """Cost of a cube in a forest."""
    mountain: BoardTerrain
    """Cost of a cube in the mountains."""


class BoardExpansion(msgspec.Struct, frozen=True, gc=False):
    """Number of cubes that each action may place."""

    take: int
    """Number of cubes that the action `take` may place."""
    expand3: int
    """Number of cubes that the action `expand3` may place."""
    expand4: int
    """Number of cubes that the action `expand4` may place."""


class BoardDevelopment(msgspec.Struct, frozen=True, gc=False):
    """Amounts that a development marker adds to the value of a city."""

    full: int
    """Dollars added to the income of a company that is alone in the city."""
    shared: int
    """Dollars added to the income of each company if several are in the city."""


class BoardLinks(msgspec.Struct, frozen=True, gc=False):
    """The bonus for linking pairs of the bonus cities."""

    cities: list[str]
    """Ids of the hexes of the bonus cities."""
    income_per_pair: int
    """Dollars that each linked pair of bonus cities adds to the income of a company."""


class Board(msgspec.Struct, frozen=True, gc=False):
    """The parts of a board that do not change during a game: geometry, names and costs."""

    format: int
    """The version of the board format."""
    game: str
    """Name of the game."""
    name: str
    """Name of the board. `standard` is the board that is part of the game."""
    title: str
    """Title of the board."""
    grid: BoardGrid
    """Description of the map in plain words."""
    players: dict[str, BoardPlayers]
    """Values that depend on the number of players, by that number."""
    companies: list[BoardCompany]
    """All companies of the game."""
    markers: int
    """Number of development markers in the supply."""
    low_supply: int
    """Number of pieces at or below which a supply has run low."""
    years: list[int]
    """Calendar years of the game, in order."""
    phases: int
    """Number of action phases in each year."""
    spaces: list[SpaceName]
    """Names of the action spaces in a column, top to bottom."""
    minimum_bid: int
    """Lowest amount of a first bid, in dollars."""
    fund: int
    """Dollars that the Fund action pays."""
    take: int
    """Dollars that the Take action pays."""
    expansion: BoardExpansion
    """Number of cubes that each action may place."""
    terrain: BoardTerrains
    """Cost of a cube by kind of land."""
    development: BoardDevelopment
    """Amounts that a development marker adds to the value of a city."""
    links: BoardLinks
    """The bonus for linking pairs of the bonus cities."""
    hexes: list[BoardHex]
    """All hexes of the board."""
