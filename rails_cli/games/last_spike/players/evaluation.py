"""Evaluation of positions of The Last Spike, and the moves worth searching.

The worth of a seat is its cash plus the expected payments for its properties. Its expected part of free properties, of
later purchases and of the bonus for the last spike is added. The last spike is the piece that ends the game. The chance
that a route is completed depends on its missing pieces and on the seats that hold them. A seat is assumed to lay a
piece sooner if the piece's route pays that seat more than others. When no piece is left to draw, the evaluation also
plays the hands to the end with simple players.
"""

from math import exp, log, sqrt
from typing import Final

from rails_cli.games.evaluation import NUMBERS, Evaluation, Run, remember
from rails_cli.games.last_spike.board import Board
from rails_cli.games.last_spike.players.greedy import FROM_OTHERS, UNWANTED, WANTED
from rails_cli.games.last_spike.players.habits import Paid, paid_in, usual_move
from rails_cli.games.last_spike.players.lines import LineTables, tables_of
from rails_cli.games.last_spike.players.weights import Weights
from rails_cli.games.last_spike.questions import BuyOrPass, SellFor
from rails_cli.games.last_spike.rules import apply_move, legal_moves
from rails_cli.games.last_spike.state import State
from rails_cli.games.payoff import payoff_of
from rails_cli.games.shared.money import BANK, added

MOST_RUNS: Final = 25
FEW_OFFERS: Final = 3
"""Maximum number of answers that `policy` compares when it is asked for a purchase: the best purchases and the pass."""
WAYS: Final[dict[tuple[int, int, int], "Way"]] = {}
TO_WIN: Final = 1_000.0
"""Factor for the gain of laying the last spike (the piece that ends the game).

The gain is the final lead of the seat in dollars. With so large a factor, an immediate win or loss outweighs everything
else.
"""


class Way:
    """Estimates about the rest of the game. They depend only on the pieces laid.

    - `left`: number of pieces not laid.
    - `turns`: expected number of turns until the end.
    - `open`: the incomplete routes, each with its two cities.
    - `odds`, by route: log-odds that the route is completed, without regard to which seats hold its pieces.
    - `part`, by route: chance of each missing piece of the route to be the last spike. Each line from the start to the
      end city that uses the route contributes its chance, divided by its number of missing pieces.
    """

    __slots__ = ("left", "odds", "open", "part", "turns")

    left: int
    turns: float
    open: list[tuple[int, int, int]]
    odds: list[float]
    part: list[float]


class PositionEvaluator:
    """Implementation of the functions of an `Evaluation`, with given weights."""

    def __init__(self, weights: Weights) -> None:
        self.weights = weights
        self.number = next(NUMBERS)
        self.complete = weights.complete
        self.each_missing = weights.each_missing
        self.unlaid = weights.unlaid
        self.detour = weights.detour
        self.distance = weights.distance
        self.kept_back = weights.kept_back
        self.hand_cost = weights.hand_cost
        self.turn_cost = weights.turn_cost
        self.shortage = weights.shortage
        self.ready = weights.ready
        self.unready = weights.unready
        self.purchase_price = weights.purchase_price
        self.purchases = weights.purchases
        self.free_property = weights.free_property
        self.last_spike = weights.last_spike
        self.longer_line = weights.longer_line
        self.cash = weights.cash
        self.touching = weights.touching
        self.played_out = weights.played_out
        self.played_out_late = weights.played_out_late
        self.in_a_hurry = weights.in_a_hurry
        self.exposed = weights.exposed

    # Functions of the `Evaluation`

    def worth(self, state: State, board: Board) -> list[float]:
        """Return the value of each seat's cash and prospects in current dollars."""
        if state.pending is None:
            return [float(cash) for cash in state.money[:BANK]]
        paid = paid_in(state, board)
        worth = self.forecast(state, board, paid)
        if not state.mix:
            full = board.hand_size * len(worth)
            empty = 1.0 - (len(board.piece_ids) - state.laid.bit_count()) / full
            counts = min(1.0, max(0.0, self.played_out + self.played_out_late * empty))
            ends = self.play_out(state, board, paid)
            for seat in range(len(worth)):
                worth[seat] += counts * (ends[seat] - worth[seat])
        return worth

    def spread(self, state: State, board: Board) -> float:
        """Return the uncertainty in dollars of the values that `worth` returns."""
        if state.pending is None:
            return 0.0
        left = len(board.piece_ids) - state.laid.bit_count()
        return tables_of(board).scale * self.weights.spread * sqrt(left)

    def candidates(self, state: State, board: Board) -> list[Run]:
        """Return the runs (sequences of moves) that are worth searching.

        A run plays a piece, sells properties to pay for the piece, and buys or passes. Only the sales that the method
        `sales` chooses are included. The result does not depend on hidden information.
        """
        question = state.pending
        assert question is not None
        moves = legal_moves(state, board)
        if type(question) is BuyOrPass:
            return [(move,) for move in moves[-MOST_RUNS:]]
        runs: list[Run] = []
        each = max(1, MOST_RUNS // len(moves))
        for move in moves[-MOST_RUNS:]:
            after = state.copy()
            apply_move(after, board, move)
            first = (move, *self.sales(after, board))
            asked = after.pending
            if type(asked) is BuyOrPass and asked.seat == question.seat:
                runs += [(*first, offer) for offer in self.offers(after, board, asked.seat, each)]
            else:
                runs.append(first)
        return runs

    def policy(self, state: State, board: Board) -> int:
        """Return the move with the highest expected payoff for the seat to move: a piece to play or a purchase.

        If the seat must sell a property, return the sale that the medium player would choose.
        """
        question = state.pending
        assert question is not None
        if type(question) is SellFor:
            return usual_move(state, board)
        seat = question.seat
        if type(question) is BuyOrPass:
            moves = self.offers(state, board, seat, FEW_OFFERS)
        else:
            moves = legal_moves(state, board)
        if len(moves) == 1:
            return moves[0]
        best, chosen = 0.0, -1
        for move in moves:
            after = state.copy()
            apply_move(after, board, move)
            asked = after.pending
            if type(asked) is BuyOrPass and asked.seat == seat:
                apply_move(after, board, usual_move(after, board))
            payoff = payoff_of(seat, self.worth(after, board), self.spread(after, board))
            if chosen < 0 or payoff > best:
                best, chosen = payoff, move
        return chosen

    # Runs of moves

    def sales(self, state: State, board: Board) -> list[int]:
        """Sell properties until the seat can pay for the chosen piece, and change `state`.

        Each time, the property with the lowest future payments minus resale price is sold. Return the moves that sell
        the properties.
        """
        sold: list[int] = []
        while True:
            question = state.pending
            if type(question) is not SellFor:
                return sold
            least, chosen = 0.0, -1
            for move in legal_moves(state, board):
                lot = move - board.first_sale
                loss = self.income_of(state, board, question.seat, board.property_city[lot], 0) - board.gain[lot]
                if chosen < 0 or loss < least:
                    least, chosen = loss, move
            apply_move(state, board, chosen)
            sold.append(chosen)

    def offers(self, state: State, board: Board, seat: int, most: int) -> list[int]:
        """Return up to `most` moves: the best purchases and the pass."""
        moves = legal_moves(state, board)
        if len(moves) > most:
            moves.pop()
            gains: list[tuple[float, int]] = []
            for move in moves:
                city = move - board.first_buy
                gain = self.income_of(state, board, seat, city, 1) - board.price[state.tops[city]]
                gains.append((-gain, move))
            gains.sort()
            moves = [move for _, move in gains[: max(0, most - 1)]]
            moves.append(board.to_pass)
        return moves

    def income_of(self, state: State, board: Board, seat: int, city: int, more: int) -> float:
        """Return the future payments for one property of a seat in a city, if all routes of the city are completed.

        If `more` is 0, the property is the last one that the seat got there. If `more` is 1, it is the next one that
        the seat could buy there.
        """
        payout = board.payout[city]
        count = (state.held[seat] & board.city_properties[city]).bit_count() + more
        return (payout[count] - payout[count - 1]) * (board.city_routes[city] & ~state.complete).bit_count()

    # Estimates of the rest of the game

    def way(self, board: Board, tables: LineTables, laid: int) -> Way:
        key = (self.number, tables.number, laid)
        found = WAYS.get(key)
        if found is None:
            found = remember(WAYS, key, self.new_way(board, tables, laid))
        return found

    def new_way(self, board: Board, tables: LineTables, laid: int) -> Way:
        unlaid = tables.pieces & ~laid
        lacking = [(line & unlaid).bit_count() for line in tables.lines]
        nearest = min(lacking)
        likely = [self.longer_line**more for more in range(max(lacking) - nearest + 1)]
        total = added([likely[count - nearest] for count in lacking])
        each = [likely[count - nearest] / total / count if count else 0.0 for count in lacking]
        way = Way()
        way.left = unlaid.bit_count()
        way.turns = max(1.0, way.left - self.kept_back)
        way.open = []
        way.odds = []
        way.part = []
        for route, whole in enumerate(board.route_wholes):
            missing = (whole & unlaid).bit_count()
            lines = tables.lines_over[route]
            over = nearest
            part = 0.0
            if lines:
                over = lacking[lines[0]]
                for line in lines:
                    part += each[line]
                    if lacking[line] < over:
                        over = lacking[line]
            if missing:
                one, other = board.route_ends[route]
                way.open.append((route, one, other))
            way.odds.append(
                self.complete
                + self.each_missing * (missing - 1)
                + self.unlaid * log(way.left)
                + self.detour * (over - nearest)
                + self.distance * nearest
            )
            way.part.append(part)
        return way

    def forecast(self, state: State, board: Board, paid: Paid) -> list[float]:
        """Return, by seat, the value of the seat's cash plus its expected gains in the rest of the game.

        `paid` has the payments for each route by seat.
        """
        tables = tables_of(board)
        way = self.way(board, tables, state.laid)
        seats = len(state.hands)
        solvent = state.solvent
        active = solvent.bit_count()
        rivals = max(1, active - 1)
        stake = self.weights.stake / tables.scale
        most_stake = self.weights.most_stake * tables.scale
        turns = way.turns / active
        cost = board.cost
        piece_route = board.piece_route
        bit = board.bit
        is_touching = state.touching
        parts = way.part
        odds = way.odds.copy()
        totals = paid.totals

        worth = [0.0] * seats
        spikes = 1.0
        hands = [0] * seats
        for seat in range(seats):
            hand = state.hands[seat]
            if not solvent >> seat & 1 or not hand:
                continue
            amounts = paid.by_seat[seat]
            part = 0.0
            costs = 0
            held = 0
            touching = 0
            for piece in hand:
                if is_touching[piece]:
                    touching += 1
                route = piece_route[piece]
                own = amounts[route]
                lead = own - (totals[route] - own) / rivals
                if lead > most_stake:
                    lead = most_stake
                elif lead < -most_stake:
                    lead = -most_stake
                odds[route] += stake * lead
                part += parts[route]
                costs += cost[piece]
                held |= bit[piece]
            hands[seat] = held
            spikes -= part
            worth[seat] = self.last_spike * board.bonus * part
            worth[seat] += self.touching * tables.scale * touching
            played = turns / len(hand)
            worth[seat] -= self.hand_cost * costs * (played if played < 1.0 else 1.0)

        chances = [0.0] * len(odds)
        completions = [0.0] * len(board.city_ids)
        for route, one, other in way.open:
            chance = 1.0 / (1.0 + exp(-odds[route]))
            chances[route] = chance
            completions[one] += chance
            completions[other] += chance

        gain = self.gain_by_purchase(state, board, completions)
        need = turns * self.turn_cost * tables.cost
        ready = self.ready * tables.cost
        spending = need + turns * self.purchase_price * tables.price
        drawn = self.last_spike * board.bonus * spikes / active
        for seat in range(seats):
            if not solvent >> seat & 1:
                continue
            cash = state.money[seat]
            found = cash + drawn
            amounts = paid.by_seat[seat]
            for route in paid.earning[seat]:
                found += amounts[route] * chances[route]
            if cash < need:
                found -= self.shortage * (need - cash)
            if cash < ready:
                found -= self.unready * (ready - cash)
            found += self.cash * (cash if cash < 2.0 * need else 2.0 * need)
            afforded = cash / spending if cash < spending else 1.0
            worth[seat] += found + self.purchases * turns * gain * afforded
        if state.pile & board.free:
            self.add_free_properties(state, board, tables, completions, hands, worth)
        return worth

    def gain_by_purchase(self, state: State, board: Board, completions: list[float]) -> float:
        """Return the mean gain of the three best properties for sale. A gain is the expected payments minus the price.

        `completions` has, by city, the expected number of routes that will be completed.
        """
        first = second = third = 0.0
        nothing, payout, price = board.nothing, board.payout, board.price
        for city, top in enumerate(state.tops):
            if top == nothing:
                continue
            gain = payout[city][1] * completions[city] - price[top]
            if gain > first:
                first, second, third = gain, first, second
            elif gain > second:
                second, third = gain, second
            elif gain > third:
                third = gain
        return (first + second + third) / 3.0

    def add_free_properties(
        self,
        state: State,
        board: Board,
        tables: LineTables,
        completions: list[float],
        hands: list[int],
        worth: list[float],
    ) -> None:
        """Add the expected value of free properties to `worth`, the values by seat.

        The value of a free property is divided equally among the unlaid pieces beside its city. The seat that holds a
        piece gets its part. If the piece is not yet drawn, all seats share this part. `completions` has, by city, the
        expected number of routes that will be completed. `hands` has the mask of pieces by seat.
        """
        unlaid = tables.pieces & ~state.laid
        active = state.solvent.bit_count()
        for city in range(len(completions)):
            if not state.pile & board.free & board.city_properties[city]:
                continue
            entrances = tables.entrances[city] & unlaid
            count = entrances.bit_count()
            if not count:
                continue
            each = self.free_property * board.payout[city][1] * completions[city] / count
            to_draw = count
            for held in hands:
                to_draw -= (entrances & held).bit_count()
            for seat in range(len(worth)):
                if state.solvent >> seat & 1:
                    worth[seat] += each * ((entrances & hands[seat]).bit_count() + to_draw / active)

    # Playing out the hands

    def play_out(self, state: State, board: Board, paid: Paid) -> list[float]:
        """Return the final money by seat if every seat always lays the piece that `next_piece` returns.

        No properties are bought or sold.
        """
        seats = len(state.hands)
        money = [float(cash) for cash in state.money[:BANK]]
        hands = [hand.copy() for hand in state.hands]
        laid = state.laid
        question = state.pending
        assert question is not None
        seat = question.seat
        if type(question) is BuyOrPass:
            seat = (seat + 1) % seats
        waiting = 0
        while waiting < seats:
            hand = hands[seat]
            if not hand:
                waiting += 1
                seat = (seat + 1) % seats
                continue
            waiting = 0
            piece, cost, is_last = self.next_piece(state, board, paid, money, hands, laid, seat)
            hand.remove(piece)
            laid |= board.bit[piece]
            money[seat] -= cost
            route = board.piece_route[piece]
            whole = board.route_wholes[route]
            if laid & whole == whole:
                for other in range(seats):
                    money[other] += paid.by_seat[other][route]
                if is_last:
                    money[seat] += board.bonus
                    break
            seat = (seat + 1) % seats
        for seat in range(seats):
            if not state.solvent >> seat & 1:
                money[seat] = 0.0
        return money

    def next_piece(
        self, state: State, board: Board, paid: Paid, money: list[float], hands: list[list[int]], laid: int, seat: int
    ) -> tuple[int, int, bool]:
        """Choose the piece in the hand of `seat` with the highest estimated gain, in a play-out of the hands.

        Return the piece, its cost, and whether the piece is the last spike. `money`, `hands` and `laid` (a mask of
        pieces) describe the play-out so far.
        """
        lines = tables_of(board).lines
        own = paid.by_seat[seat]
        rivals = max(1, state.solvent.bit_count() - 1)
        held = 0
        touching = False
        for piece in hands[seat]:
            held |= board.bit[piece]
            if board.ends & board.bit[piece] or board.beside[piece] & laid:
                touching = True
        best, chosen, price, is_last = 0.0, -1, 0, False
        for piece in hands[seat]:
            if touching and not (board.ends & board.bit[piece] or board.beside[piece] & laid):
                continue
            cost = board.cost[piece] if touching else board.cost_apart[piece]
            route = board.piece_route[piece]
            after = laid | board.bit[piece]
            missing = board.route_wholes[route] & ~after
            lead = own[route] - (paid.totals[route] - own[route]) / rivals
            is_spike = False
            gain = -float(cost)
            if not missing:
                gain += self.in_a_hurry * lead
                is_open = False
                for line in lines:
                    lacking = line & ~after
                    if not lacking:
                        is_spike = True
                        break
                    if not lacking & lacking - 1 and not lacking & held:
                        is_open = True
                if is_spike:
                    gain = TO_WIN * (
                        money[seat] - cost + board.bonus + own[route] - most_of(money, paid.by_seat, route, seat)
                    )
                elif is_open:
                    gain -= self.exposed * board.bonus
            else:
                count = missing.bit_count()
                kept = (missing & held).bit_count()
                keep = WANTED if lead > 0.0 else UNWANTED
                gain += lead * FROM_OTHERS ** (count - kept) * keep**kept * (1.0 - keep)
                if count == 1 and not kept:
                    for line in lines:
                        lacking = line & ~after
                        if not lacking & lacking - 1:
                            gain -= self.exposed * board.bonus
                            break
            if chosen < 0 or gain > best:
                best, chosen, price, is_last = gain, piece, cost, is_spike
        return chosen, price, is_last


def most_of(money: list[float], paid: list[list[int]], route: int, seat: int) -> float:
    """Return the money of the richest seat other than `seat` after all payments for a route.

    `paid` has the payments by seat and route.
    """
    most = 0.0
    for other in range(len(money)):
        if other != seat and money[other] + paid[other][route] > most:
            most = money[other] + paid[other][route]
    return most


def evaluation_with(weights: Weights) -> Evaluation[State, Board]:
    evaluator = PositionEvaluator(weights)
    return Evaluation(
        worth=evaluator.worth,
        spread=evaluator.spread,
        candidates=evaluator.candidates,
        weights=weights,
        weighing=evaluation_with,
        policy=evaluator.policy,
        looks_a_second=500,
        expert_looks=200,
    )


EVALUATION = evaluation_with(Weights())
