"""Connections to a server: opening them, the retry policy, and requests over them."""

import asyncio
import json
import socket
import ssl
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

import msgspec
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidURI, WebSocketException

from rails_cli.protocol.lobby import Held, Invited, Seated, TableCreated, Tables, Watching
from rails_cli.protocol.messages import MAX_LINE, PROTOCOL, Error, Hello
from rails_cli.protocol.pool import Entrants, EntrantsInvited, Registered, Season, Standing, Standings

FIRST_WAIT_S, LONGEST_WAIT_S = 0.2, 5.0
"""Seconds before the first and at most before any later attempt to reconnect."""
PATIENCE_S = 120.0
"""Seconds of failed attempts after which reconnecting is given up."""
ANSWER_S = 10.0
"""Seconds for connecting, for the `hello`, and for each answer of the server."""
CLOSE_S = 1.0
"""Seconds for closing a connection."""
LONGEST_MESSAGE = 64 * MAX_LINE
"""Most bytes of one message. A whole game, sent after a reconnection, is far smaller."""
TOO_BIG = 1009
"""Websocket close code for a message that is too long."""
RETRYABLE_ERRORS = frozenset({"shutdown", "silent", "idle", "too_slow", "too_fast", "full"})
"""Errors that end a connection but not the seat, so that reconnecting helps."""
UNREADABLE_MESSAGE_ERRORS = frozenset({"bad_line", "too_long"})
"""Errors about a message whose `ref` the server could not read."""
ANSWERS: dict[str, Any] = {
    "list": Tables,
    "create": TableCreated,
    "sit": Seated,
    "resume": Seated,
    "held": Held,
    "invite": Invited,
    "watch": Watching,
    "register": Registered,
    "revoke": Registered | Entrants,
    "ban_owner": Entrants,
    "standing": Standing,
    "standings": Standings,
    "entrants": Entrants,
    "invite_entrants": EntrantsInvited,
    "season": Season,
}

T = TypeVar("T")


class Unreachable(Exception):
    """Raised if the server cannot be reached or has disconnected."""


class ProtocolMismatch(Unreachable):
    """Raised if the other end does not follow the protocol, so that retrying is useless."""


class Denied(Exception):
    """Raised if the server refuses a request. The text is that of the server."""

    def __init__(self, code: str, message: str, *, is_fatal: bool = False) -> None:
        super().__init__(message)
        self.code = code
        self.is_fatal = is_fatal


@dataclass
class RetryPolicy:
    """Retry policy for reconnecting: growing delays and a total limit."""

    seconds: float = PATIENCE_S
    wait_s: float = FIRST_WAIT_S
    since: float | None = None
    """Time of the first failure since the last success."""
    now: Callable[[], float] = time.monotonic

    def reset(self) -> None:
        """Reset after a success."""
        self.wait_s, self.since = FIRST_WAIT_S, None

    def next_delay_s(self, error: Unreachable | Denied, *, has_seat: bool) -> float:
        """Return the seconds to wait before the next attempt. Raise `error` if it is final or the time is used up."""
        now = self.now()
        if self.since is None:
            self.since = now
        is_final = (
            error.code not in RETRYABLE_ERRORS if isinstance(error, Denied) else isinstance(error, ProtocolMismatch)
        )
        may_ask_again = has_seat or (isinstance(error, Denied) and error.code == "too_fast")
        if is_final or not may_ask_again or now - self.since >= self.seconds:
            raise error
        wait, self.wait_s = self.wait_s, min(LONGEST_WAIT_S, self.wait_s * 2)
        return wait


def connect_arguments(url: str, certificate: Path | None, timeout_s: float) -> dict[str, Any]:
    """Return the arguments of `connect` for a server."""
    return {
        "compression": None,
        "max_size": LONGEST_MESSAGE,
        "ssl": tls_context(certificate) if urlsplit(url).scheme == "wss" else None,
        "proxy": None if is_loopback(url) else True,
        "open_timeout": timeout_s,
        "close_timeout": CLOSE_S,
    }


@asynccontextmanager
async def connect_to_lobby(
    url: str, certificate: Path | None = None, *, timeout_s: float = ANSWER_S
) -> AsyncIterator[ClientConnection]:
    """Connect to a server and wait for its `hello`. Raise Unreachable."""
    try:
        async with connect(url, **connect_arguments(url, certificate, timeout_s)) as connection:
            await _receive_hello(connection, url, timeout_s)
            yield connection
    except InvalidURI as error:
        raise Unreachable(f"{url} is not a server address; try ws://127.0.0.1:8765") from error
    except ConnectionClosed as error:
        if error.sent is not None and error.sent.code == TOO_BIG:
            raise ProtocolMismatch(f"{url} sent a message of more than {LONGEST_MESSAGE:,} bytes") from None
        raise Unreachable(f"the connection to {url} is closed") from error
    except (OSError, WebSocketException, ValueError) as error:
        raise Unreachable(f"cannot reach {url}: {reason_of(error, url)}") from error


def tls_context(certificate: Path | None) -> ssl.SSLContext:
    try:
        return ssl.create_default_context(cafile=None if certificate is None else str(certificate))
    except ssl.SSLError as error:
        raise ProtocolMismatch(f"the certificates in {certificate} cannot be used: {error.reason or error}") from None


async def _receive_hello(connection: ClientConnection, url: str, timeout_s: float) -> None:
    try:
        async with asyncio.timeout(timeout_s):
            message = decode_message(await connection.recv())
    except TimeoutError:
        raise Unreachable(f"{url} sent no hello; is it a rails-cli server?") from None
    check_hello(message, url)


def check_hello(message: dict[str, Any], url: str) -> None:
    """Raise Foreign unless `message` is a `hello` of this protocol version."""
    if message.get("type") != "hello":
        raise ProtocolMismatch(f"{url} does not speak this protocol")
    protocol = convert_message(message, Hello, "`hello`").protocol
    if protocol != PROTOCOL:
        raise ProtocolMismatch(f"{url} speaks protocol {protocol}, this program speaks protocol {PROTOCOL}")


def is_loopback(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    return host in ("localhost", "::1") or host.startswith("127.")


def reason_of(error: Exception, url: str) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"its certificate is not trusted: {error.verify_message}"
    if isinstance(error, ssl.SSLError | ConnectionResetError) and urlsplit(url).scheme == "wss":
        return "TLS handshake failed; the address of a server without TLS starts with ws://"
    if isinstance(error, TimeoutError):
        return "no answer"
    if isinstance(error, ConnectionRefusedError) or "Connect call failed" in str(error):
        return "no server answers there; is it running, and is that its port?"
    if isinstance(error, socket.gaierror):
        return "there is no such host"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return str(error) or type(error).__name__


def decode_message(content: str | bytes) -> dict[str, Any]:
    """Decode a message of the server. Raise Foreign if it is not a JSON object."""
    try:
        message = msgspec.json.decode(content)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        message = None
    if not isinstance(message, dict):
        raise ProtocolMismatch("the server sent something that is not a message of this protocol")
    return message


def convert_message(message: dict[str, Any], kind: type[T], what: str) -> T:
    """Convert a message to `kind`. Raise Foreign, naming `what`, if it does not fit."""
    try:
        return msgspec.convert(message, kind)
    except msgspec.ValidationError as error:
        raise ProtocolMismatch(f"cannot read {what} from the server: {error}") from None


async def ask(
    connection: ClientConnection,
    /,
    *,
    timeout_s: float = ANSWER_S,
    on_other_error: Callable[[Error], object] = lambda error: None,
    **request: Any,
) -> dict[str, Any]:
    """Send a request and return its answer. Raise Denied if it is refused.

    `on_other_error` is called with errors that concern other messages.
    """
    what = f"the answer to `{request['type']}`"
    await connection.send(json.dumps({**request, "ref": "ask"}))
    try:
        async with asyncio.timeout(timeout_s):
            while True:
                answer = decode_message(await connection.recv())
                if answer.get("type") != "error":
                    if answer.get("ref") == "ask":
                        if request["type"] in ANSWERS:
                            convert_message(answer, ANSWERS[request["type"]], what)
                        return answer
                    continue
                error = convert_message(answer, Error, what)
                if error.ref == "ask" or error.fatal or (error.ref is None and error.code in UNREADABLE_MESSAGE_ERRORS):
                    raise Denied(error.code, error.message, is_fatal=error.fatal)
                on_other_error(error)
    except TimeoutError:
        raise Unreachable(f"the server did not answer `{request['type']}` within {timeout_s:g} s") from None


async def all_tables(
    connection: ClientConnection, /, *, timeout_s: float = ANSWER_S, **wish: Any
) -> list[dict[str, Any]]:
    """Return all tables found by a `list` request with the filters `wish`, page by page."""
    tables: list[dict[str, Any]] = []
    while True:
        answer = await ask(connection, timeout_s=timeout_s, type="list", **wish, skip=len(tables))
        tables += answer["tables"]
        if not answer["tables"] or len(tables) >= answer.get("total", 0):
            return tables
