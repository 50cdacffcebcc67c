"""Delivery of pages: compression, security headers, slow clients, and lists of games page by page."""

import gzip
import json
import shutil
import socket
from collections import Counter
from collections.abc import Iterator
from http import HTTPStatus
from pathlib import Path
from typing import Any

import pytest

from rails_cli.server.net.admission import Admission
from rails_cli.server.net.http import STALLED_S, TEXT, HttpPage
from rails_cli.server.net.websocket import Endpoint, WebSocket
from rails_cli.server.settings import ConnectionLimits
from rails_cli.server.turn import Turn
from tests.support.browser import complaints, expect, resize, violations
from tests.support.fetching import fetched, replayed
from tests.support.page_person import PagePerson
from tests.support.scheduling import ScheduledCalls
from tests.support.tools import ROOT, rails
from tests.support.waiting import HANG_S
from tests.support.ws_client import Client, ServerProcess

GOLDEN = ROOT / "tests/games/golden"
GAMES = 204
LARGE = "large"
LAST = "z-last"
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
    shutil.copyfile(GOLDEN / "american_rails/american_rails-5p-drawn.jsonl", folder / f"{LARGE}.jsonl")
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
    anna.wait_for_text("#count", f"1 to 200 of {GAMES}")
    anna.click("#tables-after")
    anna.wait_for_text("#count", f"201 to {GAMES} of {GAMES}")
    anna.wait_for_count("#tables-list li", GAMES - 200)
    assert replayed(server, LAST)[0] == 200
    anna.click(f"#tables-list [data-table={LAST}] a")
    anna.wait_for("document.getElementById('steps')?.childElementCount")
    anna.browser.get(f"{anna.url}rules/american_rails")
    resize(browser, 360, 740)
    expect(browser, "document.documentElement.scrollWidth", 360)
    assert violations(browser) == []
    resize(browser, 1280, 900)
    browser.back()
    anna.wait_for("document.getElementById('steps')?.childElementCount")
    anna.click("header .back")
    anna.wait_for_text("#count", f"of {GAMES}")
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


# Slow clients with a simulated clock


class Transport:
    """A fake transport. `unread` is the number of bytes that the other end has not read."""

    def __init__(self) -> None:
        self.unread = 0
        self.is_aborted = False

    def get_extra_info(self, name: str) -> Any:
        return self if name == "socket" else ("127.0.0.1", 5)

    def setsockopt(self, *option: int) -> None:
        pass

    def write(self, data: bytes) -> None:
        self.unread += len(data)

    def write_eof(self) -> None:
        pass

    def can_write_eof(self) -> bool:
        return True

    def get_write_buffer_size(self) -> int:
        return self.unread

    def set_write_buffer_limits(self, high: int) -> None:
        pass

    def is_closing(self) -> bool:
        return self.is_aborted

    def abort(self) -> None:
        self.is_aborted = True


class PageEndpoint(Endpoint):
    """A server that answers every request with the same page."""

    is_broken = False

    def __init__(self) -> None:
        self.time = 100.0
        self.now = lambda: self.time
        self.limits = ConnectionLimits()
        self.dropped = Counter()
        self.admission = Admission(
            self.limits,
            is_at_table=lambda connection: False,
            is_holder=lambda token: False,
            is_banned=lambda address: False,
        )
        self.page = lambda path, address, headers, reply: reply(HttpPage(HTTPStatus.OK, TEXT, b"x" * 100_000, ()))
        self.turn = Turn(self, self, self, soon=ScheduledCalls().soon, report_error=_fail, now=lambda: self.time)

    def receive(self, connection: WebSocket, content: bytes) -> bool:
        raise AssertionError("no message is sent")

    def ask_due(self) -> None:
        """Do nothing, because no game is played."""

    def flush(self) -> None:
        """Do nothing, because nothing is written."""


def _fail(error: Exception) -> None:
    raise error


def test_a_connection_stays_open_while_the_client_keeps_reading() -> None:
    """It stays open longer than the usual closing timeout, until nothing was read for `STALLED_S` seconds."""
    endpoint = PageEndpoint()
    connection, transport = WebSocket(endpoint), Transport()
    connection.connection_made(transport)  # type: ignore[arg-type]
    connection.data_received(b"GET /page HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
    assert transport.unread > 100_000
    for _ in range(5):
        endpoint.time += STALLED_S - 1
        assert endpoint.limits.farewell_s < STALLED_S - 1
        connection.tick(endpoint.time)
        assert not transport.is_aborted
        transport.unread -= 1000
        endpoint.time += 1
        connection.tick(endpoint.time)
    assert not transport.is_aborted
    endpoint.time += STALLED_S + 1
    connection.tick(endpoint.time)
    assert transport.is_aborted
