"""A lobby without network and with a clock set by the test, and connections that record messages."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from rails_cli.games import load_game
from rails_cli.games.game import without_info_fields
from rails_cli.logs.reading import log_board
from rails_cli.protocol.messages import Join
from rails_cli.server.lobby import Lobby
from rails_cli.server.settings import Limits, Settings
from rails_cli.server.store.storage import Storage
from rails_cli.server.tables.registry import TableRegistry
from rails_cli.server.turn import Turn
from rails_cli.server.workers.thinkers import Then
from rails_cli.server.workers.thinking import HintTask, Task, Thought, thought_of
from rails_cli.study.analysis.hints import hint_with_steps
from tests.support.frames import decision_of
from tests.support.scheduling import ScheduledCalls
from tests.support.ws_client import Json


class Notes:
    """A connection without network that keeps the messages sent to it."""

    def __init__(self) -> None:
        self.join = Join()
        self.number = 0
        self.outbox: list[bytes] = []
        self._received: list[Json] = []
        self.address = "here"
        self.is_busy = False
        self.lag_s = 0.0

    @property
    def received(self) -> list[Json]:
        """The messages sent to the connection so far."""
        self._received += [json.loads(content) for content in self.outbox]
        self.outbox.clear()
        return self._received

    def measure(self) -> None:
        """Do nothing, because there is no network whose delay could be measured."""

    def yield_to_people(self, *, yields: bool) -> None:
        """Do nothing, because every message is handled at once."""

    def post(self, content: bytes) -> None:
        self.outbox.append(content)

    def flush(self) -> None:
        """Do nothing, because tests read the messages from `outbox`."""

    def drop(self, code: str, message: str) -> None:
        self.received.append({"type": "dropped", "code": code})


def thinks_here(task: Task, then: Then) -> None:
    """Compute the result of `task` in this process instead of in a worker, and pass the result to `then`."""
    then(thought_of(msgspec.json.encode(task)))


def hints_briefly(task: Task, then: Then) -> None:
    """Compute the hint of `task` in this process, with a search of one iteration. Pass the hinted actions to `then`."""
    assert isinstance(task, HintTask)
    assert task.steps == []
    header, written, seat = msgspec.structs.astuple(task.position)
    state = load_game(header.game).load(written, log_board(header))
    hint = hint_with_steps(decision_of(header.game, state, seat), [], looks=1)
    then(Thought(steps=[without_info_fields(step) for step in hint.steps]))


def raise_error(error: Exception) -> None:
    raise error


_storages: list[Storage] = []


def open_storage(folder: Path) -> Storage:
    """Open the files of a server that runs inside a test. Write errors are raised.

    A fixture in conftest.py calls `close_lobbies` after the test.
    """
    _storages.append(Storage(folder, failed=raise_error))
    return _storages[-1]


def close_lobbies() -> None:
    """Close the files of all lobbies that a test has created."""
    while _storages:
        _storages.pop().release()


class Rigged:
    """A lobby without network. Its clock is the attribute `time`, which only the test changes."""

    def __init__(
        self,
        folder: Path,
        limits: Limits | None = None,
        *,
        asks_at_once: bool = True,
        think: Callable[[Task, Then], None] = thinks_here,
    ) -> None:
        """Create a lobby with its files in `folder`. `think` computes moves and hints.

        With `asks_at_once`, the lobby handles each message at once. Otherwise it handles messages only when the test
        calls `turn.process_queues`.
        """
        self.asks_at_once = asks_at_once
        self.time = 1000.0
        self.reports: list[str] = []
        self.failures: list[OSError] = []
        self.soon: list[Callable[[], None]] = []
        storage = open_storage(folder)
        self.turn = Turn(storage, soon=ScheduledCalls().soon, report_error=raise_error, now=lambda: self.time)
        self.registry = TableRegistry(
            storage,
            Settings(limits=limits or Limits()),
            self.turn,
            now=lambda: self.time,
            wall=lambda: self.time,
            soon=self.soon.append,
            start_bot=lambda table, seat: Notes(),
            think=think,
            report=lambda words, table=None: self.reports.append(words),
            stop=self.failures.append,
        )
        self.lobby = Lobby(self.registry)

    def say(self, connection: Any, **message: Any) -> None:
        """Pass a message to the lobby as if it came from `connection`."""
        self.receive(connection, json.dumps(message).encode())

    def receive(self, connection: Any, content: bytes) -> None:
        """Pass the bytes of a message to the lobby as if they came from `connection`."""
        self.lobby.receive(connection, content, self.time)
        if self.asks_at_once:
            self.turn.process_queues()

    def seat_two(self) -> tuple[Notes, Notes, str]:
        """Seat two new connections at a table of The Last Spike. Return both connections and the id of the table."""
        first, second = Notes(), Notes()
        self.say(first, type="create", game="last_spike", players=2, clock="10/move")
        table = first.received[-1]["table"]["table"]
        for each in (first, second):
            self.lobby.connections.add(each)
            self.say(each, type="sit", table=table)
        return first, second, table

    def spoil_rules(self, table: str, error: Exception | None = None) -> None:
        """Make the rules of the game at `table` raise `error` from now on, by default a RuntimeError."""

        def apply(*arguments: Any) -> None:
            raise error or RuntimeError("a mistake")

        match = self.registry.tables[table].match
        assert match is not None
        match.game = replace(match.game, apply=apply)
