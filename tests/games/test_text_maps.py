"""Tests of text for positions: maps drawn in characters in all sizes, panels, and names of hexes and cities."""

import copy
import re
from collections import Counter
from functools import cache
from itertools import pairwise
from typing import Any

import pytest
from msgspec.structs import replace

from rails_cli.games import game_names, load_face, load_game, standard_board
from rails_cli.games.faces.canvas import ORANGE, SIZES, Line, Size, plain
from rails_cli.games.faces.interface import Snapshot
from rails_cli.games.faces.panels import WIDE
from rails_cli.games.game import ALL_SEATS
from rails_cli.games.railways.companies import letters, styles
from rails_cli.games.railways.places import BOARDS_KNOWN, is_pointy, place_name
from rails_cli.games.railways.svg_map import HexMap
from rails_cli.games.railways.text_map import short_names
from rails_cli.study.playback.text_blocks import drawn, largest
from tests.support.positions import Setting, walk

WIDTHS = {"large": 120, "normal": 80, "small": 44}
EVERY = 25
HEX_GAMES = ("chicago_express", "american_rails")


def wire(game: str) -> dict[str, Any]:
    """Return the standard board as it is sent to clients."""
    return load_game(game).wire_board(standard_board(game))


@cache
def views(game: str) -> list[Any]:
    """Play a game of three players. Return a view at every `EVERY`-th position, and a view of the last position."""
    rules, board = load_game(game), standard_board(game)
    setting = Setting(game, 3, rules.options_type())
    state = setting.start(4)
    found = [
        rules.view(state, board, ALL_SEATS)
        for number, _ in enumerate(walk(setting, 4, "busy", state))
        if number % EVERY == 0
    ]
    return [*found, rules.view(state, board, ALL_SEATS)]


def style_counts(lines: list[Line]) -> Counter[tuple[str, str]]:
    return Counter((character, style) for line in lines for text, style in line for character in text)


def width_of(lines: list[Line]) -> int:
    return max((len(plain(line)) for line in lines), default=0)


@pytest.mark.parametrize("game", game_names())
@pytest.mark.parametrize("size", SIZES)
def test_a_map_keeps_its_size_during_a_game(game: str, size: Size) -> None:
    board = wire(game)
    shapes = set()
    for view in views(game):
        lines = load_face(game).draw(board, view, size, ())
        shapes.add((width_of(lines), len(lines)))
        assert all(plain(line).isascii() for line in lines)
    width, _ = max(shapes)
    assert width <= WIDTHS[size]
    if (game, size) != ("last_spike", "small"):
        assert len(shapes) == 1, "the size of the map changes during the game"


@pytest.mark.parametrize("game", HEX_GAMES)
def test_a_map_shows_all_track(game: str) -> None:
    board = wire(game)
    for view in views(game):
        seen = style_counts(load_face(game).draw(board, view, "large", ()))
        crowd = Counter(place for company in view.companies for place in company.track)
        if max(crowd.values(), default=0) > 3:
            continue
        for company in view.companies:
            assert seen[letters(view)[company.id], styles(board)[company.id]] == len(company.track)


@pytest.mark.parametrize("size", SIZES)
def test_a_map_names_the_laid_pieces(size: Size) -> None:
    board = wire("last_spike")
    for view in views("last_spike"):
        words = set("\n".join(map(plain, load_face("last_spike").draw(board, view, size, ()))).split())
        laid = {piece for route in view.routes for piece in route.laid}
        pieces = {piece["id"] for route in board["routes"] for piece in route["pieces"]}
        assert words & pieces == laid
        assert {word.upper() for word in words if word != word.upper()} & pieces == set(view.touching)


@pytest.mark.parametrize("game", HEX_GAMES)
@pytest.mark.parametrize("length", [2, 3, 5])
def test_short_names_of_cities_differ(game: str, length: int) -> None:
    names = [spot["name"] for spot in wire(game)["hexes"] if spot.get("name")]
    short = short_names(names, length)
    assert len(set(short.values())) == len(names)
    assert max(map(len, short.values())) <= length


@pytest.mark.parametrize("size", SIZES)
def test_names_use_the_room_beside_their_hex_and_numbers_of_choices_stay_visible(size: Size) -> None:
    board, face = wire("american_rails"), load_face("american_rails")
    view = views("american_rails")[0]
    unnumbered = "\n".join(map(plain, face.draw(board, view, size, ())))
    numbered = "\n".join(map(plain, face.draw(board, view, size, {"R00": "16", "C02": "27", "Q06": "38"})))
    for name in ("New Orleans", "Tallahassee", "Savannah", "Wilmington"):
        assert name in unnumbered
        assert name in numbered
    for number in ("16", "27", "38"):
        assert numbered.count(number) == unnumbered.count(number) + 1
    assert style_counts(face.draw(board, view, "large", ()))["^", ORANGE] == sum(
        spot["terrain"] == "mountain" for spot in board["hexes"]
    ), "a name does not hide the terrain of another hex"


def test_names_of_hexes_with_outlines_cover_empty_lines_beside_them() -> None:
    board, face = wire("chicago_express"), load_face("chicago_express")
    start, *_, end = views("chicago_express")
    normal, large = ("\n".join(map(plain, face.draw(board, start, size, ()))) for size in ("normal", "large"))
    for name in ("Chicago", "Detroit", "Buffalo", "Altoona", "Roanoke"):
        assert name in normal
    for name in ("South Bend", "Fort Wayne", "Cleveland", "Pittsburgh", "Cincinnati", "Richmond"):
        assert name in large
    assert "Har\\_N_/" in "\n".join(map(plain, face.draw(board, end, "normal", ()))), "a name does not hide track"


def test_names_use_free_columns_at_the_left_edge_of_the_map() -> None:
    board, face = wire("chicago_express"), load_face("chicago_express")
    view = views("chicago_express")[0]
    shown = "\n".join(map(plain, face.draw(board, view, "small", ())))
    for name in ("Indianapolis", "Cincinnati", "Portsmouth"):
        assert name in shown
    at = {spot["name"]: spot["id"] for spot in board["hexes"]}
    lines = [plain(line) for line in face.draw(board, view, "small", {at["Indianapolis"]: "16"})]
    before = [plain(line) for line in face.draw(board, view, "small", ())]
    (numbered,) = (line for line in lines if line not in before)
    assert re.match(r" {5}16 \S", numbered), "a number stays in its hex"


def test_marked_places_are_highlighted() -> None:
    board = wire("chicago_express")
    view = views("chicago_express")[-1]
    draw = load_face("chicago_express").draw
    for size in SIZES:
        unmarked, marked = (
            sum("reverse" in style for _, style in style_counts(draw(board, view, size, places)))
            for places in ((), ("A2",))
        )
        assert (unmarked, marked > 0) == (0, True)


def test_the_largest_map_that_fits_is_drawn() -> None:
    board = wire("american_rails")
    view = views("american_rails")[0]
    face = load_face("american_rails")
    fits: list[tuple[int, int, Size]] = [(200, 60, "large"), (80, 20, "normal"), (79, 20, "small"), (1, 1, "small")]
    for width, height, size in fits:
        assert largest(face, board, view, width, height) == drawn(face, board, view, size, (), width)


def test_routes_are_listed_if_cities_overlap_on_the_map() -> None:
    board = copy.deepcopy(wire("last_spike"))
    for city in board["cities"]:
        city["x"] = 0
    view = views("last_spike")[0]
    draw = load_face("last_spike").draw
    for size in SIZES:
        assert draw(board, view, size, ()) == draw(board, view, "small", ())
        assert len(draw(board, view, size, ())) == len(board["routes"])


def test_letters_of_companies_differ_even_if_names_begin_alike() -> None:
    view = views("chicago_express")[0]
    assert list(letters(view).values()) == ["P", "B", "C", "N", "W"]
    names = ("Ab", "ab", "ABA", "C&A", "4")
    renamed = [replace(company, id=name) for company, name in zip(view.companies, names, strict=True)]
    assert list(letters(replace(view, companies=renamed)).values()) == ["A", "B", "C", "D", "E"]


@pytest.mark.parametrize("game", game_names())
def test_panels_fit_their_width(game: str) -> None:
    board, face = wire(game), load_face(game)
    names = ["a very long name indeed", "b", "c"]
    for view in views(game):
        seen = Snapshot(board, view, names, None, [])
        companies, players = face.companies(board, view, WIDE), face.players(seen, WIDE)
        assert width_of(companies) <= 38
        assert width_of(players) <= 45
        if game in HEX_GAMES:
            assert len(companies) == len(view.companies) + 1
        elif game == "last_spike":
            assert companies == []
        assert len(players) == 4
        assert face.asked(view, names)
        assert face.legend(view)


@pytest.mark.parametrize("game", HEX_GAMES)
def test_hexes_without_a_name_are_described_by_a_nearby_city(game: str) -> None:
    """Each hex has a description that no other hex has, even far from cities and on boards without cities.

    A hex without a name is described by its direction from a nearby city. This direction is correct on the map.
    """
    board = wire(game)
    drawing = load_face(game).board_map(board)
    assert isinstance(drawing, HexMap)
    at, cities = drawing.places, {spot["name"]: spot["id"] for spot in board["hexes"] if spot["name"]}
    called = {spot["id"]: place_name(board, spot["id"]) for spot in board["hexes"]}
    assert len(set(called.values())) == len(called)
    for spot in board["hexes"]:
        if spot["name"]:
            assert called[spot["id"]] == spot["name"]
            continue
        found = re.fullmatch(rf"{spot['id']} \({spot['terrain']}, (two hexes )?([a-z-]+) of (.+)\)", called[spot["id"]])
        assert found is not None, called[spot["id"]]
        (x, y), (city_x, city_y) = at[spot["id"]], at[cities[found[3]]]
        parts = found[2].split("-")
        assert ("north" in parts, "south" in parts) == (y < city_y - 1, y > city_y + 1)
        assert ("west" in parts, "east" in parts) == (x < city_x - 1, x > city_x + 1)
    alone = {**board, "hexes": [{**spot, "name": None if at else "Here"} for at, spot in enumerate(board["hexes"])]}
    assert len({place_name(alone, spot) for spot in called}) == len(called)
    twins = {**board, "hexes": [{**spot, "name": spot["name"] and "South Bend"} for spot in board["hexes"]]}
    assert len({place_name(twins, spot) for spot in called}) == len(called), (
        "cities with the same name are distinguished by their ids"
    )
    assert place_name(twins, cities["Chicago"]) == f"South Bend ({cities['Chicago']})"
    nameless = {**board, "hexes": [{**spot, "name": None} for spot in board["hexes"]]}
    assert all(place_name(nameless, spot) == spot for spot in called)


def test_names_of_places_come_from_their_own_board() -> None:
    """Each place has the name that its own board gives it, even if many similar boards are used alternately.

    The boards differ in one name only. There are more of them than the cache of names can hold.
    """
    board = {**wire("american_rails"), "hexes": wire("american_rails")["hexes"][:50]}
    [city, *_] = [spot for spot in board["hexes"] if spot["name"]]
    boards = [
        {**board, "hexes": [{**spot, "name": f"Town {number}"} if spot is city else spot for spot in board["hexes"]]}
        for number in range(BOARDS_KNOWN + 4)
    ]
    for _ in range(2):
        assert [place_name(other, city["id"]) for other in boards] == [f"Town {at}" for at in range(len(boards))]
    turned = {**board, "grid": {**board["grid"], "orientation": "flat-top" if is_pointy(board) else "pointy-top"}}
    unnamed = [spot["id"] for spot in board["hexes"] if not spot["name"]]
    assert any(place_name(board, spot) != place_name(turned, spot) for spot in unnamed)


@pytest.mark.parametrize("game", HEX_GAMES)
@pytest.mark.parametrize("size", SIZES)
def test_names_use_free_columns_at_the_right_edge_of_the_map(game: str, size: Size) -> None:
    board, face = wire(game), load_face(game)
    assert face.draw_within is not None
    widths = set()
    for view in views(game):
        least, wide = face.draw(board, view, size, ()), face.draw_within(board, view, size, (), 200)
        widths.add((width_of(least), width_of(wide)))
        assert face.draw_within(board, view, size, (), width_of(least)) == least
        assert "New York" in "\n".join(map(plain, wide))
    assert len(widths) == 1, "the width of the map does not depend on the position"


def test_several_numbers_in_a_hex_use_free_columns_beside_it() -> None:
    board, face = wire("chicago_express"), load_face("chicago_express")
    view = views("chicago_express")[0]

    def shown(labels: dict[str, str]) -> str:
        return "\n".join(map(plain, face.draw(board, view, "small", labels)))

    assert " 17/21 " in shown({"Q2": "17/21"})
    assert " 17+ " in shown({"Q2": "17/21/29"})
    assert " 17+ 109" in shown({"Q2": "17/21", "S2": "109"}), "a number is not next to another one"


def test_adjacent_numbers_of_choices_are_all_shown_in_different_styles() -> None:
    board, face = wire("american_rails"), load_face("american_rails")
    numbers = {"P03": "12", "P04": "13", "P05": "14", "P06": "5"}
    lines = face.draw(board, views("american_rails")[0], "small", numbers)
    line = next(line for line in lines if plain(line).startswith("P"))
    shown = [(text, style) for text, style in line if text.strip().isdecimal()]
    assert [text.strip() for text, _ in shown] == list(numbers.values())
    assert all(style != following for (_, style), (_, following) in pairwise(shown))
