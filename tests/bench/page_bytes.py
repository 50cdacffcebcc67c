"""Bytes that a page receives over its websocket: for the start of a game against bots, and for each shown position.

A client sends the same messages as the page and offers the same compression as a browser. It counts the bytes of the
frames on the wire, with their headers.
"""

import json
import os
import socket
import statistics
import tempfile
import zlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from rails_cli.games import GAME_NAMES
from tests.support.ws_client import ServerProcess

Json = dict[str, Any]
SEATS = [None, "builtin:easy", "builtin:easy"]
JOIN = {"type": "join", "name": "Anna", "view": "none", "board": False, "undo": True}
TAIL = b"\x00\x00\xff\xff"
"""End of a compressed message, which is not sent (RFC 7692)."""


class Received(NamedTuple):
    """A message with its size in bytes on the wire and its size without compression."""

    message: Json
    wire: int
    plain: int


class PageClient:
    """A client that talks to a server like the page in a browser, and counts the bytes that it receives."""

    def __init__(self, port: int) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=60)
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
        """Return the next message. Answer pings."""
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

    def messages(self) -> Iterator[Json]:
        while True:
            yield self.receive()


def start_game(client: PageClient, game: str) -> None:
    """Begin a game against bots like the page. Return when the first question is shown."""
    client.until("hello")
    client.send(type="list", ref="p1")
    client.until("tables")
    client.send(type="create", game=game, players=len(SEATS), seats=SEATS, ref="p2")
    created = client.until("created")
    client.send(type="sit", table=created["table"]["table"], seat=0, name="Anna", ref="p3")
    token = client.until("seated")["token"]
    client.send(**JOIN)
    client.send(type="show")
    client.send(type="chat", ref="p4")
    client.send(type="resume", token=token, ref="p5")
    while not client.until("shown")["question"]:
        pass


def play_on(client: PageClient, chance: Random) -> None:
    """Answer questions at random until the game has ended and its result is shown."""
    shown = client.received[-1].message
    while not shown["result"]:
        question = shown["question"]
        if question and question["choices"]:
            action = chance.choice(question["choices"])["action"]
            client.send(type="action", number=question["number"], action=action)
        shown = client.until("shown")


def measure(port: int, game: str) -> tuple[list[Received], list[Received]]:
    """Return the messages at the start of a game against bots, and the messages after it."""
    client = PageClient(port)
    start_game(client, game)
    start = len(client.received)
    play_on(client, Random(1))
    client.close()
    return client.received[:start], client.received[start:]


def by_type(messages: list[Received]) -> str:
    """Return the number and the bytes of the messages of each type as text."""
    count, wire = Counter[str](), Counter[str]()
    for message, size, _ in messages:
        count[message["type"]] += 1
        wire[message["type"]] += size
    return ", ".join(f"{count[kind]} {kind} {size:,}" for kind, size in wire.most_common())


def main() -> None:
    """Print the bytes for the start of each game and for each shown position."""
    print("\nBytes that a page receives (compressed, uncompressed)")
    with tempfile.TemporaryDirectory() as folder, ServerProcess(Path(folder)) as server:
        for game in GAME_NAMES:
            start, later = measure(server.port, game)
            print(f"{game}: start {sum(one.wire for one in start):,} ({sum(one.plain for one in start):,})")
            shown = [one for one in later if one.message["type"] == "shown"]
            wires = sorted(one.wire for one in shown)
            print(
                f"  {len(shown)} positions shown: median {statistics.median(wires):,.0f} "
                f"({statistics.median(one.plain for one in shown):,.0f}), 90 % {wires[len(wires) * 9 // 10]:,}, "
                f"most {wires[-1]:,}; all later messages {sum(one.wire for one in later):,}"
            )
            if os.environ.get("RAILS_BENCH_TYPES"):
                print(f"  start: {by_type(start)}\n  later: {by_type(later)}")


if __name__ == "__main__":
    main()
