"""Tests of the SVG drawings of hex boards: land and water around the map, costs, dials, and changed board files."""

import json
import re
import zlib
from collections.abc import Callable
from functools import cache
from itertools import combinations
from typing import Any
from xml.etree import ElementTree

import pytest

from rails_cli.games import board_file, game_names, load_face, load_game
from rails_cli.games.faces.svg import board_svg
from tests.support.extreme_boards import long_scales, very_many

HEX_GAMES = ("chicago_express", "american_rails")
LARGEST_START = 16_000
"""Maximum size in bytes of the compressed drawing of a board at the start of a game."""
File = dict[str, Any]


def unchanged(file: File) -> None:
    pass


@cache
def drawn(game_name: str, change: Callable[[File], None] = unchanged) -> ElementTree.Element:
    """Return the SVG drawing of the board at the start of a game. `change` first changes the decoded board file."""
    game = load_game(game_name)
    file = json.loads(board_file(game_name))
    change(file)
    board = game.read_board(json.dumps(file).encode())
    state = game.setup(board, 3, game.options_type(), 1, None)
    found = load_face(game_name).board_map(game.wire_board(board))
    content = board_svg(found.base(), found.marks(game.view(state, board, 0)))
    assert len(zlib.compress(content.encode())) < LARGEST_START
    return ElementTree.fromstring(re.sub(' xmlns="[^"]*"', "", content))


def moved(file: File) -> None:
    for spot in file["hexes"]:
        spot["q"] += 1


def texts(board: ElementTree.Element, look: str) -> list[str | None]:
    return [text.text for text in board.iter("text") if look in text.attrib["class"].split()]


def path_of(board: ElementTree.Element, shape: str) -> str:
    found = board.find(f".//g[@id='{shape}']/path")
    assert found is not None
    return found.attrib["d"]


@pytest.mark.parametrize("game", HEX_GAMES)
@pytest.mark.parametrize("change", [unchanged, moved])
def test_everything_that_a_board_uses_is_defined(game: str, change: Callable[[File], None]) -> None:
    board = drawn(game, change)
    defined = {f"#{node.attrib['id']}" for node in board.iter() if "id" in node.attrib}
    assert {use.attrib["href"] for use in board.iter("use")} <= defined


@pytest.mark.parametrize(("game", "kind", "lakes"), [("chicago_express", "flat", 3), ("american_rails", "pointy", 1)])
def test_a_board_without_the_known_cities_is_surrounded_by_water(game: str, kind: str, lakes: int) -> None:
    board = drawn(game)
    assert path_of(board, f"{kind}-far")
    assert len(texts(board, "water-name")) >= lakes
    board = drawn(game, moved)
    assert path_of(board, f"{kind}-far") == ""
    assert texts(board, "water-name") == texts(board, "ocean-name") == []


def without_names(file: File) -> None:
    for spot in file["hexes"]:
        spot.pop("name", None)


def test_cities_without_a_name_are_drawn_as_cities() -> None:
    sites = [
        use.attrib["class"]
        for use in drawn("chicago_express", without_names).iter("use")
        if "site" in use.attrib["href"]
    ]
    assert sorted(sites) == ["site"] * 23 + ["site industrial"] * 3 + ["site start"] * 4


def test_terrain_is_drawn_as_few_merged_areas() -> None:
    """The SVG path of a kind of terrain has one command `M` for each connected area and for each hole in an area."""
    board = drawn("chicago_express")
    assert path_of(board, "flat-map").count("M") == 1
    wood = next(path.attrib["d"] for path in board.iter("path") if path.attrib.get("class") == "wood")
    assert wood.count("M") < 41 / 4


def test_usual_costs_are_shown_on_demand_only() -> None:
    board = drawn("chicago_express")
    costs = {
        is_usual: {
            text.text
            for text in board.iter("text")
            if "cost" in text.attrib["class"].split() and ("on-demand" in text.attrib["class"]) == is_usual
        }
        for is_usual in (False, True)
    }
    assert costs == {True: {"$1", "$2", "$4"}, False: {"$1", "$2", "$3", "$4"}}
    assert all(
        "on-demand" in text.attrib["class"] for text in drawn("american_rails").iter("text") if text.text == "$3"
    )


def test_dials_are_drawn_where_no_hex_is() -> None:
    board = drawn("chicago_express")
    assert texts(board, "dial-name") == ["Auction", "Expand", "Develop"]
    assert texts(board, "dial-count") == ["0/3", "0/5", "0/4"]
    centres = [
        complex(float(dial.attrib["cx"]), float(dial.attrib["cy"])) for dial in board.findall(".//*[@class='dial']")
    ]
    hexes = [
        complex(float(use.attrib["x"]), float(use.attrib["y"]))
        for use in board.iter("use")
        if use.attrib.get("class") == "hex"
    ]
    assert min(abs(centre - place) for centre in centres for place in hexes) > 30 + 32


def test_long_scales_and_dials_are_drawn_with_few_elements() -> None:
    usual = len(list(drawn("chicago_express").iter()))
    assert len(list(drawn("chicago_express", very_many).iter())) < usual
    assert len(list(drawn("chicago_express", long_scales).iter())) < usual


def test_the_styles_of_two_games_do_not_use_the_same_names() -> None:
    """The style sheets of two games use different names for classes and colours.

    A page has the styles of all games. So a class of one game must not change the board of another.
    """
    looks = {id(look): look for look in (load_face(name).look for name in game_names())}
    names = [
        {*re.findall(r"[.]([a-z][a-z0-9-]*)", look.style), *(f"--{colour}" for colour in look.colours)} - {"board"}
        for look in looks.values()
    ]
    assert [one & other for one, other in combinations(names, 2) if one & other] == []
