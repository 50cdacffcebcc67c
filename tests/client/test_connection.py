"""Tests of the connection to a server: what is not a server, bad answers, and reconnecting."""

import asyncio
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from rails_cli.client import connection
from rails_cli.client.connection import FIRST_WAIT_S, LONGEST_WAIT_S, Denied, Patience, Unreachable, ask, lobby
from tests.support.odd_server import HELLO, fails, odd_server
from tests.support.waiting import HANG_S


def test_something_that_is_no_server_of_ours() -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), QuietHandler) as other:
        thread = threading.Thread(target=other.serve_forever)
        thread.start()
        try:
            assert "cannot reach" in fails(1, "tables", f"ws://127.0.0.1:{other.server_port}")
        finally:
            other.shutdown()
            thread.join()


class QuietHandler(SimpleHTTPRequestHandler):
    """Serves files over HTTP, and logs nothing."""

    def log_message(self, format: str, *args: object) -> None:
        pass


def test_a_server_that_never_says_hello(monkeypatch: pytest.MonkeyPatch) -> None:
    """The connection itself, which has the same timeout, may take as long as it likes."""
    arguments = connection.connect_arguments
    monkeypatch.setattr(
        connection, "connect_arguments", lambda url, certificate, timeout_s: arguments(url, certificate, HANG_S)
    )
    with odd_server() as url:
        told = fails(1, "tables", "--timeout", "1", url)
        assert told == f"Error: {url} sent no hello; is it a rails-cli server?"


def test_a_server_that_never_answers() -> None:
    async def asked(url: str) -> None:
        async with lobby(url, timeout_s=HANG_S) as server:
            await ask(server, timeout_s=0.01, type="list")  # timing: the server never answers

    with odd_server(HELLO) as url, pytest.raises(Unreachable) as error:
        asyncio.run(asked(url))
    assert str(error.value) == "the server did not answer `list` within 0.01 s"


@pytest.mark.parametrize(
    ("greeting", "said", "told"),
    [
        ([], None, "not a message of this protocol"),
        (HELLO | {"protocol": 99}, None, "speaks protocol 99, this program speaks protocol 1"),
        (HELLO, [], "not a message of this protocol"),
        (HELLO, {"type": "tables", "ref": "ask"}, "missing required field `tables`"),
        (HELLO, {"type": "error", "ref": "ask"}, "missing required field `code`"),
        (HELLO, {"type": "error", "code": "bad_line", "message": "what?", "fatal": False, "ref": None}, "what?"),
    ],
)
def test_a_server_that_says_odd_things(greeting: Any, said: Any, told: str) -> None:
    with odd_server(greeting, answer=lambda request: said) as url:
        assert told in fails(1, "tables", "--json", url)


def test_a_server_that_says_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "LONGEST_MESSAGE", 10_000)
    with odd_server(HELLO, answer=lambda request: {"type": "tables", "pad": "x" * 10_000}) as url:
        assert "sent a message of more than 10,000 bytes" in fails(1, "tables", url)


def test_patience_has_an_end() -> None:
    """Waits grow up to a limit; a seat that is back renews it, and what will not change is not waited for."""
    time = 0.0
    patience = Patience(60.0, now=lambda: time)
    gone = Unreachable("gone")
    waits: list[float] = []
    while sum(waits) < 60:
        waits.append(patience.after(gone, has_seat=True))
        time += waits[-1]
    with pytest.raises(Unreachable):
        patience.after(gone, has_seat=True)
    assert waits[:3] == [FIRST_WAIT_S, 2 * FIRST_WAIT_S, 4 * FIRST_WAIT_S]
    assert waits[-1] == LONGEST_WAIT_S
    patience.renew()
    assert patience.after(gone, has_seat=True) == FIRST_WAIT_S
    assert patience.after(Denied("too_fast", "wait"), has_seat=False) == 2 * FIRST_WAIT_S
    for error, has_seat in ((gone, False), (Denied("forbidden", "no"), True)):
        with pytest.raises(type(error)):
            patience.after(error, has_seat=has_seat)
