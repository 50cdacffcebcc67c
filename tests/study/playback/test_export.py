"""Tests of `rails-cli export`: pages and pictures of recorded games, in Python and in a real browser."""

import copy
import json
import re
import struct
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner, Result

from rails_cli.cli import main
from rails_cli.games import game_names
from rails_cli.games.faces.svg import LAYERS, Map
from rails_cli.games.game import ALL_SEATS
from rails_cli.study.playback.recorded import Recorded, read_recorded
from tests.support.browser import (
    CONTRAST,
    LEGIBLE_PX,
    board_text,
    complaints,
    expect,
    open_page,
    requests,
    resize,
    run_on_new_pages,
    stop_running,
    violations,
    wait_for_two_frames,
)
from tests.support.fetching import story_in
from tests.support.short_boards import short_board
from tests.support.tools import GOLDEN

LOGS = {
    "chicago_express": GOLDEN / "chicago_express/chicago_express-4p.jsonl",
    "american_rails": GOLDEN / "american_rails/american_rails-3p-drawn.jsonl",
    "last_spike": GOLDEN / "last_spike/last_spike-3p-hidden.jsonl",
}
SHORTEST = "last_spike"
LARGEST = 1_000_000
DIFFERENT = (
    *LOGS.values(),
    GOLDEN / "last_spike/last_spike-2p-hidden-free_choice.jsonl",
    GOLDEN / "last_spike/last_spike-6p.jsonl",
)
"""Logs that together cover every game, drawn openings, hidden information, and the fewest and the most players."""
every_log = pytest.mark.parametrize("log", DIFFERENT, ids=lambda log: log.stem, scope="module")
"""Parametrise a test with the logs `DIFFERENT`.

All tests of one log run together, so that its page is exported once.
"""
SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = (
    "</script><script>window.hacked=1</script>",
    "<img src=x onerror='window.hacked=1'>",
    "{{board}} ${alert(1)} \" ' & javascript:alert(1) \u202eevil",
    "<!--<script>",
)


def export(*words: str | Path) -> Result:
    return CliRunner().invoke(main, ["export", *map(str, words)])


def exported(log: Path, folder: Path, *words: str) -> str:
    """Export `log` as a page into `folder` with the options `words`, and return the text of the page."""
    result = export(log, "--html", folder / "page.html", *words)
    assert result.exit_code == 0, result.output
    return (folder / "page.html").read_text(encoding="utf-8")


@cache
def page_of(log: Path) -> str:
    """Return the exported page of `log`, cached for all tests that only read it."""
    with TemporaryDirectory() as folder:
        return exported(log, Path(folder))


def read(log: Path) -> Recorded:
    return _recorded(log.read_bytes())


_recorded = cache(read_recorded)


def drawing(recorded: Recorded) -> Map:
    return recorded.face.board_map(recorded.wire_board)


def cells_by_step(perspective: dict[str, Any]) -> Iterator[list[Any]]:
    """Yield the values of all table cells after each step of the game.

    `perspective` is a part of the data of a page: the game as seen by one seat, by the public or by all seats together.
    Its steps contain only the cells that changed.
    """
    now: dict[int, Any] = {}
    for step in perspective["steps"]:
        now |= dict(zip(step["cells"][::2], step["cells"][1::2], strict=True))
        yield [now[number] for number in range(len(now))]


def column(story: dict[str, Any], cells: list[Any], title: str, name: str) -> list[Any]:
    """Return the values in the column `name` of the table with the title `title`.

    `story` is the data of the page, with the names of all columns. `cells` holds the values of all tables, one table
    after the other.
    """
    start = 0
    for table in story["tables"]:
        names = [one[0] for one in table["columns"]]
        if table["title"] == title:
            return [cells[start + row * len(names) + names.index(name)] for row in range(len(table["rows"]))]
        start += len(names) * len(table["rows"])
    raise AssertionError(f"no table {title}")


def edited(log: Path, folder: Path, names: tuple[str, ...], note: Any, fault: str) -> Path:
    """Write the beginning of `log` with other player names, a note at the third action and a fault before this action.

    Return the path of the copy.
    """
    lines = [json.loads(line) for line in log.read_bytes().splitlines()[:30]]
    for player, name in zip(lines[0]["players"], names, strict=False):
        player["name"] = name
    lines[4]["info"] = note
    seat = lines[4]["seat"]
    lines.insert(4, {"type": "fault", "number": 3, "seat": seat, "code": "illegal_action", "message": fault})
    path = folder / "edited.jsonl"
    path.write_bytes(b"".join(json.dumps(line).encode() + b"\n" for line in lines))
    return path


# The page


@every_log
def test_a_page_is_small_and_loads_nothing_else(log: Path) -> None:
    page = page_of(log)
    assert len(page.encode()) < LARGEST
    story = story_in(page)
    recorded = read(log)
    assert len(story["board"]) == len(story["perspectives"][0]["steps"]) == len(recorded.moments)
    assert not re.search(r"""(?:src|href)=["'](?!#)""", page.partition('<script type="application/json"')[0])
    assert "@import" not in page
    assert not re.search(r"url\((?!#|data:font/woff2;)", page)
    assert not re.search(r"<[^>]* (?:on[a-z]+|style)=", page.partition('<script type="application/json"')[0])


@pytest.mark.parametrize("game", game_names())
def test_the_tables_of_every_step_match_the_view(game: str) -> None:
    story = story_in(page_of(LOGS[game]))
    recorded = read(LOGS[game])
    for moment, cells in zip(recorded.moments, cells_by_step(story["perspectives"][0]), strict=True):
        view = recorded.view(moment, ALL_SEATS)
        assert column(story, cells, "Players", "Cash") == [player.cash for player in view.players]
        if game != "last_spike":
            incomes = [company.income if getattr(company, "in_play", True) else None for company in view.companies]
            assert column(story, cells, "Companies", "Income") == incomes
        else:
            assert column(story, cells, "Players", "Hand") == [
                "bankrupt" if player.bankrupt else " ".join(player.hand) for player in view.players
            ]


@pytest.mark.parametrize("game", game_names())
def test_every_event_is_described_without_codes(game: str) -> None:
    steps = story_in(page_of(LOGS[game]))["perspectives"][0]["steps"]
    recorded = read(LOGS[game])
    codes = {spot["id"] for spot in recorded.wire_board.get("hexes", ())} | {
        city["id"] for city in recorded.wire_board.get("cities", ())
    }
    for moment, step in zip(recorded.moments, steps, strict=True):
        number, _, done = step["title"].partition(". ")
        assert number == str(moment.number)
        sentences = [recorded.face.tell(recorded.wire_board, event, recorded.names) for event in moment.events]
        rest = [sentence for sentence in sentences if sentence and sentence != f"{done}."]
        told = [*step["words"], *step.get("closing", {"words": []})["words"]]
        for sentence, words in zip(rest, told, strict=True):
            assert sentence.removeprefix(done).lstrip(",; ").lower() == words.removeprefix(done).lstrip(",; ").lower()
        unexplained = re.findall(r"\b\w+\b(?! \()", " ".join([done, *step["words"]]))
        assert not codes & set(unexplained), step


@pytest.mark.parametrize("game", ["chicago_express", "american_rails"])
def test_every_auction_is_listed_with_its_bids(game: str) -> None:
    auctions = story_in(page_of(LOGS[game]))["auctions"]
    lines = [json.loads(line) for line in LOGS[game].read_bytes().splitlines()]
    events = [event for line in lines for event in line.get("events", ())]
    assert len(auctions) == sum(event["type"] == "share_offered" for event in events)
    bids = [event["amount"] for event in events if event["type"] == "bid_made"]
    assert [amount for auction in auctions for _, amount, _ in auction["bids"] if amount is not None] == bids
    sales = [(event["seat"], event["price"]) for event in events if event["type"] == "share_sold"]
    assert [(one["buyer"], one["price"]) for one in auctions if one["buyer"] is not None] == sales
    for auction in auctions:
        if auction["price"]:
            assert auction["bids"], auction
            seat, amount, _ = [bid for bid in auction["bids"] if bid[1] is not None][-1]
            assert (seat, amount) == (auction["buyer"], auction["price"])


def test_book_value_counts_shares_at_the_last_price() -> None:
    story = story_in(page_of(LOGS["chicago_express"]))
    recorded = read(LOGS["chicago_express"])
    *_, cells = cells_by_step(story["perspectives"][0])
    prices = column(story, cells, "Companies", "Last price")
    view = recorded.view(recorded.moments[-1], ALL_SEATS)
    assert column(story, cells, "Players", "Book value") == [
        player.cash + sum(n * (price or 0) for n, price in zip(player.shares.values(), prices, strict=True))
        for player in view.players
    ]


# The board


@every_log
def test_the_marks_of_every_fourth_step_match_the_view(log: Path) -> None:
    story = story_in(page_of(log))
    recorded = read(log)
    drawn = drawing(recorded)
    marks = [json.dumps(mark) for mark in story["marks"]]
    encoded = cache(json.dumps)
    shown: set[int] = set()
    for moment, (put, taken) in zip(recorded.moments, story["board"], strict=True):
        assert shown.isdisjoint(put)
        assert shown.issuperset(taken)
        shown = (shown | set(put)) - set(taken)
        if moment.number % 4:
            continue
        wanted = drawn.marks(recorded.view(moment, ALL_SEATS), recorded.face.touched(moment.events))
        assert len(wanted) == len(set(wanted)), "no mark may be drawn twice"
        assert {marks[number] for number in shown} == set(map(encoded, wanted))


@pytest.mark.parametrize("game", ["chicago_express", "american_rails"])
def test_track_and_houses_are_drawn_in_the_hexes_of_the_view(game: str) -> None:
    recorded = read(LOGS[game])
    drawn = drawing(recorded)
    places = places_on(recorded)
    neighbours = {spot["id"]: spot["neighbours"] for spot in recorded.wire_board["hexes"]}
    for moment in recorded.moments[:: len(recorded.moments) // 8]:
        view = recorded.view(moment, ALL_SEATS)
        marks = [(mark.layer, mark.tag, dict(mark.attributes)) for mark in drawn.marks(view)]
        pieces = [look for layer, tag, look in marks if layer == "pieces" and tag == "use"]
        stood = sorted((nearest(places, look), look["class"].split("-")[-1]) for look in pieces)
        colours = {company["id"]: company["colour"] for company in recorded.wire_board["companies"]}
        assert stood == sorted((spot, colours[company.id]) for company in view.companies for spot in company.track)
        houses = [nearest(places, look, above=18) for _, _, look in marks if look["class"] == "house"]
        assert sorted(houses) == sorted(view.developed)
        for company in view.companies:
            look = f"track-line track-{colours[company.id]}"
            ways = [found["d"] for _, _, found in marks if found["class"] == look]
            drawn_in = dict(hex_and_ends(places, way) for way in ways)
            assert {*drawn_in} in ({*company.track}, set())
            hexes_at: dict[str, list[str]] = {}
            for spot, ends in drawn_in.items():
                for end in ends:
                    hexes_at.setdefault(end, []).append(spot)
            assert len(hexes_at) == max(len(company.track) - 1, 0), "a tree of track has one link fewer than hexes"
            assert all(other in neighbours[one] for one, other in hexes_at.values())


def hex_and_ends(places: dict[str, complex], way: str) -> tuple[str, list[str]]:
    """Return the hex in which a piece of track is drawn, and the points at which this piece leaves the hex.

    `way` is the SVG path of the piece. It is either a curve between two such points, or one line from each of them to
    the marker of the company inside the hex. `places` holds the centres of all hexes.
    """
    if "Q" in way:
        start, _, rest = way.removeprefix("M").partition("Q")
        x, y, *end = rest.split()
        return nearest(places, {"x": x, "y": y}), [start, " ".join(end)]
    lines = [line.split("L") for line in way.split("M")[1:]]
    (inside,) = {end for _, end in lines}
    return nearest(places, dict(zip("xy", inside.split(), strict=True))), [start for start, _ in lines]


def places_on(recorded: Recorded) -> dict[str, complex]:
    ground = drawing(recorded).base().ground
    places = {}
    drawn = ElementTree.fromstring(f'<svg xmlns="http://www.w3.org/2000/svg">{ground}</svg>')
    for group in drawn.findall(f"{SVG}g[@data-place]"):
        use = group.find(f"{SVG}use")
        assert use is not None
        places[group.attrib["data-place"]] = complex(float(use.attrib["x"]), float(use.attrib["y"]))
    return places


def nearest(places: dict[str, complex], look: dict[str, str], above: int = 0) -> str:
    """Return the hex whose centre is nearest to a mark on the board. A mark is an SVG element.

    `look` holds the attributes of the mark, with its position in `x` and `y`. With `above`, use the point that is this
    many units above the mark. `places` holds the centres of all hexes.
    """
    point = complex(float(look["x"]), float(look["y"]) - above)
    return min(places, key=lambda spot: abs(places[spot] - point))


@pytest.mark.parametrize("game", ["chicago_express", "american_rails"])
def test_neighbouring_hexes_are_drawn_next_to_each_other(game: str) -> None:
    recorded = read(LOGS[game])
    places = places_on(recorded)
    for spot in recorded.wire_board["hexes"]:
        for beside in spot["neighbours"]:
            assert abs(abs(places[spot["id"]] - places[beside]) - 32 * 3**0.5) < 0.2


# Pictures


@pytest.mark.parametrize("game", game_names())
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_position_is_exported_as_svg(game: str, theme: str, tmp_path: Path) -> None:
    recorded = read(LOGS[game])
    result = export(LOGS[game], "--svg", "40", "--output", tmp_path / "a.svg", "--theme", theme)
    assert result.exit_code == 0, result.output
    content = (tmp_path / "a.svg").read_text(encoding="utf-8")
    assert "var(" not in content
    root = ElementTree.fromstring(content)
    assert root.tag == f"{SVG}svg"
    moment = recorded.moments[40]
    touched = recorded.face.touched(moment.events)
    wanted = drawing(recorded).marks(recorded.view(moment, ALL_SEATS), touched)
    found = [
        (layer, node.tag.removeprefix(SVG), tuple(node.attrib.items()), node.text or "")
        for layer in LAYERS
        for group in root.iter(f"{SVG}g")
        if group.get("class") == f"layer-{layer}"
        for node in group
    ]
    assert sorted(found) == sorted(tuple(mark) for mark in wanted)
    assert export(LOGS[game], "--svg", "40", "--theme", theme).stdout_bytes == content.encode()


def test_negative_positions_count_from_the_end() -> None:
    log = LOGS["last_spike"]
    last = str(read(log).last)
    result = export(log, "--svg", "-1")
    assert result.exit_code == 0
    assert result.stdout.startswith("<svg")
    assert result.stdout == export(log, "--svg", last).stdout


def test_a_position_is_exported_as_png(tmp_path: Path) -> None:
    """A position of a game can be exported as a PNG file of a given width.

    The test does not look at the content of the picture. The picture is made from the output of `--svg`, which other
    tests check for all games.
    """
    pytest.importorskip("resvg_py", reason="resvg-py is not installed (pip install 'rails-cli[png]')")
    result = export(LOGS[SHORTEST], "--png", "-1", "--output", tmp_path / "a.png", "--width", "300")
    assert result.exit_code == 0, result.output
    content = (tmp_path / "a.png").read_bytes()
    assert content.startswith(b"\x89PNG\r\n")
    assert struct.unpack(">I", content[16:20]) == (300,)
    assert len(content) > 5_000


def test_png_without_its_package_is_an_error_that_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    result = export(LOGS["last_spike"], "--png", "3")
    assert result.exit_code == 1
    assert "resvg-py" in result.stderr
    assert "rails-cli[png]" in result.stderr


# Errors


@pytest.mark.parametrize(
    ("words", "names"),
    [
        ((), ["--html", "--svg", "--png"]),
        (("--svg", "3", "--png", "3"), ["choose what to write"]),
        (("--svg", "9999"), ["--svg", "9999", "0 (the set-up) to 75"]),
        (("--png", "-99"), ["--png", "-99"]),
        (("--svg", "1", "--seat", "4"), ["seat 4", "1 to 3"]),
        (("--svg", "1", "--output", "/nowhere/at/all.svg"), ["/nowhere/at/all.svg"]),
        (("--html", "/nowhere/at/all.html"), ["/nowhere/at/all.html"]),
        (("--html", "a.html", "--output", "b.html"), ["--output"]),
    ],
)
def test_usage_errors_are_explained_in_the_last_line(words: tuple[str, ...], names: list[str]) -> None:
    result = export(LOGS["last_spike"], *words)
    assert result.exit_code == 2
    for name in names:
        assert name in result.stderr.splitlines()[-1]


def test_an_invalid_log_is_exported_up_to_its_invalid_line(tmp_path: Path) -> None:
    lines = LOGS["last_spike"].read_bytes().splitlines(keepends=True)
    lines[29] = re.sub(rb'"digest":"....', b'"digest":"zzzz', lines[29])
    log = tmp_path / "wrong.jsonl"
    log.write_bytes(b"".join(lines))
    result = export(log, "--html", tmp_path / "wrong.html")
    assert result.exit_code == 1
    assert "line 30: digest zzzz" in result.stderr
    story = story_in((tmp_path / "wrong.html").read_text(encoding="utf-8"))
    assert len(story["board"]) == 28
    assert "The log is valid up to action 27." in story["perspectives"][0]["ending"]
    log.write_bytes(b"{}\n")
    result = export(log, "--html", tmp_path / "none.html")
    assert (result.exit_code, "line 1" in result.stderr) == (1, True)
    assert not (tmp_path / "none.html").exists()


# Hidden information and hostile text


def test_a_page_for_a_seat_has_no_hidden_information(tmp_path: Path) -> None:
    log = edited(LOGS["last_spike"], tmp_path, (), "SECRET-NOTE", "SECRET-FAULT")
    recorded = read(log)
    mover = recorded.moments[3].by
    for seat in range(3):
        page = exported(log, tmp_path, "--seat", str(seat + 1))
        story = story_in(page)
        assert [one["seat"] for one in story["perspectives"]] == [seat]
        assert "seed" not in story["heading"]
        for secret in ("SECRET-NOTE", "SECRET-FAULT"):
            assert (secret in page) == (seat == mover)
        assert not any(moment.digest in page for moment in recorded.moments)
        for other in {0, 1, 2} - {seat}:
            assert not re.search(rf"busy {other} draws [A-Z]\d", page)
        for moment, cells in zip(recorded.moments[:-1], cells_by_step(story["perspectives"][0]), strict=False):
            view = recorded.view(moment, seat)
            hands = column(story, cells, "Players", "Hand")
            assert hands[seat] == " ".join(view.players[seat].hand)
            for other in {0, 1, 2} - {seat}:
                assert hands[other] == f"{view.players[other].pieces} pieces"
                assert column(story, cells, "Players", "Cash")[other] is None
                assert column(story, cells, "Players", "Book value")[other] is None


def test_a_page_for_a_seat_does_not_depend_on_other_hands(tmp_path: Path) -> None:
    """The exported page for seat 0 is the same for two deals that differ only in the hands of other seats."""
    lines = [json.loads(line) for line in LOGS["last_spike"].read_bytes().splitlines()]
    one, other = tmp_path / "one.jsonl", tmp_path / "other.jsonl"
    swapped = copy.deepcopy(lines[:2])
    for deal, path in ((lines[:2], one), (swapped, other)):
        deal[0]["seed"] = None
        path.write_text("\n".join(json.dumps(line) for line in deal) + "\n")
    hands = swapped[1]["events"][0]["hands"]
    hands[1], hands[2] = hands[2], hands[1]
    swapped[1]["digest"] = digest_of(swapped, other)
    other.write_text("\n".join(json.dumps(line) for line in swapped) + "\n")
    lines[1]["digest"] = digest_of(lines[:2], one)
    one.write_text("\n".join(json.dumps(line) for line in lines[:2]) + "\n")
    assert exported(one, tmp_path, "--seat", "1") == exported(other, tmp_path, "--seat", "1")
    assert exported(one, tmp_path) != exported(other, tmp_path)


def digest_of(lines: list[Any], path: Path) -> str:
    """Return the digest that the set-up line of the log `lines` should contain.

    Write a log with a wrong digest to `path`, and read the correct digest from the error message.
    """
    wrong = [lines[0], {**lines[1], "digest": "0" * 16}]
    path.write_text("\n".join(json.dumps(line) for line in wrong) + "\n")
    found = re.search(r"the position has ([0-9a-f]{16})", export(path, "--html", path.with_suffix(".html")).stderr)
    assert found is not None
    return found[1]


def test_a_game_with_hidden_information_has_one_perspective_per_seat() -> None:
    spike = story_in(page_of(LOGS["last_spike"]))["perspectives"]
    assert [one["seat"] for one in spike] == [None, 0, 1, 2]
    assert len(story_in(page_of(LOGS["chicago_express"]))["perspectives"]) == 1


def test_hostile_text_is_escaped(tmp_path: Path) -> None:
    page = exported(edited(LOGS["chicago_express"], tmp_path, HOSTILE, {"note": HOSTILE[0]}, HOSTILE[1]), tmp_path)
    assert page.count("<script") == 2
    assert "<img" not in page
    assert "<!--" not in page
    story = story_in(page)
    assert [row[0] for row in story["players"]] == [name.replace("\u202e", "?") for name in HOSTILE]
    assert page.count("<svg xmlns") == 1


def test_long_notes_are_cut(tmp_path: Path) -> None:
    log = edited(LOGS["chicago_express"], tmp_path, (), "x" * 400_000, "y" * 400_000)
    assert len(exported(log, tmp_path)) < 400_000


def custom_board(game: str, folder: Path) -> Path:
    """Write a copy of the short board to `folder` and return its path.

    In The Last Spike the copy has other names and positions of cities. In other games it has other names and colours.
    """
    board = json.loads(short_board(game, folder).read_bytes())
    board["title"] = 'Ours <b>&amp; "yours"</b>'
    if game == "last_spike":
        board["cities"][1]["name"] = "<script>x</script>"
        for city in board["cities"]:
            city["x"], city["y"] = city["y"] * 3, city["x"] * 3
    else:
        board["companies"][0]["colour"] = "vermilion"
        board["companies"][1]["colour"] = board["companies"][2]["colour"]
        next(spot for spot in board["hexes"] if spot.get("name") == "Buffalo")["name"] = "<script>x</script>"
    path = folder / "board.json"
    path.write_text(json.dumps(board))
    return path


@pytest.mark.parametrize("game", game_names())
def test_a_custom_board_can_be_drawn(game: str, tmp_path: Path) -> None:
    words = ["simulate", game, "--players", "3", "--games", "1", "--seed", "0", "--policy", "busy", "--workers", "1"]
    words += ["--board", str(custom_board(game, tmp_path)), "--log-dir", str(tmp_path / "logs")]
    result = CliRunner().invoke(main, words)
    assert result.exit_code == 0, result.output
    log = next((tmp_path / "logs").glob("*.jsonl"))
    drawn = export(log, "--svg", "-1")
    assert drawn.exit_code == 0, drawn.output
    root = ElementTree.fromstring(drawn.stdout)
    assert root.attrib["aria-label"] == 'Board: Ours <b>&amp; "yours"</b>'
    assert "<script>x</script>" in [node.text for node in root.iter(f"{SVG}text")]
    assert exported(log, tmp_path).count("<script") == 2
    if game != "last_spike":

        def colours(tag: str, kind: str) -> set[str]:
            looks = [node.get("class", "") for node in root.iter(f"{SVG}{tag}")]
            return {look.split("-")[-1] for look in looks if f"{kind} " in look}

        paints = colours("use", "piece")
        assert colours("path", "rail") <= paints
        assert len(paints) == sum(bool(company.track) for company in final_view(log).companies)


def final_view(log: Path) -> Any:
    recorded = read(log)
    return recorded.view(recorded.moments[-1], ALL_SEATS)


# In a browser


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    for game, log in LOGS.items():
        (folder / f"{game}.html").write_text(page_of(log), encoding="utf-8")
    return {game: folder / f"{game}.html" for game in LOGS}


def visit(browser: Any, page: Path, mark: str = "") -> None:
    browser.get("about:blank")
    complaints(browser)
    requests(browser)
    open_page(browser, f"{page.as_uri()}{mark}")


def text(browser: Any, selector: str) -> str:
    found: str = browser.execute_script("return document.querySelector(arguments[0]).textContent", selector)
    return found


def press(browser: Any, *keys: str) -> None:
    from selenium.webdriver.common.action_chains import ActionChains

    ActionChains(browser).send_keys(*keys).perform()


def click(browser: Any, selector: str) -> None:
    browser.find_element("css selector", selector).click()


def expect_step(browser: Any, number: int) -> None:
    expect(browser, "Number(document.getElementById('slider').value)", number)


# Returns what a step shows, as one string because the driver transfers thousands of small lists slowly.
SHOWN = """
const text = (id) => document.getElementById(id).textContent;
const drawn = [...document.querySelectorAll("svg.board [class^=layer-] > *")].map((node) =>
  [node.parentNode.getAttribute("class").slice(6), node.tagName,
   [...node.attributes].map((one) => [one.name, one.value]), node.textContent]);
return JSON.stringify({ title: text("step-title"), words: text("step-words"), hash: location.hash, drawn });
"""
# Replaces the browser's intervals, so that their callbacks run only when the test calls `tick`.
TICK = """
const intervals = new Map();
window.setInterval = (todo, ms) => { intervals.set(intervals.size + 1, [todo, ms]); return intervals.size; };
window.clearInterval = (number) => intervals.delete(number);
window.tick = () => { for (const [todo] of [...intervals.values()]) todo(); };
window.paces = () => [...intervals.values()].map(([, ms]) => ms);
"""


def test_links_keys_and_clicks_lead_to_steps(browser: Any, pages: dict[str, Path]) -> None:
    from selenium.webdriver.common.keys import Keys

    recorded = read(LOGS[SHORTEST])
    steps = story_in(pages[SHORTEST].read_text(encoding="utf-8"))["perspectives"][0]["steps"]
    drawn = drawing(recorded)
    resize(browser, 1280)
    clock = run_on_new_pages(browser, TICK)
    visit(browser, pages[SHORTEST], "#57")
    stop_running(browser, clock)
    assert text(browser, "#step-title").startswith("57. ")
    assert browser.execute_script("return document.querySelector('#steps .current a').hash") == "#at=57"
    press(browser, Keys.HOME)

    def check(number: int) -> None:
        expect_step(browser, number)
        shown = json.loads(browser.execute_script(SHOWN))
        assert shown["title"] == steps[number]["title"]
        assert [words for words in steps[number]["words"] if words not in shown["words"]] == []
        assert shown["hash"] == f"#at={number}"
        moment = recorded.moments[number]
        wanted = drawn.marks(recorded.view(moment, ALL_SEATS), recorded.face.touched(moment.events))
        assert {json.dumps(mark) for mark in shown["drawn"]} == {json.dumps(mark) for mark in wanted}

    check(0)
    press(browser, *[Keys.ARROW_RIGHT] * 3, Keys.ARROW_LEFT)
    check(2)
    press(browser, Keys.END)
    check(recorded.last)
    assert complaints(browser) == []
    assert set(requests(browser)) == {pages[SHORTEST].as_uri()}
    loaded = browser.execute_script("return [...document.fonts].filter((font) => font.status === 'loaded').length")
    assert loaded >= 2, "the fonts in the file are used"
    press(browser, Keys.HOME)
    for _ in range(2):
        click(browser, "[data-go=on]")
    click(browser, "[data-go=back]")
    check(1)
    click(browser, "[data-go=last]")
    check(recorded.last)
    click(browser, "#steps a[href='#at=5']")
    check(5)
    browser.execute_script("document.activeElement.blur()")
    press(browser, "d")
    landmarks = [number for number, step in enumerate(steps) if step.get("is_landmark") and number > 5]
    check(landmarks[0])
    press(browser, Keys.HOME)
    press(browser, "+", "+", "+", " ")
    expect(browser, "window.paces().length", 1)
    fast = browser.execute_script("return Number(document.getElementById('speed').value)")
    assert browser.execute_script("return window.paces()") == [1000 / fast]
    browser.execute_script("for (let count = 0; count < 4; count += 1) window.tick()")
    check(4)
    press(browser, " ")
    expect(browser, "window.paces()", [])
    browser.execute_script("window.tick()")
    check(4)
    assert complaints(browser) == []
    assert requests(browser) == []


def test_dividends_are_a_step_of_their_own(browser: Any, pages: dict[str, Path]) -> None:
    """Dividends have a separate step in the replay, after the action that caused them.

    The step of this action shows the cash without dividends. The list of steps has a separate entry for the dividends,
    which is not inside a collapsed section.
    """
    from selenium.webdriver.common.keys import Keys

    steps = story_in(pages["american_rails"].read_text(encoding="utf-8"))["perspectives"][0]["steps"]
    number = next(number for number, step in enumerate(steps) if step.get("closing"))
    action, closing = steps[number]["title"], steps[number]["closing"]
    assert closing["title"] == "1851: dividends"
    assert not set(closing["words"]) & set(steps[number]["words"])
    script = """
    const texts = (what) => [...document.querySelectorAll(what)].map((node) => node.textContent);
    const [title] = texts('#step-title');
    const current = document.querySelector('#steps [aria-current]');
    const cash = texts('#cash b').map((text) => Number(text.slice(1)));
    const isFolded = current.closest('.fold') !== null;
    return { title, words: texts('#step-words li'), current: current.textContent, isFolded, cash };
    """
    resize(browser, 1280)
    visit(browser, pages["american_rails"], f"#at={number - 1}")
    seen = []
    for key in (Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, Keys.ARROW_LEFT):
        press(browser, key)
        expect_step(browser, number)
        seen.append(browser.execute_script(script))
    before, after, again = seen
    assert before == again
    assert (before["title"], before["current"], before["words"]) == (action, action, steps[number]["words"])
    assert (after["title"], after["current"], after["isFolded"]) == (action, closing["title"], False)
    assert after["words"] == [*steps[number]["words"], closing["title"], *closing["words"]]
    paid = [now - then for now, then in zip(after["cash"], before["cash"], strict=True)]
    assert paid == closing["paid"]
    assert any(paid)


@pytest.mark.parametrize(("width", "height"), [(1024, 768), (390, 844)])
def test_a_replay_opens_at_the_built_network(width: int, height: int, browser: Any, pages: dict[str, Path]) -> None:
    """When a replay opens, at least one piece on the board is in view.

    In a window of the width of a tablet, the whole board is visible. In a window of the width of a phone, the board is
    scrolled to the east, where companies start.
    """
    resize(browser, width, height)
    visit(browser, pages["chicago_express"])
    script = """
    const holder = document.getElementById('board-holder');
    const frame = holder.getBoundingClientRect();
    const boxes = [...document.querySelectorAll('.layer-pieces > *')].map((piece) => piece.getBoundingClientRect());
    const isSeen = boxes.some(({ left, right }) => left >= frame.left && right <= frame.right);
    return [isSeen, holder.scrollWidth <= holder.clientWidth];
    """
    assert browser.execute_script(script) == [True, width == 1024]


def test_a_link_to_a_step_that_does_not_exist_opens_the_nearest(browser: Any, pages: dict[str, Path]) -> None:
    """A link to a step that does not exist opens the last step. A link without a number opens the first step."""
    visit(browser, pages["last_spike"], "#99999")
    expect_step(browser, read(LOGS["last_spike"]).last)
    visit(browser, pages["last_spike"], "#<img src=x onerror=alert(1)>")
    expect_step(browser, 0)
    assert complaints(browser) == []


# Records which elements get the focus and the style of their outline.
NOTE_FOCUS = """
window.reached = {};
addEventListener("focusin", ({ target }) => {
  window.reached[target.id || target.dataset.go] = getComputedStyle(target).outlineStyle;
});
"""


def test_every_control_can_be_reached_with_tab(browser: Any, pages: dict[str, Path]) -> None:
    """Every control of a page can be reached with the Tab key, and has a visible outline when it has the focus.

    The test removes most links to steps of the game, because all of them behave in the same way.
    """
    from selenium.webdriver.common.keys import Keys

    resize(browser, 1280)
    visit(browser, pages["last_spike"])
    expect(browser, "document.querySelectorAll('#steps > li').length > 3", True)
    browser.execute_script("for (const step of document.querySelectorAll('#steps > li:nth-child(n+4)')) step.remove()")
    browser.execute_script(NOTE_FOCUS)
    reached: dict[str, str] = {}
    for _ in range(20):
        press(browser, *[Keys.TAB] * 20)
        reached |= browser.execute_script("return window.reached")
        if "speed" in reached:
            break
    for control in (
        *("seer", "zoom", "theme", "help", "board-holder"),
        *("first", "back", "play", "slider", "number", "speed"),
    ):
        assert reached[control] != "none", control


def test_a_page_can_be_seen_as_one_seat(browser: Any, pages: dict[str, Path]) -> None:
    visit(browser, pages["last_spike"], "#20")
    assert " pieces" not in text(browser, "#tables tbody")
    press(browser, "s")
    expect(browser, "document.querySelector('#tables tbody').textContent.split(' pieces').length", 3)
    expect_step(browser, 20)
    assert not re.search(r"busy [12] draws [A-Z]\d", text(browser, "#steps"))
    assert complaints(browser) == []


@pytest.mark.parametrize("game", game_names())
def test_the_page_is_accessible_at_any_window_size(game: str, browser: Any, pages: dict[str, Path]) -> None:
    """At each window size the page is readable and accessible.

    - No page or table is wider than the window.
    - Text is large enough, and axe finds no violation.
    - In a wide window, all tables are shown in columns. Narrow windows may show each row as a list of values.
    - The cash of all players is above the board.

    The page shows its last step, which has the most pieces. Pages of different games differ only in colours.
    """
    sizes = [(1920, 1080)] if game == "chicago_express" else []
    sizes += [(1366, 768), (683, 384), (360, 740)]
    resize(browser, *sizes[0], "dark")
    recorded = read(LOGS[game])
    visit(browser, pages[game], f"#{recorded.last}")
    cash = [f"${amount:,}" for amount in recorded.game.scores(recorded.moments[-1].state)]
    assert (
        browser.execute_script("return [...document.querySelectorAll('#cash b')].map((one) => one.textContent)") == cash
    )
    told = story_in(pages[game].read_text(encoding="utf-8"))
    folded = [auction for auction in told["auctions"] if len(auction["bids"]) >= 3]
    expect(browser, "document.querySelectorAll('#steps .fold').length", len(folded))
    assert text(browser, "#heading") == told["heading"]
    assert str(told["seed"]) not in told["heading"].split()
    for width, height in sizes:
        resize(browser, width, height, "dark")
        wait_for_two_frames(browser)
        found = board_text(browser)
        assert found["smallest"] >= LEGIBLE_PX
        assert found["overlaps"] == []
        assert found["cut"] == []
        expect(browser, "document.documentElement.scrollWidth <= arguments[0]", True, width)
        wider = "[...document.querySelectorAll('.table')].filter((one) => one.scrollWidth > one.clientWidth).length"
        expect(browser, wider, 0)
        if width == 1366:
            expect(browser, "document.querySelectorAll('.table.flow').length", 0)
        is_large = "document.querySelector('svg.board').getBoundingClientRect().width > arguments[0]"
        expect(browser, is_large, True, 0.5 * min(width, 1000))
    browser.execute_script("scrollTo(0, 0)")
    heights = "['#step-title', '#transport'].map((one) => document.querySelector(one).getBoundingClientRect())"
    title_box, bar = browser.execute_script(f"return {heights}.map(({{ top, bottom }}) => [top, bottom])")
    assert title_box[1] <= bar[0], "the controls must not hide the title of the step"
    press(browser, "?")
    assert violations(browser, () if game == SHORTEST else CONTRAST) == []
    resize(browser, 1280, theme="light")
    assert violations(browser, () if game == "chicago_express" else CONTRAST) == []


def test_a_page_draws_only_the_current_step(browser: Any, pages: dict[str, Path]) -> None:
    """A page draws only the current step of the game. Drawing all steps of a long game would take long."""
    recorded = read(LOGS["american_rails"])
    assert recorded.last >= 200
    visit(browser, pages["american_rails"])
    shown = browser.execute_script("return document.querySelectorAll('svg.board [class^=layer-] > *').length")
    assert shown == len(drawing(recorded).marks(recorded.view(recorded.moments[0], ALL_SEATS), frozenset()))
    assert browser.execute_script("return document.querySelectorAll('svg.board').length") == 1
    parts = browser.execute_script("return document.querySelectorAll('*').length")
    assert parts < 15 * recorded.last, "only the list of steps may grow with the length of the game"


def test_hostile_text_does_not_run_in_a_browser(browser: Any, tmp_path: Path) -> None:
    exported(edited(LOGS["chicago_express"], tmp_path, HOSTILE, {"note": HOSTILE[0]}, HOSTILE[1]), tmp_path)
    visit(browser, tmp_path / "page.html", "#3")
    assert browser.execute_script("return typeof window.hacked") == "undefined"
    assert HOSTILE[1] in text(browser, "#step-words")
    assert HOSTILE[0] in text(browser, "#tables")
    found = browser.execute_script("return document.querySelectorAll('img, script[type=module]').length")
    assert found == 1
    assert complaints(browser) == []
    assert set(requests(browser)) == {(tmp_path / "page.html").as_uri()}


def test_the_content_security_policy_blocks_other_scripts(browser: Any, pages: dict[str, Path], tmp_path: Path) -> None:
    page = pages["last_spike"].read_text(encoding="utf-8")
    broken = tmp_path / "broken.html"
    broken.write_text(
        page.replace("</main>", "<script>window.hacked=1</script><img src=x onerror='window.hacked=1'></main>")
    )
    visit(browser, broken)
    assert browser.execute_script("return typeof window.hacked") == "undefined"
    assert any("Content Security Policy" in complaint for complaint in complaints(browser))
    expect_step(browser, 0)
