"""Clients and servers for tests of the websocket server. Each server is a real process."""

import itertools
import json
import os
import queue
import random
import re
import signal
import socket
import struct
import subprocess
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, Self

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from rails_cli.logs.verify import verify_file
from tests.support.relays import free_port
from tests.support.tools import skip_without, start_rails
from tests.support.waiting import HANG_S

Json = dict[str, Any]
KNOWS_ROUND_TRIP = hasattr(socket, "TCP_INFO")
"""Whether the operating system reports the round-trip time of a TCP connection."""
_refs = itertools.count(1)


# Servers


class ServerProcess:
    """A process of `rails-cli serve` with the data folder `folder`, on the port `port`.

    Without `port`, the server gets a port that no other program uses, so a later server can use it again. `mark` is a
    value in the environment of the process. Tests use it to find processes left running. `before` is a command to which
    the command line is appended. The attribute `said` holds the lines of the server's standard error.
    """

    def __init__(
        self, folder: Path, *options: str, port: int | None = None, mark: str | None = None, before: Sequence[str] = ()
    ) -> None:
        self.folder = folder
        environment = dict(os.environ) if mark is None else {**os.environ, "RAILS_TEST": mark}
        words = ("--port", str(free_port() if port is None else port), "--data", str(folder), *options)
        self.process = self._started(words, before=before, stderr=subprocess.PIPE, text=True, env=environment)
        self.said: list[str] = []
        self._lines: queue.Queue[str | None] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self.url, self.port, self.going_on = "", 0, 0
        while not self.url:
            line = self._lines.get(timeout=HANG_S)
            assert line is not None, f"the server did not start: {self.said}"
            found = re.search(r"serving on (wss?://\S+:(\d+)); (\d+) games? resumed", line)
            if found:
                self.url, self.port, self.going_on = found[1], int(found[2]), int(found[3])

    def _started(self, words: Sequence[str], **how: Any) -> subprocess.Popen[str]:
        return start_rails("serve", *words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, **how)

    def _read(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.said.append(line.rstrip("\n"))
            self._lines.put(line)
        self._lines.put(None)

    @property
    def admin_token(self) -> str:
        return (self.folder / "admin-token").read_text().strip()

    def log(self, table: str) -> Path:
        return self.folder / "tables" / f"{table}.jsonl"

    def lines(self, table: str) -> list[Json]:
        """Return the complete lines of a table's log without signature lines, which are written at intervals."""
        lines = [json.loads(line) for line in self.log(table).read_bytes().split(b"\n")[:-1]]
        return [line for line in lines if line["type"] != "signed"]

    def faults(self, table: str) -> list[Json]:
        return [line for line in self.lines(table) if line["type"] == "fault"]

    def kill(self) -> None:
        """Kill the server with SIGKILL, like a crash."""
        self.process.kill()
        self._end()

    def stop(self) -> int:
        """Stop the server with SIGTERM. Return the exit code of the server."""
        self.process.send_signal(signal.SIGTERM)
        return self._end()

    def ended(self) -> int:
        """Wait until the server exits and all its output has been read. Return its exit code."""
        code = self.process.wait(HANG_S)
        self._reader.join(HANG_S)
        return code

    def _end(self) -> int:
        code = self.ended()
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            if pipe is not None:
                pipe.close()
        return code

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self._end()


class ClockedServer(ServerProcess):
    """A server whose clocks move only when `advance` is called. Between the calls, nothing becomes late or due.

    Stopping and killing work as with any server. Waiting for a real process, such as a bot, still takes real time.
    """

    mode = "still"

    def _started(self, words: Sequence[str], **how: Any) -> subprocess.Popen[str]:
        pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        return start_rails(self.mode, *words, module="tests.support.clocked_server", **pipes, **how)

    def advance(self, seconds: float) -> None:
        """Move the clock of the server by `seconds`. Return after the server has done everything that is due."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"{seconds}\n")
        self.process.stdin.flush()
        assert self.process.stdout.readline() == "\n", self.said


class HastenedServer(ClockedServer):
    """A server whose clocks follow real time and can also be moved ahead with `advance`."""

    mode = "running"


def certificate(folder: Path) -> tuple[Path, Path]:
    """Return a TLS certificate for this machine and its key. Skip the test if they cannot be created."""
    skip_without("openssl")
    made, key = folder / "cert.pem", folder / "key.pem"
    words = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
    words += ["-subj", "/CN=localhost"]
    words += ["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", str(key), "-out", str(made)]
    subprocess.run(["openssl", *words], check=True, capture_output=True)
    return made, key


def verified(log: Path) -> bool:
    """Return whether the log file `log` is the log of a finished game.

    Fail if the log is invalid. Fail if the game has ended and the log has no final hash.
    """
    verdict = verify_file(log)
    assert verdict.mistake is None, f"{log.name}: {verdict.mistake}"
    assert verdict.is_sealed == verdict.is_finished
    return verdict.is_finished


# Clients


class Closed(Exception):
    """Raised when the server has closed the connection."""


class Client:
    """A websocket connection. All messages received are kept in `heard`."""

    def __init__(self, url: str, **more: Any) -> None:
        more.setdefault("compression", None)
        self._open = ExitStack()
        self.socket: ClientConnection = self._open.enter_context(
            connect(url, proxy=None, max_size=None, open_timeout=HANG_S, close_timeout=1, **more)
        )
        self.heard: list[Json] = []
        self.open: Json | None = None
        """The last request if it has not been answered yet, or None."""
        self.hello = self.receive()
        assert self.hello["type"] == "hello"

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        self._open.close()

    def cut(self) -> None:
        """Close the TCP connection without a websocket closing handshake."""
        with suppress(OSError):
            self.socket.socket.shutdown(socket.SHUT_RDWR)

    def say(self, text: str | bytes) -> None:
        """Send a text or binary message unchanged."""
        self.socket.send(text, text=isinstance(text, str))

    def send(self, **message: Any) -> None:
        self.say(json.dumps(message))

    def receive(self, timeout: float = HANG_S) -> Json:
        """Return the next message from the server. Raise `Closed` if the connection has been closed."""
        try:
            message: Json = json.loads(self.socket.recv(timeout))
        except ConnectionClosed as error:
            raise Closed(str(error)) from None
        self.heard.append(message)
        if message["type"] in ("request", "end"):
            self.open = message if message["type"] == "request" else None
        return message

    def until(self, *kinds: str, timeout: float = HANG_S, **fields: Any) -> Json:
        """Receive messages until one has one of the types `kinds` and all `fields`. Return this message."""
        while True:
            message = self.receive(timeout)
            if message["type"] in kinds and all(message.get(name) == value for name, value in fields.items()):
                return message

    def ask(self, **request: Any) -> Json:
        """Send a request to the lobby. Return the answer of the lobby, which may be an error."""
        ref = f"r{next(_refs)}"
        self.send(**request, ref=ref)
        return self.until(request["type"], "error", *ANSWERS, ref=ref)

    def asked(self, **request: Any) -> Json:
        """Send a request to the lobby. Return the answer of the lobby. Fail if it is an error."""
        answer = self.ask(**request)
        assert answer["type"] != "error", answer
        return answer

    def refused(self, **request: Any) -> str:
        """Send a request to the lobby that must fail. Return the code of the error."""
        answer = self.ask(**request)
        assert answer["type"] == "error", answer
        assert answer["fatal"] is False
        return str(answer["code"])

    def settled(self) -> list[Json]:
        """Return all messages that the server still sends because of earlier messages of this client.

        The method sends two requests and waits for the answer to the second. One request would not be enough: the
        server may read it together with an earlier action, and answer the request first.
        """
        before = len(self.heard)
        answers = [self.asked(type="held", tokens=[]) for _ in range(2)]
        return [message for message in self.heard[before:] if message not in answers]

    def answer(self, request: Json, **more: Any) -> None:
        self.open = None
        self.send(type="action", number=request["number"], **(more or {"choice": request["default"]}))


# Clients that may violate the protocol


class RawClient:
    """A TCP connection that sends and receives raw bytes.

    If `headers` is not None, the connection first requests a websocket with these headers. `status` is then the status
    line of the response.
    """

    def __init__(self, port: int, headers: dict[str, str] | None = None, *, receive_buffer: int | None = None) -> None:
        self.socket = socket.socket()
        if receive_buffer is not None:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.settimeout(HANG_S)
        self.socket.connect(("127.0.0.1", port))
        self.unread = b""
        if headers is not None:
            self.socket.sendall(handshake(headers))
            self.status = self.head()

    def head(self) -> str:
        """Return the status line of an HTTP response without reading the body."""
        while b"\r\n\r\n" not in self.unread:
            data = self.socket.recv(65_536)
            if not data:
                raise Closed("no answer")
            self.unread += data
        head, _, self.unread = self.unread.partition(b"\r\n\r\n")
        return head.split(b"\r\n")[0].decode()

    def send(self, data: bytes) -> None:
        """Send bytes. Ignore an error if the other end has closed the connection."""
        with suppress(ConnectionError):
            self.socket.sendall(data)

    def frames(self) -> Iterator[tuple[int, bytes]]:
        """Yield opcode and content of each frame until the connection ends."""
        while True:
            while (found := _frame_at(self.unread)) is not None:
                opcode, content, size = found
                self.unread = self.unread[size:]
                yield opcode, content
            try:
                data = self.socket.recv(65_536)
            except ConnectionError:
                return
            if not data:
                return
            self.unread += data

    def farewell(self) -> tuple[list[Json], int | None, str]:
        """Return all messages until the connection ends, with the code and the reason of the close frame.

        Without a close frame, the code is None and the reason is empty.
        """
        messages = []
        for opcode, content in self.frames():
            if opcode == TEXT:
                messages.append(json.loads(content))
            elif opcode == CLOSE and content:
                return messages, int.from_bytes(content[:2], "big"), content[2:].decode()
        return messages, None, ""

    def message(self) -> Json:
        for opcode, content in self.frames():
            if opcode == TEXT:
                found: Json = json.loads(content)
                return found
        raise Closed("no message came")

    def close(self) -> None:
        self.socket.close()

    def __enter__(self) -> "RawClient":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


CONTINUED, TEXT, BINARY, CLOSE, PING, PONG = 0, 1, 2, 8, 9, 10


def handshake(headers: dict[str, str] | None = None) -> bytes:
    """Return the bytes of the HTTP request that opens a websocket."""
    wanted = {
        "Host": "127.0.0.1",
        "Upgrade": "websocket",
        "Connection": "Upgrade",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
        "Sec-WebSocket-Version": "13",
        **(headers or {}),
    }
    return "".join(["GET / HTTP/1.1\r\n", *(f"{name}: {value}\r\n" for name, value in wanted.items()), "\r\n"]).encode()


def frame_bytes(
    content: bytes, opcode: int = TEXT, *, fin: bool = True, mask: bytes | None = b"\x01\x02\x03\x04", bits: int = 0
) -> bytes:
    """Return the bytes of a websocket frame from a client. `bits` are reserved bits to set in the first byte.

    The frame may be invalid, for example without `mask`.
    """
    first = (0x80 if fin else 0) | bits | opcode
    masked = 0 if mask is None else 0x80
    if len(content) < 126:
        head = struct.pack("!BB", first, masked | len(content))
    elif len(content) < 65_536:
        head = struct.pack("!BBH", first, masked | 126, len(content))
    else:
        head = struct.pack("!BBQ", first, masked | 127, len(content))
    if mask is None:
        return head + content
    key = (mask * (len(content) // 4 + 1))[: len(content)]
    hidden = (int.from_bytes(content, "big") ^ int.from_bytes(key, "big")).to_bytes(len(content), "big")
    return head + mask + hidden


def _frame_at(data: bytes) -> tuple[int, bytes, int] | None:
    if len(data) < 2:
        return None
    size, start = data[1], 2
    if size == 126:
        size, start = int.from_bytes(data[2:4], "big"), 4
    elif size == 127:
        size, start = int.from_bytes(data[2:10], "big"), 10
    if len(data) < start + size:
        return None
    return data[0] & 15, data[start : start + size], start + size


ANSWERS = (
    *("tables", "created", "table", "seated", "held_seats", "watching", "invited", "said", "undo_asked", "order"),
    *("left", "supposed", "shown", "advice", "status"),
    *("registered", "entered", "withdrawn", "standing", "standings", "entrants", "entrants_invited", "season"),
)


def create(client: Client, game: str = "last_spike", players: int = 2, **more: Any) -> Json:
    return client.asked(type="create", game=game, players=players, **more)


def table_of(created: Json) -> str:
    return str(created["table"]["table"])


def duel(server: ServerProcess, client: Client, opponent: str = "builtin:random", **more: Any) -> tuple[str, str]:
    """Create a table for `client` and `opponent`, and take seat 0 as `client`.

    `more` are further fields of the `create` request. Return the id of the table and the token of the seat.
    """
    table = table_of(create(client, seats=[None, opponent], **more))
    return table, str(client.asked(type="sit", table=table)["token"])


def play_to_end(client: Client, chance: random.Random | None = None) -> Json:
    """Answer requests until the game ends. Return the `end` message.

    Choose entries of the list of legal actions with `chance`, or the default if `chance` is None.
    """
    while True:
        message = client.open or client.until("request", "end")
        if message["type"] == "end":
            return message
        if chance is None:
            client.answer(message)
        else:
            client.answer(message, choice=chance.randrange(len(message["legal"])))


def all_play(clients: Sequence[Client], play: Callable[[Client], Json] = play_to_end) -> list[Json]:
    """Run `play` for all `clients` at the same time. Return the result of each client."""
    with ThreadPoolExecutor(len(clients)) as pool:
        return list(pool.map(play, clients))


@contextmanager
def clients(url: str, count: int) -> Iterator[list[Client]]:
    """Open `count` connections and close them at the end of the context."""
    opened: list[Client] = []
    try:
        for _ in range(count):
            opened.append(Client(url))
        yield opened
    finally:
        for client in opened:
            client.close()
