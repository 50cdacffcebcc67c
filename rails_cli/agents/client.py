"""A bot that starts an MCP client, such as the program of a language model. The client plays the matches of a referee.

The client starts the MCP server `rails-cli mcp --seat`, which connects to a Unix socket of the bot. The bot passes
lines between the referee and this MCP server. The referee is at the standard input and output of the bot.
"""

import os
import select
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from rails_cli.agents.seat import JOIN, AgentError, Request
from rails_cli.protocol.lines import encode
from rails_cli.protocol.messages import Again, type_of

SEAT_VARIABLE = "RAILS_CLI_SEAT"
"""Name of an environment variable of the client. Its value is the path of the socket for `rails-cli mcp --seat`."""
SEAT_WORD = "{seat}"
"""Text in the command of the client that is replaced by the path of the socket."""
CONNECT_S = 60.0
"""Seconds in which the MCP server of a new client must connect to the socket."""
GRACE_S = 10.0
"""Seconds that a client has to exit, or to ask for another game, after the end of a game."""
POLL_S = 0.1
"""Seconds between two checks whether the client has ended, while its connection is awaited."""
BLOCK_BYTES = 1 << 16

_REQUEST = msgspec.json.Decoder(Request)


class ClientBot:
    """A bot that starts an MCP client for a match and passes messages between the referee and the client.

    After the match, the client may exit. If its MCP server asks for the next game instead, the same client plays that
    game.
    """

    def __init__(self, command: Sequence[str], folder: Path, source: int, sink: int) -> None:
        """Listen at a socket in `folder`, to which the MCP server of the client connects.

        `command` is the command line that starts a client. `source` and `sink` are file descriptors: messages of the
        referee are read from `source`, and answers are written to `sink`.
        """
        path = str(folder / "seat")
        self._command = [word.replace(SEAT_WORD, path) for word in command]
        self._environment: Mapping[str, str] = {**os.environ, SEAT_VARIABLE: path}
        self._source, self._sink = source, sink
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(path)
        self._listener.listen()
        self._listener.settimeout(POLL_S)
        self._client: subprocess.Popen[bytes] | None = None
        self._connection: socket.socket | None = None
        self._has_text = False
        """Whether the bot has received a request with the position as text.

        The referee may send the first request before it has read that the bot wants text. The bot then asks for the
        request again.
        """

    def play(self) -> None:
        """Play all matches, until the referee closes the connection. Raise AgentError if a client fails in a match."""
        try:
            for line in self._lines():
                match type_of(line):
                    case "hello":
                        self._answer(encode(JOIN))
                    case "start":
                        if self._connection is None:
                            self._start_client()
                        self._pass_on(line)
                    case "request" if not self._has_text and _REQUEST.decode(line).text is None:
                        self._answer(encode(Again()))
                    case "request":
                        self._has_text = True
                        self._pass_on(line)
                    case "end":
                        self._pass_on(line)
                        self._let_client_go()
                    case _:
                        self._pass_on(line)
        finally:
            self._end_client()
            self._listener.close()

    def _lines(self) -> Iterator[bytes]:
        """Yield the lines of the referee. Meanwhile, pass the answers of the client on to the referee."""
        rest = b""
        while True:
            watched = [self._source] + ([] if self._connection is None else [self._connection.fileno()])
            ready, _, _ = select.select(watched, [], [])
            if self._connection is not None and self._connection.fileno() in ready:
                answer = self._connection.recv(BLOCK_BYTES)
                if not answer:
                    raise AgentError("the client has left its seat before the end of the game")
                self._answer(answer)
            if self._source in ready:
                block = os.read(self._source, BLOCK_BYTES)
                if not block:
                    return
                *lines, rest = (rest + block).split(b"\n")
                for line in lines:
                    yield line + b"\n"

    def _answer(self, content: bytes) -> None:
        while content:
            content = content[os.write(self._sink, content) :]

    def _pass_on(self, line: bytes) -> None:
        if self._connection is not None:
            self._connection.sendall(line)

    def _start_client(self) -> None:
        """Start the client, and wait until its MCP server has connected. The output of the client goes to stderr."""
        self._client = subprocess.Popen(
            self._command, stdin=subprocess.DEVNULL, stdout=sys.stderr, env=self._environment
        )
        for _ in range(int(CONNECT_S / POLL_S)):
            try:
                self._connection, _ = self._listener.accept()
            except TimeoutError:
                if self._client.poll() is not None:
                    raise AgentError("the client has ended without taking its seat") from None
            else:
                self._connection.setblocking(True)
                return
        raise AgentError(f"the client has not taken its seat in {CONNECT_S:g} s; it must start `rails-cli mcp --seat`")

    def _let_client_go(self) -> None:
        """After a game, wait until the client asks for the next game or exits. Stop the client if it does neither."""
        assert self._connection is not None
        ready, _, _ = select.select([self._connection], [], [], GRACE_S)
        if not ready or not self._connection.recv(BLOCK_BYTES):
            self._end_client()

    def _end_client(self) -> None:
        """Close the connection, which ends the game of the client. Stop the client if it does not exit."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        if self._client is not None:
            try:
                self._client.wait(GRACE_S)
            except subprocess.TimeoutExpired:
                self._client.kill()
                self._client.wait()
            self._client = None


def play_as_bot(command: Sequence[str]) -> None:
    """Play matches as a bot at standard input and output. `command` starts a client for each match.

    Raise AgentError if the client cannot be started, or fails in a match.
    """
    with TemporaryDirectory(prefix="rails-cli-") as folder:
        try:
            ClientBot(command, Path(folder), sys.stdin.fileno(), sys.stdout.fileno()).play()
        except OSError as error:
            raise AgentError(f"the client {command[0]} cannot play: {error.strerror or error}") from None
