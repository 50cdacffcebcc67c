"""Tests of the server under attack: rate limits, malformed frames, floods, foreign web pages, TLS and slow clients."""

import json
import random
import signal
import socket
import ssl
import urllib.request
from collections import Counter
from collections.abc import Iterator
from http import HTTPStatus
from itertools import islice
from pathlib import Path
from typing import Any

import psutil
import pytest
from websockets.client import ClientProtocol
from websockets.exceptions import InvalidStatus
from websockets.extensions import Extension
from websockets.extensions.permessage_deflate import PerMessageDeflate
from websockets.frames import Frame
from websockets.protocol import State
from websockets.uri import parse_uri

from rails_cli.protocol.messages import MAX_LINE
from rails_cli.server.net.address import client_key, exact, forwarded
from rails_cli.server.net.admission import Admission
from rails_cli.server.net.bucket import Bucket
from rails_cli.server.net.http import STALLED_S, text_page
from rails_cli.server.net.websocket import Endpoint, WebSocket
from rails_cli.server.server import SHUTDOWN_S
from rails_cli.server.settings import ConnectionLimits
from rails_cli.server.turn import MOST_MESSAGES, Turn
from tests.support.fetching import fetched
from tests.support.scheduling import ScheduledCalls
from tests.support.server_campaigns import fuzz_campaign
from tests.support.tools import rails
from tests.support.waiting import HANG_S, wait_until
from tests.support.ws_client import (
    BINARY,
    CLOSE,
    CONTINUED,
    PING,
    PONG,
    Client,
    ClockedServer,
    Closed,
    RawClient,
    ServerProcess,
    certificate,
    create,
    duel,
    frame_bytes,
    handshake,
    play_to_end,
    verified,
)

PLENTY = ("--max-tables-each", "1000", "--requests-per-second", "1000")
LIST = b'{"type":"list","search":"no such table"}'


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """A shared server for tests that leave no tables behind.

    After the last of these tests, the server must still play a game.
    """
    with ServerProcess(tmp_path_factory.mktemp("safe") / "data", *PLENTY) as running:
        yield running
        check_still_serves(running)


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[ServerProcess]:
    """A server for one test that creates many tables, floods the server, or reads its counters."""
    with ServerProcess(tmp_path / "data", *PLENTY) as running:
        yield running


def counts(server: ServerProcess) -> dict[str, float]:
    """Return the values of /metrics by name."""
    body = page(server, "/metrics")[1]
    return {line.rpartition(" ")[0]: float(line.rpartition(" ")[2]) for line in body.splitlines() if line[0] != "#"}


def page(server: ServerProcess, path: str) -> tuple[int, str]:
    status, _, body = fetched(server, path)
    return status, body.decode()


def check_still_serves(server: ServerProcess) -> None:
    """Play a whole game and check that the server has logged no exception."""
    with Client(server.url) as client:
        table, _ = duel(server, client)
        assert play_to_end(client)["faults"] == [0, 0]
        assert verified(server.log(table))
    assert not any("Traceback" in line for line in server.said), "\n".join(server.said)


# Addresses, pages and origins


def test_the_server_listens_on_the_loopback_address_only(server: ServerProcess) -> None:
    listening = [
        connection.laddr.ip
        for connection in psutil.Process(server.process.pid).net_connections("tcp")
        if connection.status == psutil.CONN_LISTEN
    ]
    assert listening == ["127.0.0.1"]


def test_health_page_metrics_and_unknown_paths(own_server: ServerProcess) -> None:
    assert page(own_server, "/healthz") == (200, "ok\n")
    assert page(own_server, "/healthz?x=1") == (200, "ok\n")
    assert page(own_server, "/")[0] == 200
    for path in ("/nothing", "/../../etc/passwd", "/metrics/x", "/%2e%2e"):
        assert page(own_server, path) == (404, "nothing here\n")
    before = counts(own_server)
    with Client(own_server.url) as client:
        duel(own_server, client)
        play_to_end(client)
        now = counts(own_server)
        assert now["rails_moves_total"] > before["rails_moves_total"]
        assert now['rails_tables{state="ended"}'] == before['rails_tables{state="ended"}'] + 1
        assert now["rails_connections"] >= 1
    assert "# TYPE rails_moves_total counter" in page(own_server, "/metrics")[1]


def test_connections_from_an_allowed_origin_are_accepted(tmp_path: Path) -> None:
    """A connection from the origin in `--origin` is accepted. Case and the default port make no difference.

    Browsers send an origin in lower case and without the default port.
    """
    with ServerProcess(tmp_path / "data", "--origin", "HTTPS://Good.example:443") as server:
        Client(server.url, origin="https://good.example").close()
        for other in ("https://good.example.evil.example", "https://good.example:444"):
            with pytest.raises(InvalidStatus, match="403"):
                Client(server.url, origin=other)


def test_games_commands_and_pages_work_over_tls(tmp_path: Path) -> None:
    made, key = certificate(tmp_path)
    options = ("--tls-cert", str(made), "--tls-key", str(key))
    with ServerProcess(tmp_path / "data", *options) as server:
        assert server.url.startswith("wss://")
        context = ssl.create_default_context(cafile=str(made))
        with Client(server.url, ssl=context) as client:
            table, token = duel(server, client)
            client.until("request")
            assert not client.socket.socket.session.has_ticket  # type: ignore[attr-defined]
            with Client(server.url, ssl=context) as back:
                back.asked(type="resume", token=token)
                assert client.until("error")["code"] == "replaced"
                assert play_to_end(back)["reason"] == "normal"
            assert verified(server.log(table))
        listed = rails("tables", server.url, "--tls-ca", str(made), "--json")
        assert json.loads(listed.stdout)["tables"][0]["table"] == table
        distrusted = rails("tables", server.url)
        assert distrusted.returncode == 1
        assert "certificate is not trusted" in distrusted.stderr
        assert "--tls-ca" in distrusted.stderr
        assert "starts with wss://" in rails("tables", server.url.replace("wss:", "ws:")).stderr
        with socket.create_connection(("127.0.0.1", server.port), HANG_S) as plain:
            plain.sendall(handshake())
            assert not plain.recv(100).startswith(b"HTTP/1.1 101")
        address = f"https://127.0.0.1:{server.port}/healthz"
        with urllib.request.urlopen(address, context=context, timeout=HANG_S) as answer:
            assert answer.read() == b"ok\n"
        assert server.stop() == 0
    for wrong, expected in (
        (("--tls-cert", str(made)), "must be given together"),
        (("--tls-cert", str(key), "--tls-key", str(key)), f"{key} is not a certificate in PEM format"),
        (("--tls-cert", str(made), "--tls-key", str(made)), f"{made} is not a private key in PEM format"),
    ):
        failed = rails("serve", "--port", "0", "--data", str(tmp_path / "other"), *wrong)
        assert failed.returncode in (1, 2)
        assert expected in failed.stderr
        assert "Traceback" not in failed.stderr


# Limits


def test_messages_over_the_size_limit_close_the_connection(own_server: ServerProcess) -> None:
    with Client(own_server.url) as client:
        client.say('{"type":"list","search":"' + "x" * (MAX_LINE - 27) + '"}')
        assert client.until("tables")["tables"] == []
    with RawClient(own_server.port, {}) as raw:
        raw.message()
        raw.send(frame_bytes(b"x" * (MAX_LINE + 1)))
        _, code, reason = raw.farewell()
        assert code == 1009
        assert str(MAX_LINE) in reason
    with RawClient(own_server.port, {}) as raw:
        raw.message()
        for part in range(18):
            raw.send(frame_bytes(b"x" * 65_536, CONTINUED if part else 1, fin=False))
        assert raw.farewell()[1] == 1009
    with RawClient(own_server.port, {}) as raw:
        raw.message()
        raw.send(b"\x81\xff" + (2**62).to_bytes(8, "big") + b"\0\0\0\0")
        assert raw.farewell()[1] == 1009
    assert counts(own_server)['rails_dropped_total{code="too_long"}'] == 3
    check_still_serves(own_server)


def test_a_client_that_floods_the_server_is_disconnected(own_server: ServerProcess) -> None:
    floods = [frame_bytes(LIST), frame_bytes(b"x", PING), frame_bytes(b"", CONTINUED, fin=False), frame_bytes(b"junk")]
    for flood in floods:
        with RawClient(own_server.port, {}) as raw:
            raw.message()
            if flood == floods[2]:
                raw.send(frame_bytes(b"", 1, fin=False))
            raw.send(flood * 600)
            messages, code, _ = raw.farewell()
            assert messages[-1]["code"] == "too_fast"
            assert (messages[-1]["fatal"], code) == (True, 1008)
    with RawClient(own_server.port, {}) as raw:
        raw.message()
        for _ in range(200):
            raw.send(frame_bytes(b"junk") * 1000)
    check_still_serves(own_server)


def test_answers_to_requests_are_not_rate_limited(tmp_path: Path) -> None:
    """Answers to game requests are exempt from the rate limit, so a bot may play as fast as requests arrive."""
    with ServerProcess(tmp_path / "data", "--messages-per-second", "1") as server, Client(server.url) as client:
        while sum(message["type"] == "request" for message in client.heard) <= 40:
            duel(server, client)
            assert play_to_end(client)["faults"] == [0, 0]


def test_tables_and_requests_are_limited_per_address(tmp_path: Path) -> None:
    options = ("--max-tables-each", "3", "--max-tables", "4", "--requests-per-second", "5")
    with ClockedServer(tmp_path / "data", *options) as server, Client(server.url) as client:
        for _ in range(3):
            create(client)
        assert client.refused(type="create", game="last_spike", players=2) == "too_many"
        for _ in range(60):
            client.send(type="list", search="nothing")
        refusal = client.until("error")
        assert (refusal["code"], refusal["fatal"]) == ("too_fast", False)
        server.advance(20)
        assert client.asked(type="list", search="nothing")["tables"] == []


def test_ended_tables_count_against_the_limit_of_an_address(tmp_path: Path) -> None:
    """The tables of ended games count for a while against the number of tables allowed for one address.

    Otherwise one address could start any number of games between built-in players, which use CPU time.
    """
    with ClockedServer(tmp_path / "data", "--max-tables-each", "3") as server, Client(server.url) as client:
        for _ in range(3):
            create(client, seats=["builtin:random", "builtin:random"])
        status = {"type": "admin", "token": server.admin_token, "command": "status"}
        wait_until(lambda: client.asked(**status)["tables"].get("ended") == 3, "the games to end")
        assert client.refused(type="create", game="last_spike", players=2) == "too_many"


def test_connections_are_limited_per_address(tmp_path: Path) -> None:
    options = ("--max-connections", "5", "--max-connections-each", "2", "--proxy", "127.0.0.9")
    with ServerProcess(tmp_path / "data", *options) as server:
        with RawClient(server.port, {}), RawClient(server.port, {}) as second:
            with RawClient(server.port, {}) as third:
                assert third.status == "HTTP/1.1 429 Too Many Requests"
            with RawClient(server.port, {"X-Forwarded-For": "10.0.0.1"}) as liar:
                assert liar.status == "HTTP/1.1 429 Too Many Requests", "only a proxy may forward addresses"
            second.close()

            def is_accepted() -> bool:
                with RawClient(server.port, {}) as again:
                    return again.status == "HTTP/1.1 101 Switching Protocols"

            wait_until(is_accepted, "a new connection to be accepted")
        assert page(server, "/healthz")[0] == 200


def test_behind_a_proxy_connections_are_limited_by_forwarded_address(tmp_path: Path) -> None:
    options = ("--max-connections", "4", "--max-connections-each", "2", "--proxy", "::ffff:127.0.0.1")
    with ServerProcess(tmp_path / "data", *options) as server:
        opened = [RawClient(server.port, {"X-Forwarded-For": "6.6.6.6, 10.0.0.1"}) for _ in range(2)]
        with RawClient(server.port, {"X-Forwarded-For": "7.7.7.7, 10.0.0.1"}) as third:
            assert third.status == "HTTP/1.1 429 Too Many Requests"
        opened += [RawClient(server.port, {"X-Forwarded-For": "10.0.0.2"}) for _ in range(2)]
        assert [raw.status for raw in opened] == ["HTTP/1.1 101 Switching Protocols"] * 4
        with RawClient(server.port, {"X-Forwarded-For": "10.0.0.3"}) as fifth:
            assert fifth.status == "HTTP/1.1 503 Service Unavailable"
        for raw in opened:
            raw.close()


def test_addresses_are_normalised_for_rate_limits() -> None:
    assert client_key("127.0.0.1") == "127.0.0.1"
    assert client_key("::ffff:10.0.0.1") == "10.0.0.1"
    assert client_key("2001:db8::1") == client_key("2001:db8::ffff:1") == "2001:db8::/64"
    assert client_key("fe80::1%eth0") == "fe80::/64"
    assert client_key("unix") == "unix"
    assert exact("2001:db8::5") != exact("2001:db8::bad")
    assert exact("2001:DB8:0::5%eth0") == "2001:db8::5"
    assert exact("::ffff:10.0.0.1") == "10.0.0.1"
    assert forwarded(["1.1.1.1, 2.2.2.2", "3.3.3.3"]) == "3.3.3.3"
    assert forwarded([]) is None
    assert forwarded(["junk"]) is None
    assert forwarded(["[2001:db8::1]"]) == "2001:db8::/64"


def test_a_bucket_refills_with_time() -> None:
    bucket = Bucket(2.0, 0.0)
    assert [bucket.take(1.0, 1.0, 2.0, 0.0) for _ in range(3)] == [True, True, False]
    assert not bucket.is_full(1.0, 2.0, 1.0)
    assert bucket.take(1.0, 1.0, 2.0, 1.0)
    assert bucket.is_full(1.0, 2.0, 3.0)
    assert [bucket.take(1.0, 1.0, 2.0, 100.0) for _ in range(3)] == [True, True, False]


def test_a_client_that_does_not_read_is_disconnected(tmp_path: Path) -> None:
    options = ("--max-tables-each", "1000", "--requests-per-second", "100000", "--messages-per-second", "100000")
    with ServerProcess(tmp_path / "data", *options) as server:
        with Client(server.url) as client:
            for number in range(120):
                create(client, name=f"slow {number} " + "x" * 60)
        with RawClient(server.port, {}, receive_buffer=4096) as raw:
            wanted = frame_bytes(b'{"type":"list"}')

            def is_dropped() -> bool:
                raw.send(wanted * 40)
                return 'rails_dropped_total{code="too_slow"}' in counts(server)

            wait_until(is_dropped, "a client that does not read to be dropped")
            assert psutil.Process(server.process.pid).memory_info().rss < 200_000_000
            messages, code, _ = raw.farewell()
            if code is not None:  # the client read the close frame before the connection was aborted
                assert (messages[-1]["code"], code) == ("too_slow", 1008)
        check_still_serves(server)


def test_a_stopping_server_waits_only_briefly_for_clients_to_close(tmp_path: Path) -> None:
    with ClockedServer(tmp_path / "data") as server, RawClient(server.port, {}) as raw:
        raw.message()
        server.process.send_signal(signal.SIGTERM)
        assert raw.farewell()[1] == 1001
        server.advance(SHUTDOWN_S + 1)
        assert server.ended() == 0


# Timeouts with a simulated clock


class FakeTransport:
    """A transport whose state the test can set. It records the bytes written."""

    def __init__(self) -> None:
        self.written = b""
        self.waiting = 0
        self.is_aborted = self.is_closed = self.is_paused = False

    def get_extra_info(self, name: str) -> Any:
        return self if name == "socket" else ("127.0.0.1", 5)

    def setsockopt(self, *option: int) -> None:
        """Do nothing, because there is no socket."""

    def write(self, data: bytes) -> None:
        self.written += data

    def write_eof(self) -> None:
        self.is_closed = True

    def can_write_eof(self) -> bool:
        return True

    def get_write_buffer_size(self) -> int:
        return self.waiting

    def set_write_buffer_limits(self, high: int) -> None:
        """Do nothing, because the test sets the number of unsent bytes in the attribute `waiting`."""

    def pause_reading(self) -> None:
        self.is_paused = True

    def close(self) -> None:
        self.is_closed = True

    def is_closing(self) -> bool:
        return self.is_aborted

    def abort(self) -> None:
        self.is_aborted = True


def fail_with(error: Exception) -> None:
    raise error


class NoFiles:
    """A fake storage of a server that writes nothing to disk."""

    def __init__(self) -> None:
        self.is_broken = False
        self.todo: list[tuple[str, str, Any]] = []

    def flush(self) -> None:
        """Do nothing, because nothing is written."""


class FakeEndpoint(Endpoint):
    """A server without a network that records the messages it receives."""

    def __init__(self, limits: ConnectionLimits | None = None) -> None:
        self.time = 100.0
        self.now = lambda: self.time
        self.limits = limits or ConnectionLimits()
        self.dropped = Counter()
        self.received: list[bytes] = []
        self.gone = 0
        self.seated = False
        self.connected = lambda connection: None
        self.page = lambda path, address, headers, reply: reply(text_page(HTTPStatus.OK, path.encode()))
        self.scheduled = ScheduledCalls()
        self.admission = Admission(
            self.limits,
            is_at_table=lambda connection: self.seated,
            is_holder=lambda token: False,
            is_banned=lambda address: False,
        )
        self.turn = Turn(NoFiles(), soon=self.scheduled.soon, report_error=fail_with, now=lambda: self.time)
        self.turn.receive = self.receive

    def run_turns(self) -> None:
        while self.scheduled:
            self.scheduled.pop(0)()

    def receive(self, connection: WebSocket, content: bytes, arrived_at: float) -> bool:
        self.received.append(content)
        return False

    def disconnected(self, connection: WebSocket) -> None:
        self.gone += 1

    def connect(self, *, shake: bool = True, headers: dict[str, str] | None = None) -> tuple[WebSocket, FakeTransport]:
        connection, transport = WebSocket(self), FakeTransport()
        connection.connection_made(transport)  # type: ignore[arg-type]
        if shake:
            connection.data_received(handshake(headers))
            self.run_turns()
        return connection, transport


def test_an_incomplete_handshake_times_out() -> None:
    endpoint = FakeEndpoint()
    connection, transport = endpoint.connect(shake=False)
    for _ in range(11):
        connection.data_received(b"G")
        endpoint.time += 1
        connection.tick(endpoint.time)
    assert transport.is_aborted


def test_a_silent_connection_is_pinged_and_then_closed() -> None:
    endpoint = FakeEndpoint()
    connection, transport = endpoint.connect()
    transport.written = b""
    endpoint.time += endpoint.limits.silence_s / 3 + 1
    connection.tick(endpoint.time)
    assert transport.written == b"\x89\x00"
    connection.tick(endpoint.time + 1)
    assert transport.written == b"\x89\x00"
    endpoint.time += endpoint.limits.silence_s
    connection.tick(endpoint.time)
    assert b'"code":"silent"' in transport.written
    assert endpoint.dropped == {"silent": 1}
    endpoint.time += endpoint.limits.close_s + 1
    connection.tick(endpoint.time)
    assert transport.is_aborted


def test_an_incomplete_frame_does_not_reset_the_silence_timeout() -> None:
    endpoint = FakeEndpoint()
    connection, transport = endpoint.connect()
    connection.data_received(b"\x81\xfe\xff\xff\0\0\0\0")
    for _ in range(70):
        endpoint.time += 1
        connection.data_received(b"x")
        connection.tick(endpoint.time)
    assert b'"code":"silent"' in transport.written


def test_pongs_do_not_keep_a_connection_without_a_table_open() -> None:
    endpoint = FakeEndpoint()
    for endpoint.seated in (True, False):
        connection, transport = endpoint.connect()
        for _ in range(50):
            endpoint.time += 20
            connection.data_received(frame_bytes(b"", PONG))
            connection.tick(endpoint.time)
        assert (b'"code":"idle"' in transport.written) is not endpoint.seated


def test_messages_for_a_client_that_does_not_read_are_discarded() -> None:
    endpoint = FakeEndpoint()
    connection, transport = endpoint.connect()
    transport.waiting = endpoint.limits.unread_bytes + 1
    connection.post(b"{}")
    endpoint.run_turns()
    size = len(transport.written)
    assert b'"code":"too_slow"' in transport.written
    for _ in range(100):
        connection.post(b"{}")
    endpoint.run_turns()
    assert len(transport.written) == size
    endpoint.time += endpoint.limits.close_s + 1
    connection.tick(endpoint.time)
    assert transport.is_aborted


def test_a_connection_stays_open_while_the_client_keeps_reading_a_page() -> None:
    """A connection stays open while the client downloads a page, however long the download takes.

    It is closed only if the client reads nothing for `STALLED_S` seconds.
    """
    endpoint = FakeEndpoint()
    assert endpoint.limits.close_s < STALLED_S - 1
    connection, transport = endpoint.connect(shake=False)
    transport.waiting = 100_000
    connection.data_received(b"GET /page HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
    for _ in range(5):
        endpoint.time += STALLED_S - 1
        connection.tick(endpoint.time)
        assert not transport.is_aborted
        transport.waiting -= 1000
        endpoint.time += 1
        connection.tick(endpoint.time)
    assert not transport.is_aborted
    endpoint.time += STALLED_S + 1
    connection.tick(endpoint.time)
    assert transport.is_aborted


def test_nothing_is_sent_after_a_failed_write() -> None:
    endpoint = FakeEndpoint()
    connection, transport = endpoint.connect()
    transport.written = b""
    connection.post(b"{}")
    endpoint.turn.files.is_broken = True
    endpoint.run_turns()
    assert transport.written == b""


def test_many_messages_are_processed_before_more_are_read() -> None:
    endpoint = FakeEndpoint(ConnectionLimits(burst=1e9))
    connection, _ = endpoint.connect()
    for _ in range(MOST_MESSAGES):
        assert endpoint.received == []
        connection.data_received(frame_bytes(b"x"))
    assert len(endpoint.received) == MOST_MESSAGES


def test_messages_of_a_dropped_connection_are_ignored() -> None:
    endpoint = FakeEndpoint()
    connection, transport = endpoint.connect()
    connection.drop("replaced", "words")
    for _ in range(400):
        connection.data_received(frame_bytes(b"x" * 1000))
    endpoint.run_turns()
    assert endpoint.received == []
    assert transport.is_paused
    assert transport.written.count(b"replaced") == 1
    connection.connection_lost(None)
    assert (endpoint.gone, endpoint.admission.open, endpoint.admission.crowd(connection.address)) == (1, set(), 0)


@pytest.mark.parametrize(
    "end",
    [frame_bytes(b"\x03\xe8", CLOSE), frame_bytes(b"x", BINARY), b"\xff\xff\xff", 500 * frame_bytes(b"", PING)],
    ids=["close", "binary", "invalid", "flood"],
)
def test_a_message_before_the_end_of_a_connection_is_processed(end: bytes) -> None:
    """A move is played even if the rest of its packet ends the connection.

    After the move, the packet contains a close frame, an invalid frame or a flood of messages.
    """
    endpoint = FakeEndpoint()
    connection, _transport = endpoint.connect()
    connection.data_received(frame_bytes(b"a move") + end)
    endpoint.run_turns()
    assert endpoint.received == [b"a move"]


@pytest.mark.parametrize("kind", [1, PING])
def test_a_flood_is_processed_only_up_to_the_rate_limit(kind: int) -> None:
    endpoint = FakeEndpoint()
    connection, transport = endpoint.connect()
    for _ in range(20):
        connection.data_received(40_000 * frame_bytes(b"", kind))
    endpoint.run_turns()
    assert b'"code":"too_fast"' in transport.written
    read = len(endpoint.received) if kind == 1 else transport.written.count(b"\x8a\x00")
    assert endpoint.limits.burst <= read < 2 * endpoint.limits.burst + 1000
    assert transport.is_paused


def test_pending_messages_are_processed_before_a_lost_connection() -> None:
    endpoint = FakeEndpoint()
    connection, _transport = endpoint.connect()
    connection.data_received(frame_bytes(b"a move"))
    endpoint.disconnected = lambda connection: endpoint.received.append(b"disconnected")  # type: ignore[method-assign]
    connection.connection_lost(None)
    assert endpoint.received == [b"a move", b"disconnected"]
    endpoint.run_turns()
    assert len(endpoint.received) == 2


def test_connections_far_over_the_limit_are_aborted_without_an_answer() -> None:
    endpoint = FakeEndpoint()
    transports = [endpoint.connect(shake=False)[1] for _ in range(endpoint.limits.connections_each + 25)]
    assert [transport.is_aborted for transport in transports].count(True) == 5


SIZES = (0, 5, 125, 126, 1000, 65_535, 65_536)


@pytest.mark.parametrize(
    ("size", "cut"), [(size, cut) for size in SIZES for cut in (1, 2, 3, 6, 7, 64, 10**9) if size < 10_000 or cut > 6]
)
def test_frames_are_assembled_from_pieces_of_any_size(size: int, cut: int) -> None:
    endpoint = FakeEndpoint(ConnectionLimits(burst=1e9))
    connection, _transport = endpoint.connect()
    chance = random.Random(size * 1000 + cut)
    texts = [bytes(chance.choices(b"abc", k=size)), b"{}", b"x" * 30]
    stream = b""
    for text in texts:
        mask = bytes(chance.choices(range(256), k=4))
        stream += frame_bytes(text, mask=mask) + frame_bytes(b"p", PING, mask=mask)
        half = len(text) // 2
        stream += frame_bytes(text[:half], fin=False, mask=mask) + frame_bytes(b"", PING, mask=mask)
        stream += frame_bytes(text[half:], CONTINUED, mask=mask)
    for at in range(0, len(stream), cut):
        connection.data_received(stream[at : at + cut])
    for text in texts:
        connection.data_received(frame_bytes(text))
    endpoint.run_turns()
    assert endpoint.received == [text for text in texts for _ in range(2)] + texts
    assert not connection.closing_since


@pytest.mark.parametrize("size", [0, 125, 126, 65_535, 65_536])
def test_the_websockets_library_decodes_the_frames_of_the_server(size: int) -> None:
    endpoint = FakeEndpoint()
    connection, transport = endpoint.connect()
    transport.written = b""
    connection.post(b"x" * size)
    endpoint.run_turns()
    assert frames_in(transport.written) == [(1, b"x" * size)]


def frames_in(data: bytes, *extensions: Extension) -> list[tuple[int, bytes]]:
    """Decode `data` with the client of the websockets library. Return the opcode and content of each frame."""
    protocol = ClientProtocol(parse_uri("ws://x/"), state=State.OPEN, max_size=None)
    protocol.extensions = list(extensions)
    protocol.receive_data(data)
    return [(int(event.opcode), bytes(event.data)) for event in protocol.events_received() if isinstance(event, Frame)]


# Compression


def browser(server: ServerProcess) -> Client:
    return Client(server.url, compression="deflate", origin=f"http://127.0.0.1:{server.port}")


def test_messages_to_browsers_are_compressed(server: ServerProcess) -> None:
    with browser(server) as client:
        assert client.socket.response is not None
        assert "permessage-deflate" in client.socket.response.headers["Sec-WebSocket-Extensions"]
        table, _ = duel(server, client)
        assert play_to_end(client)["faults"] == [0, 0]
        assert verified(server.log(table))


def test_messages_to_clients_without_an_origin_are_not_compressed(server: ServerProcess) -> None:
    with Client(server.url, compression="deflate") as client:
        assert client.socket.response is not None
        assert "Sec-WebSocket-Extensions" not in client.socket.response.headers
        assert client.asked(type="list", search="no such table")["tables"] == []


def test_a_compressed_message_is_limited_by_its_full_size(server: ServerProcess) -> None:
    with browser(server) as client:
        client.say('{"type":"list","search":"' + "x" * (MAX_LINE - 27) + '"}')
        assert client.until("tables")["tables"] == []
        client.say("x" * (MAX_LINE + 1))
        with pytest.raises(Closed, match="1009"):
            client.receive()


def test_an_error_that_closes_a_compressed_connection_can_be_read() -> None:
    """A client with compression that reads too slowly can decode the final error message.

    The server discards earlier messages to this client. This must not corrupt the state of the compression.
    """
    endpoint = FakeEndpoint()
    offer = {"Origin": "http://127.0.0.1", "Sec-WebSocket-Extensions": "permessage-deflate"}
    connection, transport = endpoint.connect(headers=offer)
    connection.post(b'{"type":"first"}' * 50)
    endpoint.run_turns()
    transport.waiting = endpoint.limits.unread_bytes + 1
    connection.post(b'{"type":"discarded"}' * 50)
    endpoint.run_turns()
    extension = PerMessageDeflate(False, True, 12, 12)
    frames = frames_in(transport.written.partition(b"\r\n\r\n")[2], extension)
    assert [opcode for opcode, _ in frames] == [1, 1, 1, CLOSE]
    assert frames[1][1] == b'{"type":"first"}' * 50
    assert json.loads(frames[2][1])["code"] == "too_slow"


# Malformed input


def test_a_ping_between_two_fragments_is_answered(server: ServerProcess) -> None:
    with RawClient(server.port, {}) as raw:
        raw.message()
        raw.send(frame_bytes(LIST[:9], fin=False))
        raw.send(frame_bytes(b"are you there?", PING))
        raw.send(frame_bytes(LIST[9:], CONTINUED))
        pong, answer = islice(raw.frames(), 2)
        assert pong == (PONG, b"are you there?")
        assert json.loads(answer[1]) == {"type": "tables", "tables": [], "ref": None, "total": 0}


WRONG_FRAMES: dict[str, tuple[bytes, int]] = {
    "unknown opcode": (frame_bytes(b"", 3), 1002),
    "unmasked": (frame_bytes(LIST, mask=None), 1002),
    "reserved bits": (frame_bytes(LIST, bits=0x40), 1002),
    "continued nothing": (frame_bytes(b"x", CONTINUED), 1002),
    "new text inside a text": (frame_bytes(b"{", fin=False) + frame_bytes(b"{}"), 1002),
    "long ping": (frame_bytes(b"x" * 126, PING), 1002),
    "fragmented ping": (frame_bytes(b"x", PING, fin=False), 1002),
    "bad closing code": (frame_bytes((999).to_bytes(2, "big"), CLOSE), 1002),
    "short closing": (frame_bytes(b"\x03", CLOSE), 1002),
    "closing that is no text": (frame_bytes(b"\x03\xe8\xff", CLOSE), 1007),
    "binary": (frame_bytes(LIST, BINARY), 1003),
}


def test_a_malformed_frame_closes_its_connection_only(server: ServerProcess) -> None:
    with Client(server.url) as bystander:
        duel(server, bystander)
        for name, (content, wanted) in WRONG_FRAMES.items():
            with RawClient(server.port, {}) as raw:
                raw.message()
                raw.send(content + frame_bytes(LIST))
                messages, code, _ = raw.farewell()
                assert code == wanted, name
                assert [message["type"] for message in messages] in ([], ["error"]), name
        assert play_to_end(bystander)["faults"] == [0, 0]


BAD_LINES = [
    b"",
    b"null",
    b"[]",
    b"{}",
    b'{"type":"fly"}',
    b'{"type":"list","extra":1}',
    b'{"type":"list"',
    b'{"type":"list"}{"type":"list"}',
    b'{"type":"sit","table":5}',
    b'{"type":"create","game":"last_spike"}',
    b'{"type":"create","game":"last_spike","players":1e400}',
    b'{"type":"resume","token":{"a":[]}}',
    b'{"type":"list","search":"\xff\xfe"}',
    b"\xff\xfe\xfd",
    b'{"type":"list","search":"\\ud800"}',
    b"[" * 100_000,
    b'{"a":' * 50_000,
    b'{"type":"action","number":99999999999999999999999999}',
    b'{"type":"action","number":1,"info":' + b"[" * 2000 + b"]" * 2000 + b"}",
]


@pytest.mark.parametrize("line", BAD_LINES, ids=lambda line: line[:30].decode(errors="replace"))
def test_a_bad_line_gets_an_error_and_the_connection_stays_open(server: ServerProcess, line: bytes) -> None:
    with RawClient(server.port, {}) as raw:
        raw.message()
        raw.send(frame_bytes(line) + frame_bytes(b'{"type":"list","search":"nothing at all","ref":"after"}'))
        error = raw.message()
        assert (error["type"], error["fatal"]) == ("error", False)
        assert error["code"] in ("bad_line", "not_your_turn")
        assert "/" not in error["message"].replace("n/a", "")
        assert "Traceback" not in error["message"]
        assert raw.message()["ref"] == "after"


@pytest.mark.parametrize(
    "opening",
    [
        b"\0" * 100,
        b"GET / HTTP/1.1\r\n\r\n",
        b"POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello",
        b"GET /" + b"x" * 100_000 + b" HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 1000 + b"\r\n",
        b"GET / HTTP/1.1\r\nX: " + b"y" * 100_000 + b"\r\n\r\n",
        b"GET / HTTP/2.0\r\nUpgrade: websocket\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"x" * 500,
        handshake({"Sec-WebSocket-Key": "short"}),
        handshake({"Sec-WebSocket-Version": "7"}),
        handshake({"Upgrade": "h2c"}),
        handshake() + frame_bytes(LIST, mask=None),
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ],
    ids=lambda opening: opening[:24].decode(errors="replace"),
)
def test_malformed_handshakes_reveal_no_internals(server: ServerProcess, opening: bytes) -> None:
    with RawClient(server.port) as raw:
        raw.send(opening)
        raw.socket.shutdown(socket.SHUT_WR)
        answer = b""
        try:
            while data := raw.socket.recv(65_536):
                answer += data
        except ConnectionError:
            pass
        assert b"Traceback" not in answer
        assert b"File" not in answer
        assert str(server.folder).encode() not in answer


def test_messages_sent_with_the_handshake_are_processed(server: ServerProcess) -> None:
    with RawClient(server.port) as raw:
        raw.send(handshake() + frame_bytes(LIST) + frame_bytes(LIST)[:20])
        assert raw.head() == "HTTP/1.1 101 Switching Protocols"
        raw.send(frame_bytes(LIST)[20:])
        assert [raw.message()["type"] for _ in range(3)] == ["hello", "tables", "tables"]


# Fuzz


def test_the_server_survives_random_frames(tmp_path: Path) -> None:
    """Short version of the fuzz test of `make soak`: the server survives random frames."""
    report = fuzz_campaign(1000, 5, tmp_path)
    assert report["frames"] == 1000


@pytest.mark.parametrize(
    "pieces",
    [
        [b"G", b"ET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"],
        [b"HE", b"AD", b" /healthz", b" HTTP/1.1\r\nHost: localhost\r\n\r\n"],
    ],
)
def test_an_http_request_is_assembled_from_pieces(pieces: list[bytes]) -> None:
    endpoint = FakeEndpoint()
    connection, transport = endpoint.connect(shake=False)
    for piece in pieces:
        assert transport.written == b""
        connection.data_received(piece)
        endpoint.run_turns()
    assert transport.written.startswith(b"HTTP/1.1 200")


@pytest.mark.parametrize(("host", "status"), [("evil.example", b"403"), ("localhost", b"200"), ("127.0.0.1:1", b"200")])
def test_requests_with_a_foreign_host_name_are_refused(server: ServerProcess, host: str, status: bytes) -> None:
    """A request is refused if its `Host` header has a foreign name.

    Otherwise a foreign page could read pages of the server through a host name that resolves to the server (DNS
    rebinding).
    """
    for path in ("/metrics", "/"):
        with socket.create_connection(("127.0.0.1", server.port), HANG_S) as plain:
            plain.sendall(f"GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
            assert plain.recv(200).split()[1] == status
