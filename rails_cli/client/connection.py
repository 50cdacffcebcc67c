"""Connections to a server: opening a connection, retrying, and sending requests."""

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
from websockets.exceptions import ConnectionClosed, InvalidMessage, InvalidURI, WebSocketException

from rails_cli.protocol.lobby import Held, Invited, Seated, TableCreated, Tables, Watching
from rails_cli.protocol.messages import MAX_LINE, PROTOCOL, Error, Hello
from rails_cli.protocol.pool import Entrants, EntrantsInvited, Registered, Season, Standing, Standings

FIRST_WAIT_S, LONGEST_WAIT_S = 0.2, 5.0
"""Seconds before the first attempt to reconnect, and maximum number of seconds before a later attempt."""
PATIENCE_S = 120.0
"""Seconds from the first failure until a client stops trying to reconnect."""
LONGEST_RETRY_S = 3600.0
"""Maximum number of seconds to wait if the server has announced when clients may connect again."""
ANSWER_S = 10.0
"""Timeout in seconds for connecting, for the `hello`, and for each answer of the server."""
CLOSE_S = 1.0
"""Timeout in seconds for closing a connection."""
LONGEST_MESSAGE = 64 * MAX_LINE
"""Maximum size of one server message in bytes. The longest message is a whole game, sent after a reconnection."""
TOO_BIG = 1009
"""Websocket close code for a message that is too long."""
RETRYABLE_ERRORS = frozenset({"shutdown", "silent", "idle", "too_slow", "too_fast", "full"})
"""Codes of errors that close a connection but do not free the seat, so that reconnecting helps."""
UNREADABLE_MESSAGE_ERRORS = frozenset({"bad_line", "too_long"})
"""Codes of errors about a message that the server could not decode. Such an error names no request in `ref`."""
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
    """Raised if the server does not follow the protocol, so that retrying is useless."""


class Denied(Exception):
    """Raised if the server refuses a request. The text is the message of the server."""

    def __init__(self, code: str, message: str, *, is_fatal: bool = False, retry_s: float | None = None) -> None:
        """Store the `code` and `message` of the error. `is_fatal` means that the server closes the connection.

        `retry_s` is the number of seconds after which the server expects to accept connections again, if known.
        """
        super().__init__(message)
        self.code = code
        self.is_fatal = is_fatal
        self.retry_s = retry_s


def denied(error: Error) -> Denied:
    """Return the exception for an error message of the server."""
    retry_s = None if error.retry_s is msgspec.UNSET else min(max(0.0, error.retry_s), LONGEST_RETRY_S)
    return Denied(error.code, error.message, is_fatal=error.fatal, retry_s=retry_s)


@dataclass
class RetryPolicy:
    """The growing delays before attempts to reconnect. Attempts end `seconds` seconds after the first failure."""

    seconds: float = PATIENCE_S
    """Seconds from the first failure until the attempts end."""
    wait_s: float = FIRST_WAIT_S
    """Seconds to wait before the next attempt. Doubled after each attempt."""
    since: float | None = None
    """Time of the first failure after the last success, according to `now`. None without a failure."""
    now: Callable[[], float] = time.monotonic

    def reset(self) -> None:
        self.wait_s, self.since = FIRST_WAIT_S, None

    def next_delay_s(self, error: Unreachable | Denied, *, has_seat: bool) -> float:
        """Return the seconds to wait after `error` before the next attempt. Raise `error` if no attempt makes sense.

        If `has_seat` is false, there is no seat to return to. Then only a request that exceeded the rate limit is tried
        again. If the server has announced when clients may connect again, wait until then, and measure
        `seconds` from that time.
        """
        now = self.now()
        if self.since is None:
            self.since = now
        is_final = (
            error.code not in RETRYABLE_ERRORS if isinstance(error, Denied) else isinstance(error, ProtocolMismatch)
        )
        may_ask_again = has_seat or (isinstance(error, Denied) and error.code == "too_fast")
        if is_final or not may_ask_again or now - self.since >= self.seconds:
            raise error
        if isinstance(error, Denied) and error.retry_s is not None:
            self.since = now + error.retry_s
            return error.retry_s
        wait, self.wait_s = self.wait_s, min(LONGEST_WAIT_S, self.wait_s * 2)
        return wait


def connect_arguments(url: str, certificate: Path | None, timeout_s: float) -> dict[str, Any]:
    """Return the keyword arguments of `websockets.connect` for the server `url`.

    `certificate` is a file with certificates to trust instead of those of the system. `timeout_s` is the timeout for
    opening the connection.
    """
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
    """Connect to a server and wait for its `hello`. Provide the connection for an `async with` block.

    `certificate` is a file with certificates to trust instead of those of the system. Raise Unreachable if the server
    cannot be reached, or if the connection is lost during the block.
    """
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
    """Raise ProtocolMismatch unless `message` is a `hello` of this protocol version."""
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
        return f"its certificate is not trusted: {error.verify_message}; --tls-ca names a file with one to trust"
    if isinstance(error, ssl.SSLError | ConnectionResetError) and urlsplit(url).scheme == "wss":
        return "TLS handshake failed; the address of a server without TLS starts with ws://"
    if isinstance(error, InvalidMessage) and urlsplit(url).scheme == "ws":
        return f"{error}; the address of a server with TLS starts with wss://"
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
    """Return a message of the server as decoded JSON. Raise ProtocolMismatch if it is not a JSON object."""
    try:
        message = msgspec.json.decode(content)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        message = None
    if not isinstance(message, dict):
        raise ProtocolMismatch("the server sent something that is not a message of this protocol")
    return message


def convert_message(message: dict[str, Any], kind: type[T], what: str) -> T:
    """Convert `message` to the type `kind`. Raise ProtocolMismatch, with `what` in the text, if it is invalid."""
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
    """Send a request with the fields `request` and return the answer. Raise Denied if the server refuses the request.

    `on_other_error` is called with errors about other messages. Raise Unreachable if there is no answer within
    `timeout_s` seconds.
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
                    raise denied(error)
                on_other_error(error)
    except TimeoutError:
        raise Unreachable(f"the server did not answer `{request['type']}` within {timeout_s:g} s") from None


async def all_tables(
    connection: ClientConnection, /, *, timeout_s: float = ANSWER_S, **filters: Any
) -> list[dict[str, Any]]:
    """Return all tables of a server that match `filters`, which has fields of a `list` request."""
    tables: list[dict[str, Any]] = []
    while True:
        answer = await ask(connection, timeout_s=timeout_s, type="list", **filters, skip=len(tables))
        tables += answer["tables"]
        if not answer["tables"] or len(tables) >= answer.get("total", 0):
            return tables


def request_once(url: str, certificate: Path | None, timeout_s: float = ANSWER_S, /, **request: Any) -> dict[str, Any]:
    """Connect to a server, send one request and return the answer. Raise Denied or Unreachable if this fails."""

    async def connect_and_ask() -> dict[str, Any]:
        async with connect_to_lobby(url, certificate, timeout_s=timeout_s) as connection:
            return await ask(connection, timeout_s=timeout_s, **request)

    return asyncio.run(connect_and_ask())


def list_tables(
    url: str, certificate: Path | None, timeout_s: float = ANSWER_S, /, **filters: Any
) -> list[dict[str, Any]]:
    """Return the tables of a server that match `filters`, fields of a `list` request. Raise Denied or Unreachable."""

    async def connect_and_list() -> list[dict[str, Any]]:
        async with connect_to_lobby(url, certificate, timeout_s=timeout_s) as connection:
            return await all_tables(connection, timeout_s=timeout_s, **filters)

    return asyncio.run(connect_and_list())
