"""Data types of American Rails: options, actions, entries of `legal` in requests, events, views and the board."""

from typing import Literal

import msgspec

from rails_cli.protocol.common import Bid, BidMade, BidRange, FirstPlayer, Pass, Passed

SpaceName = Literal["pass", "develop", "fund", "take", "expand3", "auction", "expand4"]
"""Names of the action spaces in a column of the board."""

EndReason = Literal["last_year", "no_shares", "low_supplies"]
"""Reason for the end of a game.
`last_year`: the last year is over.
`no_shares`: no share is left in any supply.
`low_supplies`: too many supplies of cubes or development markers are almost empty.
"""


class Options(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """The options of a game of American Rails, chosen before the game."""

    first_player: Literal["seat_0", "drawn"] = "seat_0"
    """The seat that becomes the banker and offers the first share. `seat_0`: seat 0. `drawn`: a seat chosen at random.
    """


class Offer(msgspec.Struct, tag="offer", tag_field="type", frozen=True, gc=False, forbid_unknown_fields=True):
    """Nominate a company. One share of the company is auctioned, and you are the first to bid or pass."""

    company: str
    """The company whose share is auctioned."""


class Found(msgspec.Struct, tag="found", tag_field="type", frozen=True, gc=False, forbid_unknown_fields=True):
    """Place a company's first cube, free of charge. You have just bought a share of the company."""

    hex: str
    """Id of the city where the first cube is placed. The city must not hold a cube yet."""


class Choose(msgspec.Struct, tag="choose", tag_field="type", frozen=True, gc=False, forbid_unknown_fields=True):
    """Move your marker to a free action space of the current column."""

    action: SpaceName
    """Name of the space. You are then asked to carry out the action of the space, or to decline it. The space `pass`
    has no action.
    """


class Develop(msgspec.Struct, tag="develop", tag_field="type", frozen=True, gc=False, forbid_unknown_fields=True):
    """Place a development marker in a city."""

    hex: str
    """Id of the city. It must be developable, hold a cube, and hold no development marker yet."""


class Fund(msgspec.Struct, tag="fund", tag_field="type", frozen=True, gc=False, forbid_unknown_fields=True):
    """Make the bank pay a fixed amount into a company's treasury."""

    company: str
    """Id of the company. It may be any company in play, even one in which you hold no share."""


class Take(msgspec.Struct, tag="take", tag_field="type", frozen=True, gc=False, forbid_unknown_fields=True):
    """Get a fixed amount from the bank, or make every other player pay the same amount to the bank."""

    source: Literal["bank", "players"] = msgspec.field(name="from")
    """`bank`: the bank pays you. `players`: every other player pays the same amount to the bank. You get nothing."""


class Build(
    msgspec.Struct, tag="build", tag_field="type", frozen=True, gc=False, forbid_unknown_fields=True, omit_defaults=True
):
    """Place a cube of a company in which you hold a share. The hex must be next to a cube of the same company. The
    company pays the cost.
    """

    company: str
    """Id of the company that builds."""
    hex: str
    """Id of the hex where the cube is placed."""
    cost: int | None = None
    """Dollars that the company's treasury pays. Present in the list of legal actions, optional in an answer."""


Action = Offer | Bid | Pass | Found | Choose | Develop | Fund | Take | Build
Entry = Offer | BidRange | Pass | Found | Choose | Develop | Fund | Take | Build


class CompanyRemoved(msgspec.Struct, tag="company_removed", tag_field="type", frozen=True, gc=False):
    """Before the start, a company was chosen at random and removed from the game, with its shares and cubes."""

    company: str
    """Id of the removed company."""


class ShareOffered(msgspec.Struct, tag="share_offered", tag_field="type", frozen=True, gc=False):
    """A share was offered for auction."""

    seat: int
    """The seat that nominated the company and bids first."""
    company: str
    """Id of the company whose share is auctioned."""
    minimum: int
    """Lowest amount of the first bid, in dollars."""
    occasion: Literal["opening", "auction"]
    """Reason for the auction. `opening`: the auction is one of the opening auctions. `auction`: a player chose the
    Auction action.
    """


class ShareSold(msgspec.Struct, tag="share_sold", tag_field="type", frozen=True, gc=False):
    """A player won an auction and paid the price into the company's treasury."""

    seat: int
    """The seat that bought the share."""
    company: str
    """Id of the company whose share was sold."""
    price: int
    """Price of the share in dollars."""
    treasury: int
    """Dollars in the company's treasury now."""
    left: int
    """Number of shares of the company left in its supply."""


class ShareRemoved(msgspec.Struct, tag="share_removed", tag_field="type", frozen=True, gc=False):
    """One or more shares of a company left the game. Either nobody bid for a share, or no free city was left for the
    company's first cube.
    """

    company: str
    """Id of the company."""
    shares: int
    """Number of shares of the company that left the game."""
    why: Literal["no_bid", "no_city"]
    """Reason. `no_bid`: nobody bid for the share. `no_city`: the company has no free city to start in. With `no_city`,
    the share just bought and all shares in the company's supply left the game.
    """
    left: int
    """Number of shares of the company left in its supply."""
    seat: int | None = None
    """The seat that bought the share before it left the game. Null if nobody bid."""


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
    """A player got the next free place in the turn order. Places are given during the opening auctions and at their
    end.
    """

    seat: int
    """The seat that got the place in the turn order."""
    number: int
    """Place in the turn order, from 1."""


class TurnOrderSet(msgspec.Struct, tag="turn_order_set", tag_field="type", frozen=True, gc=False):
    """An action phase began, with a new turn order."""

    year: int
    """Calendar year in the game."""
    phase: int
    """Number of the action phase in the year, from 1."""
    order: list[int]
    """The seats in the new turn order."""


class SpaceTaken(msgspec.Struct, tag="space_taken", tag_field="type", frozen=True, gc=False):
    """A player moved their marker to an action space of the current column."""

    seat: int
    """The seat whose marker moved."""
    action: SpaceName
    """Name of the space, which stays taken until the year is over."""


class Developed(msgspec.Struct, tag="developed", tag_field="type", frozen=True, gc=False):
    """A development marker was placed in a city. For each company in the city, an `income_changed` event with its gain
    follows.
    """

    seat: int
    """The seat that placed the marker."""
    hex: str
    """Id of the city."""
    name: str
    """Name of the city."""
    left: int
    """Number of development markers left in the supply."""


class Funded(msgspec.Struct, tag="funded", tag_field="type", frozen=True, gc=False):
    """The bank paid a fixed amount into a company's treasury."""

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
    """The seat that made the other players pay."""
    payments: list[int]
    """Dollars that each seat paid to the bank, by seat. The seat that made the others pay has 0."""


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
    """Income of the company now, in dollars. A bonus for a new link of cities is not included: a later `link_made`
    event reports it.
    """


class IncomeChanged(msgspec.Struct, tag="income_changed", tag_field="type", frozen=True, gc=False):
    """A company's income from one city changed. Either another company reached the city, or the city was developed."""

    company: str
    """Id of the company whose income changed."""
    hex: str
    """Id of the city."""
    name: str
    """Name of the city."""
    change: int
    """Change of the income in dollars. Negative if the income fell."""
    income: int
    """Income of the company now, in dollars."""


class LinkMade(msgspec.Struct, tag="link_made", tag_field="type", frozen=True, gc=False):
    """A company connected two bonus cities with its cubes, which increases its income."""

    company: str
    """Id of the company."""
    cities: list[str]
    """Ids of the hexes of the two cities. The city just reached comes last."""
    names: list[str]
    """Names of the two cities, in the order of `cities`."""
    bonus: int
    """Dollars that this pair of cities adds to the income of the company."""
    income: int
    """Income of the company now, in dollars."""


class DividendPaid(msgspec.Struct, tag="dividend_paid", tag_field="type", frozen=True, gc=False):
    """The bank paid a dividend to the shareholders of one company."""

    company: str
    """Id of the company whose shareholders were paid."""
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
    """Names of the end conditions that were met."""


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
    """The open question, which a seat has to answer before the game continues."""

    seat: int
    """The seat that has to answer."""
    asks: Literal["nominate", "bid", "found", "choose", "develop", "fund", "take", "expand", "auction"]
    """Kind of question.
    `nominate`: name the company to offer in an opening auction.
    `bid`: bid or pass.
    `found`: choose the city of a company's first cube.
    `choose`: choose an action space.
    `develop`: choose the city to develop.
    `fund`: choose the company that gets money.
    `take`: choose who pays, the bank or the other players.
    `expand`: choose the hex of the next cube.
    `auction`: name the company to offer with the Auction action.
    """
    company: str | None = None
    """For `bid`, the id of the company whose share is sold. For `found`, the id of the company that is founded. Null
    for other kinds of questions.
    """
    cubes: int | None = None
    """Number of cubes that may still be placed. Given for the question `expand`, and for `take` if the Take action
    includes an expansion. Null for other kinds of questions.
    """


class AuctionView(msgspec.Struct, frozen=True, gc=False):
    """The auction in progress."""

    company: str
    """Id of the company whose share is sold."""
    is_opening: bool
    """True in the opening auctions, false after the Auction action."""
    seat: int
    """The seat that has to bid or pass next."""
    minimum: int
    """Lowest bid allowed now, in dollars."""
    bid: int | None
    """Highest bid so far, in dollars. Null before the first bid."""
    leader: int | None
    """Seat that made the highest bid. Null before the first bid."""
    still_in: list[int]
    """The seats that have not passed in this auction."""


class PlayerView(msgspec.Struct, frozen=True, gc=False):
    """One player in a view."""

    seat: int
    """Seat number, from 0."""
    cash: int
    """Cash of the player in dollars, which is also the score."""
    shares: dict[str, int]
    """Mapping from the id of every company of the board to the number of its shares that the player holds."""
    due: int
    """Total dollars that the player would get from dividends if every company paid one now."""


class CompanyView(msgspec.Struct, frozen=True, gc=False):
    """One company in a view."""

    id: str
    """Id of the company."""
    in_play: bool
    """Whether the company is in play. False if it was removed from the game before the start."""
    treasury: int
    """Dollars in the company's treasury."""
    income: int
    """Income of the company, in dollars."""
    dividend: int
    """Dollars that a dividend would pay now for each share held by a player. 0 if players hold no share."""
    shares_left: int
    """Number of shares in the company's supply."""
    shares_held: int
    """Number of shares of the company that players hold."""
    shares_removed: int
    """Number of shares of the company that left the game."""
    cubes_left: int
    """Number of cubes in the company's supply."""
    track: list[str]
    """Ids of the hexes that hold a cube of the company. Empty if the company has not started."""
    links: int
    """Number of pairs of bonus cities that the company has linked."""


class EndView(msgspec.Struct, frozen=True, gc=False):
    """Values that show how close the game is to its end."""

    years_left: int
    """Number of years that follow the current year in the game."""
    shares_left: int
    """Number of shares in all supplies together. The game ends when no share is left."""
    low_supplies: int
    """Number of supplies that are low. A supply is low if at most `low_means` of its pieces are left. The supplies are
    the cubes of each company in play, and the development markers.
    """
    low_supplies_needed: int
    """Value of `low_supplies` at which the game ends."""
    low_means: int
    """Number of pieces at or below which a supply is low. The pieces are cubes or development markers."""


class View(msgspec.Struct, frozen=True, gc=False):
    """The whole position. Nothing is hidden in American Rails, so the view is the same for all seats."""

    seat: int | None
    """The seat that receives this view. Null for a spectator."""
    is_opening: bool
    """True until the opening auctions are over. False during the action phases that follow."""
    question: OpenQuestion | None
    """The open question. Null when the game has ended."""
    auction: AuctionView | None
    """The auction in progress. Null if there is no auction."""
    opening_lots: list[str]
    """Ids of the companies whose first share has not yet been auctioned in the opening."""
    year: int
    """Current calendar year in the game."""
    phase: int
    """Number of the current action phase in the year, from 1."""
    order: list[int]
    """Seats in the turn order of the current phase. During the opening auctions, the list contains only the seats that
    have a place already.
    """
    columns: list[dict[SpaceName, int]]
    """One mapping for each action phase of the year, from the name of each taken action space to the seat that took it.
    The spaces are in order from top to bottom.
    """
    players: list[PlayerView]
    """The players, by seat."""
    companies: list[CompanyView]
    """All companies of the board, including companies that were removed from the game before it began."""
    developed: list[str]
    """Ids of the cities that hold a development marker."""
    markers_left: int
    """Number of development markers in the supply."""
    end: EndView
    """Values that show how close the game is to its end."""
    has_ended: bool
    """Whether the game has ended."""
    end_reasons: list[EndReason]
    """Reasons for the end of the game. Empty while the game runs."""
    banker: int = 0
    """The seat that is the banker. It put the first share up for auction."""
    options: Options = Options()
    """The options with which the game is played."""


class BoardHex(msgspec.Struct, frozen=True, gc=False):
    """A hex of the board."""

    id: str
    """Id of the hex in actions, events and views."""
    q: int
    """First axial coordinate of the hex. It increases to the east."""
    r: int
    """Second axial coordinate of the hex. It increases to the south."""
    terrain: Literal["city", "plain", "forest", "mountain"]
    """Kind of land."""
    name: str | None
    """Name of the city. Null if the hex is not a city."""
    full: int | None
    """Income in dollars for a company that is alone in the city. Null if the hex is not a city."""
    shared: int | None
    """Income in dollars for each company if several are in the city. Null if the hex is not a city."""
    developable: bool | None
    """Whether the city may hold a development marker. Null if the hex is not a city."""
    neighbours: list[str]
    """Ids of the adjacent hexes."""


class BoardCompany(msgspec.Struct, frozen=True, gc=False):
    """Initial data of a company, as defined by the board."""

    id: str
    """Id of the company in actions, events and views."""
    colour: str
    """Colour of the company."""
    cubes: int
    """Number of cubes of the company. One of these cubes marks the company's income."""
    shares: int
    """Number of shares of the company."""


class BoardGrid(msgspec.Struct, frozen=True, gc=False):
    """Explanation of the map's coordinates, in sentences for people."""

    orientation: str
    """How the hexes are turned, in words: which sides or corners point up."""
    coordinates: str
    """How the hexes are numbered, in words."""


class BoardPlayers(msgspec.Struct, frozen=True, gc=False):
    """The values of a board for games with one number of players."""

    cash: int
    """Dollars that each player starts with."""
    companies_removed: int
    """Number of companies removed at random before the game begins."""
    low_supplies: int
    """The game ends when this number of supplies are low. A supply of cubes or development markers is low if at most
    `low_supply` of them are left. `low_supply` is a value of the board.
    """
    take_may_expand: bool
    """Whether a player who chooses the action `take` may expand a company instead of taking money."""


class BoardTerrain(msgspec.Struct, frozen=True, gc=False):
    """Cost of a cube on one kind of land, and the number of pieces that a hex can hold. The pieces are cubes and
    development markers.
    """

    base: int
    """Cost of a cube in a hex without pieces, in dollars."""
    per_piece: int
    """Dollars added to the cost for each piece that is already in the hex."""
    limit: int | None
    """Number of pieces that a hex can hold. Null if the number is not limited."""


class BoardTerrains(msgspec.Struct, frozen=True, gc=False):
    """For each kind of land, the cost of a cube and the number of pieces that a hex can hold."""

    city: BoardTerrain
    """Cost of a cube in a city, and the number of pieces that a city can hold."""
    plain: BoardTerrain
    """Cost of a cube on plain land, and the number of pieces that a hex of this kind can hold."""
    forest: BoardTerrain
    """Cost of a cube in a forest, and the number of pieces that a forest hex can hold."""
    mountain: BoardTerrain
    """Cost of a cube in the mountains, and the number of pieces that a mountain hex can hold."""


class BoardExpansion(msgspec.Struct, frozen=True, gc=False):
    """Number of cubes that each action may place, for the three actions that can expand a company."""

    take: int
    """Number of cubes that the action `take` may place."""
    expand3: int
    """Number of cubes that the action `expand3` may place."""
    expand4: int
    """Number of cubes that the action `expand4` may place."""


class BoardDevelopment(msgspec.Struct, frozen=True, gc=False):
    """Amounts that a development marker adds to the incomes of companies in its city."""

    full: int
    """Dollars added to the income of a company that is alone in the city."""
    shared: int
    """Dollars added to the income of each company if several are in the city."""


class BoardLinks(msgspec.Struct, frozen=True, gc=False):
    """Income that companies get for linking pairs of bonus cities."""

    cities: list[str]
    """Ids of the hexes of the bonus cities."""
    income_per_pair: int
    """Dollars that each linked pair of bonus cities adds to the income of a company."""


class Board(msgspec.Struct, frozen=True, gc=False):
    """The parts of a board that do not change during a game: geometry, names and costs."""

    format: int
    """Version of the format of board files."""
    game: str
    """Name of the game."""
    name: str
    """Name of the board. `standard` is the built-in board of the published game. Other names are custom boards."""
    title: str
    """Title of the board, for display."""
    grid: BoardGrid
    """Explanation of the map's coordinates, in sentences for people."""
    players: dict[str, BoardPlayers]
    """Mapping from the number of players, as text, to the values that depend on this number."""
    companies: list[BoardCompany]
    """All companies of the game."""
    markers: int
    """Number of development markers in the supply at the start."""
    low_supply: int
    """Number of pieces at or below which a supply is low. The pieces are cubes or development markers."""
    years: list[int]
    """Calendar years of the game, in order."""
    phases: int
    """Number of action phases in each year."""
    spaces: list[SpaceName]
    """Names of the action spaces in a column, top to bottom."""
    minimum_bid: int
    """Lowest amount of a first bid, in dollars."""
    fund: int
    """Dollars that the bank pays into a company's treasury for the Fund action."""
    take: int
    """Dollars of the Take action. Either the bank pays this amount to the player, or every other player pays it to the
    bank.
    """
    expansion: BoardExpansion
    """Number of cubes that each action may place, for the three actions that can expand a company."""
    terrain: BoardTerrains
    """For each kind of land, the cost of a cube and the number of pieces that a hex can hold."""
    development: BoardDevelopment
    """Amounts that a development marker adds to the incomes of companies in its city."""
    links: BoardLinks
    """Income that companies get for linking pairs of bonus cities."""
    hexes: list[BoardHex]
    """All hexes of the board."""
