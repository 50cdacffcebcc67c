"""A client that talks to a server like the page in a browser, and counts the bytes that it receives.

It offers the compression that browsers offer. It counts the frames on the wire, with their headers.
"""

import json
import socket
import zlib
from random import Random
from typing import Any, NamedTuple

from tests.support.waiting import HANG_S

Json = dict[str, Any]
SEATS = [None, "builtin:greedy", "builtin:greedy"]
JOIN = {"type": "join", "name": "Anna", "view": "none", "board": False, "undo": True}
TAIL = b"\x00\x00\xff\xff"
"""Last four bytes of each compressed message. These bytes are not sent (RFC 7692)."""


class Received(NamedTuple):
    """A message with its size in bytes on the wire and its size without compression."""

    message: Json
    wire: int
    plain: int


class PageClient:
    """A client that talks to a server like the page in a browser, and counts the bytes that it receives."""

    def __init__(self, port: int) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=HANG_S)
        self._reader = self._socket.makefile("rb")
        self._inflate = zlib.decompressobj(-zlib.MAX_WBITS)
        self._parts: list[bytes] = []
        self.received: list[Received] = []
        self._send_raw(
            f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nOrigin: http://127.0.0.1:{port}\r\n"
            "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
            "Sec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits\r\n\r\n".encode()
        )
        head = b"".join(iter(self._reader.readline, b"\r\n"))
        assert b"101" in head.split(b"\r\n")[0], head
        self.is_compressed = b"permessage-deflate" in head

    def close(self) -> None:
        self._reader.close()
        self._socket.close()

    def _send_raw(self, data: bytes) -> None:
        self._socket.sendall(data)

    def send(self, **message: Any) -> None:
        content = json.dumps(message).encode()
        size = len(content)
        header = bytes((0x81, 0x80 | size)) if size < 126 else bytes((0x81, 0xFE)) + size.to_bytes(2, "big")
        self._send_raw(header + bytes(4) + content)  # a mask of zeros leaves the content as it is

    def receive(self) -> Json:
        """Return the next message. Answer all pings that arrive before it."""
        while True:
            first, second = self._reader.read(2)
            size, header = second, 2
            if size in (126, 127):
                width = 2 if size == 126 else 8
                size, header = int.from_bytes(self._reader.read(width), "big"), 2 + width
            content = self._reader.read(size)
            if first & 0x0F == 9:
                self._send_raw(bytes((0x8A, 0x80 | size)) + bytes(4) + content)
                continue
            assert first & 0x8F == 0x81, f"expected a whole text message; received the first byte {first:#x}"
            text = self._inflate.decompress(content + TAIL) if first & 0x40 else content
            message: Json = json.loads(text)
            self.received.append(Received(message, header + size, len(text)))
            return message

    def until(self, *kinds: str) -> Json:
        """Return the next message of one of these types."""
        while True:
            message = self.receive()
            assert not message.get("fatal"), message
            if message["type"] in kinds:
                return message


def start_game(client: PageClient, game: str) -> None:
    """Begin a game against bots with the messages that the page sends. Return when the first question is shown."""
    client.until("hello")
    client.send(**JOIN)
    client.send(type="list", ref="p1")
    client.until("tables")
    client.send(type="create", game=game, players=len(SEATS), seats=SEATS, ref="p2")
    created = client.until("created")
    client.send(type="sit", table=created["table"]["table"], seat=0, name="Anna", ref="p3")
    client.until("seated")
    client.send(**JOIN)
    client.send(type="show")
    client.send(type="chat")
    while not client.until("shown")["question"]:
        pass


def play_on(client: PageClient, chance: Random, most: int | None = None) -> list[Received]:
    """Answer questions at random until the game has ended, or until `most` positions are shown.

    Return the messages with the positions shown.
    """
    found = [client.received[-1]]
    while not found[-1].message["result"] and len(found) - 1 != most:
        question = found[-1].message["question"]
        if question and question["choices"]:
            action = chance.choice(question["choices"])["action"]
            client.send(type="action", number=question["number"], action=action)
        client.until("shown")
        found.append(client.received[-1])
    return found[1:]
