"""A position of The Last Spike."""

from typing import Any, Final

from rails_cli.games.last_spike.board import Board
from rails_cli.games.last_spike.questions import Question
from rails_cli.games.shared.hexgrid import few_numbers_in, numbers_in
from rails_cli.protocol.last_spike import EndReason, Options


class State:
    """A position, as numbers and bitmasks.

    `derive` computes the attributes from `touching` to `offers` from the others.
    """

    __slots__ = (
        *("aside", "complete", "ended", "from_start", "hands", "held", "laid", "luck", "memo", "mix", "money"),
        *("offers", "options", "pending", "pile", "sellable", "solvent", "logged_draws", "tops", "touching"),
    )

    pending: Question | None
    money: list[int]
    """Cash of each seat, then the balance of the bank."""
    hands: list[list[int]]
    """The pieces in each hand in ascending order, which is from the most to the least expensive."""
    held: list[int]
    """Mask of the properties of each seat."""
    solvent: int
    """Mask of the seats that are not bankrupt."""
    laid: int
    pile: int
    """Mask of the properties in the piles of unsold properties of all cities."""
    mix: list[int]
    """The shuffled pieces that are not yet drawn. The last piece is drawn next."""
    aside: int
    """The piece set aside unseen, or NO_PIECE."""
    luck: int
    """The random state (see `games/shared/luck.py`)."""
    logged_draws: list[int]
    """Pieces that a log says are drawn next, in order. If the list is empty, the last piece of the mix is drawn."""
    options: Options
    ended: EndReason | None
    """The reason why the game ended, or None before the end."""

    touching: list[bool]
    """Whether each piece touches a city or a laid piece."""
    complete: int
    """Mask of the complete routes: the routes of which all pieces are laid."""
    from_start: int
    """Mask of the cities connected to the start city by complete routes."""
    sellable: int
    """Mask of the properties that the bank buys back: those of cities with an incomplete route, except free properties.
    """
    tops: list[int]
    """The property for sale in each city, or `board.nothing`."""
    offers: list[int]
    """For each city with a property for sale, the move that buys the property. The last element is the pass.

    A move is listed even if no seat can pay for it.
    """

    memo: Any
    """Cached parts of views. The cache is not part of the position."""

    def copy(self) -> "State":
        twin = State.__new__(State)
        twin.pending = self.pending
        twin.money = self.money.copy()
        twin.hands = [hand.copy() for hand in self.hands]
        twin.held = self.held.copy()
        twin.solvent = self.solvent
        twin.laid = self.laid
        twin.pile = self.pile
        twin.mix = self.mix.copy()
        twin.aside = self.aside
        twin.luck = self.luck
        twin.logged_draws = self.logged_draws.copy()
        twin.options = self.options
        twin.ended = self.ended
        twin.touching = self.touching.copy()
        twin.complete = self.complete
        twin.from_start = self.from_start
        twin.sellable = self.sellable
        twin.tops = self.tops.copy()
        twin.offers = self.offers.copy()
        twin.memo = None
        return twin


NO_PIECE: Final = -1


def derive(state: State, board: Board) -> None:
    """Compute the attributes of a state that are derived from its other attributes."""
    state.memo = None
    state.touching = board.is_end.copy()
    for piece in numbers_in(state.laid):
        for neighbour in board.neighbours[piece]:
            state.touching[neighbour] = True
    state.complete = 0
    for route, whole in enumerate(board.route_wholes):
        if state.laid & whole == whole:
            state.complete |= 1 << route
    state.from_start = joined_to(board, 1 << board.start, state.complete)
    state.sellable = board.bought
    for city, routes in enumerate(board.city_routes):
        if state.complete & routes == routes:
            state.sellable &= ~board.city_properties[city]
    state.tops = [top_of(board, state.pile, city) for city in range(len(board.city_ids))]
    state.offers = [board.first_buy + city for city, top in enumerate(state.tops) if top != board.nothing]
    state.offers.append(board.to_pass)


def cost_of(state: State, board: Board, piece: int) -> int:
    """Return the cost of a piece in dollars.

    The cost depends on whether the piece touches a city or a laid piece (LS-11).
    """
    return board.cost[piece] if state.touching[piece] else board.cost_apart[piece]


def joined_to(board: Board, cities: int, routes: int) -> int:
    """Return the mask of all cities that can be reached from the cities in `cities` over the routes in `routes`.

    `cities` and `routes` are masks. The cities in `cities` are included.
    """
    lines = [board.route_cities[route] for route in few_numbers_in(routes)]
    before = 0
    while before != cities:
        before = cities
        for both in lines:
            if both & cities:
                cities |= both
    return cities


def top_of(board: Board, pile: int, city: int) -> int:
    """Return the property for sale in a city, or `board.nothing` if no property is for sale.

    `pile` is the mask of the unsold properties of all cities. The cheapest unsold property of the city is for sale.
    Nothing is for sale before the free property of the city is taken.
    """
    left = pile & board.city_properties[city]
    if not left or left & board.free:
        return board.nothing
    return (left & -left).bit_length() - 1
