"""The possible lines from the start city to the end city, and other tables for the evaluation."""

from functools import lru_cache
from typing import Final

from rails_cli.games.evaluation import BOARDS, NUMBERS
from rails_cli.games.last_spike.board import Board
from rails_cli.games.last_spike.players.greedy import FROM_OTHERS, UNWANTED, WANTED
from rails_cli.games.shared.hexgrid import numbers_in

MOST_LINES: Final = 64
MOST_BEGINNINGS: Final = 4_096


class LineTables:
    """Lookup tables of a board for the evaluation. Sets of pieces are bitmasks.

    - `lines`: for each line from the start city to the end city, the mask of its pieces. Lines with the fewest routes
      come first.
    - `lines_over`, by route: the numbers of the lines that use the route.
    - `entrances`, by city: mask of the pieces beside the city.
    - `scale`: payment of a city for one property in dollars, averaged over all cities.
    - `cost`: mean cost of a piece.
    - `price`: mean price of a property that is not free.
    - `kept_chances[wanted][missing][held]`: chance that a route with `missing` missing pieces is completed, if a player
      holds `held` of these pieces. `wanted` is 1 if the player gains by the completion, otherwise 0.
    """

    def __init__(self, board: Board) -> None:
        self.number = next(NUMBERS)
        self.pieces = (1 << len(board.piece_ids)) - 1
        routes = _lines(board)
        self.lines: list[int] = []
        for line in routes:
            pieces = 0
            for route in line:
                pieces |= board.route_wholes[route]
            self.lines.append(pieces)
        self.lines_over = [
            [number for number, line in enumerate(routes) if route in line] for route in range(len(board.route_ids))
        ]
        self.entrances = [0] * len(board.city_ids)
        for along, ends in zip(board.route_pieces, board.route_ends, strict=True):
            self.entrances[ends[0]] |= board.bit[along[0]]
            self.entrances[ends[1]] |= board.bit[along[-1]]
        self.scale = max(1.0, sum([payout[1] for payout in board.payout]) / len(board.payout))
        self.cost = sum(board.cost) / len(board.cost)
        prices = [price for price in board.price[: board.nothing] if price]
        self.price = sum(prices) / max(1, len(prices))
        longest = max(map(len, board.route_pieces), default=0)
        self.kept_chances = [
            [
                [float(FROM_OTHERS ** (count - kept) * keep**kept) for kept in range(count + 1)]
                for count in range(longest + 1)
            ]
            for keep in (UNWANTED, WANTED)
        ]


@lru_cache(maxsize=BOARDS)
def tables_of(board: Board) -> LineTables:
    return LineTables(board)


def _lines(board: Board) -> list[list[int]]:
    """Return at most MOST_LINES lines from the start city to the end city, those with the fewest routes first.

    A line is a list of routes that visits no city twice.

    If more than MOST_BEGINNINGS unfinished lines are found, only the lines nearest to the end city are continued. A
    shortest line is therefore always found.
    """
    to_end = _distances(board)
    found: list[list[int]] = []
    front: list[tuple[int, int, list[int]]] = [(board.start, 1 << board.start, [])]
    while front and len(found) < MOST_LINES:
        longer: list[tuple[int, int, list[int]]] = []
        for city, seen, line in front:
            if city == board.end:
                found.append(line)
                continue
            for route in numbers_in(board.city_routes[city]):
                beyond = sum(board.route_ends[route]) - city
                if not seen >> beyond & 1:
                    longer.append((beyond, seen | 1 << beyond, [*line, route]))
        if len(longer) > MOST_BEGINNINGS:
            longer.sort(key=lambda beginning: to_end[beginning[0]])
        front = longer[:MOST_BEGINNINGS]
    return found[:MOST_LINES]


def _distances(board: Board) -> list[int]:
    """Return, by city, the smallest number of routes from the city to the end city."""
    distances = [len(board.city_ids)] * len(board.city_ids)
    distances[board.end] = 0
    front = [board.end]
    for city in front:
        for route in numbers_in(board.city_routes[city]):
            beyond = sum(board.route_ends[route]) - city
            if distances[beyond] > distances[city] + 1:
                distances[beyond] = distances[city] + 1
                front.append(beyond)
    return distances
