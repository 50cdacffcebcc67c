"""Queue of finished games whose results are not stored yet. A worker process stores each result once."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from rails_cli.server.pool.games import game_at
from rails_cli.server.pool.results import FOLDER, Terms
from rails_cli.server.pool.worker import DeleteLogsTask, RunTask, StoreTask, TaskResult
from rails_cli.server.store.records import PoolGame
from rails_cli.server.tables.registry import TableRegistry
from rails_cli.server.tables.table import GameTable

RETRY_S = 60.0
"""Seconds between two attempts to store a result."""
OnStored = Callable[[PoolGame, float, list[int] | None], None]
"""Callback after the result of a game was stored.

Its arguments are the game, the Unix timestamp of its end, and the seats that were lost in it. The lost seats are None
if the result had been stored before.
"""


class ResultQueue:
    """The finished games whose results are not stored yet. The tables of these games are not removed."""

    def __init__(self, registry: TableRegistry, terms: Terms, run: RunTask, on_stored: OnStored) -> None:
        self._registry = registry
        self._folder = str(registry.storage.folder / FOLDER)
        self._terms = terms
        self._run = run
        self._on_stored = on_stored
        self._tables: dict[str, GameTable] = {}
        self._retried_at = registry.now()
        self.stored: set[str] = set()
        """Ids of the stored games.

        The id of a game is `SeedGroup.id`. A seed group has the games with one seed. In the results of the pool, each
        seed group has one game.
        """

    def tables(self) -> list[GameTable]:
        """Return the tables of ended games whose results are not stored yet."""
        return list(self._tables.values())

    def add(self, table: GameTable) -> None:
        """Store the result of the ended game at `table`, unless the game is not rated or is stored already."""
        game = game_at(table)
        if game.rated and game.group.id not in self.stored:
            self._registry.pinned.add(table.id)
            self._tables[table.id] = table
            self._store(table)

    def retry(self, now: float) -> None:
        """Try again to store all queued results, unless the last retry was less than RETRY_S seconds ago."""
        if now - self._retried_at >= RETRY_S:
            self._retried_at = now
            for table in self.tables():
                self._store(table)

    def delete_logs(self, logs: Sequence[Path]) -> None:
        """Delete the logs of stored games. Their results are kept."""
        self._run(DeleteLogsTask(self._folder, self._terms, [log.name for log in logs]), lambda result: None)

    def _store(self, table: GameTable) -> None:
        storage, outcome = self._registry.storage, table.outcome
        storage.flush()
        ended_at = self._registry.wall() if outcome is None else outcome.at
        seconds = max(0.0, ended_at - table.spec.made_at)
        task = StoreTask(self._folder, self._terms, game_at(table), str(storage.log_path(table.id)), seconds)
        self._run(task, partial(self._finished, table, ended_at))

    def _finished(self, table: GameTable, ended_at: float, result: TaskResult) -> None:
        if result.failure is not None or self._tables.pop(table.id, None) is None:
            return
        self._registry.pinned.discard(table.id)
        self.stored.add(game_at(table).group.id)
        self._on_stored(game_at(table), ended_at, result.lost)
