"""The board of The Last Spike: read from its file, checked, and made into tables by number.

Properties, cities and routes are numbered in the order of the file, pieces from the dearest to the cheapest, so that a
list of pieces in the order of their numbers ends with the mildest. Sets are bitmasks.
"""

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple, TypeVar

import msgspec

from protocol.last_spike import Buy, Drew, Play, Route, Sell
from rails_cli.core.hexgrid import mask_of
from rails_cli.games.game import BoardError, BoardNotes, check_board_of, id_in
from rails_cli.games.last_spike.board_file import BoardFile, CityFile, Provenance, ResaleFile, RouteFile

PLAYERS = (2, 3, 4, 5, 6)
LARGEST_NUMBER = 1_000_000_000
MOST_ENTRIES = 200

T = TypeVar("T")


class RouteLook(NamedTuple):
    """A route in a view, also as it is written, and its pieces that touch something."""

    route: Route
    written: msgspec.Raw
    touching: list[str]


class PileLook(NamedTuple):
    """A city's pile in a view."""

    is_open: bool
    names: list[str]
    for_sale: str | None
    price: int | None


class Board:
    """Tables of the board, and the legal entries made once."""

    piece_ids: list[str]
    piece_number: dict[str, int]
    place: list[int]
    """The place of a piece by letter, then number, whatever the order of the file."""
    in_place: list[str]
    """The ids of the pieces by letter, then number."""
    bit: list[int]
    """1 << piece, by piece."""
    cost: list[int]
    """The printed cost of a piece, for when it touches something."""
    cost_apart: list[int]
    """Its cost when it touches nothing."""
    beside: list[int]
    """The neighbouring pieces of a piece on its route."""
    ends: int
    """The pieces that touch a city."""
    piece_free: list[int]
    """The free property, as a mask, of the city that a piece touches; 0 if it touches none."""
    piece_route: list[int]
    with_piece: list[int]
    """All pieces of the route of a piece."""

    city_ids: list[str]
    city_number: dict[str, int]
    city_properties: list[int]
    city_routes: list[int]
    payout: list[list[int]]
    """What a city pays, by the number of its properties held (0 for none)."""
    start: int
    end: int

    route_ids: list[str]
    route_pieces: list[list[int]]
    """The pieces of a route, from its first city to its second."""
    route_wholes: list[int]
    """The pieces of a route as a mask."""
    route_ends: list[tuple[int, int]]
    """The numbers of the two cities of a route."""
    route_cities: list[int]
    """The two cities of a route as a mask."""

    property_ids: list[str]
    property_number: dict[str, int]
    property_city: list[int]
    price: list[int]
    """Printed prices; the last, of `nothing`, is more than anyone can pay."""
    gain: list[int]
    """What the bank pays for a property."""
    free: int
    """The free properties."""
    bought: int
    """The properties that are not free."""
    nothing: int
    """In place of a property number: no property."""

    cash: dict[int, int]
    """Starting cash, by number of players."""
    set_aside: dict[int, int]
    """How many pieces are set aside unseen, by number of players."""
    hand_size: int
    bonus: int

    play: list[Play]
    play_apart: list[Play]
    sell: list[Sell]
    buy: list[Buy]
    drew: list[list[Drew]]
    """The event that a seat drew a piece, by seat and piece."""

    route_looks: list[dict[int, RouteLook]]
    """How each route looked in the views that were made, by the pieces laid."""
    pile_looks: list[dict[int, PileLook]]
    """How each city's pile looked, by the properties in it."""

    notes: dict[str, Any]
    wire: dict[str, Any]


def read_board(written: bytes) -> Board:
    """The board in a file. Raises BoardError with every mistake found."""
    check_board_of(written, "last_spike")
    file, cities, routes = _decode(written)
    mistakes = [*_constants_mistakes(file), *_cities_mistakes(cities), *_routes_mistakes(cities, routes)]
    if not mistakes:
        mistakes = [*_line_mistakes(file, cities, routes), *_count_mistakes(file, routes)]
    if mistakes:
        raise _board_error(mistakes)
    return _tables(file, cities, routes)


def _board_error(mistakes: Sequence[str]) -> BoardError:
    """One printable line for each mistake, whatever stands in the file."""
    return BoardError(["".join(sign if sign.isprintable() else "?" for sign in line) for line in mistakes])


def _decode(written: bytes) -> tuple[BoardFile, list[CityFile], list[RouteFile]]:
    """The file and its entries; these are decoded one by one, to find the mistakes in all of them."""
    try:
        file = msgspec.json.decode(written, type=BoardFile)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise _board_error([f"board: {error}"]) from None
    mistakes: list[str] = []
    cities = _decode_each("city", file.cities, CityFile, mistakes)
    routes = _decode_each("route", file.routes, RouteFile, mistakes)
    if mistakes:
        raise _board_error(mistakes)
    return file, cities, routes


def _decode_each(kind: str, entries: Sequence[msgspec.Raw], type: type[T], mistakes: list[str]) -> list[T]:
    decoded = []
    for number, entry in enumerate(entries, 1):
        try:
            decoded.append(msgspec.json.decode(entry, type=type))
        except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
            mistakes.append(f"{kind} {id_in(entry) or f'number {number}'}: {error}")
    return decoded


def _constants_mistakes(file: BoardFile) -> list[str]:
    mistakes = []
    for name, table in (("starting_cash", file.starting_cash), ("set_aside", file.set_aside)):
        given = table.by_players
        mistakes += [f"{name}: nothing for {players} players" for players in PLAYERS if players not in given]
        mistakes += [f"{name}: {players} players are not 2 to 6" for players in sorted(given) if players not in PLAYERS]
    for players, cash in sorted(file.starting_cash.by_players.items()):
        mistakes += _money_mistakes(f"starting_cash for {players} players:", "amount", cash)
    for players, aside in sorted(file.set_aside.by_players.items()):
        if aside not in (0, 1):
            mistakes.append(f"set_aside for {players} players: {aside} is not 0 or 1")
    if not 1 <= file.hand_size.value <= MOST_ENTRIES:
        mistakes.append(f"hand_size: {file.hand_size.value} is not 1 to {MOST_ENTRIES}")
    mistakes += _money_mistakes("last_spike_bonus:", "amount", file.last_spike_bonus.value)
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
            mistakes += _money_mistakes(f"property {lot.id}:", "price", lot.price)
            if number == 0 and lot.price != 0:
                mistakes.append(f"property {lot.id}: the first of a city is free, price {lot.price} is not 0")
            if number > 0 and lot.price <= city.properties[number - 1].price:
                above = city.properties[number - 1]
                mistakes.append(f"property {lot.id}: price {lot.price} is not above {above.price} of {above.id}")
        for number, payout in enumerate(city.payout):
            mistakes += _money_mistakes(f"city {city.id}:", f"payout for {number + 1}", payout.amount)
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
            mistakes += _money_mistakes(f"piece {piece.id}:", "cost", piece.cost)
    return mistakes


def _line_mistakes(file: BoardFile, cities: Sequence[CityFile], routes: Sequence[RouteFile]) -> list[str]:
    """The end cities exist, every city can be reached, and no piece set aside can keep the game from ending."""
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
    """There are enough pieces for the hands."""
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
    return mistakes + [f"{kind} {id}: its id has signs that cannot be shown" for id in ids if not id.isprintable()]


def _money_mistakes(entry: str, what: str, amount: int) -> list[str]:
    if amount < 0:
        return [f"{entry} {what} {amount} is below 0"]
    if amount > LARGEST_NUMBER:
        return [f"{entry} {what} {amount} is above {LARGEST_NUMBER}"]
    return []


def _tables(file: BoardFile, cities: Sequence[CityFile], routes: Sequence[RouteFile]) -> Board:
    board = Board()
    board.cash = file.starting_cash.by_players
    board.set_aside = file.set_aside.by_players
    board.hand_size = file.hand_size.value
    board.bonus = file.last_spike_bonus.value
    _fill_cities(board, cities, file.resale)
    _fill_routes(board, routes, file.non_adjacent_multiplier.value)
    board.start = board.city_number[file.start_city.value]
    board.end = board.city_number[file.end_city.value]
    _fill_entries(board)
    board.route_looks = [{} for _ in routes]
    board.pile_looks = [{} for _ in cities]
    board.notes = _notes(file, cities, routes)
    board.wire = _wire(file, cities, routes)
    return board


def _fill_cities(board: Board, cities: Sequence[CityFile], resale: ResaleFile) -> None:
    board.city_ids = [city.id for city in cities]
    board.city_number = _numbers(board.city_ids)
    board.property_ids = [lot.id for city in cities for lot in city.properties]
    board.property_number = _numbers(board.property_ids)
    board.property_city = [number for number, city in enumerate(cities) for _ in city.properties]
    board.city_properties = [
        mask_of(lot for lot, owner in enumerate(board.property_city) if owner == number)
        for number in range(len(cities))
    ]
    board.payout = [[0, *(payout.amount for payout in city.payout)] for city in cities]
    prices = [lot.price for city in cities for lot in city.properties]
    board.nothing = len(prices)
    board.price = [*prices, 2**62]
    board.gain = [_resale_price(price, resale) for price in prices]
    board.free = mask_of(board.property_number[city.properties[0].id] for city in cities)
    board.bought = mask_of(range(len(prices))) & ~board.free


def _fill_routes(board: Board, routes: Sequence[RouteFile], multiplier: int) -> None:
    board.route_ids = [route.id for route in routes]
    board.route_ends = [(board.city_number[route.start], board.city_number[route.to]) for route in routes]
    board.route_cities = [mask_of(ends) for ends in board.route_ends]
    board.city_routes = [
        mask_of(number for number, ends in enumerate(board.route_ends) if city in ends)
        for city in range(len(board.city_ids))
    ]
    in_file = [piece for route in routes for piece in route.pieces]
    pieces = sorted(in_file, key=lambda piece: -piece.cost)
    board.piece_ids = [piece.id for piece in pieces]
    board.piece_number = _numbers(board.piece_ids)
    board.in_place = sorted(board.piece_ids, key=_letter_and_number)
    board.place = [board.in_place.index(id) for id in board.piece_ids]
    board.bit = [1 << number for number in range(len(pieces))]
    board.cost = [piece.cost for piece in pieces]
    board.cost_apart = [multiplier * cost for cost in board.cost]
    board.route_pieces = [[board.piece_number[piece.id] for piece in route.pieces] for route in routes]
    board.route_wholes = [mask_of(along) for along in board.route_pieces]
    board.piece_route = [0] * len(pieces)
    board.piece_free = [0] * len(pieces)
    board.beside = [0] * len(pieces)
    board.with_piece = [0] * len(pieces)
    for route, along in enumerate(board.route_pieces):
        for piece in along:
            board.piece_route[piece] = route
            board.with_piece[piece] = board.route_wholes[route]
        for piece, following in pairwise(along):
            board.beside[piece] |= 1 << following
            board.beside[following] |= 1 << piece
        for piece, city in zip((along[0], along[-1]), board.route_ends[route], strict=True):
            board.piece_free[piece] = board.city_properties[city] & board.free
    board.ends = mask_of(piece for piece, free in enumerate(board.piece_free) if free)


def _letter_and_number(id: str) -> tuple[str, int, str, str]:
    """A2 comes before A10, and that before B1."""
    letter = id.rstrip("0123456789")
    number = id[len(letter) :].lstrip("0")
    return letter, len(number), number, id


def _fill_entries(board: Board) -> None:
    board.play = [Play(id, cost) for id, cost in zip(board.piece_ids, board.cost, strict=True)]
    board.play_apart = [Play(id, cost) for id, cost in zip(board.piece_ids, board.cost_apart, strict=True)]
    board.sell = [Sell(id, gain) for id, gain in zip(board.property_ids, board.gain, strict=True)]
    board.buy = [
        Buy(board.city_ids[city], price)
        for city, price in zip(board.property_city, board.price[: board.nothing], strict=True)
    ]
    board.drew = [[Drew(seat=seat, piece=id) for id in board.piece_ids] for seat in range(max(PLAYERS))]


def _resale_price(price: int, resale: ResaleFile) -> int:
    """A part of the price, rounded up (LS-20)."""
    unit = resale.denominator * resale.round_up_to
    return -(-price * resale.numerator // unit) * resale.round_up_to


def _numbers(ids: Sequence[str]) -> dict[str, int]:
    return {id: number for number, id in enumerate(ids)}


def _notes(file: BoardFile, cities: Sequence[CityFile], routes: Sequence[RouteFile]) -> dict[str, Any]:
    found: dict[str, list[Provenance]] = {
        "constants": [
            part.provenance
            for part in (
                file.starting_cash,
                file.hand_size,
                file.set_aside,
                file.start_city,
                file.end_city,
                file.last_spike_bonus,
                file.non_adjacent_multiplier,
                file.resale,
            )
        ],
        "places of cities": [city.place for city in cities],
        "prices of properties": [lot.provenance for city in cities for lot in city.properties],
        "payouts": [payout.provenance for city in cities for payout in city.payout],
        "links of routes": [route.link for route in routes],
        "letters of routes": [route.letter for route in routes],
        "numbering of routes": [route.numbering for route in routes],
        "costs of pieces": [piece.provenance for route in routes for piece in route.pieces],
    }
    return {
        "name": file.name,
        "title": file.title,
        "edition": file.edition,
        "status": file.status,
        "provenance": dict(Counter(value for values in found.values() for value in values)),
        "provenance_of": {what: dict(Counter(values)) for what, values in found.items()},
        "uncertain": file.uncertain,
        "sources": [msgspec.to_builtins(source) for source in file.sources],
        "notes": file.notes,
    }


def _wire(file: BoardFile, cities: Sequence[CityFile], routes: Sequence[RouteFile]) -> dict[str, Any]:
    return {
        "game": file.game,
        "name": file.name,
        "title": file.title,
        "starting_cash": {str(players): cash for players, cash in sorted(file.starting_cash.by_players.items())},
        "hand_size": file.hand_size.value,
        "start_city": file.start_city.value,
        "end_city": file.end_city.value,
        "last_spike_bonus": file.last_spike_bonus.value,
        "non_adjacent_multiplier": file.non_adjacent_multiplier.value,
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
    """Where the board's values come from."""
    notes = board.notes
    return BoardNotes(
        name=notes["name"],
        title=notes["title"],
        provenance=notes["status"],
        counts={origin: notes["provenance"].get(origin, 0) for origin in ("printed", "derived", "reconstructed")},
        uncertain=notes["uncertain"],
        sources=notes["sources"],
    )


def wire_board(board: Board) -> dict[str, Any]:
    """What a client needs to know of the board."""
    return board.wire
