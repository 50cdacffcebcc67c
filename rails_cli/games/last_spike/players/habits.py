"""A fast version of the medium player. Searches use it to continue a game for a few turns.

Unlike other players, this version takes the full position instead of a view. It ignores the hands of other seats.
"""

from typing import Final

from rails_cli.games.evaluation import remember
from rails_cli.games.last_spike.board import Board
from rails_cli.games.last_spike.players.greedy import DECISIVE, EXPOSED, FREE_PROPERTY, LOCK
from rails_cli.games.last_spike.players.lines import LineTables, tables_of
from rails_cli.games.last_spike.players.medium import FORCED_SALE, PIECES
from rails_cli.games.last_spike.questions import BuyOrPass, SellFor
from rails_cli.games.last_spike.rules import legal_moves
from rails_cli.games.last_spike.state import State, cost_of
from rails_cli.games.shared.money import BANK

TRACKS: Final[dict[tuple[int, int], "Track"]] = {}
ESTATES: Final[dict[tuple[int, int], list[int]]] = {}
PAID: Final[dict[tuple[int, tuple[int, ...]], "Paid"]] = {}
STAKES: Final[dict[tuple[int, int, int, tuple[int, ...]], list[float]]] = {}


class Track:
    """The pieces that are missing on routes, and on lines from the start city to the end city.

    - `missing`, by route: mask of the missing pieces.
    - `counts`, by route: number of missing pieces.
    - `open`: the incomplete routes as tuples: route, mask of missing pieces, number of missing pieces, first city,
      second city.
    - `lacking`, by line: mask of the missing pieces.
    - `near`: the masks in `lacking` with at most two pieces.
    - `open_now`: mask of the pieces that would be the last spike, which completes a line and ends the game.
    """

    __slots__ = ("counts", "lacking", "missing", "near", "open", "open_now")

    def __init__(self, board: Board, tables: LineTables, laid: int) -> None:
        self.missing = [whole & ~laid for whole in board.route_wholes]
        self.counts = [missing.bit_count() for missing in self.missing]
        self.open: list[tuple[int, int, int, int, int]] = []
        for route, missing in enumerate(self.missing):
            if missing:
                one, other = board.route_ends[route]
                self.open.append((route, missing, self.counts[route], one, other))
        self.lacking = [line & ~laid for line in tables.lines]
        self.near = [lacking for lacking in self.lacking if lacking.bit_count() <= 2]
        self.open_now = 0
        for lacking in self.near:
            if not lacking & lacking - 1:
                self.open_now |= lacking


class Paid:
    """Payments for the completion of routes.

    - `by_seat[seat][route]`: the payment to a seat in dollars.
    - `totals`, by route: the sum of the payments to all seats.
    - `earning`, by seat: the routes for which the seat is paid.
    """

    __slots__ = ("by_seat", "earning", "totals")

    def __init__(self, by_seat: list[list[int]]) -> None:
        self.by_seat = by_seat
        self.totals = [sum(amounts) for amounts in zip(*by_seat, strict=True)]
        self.earning = [[route for route, amount in enumerate(amounts) if amount] for amounts in by_seat]


def usual_move(state: State, board: Board) -> int:
    """Return the move with the highest estimated value for the seat to move: a piece to play, a sale or a purchase."""
    question = state.pending
    assert question is not None
    moves = legal_moves(state, board)
    if len(moves) == 1:
        return moves[0]
    if type(question) is BuyOrPass:
        moves = afforded(state, board, question.seat, moves)
        return Estimates(state, board, question.seat).purchase(moves) if moves else board.to_pass
    estimates = Estimates(state, board, question.seat)
    if type(question) is SellFor:
        return estimates.sale(moves)
    return estimates.piece(moves)


class Estimates:
    """A seat's estimates of the values of moves. Routes and cities are numbers.

    - `stakes`, by route: the payment to the seat minus the average payment to its rivals.
    - `chances`, by route: the probability that the route is completed.
    - `completions`, by city: the expected number of its routes that will be completed.
    """

    def __init__(self, state: State, board: Board, seat: int) -> None:
        self.state = state
        self.board = board
        self.seat = seat
        self.cash = state.money[seat]
        self.hand = 0
        for piece in state.hands[seat]:
            self.hand |= board.bit[piece]
        tables = tables_of(board)
        self.stakes = stakes = stakes_of(state, board, tables, seat)
        self.track = track_of(board, tables, state.laid)
        self.kept_chances = tables.kept_chances
        self.chances = [1.0] * len(stakes)
        self.completions = completions = [0.0] * len(board.city_ids)
        for route, missing, count, one, other in self.track.open:
            chance = self.chance(missing, count, stakes[route])
            self.chances[route] = chance
            completions[one] += chance
            completions[other] += chance

    def chance(self, missing: int, count: int, stake: float) -> float:
        """Return the probability that a route with `count` missing pieces is completed before the game ends.

        `missing` is the mask of these pieces. `stake` is the seat's payment minus the average payment of its rivals.
        """
        held = missing & self.hand
        return self.kept_chances[stake > 0.0][count][held.bit_count() if held else 0]

    # Properties

    def income(self, city: int, more: int) -> float:
        """Return the expected payments until the end for one property of the seat in a city.

        If `more` is 0, the property is the last one that the seat got there. If `more` is 1, it is the next one that
        the seat could buy there.
        """
        payout = self.board.payout[city]
        count = (self.state.held[self.seat] & self.board.city_properties[city]).bit_count() + more
        return (payout[count] - payout[count - 1]) * self.completions[city]

    def purchase(self, moves: list[int]) -> int:
        """Return the most profitable of the purchases `moves`, or the pass if no purchase is profitable."""
        board, state = self.board, self.state
        best, chosen = 0.0, board.to_pass
        for move in moves:
            city = move - board.first_buy
            gain = self.income(city, 1) - board.price[state.tops[city]]
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

    def piece(self, moves: list[int]) -> int:
        best, chosen = 0.0, -1
        for piece in moves:
            worth = self.worth_of_piece(piece)
            if chosen < 0 or worth > best:
                best, chosen = worth, piece
        return chosen

    def worth_of_piece(self, piece: int) -> float:
        """Return the value in dollars of laying a piece now.

        The medium player's method `worth_of_piece` uses the same formula.
        """
        board, state = self.board, self.state
        route = board.piece_route[piece]
        cost = cost_of(state, board, piece)
        others = ~board.bit[piece]
        free = state.pile & board.piece_free[piece]
        free_city = board.property_city[free.bit_length() - 1] if free else -1
        gift = board.payout[free_city][1] if free else 0
        open_now = self.track.open_now
        if open_now & board.bit[piece]:
            return DECISIVE * (self.lead_at_end(route) + gift - cost)
        missing, count = self.track.missing[route] & others, self.track.counts[route] - 1
        gained = self.chance(missing, count, self.stakes[route]) - self.chances[route]
        worth = self.stakes[route] * gained - cost
        if cost > self.cash:
            worth -= (1.0 + FORCED_SALE) * (cost - self.cash)
        if free:
            worth += FREE_PROPERTY * gift * (self.completions[free_city] + gained)
        kept = self.hand & others
        exposed = 0
        for lacking in self.track.near:
            lacking &= others
            if not lacking & lacking - 1:
                exposed |= lacking
        if exposed:
            worth -= EXPOSED * board.bonus * (exposed & ~self.hand & ~open_now).bit_count()
        for lacking in self.track.lacking:
            if not lacking & kept:
                return worth
        return worth + LOCK * board.bonus

    def lead_at_end(self, route: int) -> float:
        """Return the seat's lead in dollars over its best rival, if the completion of `route` ends the game.

        The cost of the last piece and the value of a free property are not included.
        """
        most = 0
        paid = paid_in(self.state, self.board).by_seat
        for seat, money in enumerate(self.state.money[:BANK]):
            if seat != self.seat and money + paid[seat][route] > most:
                most = money + paid[seat][route]
        return float(self.cash + self.board.bonus + paid[self.seat][route] - most)


def afforded(state: State, board: Board, seat: int, moves: list[int]) -> list[int]:
    """Return the purchases among `moves` that leave enough cash for the PIECES cheapest pieces in the seat's hand."""
    costs = [cost_of(state, board, piece) for piece in state.hands[seat]]
    costs.sort()
    allowed = state.money[seat] - sum(costs[:PIECES])
    found = []
    for move in moves:
        if move != board.to_pass and board.price[state.tops[move - board.first_buy]] <= allowed:
            found.append(move)
    return found


def track_of(board: Board, tables: LineTables, laid: int) -> Track:
    found = TRACKS.get((tables.number, laid))
    if found is None:
        found = remember(TRACKS, (tables.number, laid), Track(board, tables, laid))
    return found


def stakes_of(state: State, board: Board, tables: LineTables, seat: int) -> list[float]:
    """Return, by route, the payment to `seat` minus the average payment to the other seats."""
    rivals = max(1, state.solvent.bit_count() - 1)
    key = (tables.number, seat, rivals, tuple(state.held))
    found = STAKES.get(key)
    if found is None:
        paid = paid_in(state, board)
        found = []
        for own, total in zip(paid.by_seat[seat], paid.totals, strict=True):
            found.append(own - (total - own) / rivals)
        remember(STAKES, key, found)
    return found


def paid_in(state: State, board: Board) -> Paid:
    number = tables_of(board).number
    key = (number, tuple(state.held))
    found = PAID.get(key)
    if found is None:
        found = remember(PAID, key, Paid([paid_for(board, number, held) for held in state.held]))
    return found


def paid_for(board: Board, number: int, held: int) -> list[int]:
    """Return, by route, the payment to a seat when the route is completed.

    `held` is the mask of the seat's properties. `number` identifies the board in the cache.
    """
    found = ESTATES.get((number, held))
    if found is None:
        by_city = []
        for properties, payout in zip(board.city_properties, board.payout, strict=True):
            by_city.append(payout[(held & properties).bit_count()])
        found = [by_city[one] + by_city[other] for one, other in board.route_ends]
        remember(ESTATES, (number, held), found)
    return found
