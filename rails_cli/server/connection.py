"""One websocket: the sans-I/O protocol of `websockets` driven by an asyncio transport, with limits on all it may do."""

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

from protocol.lines import frame
from protocol.messages import MAX_LINE, PROTOCOL, Error, Hello, Join
from protocol.messages import Request as GameRequest
from rails_cli.match.match import SERVER
from rails_cli.server.address import bearer, counted, exact, forwarded, is_let_in, is_named_rightly, share_of, shares
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
"""So many connections above a limit are still told so; more are closed without a word."""
IGNORED_LIMIT = 262_144
"""What a client may still send after it was dropped, before nobody reads it any more."""
BUSY_BYTES = 131_072
READING_BYTES = 65_536
"""So much of a page the system takes at once, so that it is seen whether its reader goes on."""
READING_S = 30.0
"""So long nothing of a page may be read before its reader counts as gone."""
LONGEST_METHOD = 20
LONG_BYTES = 16_384
"""So many bytes of a message that nobody waited for count as one more message."""
MANY_UNSENT = 20
"""Messages that wait for the end of the turn; with more, some go out earlier."""
PINGS_KEPT = 3
SLICE = 4096
"""So many bytes are read at once: of what comes then nothing is, if that was too much."""
CLOSE_CODES = dict.fromkeys(("shutdown", "silent", "idle"), CloseCode.GOING_AWAY)
CLOSE_CODES["bad_line"] = CloseCode.UNSUPPORTED_DATA

WHOLE_TEXT = 0x81
SHORT = 126
LONG = 65_536
"""From these sizes on a text has a longer header."""
_MEDIUM = struct.Struct("!BBH")
_LONG = struct.Struct("!BBQ").pack
_page = bytearray(_MEDIUM.size)
"""Requests are written here, each behind its header: to grow a page from nothing takes as long again."""
_encode_into = msgspec.json.Encoder().encode_into
_ROUND_TRIP = struct.Struct("=68xI")
"""The beginning of the `tcp_info` of Linux: `tcpi_rtt`, in microseconds."""

_silent = logging.getLogger("rails_cli.websockets")
_silent.addHandler(logging.NullHandler())
_silent.propagate = False
_silent.setLevel(logging.CRITICAL)


class Endpoint:
    """What all connections of a server share: who hears them, what they may do, and pages for those who only ask."""

    hear: Callable[["WebSocket", str, bytes], bool]
    welcome: Callable[["WebSocket"], None]
    goodbye: Callable[["WebSocket"], None]
    is_at_table: Callable[["WebSocket"], bool]
    page: Callable[[str, str, Headers, Reply], None]
    """Answers to one who asks for a path, from an address."""
    is_banned: Callable[[str], bool]
    turns: Turns
    limits: ConnectionLimits
    origins: list[str]
    any_name: bool = False
    """Whether pages of this server may connect by whatever name they reach it."""
    proxies: frozenset[str]
    now: Callable[[], float]
    is_return: Callable[[bytes], bool | None]
    """Whether a message brings the token of a seat; None if one may yet come."""
    is_holder: Callable[[str], bool]
    open: "set[WebSocket]"
    in_reserve: "set[WebSocket]"
    """Those who came when only places for holders of tokens were left."""
    by_address: "dict[str, set[WebSocket]]"
    """Those who are here from an address, and from a site of IPv6."""
    dropped: dict[str, int]

    def is_overrun(self, more: int = 0) -> bool:
        """Whether so many are here that nobody is told any more; `more` are on their way."""
        return len(self.open) + more > self.limits.connections + SPARE

    def is_overrun_from(self, address: str, more: int = 0) -> bool:
        """The same for those from one address."""
        return self.crowd(address) + more > self.limits.connections_each + SPARE

    def count(self, connection: "WebSocket") -> None:
        """It counts for its address, and the site of that."""
        for name, _ in shares(connection.address):
            self.by_address.setdefault(name, set()).add(connection)

    def discount(self, connection: "WebSocket") -> None:
        for name, _ in shares(connection.address):
            self.by_address[name].discard(connection)
            if not self.by_address[name]:
                del self.by_address[name]

    def crowd(self, address: str) -> int:
        """How many are here from an address, or from its site for each share of that."""
        return max(-(-len(self.by_address.get(name, ())) // share) for name, share in shares(address))

    def admit(self, newcomer: "WebSocket", token: str | None) -> bool:
        """Whether there is a place for one who has shaken hands. The last ones are for holders of tokens; who has not
        shown one yet must do so with the first message."""
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
        """Lets one go who is at no table, from where most are; but not for somebody from where half as many are."""
        most = 2 * max(1, self.crowd(newcomer.address))
        crowds = [(len(there) / share_of(name), name) for name, there in self.by_address.items() if len(there) > most]
        for crowd, name in sorted(crowds, reverse=True):
            if crowd <= most:
                break
            idle = [one for one in self.by_address[name] if not one.closing and not self.is_at_table(one)]
            if idle:
                min(idle, key=lambda one: one.said_at).let_go()
                return True
        return False


class WebSocket(asyncio.Protocol):
    """A client at the other end of a websocket."""

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
        """Whether only a token is worth a place here, and none has been shown yet."""
        self.yields = False
        """Whether others are heard before it."""
        self.lag_s = 0.0
        self._lags: list[float] = []
        """What pings took lately; the shortest counts, for a busy moment of this machine is nobody's lag."""
        self._ping: tuple[bytes, float] | None = None
        """What the last ping said, which nobody can foresee, and when."""
        self.closing = 0.0
        """When the end of the connection began; 0 before."""
        self.opened_at = self.heard_at = self.said_at = self.pinged_at = now
        self._bucket = Bucket(endpoint.limits.burst, now)
        self._ignored = 0
        self._early = b""
        self._is_head: bool | None = None
        """Whether only the head of a page is asked for; None before anything has come."""
        self._wishes: Headers | None = None
        """Those of one who asks for a page."""
        self._unread = 0
        """Bytes of a page that the system had not taken yet when somebody last looked."""
        self._unsent: list[bytes] = []
        self._request: GameRequest[Any, Any, Any] | None = None
        """The last of what is to be sent, if it is not written yet."""
        self._unframed = 0
        """Bytes that have come of a frame that is not whole yet; never less than there are."""
        self._fragments: list[bytes] | None = None
        self._protocol = ServerProtocol(max_size=MAX_LINE, logger=_silent)
        self._transport: asyncio.Transport = cast(asyncio.Transport, None)
        self._file: int | None = None
        """The socket, if what is sent goes there as it is: what it takes at once need not be copied for later."""

    # From the network

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
        """As the system measured it, which does not depend on when a program chooses to answer a ping; endless where it
        does not tell, and where it is only the way to a proxy."""
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
                self.endpoint.turns.hear_all()  # so that a flood is noticed
            if self.closing and self._is_ignored(data[at:]):
                return
            self._read(data[at : at + SLICE])

    def _is_ignored(self, data: bytes) -> bool:
        """One who was dropped may answer the farewell, no more; and who goes on for long is not read at all."""
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
        """A message, in its turn."""
        if self.is_welcome and not self.closing:
            self.heard_at = self.said_at = self.endpoint.now()
            if self.is_on_probation and not self._may_stay(content):
                return
            if self.endpoint.hear(self, self.address, content):
                return
            if self._is_too_fast(min(1.0 + len(content) / LONG_BYTES, self.endpoint.limits.burst / 2)):
                self._drop_fast()

    def _may_stay(self, content: bytes) -> bool:
        """Whether one who has to show a token may go on; with a wish he has not shown it yet."""
        is_return = self.endpoint.is_return(content)
        if is_return is False:
            self.drop("full", FULL)
            return False
        self.is_on_probation = is_return is None
        return True

    def _is_too_fast(self, cost: float = 1.0) -> bool:
        """Every frame counts but an answer that was waited for: pings and empty fragments cannot flood, either."""
        limits = self.endpoint.limits
        return not self._bucket.take(cost, limits.messages_per_s, limits.burst, self.heard_at)

    def _drop_fast(self) -> None:
        self.drop("too_fast", f"more than {self.endpoint.limits.messages_per_s:g} messages a second")

    def _handshake(self, request: Request) -> None:
        protocol, endpoint = self._protocol, self.endpoint
        if protocol.eof_sent:  # nonsense came with it, before it could be answered
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
        """The first bytes, kept until they tell the method: `websockets` knows none but GET."""
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
        """Sends a page, and ends the connection."""
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

    # To the network

    @property
    def is_busy(self) -> bool:
        """Whether much is on its way that the other end has not read yet."""
        return self._transport.get_write_buffer_size() + sum(map(len, self._unsent)) > BUSY_BYTES

    def post(self, content: bytes) -> None:
        if not self.closing:
            self._due()
            self._append(_text_header(len(content)) + content)

    def post_request(self, request: GameRequest[Any, Any, Any]) -> None:
        """It is written when it is sent: so it is still at hand for the system, and so is what writes it."""
        if not self.closing:
            self._due()
            self._request = request

    def _due(self) -> None:
        """Something is to be sent, after all that was posted before."""
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
        """Gives what was posted to the network."""
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
            except OSError:  # no room now, or the other end is gone: the transport knows what to do
                sent = 0
        if sent < len(content):
            transport.write(bytes(content[sent:]))
            if transport.get_write_buffer_size() > self.endpoint.limits.unread_bytes:
                self.drop("too_slow", "you are reading too slowly")

    def drop(self, code: str, message: str) -> None:
        """The last word; the other end has a moment to read it."""
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
        """Once it yields it goes on to: what it said would be heard in another order."""
        self.yields = self.yields or yields

    def measure(self) -> None:
        """Finds out how long messages are on their way."""
        if self.is_welcome and not self.closing and self._protocol.state is State.OPEN:
            self._ping = secrets.token_bytes(8), self.endpoint.now()
            self._protocol.send_ping(self._ping[0])
            self._flush()

    def let_go(self) -> None:
        """Makes room for somebody else, and waits for nothing."""
        self.drop("full", FULL)
        self._transport.close()

    def abort(self) -> None:
        """Ends the connection without a word."""
        self._transport.abort()

    def _dropped(self, code: str) -> None:
        self.closing = self.endpoint.now()
        self.endpoint.dropped[code] = self.endpoint.dropped.get(code, 0) + 1

    def _ends(self) -> None:
        """All is said: by a page, a farewell that was answered, or a frame that no client may send."""
        mistake = self._protocol.parser_exc
        if not self.closing:
            if mistake is not None:
                self._dropped("too_long" if isinstance(mistake, PayloadTooBig) else "bad_frame")
            self.closing = self.endpoint.now()
        if not self._transport.can_write_eof() and not self._transport.is_closing():
            self._transport.close()

    def _flush(self) -> None:
        """Gives all that is to be said to the network: what was posted, then what the protocol has to say."""
        if self._unsent or self._request is not None:
            self.endpoint.turns.settle()  # what was posted counts only when it is written down
            self.send()
        transport = self._transport
        for data in self._protocol.data_to_send():
            if data:
                transport.write(data)
            elif transport.can_write_eof():
                transport.write_eof()

    def _wait_for_reader(self, now: float) -> None:
        """One who still reads a page is waited for, however long that takes, as long as it goes on."""
        left = self._transport.get_write_buffer_size() if self._wishes is not None else 0
        if left < self._unread:
            self.closing = now
        self._unread = left
        if now - self.closing > (READING_S if left else self.endpoint.limits.farewell_s):
            self._transport.abort()

    def tick(self, now: float) -> None:
        """Looks for a handshake that does not come, a silence that lasts too long, a farewell that is not answered."""
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
    """The least that a frame from a client can take."""
    return size + (6 if size < 126 else 8 if size < 65_536 else 14)


def _framed(request: GameRequest[Any, Any, Any]) -> bytes | bytearray:
    """A request with its header, which stays until the next one is written."""
    _encode_into(request, _page, _MEDIUM.size)
    size = len(_page) - _MEDIUM.size
    if not SHORT <= size < LONG:
        return _text_header(size) + _page[_MEDIUM.size :]
    _MEDIUM.pack_into(_page, 0, WHOLE_TEXT, SHORT, size)
    return _page


def _text_header(size: int) -> bytes:
    """What stands before a text from a server: the `websockets` library takes three times as long for the same."""
    if size < SHORT:
        return bytes((WHOLE_TEXT, size))
    if size < LONG:
        return _MEDIUM.pack(WHOLE_TEXT, SHORT, size)
    return _LONG(WHOLE_TEXT, 127, size)
