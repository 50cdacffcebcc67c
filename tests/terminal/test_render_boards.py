"""Boards drawn in characters: everything that stands on the board stands in the drawing, in every size."""

import copy
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from msgspec.structs import replace
from rich.text import Text

from rails_cli.games import GAME_NAMES, load_game, standard_board
from rails_cli.games.game import ALL_SEATS
from rails_cli.render.boards import SIZES, Size, draw, largest, legend, letters, short_names, styles, tracks, width_of
from rails_cli.render.ledger import companies, players, question
from tests.support.positions import Setting, walk

WIDTHS = {"large": 120, "normal": 80, "small": 44}
HEX_GAMES = ("chicago_express", "american_rails")


def wire(game: str) -> dict[str, Any]:
    return load_game(game).wire_board(standard_board(game))


def views(game: str, every: int = 9) -> Iterator[Any]:
    """Positions on the way through a game of three, and its last one."""
    rules, board = load_game(game), standard_board(game)
    setting = Setting(game, 3, rules.options_type())
    state = None
    for number, step in enumerate(walk(setting, 4, "busy")):
        state = step.state
        if number % every == 0:
            yield rules.view(state, board, ALL_SEATS)
    yield rules.view(state, board, ALL_SEATS)


def looks(lines: list[Text]) -> Counter[tuple[str, str]]:
    """How often each character stands there in each style."""
    return Counter(
        (character, str(span.style))
        for line in lines
        for span in line.spans
        for character in line.plain[span.start : span.end]
    )


@pytest.mark.parametrize("game", GAME_NAMES)
@pytest.mark.parametrize("size", SIZES)
def test_every_size_keeps_its_width_and_its_shape(game: str, size: Size) -> None:
    board = wire(game)
    shapes = set()
    for view in views(game):
        lines = draw(board, view, size)
        shapes.add((width_of(lines), len(lines)))
        assert all(line.plain.isascii() for line in lines)
    width, _ = max(shapes)
    assert width <= WIDTHS[size]
    if (game, size) != ("last_spike", "small"):
        assert len(shapes) == 1, "the map must not jump about"


@pytest.mark.parametrize("game", HEX_GAMES)
def test_every_piece_of_track_is_there(game: str) -> None:
    board = wire(game)
    for view in views(game):
        seen = looks(draw(board, view, "large"))
        crowd = Counter(place for track in tracks(view).values() for place in track)
        if max(crowd.values(), default=0) > 3:
            continue
        for company, track in tracks(view).items():
            assert seen[letters(view)[company], styles(board)[company]] == len(track)


@pytest.mark.parametrize("size", SIZES)
def test_laid_pieces_are_named(size: Size) -> None:
    board = wire("last_spike")
    for view in views("last_spike"):
        words = set("\n".join(line.plain for line in draw(board, view, size)).split())
        laid = {piece for route in view.routes for piece in route.laid}
        pieces = {piece["id"] for route in board["routes"] for piece in route["pieces"]}
        assert words & pieces == laid
        assert {word.upper() for word in words if word != word.upper()} & pieces == set(view.touching)


@pytest.mark.parametrize("game", HEX_GAMES)
@pytest.mark.parametrize("length", [2, 3, 5])
def test_short_names_differ(game: str, length: int) -> None:
    names = [spot["name"] for spot in wire(game)["hexes"] if spot.get("name")]
    short = short_names(names, length)
    assert len(set(short.values())) == len(names)
    assert max(map(len, short.values())) <= length


def test_marked_places_stand_out() -> None:
    board = wire("chicago_express")
    view = list(views("chicago_express"))[-1]
    for size in SIZES:
        plain, marked = (
            sum("reverse" in style for _, style in looks(draw(board, view, size, places))) for places in ((), ("A2",))
        )
        assert (plain, marked > 0) == (0, True)


def test_the_largest_that_fits() -> None:
    board = wire("american_rails")
    view = next(views("american_rails"))
    sizes = {size: draw(board, view, size) for size in SIZES}
    assert largest(board, view, 200, 60) == sizes["large"]
    assert largest(board, view, 80, 20) == sizes["normal"]
    assert largest(board, view, 79, 20) == sizes["small"]
    assert largest(board, view, 1, 1) == sizes["small"]


def test_cities_that_lie_on_each_other_are_listed() -> None:
    board = copy.deepcopy(wire("last_spike"))
    for city in board["cities"]:
        city["x"] = 0
    view = next(views("last_spike"))
    for size in SIZES:
        assert draw(board, view, size) == draw(board, view, "small")
        assert len(draw(board, view, size)) == len(board["routes"])


def test_letters_differ_where_names_do_not() -> None:
    view = next(views("chicago_express"))
    assert list(letters(view).values()) == ["P", "B", "C", "N", "W"]
    names = ("Ab", "ab", "ABA", "C&A", "4")
    renamed = [replace(company, id=name) for company, name in zip(view.companies, names, strict=True)]
    assert list(letters(replace(view, companies=renamed)).values()) == ["A", "B", "C", "D", "E"]


@pytest.mark.parametrize("game", GAME_NAMES)
def test_the_ledger_is_narrow(game: str) -> None:
    board = wire(game)
    names = ["a very long name indeed", "b", "c"]
    for view in views(game):
        assert width_of(companies(board, view)) <= 38
        assert width_of(players(board, view, names)) <= 45
        assert len(companies(board, view)) == (0 if game == "last_spike" else len(view.companies) + 1)
        assert len(players(board, view, names)) == 4
        assert question(view, names)
        assert legend(view)
