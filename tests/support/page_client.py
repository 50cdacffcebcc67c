"""A client that talks to a server like the page in a browser, and counts the bytes that it receives.

It offers the compression that browsers offer. It counts the frames on the wire, with their headers.
"""

import json
import socket
from collections.abc import Iterator
from random import Random
from typing import Any, NamedTuple

from websockets.client import ClientProtocol
from websockets.extensions.permessage_deflate import ClientPerMessageDeflateFactory
from websockets.frames import Frame, Opcode
from websockets.typing import Origin
from websockets.uri import parse_uri

from tests.support.waiting import HANG_S

Json = dict[str, Any]
SEATS = [None, "builtin:greedy", "builtin:greedy"]
JOIN = {"type": "join", "name": "Anna", "view": "none", "board": False, "undo": True}


class Received(NamedTuple):
    """A message with its size in bytes on the wire and its size without compression."""

    message: Json
    wire: int
    plain: int


class PageClient:
    """A client that talks to a server like the page in a browser, and counts the bytes that it receives."""

    def __init__(self, port: int) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=HANG_S)
        self._protocol = ClientProtocol(
            parse_uri(f"ws://127.0.0.1:{port}/"),
            origin=Origin(f"http://127.0.0.1:{port}"),
            extensions=[ClientPerMessageDeflateFactory()],
            max_size=None,
        )
        self._messages = self._read_messages()
        self.received: list[Received] = []
        self._protocol.send_request(self._protocol.connect())
        self._flush()

    def close(self) -> None:
        self._socket.close()

    def _flush(self) -> None:
        self._socket.sendall(b"".join(self._protocol.data_to_send()))

    def _read_messages(self) -> Iterator[Received]:
        """Yield the messages. Pass one byte at a time to the library, to count the bytes of each message."""
        wire = 0
        while data := self._socket.recv(65_536):
            for byte in data:
                self._protocol.receive_data(bytes((byte,)))
                wire += 1
                for event in self._protocol.events_received():
                    if isinstance(event, Frame) and event.opcode is Opcode.TEXT:
                        yield Received(json.loads(bytes(event.data)), wire, len(event.data))
                    wire = 0
            self._flush()  # the library answers pings
        raise ConnectionError("the server has closed the connection")

    def send(self, **message: Any) -> None:
        self._protocol.send_text(json.dumps(message).encode())
        self._flush()

    def receive(self) -> Json:
        self.received.append(next(self._messages))
        return self.received[-1].message

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
