"""A lobby without network and real clock, and connections that record messages."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from rails_cli.logs.chain import Beginning
from rails_cli.protocol.messages import Join
from rails_cli.server.lobby import Lobby
from rails_cli.server.settings import Limits, Settings
from rails_cli.server.storage import Storage
from rails_cli.server.table import GameTable
from rails_cli.server.tables.registry import TableRegistry
from rails_cli.server.thinkers import Then
from rails_cli.server.thinking import Task, thought_of
from tests.support.ws_client import Json


class Notes:
    """A connection that records all messages sent to it in `told`."""

    def __init__(self) -> None:
        self.join = Join()
        self.told: list[Json] = []
        self.address = "here"
        self.game = ""
        self.is_busy = False
        self.lag_s = 0.0

    def measure(self) -> None:
        """Do nothing: there is no network to measure."""

    def yield_to_people(self, *, yields: bool) -> None:
        """Do nothing: every message is handled at once."""

    def post(self, content: bytes) -> None:
        self.told.append(json.loads(content))

    def drop(self, code: str, message: str) -> None:
        self.told.append({"type": "dropped", "code": code})


def thinks_here(task: Task, then: Then) -> None:
    """Run a task at once in this process, instead of in a worker."""
    then(thought_of(msgspec.json.encode(task)))


class UnbufferedStorage(Storage):
    """Storage that performs every write at once."""

    def save(self, table: GameTable) -> None:
        super().save(table)
        self.flush()

    def forget(self, table_id: str) -> None:
        super().forget(table_id)
        self.flush()

    def write(self, table: GameTable, line: Any) -> None:
        super().write(table, line)
        self.flush()

    def write_beginning(self, table: GameTable, beginning: Beginning) -> None:
        super().write_beginning(table, beginning)
        self.flush()

    def close(self, table_id: str) -> None:
        super().close(table_id)
        self.flush()

    def sign_all(self) -> None:
        super().sign_all()
        self.flush()


_storages: list[Storage] = []


def open_storage(folder: Path, *, is_buffered: bool = False) -> Storage:
    """Open the files of a server that runs inside a test. They are closed at the end of the test.

    Every write is performed at once, unless `is_buffered`. Errors are raised. After an error only buffered files count
    as broken.
    """

    def fail(error: Exception) -> None:
        storage.is_broken = is_buffered
        raise error

    storage = (Storage if is_buffered else UnbufferedStorage)(folder, failed=fail)
    _storages.append(storage)
    return storage


def close_lobbies() -> None:
    """Close the files of all lobbies of a test."""
    while _storages:
        _storages.pop().close_files()


class Rigged:
    """A lobby without network. The clock of the lobby is `time`, which only the test changes."""

    def __init__(self, folder: Path, limits: Limits | None = None, *, asks_at_once: bool = True) -> None:
        """With `asks_at_once`, a table sends its next request after each message. Otherwise a test calls `ask_due`."""
        self.asks_at_once = asks_at_once
        self.time = 1000.0
        self.reports: list[str] = []
        self.failures: list[OSError] = []
        self.soon: list[Callable[[], None]] = []
        self.registry = TableRegistry(
            open_storage(folder),
            Settings(limits=limits or Limits()),
            now=lambda: self.time,
            wall=lambda: self.time,
            soon=self.soon.append,
            start_bot=lambda table, seat: Notes(),
            think=thinks_here,
            report=self.reports.append,
            stop=self.failures.append,
        )
        self.lobby = Lobby(self.registry)

    def say(self, connection: Any, **message: Any) -> None:
        """Send a message of `connection` to the lobby."""
        self.receive(connection, json.dumps(message).encode())

    def receive(self, connection: Any, content: bytes) -> None:
        """Pass the bytes of a message to the lobby."""
        self.lobby.receive(connection, content)
        if self.asks_at_once:
            self.registry.ask_due()

    def seat_two(self) -> tuple[Notes, Notes, str]:
        """Seat two new connections at a table of The Last Spike. Return both connections and the id of the table."""
        first, second = Notes(), Notes()
        self.say(first, type="create", game="last_spike", players=2, clock="10/move")
        table = first.told[-1]["table"]["table"]
        for each in (first, second):
            self.lobby.welcome(each)
            self.say(each, type="sit", table=table)
        return first, second, table

    def spoil_rules(self, table: str) -> None:
        """Make the rules of `table` raise RuntimeError from now on."""

        def apply(*arguments: Any) -> None:
            raise RuntimeError("a mistake")

        match = self.registry.tables[table].match
        assert match is not None
        match.game = replace(match.game, apply=apply)
