"""One websocket: the sans-I/O protocol of `websockets` driven by an asyncio transport, with limits on all it may do."""

import asyncio
import logging
from collections.abc import Callable
from http import HTTPStatus
from typing import Any, cast

import msgspec
from websockets.datastructures import Headers
from websockets.exceptions import ProtocolError
from websockets.frames import CloseCode, Frame, Opcode
from websockets.http11 import Request, Response
from websockets.protocol import State
from websockets.server import ServerProtocol

from protocol.lines import frame
from protocol.messages import MAX_LINE, PROTOCOL, Error, Hello, Join
from rails_cli.match import SERVER

HELLO = frame(Hello(protocol=PROTOCOL, server=SERVER, max_line=MAX_LINE))
NO_JOIN = Join()

_silent = logging.getLogger("rails_cli.websockets")
_silent.addHandler(logging.NullHandler())
_silent.propagate = False
_silent.setLevel(logging.CRITICAL)


class ConnectionLimits(msgspec.Struct, frozen=True):
    """What one connection, one address and all together may use."""

    connections: int = 2000
    connections_each: int = 1200
    messages_per_s: float = 100.0
    burst: float = 400.0
    unread_bytes: int = 2_097_152
    handshake_s: float = 10.0
    ping_s: float = 20.0
    silence_s: float = 60.0


class Door:
    """What all connections of a server share: who hears them, what they may do, and pages for those who only ask."""

    hear: Callable[["WebSocket", str, bytes], None]
    welcome: Callable[["WebSocket"], None]
    goodbye: Callable[["WebSocket"], None]
    page: Callable[[str], tuple[HTTPStatus, str, bytes] | None]
    limits: ConnectionLimits
    origins: list[str] | None
    now: Callable[[], float]
    open: "set[WebSocket]"
    by_address: dict[str, int]
    dropped: dict[str, int]


class WebSocket(asyncio.Protocol):
    """A client at the other end of a websocket."""

    __slots__ = (
        "_fragments",
        "_protocol",
        "_tokens",
        "_transport",
        "address",
        "closing",
        "door",
        "heard_at",
        "is_welcome",
        "join",
        "pinged_at",
        "refilled_at",
    )

    def __init__(self, door: Door) -> None:
        self.door = door
        self.join = NO_JOIN
        self.address = ""
        self.is_welcome = False
        self.closing = 0.0
        self.heard_at = self.pinged_at = self.refilled_at = door.now()
        self._tokens = door.limits.burst
        self._fragments: list[bytes] | None = None
        self._protocol = ServerProtocol(origins=_origins(door.origins), max_size=MAX_LINE, logger=_silent)
        self._transport: asyncio.Transport = cast(asyncio.Transport, None)

    # From the network

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        peer = transport.get_extra_info("peername")
        self.address = str(peer[0]) if isinstance(peer, tuple) else "local"
        door = self.door
        door.open.add(self)
        door.by_address[self.address] = door.by_address.get(self.address, 0) + 1

    def connection_lost(self, error: Exception | None) -> None:
        door = self.door
        door.open.discard(self)
        left = door.by_address.get(self.address, 1) - 1
        if left:
            door.by_address[self.address] = left
        else:
            door.by_address.pop(self.address, None)
        if self.is_welcome:
            self.is_welcome = False
            door.goodbye(self)

    def data_received(self, data: bytes) -> None:
        self.heard_at = self.door.now()
        protocol = self._protocol
        protocol.receive_data(data)
        for event in protocol.events_received():
            if type(event) is Frame:
                self._frame(event)
            elif isinstance(event, Request):
                self._handshake(event)
        self._flush()
        if protocol.close_expected():
            self._transport.close()

    def eof_received(self) -> bool:
        self._protocol.receive_eof()
        self._flush()
        return False

    def _frame(self, event: Frame) -> None:
        if event.opcode is Opcode.TEXT and event.fin and self._fragments is None:
            self._message(bytes(event.data))
        elif event.opcode is Opcode.TEXT:
            self._fragments = [bytes(event.data)]
        elif event.opcode is Opcode.CONT and self._fragments is not None:
            self._fragments.append(bytes(event.data))
            if event.fin:
                whole, self._fragments = b"".join(self._fragments), None
                self._message(whole)
        elif event.opcode is Opcode.BINARY:
            self.drop("bad_line", "messages are text frames", CloseCode.UNSUPPORTED_DATA)

    def _message(self, content: bytes) -> None:
        if not self.is_welcome or self.closing:
            return
        if not self._may_speak():
            self.drop("too_fast", f"more than {self.door.limits.messages_per_s:g} messages a second")
            return
        self.door.hear(self, self.address, content)

    def _may_speak(self) -> bool:
        """A bucket of tokens, filled at the rate that is allowed."""
        limits = self.door.limits
        self._tokens = min(limits.burst, self._tokens + (self.heard_at - self.refilled_at) * limits.messages_per_s)
        self.refilled_at = self.heard_at
        self._tokens -= 1
        return self._tokens >= 0

    def _handshake(self, request: Request) -> None:
        protocol, door = self._protocol, self.door
        page = door.page(request.path.partition("?")[0])
        if page is not None and "Upgrade" not in request.headers:
            protocol.send_response(_response(*page))
            return
        if len(door.open) > door.limits.connections:
            protocol.send_response(protocol.reject(HTTPStatus.SERVICE_UNAVAILABLE, "too many connections\n"))
            return
        if door.by_address.get(self.address, 0) > door.limits.connections_each:
            protocol.send_response(
                protocol.reject(HTTPStatus.TOO_MANY_REQUESTS, "too many connections from your address\n")
            )
            return
        protocol.send_response(protocol.accept(request))
        if protocol.state is State.OPEN:
            self.is_welcome = True
            self.post(HELLO)
            door.welcome(self)

    # To the network

    def post(self, content: bytes) -> None:
        protocol = self._protocol
        if protocol.state is not State.OPEN or self.closing:
            return
        protocol.send_text(content)
        self._flush()
        if self._transport.get_write_buffer_size() > self.door.limits.unread_bytes:
            self._give_up()

    def drop(self, code: str, message: str, close: CloseCode = CloseCode.POLICY_VIOLATION) -> None:
        if self.closing:
            return
        self.door.dropped[code] = self.door.dropped.get(code, 0) + 1
        protocol = self._protocol
        if protocol.state is State.OPEN:
            protocol.send_text(frame(Error(code, message, fatal=True)))
            self.closing = self.door.now()
            protocol.send_close(close, message[:100])
            self._flush()
        else:
            self._transport.abort()

    def abort(self) -> None:
        """Ends the connection without a word."""
        self._transport.abort()

    def _give_up(self) -> None:
        """The other end does not read: what waits is thrown away."""
        self.door.dropped["too_slow"] = self.door.dropped.get("too_slow", 0) + 1
        self.closing = self.door.now()
        self._protocol.fail(CloseCode.POLICY_VIOLATION, "you read too slowly")
        self._flush()
        self._transport.abort()

    def _flush(self) -> None:
        transport = self._transport
        for data in self._protocol.data_to_send():
            if data:
                transport.write(data)
            elif transport.can_write_eof():
                transport.write_eof()

    def tick(self, now: float) -> None:
        """Looks for a handshake that does not come, a silence that lasts too long, a farewell that is not answered."""
        limits = self.door.limits
        if self.closing:
            if now - self.closing > limits.handshake_s:
                self._transport.abort()
        elif not self.is_welcome:
            if now - self.heard_at > limits.handshake_s:
                self._transport.abort()
        elif now - self.heard_at > limits.silence_s:
            self.drop("silent", f"nothing heard for {limits.silence_s:g} s", CloseCode.GOING_AWAY)
        elif now - max(self.heard_at, self.pinged_at) > limits.ping_s and self._protocol.state is State.OPEN:
            self.pinged_at = now
            try:
                self._protocol.send_ping(b"")
            except ProtocolError:
                return
            self._flush()


def _origins(allowed: list[str] | None) -> Any:
    """Programs send no Origin; browsers do, and must come from where the owner says."""
    return None if allowed is None else [None, *allowed]


def _response(status: HTTPStatus, kind: str, body: bytes) -> Response:
    headers = Headers(
        [
            ("Connection", "close"),
            ("Content-Length", str(len(body))),
            ("Content-Type", kind),
            ("Cache-Control", "no-store"),
        ]
    )
    return Response(status.value, status.phrase, headers, body)
