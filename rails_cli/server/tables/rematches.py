"""Rematches: another game for the players of an ended table, at a new table with the same settings.

A rematch begins when all connected players have asked for it.
"""

from typing import TYPE_CHECKING

from rails_cli.protocol.lines import frame
from rails_cli.protocol.lobby import CreateTable, Rematch, Seated, TableChanged
from rails_cli.protocol.messages import Error
from rails_cli.server.refused import Refused
from rails_cli.server.tables.seat import Connection, ServerSeat
from rails_cli.server.tables.table import GameTable

if TYPE_CHECKING:
    from rails_cli.server.lobby import Lobby

RETURN_S = 20.0
"""Seconds that a rematch waits for a player whose connection was lost, for example because the page is reloaded."""


class Rematches:
    """Handler of rematch requests at all tables."""

    def __init__(self, lobby: "Lobby") -> None:
        self._lobby = lobby
        self._registry = lobby.registry
        self._waiting: dict[str, GameTable] = {}
        """Mapping from id to ended table, for tables with a rematch that waits for a disconnected player."""

    def receive(self, connection: Connection, address: str, request: Rematch) -> None:
        """Process a `rematch` message. Raise Refused unless its sender sits at a table whose game has ended."""
        table, seat = self._lobby.seated.get(connection, (None, None))
        if table is None or seat is None or table.state != "ended":
            raise Refused("bad_request", "a rematch is only possible at your table, after its game has ended")
        if table.spec.pool is not None:
            raise Refused("bad_request", "a game of the pool has no rematch; enter the pool again for another game")
        if table.spec.lesson:
            raise Refused("bad_request", "a lesson has no rematch; create another lesson")
        seat.is_rematch_wanted = True
        connection.post(frame(TableChanged(table.info(), request.ref)))
        offered = frame(TableChanged(table.info()))
        for other in table.seats:
            if other.channel is not None and other.channel is not connection:
                other.channel.post(offered)
        self._registry.quotas.creators.setdefault(table.id, address)
        self.begin_if_all_agree(table)

    def forget_old_offer(self, seat: ServerSeat) -> None:
        """Withdraw the old rematch request of a player who returns late to `seat`.

        The return is late if the player was disconnected for RETURN_S seconds, or went to another table in the
        meantime. Such a player may only want to look at the ended table, and the return must not start a game.
        """
        since = seat.absent_since
        if seat.channel is None and (since is None or self._registry.now() - since >= RETURN_S):
            seat.is_rematch_wanted = False

    def begin_if_all_agree(self, table: GameTable) -> None:
        """Begin a rematch at a new table, if all connected players of an ended table asked for one.

        If the connection of a player was lost less than RETURN_S seconds ago, wait for this player.
        """
        present = [seat for seat in table.seats if seat.channel is not None and seat.server_side is None]
        if table.state != "ended" or not present or not all(seat.is_rematch_wanted for seat in present):
            return
        now = self._registry.now()
        lost_at = [
            seat.absent_since for seat in table.seats if seat.server_side is None and seat.token_seal is not None
        ]
        if any(since is not None and now - since < RETURN_S for since in lost_at):
            self._waiting[table.id] = table
            return
        try:
            again = self._same_again(table)
        except Refused as refused:
            for seat in present:
                seat.is_rematch_wanted = False
                assert seat.channel is not None
                seat.channel.post(frame(Error(refused.code, str(refused), fatal=False)))
            return
        seated = []
        for old, new in zip(table.seats, again.seats, strict=True):
            old.is_rematch_wanted = False  # a player who returns to the old table does not start another game
            if old not in present or old.channel is None:
                continue
            new.kind, new.name = "player", old.name
            player, old.channel = old.channel, None
            seated.append((player, new.index, self._registry.tokens.issue(again, new)))
            self._lobby.take(player, again, new)
        info = again.info()
        for player, index, token in seated:
            player.post(frame(Seated(info, index, token)))
        self._registry.save(again)
        self._registry.ended_tables.release_match(table)
        if any(seat.is_free for seat in again.seats):
            again.send_table()
        self._lobby.start_if_full(again)

    def tidy(self) -> None:
        """Begin rematches that have waited RETURN_S seconds for a player whose connection was lost."""
        waiting, self._waiting = self._waiting, {}
        for table in waiting.values():
            self.begin_if_all_agree(table)

    def _same_again(self, table: GameTable) -> GameTable:
        """Return a new table with the settings and the owner of `table`. The seats for people are free."""
        spec, registry = table.spec, self._registry
        fields = {name: getattr(spec, name) for name in CreateTable.__struct_fields__ if hasattr(spec, name)}
        request = CreateTable(**fields, seats=[seat.server_side for seat in table.seats])
        again = registry.create(request, registry.quotas.creators.get(table.id, ""), owner_seal=spec.owner_seal)
        registry.note("table_created", again.id, game=spec.game, players=spec.players, rematch_of=table.id)
        return again
