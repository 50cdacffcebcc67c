"""What the medium player does, found quickly in a whole position; it knows its own hand, and looks at no other.

Searches use it to go on with a game for a few turns. `paid` is, by seat and route, what is paid for its completion.
"""

from rails_cli.core.money import BANK
from rails_cli.games.last_spike.board import Board
from rails_cli.games.last_spike.players.greedy import (
    DECISIVE,
    EXPOSED,
    FREE_PROPERTY,
    FROM_OTHERS,
    LOCK,
    UNWANTED,
    WANTED,
)
from rails_cli.games.last_spike.players.lines import tables_of
from rails_cli.games.last_spike.players.medium import FORCED_SALE, PIECES
from rails_cli.games.last_spike.questions import BuyOrPass, SellFor
from rails_cli.games.last_spike.rules import legal_moves
from rails_cli.games.last_spike.state import State


def usual_move(state: State, board: Board, paid: list[list[int]]) -> int:
    """The piece, the sale or the purchase that promises most to the seat that is asked."""
    question = state.pending
    assert question is not None
    moves = legal_moves(state, board)
    if len(moves) == 1:
        return moves[0]
    outlook = Outlook(state, board, paid, question.seat)
    if type(question) is BuyOrPass:
        return outlook.purchase(moves)
    if type(question) is SellFor:
        return outlook.sale(moves)
    return outlook.piece(moves)


class Outlook:
    """What a seat expects of the routes and cities, by number as on the board."""

    def __init__(self, state: State, board: Board, paid: list[list[int]], seat: int) -> None:
        self.state = state
        self.board = board
        self.paid = paid
        self.seat = seat
        self.cash = state.money[seat]
        self.hand = 0
        for piece in state.hands[seat]:
            self.hand |= board.bit[piece]
        rivals = max(1, state.solvent.bit_count() - 1)
        own = paid[seat]
        self.stakes: list[float] = []
        self.chances: list[float] = []
        self.completions = [0.0] * len(board.city_ids)
        for route, whole in enumerate(board.route_wholes):
            others = -own[route]
            for amounts in paid:
                others += amounts[route]
            stake = own[route] - others / rivals
            self.stakes.append(stake)
            missing = whole & ~state.laid
            chance = 1.0
            if missing:
                chance = self.chance(missing, stake)
                one, other = board.route_ends[route]
                self.completions[one] += chance
                self.completions[other] += chance
            self.chances.append(chance)

    def chance(self, missing: int, stake: float) -> float:
        """The chance that a route is completed before the game ends."""
        kept = (missing & self.hand).bit_count()
        keep = WANTED if stake > 0.0 else UNWANTED
        return float(FROM_OTHERS ** (missing.bit_count() - kept) * keep**kept)

    # Properties

    def income(self, city: int, more: int) -> float:
        """What the last property of this seat in a city, or one more, will be paid until the end."""
        payout = self.board.payout[city]
        count = (self.state.held[self.seat] & self.board.city_properties[city]).bit_count() + more
        return (payout[count] - payout[count - 1]) * self.completions[city]

    def purchase(self, moves: list[int]) -> int:
        board, state = self.board, self.state
        costs = [self.cost(piece) for piece in state.hands[self.seat]]
        costs.sort()
        allowed = self.cash - sum(costs[:PIECES])
        best, chosen = 0.0, board.to_pass
        for move in moves:
            if move == board.to_pass:
                continue
            city = move - board.first_buy
            price = board.price[state.tops[city]]
            if price > allowed:
                continue
            gain = self.income(city, 1) - price
            if gain > best:
                best, chosen = gain, move
        return chosen

    def sale(self, moves: list[int]) -> int:
        board = self.board
        least, chosen = 0.0, -1
        for move in moves:
            lot = move - board.first_sale
            loss = self.income(board.property_city[lot], 0) - board.gain[lot]
            if chosen < 0 or loss < least:
                least, chosen = loss, move
        return chosen

    # Pieces

    def cost(self, piece: int) -> int:
        board = self.board
        return board.cost[piece] if self.state.touching[piece] else board.cost_apart[piece]

    def piece(self, moves: list[int]) -> int:
        lines = tables_of(self.board).lines
        laid = self.state.laid
        open_now = 0
        for line in lines:
            lacking = line & ~laid
            if not lacking & lacking - 1:
                open_now |= lacking
        best, chosen = 0.0, -1
        for piece in moves:
            worth = self.worth_of_piece(piece, lines, open_now)
            if chosen < 0 or worth > best:
                best, chosen = worth, piece
        return chosen

    def worth_of_piece(self, piece: int, lines: list[int], open_now: int) -> float:
        """What laying a piece brings: the better chance of its route, a free property, and the race for the end."""
        board, state = self.board, self.state
        route = board.piece_route[piece]
        cost = self.cost(piece)
        laid = state.laid | board.bit[piece]
        free = state.pile & board.piece_free[piece]
        free_city = board.property_city[free.bit_length() - 1] if free else -1
        gift = board.payout[free_city][1] if free else 0
        if open_now & board.bit[piece]:
            return DECISIVE * (self.lead_at_end(route) + gift - cost)
        gained = self.chance(board.route_wholes[route] & ~laid, self.stakes[route]) - self.chances[route]
        worth = self.stakes[route] * gained - cost
        if cost > self.cash:
            worth -= (1.0 + FORCED_SALE) * (cost - self.cash)
        if free:
            worth += FREE_PROPERTY * gift * (self.completions[free_city] + gained)
        kept = self.hand & ~board.bit[piece]
        is_locked = True
        exposed = 0
        for line in lines:
            lacking = line & ~laid
            if not lacking & kept:
                is_locked = False
            if not lacking & lacking - 1:
                exposed |= lacking
        worth -= EXPOSED * board.bonus * (exposed & ~self.hand & ~open_now).bit_count()
        return worth + LOCK * board.bonus if is_locked else worth

    def lead_at_end(self, route: int) -> float:
        """The lead over the best of the others if this route is the last, but for what the piece costs and brings."""
        most = 0
        for seat, money in enumerate(self.state.money[:BANK]):
            if seat != self.seat and money + self.paid[seat][route] > most:
                most = money + self.paid[seat][route]
        return float(self.cash + self.board.bonus + self.paid[self.seat][route] - most)
