"""Positions of The Last Spike as whole numbers, the inputs of a network that estimates values.

Amounts are in MONEY-ths of a unit, the average payment of a city for one property. Chances and fractions are in
thousandths, expected turns and completions in hundredths. A condition is 1 if it is true, otherwise 0.

The numbers that all seats share, in order:

- The number of players is 2, 3, 4, 5, 6. The pending question is to play, to sell, to buy.
- Every piece may be played, solvent seats, pieces to draw, no piece is left to draw, turns to go per seat, mean gain of
  the best properties for sale, chance that the last spike is not in a hand.
- Pieces not laid, turns to go, missing pieces of the shortest line from the start city to the end city, lines that lack
  one piece, lines that lack two.
- Each of these by route: missing pieces, none is missing, one is missing, chance of each missing piece to be the last
  spike, chance of completion, missing pieces in the draw pile.
- Each of these by city: unsold properties, the free property is among them, a property is for sale, its price, its
  gain (expected payments minus price), expected completions of routes.

The numbers of a seat, in order. All are 0 for a bankrupt seat.

- Solvent, to move, solvent seats that play a piece before the seat does.
- Cash, lead over the cash of the richest other seat, cash missing for the chosen piece, resale price of its properties.
- Pieces in hand, those that touch a city or a laid piece, cost of all, cost of the cheapest, those that would take a
  free property.
- Chance to lay the last spike, expected payments, their lead over the mean of the other seats, cash missing for the
  turns to go, fraction of the expected spending that the cash covers, number of properties.
- Pieces in hand that would be the last spike now, final lead after the best of them, every line lacks a piece of the
  hand, lines that lack two pieces with one of them in hand, with both in hand.
- Final money if the hands are played out, lead over the best other seat (both 0 while pieces are left to draw).
- Each of these by route: lead of the payment for its completion over the mean of the other seats times the chance of
  completion, the payment (0 if the route is complete), missing pieces in hand.
- By city: number of properties.
"""

from functools import partial
from typing import Final

from rails_cli.games.evaluation import Inputs, remember
from rails_cli.games.last_spike.board import PLAYERS, Board
from rails_cli.games.last_spike.players.evaluation import Forecast, PositionEvaluator, Way, most_of
from rails_cli.games.last_spike.players.habits import cost_of, paid_for
from rails_cli.games.last_spike.players.lines import LineTables, tables_of
from rails_cli.games.last_spike.players.weights import Weights
from rails_cli.games.last_spike.questions import BuyOrPass, PlayPiece, SellFor
from rails_cli.games.last_spike.rules import resale_value
from rails_cli.games.last_spike.state import State
from rails_cli.games.shared.money import BANK

MOST: Final = 30_000
"""Largest absolute value of a number. Larger values are clamped."""
MONEY: Final = 400.0
COUNTS: Final = [[int(players == count) for count in PLAYERS] for players in range(max(PLAYERS) + 1)]
GROUNDS: Final[dict[tuple[int, int, int], "Ground"]] = {}
OFFERS: Final[dict[tuple[int, int], "Offer"]] = {}
ESTATES: Final[dict[tuple[int, int, int], "Estate"]] = {}
HANDS: Final[dict[tuple[int, int], list[int]]] = {}


class Ground:
    """What depends only on the pieces laid: numbers, the pairs of pieces and the single pieces that lines lack."""

    __slots__ = ("numbers", "open_now", "pairs")

    def __init__(self, way: Way) -> None:
        self.pairs: list[int] = []
        self.open_now = 0
        lines = 0
        shortest = way.left
        for lacking in way.lacking:
            count = lacking.bit_count()
            if count < shortest:
                shortest = count
            if count == 1:
                self.open_now |= lacking
                lines += 1
            elif count == 2:
                self.pairs.append(lacking)
        self.numbers = [way.left, int(100.0 * way.turns), shortest, lines, len(self.pairs), *way.missing]
        self.numbers += [int(missing == 0) for missing in way.missing]
        self.numbers += [int(missing == 1) for missing in way.missing]
        for missing, part in zip(way.missing, way.part, strict=True):
            self.numbers.append(int(1000.0 * part) if missing else 0)


class Offer:
    """What depends only on the unsold properties.

    - `numbers`: by city the unsold properties, whether the free one is among them, whether one is for sale, its price.
    - `payments`, by city: payment for one property, 0 if none is for sale. `prices`: price of the property for sale.
    - `entrances`: mask of the pieces beside cities with a free property.
    """

    __slots__ = ("entrances", "numbers", "payments", "prices")

    def __init__(self, state: State, board: Board, tables: LineTables) -> None:
        left = [state.pile & properties for properties in board.city_properties]
        self.entrances = 0
        self.payments = [0.0] * len(left)
        self.prices = [0.0] * len(left)
        for city, top in enumerate(state.tops):
            if left[city] & board.free:
                self.entrances |= tables.entrances[city]
            if top != board.nothing:
                self.payments[city] = board.payout[city][1] * MONEY / tables.scale
                self.prices[city] = board.price[top] * MONEY / tables.scale
        self.numbers = [properties.bit_count() for properties in left]
        self.numbers += [int(properties & board.free != 0) for properties in left]
        self.numbers += [int(top != board.nothing) for top in state.tops]
        self.numbers += within([int(price) for price in self.prices])


class Estate:
    """What depends only on the complete routes and the properties of a seat.

    `paid` has the payments by route, 0 for complete routes. `by_city` has the number of properties.
    """

    __slots__ = ("by_city", "paid", "resale")

    def __init__(self, state: State, board: Board, tables: LineTables, seat: int) -> None:
        held = state.held[seat]
        per_dollar = MONEY / tables.scale
        self.paid = within([int(payment * per_dollar) for payment in paid_for(board, tables.number, held)])
        for route in range(len(self.paid)):
            if state.complete >> route & 1:
                self.paid[route] = 0
        self.by_city = [(held & properties).bit_count() for properties in board.city_properties]
        self.resale = resale_value(state, board, seat)


def shared_inputs(board: Board) -> int:
    """Return how many numbers describe the position as such, for any number of players."""
    return 20 + 6 * len(board.route_ids) + 6 * len(board.city_ids)


def own_inputs(board: Board) -> int:
    """Return how many numbers describe one seat, for any number of players."""
    return 25 + 3 * len(board.route_ids) + len(board.city_ids)


def describe(state: State, board: Board, evaluator: PositionEvaluator) -> tuple[list[int], list[float], float]:
    """Return the numbers of a position, the worth of each seat, and the spread.

    The shared numbers come first, then those of seat 0, seat 1, and so on. The game must not be over. The worth and the
    spread are those of `evaluator`.
    """
    tables = tables_of(board)
    forecast = evaluator.forecast(state, board)
    way = forecast.way
    key = (evaluator.number, tables.number, state.laid)
    ground = GROUNDS.get(key)
    if ground is None:
        ground = remember(GROUNDS, key, Ground(way))
    offer = OFFERS.get((tables.number, state.pile))
    if offer is None:
        offer = remember(OFFERS, (tables.number, state.pile), Offer(state, board, tables))
    spike = 1.0
    for part in forecast.parts:
        spike -= part
    per_dollar = MONEY / tables.scale
    kind = type(state.pending)
    active = state.solvent.bit_count()
    numbers = COUNTS[len(state.hands)].copy()
    numbers += (1 if kind is PlayPiece else 0, 1 if kind is SellFor else 0, 1 if kind is BuyOrPass else 0)
    numbers += (1 if state.options.non_adjacent == "free_choice" else 0, active, len(state.mix), 0 if state.mix else 1)
    numbers += (int(100.0 * way.turns / active), clamped(forecast.gain * per_dollar), int(1000.0 * spike))
    numbers += ground.numbers
    chances = [int(1000.0 * chance) for chance in forecast.chances]
    numbers += chances
    undrawn = [0] * len(chances)
    for piece in state.mix:
        undrawn[board.piece_route[piece]] += 1
    numbers += undrawn
    numbers += offer.numbers
    gains = zip(offer.payments, forecast.completions, offer.prices, strict=True)
    numbers += within([int(payment * count - price) for payment, count, price in gains])
    numbers += [int(100.0 * count) for count in forecast.completions]
    add_seats(state, board, forecast, tables, ground, offer.entrances, chances, numbers)
    return numbers, forecast.worth, evaluator.spread(state, board)


def clamped(number: float) -> int:
    return int(max(-MOST, min(MOST, number)))


def within(numbers: list[int]) -> list[int]:
    """Return `numbers` with values that are too large clamped. Few boards have such values, so `max` decides first."""
    if max(numbers) > MOST or min(numbers) < -MOST:
        return [max(-MOST, min(MOST, number)) for number in numbers]
    return numbers


def add_seats(
    state: State,
    board: Board,
    forecast: Forecast,
    tables: LineTables,
    ground: Ground,
    entrances: int,
    chances: list[int],
    numbers: list[int],
) -> None:
    """Append the numbers of all seats to `numbers`. `entrances` is the mask of the pieces beside free properties."""
    question = state.pending
    assert question is not None
    asked = question.seat
    short = question.cost - state.money[asked] if type(question) is SellFor else 0
    solvent = state.solvent
    active = solvent.bit_count()
    rivals = max(1, active - 1)
    per_dollar = MONEY / tables.scale
    need, spending = forecast.need, forecast.spending
    by_all = [int(chance * total * per_dollar) for chance, total in zip(chances, forecast.paid.totals, strict=True)]
    of_all = sum(by_all)
    own = [chance * (rivals + 1) for chance in chances]
    parts = 1000 * rivals
    by_all = [total - parts // 2 for total in by_all]  # rounds the leads, which are quotients
    ordered = sorted(state.money[:BANK])
    ends = forecast.ends
    ordered_ends = sorted(ends)
    first = (solvent & (1 << asked) - 1).bit_count() + (1 if type(question) is BuyOrPass else 0)
    for seat, pieces in enumerate(state.hands):
        if not solvent >> seat & 1:
            numbers += [0] * own_inputs(board)
            continue
        cash = state.money[seat]
        hand = forecast.hands[seat]
        estate = estate_of(state, board, tables, seat)
        leads = [(part * paid - total) // parts for part, paid, total in zip(own, estate.paid, by_all, strict=True)]
        lead = sum(leads)
        expected = (lead * parts + of_all) // (1000 * (rivals + 1))
        richest = ordered[-2] if cash == ordered[-1] else ordered[-1]
        row = [1, 0, ((solvent & (1 << seat) - 1).bit_count() - first) % active]
        row += (int(cash * per_dollar), int((cash - richest) * per_dollar), 0, int(estate.resale * per_dollar))
        if seat == asked:
            row[1], row[5] = 1, int(short * per_dollar)
        row += (len(pieces), forecast.touching[seat], int(forecast.costs[seat] * per_dollar))
        row += (int(board.cost[pieces[-1]] * per_dollar) if pieces else 0, (hand & entrances).bit_count())
        row += (
            int(1000.0 * forecast.parts[seat]),
            expected,
            lead,
            int((need - cash) * per_dollar) if cash < need else 0,
        )
        row += (int(1000.0 * cash / spending) if cash < spending else 1000, state.held[seat].bit_count())
        if hand & ground.open_now:
            row += last_spikes(state, board, forecast, per_dollar, seat, ground.open_now, cash + estate.resale)
        else:
            row += (0, 0)
        is_locked, one, both = 1, 0, 0
        for lacking in forecast.way.lacking:
            if not lacking & hand:
                is_locked = 0
                break
        for lacking in ground.pairs:
            kept = lacking & hand
            if kept == lacking:
                both += 1
            elif kept:
                one += 1
        row += (is_locked, one, both)
        if ends:
            final = ends[seat]
            best = ordered_ends[-2] if final == ordered_ends[-1] else ordered_ends[-1]
            row += (int(final * per_dollar), int((final - best) * per_dollar))
        else:
            row += (0, 0)
        row += leads
        by_route = HANDS.get((tables.number, hand))
        if by_route is None:
            by_route = [(hand & whole).bit_count() for whole in board.route_wholes]
            remember(HANDS, (tables.number, hand), by_route)
        numbers += within(row)
        numbers += estate.paid
        numbers += by_route
        numbers += estate.by_city


def last_spikes(
    state: State, board: Board, forecast: Forecast, per_dollar: float, seat: int, open_now: int, purse: int
) -> tuple[int, int]:
    """Return how many pieces in hand the seat could lay as the last spike now, and its final lead after the best.

    `open_now` is the mask of such pieces. `purse` is what the seat can pay in dollars, sales included.
    """
    count, best = 0, 0.0
    money = [float(cash) for cash in state.money[:BANK]]
    by_seat = forecast.paid.by_seat
    for piece in state.hands[seat]:
        cost = cost_of(state, board, piece)
        if open_now & board.bit[piece] and cost <= purse:
            route = board.piece_route[piece]
            lead = money[seat] - cost + board.bonus + by_seat[seat][route] - most_of(money, by_seat, route, seat)
            if not count or lead > best:
                best = lead
            count += 1
    return count, int(best * per_dollar)


def estate_of(state: State, board: Board, tables: LineTables, seat: int) -> Estate:
    key = (tables.number, state.held[seat], state.complete)
    found = ESTATES.get(key)
    if found is None:
        found = remember(ESTATES, key, Estate(state, board, tables, seat))
    return found


INPUTS: Final = Inputs(
    shared=shared_inputs,
    own=own_inputs,
    describe=partial(describe, evaluator=PositionEvaluator(Weights())),
    looks_a_second=350,
    expert_looks=130,
    most_early=20,
)
