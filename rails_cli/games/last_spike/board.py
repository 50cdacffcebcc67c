"""The board of The Last Spike: decoding and validation of board files, and lookup tables for the rules.

Properties, cities and routes are numbered in the order of the board file. Pieces are numbered from the most to the
least expensive, so that a sorted list of pieces ends with the cheapest one. Sets are bitmasks.
"""

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from math import gcd
from typing import Any, get_args

import msgspec

from rails_cli.games.board_checks import known_fields, range_mistakes, read_entries
from rails_cli.games.game import BoardError, BoardNotes, WireBoard, decode_board
from rails_cli.games.last_spike.board_file import (
    BoardFile,
    CityFile,
    PieceFile,
    PropertyFile,
    Provenance,
    ResaleFile,
    RouteFile,
    TracedFile,
)
from rails_cli.games.shared.hexgrid import mask_of, numbers_in
from rails_cli.protocol.last_spike import Buy, Drew, Play, Sell

PLAYERS = (2, 3, 4, 5, 6)
LARGEST_NUMBER = 1_000_000_000
MOST_ENTRIES = 200
WIRE_RESALE_FIELDS = ("numerator", "denominator", "round_up_to")


class Board:
    """Lookup tables of a board, and the entries of lists of legal actions.

    Indexed by piece:

    - `place`: rank of the piece by letter, then number. `in_place` has the ids of all pieces in this order.
    - `cost`: printed cost. It is paid if the piece touches a city or a laid piece.
    - `cost_apart`: cost of the piece otherwise.
    - `beside` and `neighbours`: the neighbouring pieces on the same route, as a mask and as numbers.
    - `with_piece`: mask of all pieces of the same route.
    - `piece_free`: mask of the free property of the city beside the piece. 0 if the piece is not beside a city.
    - `is_end`: whether the piece is beside a city. `ends` is the mask of all such pieces.

    Indexed by route:

    - `route_pieces`: the pieces from the first city of the route to the second. `route_wholes`: the same as a mask.
    - `route_ends`: the two cities of the route. `route_cities`: the same as a mask.

    Indexed by property:

    - `price`: printed price. `dearest` is the highest price of all properties.
    - `gain`: resale price.
    - `next_lot`: the next more expensive property of the city, or `nothing`.
    - `buy_move`: the move that buys the property.

    The number `nothing` stands for no property. Its price is more than any seat can pay. `free` is the mask of the free
    properties, and `bought` the mask of all others. The free property of a city goes to the seat that lays the first
    piece beside the city. `payout[city][held]` is the payment for each complete route to a seat with `held` properties
    of the city.

    Indexed by number of players:

    - `cash`: the starting cash.
    - `set_aside`: the number of pieces set aside unseen.

    All amounts are multiples of `unit`. A move is a piece to play, `first_buy` plus a city, `first_sale` plus a
    property, or `to_pass`. `drew[seat][piece]` is the event in which a seat draws a piece. `seen` caches the last view
    for `imagine.py`.
    """

    def __init__(self, file: BoardFile, cities: Sequence[CityFile], routes: Sequence[RouteFile]) -> None:
        self.files = file, cities, routes
        self.cash = file.starting_cash.by_players
        self.set_aside = file.set_aside.by_players
        self.hand_size = file.hand_size.value
        self.bonus = file.last_spike_bonus.value
        self._fill_cities(cities, file.resale)
        self._fill_routes(routes, file.non_adjacent_multiplier.value)
        self.start = self.city_number[file.start_city.value]
        self.end = self.city_number[file.end_city.value]
        self._fill_entries()
        amounts = [*self.cash.values(), self.bonus, *self.cost, *self.price[: self.nothing], *self.gain]
        self.unit = gcd(*amounts, *(amount for payout in self.payout for amount in payout)) or 1
        self.seen: Any = None
        self.notes = _notes(file, cities, routes)
        self.wire = _wire(file, cities, routes)

    def __reduce__(self) -> tuple[type["Board"], tuple[BoardFile, Sequence[CityFile], Sequence[RouteFile]]]:
        """Pickle only the board file. Unpickling rebuilds the tables from the file."""
        return Board, self.files

    def _fill_cities(self, cities: Sequence[CityFile], resale: ResaleFile) -> None:
        self.city_ids = [city.id for city in cities]
        self.city_number = _numbers(self.city_ids)
        self.property_ids = [lot.id for city in cities for lot in city.properties]
        self.property_number = _numbers(self.property_ids)
        self.property_city = [number for number, city in enumerate(cities) for _ in city.properties]
        self.city_properties = [
            mask_of(lot for lot, owner in enumerate(self.property_city) if owner == number)
            for number in range(len(cities))
        ]
        self.payout = [[0, *(payout.amount for payout in city.payout)] for city in cities]
        prices = [lot.price for city in cities for lot in city.properties]
        self.nothing = len(prices)
        self.price = [*prices, 2**62]
        self.dearest = max(prices)
        self.next_lot = [self.nothing] * len(prices)
        for lot, (city, city_after) in enumerate(pairwise(self.property_city)):
            if city == city_after:
                self.next_lot[lot] = lot + 1
        self.gain = [_resale_price(price, resale) for price in prices]
        self.free = mask_of(self.property_number[city.properties[0].id] for city in cities)
        self.bought = mask_of(range(len(prices))) & ~self.free

    def _fill_routes(self, routes: Sequence[RouteFile], multiplier: int) -> None:
        self.route_ids = [route.id for route in routes]
        self.route_ends = [(self.city_number[route.start], self.city_number[route.to]) for route in routes]
        self.route_cities = [mask_of(ends) for ends in self.route_ends]
        self.city_routes = [
            mask_of(number for number, ends in enumerate(self.route_ends) if city in ends)
            for city in range(len(self.city_ids))
        ]
        in_file = [piece for route in routes for piece in route.pieces]
        pieces = sorted(in_file, key=lambda piece: -piece.cost)
        self.piece_ids = [piece.id for piece in pieces]
        self.piece_number = _numbers(self.piece_ids)
        self.in_place = sorted(self.piece_ids, key=_letter_and_number)
        self.place = [self.in_place.index(id) for id in self.piece_ids]
        self.bit = [1 << number for number in range(len(pieces))]
        self.cost = [piece.cost for piece in pieces]
        self.cost_apart = [multiplier * cost for cost in self.cost]
        self.route_pieces = [[self.piece_number[piece.id] for piece in route.pieces] for route in routes]
        self.route_wholes = [mask_of(along) for along in self.route_pieces]
        self.piece_route = [0] * len(pieces)
        self.piece_free = [0] * len(pieces)
        self.beside = [0] * len(pieces)
        self.with_piece = [0] * len(pieces)
        for route, along in enumerate(self.route_pieces):
            for piece in along:
                self.piece_route[piece] = route
                self.with_piece[piece] = self.route_wholes[route]
            for piece, following in pairwise(along):
                self.beside[piece] |= 1 << following
                self.beside[following] |= 1 << piece
            for piece, city in zip((along[0], along[-1]), self.route_ends[route], strict=True):
                self.piece_free[piece] = self.city_properties[city] & self.free
        self.ends = mask_of(piece for piece, free in enumerate(self.piece_free) if free)
        self.is_end = [free != 0 for free in self.piece_free]
        self.neighbours = [numbers_in(beside) for beside in self.beside]

    def _fill_entries(self) -> None:
        self.play = [Play(id, cost) for id, cost in zip(self.piece_ids, self.cost, strict=True)]
        self.play_apart = [Play(id, cost) for id, cost in zip(self.piece_ids, self.cost_apart, strict=True)]
        self.sell = [Sell(id, gain) for id, gain in zip(self.property_ids, self.gain, strict=True)]
        self.buy = [
            Buy(self.city_ids[city], price)
            for city, price in zip(self.property_city, self.price[: self.nothing], strict=True)
        ]
        self.first_buy = len(self.piece_ids)
        self.first_sale = self.first_buy + len(self.city_ids)
        self.to_pass = self.first_sale + len(self.property_ids)
        self.buy_move = [self.first_buy + city for city in self.property_city]
        self.drew = [[Drew(seat=seat, piece=id) for id in self.piece_ids] for seat in range(max(PLAYERS))]


def read_board(written: bytes) -> Board:
    """Decode and validate a board file. Raise BoardError with one line for each mistake."""
    file = decode_board(written, "last_spike", BoardFile)
    mistakes: list[str] = []
    cities = read_entries(file.cities, CityFile, "city", mistakes)
    routes = read_entries(file.routes, RouteFile, "route", mistakes)
    if not mistakes:
        mistakes = [*_constants_mistakes(file), *_cities_mistakes(cities), *_routes_mistakes(cities, routes)]
    if not mistakes:
        mistakes = [*_line_mistakes(file, cities, routes), *_count_mistakes(file, routes)]
    if mistakes:
        raise BoardError(mistakes)
    return Board(file, cities, routes)


def _constants_mistakes(file: BoardFile) -> list[str]:
    mistakes = []
    for name, table in (("starting_cash", file.starting_cash), ("set_aside", file.set_aside)):
        given = table.by_players
        mistakes += [f"{name}: nothing for {players} players" for players in PLAYERS if players not in given]
        mistakes += [f"{name}: {players} players are not 2 to 6" for players in sorted(given) if players not in PLAYERS]
    for players, cash in sorted(file.starting_cash.by_players.items()):
        mistakes += range_mistakes(f"starting_cash for {players} players: amount", cash, 0, LARGEST_NUMBER)
    for players, aside in sorted(file.set_aside.by_players.items()):
        if aside not in (0, 1):
            mistakes.append(f"set_aside for {players} players: {aside} is not 0 or 1")
    if not 1 <= file.hand_size.value <= MOST_ENTRIES:
        mistakes.append(f"hand_size: {file.hand_size.value} is not 1 to {MOST_ENTRIES}")
    mistakes += range_mistakes("last_spike_bonus: amount", file.last_spike_bonus.value, 0, LARGEST_NUMBER)
    if not 1 <= file.non_adjacent_multiplier.value <= 100:
        mistakes.append(f"non_adjacent_multiplier: {file.non_adjacent_multiplier.value} is not 1 to 100")
    resale = file.resale
    if not 0 <= resale.numerator <= resale.denominator <= LARGEST_NUMBER or resale.denominator < 1:
        mistakes.append(f"resale: {resale.numerator}/{resale.denominator} is not a part from 0 to 1")
    if not 1 <= resale.round_up_to <= LARGEST_NUMBER:
        mistakes.append(f"resale: cannot round up to {resale.round_up_to}")
    if file.start_city.value == file.end_city.value:
        mistakes.append(f"end_city: {file.end_city.value} is also the start city")
    return mistakes


def _cities_mistakes(cities: Sequence[CityFile]) -> list[str]:
    mistakes = _id_mistakes("city", [city.id for city in cities])
    mistakes += _id_mistakes("property", [lot.id for city in cities for lot in city.properties])
    if not 2 <= len(cities) <= MOST_ENTRIES:
        mistakes.append(f"cities: {len(cities)} cities are not 2 to {MOST_ENTRIES}")
    place_of: dict[tuple[int, int], str] = {}
    for city in cities:
        other = place_of.setdefault((city.x, city.y), city.id)
        if other != city.id:
            mistakes.append(f"city {city.id}: lies at the same place as {other}")
        if abs(city.x) > LARGEST_NUMBER or abs(city.y) > LARGEST_NUMBER:
            mistakes.append(f"city {city.id}: lies too far out")
        if not 1 <= len(city.properties) <= MOST_ENTRIES:
            mistakes.append(f"city {city.id}: {len(city.properties)} properties are not 1 to {MOST_ENTRIES}")
        if len(city.payout) != len(city.properties):
            mistakes.append(f"city {city.id}: {len(city.payout)} payouts for {len(city.properties)} properties")
        for number, lot in enumerate(city.properties):
            mistakes += range_mistakes(f"property {lot.id}: price", lot.price, 0, LARGEST_NUMBER)
            if number == 0 and lot.price != 0:
                mistakes.append(f"property {lot.id}: the first of a city is free, price {lot.price} is not 0")
            if number > 0 and lot.price <= city.properties[number - 1].price:
                above = city.properties[number - 1]
                mistakes.append(f"property {lot.id}: price {lot.price} is not above {above.price} of {above.id}")
        for number, payout in enumerate(city.payout):
            mistakes += range_mistakes(f"city {city.id}: payout for {number + 1}", payout.amount, 0, LARGEST_NUMBER)
            if number > 0 and payout.amount < city.payout[number - 1].amount:
                mistakes.append(f"city {city.id}: payout for {number + 1} is below that for {number}")
    return mistakes


def _routes_mistakes(cities: Sequence[CityFile], routes: Sequence[RouteFile]) -> list[str]:
    mistakes = _id_mistakes("route", [route.id for route in routes])
    mistakes += _id_mistakes("piece", [piece.id for route in routes for piece in route.pieces])
    if not 1 <= len(routes) <= MOST_ENTRIES:
        mistakes.append(f"routes: {len(routes)} routes are not 1 to {MOST_ENTRIES}")
    known = {city.id for city in cities}
    for route in routes:
        for city in (route.start, route.to):
            if city not in known:
                mistakes.append(f"route {route.id}: unknown city {city}")
        if route.start == route.to:
            mistakes.append(f"route {route.id}: leads from {route.start} to itself")
        if not 2 <= len(route.pieces) <= MOST_ENTRIES:
            mistakes.append(f"route {route.id}: {len(route.pieces)} pieces are not 2 to {MOST_ENTRIES}")
        for piece in route.pieces:
            mistakes += range_mistakes(f"piece {piece.id}: cost", piece.cost, 0, LARGEST_NUMBER)
    return mistakes


def _line_mistakes(file: BoardFile, cities: Sequence[CityFile], routes: Sequence[RouteFile]) -> list[str]:
    """Return error messages about the connections between cities.

    - The start city and the end city must exist.
    - Every city must be reachable.
    - If a piece may be set aside, a line from start to end must exist even without the route of that piece.
    """
    known = {city.id for city in cities}
    start, end = file.start_city.value, file.end_city.value
    mistakes = [
        f"{name}: unknown city {city}" for name, city in (("start_city", start), ("end_city", end)) if city not in known
    ]
    if mistakes:
        return mistakes
    reached = _reached(start, routes)
    mistakes = [f"city {city.id}: no route leads there from {start}" for city in cities if city.id not in reached]
    if not mistakes and any(file.set_aside.by_players.values()):
        mistakes = [
            f"route {route.id}: without it no line leads from {start} to {end}, and a piece of it may be set aside"
            for route in routes
            if end not in _reached(start, [other for other in routes if other is not route])
        ]
    return mistakes


def _reached(start: str, routes: Sequence[RouteFile]) -> set[str]:
    reached = {start}
    before = 0
    while before != len(reached):
        before = len(reached)
        for route in routes:
            if route.start in reached or route.to in reached:
                reached |= {route.start, route.to}
    return reached


def _count_mistakes(file: BoardFile, routes: Sequence[RouteFile]) -> list[str]:
    """Return an error message for each number of players for which the board has too few pieces."""
    pieces = sum(len(route.pieces) for route in routes)
    needed = {players: players * file.hand_size.value + file.set_aside.by_players[players] for players in PLAYERS}
    return [
        f"hand_size: {players} players need {needed[players]} pieces, there are {pieces}"
        for players in PLAYERS
        if needed[players] > pieces
    ]


def _id_mistakes(kind: str, ids: Sequence[str]) -> list[str]:
    mistakes = [f"{kind} {id}: used {times} times" for id, times in Counter(ids).items() if times > 1]
    if "" in ids:
        mistakes.append(f"{kind} with an empty id")
    return mistakes + [
        f"{kind} {id}: its id has characters that cannot be displayed" for id in ids if not id.isprintable()
    ]


def _letter_and_number(id: str) -> tuple[str, int, str, str]:
    """Return a sort key for the id of a piece. The key sorts A2 before A10, and A10 before B1."""
    letter = id.rstrip("0123456789")
    number = id[len(letter) :].lstrip("0")
    return letter, len(number), number, id


def _resale_price(price: int, resale: ResaleFile) -> int:
    """Return the resale price of a property: a fraction of its price, rounded up (LS-20)."""
    unit = resale.denominator * resale.round_up_to
    return -(-price * resale.numerator // unit) * resale.round_up_to


def _numbers(ids: Sequence[str]) -> dict[str, int]:
    return {id: number for number, id in enumerate(ids)}


def _notes(file: BoardFile, cities: Sequence[CityFile], routes: Sequence[RouteFile]) -> BoardNotes:
    """Return the sources of the board, and the number of its values that are printed, derived or reconstructed."""
    values: list[TracedFile] = [
        *(file.starting_cash, file.hand_size, file.set_aside, file.start_city, file.end_city),
        *(file.last_spike_bonus, file.non_adjacent_multiplier, file.resale),
        *(value for city in cities for value in (*city.properties, *city.payout)),
        *(piece for route in routes for piece in route.pieces),
    ]
    origins = Counter(value.provenance for value in values)
    origins.update(city.place for city in cities)
    for route in routes:
        origins.update((route.link, route.letter, route.numbering))
    return BoardNotes(
        name=file.name,
        title=file.title,
        provenance=file.status,
        counts={origin: origins[origin] for origin in get_args(Provenance)},
        uncertain=file.uncertain,
        sources=msgspec.to_builtins(file.sources),
    )


def _wire(file: BoardFile, cities: Sequence[CityFile], routes: Sequence[RouteFile]) -> dict[str, Any]:
    return {
        "game": file.game,
        "name": file.name,
        "title": file.title,
        "starting_cash": {str(players): cash for players, cash in sorted(file.starting_cash.by_players.items())},
        "hand_size": file.hand_size.value,
        "set_aside": {str(players): aside for players, aside in sorted(file.set_aside.by_players.items())},
        "start_city": file.start_city.value,
        "end_city": file.end_city.value,
        "last_spike_bonus": file.last_spike_bonus.value,
        "non_adjacent_multiplier": file.non_adjacent_multiplier.value,
        "resale": {field: getattr(file.resale, field) for field in WIRE_RESALE_FIELDS},
        "cities": [
            {
                "id": city.id,
                "name": city.name,
                "x": city.x,
                "y": city.y,
                "properties": [
                    {"id": lot.id, "price": lot.price, "resale": _resale_price(lot.price, file.resale)}
                    for lot in city.properties
                ],
                "payout": [payout.amount for payout in city.payout],
            }
            for city in cities
        ],
        "routes": [
            {
                "id": route.id,
                "from": route.start,
                "to": route.to,
                "pieces": [{"id": piece.id, "cost": piece.cost} for piece in route.pieces],
            }
            for route in routes
        ],
    }


def board_notes(board: Board) -> BoardNotes:
    return board.notes


def wire_board(board: Board) -> dict[str, Any]:
    return board.wire


def board_file(wire: WireBoard) -> dict[str, Any]:
    """Return the content of a board file for `wire`, a board received from a server."""
    origin: dict[str, Any] = {"provenance": "derived"}
    file: dict[str, Any] = {"format": 1, **{field: wire[field] for field in ("game", "name", "title")}}
    for field in ("hand_size", "start_city", "end_city", "last_spike_bonus", "non_adjacent_multiplier"):
        file[field] = {**origin, "value": wire[field]}
    for field in ("starting_cash", "set_aside"):
        file[field] = {**origin, "by_players": wire[field]}
    file["resale"] = {**origin, **known_fields(ResaleFile, wire["resale"])}
    file["cities"] = [
        {
            **{field: city[field] for field in ("id", "name", "x", "y")},
            "place": "derived",
            "properties": [{**origin, **known_fields(PropertyFile, lot)} for lot in city["properties"]],
            "payout": [{**origin, "amount": amount} for amount in city["payout"]],
        }
        for city in wire["cities"]
    ]
    file["routes"] = [
        {
            **{field: route[field] for field in ("id", "from", "to")},
            **dict.fromkeys(("link", "letter", "numbering"), "derived"),
            "pieces": [{**origin, **known_fields(PieceFile, piece)} for piece in route["pieces"]],
        }
        for route in wire["routes"]
    ]
    return file
