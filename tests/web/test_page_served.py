"""Tests of the delivery of pages: compression, security headers, small buffers, and game lists divided into pages."""

import gzip
import json
import shutil
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rails_cli.games import game_names
from tests.support.browser import CONTRAST, CONTROLS, complaints, expect, requests, resize, violations
from tests.support.fetching import fetched, made, replayed
from tests.support.page_person import PagePerson
from tests.support.tools import ROOT, rails
from tests.support.waiting import HANG_S
from tests.support.ws_client import Client, ServerProcess

GOLDEN = ROOT / "tests/games/golden"
GAMES = 204
LARGE = "large"
LAST = "z-last"
PICTURES = """
return [...document.querySelectorAll('.guide-pictures li')].map((item) => {
  const board = item.querySelector('svg.board');
  const marks = board.querySelectorAll('[class^=layer-] > *');
  return [item.querySelector('h2').innerText, board.getAttribute('viewBox'), marks.length];
});
"""
"""JavaScript that returns the title, the `viewBox` and the number of marks of each picture of a guide."""
SHOWN_ROWS = "return [...document.querySelectorAll('#tables-list li')].filter((row) => row.checkVisibility()).length"
SAFETY = (
    *("content-security-policy", "x-frame-options", "x-content-type-options", "referrer-policy"),
    *("cross-origin-opener-policy", "cross-origin-resource-policy"),
)


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with more logged games than one page of the lobby lists."""
    folder = tmp_path_factory.mktemp("shelf")
    log = min((GOLDEN / "last_spike").glob("*.jsonl"), key=lambda log: log.stat().st_size)
    shutil.copyfile(log, folder / f"{LAST}.jsonl")
    for number in range(GAMES - 2):
        shutil.copyfile(log, folder / f"game-{number:03}.jsonl")
    shutil.copyfile(GOLDEN / "american_rails/american_rails-3p-drawn.jsonl", folder / f"{LARGE}.jsonl")
    return folder


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, shelf: Path) -> Iterator[ServerProcess]:
    with ServerProcess(tmp_path_factory.mktemp("server") / "data", "--logs", str(shelf)) as running:
        yield running


def test_all_logged_games_are_listed(server: ServerProcess) -> None:
    with Client(server.url) as client:
        first = client.asked(type="list")
        assert (len(first["tables"]), first["total"]) == (200, GAMES)
        rest = client.asked(type="list", skip=200)
        assert (len(rest["tables"]), rest["total"]) == (GAMES - 200, GAMES)
        names = [table["table"] for table in first["tables"] + rest["tables"]]
        assert names == sorted(names)
        assert len(set(names)) == GAMES
        assert client.asked(type="list", skip=GAMES)["tables"] == []
        assert client.asked(type="list", search=LARGE)["total"] == 1
    listed = json.loads(rails("tables", server.url, "--json").stdout)
    assert [table["table"] for table in listed["tables"]] == names


def test_the_lobby_pages_through_games_and_replays_link_back(server: ServerProcess, browser: Any) -> None:
    resize(browser, 1280, 900)
    complaints(browser)
    anna = PagePerson(browser, server.url, "Anna")
    anna.go()
    anna.wait_for("document.getElementById('count').innerText === arguments[0]", str(GAMES))
    assert anna.browser.execute_script(SHOWN_ROWS) == 5
    anna.click("#tables-all")
    anna.wait_for_text("#count", f"1 to 200 of {GAMES}")
    anna.click("#tables-after")
    anna.wait_for_text("#count", f"201 to {GAMES} of {GAMES}")
    anna.wait_for_count("#tables-list li", GAMES - 200)
    assert replayed(server, LAST)[0] == 200
    anna.click("#more")
    anna.click("#theme")
    anna.click("#menu-close")
    anna.click(f"#tables-list [data-table={LAST}] a")
    is_dark = "document.documentElement.dataset.theme === 'dark'"
    anna.wait_for(f"document.getElementById('steps')?.childElementCount && {is_dark}")
    anna.browser.get(f"{anna.url}rules/american_rails")
    anna.wait_for(is_dark)
    resize(browser, 360, 740)
    expect(browser, "document.documentElement.scrollWidth", 360)
    assert violations(browser) == []
    browser.back()
    resize(browser, 1280, 900)
    anna.wait_for("document.getElementById('steps')?.childElementCount")
    anna.click("header .back")
    anna.wait_for_text("#count", str(GAMES))
    assert complaints(browser) == []
    browser.get("about:blank")


def test_each_game_is_explained_in_six_pictures(server: ServerProcess, browser: Any) -> None:
    """The guide of a game shows six parts of its board, loads nothing from elsewhere, and links to the rules.

    Wide tables can be scrolled by keys. The guide and the rules of one game are readable in both themes. The pages of
    the other games have the same styles. Another test checks the rules of a second game.
    """
    browser.get("about:blank")  # the page of an earlier test may still try to connect
    complaints(browser)
    for game in game_names():
        resize(browser, 360, 740)
        assert made(server, f"/guide/{game}")[0] == 200
        requests(browser)
        browser.get(f"http://127.0.0.1:{server.port}/guide/{game}")
        expect(browser, "document.documentElement.scrollWidth", 360)
        shown = browser.execute_script(PICTURES)
        assert len(shown) == 6
        assert len({(title, box) for title, box, _ in shown}) == 6
        assert all(count > 5 for _, _, count in shown), shown
        assert violations(browser, () if game == game_names()[0] else CONTROLS) == []  # they differ in texts and boards
        assert {address.split("/")[2] for address in requests(browser)} == {f"127.0.0.1:{server.port}"}
        assert browser.execute_script("return document.querySelector('.guide-links a:last-child').href").endswith(
            f"/rules/{game}"
        )
    resize(browser, 360, 740, "dark")
    assert violations(browser, CONTRAST) == []
    browser.get(f"http://127.0.0.1:{server.port}/rules/{game}")
    assert violations(browser, CONTRAST) == []
    resize(browser, 360, 740)
    assert violations(browser, (*CONTRAST, "scrollable-region-focusable")) == []
    assert complaints(browser) == []
    browser.get("about:blank")


def test_pages_are_compressed_and_have_security_headers(server: ServerProcess) -> None:
    _, page, _ = fetched(server, "/")
    status, replay, body = replayed(server, LARGE)
    assert status == 200
    assert {name: page.get(name) for name in SAFETY[1:]} == {name: replay.get(name) for name in SAFETY[1:]}
    for found in (page, replay):
        assert all(name in found for name in SAFETY)
        assert "frame-ancestors 'none'" in found["content-security-policy"]
        assert "content-encoding" not in found
    assert "sha256-" in replay["content-security-policy"]
    for path in ("/", "/page.css", "/app.js", "/games.json", f"/replay/{LARGE}"):
        plain = fetched(server, path)
        status, headers, packed = fetched(server, path, Accept_Encoding="br;q=1, gzip;q=0.8")
        assert (status, headers["content-encoding"]) == (200, "gzip"), path
        assert headers["vary"] == "Accept-Encoding"
        assert len(packed) < len(plain[2]) / 2
        assert gzip.decompress(packed) == plain[2]
        assert fetched(server, path, Accept_Encoding="gzip", If_None_Match=headers["etag"])[0] == 304
    assert "content-encoding" not in fetched(server, "/", Accept_Encoding="gzip;q=0")[1]
    assert len(body) == int(replay["content-length"])


def test_a_reader_with_a_small_buffer_gets_the_whole_page(server: ServerProcess) -> None:
    assert replayed(server, LARGE)[0] == 200
    with socket.socket() as reader:
        reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        reader.settimeout(HANG_S)
        reader.connect(("127.0.0.1", server.port))
        reader.sendall(f"GET /replay/{LARGE} HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n\r\n".encode())
        received = b""
        while part := reader.recv(65_536):
            received += part
    head, _, body = received.partition(b"\r\n\r\n")
    assert f"content-length: {len(body)}".encode() in head.lower()
