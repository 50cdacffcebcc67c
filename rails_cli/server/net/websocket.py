"""A client connection: the `websockets` protocol on an asyncio transport, with rate and size limits."""

import asyncio
import logging
import math
import secrets
import socket
import struct
import sys
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from typing import cast

import msgspec
from websockets.datastructures import Headers
from websockets.exceptions import PayloadTooBig
from websockets.extensions.permessage_deflate import ServerPerMessageDeflateFactory
from websockets.frames import CloseCode, Frame, Opcode
from websockets.http11 import Request
from websockets.protocol import State
from websockets.server import ServerProtocol

from rails_cli.match.match import SERVER
from rails_cli.protocol.lines import frame
from rails_cli.protocol.messages import MAX_LINE, PROTOCOL, Error, Hello, Join
from rails_cli.server.net.address import forwarded
from rails_cli.server.net.admission import Admission
from rails_cli.server.net.bucket import Bucket
from rails_cli.server.net.http import BAD_REQUEST, Download, HttpPage, Reply
from rails_cli.server.settings import ConnectionLimits
from rails_cli.server.turn import MOST_MESSAGES, Turn

HELLO = frame(Hello(protocol=PROTOCOL, server=SERVER, max_line=MAX_LINE))
NO_JOIN = Join()
FULL = "the server is full: the places that are left are for players who come back with their token"
IGNORED_LIMIT = 262_144
"""Maximum number of bytes that are read from a connection after the server began to close it."""
BUSY_BYTES = 131_072
"""Number of unsent bytes above which a connection is busy."""
LONG_BYTES = 16_384
"""Number of bytes that cost as much as one message in the rate limit. An expected move costs nothing."""
PINGS_KEPT = 3
"""Number of the latest round-trip times that are kept."""
SLICE = 4096
"""Number of bytes parsed at a time. So a client that sends too much is dropped before all its bytes are parsed."""
CLOSE_CODES = dict.fromkeys(("shutdown", "silent", "idle"), CloseCode.GOING_AWAY)
CLOSE_CODES["bad_line"] = CloseCode.UNSUPPORTED_DATA
DEFLATE = ServerPerMessageDeflateFactory(
    client_no_context_takeover=True,
    server_max_window_bits=15,
    client_max_window_bits=12,
    compress_settings={"memLevel": 5},
)
"""Compression of messages, with about 144 kB of memory per connection.

The compression window is large enough to contain the last positions that were sent.
"""
TEXT_FRAME = 0x81
"""First byte of a frame that is a whole text message."""
SHORT_HEADER = struct.Struct("!BBH")
"""Format of the header of a frame with 126 to LONGEST_SHORT_FRAME bytes: first byte, the number 126, and the size."""
LONGEST_SHORT_FRAME = 65_535
"""Maximum number of bytes of a frame whose size is sent as 16 bits."""
_ROUND_TRIP = struct.Struct("=68xI")
"""Format of the start of Linux's `tcp_info` structure. Its value is `tcpi_rtt`, the round trip time in microseconds."""

_silent = logging.getLogger("rails_cli.websockets")
_silent.addHandler(logging.NullHandler())
_silent.propagate = False
_silent.setLevel(logging.CRITICAL)


class Endpoint:
    """The parts of the server that every client connection uses."""

    turn: Turn
    admission: Admission
    limits: ConnectionLimits
    now: Callable[[], float]
    connection_count: int = 0
    """Number of connections since the server started."""
    dropped: Counter[str]
    """Number of connections that the server closed because of an error, by error code."""
    connected: Callable[["WebSocket"], None]
    """Callback after the handshake of a connection."""
    disconnected: Callable[["WebSocket"], None]
    """Callback after a connection was closed. It is called only if `connected` was called for the connection."""
    is_return: Callable[[bytes], bool | None]
    """Callback that returns whether a message contains a valid token of a seat or of a pool entrant.

    It returns None if the message may precede the message with the token.
    """
    page: Callable[[str, str, Headers, Reply], None]
    """Callback that answers an HTTP request.

    Its arguments are the path, the client address, the request headers, and a function that sends the page.
    """


class WebSocket(asyncio.Protocol):
    """A client connection. It accepts one HTTP request, which may turn the connection into a websocket."""

    __slots__ = (
        *("_bucket", "_download", "_fragments", "_ignored", "_is_registered", "_lags", "_ping", "_pinged_at"),
        *("_protocol", "_transport", "_yields", "address", "closing_since", "endpoint", "is_from_proxy", "is_open"),
        *("end_code", "join", "lag_s", "message_at", "needs_token", "number", "opened_at", "outbox", "received_at"),
    )

    def __init__(self, endpoint: Endpoint) -> None:
        now = endpoint.now()
        self.endpoint = endpoint
        endpoint.connection_count += 1
        self.number = endpoint.connection_count
        self.end_code: str | None = None
        """Code of the error with which the server closed the connection. None if the server did not close it."""
        self.join = NO_JOIN
        self.address = ""
        self.is_from_proxy = False
        self.needs_token = False
        """Whether the client must still send the token of a seat or of a pool entrant, or else is disconnected."""
        self.lag_s = 0.0
        self.closing_since = 0.0
        """Time on the server's clock, in seconds, at which the server began to close the connection. 0 before that."""
        self.opened_at = self.received_at = self.message_at = self._pinged_at = now
        self.is_open = False
        """Whether received messages are processed: from the handshake until closing begins."""
        self._is_registered = False
        """Whether `connected` was called for this connection, but `disconnected` was not yet called."""
        self._yields = False
        """Whether messages of other connections are processed before messages of this connection."""
        self._lags: list[float] = []
        """Recent ping times in seconds.

        The shortest of them is used, because load on this machine lengthens ping times.
        """
        self._ping: tuple[bytes, float] | None = None
        """Random payload of the last ping and the time at which it was sent. None if no answer is expected."""
        self._bucket = Bucket(endpoint.limits.burst, now)
        self._ignored = 0
        """Bytes received since closing began."""
        self._download: Download | None = None
        self.outbox: list[bytes] = []
        """Messages to send. They are compressed when they are sent, because compression depends on their order."""
        self._fragments: list[bytes] = []
        self._protocol = ServerProtocol(max_size=MAX_LINE, logger=_silent)
        self._transport: asyncio.Transport = cast(asyncio.Transport, None)

    # Opening and closing

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self.address, self.is_from_proxy = self.endpoint.admission.address_of(transport)
        if not self.endpoint.admission.add(self):
            self._transport.abort()

    def connection_lost(self, error: Exception | None) -> None:
        self.endpoint.turn.process_all()
        self.endpoint.admission.remove(self)
        self.is_open = False
        if self._is_registered:
            self._is_registered = False
            self.endpoint.disconnected(self)

    def _handshake(self, request: Request) -> None:
        protocol, endpoint = self._protocol, self.endpoint
        if protocol.eof_sent:  # invalid data followed before the handshake was answered
            return
        headers = request.headers
        if self.is_from_proxy:
            self.address = forwarded(headers.get_all("X-Forwarded-For")) or self.address
            endpoint.admission.count(self)
        refusal = endpoint.admission.refusal(self, request)
        if refusal is not None:
            self._respond(refusal)
        elif "Upgrade" not in headers:
            self._download = Download(request, self._transport)
            endpoint.page(request.path.partition("?")[0], self.address, headers, self._respond)
        else:
            if "Origin" in headers:  # a browser. Compression would double the work of a move for fast bots
                protocol.available_extensions = [DEFLATE]
            protocol.send_response(protocol.accept(request))
            self._flush_protocol()
            if protocol.state is State.OPEN:
                self.is_open = self._is_registered = True
                self.post(HELLO)
                endpoint.connected(self)

    def _respond(self, page: HttpPage) -> None:
        """Send an HTTP response and close the connection."""
        if self._protocol.eof_sent or self._transport.is_closing():
            return
        download = self._download
        self._protocol.send_response(
            page.response() if download is None else download.response(page, self.endpoint.now())
        )
        self._flush_protocol()
        self._end()

    def drop(self, code: str, message: str, retry_s: float | msgspec.UnsetType = msgspec.UNSET) -> None:
        """Send a fatal error with `code` and `message` to the client, then close the connection.

        `retry_s` is the number of seconds after which the client should connect again, if known.
        """
        if self.closing_since:
            return
        if self.outbox:
            self.endpoint.turn.files.flush()
            self.flush()
        self._begin_closing(code)
        protocol = self._protocol
        if protocol.state is not State.OPEN:
            self._transport.abort()
            return
        protocol.send_text(frame(Error(code, message, fatal=True, retry_s=retry_s)))
        protocol.send_close(CLOSE_CODES.get(code, CloseCode.POLICY_VIOLATION), message[:100])
        self._flush_protocol()

    def make_room(self) -> None:
        """Send an error to the client and close the connection at once, to make room for another client."""
        self.drop("full", FULL)
        self._transport.close()

    def abort(self) -> None:
        """Abort the connection without sending a close frame."""
        self._transport.abort()

    def _begin_closing(self, code: str | None) -> None:
        self.closing_since, self.is_open = self.endpoint.now(), False
        self.end_code = code
        if code is not None:
            self.endpoint.dropped[code] += 1

    def _end(self) -> None:
        """Close the connection after an HTTP response, a close frame or a protocol violation."""
        mistake = self._protocol.parser_exc
        if not self.closing_since:
            self._begin_closing(
                None if mistake is None else "too_long" if isinstance(mistake, PayloadTooBig) else "bad_frame"
            )
        if not self._transport.can_write_eof() and not self._transport.is_closing():
            self._transport.close()

    # Receiving

    def data_received(self, data: bytes) -> None:
        turn = self.endpoint.turn
        for start in range(0, len(data), SLICE):
            if start:
                turn.process_all()  # process the queue, so that a flood is noticed
            if self.closing_since and self._is_ignored(len(data) - start):
                return
            protocol = self._protocol
            protocol.receive_data(data[start : start + SLICE])
            if protocol.handshake_exc is not None and protocol.writes == [b""]:
                protocol.writes.insert(0, BAD_REQUEST.response().serialize())  # the library only closes the connection
            if protocol.writes:
                self._flush_protocol()
            for event in protocol.events_received():
                if type(event) is not Frame:
                    self._handshake(cast(Request, event))
                    continue
                is_whole = event.opcode is Opcode.TEXT and event.fin
                content = bytes(event.data) if is_whole else self._receive_other(event)
                if content is not None and self.is_open:
                    self.received_at = self.message_at = self.endpoint.now()
                    if not self.needs_token or self._may_stay(content):
                        queue = turn.yielding if self._yields else turn.inbox
                        queue.append((self, content, self.received_at))
            if turn.scheduled is None and (turn.inbox or turn.yielding):
                turn.scheduled = turn.soon(turn.process_queues)
            if protocol.eof_sent or len(turn.inbox) + len(turn.yielding) >= MOST_MESSAGES:
                turn.process_all()
            if protocol.eof_sent:
                self._end()

    def _is_ignored(self, size: int) -> bool:
        """Count `size` bytes that arrived after the server began to close the connection. Return whether to skip them.

        The first SLICE bytes are still parsed. After IGNORED_LIMIT bytes, reading stops.
        """
        self._ignored += size
        if self._ignored > IGNORED_LIMIT:
            self._transport.pause_reading()
        return self._ignored > SLICE

    def eof_received(self) -> bool:
        self._protocol.receive_eof()
        self._flush_protocol()
        return False

    def _receive_other(self, event: Frame) -> bytes | None:
        """Process a control frame or a part of a message. Return the message that the frame completes, or None."""
        if event.opcode is Opcode.TEXT or event.opcode is Opcode.CONT:
            self._fragments.append(bytes(event.data))
            if event.fin:
                whole, self._fragments = b"".join(self._fragments), []
                return whole
        self.received_at = self.endpoint.now()
        if event.opcode is Opcode.PONG and self._ping is not None and event.data == self._ping[0]:
            self._lags = [*self._lags[1 - PINGS_KEPT :], self.received_at - self._ping[1]]
            self.lag_s, self._ping = min(*self._lags, self._round_trip_s()), None
        elif event.opcode is Opcode.BINARY:
            self.endpoint.turn.process_all()
            self.drop("bad_line", "messages are text frames")
        elif not self._take(1.0):
            self.endpoint.turn.process_all()
            self._drop_fast()
        return None

    def _may_stay(self, content: bytes) -> bool:
        """Return whether a client that must send a token may stay connected after the message `content`.

        It may stay if the message has a valid token, or is of a kind that may precede the token. Otherwise, disconnect
        the client.
        """
        is_return = self.endpoint.is_return(content)
        if is_return is False:
            self.drop("full", FULL)
            return False
        self.needs_token = is_return is None
        return True

    def charge(self, size: int) -> None:
        """Count a message of `size` bytes, which was not an expected move, towards the rate limit of the client.

        Drop the client if it exceeds the limit.
        """
        if not self._take(min(1.0 + size / LONG_BYTES, self.endpoint.limits.burst / 2)):
            self._drop_fast()

    def _take(self, cost: float) -> bool:
        """Count a frame with the given cost towards the rate limit. Return False if the client exceeds the limit."""
        limits = self.endpoint.limits
        return self._bucket.take(cost, limits.messages_per_s, limits.burst, self.received_at)

    def _drop_fast(self) -> None:
        self.drop("too_fast", f"more than {self.endpoint.limits.messages_per_s:g} messages a second")

    def yield_to_people(self, *, yields: bool) -> None:
        """If `yields`, process messages of other connections before messages of this connection from now on."""
        self._yields = self._yields or yields

    # Sending

    @property
    def is_busy(self) -> bool:
        """Whether more than BUSY_BYTES bytes are waiting to be sent, because the client reads slowly."""
        return self._transport.get_write_buffer_size() + sum(map(len, self.outbox)) > BUSY_BYTES

    def post(self, content: bytes) -> None:
        """Queue an encoded message. It is sent at the end of the current turn of the event loop."""
        if not self.closing_since:
            self.outbox.append(content)
            self.endpoint.turn.send(self)

    def flush(self) -> None:
        """Send the messages in the outbox. The log lines that the messages depend on must already be written."""
        outbox, self.outbox = self.outbox, []
        transport, protocol, endpoint = self._transport, self._protocol, self.endpoint
        if not outbox or self.closing_since or protocol.eof_sent or transport.is_closing():
            return
        if endpoint.turn.files.is_broken:
            return
        if transport.get_write_buffer_size() > endpoint.limits.unread_bytes:
            self.drop("too_slow", "you are reading too slowly")
            return
        frames = []
        for content in outbox:
            size = len(content)
            if protocol.extensions or size > LONGEST_SHORT_FRAME:
                frames.append(Frame(Opcode.TEXT, content).serialize(mask=False, extensions=protocol.extensions))
            else:  # the `websockets` library would take three times as long
                header = bytes((TEXT_FRAME, size)) if size < 126 else SHORT_HEADER.pack(TEXT_FRAME, 126, size)
                frames += (header, content)
        transport.write(b"".join(frames))

    def _flush_protocol(self) -> None:
        """Write the messages in the outbox to the socket, then the data that the `websockets` library wants to send."""
        if self.outbox:
            self.endpoint.turn.files.flush()
            self.flush()
        transport = self._transport
        for data in self._protocol.data_to_send():
            if data:
                transport.write(data)
            elif transport.can_write_eof():
                transport.write_eof()

    # Latency and timeouts

    def measure(self) -> None:
        """Send a ping to measure the round trip time of the connection."""
        if self.is_open and self._protocol.state is State.OPEN:
            self._ping = secrets.token_bytes(8), self.endpoint.now()
            self._protocol.send_ping(self._ping[0])
            self._flush_protocol()

    def _round_trip_s(self) -> float:
        """Return the TCP round trip time in seconds. A client that answers pings late does not change this time.

        Infinite if the operating system does not report the time or the connection comes from a proxy.
        """
        if sys.platform == "linux" and not self.is_from_proxy:
            with suppress(OSError, AttributeError, struct.error):  # not a TCP socket, or closed
                tcp_info = self._transport.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 72)
                return int(_ROUND_TRIP.unpack(tcp_info)[0]) / 1e6
        return math.inf

    def tick(self, now: float) -> None:
        """Close the connection if its handshake, silence, idle time or closing lasts too long. Ping a silent client."""
        limits = self.endpoint.limits
        if self.closing_since:
            if self._download is not None:
                is_over = self._download.is_over(now, limits.close_s)
            else:
                is_over = now - self.closing_since > limits.close_s
            if is_over:
                self._transport.abort()
        elif not self._is_registered:
            if now - self.opened_at > limits.handshake_s:
                self._transport.abort()
        elif self.needs_token and now - self.opened_at > limits.handshake_s:
            self.drop("full", FULL)
        elif now - self.received_at > limits.silence_s:
            self.drop("silent", f"no sign of life for {limits.silence_s:g} s")
        elif now - self.message_at > limits.idle_s and not self.endpoint.admission.is_at_table(self):
            self.drop("idle", f"not at a table, and idle for {limits.idle_s:g} s")
        elif now - max(self.received_at, self._pinged_at) > limits.silence_s / 3:
            self._pinged_at = now
            self._protocol.send_ping(b"")
            self._flush_protocol()
