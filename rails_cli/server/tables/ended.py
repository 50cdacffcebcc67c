"""Ended tables. Their matches are removed from memory when no client is connected, and read from logs when needed."""

from collections.abc import Mapping
from pathlib import Path

from rails_cli.logs.reading import BadLog, Log, read_log
from rails_cli.logs.replay import replay
from rails_cli.match.match import Match
from rails_cli.server.refused import Refused
from rails_cli.server.store.storage import Storage
from rails_cli.server.tables.replaying import LoggedGames
from rails_cli.server.tables.table import GameTable

MATCHES_KEPT = 20
"""Maximum number of ended matches in the cache."""
READING_COST = 50.0
"""Cost of reading a log, in units of the request budget (rate limit) of an address."""
BYTES_PER_COST = 20_000
"""Number of bytes in a log that add one unit to the cost of reading the log."""
BRANCHES_SHOWN = 6
"""Maximum number of branches shown in the replay of a game.

Branches are games that continue from one of its positions.
"""


class EndedTables:
    """The logs and matches of ended tables, and the logged games that the server offers."""

    def __init__(
        self, storage: Storage, tables: Mapping[str, GameTable], logged_games: LoggedGames | None, most_cost: float
    ) -> None:
        """`tables` maps the id of each current table to the table. `most_cost` is the upper limit of `reading_cost`."""
        self._storage = storage
        self._tables = tables
        self.logged_games = logged_games
        self._most_cost = most_cost
        self._matches: dict[str, Match] = {}
        """Mapping from the id of an ended table to its match, for tables that were used recently."""

    def release_match(self, table: GameTable) -> None:
        """Remove the match of an ended table from the table, if no client is connected to it.

        The match is put into a small cache. When it has been removed from the cache, it can still be read from the log.
        """
        if table.state == "ended" and not table.is_attended and table.match is not None:
            self._matches[table.id] = table.match
            table.match = table.session = None
            while len(self._matches) > MATCHES_KEPT:
                del self._matches[next(iter(self._matches))]

    def restore_match(self, table: GameTable) -> None:
        """Restore the match of an ended table for a client that returns. Raise Refused if its log was deleted."""
        if table.state != "ended" or table.match is not None:
            return
        match = self._matches.pop(table.id, None)
        if match is None:
            try:
                for step in replay(self.log_of(table)):
                    match = step.match
            except (BadLog, OSError):
                match = None
        if match is None:
            raise Refused("unknown_table", f"the game at table {table.id} has ended, and its log was deleted")
        table.match, table.board = match, match.board

    def reading_cost(self, table: GameTable) -> float:
        """Return the cost of reading the log of an ended table, in units of the request budget of an address.

        0 if the log is not needed, because the match is in memory, or if it cannot be read.
        """
        if table.state != "ended" or table.match is not None or table.id in self._matches:
            return 0.0
        try:
            size = self._storage.log_path(table.id).stat().st_size
        except OSError:
            return 0.0
        return min(READING_COST + size / BYTES_PER_COST, self._most_cost)

    def log_of(self, table: GameTable) -> Log:
        return read_log(self._storage.read_log(table.id))

    def log_path(self, name: str) -> Path | None:
        """Return the path of the log of a finished game. `name` is the id of its table, or the name of a logged game.

        None if there is no such game or its result is not public yet.
        """
        table = self._tables.get(name)
        if table is not None:
            self._storage.flush()
            return self._storage.log_path(name) if table.is_result_public else None
        if self.logged_games is not None and self.logged_games.info(name) is not None:
            return self.logged_games.folder / f"{name}.jsonl"
        return None

    def branches(self, name: str) -> list[Path]:
        """Return the paths of the logs of finished public games that continue from a position of the game `name`.

        If there are many, return only the latest BRANCHES_SHOWN logs.
        """
        found = [
            table.id
            for table in self._tables.values()
            if (branch := table.spec.branch) is not None and branch.log == name and table.is_result_public
            if not table.spec.private
        ]
        self._storage.flush()
        return [path for path in map(self._storage.log_path, found[-BRANCHES_SHOWN:]) if path.exists()]

    def forget(self, table: GameTable) -> None:
        self._matches.pop(table.id, None)
