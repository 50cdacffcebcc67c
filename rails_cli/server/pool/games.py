"""The games of the pool: running games, and the past games of each entrant."""

from collections import Counter, deque
from collections.abc import Iterator, Sequence

from rails_cli.server.pool.entrants import Entrants
from rails_cli.server.pool.pairing import History
from rails_cli.server.store.kept_logs import DAY_S
from rails_cli.server.store.records import PoolGame
from rails_cli.server.tables.seat import ServerSeat
from rails_cli.server.tables.table import GameTable
from rails_cli.tournament.model import Setting


class PoolGames:
    """The running games of the pool, the number of stored games, and past opponents of each entrant."""

    def __init__(self, entrants: Entrants) -> None:
        self._entrants = entrants
        self.history = History()
        self.stored = 0
        """Number of games in the stored results."""
        self.stored_of: Counter[str] = Counter()
        """Mapping from the name of an entrant to the number of its games in the stored results."""
        self.last_played: dict[str, float] = {}
        """Mapping from the name of an entrant to the Unix timestamp at which its last stored game ended."""
        self._running: dict[str, dict[str, tuple[GameTable, ServerSeat]]] = {}
        """For the name of each entrant, a mapping from the table id of a running game to the table and the seat."""
        self._starts: dict[str, deque[float]] = {}
        """Mapping from entrant to the Unix timestamps at which its games of the last 24 hours started.

        For a game that was stored before the server started, the timestamp of its end is used.
        """

    def restore(self, setting: Setting, seating: Sequence[str], ended_at: float, now: float) -> None:
        """Count a game that was stored before the server started. Earlier games must be counted first.

        `seating` has the names of the entrants by seat. `ended_at` and `now` are Unix timestamps.
        """
        self.history.add(setting, seating)
        self.add_stored(seating, ended_at)
        for name in seating if ended_at > now - DAY_S else ():
            self._starts.setdefault(name, deque()).append(ended_at)

    def add_stored(self, seating: Sequence[str], ended_at: float) -> None:
        self.stored += 1
        for name in seating:
            self.stored_of[name] += 1
            self.last_played[name] = max(ended_at, self.last_played.get(name, 0.0))

    def start(self, table: GameTable) -> None:
        """Add the game at `table` to the running games. Give the table a lower priority if no person plays there."""
        game = game_at(table)
        players = [self._entrants.by_name.get(name) for name in game.seating]
        table.yields = not any(player is not None and player.is_person for player in players)
        for seat in table.seats:
            if seat.server_side is None:
                self._running.setdefault(game.seating[seat.index], {})[table.id] = (table, seat)
        if not game.is_check:
            self.history.add(game.group.setting, game.seating)
            for name in game.seating:
                self._starts.setdefault(name, deque()).append(table.spec.made_at)

    def end(self, table: GameTable) -> None:
        for name in game_at(table).seating:
            self._running.get(name, {}).pop(table.id, None)

    def remove_ended(self) -> None:
        """Remove games that ended without a call of `end`, because of an error."""
        for name, games in list(self._running.items()):
            for table, _ in list(games.values()):
                if table.state == "ended":
                    del games[table.id]
            if not games:
                del self._running[name]

    def running(self, name: str) -> list[tuple[GameTable, ServerSeat]]:
        """Return the table and the seat of each running game of the entrant `name`."""
        return list(self._running.get(name, {}).values())

    def tables(self) -> list[GameTable]:
        return list({id: table for games in self._running.values() for id, (table, _) in games.items()}.values())

    def unattended(self, name: str) -> Iterator[tuple[GameTable, ServerSeat]]:
        """Yield the table and seat of each running game in which the entrant `name` is disconnected but may return."""
        for table, seat in self.running(name):
            if table.state == "playing" and seat.channel is None and seat.player is None and not seat.is_abandoned:
                yield table, seat

    def is_in_check(self, name: str) -> bool:
        """Return whether the entrant `name` is playing a game that can end its quarantine."""
        return any(game_at(table).is_check for table, _ in self.running(name))

    def started_today(self, name: str, now: float) -> int:
        """Return the number of games that an entrant started in the 24 hours before `now`."""
        times = self._starts.get(name)
        while times and times[0] < now - DAY_S:
            times.popleft()
        return len(times or ())


def game_at(table: GameTable) -> PoolGame:
    assert table.spec.pool is not None
    return table.spec.pool


def entrant_at(table: GameTable, seat: ServerSeat) -> str | None:
    """Return the name of the entrant at a seat. None if the server plays the seat or the table is not in the pool."""
    return None if table.spec.pool is None or seat.server_side else table.spec.pool.seating[seat.index]
