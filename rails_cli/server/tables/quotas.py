"""Limits on tables, bots, notes (`info` of answers) and disk space, in total and for each client address."""

import shutil
from collections import Counter
from collections.abc import Callable, Mapping

from rails_cli.protocol.lines import frame
from rails_cli.protocol.messages import Error
from rails_cli.server.net.address import quotas
from rails_cli.server.net.bucket import Budgets
from rails_cli.server.refused import Refused
from rails_cli.server.settings import Limits
from rails_cli.server.store.storage import Storage
from rails_cli.server.tables.seat import ServerSeat
from rails_cli.server.tables.server_players import BOTS_ARE, bots_at, bots_running
from rails_cli.server.tables.table import GameTable

TOO_MANY_FILES = "this server has too many files open; try again later"
MINUTE_S = 60.0
TABLES_AGAIN_S = 600.0
"""Seconds after which an address that has created `Limits.tables_each` tables may create the same number again."""


class TableQuotas:
    """The limits on tables, bots and notes (`info` of answers), and the address that created each table."""

    def __init__(
        self, limits: Limits, storage: Storage, tables: Mapping[str, GameTable], now: Callable[[], float]
    ) -> None:
        """`tables` maps the id of each current table to the table. `now` returns the time in seconds."""
        self.limits = limits
        self._storage = storage
        self._tables = tables
        self._now = now
        self.creators: dict[str, str] = {}
        """Mapping from table id to the address that created the table."""
        self._unended: set[str] = set()
        """Ids of the tables that had not ended at the last call of `recount`, and of tables added since then."""
        self._unended_by: Counter[str] = Counter()
        """Mapping from an address or IPv6 site (/48 network) to the number of its tables in `_unended`."""
        self._creations = Budgets(float(limits.tables_each), TABLES_AGAIN_S)
        self._note_bytes = Budgets(float(limits.notes_each_bytes), MINUTE_S)

    def check_table(self, address: str) -> None:
        """Raise Refused if an address may not create another table."""
        self.check_total()
        if self._has_many(address):
            self.recount()
        if address and self._has_many(address):
            raise Refused("too_many", f"you already have {self.limits.tables_each} tables; finish one first")
        self.check_space()
        if not self._creations.take(address, 1.0, self._now()):
            raise Refused("too_many", "you have created many tables in a short time; wait a while")

    def check_total(self) -> None:
        """Raise Refused if the server has too many tables."""
        if len(self._unended) >= self.limits.tables:
            self.recount()
        if len(self._unended) >= self.limits.tables:
            raise Refused("too_many", f"this server has {self.limits.tables} tables; try again later")

    def check_space(self) -> None:
        """Raise Refused if there are too few free file descriptors, or too little disk space, for another log."""
        if not self._storage.keep_spare():
            raise Refused("too_many", TOO_MANY_FILES)
        if shutil.disk_usage(self._storage.folder).free < self.limits.min_free_space_bytes:
            raise Refused(
                "no_space", "this server is short of disk space: no new tables for now; running games continue"
            )

    def check_bots(self, wanted: int, address: str, beside: int = 0) -> None:
        """Raise Refused unless `address` may run `wanted` more bots at a table that already has `beside` bots."""
        if not wanted:
            return
        most, each = self.limits.bots, self.limits.bots_each
        if bots_running(self._tables.values()) + wanted + beside > most:
            when = "; try again later" if wanted + beside <= most else ""
            raise Refused("too_many", f"this server runs at most {most} bots at once{when}. {BOTS_ARE}")
        unended = [table for table in self._tables.values() if table.state != "ended"]
        theirs = sum(bots_at(table) for table in unended if self.creators.get(table.id) == address)
        if address and theirs + wanted > each:
            raise Refused(
                "too_many", f"your tables may have {each} bots at once; they already have {theirs}. {BOTS_ARE}"
            )

    def _has_many(self, address: str) -> bool:
        each = self.limits.tables_each
        return any(self._unended_by[key] >= each * multiple for key, multiple in quotas(address))

    def add(self, table: GameTable, address: str | None) -> None:
        """Count a new table that `address` created. `address` is None for a table of the pool."""
        self._unended.add(table.id)
        if address is not None:
            self.creators[table.id] = address
            self._unended_by.update(key for key, _ in quotas(address))

    def recount(self) -> None:
        """Count the tables that have not ended, in total and for each address."""
        self._unended = {id for id, table in self._tables.items() if table.state != "ended"}
        addresses = [self.creators[id] for id in self._unended if id in self.creators]
        self._unended_by = Counter(key for address in addresses for key, _ in quotas(address))

    def may_note(self, table: GameTable, seat: ServerSeat, size: int) -> bool:
        """Return whether a note (`info` of an answer) of `size` bytes may be logged. If not, inform the player once."""
        limits, channel = self.limits, seat.channel
        address = "" if channel is None else channel.address
        if table.notes_bytes + size > limits.table_notes_bytes:
            why = f"the notes (`info`) of this table have {limits.table_notes_bytes} bytes already"
        elif address and not self._note_bytes.take(address, float(size), self._now()):
            why = f"your address may note {limits.notes_each_bytes} bytes a minute"
        else:
            return True
        if channel is not None and not seat.has_lost_notes:
            seat.has_lost_notes = True
            channel.post(
                frame(Error("notes_full", f"{why}; further notes are dropped. The game continues", fatal=False))
            )
        return False

    def tidy(self, now: float) -> None:
        """Count the tables that have not ended, and discard full rate-limit buckets."""
        self.recount()
        self._creations.tidy(now)
        self._note_bytes.tidy(now)
