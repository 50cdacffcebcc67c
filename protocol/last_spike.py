"""The Last Spike: its options, actions, events and views."""

from typing import Literal

import msgspec

from rails_cli.protocol.common import Pass, Passed

EndReason = Literal["last_spike", "last_solvent"]
"""Why a game ended: the last spike was driven, or only one player is not bankrupt."""


class Options(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """Choices made before the game."""

    non_adjacent: Literal["only_if_forced", "free_choice"] = "only_if_forced"
    """Whether a piece that touches nothing may be played at double cost only if no touching piece in hand can be paid
    for, or whenever its player likes."""
    cash: Literal["open", "hidden"] = "open"
    """Whether everyone sees the players' cash, or only its owner does until the game has ended."""


class Play(
    msgspec.Struct, tag="play", tag_field="type", frozen=True, gc=False, forbid_unknown_fields=True, omit_defaults=True
):
    """Play a piece from your hand; if you cannot afford it, you will be asked what to sell."""

    piece: str
    """The piece, by its id."""
    cost: int | None = None
    """What it costs now, doubled if it touches nothing; given in the legal list, optional in an answer."""


class Sell(
    msgspec.Struct, tag="sell", tag_field="type", frozen=True, gc=False, forbid_unknown_fields=True, omit_defaults=True
):
    """Sell a property to the bank, to pay for the piece you chose."""

    property: str
    """The property, by its id."""
    gain: int | None = None
    """What the bank pays for it; given in the legal list, optional in an answer."""


class Buy(
    msgspec.Struct, tag="buy", tag_field="type", frozen=True, gc=False, forbid_unknown_fields=True, omit_defaults=True
):
    """Buy the cheapest property left in a city's pile."""

    city: str
    """The city, by its id."""
    cost: int | None = None
    """The price of that property; given in the legal list, optional in an answer."""


Action = Play | Sell | Buy | Pass
"""What a player may answer."""

Entry = Play | Sell | Buy | Pass
"""What a legal list holds."""


class Dealt(msgspec.Struct, tag="dealt", tag_field="type", frozen=True, gc=False, omit_defaults=True):
    """The pieces were mixed and the hands drawn."""

    first: int
    """The seat that starts."""
    hands: list[list[str] | None]
    """The pieces drawn, by seat; null for a hand that you may not see."""
    set_aside: str | None
    """The piece set aside unseen; null if there is none, or while it is unseen."""
    draws: list[str] | None = None
    """The piece that each seat drew, face up, to see who starts; these pieces went back before the deal."""


class PieceChosen(msgspec.Struct, tag="piece_chosen", tag_field="type", frozen=True, gc=False):
    """A player chose a piece to play and must sell properties to pay for it."""

    seat: int
    """Who chose."""
    piece: str
    """The piece; the choice is binding."""
    cost: int
    """What it costs."""


class PropertySold(msgspec.Struct, tag="property_sold", tag_field="type", frozen=True, gc=False):
    """A player sold a property to the bank; it went back into its city's pile."""

    seat: int
    """Who sold."""
    property: str
    """The property."""
    city: str
    """Its city."""
    gain: int
    """What the bank paid."""


class PiecePlayed(msgspec.Struct, tag="piece_played", tag_field="type", frozen=True, gc=False):
    """A player paid for a piece and laid it."""

    seat: int
    """Who played."""
    piece: str
    """The piece, now on the board."""
    route: str
    """The route it lies on."""
    cost: int
    """What was paid to the bank."""
    touching: bool
    """Whether it touched a city or a laid piece; if not, the cost was multiplied."""


class PropertyTaken(msgspec.Struct, tag="property_taken", tag_field="type", frozen=True, gc=False):
    """A player was the first to lay a piece touching a city, and took its free property."""

    seat: int
    """Who took it."""
    property: str
    """The free property."""
    city: str
    """Its city, where properties can be bought from now on."""


class RouteCompleted(msgspec.Struct, tag="route_completed", tag_field="type", frozen=True, gc=False):
    """All pieces of a route are laid."""

    seat: int
    """Who laid the last of them."""
    route: str
    """The route."""
    cities: list[str]
    """Its two cities, which now pay out."""


class LastSpikeDriven(msgspec.Struct, tag="last_spike_driven", tag_field="type", frozen=True, gc=False):
    """A player completed a continuous line between the two end cities."""

    seat: int
    """Who drove the last spike."""
    piece: str
    """The piece that was the last spike."""
    bonus: int
    """What the bank paid for it."""


class RoutePaid(msgspec.Struct, tag="route_paid", tag_field="type", frozen=True, gc=False):
    """The bank paid the owners in one of the two cities of a completed route."""

    route: str
    """The route that was completed."""
    city: str
    """The city whose owners were paid."""
    amounts: list[int]
    """What each seat was paid; 0 without a property there."""


class PropertyBought(msgspec.Struct, tag="property_bought", tag_field="type", frozen=True, gc=False):
    """A player bought the top property of a city's pile."""

    seat: int
    """Who bought."""
    property: str
    """The property."""
    city: str
    """Its city."""
    cost: int
    """The price, paid to the bank."""


class Drew(msgspec.Struct, tag="drew", tag_field="type", frozen=True, gc=False, kw_only=True):
    """A player drew a piece from the mix."""

    seat: int | None = None
    """Who drew. The server always sends it; it may be missing in a log written elsewhere."""
    piece: str | None
    """The piece; null if you may not see it."""


class WentBankrupt(msgspec.Struct, tag="went_bankrupt", tag_field="type", frozen=True, gc=False):
    """A player could not pay for any piece in hand and is out of the game."""

    seat: int
    """Who is out."""
    cash: int | None
    """The cash that went to the bank; null if you may not see it."""
    hand: list[str] | None
    """The pieces that went back to the mix; null if you may not see them."""
    returned: list[str]
    """The bought properties, back in their piles."""
    removed: list[str]
    """The free properties, out of the game; their piles stay open."""


class Mixed(msgspec.Struct, tag="mixed", tag_field="type", frozen=True, gc=False):
    """The mix was mixed again after pieces went back to it."""

    size: int
    """How many pieces it has now."""


class GameEnded(msgspec.Struct, tag="game_ended", tag_field="type", frozen=True, gc=False):
    """The game has ended."""

    reasons: list[EndReason]
    """Why: the last spike was driven, or only one player is not bankrupt."""


PublicEvent = (
    PieceChosen
    | PropertySold
    | PiecePlayed
    | PropertyTaken
    | RouteCompleted
    | LastSpikeDriven
    | RoutePaid
    | PropertyBought
    | Mixed
    | GameEnded
)
"""Events of which every seat sees everything."""

Event = Dealt | PublicEvent | Drew | WentBankrupt | Passed
"""What can happen."""


class Question(msgspec.Struct, frozen=True, gc=False):
    """The open question."""

    seat: int
    """Who has to answer; it is also this seat's turn."""
    asks: Literal["play", "sell", "buy"]
    """What kind of question: which piece to play, which property to sell for it, or what to buy."""
    piece: str | None = None
    """The piece chosen, while properties are sold for it; otherwise null."""
    cost: int | None = None
    """The cost of that piece."""
    short: int | None = None
    """How much cash is missing to pay for it; null if you may not see the seat's cash."""


class Player(msgspec.Struct, frozen=True, gc=False):
    """A player's holdings."""

    seat: int
    """The seat."""
    cash: int | None
    """Cash; null if you may not see it."""
    pieces: int
    """How many pieces are in hand."""
    hand: list[str] | None
    """The pieces in hand; null if you may not see them."""
    properties: list[str]
    """The properties held, in board order."""
    property_total: int
    """The total printed price of these properties; it breaks ties in cash."""
    resale: int
    """What the bank would pay for all those that can be sold now."""
    bankrupt: bool
    """Whether the player is out of the game."""


class City(msgspec.Struct, frozen=True, gc=False):
    """A city's pile of properties and its routes."""

    id: str
    """The city."""
    free_taken: bool
    """Whether the free property has been taken, so that the others can be bought."""
    pile: list[str]
    """The properties still in the pile, top first."""
    for_sale: str | None
    """The property that can be bought now; null if none."""
    price: int | None
    """Its price."""
    properties: list[int]
    """How many of the city's properties each seat holds."""
    pays: list[int]
    """What each seat would be paid if one of the city's routes were completed now."""
    routes_left: int
    """How many of its routes are not complete; at 0 its properties can no longer be sold."""


class Route(msgspec.Struct, frozen=True, gc=False):
    """The state of a route."""

    id: str
    """The route."""
    laid: list[str]
    """Its pieces on the board."""
    missing: list[str]
    """Its pieces not on the board."""


class View(msgspec.Struct, frozen=True, gc=False):
    """Everything a seat may see."""

    seat: int | None
    """The seat whose view this is; null for a view that belongs to nobody."""
    question: Question | None
    """The open question; null when the game has ended."""
    players: list[Player]
    """The players, by seat."""
    cities: list[City]
    """The cities, in board order."""
    routes: list[Route]
    """The routes, in board order."""
    touching: list[str]
    """The pieces not yet laid that touch a city or a laid piece; they cost what is printed on them, all others more."""
    last_spikes: list[str]
    """The pieces that would each end the game if played now."""
    mix: int
    """How many pieces are in the mix."""
    set_aside: int
    """How many pieces were set aside unseen."""
    set_aside_piece: str | None
    """The piece set aside, once the game has ended; null if there is none."""
    has_ended: bool
    """Whether the game is over."""
    end_reasons: list[EndReason]
    """Why it ended; empty while it runs."""
    options: Options = Options()
    """The options the game is played with."""


class BoardProperty(msgspec.Struct, frozen=True, gc=False):
    """A property of a city."""

    id: str
    """Its id."""
    price: int
    """What it costs."""
    resale: int
    """What the bank pays for it."""


class BoardCity(msgspec.Struct, frozen=True, gc=False):
    """A city of the board."""

    id: str
    """Its id."""
    name: str
    """Its name."""
    x: int
    """Where it is on a drawing of the map, from the left."""
    y: int
    """Where it is on a drawing of the map, from the top."""
    properties: list[BoardProperty]
    """From the free one to the most expensive."""
    payout: list[int]
    """What a completed route pays here to the holder of 1, 2, ... properties of this city."""


class BoardPiece(msgspec.Struct, frozen=True, gc=False):
    """A piece of a route."""

    id: str
    """The piece, as in actions and events."""
    cost: int
    """Its printed cost."""


class BoardRoute(msgspec.Struct, frozen=True, gc=False):
    """A route between two cities."""

    id: str
    """The letter of its pieces."""
    start: str = msgspec.field(name="from")
    """The city where it begins."""
    to: str
    """The city where it ends."""
    pieces: list[BoardPiece]
    """From the first city to the second: the first and the last touch a city, and each touches its neighbours."""


class BoardResale(msgspec.Struct, frozen=True, gc=False):
    """What fraction of its price the bank pays for a property."""

    numerator: int
    """Of that fraction."""
    denominator: int
    """Of that fraction."""
    round_up_to: int
    """The result is rounded up to the next multiple of this."""


class Board(msgspec.Struct, frozen=True, gc=False):
    """What does not change during a game: geometry, names and costs."""

    game: str
    """The game."""
    name: str
    """The name of the board; `standard` is the one that comes with the game."""
    title: str
    """Its title."""
    starting_cash: dict[str, int]
    """What each player starts with, by number of players."""
    hand_size: int
    """Pieces in a hand."""
    set_aside: dict[str, int]
    """Pieces that are set aside unseen, by number of players."""
    resale: BoardResale
    """How `resale` of the properties follows from their prices."""
    start_city: str
    """One end of the line."""
    end_city: str
    """The other end of the line."""
    last_spike_bonus: int
    """What the last spike pays."""
    non_adjacent_multiplier: int
    """What the cost of a piece is multiplied by if it touches nothing."""
    cities: list[BoardCity]
    """All cities."""
    routes: list[BoardRoute]
    """All routes."""
