"""Tests of The Last Spike board: the standard board, and the messages for mistakes in board files."""

import json
from collections.abc import Callable
from importlib import resources
from itertools import pairwise
from typing import Any

import pytest

from rails_cli.games.last_spike import GAME
from rails_cli.games.last_spike.board import Board, read_board
from rails_cli.games.shared.luck import stream
from rails_cli.protocol.last_spike import Options
from tests.games.audits.last_spike import audit
from tests.games.boards import board_files

STANDARD = resources.files("rails_cli.games.last_spike").joinpath("board.json").read_bytes()


def board_file() -> Any:
    return json.loads(STANDARD)


def encoded(file: Any) -> bytes:
    return json.dumps(file).encode()


def mistakes(file: Any) -> list[str]:
    return board_files.mistakes("last_spike", encoded(file))


def test_the_standard_board_has_the_known_numbers_of_components() -> None:
    board = read_board(STANDARD)
    assert len(board.city_ids) == 9
    assert len(board.route_ids) == 12
    assert len(board.piece_ids) == 48
    assert len(board.property_ids) == 45
    assert sorted(routes.bit_count() for routes in board.city_routes) == [2, 2, 2, 2, 3, 3, 3, 3, 4]
    assert board.ends.bit_count() == 24
    assert board.free.bit_count() == 9


def test_neighbours_are_symmetric_and_along_the_route() -> None:
    board = read_board(STANDARD)
    for one in range(len(board.piece_ids)):
        for other in range(len(board.piece_ids)):
            assert board.beside[one] >> other & 1 == board.beside[other] >> one & 1
    for along in board.route_pieces:
        assert [board.beside[piece].bit_count() for piece in along] == [1, 2, 2, 1]
        for one, other in pairwise(along):
            assert board.beside[one] >> other & 1
    for route, (start, to) in enumerate(board.route_ends):
        assert start != to
        assert board.city_routes[start] >> route & 1
        assert board.city_routes[to] >> route & 1


def test_known_costs_prices_payouts_and_routes() -> None:
    board = read_board(STANDARD)
    costs = dict(zip(board.piece_ids, board.cost, strict=True))
    assert (costs["A3"], costs["V3"]) == (3_000, 3_000)
    prices = dict(zip(board.property_ids, board.price, strict=False))
    assert prices["STL2"] == 7_000
    assert board.payout[board.city_number["STL"]] == [0, 10_000, 20_000, 30_000, 40_000, 50_000]
    assert board.payout[board.city_number["DEN"]][2] == 10_000
    assert board.payout[board.city_number["DOD"]][1] == 7_000
    links = {
        frozenset((board.city_ids[start], board.city_ids[to])): board.route_ids[route]
        for route, (start, to) in enumerate(board.route_ends)
    }
    assert links[frozenset(("STL", "OMA"))] == "A"
    assert links[frozenset(("OGD", "DEN"))] == "V"
    assert links[frozenset(("DOD", "DEN"))] == "E"
    assert len(links) == 12


def test_notes_give_the_sources_of_the_values() -> None:
    notes = GAME.board_notes(read_board(STANDARD))
    assert notes.name == "standard"
    assert notes.counts == {"printed": 39, "derived": 15, "reconstructed": 137}
    assert sum(notes.counts.values()) == 8 + 9 + 45 + 45 + 3 * 12 + 48
    assert "reconstruction" in notes.provenance
    assert notes.uncertain
    assert all(source["title"] for source in notes.sources)


def test_the_board_for_clients_is_plain_json() -> None:
    wire = GAME.wire_board(read_board(STANDARD))
    assert json.loads(json.dumps(wire)) == wire
    assert wire["cities"][0]["id"] == "STL"
    assert wire["routes"][0]["pieces"][2] == {"id": "A3", "cost": 3000}


def at(*path: Any) -> Callable[[Any], tuple[Any, Any]]:
    """Return a function that finds the value at `path` in a decoded board file.

    The function returns the list or dictionary that contains the value, and the index or key of the value in it.
    """

    def find(file: Any) -> tuple[Any, Any]:
        for step in path[:-1]:
            file = file[step]
        return file, path[-1]

    return find


@pytest.mark.parametrize(
    ("where", "value", "mistake"),
    [
        (at("routes", 0, "pieces", 2, "cost"), -2, "piece A3: cost -2 is below 0"),
        (at("routes", 0, "pieces", 2, "cost"), 10**12, "piece A3: cost 1000000000000 is above 1000000000"),
        (at("routes", 0, "pieces", 2, "id"), "A1", "piece A1: used 2 times"),
        (at("routes", 0, "pieces", 2, "id"), "", "piece with an empty id"),
        (at("routes", 0, "pieces", 2, "id"), "A\n3", "piece A?3: its id has characters that cannot be displayed"),
        (at("routes", 0, "id"), "B", "route B: used 2 times"),
        (at("routes", 0, "from"), "Paris", "route A: unknown city Paris"),
        (at("routes", 0, "to"), "STL", "route A: leads from STL to itself"),
        (at("routes", 0, "pieces"), [], "route A: 0 pieces are not 2 to 200"),
        (at("cities", 1, "id"), "STL", "city STL: used 2 times"),
        (at("cities", 1, "x"), 940, None),
        (at("cities", 1, "y"), -(10**30), "city OMA: lies too far out"),
        (at("cities", 1, "properties", 0, "price"), 1000, "property OMA0: the first of a city is free"),
        (at("cities", 1, "properties", 2, "price"), 3000, "property OMA2: price 3000 is not above 3000 of OMA1"),
        (at("cities", 1, "properties", 2, "price"), -1, "property OMA2: price -1 is below 0"),
        (at("cities", 1, "properties", 2, "id"), "STL1", "property STL1: used 2 times"),
        (at("cities", 1, "properties"), [], "city OMA: 0 properties are not 1 to 200"),
        (at("cities", 1, "payout"), [], "city OMA: 0 payouts for 5 properties"),
        (at("cities", 1, "payout", 1, "amount"), 5999, "city OMA: payout for 2 is below that for 1"),
        (at("cities", 1, "payout", 0, "amount"), -1, "city OMA: payout for 1 -1 is below 0"),
        (at("start_city", "value"), "Paris", "start_city: unknown city Paris"),
        (at("end_city", "value"), "Paris", "end_city: unknown city Paris"),
        (at("end_city", "value"), "STL", "end_city: STL is also the start city"),
        (at("starting_cash", "by_players", "4"), -5, "starting_cash for 4 players: amount -5 is below 0"),
        (at("starting_cash", "by_players", "7"), 5, "starting_cash: 7 players are not 2 to 6"),
        (at("set_aside", "by_players"), {"2": 1}, "set_aside: nothing for 3 players"),
        (at("set_aside", "by_players", "3"), 2, "set_aside for 3 players: 2 is not 0 or 1"),
        (at("hand_size", "value"), 0, "hand_size: 0 is not 1 to 200"),
        (at("hand_size", "value"), 9, "hand_size: 6 players need 54 pieces, there are 48"),
        (at("last_spike_bonus", "value"), -1, "last_spike_bonus: amount -1 is below 0"),
        (at("non_adjacent_multiplier", "value"), 0, "non_adjacent_multiplier: 0 is not 1 to 100"),
        (at("resale", "denominator"), 0, "resale: 1/0 is not a part from 0 to 1"),
        (at("resale", "numerator"), 3, "resale: 3/2 is not a part from 0 to 1"),
        (at("resale", "round_up_to"), 0, "resale: cannot round up to 0"),
        (at("cities"), [], "cities: 0 cities are not 2 to 200"),
        (at("routes"), [], "routes: 0 routes are not 1 to 200"),
        (at("format"), 2, "board file: Invalid enum value 2 - at `$.format`"),
        (at("game"), "go", "this is a board of go, not of last_spike"),
        (at("hand_size", "value"), "4", "board file: Expected `int`, got `str` - at `$.hand_size.value`"),
        (at("cities", 1, "x"), "west", "city OMA: Expected `int`, got `str` - at `$.x`"),
        (at("routes", 3, "colour"), "red", "route D: Object contains unknown field `colour`"),
    ],
)
def test_each_mistake_has_its_own_message(where: Any, value: Any, mistake: str | None) -> None:
    file = board_file()
    holder, key = where(file)
    holder[key] = value
    if mistake is None:
        assert isinstance(read_board(encoded(file)), Board), "this change is allowed"
        return
    assert any(line.startswith(mistake) for line in mistakes(file)), mistakes(file)


def test_two_cities_at_the_same_place_are_refused() -> None:
    file = board_file()
    file["cities"][1].update(x=940, y=330)
    assert mistakes(file) == ["city OMA: lies at the same place as STL"]


def test_a_city_that_no_route_reaches_is_refused() -> None:
    file = board_file()
    file["routes"] = [route for route in file["routes"] if "LAR" not in (route["from"], route["to"])]
    assert mistakes(file) == ["city LAR: no route leads there from STL"]


def test_a_board_on_which_a_game_might_not_end_is_refused() -> None:
    """A board is refused if a game of two players might never end on it.

    In a game of two, one piece is set aside. On this board, every line to the end city uses route B. If a piece of
    route B is set aside, no line can be completed.
    """
    file = board_file()
    file["routes"] = [route for route in file["routes"] if route["id"] != "A"]
    assert mistakes(file) == ["route B: without it no line leads from STL to SAC, and a piece of it may be set aside"]
    file["set_aside"]["by_players"]["2"] = 0
    assert isinstance(read_board(encoded(file)), Board)


def test_a_missing_field_is_named() -> None:
    file = board_file()
    del file["start_city"]
    assert mistakes(file) == ["board file: Object missing required field `start_city`"]


def test_all_mistakes_are_reported_together() -> None:
    file = board_file()
    file["routes"][0]["pieces"][0]["cost"] = -1
    file["routes"][5]["to"] = "Paris"
    file["cities"][3]["properties"][4]["price"] = 1
    file["hand_size"]["value"] = 0
    assert mistakes(file) == [
        "hand_size: 0 is not 1 to 200",
        "property LAR4: price 1 is not above 6000 of LAR3",
        "piece A1: cost -1 is below 0",
        "route F: unknown city Paris",
    ]
    file["cities"][0]["x"] = None
    file["routes"][2] = 7
    assert [line.split(":")[0] for line in mistakes(file)] == ["city STL", "route number 3"]


def test_games_on_another_board_end() -> None:
    """Games end on a board with another name, more pieces, fewer properties and other values."""
    file = board_file()
    file["name"] = "long"
    file["hand_size"]["value"] = 3
    file["non_adjacent_multiplier"]["value"] = 3
    for city in file["cities"]:
        city["properties"] = city["properties"][:3]
        city["payout"] = city["payout"][:3]
    for route in file["routes"]:
        more = [{"id": f"{route['id']}{n}", "cost": 700 * n, "provenance": "reconstructed"} for n in (5, 6, 7)]
        route["pieces"] += more
    board = read_board(encoded(file))
    assert len(board.piece_ids) == 84
    chance = stream(1)
    for players in GAME.players:
        state = GAME.setup(board, players, Options(), players, None)
        while state.pending is not None:
            legal = GAME.legal_actions(state, board)
            GAME.apply(state, board, legal[int(chance() * len(legal))], None)
            audit(state, board)
            assert GAME.dump(GAME.load(GAME.dump(state), board)) == GAME.dump(state)
        assert GAME.end_reasons(state, board)
