"""What a table knows of those who sit at it and of those who look on."""

from collections import deque
from typing import Protocol

import msgspec

from protocol.lobby import SeatInfo, SeatKind
from protocol.messages import Clock
from rails_cli.match.clock import LagAllowance, SeatClock
from rails_cli.match.session import Line, Seat

BOT_CLOCK = Clock(None, 0.0, 60.0)
"""The time of a bot that the server runs at a table without clocks: one that hangs does not hold it up for ever."""
LONGEST_SEARCH_S = 30.0
"""For one answer of a search that the server runs, if the clock of its table allows more; it uses a part of it."""


class Connection(Line, Protocol):
    """The other end: a websocket, or a bot that the server runs itself."""

    game: str
    """What it plays, or played last; empty before."""

    @property
    def address(self) -> str:
        """Whose it is, to limits; empty for a bot of the server."""

    @property
    def is_busy(self) -> bool:
        """Whether much is on its way that the other end has not read yet."""

    @property
    def lag_s(self) -> float:
        """How long a message and its answer are on their way, as pings and the system tell; 0 where nobody has measured
        it."""

    def measure(self) -> None:
        """Finds out how long messages are on their way."""

    def yield_to_people(self, *, yields: bool) -> None:
        """Whether others are heard first from now on."""

    def drop(self, code: str, message: str) -> None:
        """Tells why, and closes."""


class ServerSeat(Seat[Connection]):
    """A seat of a table: who holds it, and by which token."""

    def __init__(self, index: int, kind: SeatKind) -> None:
        super().__init__(index)
        self.kind: SeatKind = kind
        self.name: str | None = None
        self.server_side: str | None = None
        """`builtin:NAME` or `bot:NAME` for a seat that the server plays."""
        self.token_seal: str | None = None
        self.invite_seal: str | None = None
        self.absent_since: float | None = None
        self.lag = LagAllowance(None)
        self.is_rematch_wanted = False
        self.has_lost_notes = False
        """Whether it was told that its notes are not kept any more."""

    @property
    def is_free(self) -> bool:
        return self.kind in ("open", "reserved")

    @property
    def is_forsaken(self) -> bool:
        """Whether its player has left a running game for good."""
        return self.kind == "player" and self.token_seal is None

    def set_clock(self, clock: Clock | None) -> None:
        """All the time of a game that begins."""
        if self.kind == "bot":
            clock = clock or BOT_CLOCK
            if self.server_side is not None and self.server_side.startswith("builtin:"):
                move_s = LONGEST_SEARCH_S if clock.move_s is None else min(clock.move_s, LONGEST_SEARCH_S)
                clock = msgspec.structs.replace(clock, move_s=move_s)
        self.clock = SeatClock(clock)
        self.lag = LagAllowance(clock)

    def allow_lag(self) -> None:
        """The next answer may be as late as its way is long, as far as that is borne."""
        self.lag_s = 0.0 if self.line is None else self.lag.take(self.line.lag_s)

    def vacate(self, *, is_private: bool) -> None:
        """Anybody may sit here again; at a private table, anybody who is invited."""
        self.kind = "reserved" if is_private else "open"
        self.name = self.token_seal = self.invite_seal = self.absent_since = None

    def info(self) -> SeatInfo:
        connected = self.server_side is not None or self.line is not None
        return SeatInfo(self.index, self.kind, self.name, connected, self.kind == "player" and self.has_substitute)


class Watcher:
    """Somebody who looks on; what is told waits here while the table's delay lasts."""

    __slots__ = ("connection", "waiting")

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.waiting: deque[tuple[float, bytes]] = deque()
