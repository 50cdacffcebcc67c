"""One websocket: the sans-I/O protocol of `websockets` driven by an asyncio transport, with rate and size limits."""

import asyncio
import logging
import math
import os
import secrets
import socket
import struct
import sys
from collections.abc import Callable
from contextlib import suppress
from http import HTTPStatus
from typing import Any, cast

import msgspec
from websockets.datastructures import Headers
from websockets.exceptions import PayloadTooBig
from websockets.frames import CloseCode, Frame, Opcode
from websockets.http11 import Request
from websockets.protocol import State
from websockets.server import ServerProtocol

from rails_cli.match.match import SERVER
from rails_cli.protocol.lines import frame
from rails_cli.protocol.messages import MAX_LINE, PROTOCOL, Error, Hello, Join
from rails_cli.protocol.messages import Request as GameRequest
from rails_cli.server.address import (
    bearer,
    counted,
    exact,
    forwarded,
    is_let_in,
    is_named_rightly,
    quota_multiple,
    quotas,
)
from rails_cli.server.bucket import Bucket
from rails_cli.server.pages import BANNED, NO_METHOD, OTHER_NAME, HttpPage, Reply
from rails_cli.server.settings import ConnectionLimits
from rails_cli.server.turns import Turns

try:
    from websockets.speedups import apply_mask
except ImportError:
    from websockets.utils import apply_mask

HELLO = frame(Hello(protocol=PROTOCOL, server=SERVER, max_line=MAX_LINE))
NO_JOIN = Join()
FULL = "the server is full: the places that are left are for players who come back with their token"
SPARE = 20
"""Connections above a limit that still get an error message. Further ones are closed silently."""
IGNORED_LIMIT = 262_144
"""Bytes that a client may send after it was dropped before its socket is no longer read."""
BUSY_BYTES = 131_072
READING_BYTES = 65_536
"""Size of the socket send buffer for a page. A small one shows whether the client is still downloading."""
READING_S = 30.0
"""Seconds without download progress after which the connection is closed."""
LONGEST_METHOD = 20
LONG_BYTES = 16_384
"""Bytes of an unexpected message that cost as much as one more message."""
MANY_UNSENT = 20
"""Messages kept for the end of the event loop turn. Further ones are sent earlier."""
PINGS_KEPT = 3
SLICE = 4096
"""Bytes processed at a time, so that a flood is noticed before all of it is processed."""
CLOSE_CODES = dict.fromkeys(("shutdown", "silent", "idle"), CloseCode.GOING_AWAY)
CLOSE_CODES["bad_line"] = CloseCode.UNSUPPORTED_DATA

WHOLE_TEXT = 0x81
SHORT = 126
LONG = 65_536
"""Sizes from which a text frame needs a longer header."""
_MEDIUM = struct.Struct("!BBH")
_LONG = struct.Struct("!BBQ").pack
_page = bytearray(_MEDIUM.size)
"""Buffer in which requests are encoded behind their header. Growing a new one takes as long as encoding."""
_encode_into = msgspec.json.Encoder().encode_into
_ROUND_TRIP = struct.Struct("=68xI")
"""The beginning of the `tcp_info` of Linux, up to `tcpi_rtt` in microseconds."""

_silent = logging.getLogger("rails_cli.websockets")
_silent.addHandler(logging.NullHandler())
_silent.propagate = False
_silent.setLevel(logging.CRITICAL)


class Endpoint:
    """What all connections of a server share: callbacks, limits, and the set of open connections."""

    hear: Callable[["WebSocket", str, bytes], bool]
    welcome: Callable[["WebSocket"], None]
    goodbye: Callable[["WebSocket"], None]
    is_at_table: Callable[["WebSocket"], bool]
    page: Callable[[str, str, Headers, Reply], None]
    """Answers an HTTP request. Arguments: path, address, headers, reply."""
    is_banned: Callable[[str], bool]
    turns: Turns
    limits: ConnectionLimits
    origins: list[str]
    any_name: bool = False
    """Whether pages of this server may connect under any host name."""
    proxies: frozenset[str]
    now: Callable[[], float]
    is_return: Callable[[bytes], bool | None]
    """Returns whether a message contains the token of a seat. None if such a message may still follow."""
    is_holder: Callable[[str], bool]
    open: "set[WebSocket]"
    in_reserve: "set[WebSocket]"
    """Connections that were accepted when only the places for token holders were left."""
    by_address: "dict[str, set[WebSocket]]"
    """Open connections by address and by IPv6 site."""
    dropped: dict[str, int]

    def is_overrun(self, more: int = 0) -> bool:
        """Return whether new connections are closed without an error message. `more` connections are being accepted."""
        return len(self.open) + more > self.limits.connections + SPARE

    def is_overrun_from(self, address: str, more: int = 0) -> bool:
        """Return the same for the connections of one address."""
        return self.crowd(address) + more > self.limits.connections_each + SPARE

    def count(self, connection: "WebSocket") -> None:
        """Count a connection for its address and its IPv6 site."""
        for name, _ in quotas(connection.address):
            self.by_address.setdefault(name, set()).add(connection)

    def discount(self, connection: "WebSocket") -> None:
        for name, _ in quotas(connection.address):
            self.by_address[name].discard(connection)
            if not self.by_address[name]:
                del self.by_address[name]

    def crowd(self, address: str) -> int:
        """Return the number of connections of an address, or of its IPv6 site divided by the share of the site."""
        return max(-(-len(self.by_address.get(name, ())) // share) for name, share in quotas(address))

    def admit(self, newcomer: "WebSocket", token: str | None) -> bool:
        """Return whether there is a place for a connection that completed its handshake.

        The last places are reserved for token holders. A client without a known token must send one with its first
        message.
        """
        is_full = len(self.open) > self.limits.connections
        if not is_full and len(self.open) - len(self.in_reserve) <= self.limits.for_anybody:
            return True
        if self.make_room(newcomer):
            return True
        if is_full:
            return False
        self.in_reserve.add(newcomer)
        newcomer.is_on_probation = token is None or not self.is_holder(token)
        return True

    def make_room(self, newcomer: "WebSocket") -> bool:
        """Close a connection that is at no table, from the address with the most connections. Return whether one was
        closed.

        Only addresses with more than twice as many connections as that of `newcomer` are considered.
        """
        most = 2 * max(1, self.crowd(newcomer.address))
        crowds = [
            (len(there) / quota_multiple(name), name) for name, there in self.by_address.items() if len(there) > most
        ]
        for crowd, name in sorted(crowds, reverse=True):
            if crowd <= most:
                break
            idle = [one for one in self.by_address[name] if not one.closing and not self.is_at_table(one)]
            if idle:
                min(idle, key=lambda one: one.said_at).let_go()
                return True
        return False


class WebSocket(asyncio.Protocol):
    """A client connected by a websocket."""

    __slots__ = (
        *("_bucket", "_early", "_file", "_fragments", "_ignored", "_is_head", "_protocol", "_request", "_transport"),
        *("_unframed", "_unread", "_unsent", "_wishes"),
        *(
            "address",
            "closing",
            "endpoint",
            "game",
            "heard_at",
            "is_counted",
            "is_welcome",
            "join",
            "opened_at",
            "pinged_at",
        ),
        *("_lags", "_ping", "is_on_probation", "lag_s", "said_at", "yields"),
    )

    def __init__(self, endpoint: Endpoint) -> None:
        now = endpoint.now()
        self.endpoint = endpoint
        self.join = NO_JOIN
        self.address = ""
        self.is_counted = False
        self.is_welcome = False
        self.game = ""
        self.is_on_probation = False
        """Whether the client must send a token to keep its place and has not done so yet."""
        self.yields = False
        """Whether messages of other connections are processed first."""
        self.lag_s = 0.0
        self._lags: list[float] = []
        """Recent ping times in seconds. The shortest counts, because a longer one may be caused by load on this
        machine."""
        self._ping: tuple[bytes, float] | None = None
        """Random payload of the last ping and the time it was sent."""
        self.closing = 0.0
        """Time at which closing began. 0 before that."""
        self.opened_at = self.heard_at = self.said_at = self.pinged_at = now
        self._bucket = Bucket(endpoint.limits.burst, now)
        self._ignored = 0
        self._early = b""
        self._is_head: bool | None = None
        """Whether the HTTP method is HEAD. None before it is known."""
        self._wishes: Headers | None = None
        """Request headers of a client that asked for a page."""
        self._unread = 0
        """Bytes of a page still in the write buffer at the last check."""
        self._unsent: list[bytes] = []
        self._request: GameRequest[Any, Any, Any] | None = None
        """The last message to send, if it is a request that is not encoded yet."""
        self._unframed = 0
        """Upper bound of the bytes received of an incomplete frame."""
        self._fragments: list[bytes] | None = None
        self._protocol = ServerProtocol(max_size=MAX_LINE, logger=_silent)
        self._transport: asyncio.Transport = cast(asyncio.Transport, None)
        self._file: int | None = None
        """File descriptor of the socket, if data can be written directly without copying. None with TLS."""

    # Receiving

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        end = transport.get_extra_info("socket")
        if end is not None and transport.get_extra_info("ssl_object") is None:
            self._file = end.fileno()
        endpoint = self.endpoint
        endpoint.open.add(self)
        peer = transport.get_extra_info("peername")
        self.address = counted(str(peer[0])) if isinstance(peer, tuple) else "local"
        if not self._is_from_proxy():
            self._count()
        if endpoint.is_overrun_from(self.address) or (endpoint.is_overrun() and not endpoint.make_room(self)):
            self._transport.abort()

    def _is_from_proxy(self) -> bool:
        proxies, peer = self.endpoint.proxies, self._transport.get_extra_info("peername")
        return bool(proxies) and isinstance(peer, tuple) and exact(str(peer[0])) in proxies

    def _round_trip_s(self) -> float:
        """Return the TCP round trip time in seconds, which a client cannot influence by delaying its pong.

        Infinite if the system does not report it or the connection comes from a proxy.
        """
        if sys.platform == "linux" and not self._is_from_proxy():
            with suppress(OSError, AttributeError, struct.error):  # not a TCP socket, or closed
                told = self._transport.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 72)
                return int(_ROUND_TRIP.unpack(told)[0]) / 1e6
        return math.inf

    def connection_lost(self, error: Exception | None) -> None:
        endpoint = self.endpoint
        endpoint.turns.hear_all()
        endpoint.open.discard(self)
        endpoint.in_reserve.discard(self)
        if self.is_counted:
            endpoint.discount(self)
        if self.is_welcome:
            self.is_welcome = False
            endpoint.goodbye(self)

    def data_received(self, data: bytes) -> None:
        size = len(data)
        if (
            6 <= size < 132
            and data[0] == WHOLE_TEXT
            and data[1] == 0x80 | (size - 6)
            and self.is_welcome
            and not self.closing
            and self._fragments is None
            and not self._unframed
        ):
            self.endpoint.turns.hear(self, apply_mask(data[6:], data[2:6]), yields=self.yields)
            return
        if self._is_head is None:
            data = self._first(data)
        for at in range(0, len(data), SLICE):
            if at:
                self.endpoint.turns.hear_all()  # process the queue, so that a flood is noticed
            if self.closing and self._is_ignored(data[at:]):
                return
            self._read(data[at : at + SLICE])

    def _is_ignored(self, data: bytes) -> bool:
        """Return whether data from a dropped client is ignored. After IGNORED_LIMIT bytes the socket is not read any
        more."""
        self._ignored += len(data)
        if self._ignored > IGNORED_LIMIT:
            self._transport.pause_reading()
        return self._ignored > SLICE

    def _read(self, data: bytes) -> None:
        protocol = self._protocol
        protocol.receive_data(data)
        if protocol.writes:
            self._flush()
        self._unframed += len(data)
        for event in protocol.events_received():
            if type(event) is Frame:
                self._unframed -= _wire_size(len(event.data))
                self._frame(event)
            elif isinstance(event, Request):
                self._unframed = 0 if data.endswith(b"\r\n\r\n") else 1
                self._handshake(event)
        if protocol.writes:
            self._flush()
        if protocol.eof_sent:
            self.endpoint.turns.hear_all()
            self._ends()

    def eof_received(self) -> bool:
        self._protocol.receive_eof()
        self._flush()
        return False

    def _frame(self, event: Frame) -> None:
        if event.opcode is Opcode.TEXT:
            if event.fin:
                self.endpoint.turns.hear(self, bytes(event.data), yields=self.yields)
                return
            self._fragments = [bytes(event.data)]
        elif event.opcode is Opcode.CONT and self._fragments is not None:
            self._fragments.append(bytes(event.data))
            if event.fin:
                whole, self._fragments = b"".join(self._fragments), None
                self.endpoint.turns.hear(self, whole, yields=self.yields)
                return
        self.heard_at = self.endpoint.now()
        if event.opcode is Opcode.PONG and self._ping is not None and event.data == self._ping[0]:
            self._lags = [*self._lags[1 - PINGS_KEPT :], self.heard_at - self._ping[1]]
            self.lag_s, self._ping = min(*self._lags, self._round_trip_s()), None
            return
        is_fast = self._is_too_fast()
        if event.opcode is Opcode.BINARY:
            self.endpoint.turns.hear_all()
            self.drop("bad_line", "messages are text frames")
        elif is_fast:
            self.endpoint.turns.hear_all()
            self._drop_fast()

    def heard(self, content: bytes) -> None:
        """Process a message when its turn comes."""
        if self.is_welcome and not self.closing:
            self.heard_at = self.said_at = self.endpoint.now()
            if self.is_on_probation and not self._may_stay(content):
                return
            if self.endpoint.hear(self, self.address, content):
                return
            if self._is_too_fast(min(1.0 + len(content) / LONG_BYTES, self.endpoint.limits.burst / 2)):
                self._drop_fast()

    def _may_stay(self, content: bytes) -> bool:
        """Return whether a client that needs a token may stay after this message. After a `join` the token may still
        follow."""
        is_return = self.endpoint.is_return(content)
        if is_return is False:
            self.drop("full", FULL)
            return False
        self.is_on_probation = is_return is None
        return True

    def _is_too_fast(self, cost: float = 1.0) -> bool:
        """Return whether the rate limit is exceeded. All frames count except expected answers, even pings and empty
        fragments."""
        limits = self.endpoint.limits
        return not self._bucket.take(cost, limits.messages_per_s, limits.burst, self.heard_at)

    def _drop_fast(self) -> None:
        self.drop("too_fast", f"more than {self.endpoint.limits.messages_per_s:g} messages a second")

    def _handshake(self, request: Request) -> None:
        protocol, endpoint = self._protocol, self.endpoint
        if protocol.eof_sent:  # invalid data followed before the handshake was answered
            return
        headers = request.headers
        is_proxied = not self.is_counted
        if is_proxied:
            self.address = forwarded(headers.get_all("X-Forwarded-For")) or self.address
            self._count()
        any_name = endpoint.any_name or is_proxied
        if endpoint.is_banned(self.address):
            self.reply(BANNED)
            return
        if "Upgrade" not in headers:
            if not is_named_rightly(headers, endpoint.origins, any_name=any_name):
                self.reply(OTHER_NAME)
                return
            self._wishes = headers
            endpoint.page(request.path.partition("?")[0], self.address, headers, self.reply)
            return
        if self._is_head:
            self.reply(NO_METHOD)
            return
        if endpoint.crowd(self.address) > endpoint.limits.connections_each:
            words = "too many connections from your address\n"
            protocol.send_response(protocol.reject(HTTPStatus.TOO_MANY_REQUESTS, words))
        elif not is_let_in(headers, endpoint.origins, any_name=any_name):
            words = "pages from other sites may not connect; the server's owner can allow one with --origin\n"
            protocol.send_response(protocol.reject(HTTPStatus.FORBIDDEN, words))
        elif not endpoint.admit(self, bearer(headers)):
            protocol.send_response(protocol.reject(HTTPStatus.SERVICE_UNAVAILABLE, "too many connections\n"))
        else:
            protocol.send_response(protocol.accept(request))
        if protocol.state is State.OPEN:
            self._flush()
            self.is_welcome = True
            self.post(HELLO)
            endpoint.welcome(self)

    def _first(self, data: bytes) -> bytes:
        """Buffer the first bytes until the method is known, and turn HEAD into GET, the only method `websockets`
        accepts."""
        data = self._early + data
        method, space, _ = data[:LONGEST_METHOD].partition(b" ")
        if not space and len(data) < LONGEST_METHOD and method.isalpha():
            self._early = data
            return b""
        self._early = b""
        self._is_head = method == b"HEAD"
        if self._is_head:
            return b"GET" + data[4:]
        if method != b"GET" and method.isalpha() and len(method) < LONGEST_METHOD:
            self.reply(NO_METHOD)
        return data

    def reply(self, page: HttpPage) -> None:
        """Send a page and close the connection."""
        if self._protocol.eof_sent or self._transport.is_closing():
            return
        if self._wishes is not None:
            page = page.packed(self._wishes)
            self._transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, READING_BYTES)
        self._protocol.send_response(page.response(is_head=bool(self._is_head)))
        self._flush()
        self._ends()

    def _count(self) -> None:
        self.is_counted = True
        self.endpoint.count(self)

    # Sending

    @property
    def is_busy(self) -> bool:
        """Whether the client has not yet read more than BUSY_BYTES of what was sent."""
        return self._transport.get_write_buffer_size() + sum(map(len, self._unsent)) > BUSY_BYTES

    def post(self, content: bytes) -> None:
        if not self.closing:
            self._due()
            self._append(_text_header(len(content)) + content)

    def post_request(self, request: GameRequest[Any, Any, Any]) -> None:
        """Queue a request. It is encoded only when it is sent, while the data is still in the CPU cache."""
        if not self.closing:
            self._due()
            self._request = request

    def _due(self) -> None:
        """Schedule sending at the end of the turn, in the order in which messages were posted."""
        if self._request is not None:
            self._append(bytes(_framed(self._request)))
            self._request = None
        elif not self._unsent:
            self.endpoint.turns.send(self)

    def _append(self, content: bytes) -> None:
        self._unsent.append(content)
        if len(self._unsent) >= MANY_UNSENT:
            self.endpoint.turns.send_early(self)

    def send(self) -> None:
        """Write the posted messages to the socket."""
        request, unsent, transport = self._request, self._unsent, self._transport
        if request is None and not unsent:
            return
        self._request, self._unsent = None, []
        if self._protocol.eof_sent or transport.is_closing() or self.endpoint.turns.is_broken:
            return
        content: bytes | bytearray
        if request is None:
            content = b"".join(unsent)
        elif unsent:
            content = b"".join((*unsent, _framed(request)))
        else:
            content = _framed(request)
        sent = 0
        if self._file is not None and not transport.get_write_buffer_size():
            try:
                sent = os.write(self._file, content)
            except OSError:  # the buffer is full or the client is gone: the transport handles both
                sent = 0
        if sent < len(content):
            transport.write(bytes(content[sent:]))
            if transport.get_write_buffer_size() > self.endpoint.limits.unread_bytes:
                self.drop("too_slow", "you are reading too slowly")

    def drop(self, code: str, message: str) -> None:
        """Send a fatal error and close the connection after a short time to read it."""
        if self.closing:
            return
        self._dropped(code)
        protocol = self._protocol
        if protocol.state is not State.OPEN:
            self._transport.abort()
            return
        protocol.send_text(frame(Error(code, message, fatal=True)))
        protocol.send_close(CLOSE_CODES.get(code, CloseCode.POLICY_VIOLATION), message[:100])
        self._flush()

    def yield_to_people(self, *, yields: bool) -> None:
        """Process messages of other connections first from now on. Never undone, so that the order of messages is
        kept."""
        self.yields = self.yields or yields

    def measure(self) -> None:
        """Send a ping to measure the latency."""
        if self.is_welcome and not self.closing and self._protocol.state is State.OPEN:
            self._ping = secrets.token_bytes(8), self.endpoint.now()
            self._protocol.send_ping(self._ping[0])
            self._flush()

    def let_go(self) -> None:
        """Drop the connection at once to make room for another client."""
        self.drop("full", FULL)
        self._transport.close()

    def abort(self) -> None:
        """Abort the connection without sending a close frame."""
        self._transport.abort()

    def _dropped(self, code: str) -> None:
        self.closing = self.endpoint.now()
        self.endpoint.dropped[code] = self.endpoint.dropped.get(code, 0) + 1

    def _ends(self) -> None:
        """Close the connection after a page, an answered close frame or a protocol violation."""
        mistake = self._protocol.parser_exc
        if not self.closing:
            if mistake is not None:
                self._dropped("too_long" if isinstance(mistake, PayloadTooBig) else "bad_frame")
            self.closing = self.endpoint.now()
        if not self._transport.can_write_eof() and not self._transport.is_closing():
            self._transport.close()

    def _flush(self) -> None:
        """Write posted messages first, then the output of the websocket protocol."""
        if self._unsent or self._request is not None:
            self.endpoint.turns.settle()  # posted messages become valid only when the log is written
            self.send()
        transport = self._transport
        for data in self._protocol.data_to_send():
            if data:
                transport.write(data)
            elif transport.can_write_eof():
                transport.write_eof()

    def _wait_for_reader(self, now: float) -> None:
        """Abort a closing connection after a timeout. Keep it open while the client is still downloading a page."""
        left = self._transport.get_write_buffer_size() if self._wishes is not None else 0
        if left < self._unread:
            self.closing = now
        self._unread = left
        if now - self.closing > (READING_S if left else self.endpoint.limits.farewell_s):
            self._transport.abort()

    def tick(self, now: float) -> None:
        """Check the timeouts of the handshake, of silence and of closing."""
        limits = self.endpoint.limits
        if self.closing:
            self._wait_for_reader(now)
        elif not self.is_welcome:
            if now - self.opened_at > limits.handshake_s:
                self._transport.abort()
        elif self.is_on_probation and now - self.opened_at > limits.handshake_s:
            self.drop("full", FULL)
        elif now - self.heard_at > limits.silence_s:
            self.drop("silent", f"no sign of life for {limits.silence_s:g} s")
        elif now - self.said_at > limits.idle_s and not self.endpoint.is_at_table(self):
            self.drop("idle", f"not at a table, and idle for {limits.idle_s:g} s")
        elif now - max(self.heard_at, self.pinged_at) > limits.silence_s / 3:
            self.pinged_at = now
            self._protocol.send_ping(b"")
            self._flush()


def _wire_size(size: int) -> int:
    """Return the smallest size of a client frame with `size` bytes of payload."""
    return size + (6 if size < 126 else 8 if size < 65_536 else 14)


def _framed(request: GameRequest[Any, Any, Any]) -> bytes | bytearray:
    """Encode a request with its frame header. The returned buffer is valid until the next call."""
    _encode_into(request, _page, _MEDIUM.size)
    size = len(_page) - _MEDIUM.size
    if not SHORT <= size < LONG:
        return _text_header(size) + _page[_MEDIUM.size :]
    _MEDIUM.pack_into(_page, 0, WHOLE_TEXT, SHORT, size)
    return _page


def _text_header(size: int) -> bytes:
    """Return the header of a text frame from the server. The `websockets` library takes three times as long."""
    if size < SHORT:
        return bytes((WHOLE_TEXT, size))
    if size < LONG:
        return _MEDIUM.pack(WHOLE_TEXT, SHORT, size)
    return _LONG(WHOLE_TEXT, 127, size)
