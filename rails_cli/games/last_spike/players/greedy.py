"""The greedy player of The Last Spike. The player compares its own future payments with the payments to its rivals.

The estimated chance that a route is completed shrinks with every missing piece. The values of properties and of pieces
are computed from these chances.
"""

from typing import Final

from rails_cli.games.last_spike.board import Board
from rails_cli.games.last_spike.state import joined_to
from rails_cli.protocol.last_spike import Action, Buy, Entry, Play, Sell, View

FROM_OTHERS: Final = 0.85  # probability that a missing piece outside the player's hand is laid
WANTED: Final = 0.97  # the same for a piece in the player's hand, on a route that pays the player more than others
UNWANTED: Final = 0.6  # the same for a piece in the player's hand, on a route that does not
FREE_PROPERTY: Final = 0.8  # weight of a free property. It is below 1 because nothing can be bought in that turn
EXPOSED: Final = 0.5  # fraction of the bonus subtracted for each possible last spike of other players
LOCK: Final = 0.3  # fraction of the bonus gained by holding pieces without which nobody can drive the last spike
DECISIVE: Final = 1_000  # factor that makes winning or losing at once outweigh everything else


def think(view: View, legal: list[Entry], board: Board) -> Action:
    """Return the legal action with the highest estimated value: a piece to play, a sale or a purchase."""
    return max(legal, key=Estimates(view, board).value)


class Estimates:
    """A seat's estimates of the values of actions. Routes and cities are numbers.

    - `stake`, by route: the payment to the seat minus the average payment to its rivals.
    - `chance`, by route: the probability that the route is completed.
    - `completions`, by city: the expected number of its routes that will be completed.
    """

    def __init__(self, view: View, board: Board) -> None:
        assert view.seat is not None
        self.view = view
        self.board = board
        self.seat = view.seat
        self.cash = view.players[view.seat].cash or 0
        self.hand = view.players[view.seat].hand or []
        self.missing = [route.missing for route in view.routes]
        self.rivals = [player for player in view.players if player.seat != view.seat and not player.bankrupt]
        lead = [self._lead(city.pays) for city in view.cities]
        self.stake = [lead[one] + lead[other] for one, other in board.route_ends]
        self.chance = [self._chance(route) for route in range(len(view.routes))]
        self.completions = [0.0] * len(view.cities)
        for ends, missing, chance in zip(board.route_ends, self.missing, self.chance, strict=True):
            for city in ends if missing else ():
                self.completions[city] += chance

    def _lead(self, pays: list[int]) -> float:
        """Return the payment to this seat minus the average payment to its rivals. `pays` is indexed by seat."""
        return pays[self.seat] - sum(pays[rival.seat] for rival in self.rivals) / len(self.rivals)

    def _chance(self, route: int, laying: str | None = None) -> float:
        """Return the probability that a route is completed before the game ends.

        `laying` is the id of a piece that the seat lays now, or None.
        """
        chance = 1.0
        for piece in self.missing[route]:
            if piece not in self.hand:
                chance *= FROM_OTHERS
            elif piece != laying:
                chance *= WANTED if self.stake[route] > 0 else UNWANTED
        return chance

    def value(self, entry: Entry) -> float:
        """Return the estimated gain of a legal action in dollars."""
        match entry:
            case Play():
                return self.worth_of_piece(entry)
            case Sell():
                return -self.loss_by_sale(entry)
            case Buy():
                return self.gain_by_purchase(entry)
        return 0.0

    # Properties

    def _worth_of_property(self, city: int, held: int) -> float:
        """Return the expected payments until the end for one property of a city.

        `held` is the number of properties in the city that the seat owns, including this property.
        """
        payout = self.board.payout[city]
        return (payout[held] - payout[held - 1]) * self.completions[city]

    def gain_by_purchase(self, entry: Buy) -> float:
        city = self.board.city_number[entry.city]
        return self._worth_of_property(city, self.view.cities[city].properties[self.seat] + 1) - (entry.cost or 0)

    def loss_by_sale(self, entry: Sell) -> float:
        city = self.board.property_city[self.board.property_number[entry.property]]
        return self._worth_of_property(city, self.view.cities[city].properties[self.seat]) - (entry.gain or 0)

    # Pieces

    def worth_of_piece(self, entry: Play) -> float:
        """Return the value in dollars of laying a piece now. It has these parts:

        - the gain because the route is more likely to be completed
        - the value of a free property
        - minus the cost
        - the change of each player's chance to lay the last spike
        """
        piece = self.board.piece_number[entry.piece]
        route = self.board.piece_route[piece]
        cost = entry.cost or 0
        chance = self._chance(route, entry.piece)
        worth = self.stake[route] * (chance - self.chance[route]) - cost
        worth -= max(cost - self.cash, 0)  # the rest comes from sales at half price
        free_city = self._free_city(piece, route)
        free = 0 if free_city is None else self.board.payout[free_city][1]
        if entry.piece in self.view.last_spikes:
            return DECISIVE * self._lead_at_end(route, free - cost)
        if free_city is not None:
            worth += FREE_PROPERTY * free * (self.completions[free_city] - self.chance[route] + chance)
        worth -= EXPOSED * self.board.bonus * self._last_spikes_for_others(route, entry.piece)
        if self._holds_the_lock(entry.piece):
            worth += LOCK * self.board.bonus
        return worth

    def _free_city(self, piece: int, route: int) -> int | None:
        """Return the city whose free property a player gets for laying `piece`, or None if there is no such city."""
        for end, city in zip((0, -1), self.board.route_ends[route], strict=True):
            if self.board.route_pieces[route][end] == piece and not self.view.cities[city].free_taken:
                return city
        return None

    def _lead_at_end(self, route: int, besides: int) -> float:
        """Return the seat's lead in dollars over its best rival, if the completion of `route` ends the game.

        `besides` is an amount that is added to the seat's money. If the cash of a rival is hidden, it is assumed to
        equal the seat's own cash.
        """
        ends = [self.view.cities[city].pays for city in self.board.route_ends[route]]
        own = self.cash + besides + self.board.bonus + sum(pays[self.seat] for pays in ends)
        others = [
            (self.cash if rival.cash is None else rival.cash) + sum(pays[rival.seat] for pays in ends)
            for rival in self.rivals
        ]
        return own - max(others)

    def _last_spikes_for_others(self, route: int, laying: str) -> int:
        """Return how many pieces could be the last spike, which ends the game, after the piece `laying` is laid.

        Pieces in the seat's own hand are not counted. `route` is the route of `laying`.
        """
        board = self.board
        missing = [[piece for piece in pieces if piece != laying] for pieces in self.missing]
        if len(missing[route]) > 1:
            return 0
        complete = sum(1 << number for number, pieces in enumerate(missing) if not pieces)
        from_start = joined_to(board, 1 << board.start, complete)
        from_end = joined_to(board, 1 << board.end, complete)
        known = (*self.hand, *self.view.last_spikes)
        return sum(
            len(pieces) == 1 and pieces[0] not in known and bool(cities & from_start) and bool(cities & from_end)
            for pieces, cities in zip(missing, board.route_cities, strict=True)
        )

    def _holds_the_lock(self, laying: str) -> bool:
        """Return whether the seat can prevent the end of the game after it has laid the piece with the id `laying`.

        The seat can prevent it if every line from start to end needs a piece that stays in the seat's hand.
        """
        kept = [piece for piece in self.hand if piece != laying]
        free = sum(1 << route for route, pieces in enumerate(self.missing) if not any(p in kept for p in pieces))
        return not joined_to(self.board, 1 << self.board.start, free) >> self.board.end & 1
