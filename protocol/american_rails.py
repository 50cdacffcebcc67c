"""The words of American Rails: its options, actions, entries of a legal list, events and views."""

from typing import Literal

import msgspec

from rails_cli.protocol.common import Bid, BidMade, BidRange, FirstPlayer, Pass, Passed

SpaceName = Literal["pass", "develop", "fund", "take", "expand3", "auction", "expand4"]
"""The spaces of a column."""

EndReason = Literal["last_year", "no_shares", "low_supplies"]
"""Why a game ended: the last year is over, no share is left in any supply, or enough supplies have run low."""


class Options(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """The choices made before a game of American Rails."""

    first_player: Literal["seat_0", "drawn"] = "seat_0"
    """Who is the banker and offers the first share: seat 0, or a seat drawn at random."""


class Offer(msgspec.Struct, tag="offer", tag_field="type", frozen=True, gc=False, forbid_unknown_fields=True):
    """Nominate a company: one share of it is auctioned, and you bid first or pass."""

    company: str
    """The company whose share is auctioned."""


class Found(msgspec.Struct, tag="found", tag_field="type", frozen=True, gc=False, forbid_unknown_fields=True):
    """Place the first cube of the company whose share you just bought, free of charge."""

    hex: str
    """A city without a cube."""


class Choose(msgspec.Struct, tag="choose", tag_field="type", frozen=True, gc=False, forbid_unknown_fields=True):
    """Move to a free space of the current column."""

    action: SpaceName
    """The space. Unless it is `pass`, a request for the action itself follows, which you may decline."""


class Develop(msgspec.Struct, tag="develop", tag_field="type", frozen=True, gc=False, forbid_unknown_fields=True):
    """Place a development marker."""

    hex: str
    """A developable, undeveloped city that holds a cube."""


class Fund(msgspec.Struct, tag="fund", tag_field="type", frozen=True, gc=False, forbid_unknown_fields=True):
    """Have the bank pay into a company's treasury."""

    company: str
    """Any company in play."""


class Take(msgspec.Struct, tag="take", tag_field="type", frozen=True, gc=False, forbid_unknown_fields=True):
    """Take money from the bank, or make every other player pay the bank."""

    source: Literal["bank", "players"] = msgspec.field(name="from")
    """`bank`: the bank pays you. `players`: every other player pays the bank."""


class Build(
    msgspec.Struct, tag="build", tag_field="type", frozen=True, gc=False, forbid_unknown_fields=True, omit_defaults=True
):
    """Place a cube of a company in which you hold a share, next to one of its cubes. Its treasury pays."""

    company: str
    """The company that builds."""
    hex: str
    """Where."""
    cost: int | None = None
    """What the treasury pays: given in the legal list, optional in an answer."""


Action = Offer | Bid | Pass | Found | Choose | Develop | Fund | Take | Build
Entry = Offer | BidRange | Pass | Found | Choose | Develop | Fund | Take | Build


class CompanyRemoved(msgspec.Struct, tag="company_removed", tag_field="type", frozen=True, gc=False):
    """A company was drawn out of the game before it began, with its shares and cubes."""

    company: str
    """The company that is not in play."""


class ShareOffered(msgspec.Struct, tag="share_offered", tag_field="type", frozen=True, gc=False):
    """A share was offered for auction."""

    seat: int
    """Who nominated it, and bids first."""
    company: str
    """The company."""
    minimum: int
    """The lowest first bid."""
    occasion: Literal["opening", "auction"]
    """The opening auctions, or the Auction action."""


class ShareSold(msgspec.Struct, tag="share_sold", tag_field="type", frozen=True, gc=False):
    """An auction was won; the price went into the company's treasury."""

    seat: int
    """Who bought the share."""
    company: str
    """The company."""
    price: int
    """What was paid."""
    treasury: int
    """The company's treasury now."""
    left: int
    """Shares of the company still in its supply."""


class ShareRemoved(msgspec.Struct, tag="share_removed", tag_field="type", frozen=True, gc=False):
    """Shares left the game: nobody bid, or there was no city for the company to start in."""

    company: str
    """The company."""
    shares: int
    """How many of its shares left the game."""
    why: Literal["no_bid", "no_city"]
    """`no_city`: the share just bought left the game, along with all those in the supply."""
    left: int
    """Shares of the company still in its supply."""
    seat: int | None = None
    """The player who lost the share just bought; null if nobody bid."""


class Founded(msgspec.Struct, tag="founded", tag_field="type", frozen=True, gc=False):
    """A company's first cube was placed, free of charge."""

    seat: int
    """Who placed it."""
    company: str
    """The company."""
    hex: str
    """The city it starts in."""
    name: str
    """Its name."""
    income: int
    """The company's income now."""


class NumberTaken(msgspec.Struct, tag="number_taken", tag_field="type", frozen=True, gc=False):
    """A player took the lowest free number on the turn order track."""

    seat: int
    """Who took it."""
    number: int
    """The number, from 1."""


class TurnOrderSet(msgspec.Struct, tag="turn_order_set", tag_field="type", frozen=True, gc=False):
    """An action phase began; the players move in this order."""

    year: int
    """The year."""
    phase: int
    """The action phase, from 1."""
    order: list[int]
    """The seats, first to move first."""


class SpaceTaken(msgspec.Struct, tag="space_taken", tag_field="type", frozen=True, gc=False):
    """A player moved to a space of the current column."""

    seat: int
    """Who moved."""
    action: SpaceName
    """The space, now taken until the year is over."""


class Developed(msgspec.Struct, tag="developed", tag_field="type", frozen=True, gc=False):
    """A development marker was placed; `income_changed` reports what each company there gains."""

    seat: int
    """Who developed."""
    hex: str
    """The city."""
    name: str
    """Its name."""
    left: int
    """Markers still in the supply."""


class Funded(msgspec.Struct, tag="funded", tag_field="type", frozen=True, gc=False):
    """The bank paid into a treasury."""

    seat: int
    """Who chose the company."""
    company: str
    """The company."""
    amount: int
    """What the bank paid."""
    treasury: int
    """The company's treasury now."""


class MoneyTaken(msgspec.Struct, tag="money_taken", tag_field="type", frozen=True, gc=False):
    """A player took money from the bank."""

    seat: int
    """Who took it."""
    amount: int
    """What the bank paid."""


class PlayersPaid(msgspec.Struct, tag="players_paid", tag_field="type", frozen=True, gc=False):
    """A player made all others pay the bank."""

    seat: int
    """Who made them pay."""
    payments: list[int]
    """What each seat paid, by seat."""


class Built(msgspec.Struct, tag="built", tag_field="type", frozen=True, gc=False):
    """A company placed a cube."""

    seat: int
    """Who expanded the company."""
    company: str
    """The company."""
    hex: str
    """Where."""
    name: str | None
    """The name of the city; null if the hex is not a city."""
    cost: int
    """What its treasury paid the bank."""
    treasury: int
    """Its treasury now."""
    income: int
    """Its income now, before any link that the next events report."""


class IncomeChanged(msgspec.Struct, tag="income_changed", tag_field="type", frozen=True, gc=False):
    """What a company earns in a city changed, because another company arrived or the city was developed."""

    company: str
    """The company."""
    hex: str
    """The city."""
    name: str
    """Its name."""
    change: int
    """The change in its income; negative if it fell."""
    income: int
    """Its income now."""


class LinkMade(msgspec.Struct, tag="link_made", tag_field="type", frozen=True, gc=False):
    """A company linked a pair of the bonus cities."""

    company: str
    """The company."""
    cities: list[str]
    """The hexes of the two cities, the one just reached last."""
    names: list[str]
    """Their names."""
    bonus: int
    """How much its income rose for this pair."""
    income: int
    """Its income now."""


class DividendPaid(msgspec.Struct, tag="dividend_paid", tag_field="type", frozen=True, gc=False):
    """The bank paid a company's dividend."""

    company: str
    """The company."""
    income: int
    """Its income."""
    per_share: int
    """What each share held by a player was paid."""
    payouts: list[int]
    """What each seat was paid, by seat."""


class YearAdvanced(msgspec.Struct, tag="year_advanced", tag_field="type", frozen=True, gc=False):
    """A new year began."""

    year: int
    """The year."""


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
    """The open question."""

    seat: int
    """Who has to answer."""
    asks: Literal["nominate", "bid", "found", "choose", "develop", "fund", "take", "expand", "auction"]
    """What kind of question: `nominate` in the opening, `auction` for the Auction action, otherwise the name of the
    action."""
    company: str | None = None
    """The company whose share is bid for, or that is founded."""
    cubes: int | None = None
    """How many more cubes may be placed (`expand`, and `take` where it may expand). Null for other questions."""


class AuctionView(msgspec.Struct, frozen=True, gc=False):
    """The auction in progress."""

    company: str
    """The company whose share is sold."""
    is_opening: bool
    """True in the opening auctions, false after the Auction action."""
    seat: int
    """Whose turn it is to bid."""
    minimum: int
    """The lowest bid allowed now."""
    bid: int | None
    """The bid to beat; null before the first bid."""
    leader: int | None
    """Who made it; null before the first."""
    still_in: list[int]
    """The seats that have not passed."""


class PlayerView(msgspec.Struct, frozen=True, gc=False):
    """One player."""

    seat: int
    """The player's seat."""
    cash: int
    """The player's money, which is also the score."""
    shares: dict[str, int]
    """Shares held, by company; every company of the board is listed."""
    due: int
    """What a dividend would pay the player now."""


class CompanyView(msgspec.Struct, frozen=True, gc=False):
    """One company of the game."""

    id: str
    """The company."""
    in_play: bool
    """False if it was drawn out before the game began."""
    treasury: int
    """Its money."""
    income: int
    """Its income."""
    dividend: int
    """What each share held by a player would be paid now; 0 if none is held."""
    shares_left: int
    """Shares in its supply."""
    shares_held: int
    """Shares held by players."""
    shares_removed: int
    """Shares that left the game."""
    cubes_left: int
    """Cubes in its supply."""
    track: list[str]
    """The hexes that hold one of its cubes; empty if it has not started."""
    links: int
    """How many pairs of the bonus cities it has linked."""


class EndView(msgspec.Struct, frozen=True, gc=False):
    """How close the game is to its end."""

    years_left: int
    """Years left after this one."""
    shares_left: int
    """Shares in all supplies together; the game ends when there are none."""
    low_supplies: int
    """Supplies (cubes of each company in play, development markers) that have run low."""
    low_supplies_needed: int
    """The game ends when this many have run low."""
    low_means: int
    """A supply has run low if it holds this many pieces or fewer."""


class View(msgspec.Struct, frozen=True, gc=False):
    """Everything a seat may see; in this game nothing is hidden, so all seats see the same."""

    seat: int | None
    """Whose view it is; null for a spectator."""
    is_opening: bool
    """True until the opening auctions are over; after them come the years of action phases."""
    question: OpenQuestion | None
    """The open question; null when the game has ended."""
    auction: AuctionView | None
    """The auction in progress, if any."""
    opening_lots: list[str]
    """Companies whose opening share is still to be auctioned."""
    year: int
    """The year."""
    phase: int
    """The action phase of the year, from 1."""
    order: list[int]
    """The seats in turn order of this phase; in the opening, those that have a number."""
    columns: list[dict[SpaceName, int]]
    """For each phase of the year, the spaces taken, top to bottom, and by which seat."""
    players: list[PlayerView]
    """The players, by seat."""
    companies: list[CompanyView]
    """All companies of the board, including those drawn out of the game."""
    developed: list[str]
    """The cities that hold a development marker."""
    markers_left: int
    """Development markers in the supply."""
    end: EndView
    """How close the game is to its end."""
    has_ended: bool
    """Whether the game has ended."""
    end_reasons: list[EndReason]
    """Why the game ended; empty until then."""
    banker: int = 0
    """Who offered the first share."""
    options: Options = Options()
    """The options the game is played with."""


class BoardHex(msgspec.Struct, frozen=True, gc=False):
    """A hex of the board; `name` to `developable` are null unless it is a city."""

    id: str
    """The hex, as in actions and events."""
    q: int
    """Its axial coordinate to the east."""
    r: int
    """Its axial coordinate to the south."""
    terrain: Literal["city", "plain", "forest", "mountain"]
    """What kind of land it is."""
    name: str | None
    """The name of the city."""
    full: int | None
    """What the city is worth to a company that is alone there."""
    shared: int | None
    """What it is worth to each of several."""
    developable: bool | None
    """Whether it may hold a development marker."""
    neighbours: list[str]
    """The adjacent hexes."""


class BoardCompany(msgspec.Struct, frozen=True, gc=False):
    """A company at the start of the game."""

    id: str
    """Its id."""
    colour: str
    """Its colour."""
    cubes: int
    """Its cubes, one of which marks its income."""
    shares: int
    """Its shares."""


class BoardGrid(msgspec.Struct, frozen=True, gc=False):
    """The map in words."""

    orientation: str
    """How the hexes are oriented."""
    coordinates: str
    """How they are numbered."""


class BoardPlayers(msgspec.Struct, frozen=True, gc=False):
    """What depends on the number of players."""

    cash: int
    """What each player starts with."""
    companies_removed: int
    """Companies drawn out of the game before it begins."""
    low_supplies: int
    """The game ends when this many supplies have run low."""
    take_may_expand: bool
    """Whether the Take action includes an expansion."""


class BoardTerrain(msgspec.Struct, frozen=True, gc=False):
    """What a cube costs on one kind of land."""

    base: int
    """The cost of the first."""
    per_piece: int
    """The surcharge for each cube or marker already there."""
    limit: int | None
    """How many cubes a hex holds; null for any number."""


class BoardTerrains(msgspec.Struct, frozen=True, gc=False):
    """What a cube costs."""

    city: BoardTerrain
    """In a city."""
    plain: BoardTerrain
    """On plain land."""
    forest: BoardTerrain
    """In a forest."""
    mountain: BoardTerrain
    """In the mountains."""


class BoardExpansion(msgspec.Struct, frozen=True, gc=False):
    """How many cubes an action may place."""

    take: int
    """After `take`."""
    expand3: int
    """With `expand3`."""
    expand4: int
    """With `expand4`."""


class BoardDevelopment(msgspec.Struct, frozen=True, gc=False):
    """What a marker adds to the value of a city."""

    full: int
    """To the full value."""
    shared: int
    """To the shared value."""


class BoardLinks(msgspec.Struct, frozen=True, gc=False):
    """The bonus for linking cities."""

    cities: list[str]
    """The hexes of the bonus cities."""
    income_per_pair: int
    """What a company gains for each pair of them."""


class Board(msgspec.Struct, frozen=True, gc=False):
    """What does not change during a game: geometry, names and costs."""

    format: int
    """The version of the board format."""
    game: str
    """The game."""
    name: str
    """The name of the board; `standard` is the one that comes with the game."""
    title: str
    """Its title."""
    grid: BoardGrid
    """The map in words."""
    players: dict[str, BoardPlayers]
    """What depends on the number of players, keyed by that number."""
    companies: list[BoardCompany]
    """All companies."""
    markers: int
    """Development markers in the supply."""
    low_supply: int
    """A supply has run low if it holds this many pieces or fewer."""
    years: list[int]
    """The years of the game."""
    phases: int
    """The action phases of each year."""
    spaces: list[SpaceName]
    """The spaces of a column, top to bottom."""
    minimum_bid: int
    """The lowest first bid."""
    fund: int
    """The amount of the Fund action."""
    take: int
    """The amount of the Take action."""
    expansion: BoardExpansion
    """How many cubes an action may place."""
    terrain: BoardTerrains
    """What a cube costs."""
    development: BoardDevelopment
    """What a marker adds to the value of a city."""
    links: BoardLinks
    """The bonus for linking cities."""
    hexes: list[BoardHex]
    """All hexes."""
