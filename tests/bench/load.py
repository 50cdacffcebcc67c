"""A load generator: many websocket connections in one process, each using little CPU compared with the server."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")
HANDSHAKE = (
    b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)


class Talker(asyncio.Protocol):
    """One websocket connection of a load generator. It calls `message` for each text message received."""

    def __init__(self, load: "Generator") -> None:
        self.load = load
        self.unread = b""
        self.waiting: bytes | None = None
        self.is_open = False
        self.opened: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def message(self, content: bytes) -> None:
        """Handle a received message. Subclasses override this method."""

    def connection_made(self, transport: Any) -> None:
        self.transport = transport
        transport.write(HANDSHAKE)

    def connection_lost(self, error: Exception | None) -> None:
        if not self.load.is_closed:
            self.load.lost += 1

    def data_received(self, data: bytes) -> None:
        data = self.unread + data if self.unread else data
        if not self.is_open:
            head, blank, data = data.partition(b"\r\n\r\n")
            if not blank:
                self.unread = head
                return
            assert head.startswith(b"HTTP/1.1 101"), head
            self.is_open = True
            self.opened.set_result(None)
        at, size = 0, len(data)
        while size - at >= 2:
            length, start = data[at + 1], at + 2
            if length == 126:
                length, start = int.from_bytes(data[at + 2 : at + 4], "big"), at + 4
            elif length == 127:
                length, start = int.from_bytes(data[at + 2 : at + 10], "big"), at + 10
            if size < start + length or size < start:
                break
            kind = data[at] & 15
            at = start + length
            if kind == 1:
                self.message(data[start:at])
            elif kind == 9:
                self.transport.write(b"\x8a\x80\0\0\0\0")
        self.unread = data[at:]

    def say(self, content: bytes) -> None:
        """Send a text message. The websocket mask is zero, so the content is sent unchanged."""
        if len(content) < 126:
            self.transport.write(bytes((0x81, 0x80 | len(content))) + b"\0\0\0\0" + content)
        else:
            self.transport.write(b"\x81\xfe" + len(content).to_bytes(2, "big") + b"\0\0\0\0" + content)

    def answer(self, content: bytes) -> None:
        """Send a message and add 1 to the number of round trips.

        While the load is paused, keep the message and send it when the load continues.
        """
        if self.load.is_running:
            self.load.trips += 1
            self.say(content)
        else:
            self.waiting = content
            self.load.waiting.append(self)


class Generator:
    """All connections of the load generator to one server."""

    question = b'{"type":"action","number":123,"choice":2}'

    def __init__(self, port: int) -> None:
        self.port = port
        self.is_running = False
        self.is_closed = False
        self.trips = 0
        self.lost = 0
        self.ends = 0
        self.requests = 0
        self.bytes_heard = 0
        self.waiting: list[Talker] = []
        self.talkers: list[Talker] = []
        self.answers: asyncio.Queue[dict[str, Any]] = asyncio.Queue()

    async def connect(self, count: int, kind: type[Talker]) -> None:
        loop = asyncio.get_running_loop()
        for _ in range(count):
            _, talker = await loop.create_connection(lambda: kind(self), "127.0.0.1", self.port)
            self.talkers.append(talker)
            await talker.opened

    def resume(self) -> None:
        """Start or continue the load. Send all answers that were kept during the pause."""
        self.is_running = True
        waiting, self.waiting = self.waiting, []
        for talker in waiting:
            if talker.waiting is not None:
                content, talker.waiting = talker.waiting, None
                talker.answer(content)

    async def rest(self) -> None:
        """Pause the load: send no more answers, and wait until messages in transit have arrived."""
        self.is_running = False
        await asyncio.sleep(0.3)

    def close(self) -> None:
        self.is_closed = True
        for talker in self.talkers:
            talker.transport.close()


def loop_runner(main: Coroutine[Any, Any, T]) -> T:
    """Run `main` on the same kind of event loop as the servers: uvloop if installed."""
    try:
        import uvloop
    except ImportError:
        return asyncio.run(main)
    return uvloop.run(main)
