"""Data types of The Last Spike: options, actions, entries of `legal` in requests, events, views and the board."""

from typing import Literal

import msgspec

from rails_cli.protocol.common import Pass, Passed

EndReason = Literal["last_spike", "last_solvent"]
"""Reason for the end of a game: the last spike was driven, or only one player is not bankrupt."""


class Options(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """The options of a game of The Last Spike, chosen before the game."""

    non_adjacent: Literal["only_if_forced", "free_choice"] = "only_if_forced"
    """When a player may play a piece that touches no city and no laid piece, at a multiple of its printed cost.
    `only_if_forced`: only if the player cannot pay for any piece in hand that touches a city or a laid piece.
    `free_choice`: always.
    """
    cash: Literal["open", "hidden"] = "open"
    """Visibility of each player's cash. `open`: all players see it. `hidden`: only the owner until the game ends."""


class Play(
    msgspec.Struct, tag="play", tag_field="type", frozen=True, gc=False, forbid_unknown_fields=True, omit_defaults=True
):
    """Play a piece from your hand. If you cannot afford the piece, you are asked next which property to sell."""

    piece: str
    """Id of the piece."""
    cost: int | None = None
    """Cost of the piece in dollars. For a piece that touches no city and no laid piece, this is its printed cost times
    the board's `non_adjacent_multiplier`. Present in the list of legal actions, optional in an answer.
    """


class Sell(
    msgspec.Struct, tag="sell", tag_field="type", frozen=True, gc=False, forbid_unknown_fields=True, omit_defaults=True
):
    """Sell a property to the bank, to pay for the piece that you chose to play."""

    property: str
    """Id of the property."""
    gain: int | None = None
    """Dollars that the bank pays for the property. Present in the list of legal actions, optional in an answer."""


class Buy(
    msgspec.Struct, tag="buy", tag_field="type", frozen=True, gc=False, forbid_unknown_fields=True, omit_defaults=True
):
    """Buy the cheapest property left in a city's pile."""

    city: str
    """Id of the city."""
    cost: int | None = None
    """Price of the property in dollars. Present in the list of legal actions, optional in an answer."""


Action = Play | Sell | Buy | Pass
"""Actions that a player may send."""

Entry = Play | Sell | Buy | Pass
"""Entries of a request's list of legal actions."""


class Dealt(msgspec.Struct, tag="dealt", tag_field="type", frozen=True, gc=False, omit_defaults=True):
    """The pieces were shuffled and the hands dealt."""

    first: int
    """The seat that has the first turn."""
    hands: list[list[str] | None]
    """Ids of the pieces in the hands, by seat. Null for a hand that is hidden from you."""
    set_aside: str | None
    """Id of the piece set aside face down. Null if no piece is set aside, or if the piece is hidden from you."""
    draws: list[str] | None = None
    """Ids of the pieces that the seats took face up before the deal, by seat. Each seat took one piece, to decide which
    seat starts. These pieces were then returned. Null if they are not recorded.
    """


class PieceChosen(msgspec.Struct, tag="piece_chosen", tag_field="type", frozen=True, gc=False):
    """A player chose a piece to play and must sell properties to pay for it."""

    seat: int
    """The seat that chose the piece."""
    piece: str
    """Id of the piece. The player must play it."""
    cost: int
    """Cost of the piece in dollars."""


class PropertySold(msgspec.Struct, tag="property_sold", tag_field="type", frozen=True, gc=False):
    """A player sold a property to the bank. The property went back into its city's pile."""

    seat: int
    """The seat that sold the property."""
    property: str
    """Id of the property."""
    city: str
    """Id of the city of the property."""
    gain: int
    """Dollars that the bank paid for the property."""


class PiecePlayed(msgspec.Struct, tag="piece_played", tag_field="type", frozen=True, gc=False):
    """A player paid for a piece and laid it."""

    seat: int
    """The seat that played the piece."""
    piece: str
    """Id of the piece, which is now on the board."""
    route: str
    """Id of the route of the piece."""
    cost: int
    """Dollars that the seat paid to the bank."""
    touching: bool
    """Whether the piece touched a city or a laid piece when it was played. If false, the player paid the printed cost
    times the `non_adjacent_multiplier` of the board.
    """


class PropertyTaken(msgspec.Struct, tag="property_taken", tag_field="type", frozen=True, gc=False):
    """A player laid the first piece that touches a city, and took the free property of the city."""

    seat: int
    """The seat that took the property."""
    property: str
    """Id of the free property."""
    city: str
    """Id of the city of the property. Other properties of the city can be bought from now on."""


class RouteCompleted(msgspec.Struct, tag="route_completed", tag_field="type", frozen=True, gc=False):
    """All pieces of a route are laid."""

    seat: int
    """The seat that laid the last piece of the route."""
    route: str
    """Id of the route."""
    cities: list[str]
    """Ids of the two cities of the route. The bank now pays the owners of properties in these cities."""


class LastSpikeDriven(msgspec.Struct, tag="last_spike_driven", tag_field="type", frozen=True, gc=False):
    """A player completed a continuous line of routes between the two end cities, which ends the game."""

    seat: int
    """The seat that completed the line."""
    piece: str
    """Id of the piece that completed the line."""
    bonus: int
    """Dollars that the bank paid the seat as a bonus."""


class RoutePaid(msgspec.Struct, tag="route_paid", tag_field="type", frozen=True, gc=False):
    """The bank paid the owners of properties in one of the two cities of a completed route."""

    route: str
    """Id of the completed route."""
    city: str
    """Id of the city whose owners were paid."""
    amounts: list[int]
    """Dollars paid to each seat, by seat. 0 for a seat without a property in the city."""


class PropertyBought(msgspec.Struct, tag="property_bought", tag_field="type", frozen=True, gc=False):
    """A player bought the top property of a city's pile, which is the cheapest property left there."""

    seat: int
    """The seat that bought the property."""
    property: str
    """Id of the property."""
    city: str
    """Id of the city of the property."""
    cost: int
    """Price of the property in dollars, paid to the bank."""


class Drew(msgspec.Struct, tag="drew", tag_field="type", frozen=True, gc=False, kw_only=True):
    """A player drew a piece from the mix, the face-down supply."""

    seat: int | None = None
    """The seat that drew the piece. Null only in logs written by other programs."""
    piece: str | None
    """Id of the piece. Null if it is hidden from you."""


class WentBankrupt(msgspec.Struct, tag="went_bankrupt", tag_field="type", frozen=True, gc=False):
    """A player could not pay for any piece in hand and is out of the game."""

    seat: int
    """The seat that is out of the game."""
    cash: int | None
    """Cash of the player in dollars, which went to the bank. Null if it is hidden from you."""
    hand: list[str] | None
    """Ids of the pieces that the player held and that went back to the face-down supply. Null if hidden from you."""
    returned: list[str]
    """Ids of the properties that the player had bought. These properties went back to the piles of their cities."""
    removed: list[str]
    """Ids of the player's free properties, which left the game. Other properties of the same cities can still be
    bought.
    """


class Mixed(msgspec.Struct, tag="mixed", tag_field="type", frozen=True, gc=False):
    """The mix, the face-down supply, was shuffled after pieces went back to it."""

    size: int
    """Number of pieces in the mix now."""


class GameEnded(msgspec.Struct, tag="game_ended", tag_field="type", frozen=True, gc=False):
    """The game has ended."""

    reasons: list[EndReason]
    """Reasons for the end of the game."""


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
"""Events without hidden information, which every seat sees completely."""

Event = Dealt | PublicEvent | Drew | WentBankrupt | Passed
"""Events of the game."""


class Question(msgspec.Struct, frozen=True, gc=False):
    """The open question, which a seat has to answer before the game continues."""

    seat: int
    """The seat that has to answer, which is also the seat whose turn it is."""
    asks: Literal["play", "sell", "buy"]
    """Kind of question: which piece to play, which property to sell, or which property to buy."""
    piece: str | None = None
    """For the question `sell`, the id of the chosen piece that the sale has to pay for. Null for `play` and `buy`."""
    cost: int | None = None
    """For the question `sell`, the cost of the chosen piece in dollars. Null for `play` and `buy`."""
    short: int | None = None
    """For the question `sell`, the dollars that the seat still needs to pay for the chosen piece. Null for `play` and
    `buy`, and if the cash of the seat is hidden from you.
    """


class Player(msgspec.Struct, frozen=True, gc=False):
    """One player in a view."""

    seat: int
    """Seat number, from 0."""
    cash: int | None
    """Cash of the player in dollars. Null if it is hidden from you."""
    pieces: int
    """Number of pieces in the player's hand."""
    hand: list[str] | None
    """Ids of the pieces in the player's hand. Null if they are hidden from you."""
    properties: list[str]
    """Ids of the properties that the player holds, in board order."""
    property_total: int
    """Total printed price of the player's properties, in dollars. This total decides the rank of players with equal
    cash.
    """
    resale: int
    """Dollars that the bank would pay for all properties of the player that can be sold now."""
    bankrupt: bool
    """Whether the player is out of the game."""


class City(msgspec.Struct, frozen=True, gc=False):
    """One city in a view: its pile of properties and its routes."""

    id: str
    """Id of the city."""
    free_taken: bool
    """Whether a player has taken the free property of the city. Only then can the other properties be bought."""
    pile: list[str]
    """Ids of the properties still in the pile, top first."""
    for_sale: str | None
    """Id of the property of the city that can be bought now. Null if no property can be bought."""
    price: int | None
    """Price in dollars of the property in `for_sale`. Null if no property can be bought."""
    properties: list[int]
    """Number of the city's properties that each seat holds, by seat."""
    pays: list[int]
    """Dollars that the bank would pay each seat if a route of the city were completed now, by seat."""
    routes_left: int
    """Number of incomplete routes of the city. At 0, properties of the city can no longer be sold."""


class Route(msgspec.Struct, frozen=True, gc=False):
    """One route in a view."""

    id: str
    """Id of the route."""
    laid: list[str]
    """Ids of the pieces of the route that are on the board."""
    missing: list[str]
    """Ids of the pieces of the route that are not on the board."""


class View(msgspec.Struct, frozen=True, gc=False):
    """The position as one seat sees it."""

    seat: int | None
    """The seat that receives this view. Null for a spectator."""
    question: Question | None
    """The open question. Null when the game has ended."""
    players: list[Player]
    """The players, by seat."""
    cities: list[City]
    """The cities, in board order."""
    routes: list[Route]
    """The routes, in board order."""
    touching: list[str]
    """Ids of the unlaid pieces that touch a city or a laid piece. These pieces have their printed cost. The cost of all
    other pieces is multiplied by the board's `non_adjacent_multiplier`.
    """
    last_spikes: list[str]
    """Ids of the pieces with which a player can end the game now. Each of them completes the line."""
    mix: int
    """Number of pieces in the face-down supply."""
    set_aside: int
    """Number of pieces that were set aside face down."""
    set_aside_piece: str | None
    """Id of the piece that was set aside. Null until the game has ended, and if no piece was set aside."""
    has_ended: bool
    """Whether the game is over."""
    end_reasons: list[EndReason]
    """Reasons for the end of the game. Empty while the game runs."""
    options: Options = Options()
    """The options with which the game is played."""


class BoardProperty(msgspec.Struct, frozen=True, gc=False):
    """A property of a city."""

    id: str
    """Id of the property in actions, events and views."""
    price: int
    """Price of the property in dollars."""
    resale: int
    """Dollars that the bank pays a player who sells the property."""


class BoardCity(msgspec.Struct, frozen=True, gc=False):
    """A city of the board."""

    id: str
    """Id of the city in actions, events and views."""
    name: str
    """Name of the city."""
    x: int
    """Horizontal position of the city on a drawing of the map, in arbitrary units. It increases to the right."""
    y: int
    """Vertical position of the city on a drawing of the map, in arbitrary units. It increases downwards."""
    properties: list[BoardProperty]
    """Properties of the city, from the free property to the most expensive one."""
    payout: list[int]
    """Dollars that the bank pays a player in this city when a route is completed. The first amount is for a player with
    one property of the city, the second for a player with two, and so on.
    """


class BoardPiece(msgspec.Struct, frozen=True, gc=False):
    """A piece of a route."""

    id: str
    """Id of the piece in actions, events and views."""
    cost: int
    """Printed cost of the piece in dollars."""


class BoardRoute(msgspec.Struct, frozen=True, gc=False):
    """A route between two cities."""

    id: str
    """Id of the route: the letter with which the ids of its pieces begin."""
    start: str = msgspec.field(name="from")
    """Id of the city where the route begins."""
    to: str
    """Id of the city where the route ends."""
    pieces: list[BoardPiece]
    """Pieces of the route in order. The first and the last piece touch a city. Each piece touches the pieces before and
    after it.
    """


class BoardResale(msgspec.Struct, frozen=True, gc=False):
    """Rule for the amount that the bank pays for a property. The amount is a fraction of the property's price, rounded
    up.
    """

    numerator: int
    """Numerator of the fraction of a property's price that the bank pays."""
    denominator: int
    """Denominator of the fraction of a property's price that the bank pays."""
    round_up_to: int
    """Multiple to which the amount is rounded up, in dollars. With 1000, for example, the bank pays whole thousands."""


class Board(msgspec.Struct, frozen=True, gc=False):
    """The parts of a board that do not change during a game: geometry, names and costs."""

    game: str
    """Name of the game."""
    name: str
    """Name of the board. `standard` is the built-in board of the published game. Other names are custom boards."""
    title: str
    """Title of the board, for display."""
    starting_cash: dict[str, int]
    """Mapping from the number of players, as text, to the dollars that each player starts with."""
    hand_size: int
    """Number of pieces in a hand at the start."""
    set_aside: dict[str, int]
    """Mapping from the number of players, as text, to the number of pieces that are set aside face down."""
    resale: BoardResale
    """Rule for the amount that the bank pays for a property."""
    start_city: str
    """Id of the city at one end of the line to be completed."""
    end_city: str
    """Id of the city at the other end of the line to be completed."""
    last_spike_bonus: int
    """Dollars that the bank pays to the player who completes the line."""
    non_adjacent_multiplier: int
    """Factor for the cost of a piece that touches no city and no laid piece. The printed cost is multiplied by this
    factor.
    """
    cities: list[BoardCity]
    """All cities of the board."""
    routes: list[BoardRoute]
    """All routes of the board."""
