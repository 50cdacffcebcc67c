"""Tests of connecting to a server: servers of other programs, invalid messages, timeouts and reconnecting."""

import asyncio
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from rails_cli.client import connection
from rails_cli.client.connection import (
    FIRST_WAIT_S,
    LONGEST_WAIT_S,
    Denied,
    RetryPolicy,
    Unreachable,
    ask,
    connect_to_lobby,
)
from tests.support.odd_server import HELLO, fails, odd_server
from tests.support.waiting import HANG_S


def test_an_http_server_of_another_program_is_reported_as_unreachable() -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), QuietHandler) as other:
        thread = threading.Thread(target=other.serve_forever)
        thread.start()
        try:
            assert "cannot reach" in fails(1, "tables", f"ws://127.0.0.1:{other.server_port}")
        finally:
            other.shutdown()
            thread.join()


class QuietHandler(SimpleHTTPRequestHandler):
    """Serve files over HTTP without logging requests."""

    def log_message(self, format: str, *args: object) -> None:
        pass


def test_a_server_that_sends_no_hello_is_reported_after_the_timeout(monkeypatch: pytest.MonkeyPatch) -> None:
    """If a server accepts the connection but sends no `hello`, an error is reported after a timeout.

    A different timeout limits how long a connection may take to open. The test sets that timeout to `HANG_S`, so that
    the error cannot come from it.
    """
    arguments = connection.connect_arguments
    monkeypatch.setattr(
        connection, "connect_arguments", lambda url, certificate, timeout_s: arguments(url, certificate, HANG_S)
    )
    with odd_server() as url:
        output = fails(1, "tables", "--timeout", "1", url)
        assert output == f"Error: {url} sent no hello; is it a rails-cli server?"


def test_a_request_without_an_answer_raises_unreachable_after_the_timeout() -> None:
    async def asked(url: str) -> None:
        async with connect_to_lobby(url, timeout_s=HANG_S) as server:
            await ask(server, timeout_s=0.01, type="list")  # timing: the server never answers

    with odd_server(HELLO) as url, pytest.raises(Unreachable) as error:
        asyncio.run(asked(url))
    assert str(error.value) == "the server did not answer `list` within 0.01 s"


@pytest.mark.parametrize(
    ("greeting", "answer", "expected"),
    [
        ([], None, "not a message of this protocol"),
        (HELLO | {"protocol": 99}, None, "speaks protocol 99, this program speaks protocol 1"),
        (HELLO, [], "not a message of this protocol"),
        (HELLO, {"type": "tables", "ref": "ask"}, "missing required field `tables`"),
        (HELLO, {"type": "error", "ref": "ask"}, "missing required field `code`"),
        (HELLO, {"type": "error", "code": "bad_line", "message": "what?", "fatal": False, "ref": None}, "what?"),
    ],
)
def test_an_invalid_message_from_the_server_is_reported(greeting: Any, answer: Any, expected: str) -> None:
    with odd_server(greeting, answer=lambda request: answer) as url:
        assert expected in fails(1, "tables", "--json", url)


def test_a_message_over_the_size_limit_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "LONGEST_MESSAGE", 10_000)
    with odd_server(HELLO, answer=lambda request: {"type": "tables", "pad": "x" * 10_000}) as url:
        assert "sent a message of more than 10,000 bytes" in fails(1, "tables", url)


def test_reconnection_waits_grow_to_a_limit_and_then_end() -> None:
    """The waits before attempts to reconnect double up to a limit. Their total is limited, too.

    After `reset` the first wait is used again. Permanent errors are raised at once.
    """
    time = 0.0
    patience = RetryPolicy(60.0, now=lambda: time)
    gone = Unreachable("gone")
    waits: list[float] = []
    while sum(waits) < 60:
        waits.append(patience.next_delay_s(gone, has_seat=True))
        time += waits[-1]
    with pytest.raises(Unreachable):
        patience.next_delay_s(gone, has_seat=True)
    assert waits[:3] == [FIRST_WAIT_S, 2 * FIRST_WAIT_S, 4 * FIRST_WAIT_S]
    assert waits[-1] == LONGEST_WAIT_S
    patience.reset()
    assert patience.next_delay_s(gone, has_seat=True) == FIRST_WAIT_S
    assert patience.next_delay_s(Denied("too_fast", "wait"), has_seat=False) == 2 * FIRST_WAIT_S
    announced = Denied("shutdown", "later", is_fatal=True, retry_s=70.0)
    assert patience.next_delay_s(announced, has_seat=True) == 70.0
    time += 71.0
    assert patience.next_delay_s(gone, has_seat=True) == 4 * FIRST_WAIT_S, "the time of the stop does not count"
    for error, has_seat in ((gone, False), (Denied("forbidden", "no"), True)):
        with pytest.raises(type(error)):
            patience.next_delay_s(error, has_seat=has_seat)
