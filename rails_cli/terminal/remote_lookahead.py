"""Lookahead at a table of a server: the server computes the effect of possible answers to a request.

The thread that asks a person sends queries and waits. The thread that receives messages delivers the results.
"""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import Any, NamedTuple

import msgspec

from rails_cli.games.game import Game, without_info_fields
from rails_cli.protocol.common import Bid, Pass
from rails_cli.protocol.lobby import Suppose

PATIENCE_S = 10.0
"""Seconds to wait for the result of a query. If none arrives, no more queries are sent about the same request."""
LINES = 100
"""Maximum number of sequences of actions that the server accepts in one query."""
Line = tuple[Any, ...]


class Supposed(NamedTuple):
    """The events, view and legal actions after a sequence of actions. `view` is None if the outcome is unknown."""

    events: list[Any]
    view: Any
    legal: list[Any]


UNKNOWN = Supposed([], None, [])


class SupposeClient:
    """A client that asks the server about possible answers to one request. Results are cached.

    After a query has failed, no more queries are sent.
    """

    def __init__(self, game: Game[Any, Any], number: int, players: int, send: Callable[[Suppose], object]) -> None:
        self._game = game
        self._number = number
        self._players = players
        self._send = send
        self._found: dict[Line, Supposed] = {}
        self._waiting: dict[str, Future[list[Any] | None]] = {}
        self._refs = 0
        self._lock = threading.Lock()
        self._is_silent = False

    def deliver(self, message: dict[str, Any]) -> bool:
        """Accept a message of the server if it is the result of a query. Return whether the message was accepted."""
        waiting = self._waiting.pop(str(message.get("ref")), None)
        if waiting is None:
            return False
        waiting.set_result(message.get("results"))
        return True

    def close(self) -> None:
        """End all pending queries with the result None, because the request is closed or the connection is lost."""
        self._is_silent = True
        for waiting in list(self._waiting.values()):
            waiting.set_result(None)
        self._waiting.clear()

    def find(self, lines: Sequence[Line]) -> None:
        """Query the server about those sequences of actions in `lines` that are not cached."""
        passes = (Pass(),) * (self._players - 1)
        wanted: dict[Line, None] = {}
        for line in lines:
            count = self._players if line and type(line[-1]) is Bid else 1
            wanted |= dict.fromkeys((*line, *passes[:after]) for after in range(count))
        unknown = [line for line in wanted if line not in self._found]
        for start in range(0, len(unknown), LINES):
            self._ask(unknown[start : start + LINES])

    def about(self, line: Line) -> Supposed:
        if line not in self._found:
            self.find([line])
        return self._found.get(line, UNKNOWN)

    def _ask(self, lines: list[Line]) -> None:
        with self._lock:
            if self._is_silent:
                return
            self._refs += 1
            ref = f"suppose {self._refs}"
            waiting = self._waiting[ref] = Future()
        self._send(Suppose(self._number, [list(line) for line in lines], ref))
        try:
            results = waiting.result(PATIENCE_S)
        except TimeoutError:
            results = None
        if results is None:
            self._is_silent = True
            return
        for line, result in zip(lines, results, strict=True):
            self._found[line] = UNKNOWN if result["error"] else self._read(result)

    def _read(self, result: dict[str, Any]) -> Supposed:
        game, view = self._game, result["view"]
        return Supposed(
            msgspec.convert(result["events"], list[game.event_type]),  # type: ignore[name-defined]
            None if view is None else msgspec.convert(view, game.view_type),
            msgspec.convert(result["legal"], list[game.entry_type]),  # type: ignore[name-defined]
        )


class RemoteLookahead:
    """A position after a sequence of actions, as the server has computed it."""

    def __init__(self, client: SupposeClient, seat: int, line: Line, found: Supposed) -> None:
        self.seat = seat
        self.is_by_chance = found.view is None
        self._client = client
        self._line = line
        self._found = found

    @property
    def asked(self) -> int | None:
        view = self._found.view
        return None if view is None or view.question is None else int(view.question.seat)

    @property
    def view(self) -> Any:
        assert not self.is_by_chance
        return self._found.view

    @property
    def legal(self) -> list[Any]:
        assert not self.is_by_chance
        return self._found.legal

    def after(self, action: Any) -> "tuple[RemoteLookahead, list[Any]]":
        line = (*self._line, without_info_fields(action))
        found = self._client.about(line)
        return RemoteLookahead(self._client, self.seat, line, found), found.events[len(self._found.events) :]

    def prepare(self, actions: Sequence[Any]) -> None:
        self._client.find([(*self._line, without_info_fields(action)) for action in actions])
