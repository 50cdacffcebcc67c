"""The seats and the spectators of a table."""

from collections import deque
from typing import Protocol

import msgspec

from rails_cli.match.clock import LagAllowance, SeatClock
from rails_cli.match.session import Channel, Seat
from rails_cli.protocol.lobby import SeatInfo, SeatKind
from rails_cli.protocol.messages import Clock

BOT_CLOCK = Clock(None, 0.0, 60.0)
"""Clock of a server bot at a table without one, so that a bot that hangs does not block the table."""
LONGEST_SEARCH_S = 30.0
"""Most seconds per answer for a search run by the server, even if the clock allows more. It uses a part of them."""


class Connection(Channel, Protocol):
    """A websocket client or a bot run by the server."""

    game: str
    """Name of the current or last game. Empty before the first."""

    def post(self, content: bytes) -> None:
        """Queue an encoded message, to be sent after everything it depends on is logged. Never raise."""

    @property
    def address(self) -> str:
        """Client address used for rate limiting. Empty for a bot of the server."""

    @property
    def is_busy(self) -> bool:
        """Whether the client has not yet read much of what was sent."""

    @property
    def lag_s(self) -> float:
        """Round trip time in seconds, from pings and from the operating system. 0 if not measured."""

    def measure(self) -> None:
        """Start a latency measurement."""

    def yield_to_people(self, *, yields: bool) -> None:
        """If `yields`, process messages of other connections first from now on."""

    def drop(self, code: str, message: str) -> None:
        """Send the reason and close the connection."""


class ServerSeat(Seat[Connection]):
    """A seat of a table, with its holder and the seal of the holder's token."""

    def __init__(self, index: int, kind: SeatKind) -> None:
        super().__init__(index)
        self.kind: SeatKind = kind
        self.name: str | None = None
        self.server_side: str | None = None
        """`builtin:NAME` or `bot:NAME` for a seat played by the server."""
        self.token_seal: str | None = None
        self.invite_seal: str | None = None
        self.absent_since: float | None = None
        self.lag = LagAllowance(None)
        self.is_rematch_wanted = False
        self.has_lost_notes = False
        """Whether its player was informed that further notes are not stored."""

    @property
    def is_free(self) -> bool:
        return self.kind in ("open", "reserved")

    @property
    def is_forsaken(self) -> bool:
        """Whether its player has left a running game for good."""
        return self.kind == "player" and self.token_seal is None

    def set_clock(self, clock: Clock | None) -> None:
        """Set the full time for a new game. Bots without a clock get BOT_CLOCK, searches at most LONGEST_SEARCH_S per
        answer."""
        if self.kind == "bot":
            clock = clock or BOT_CLOCK
            if self.server_side is not None and self.server_side.startswith("builtin:"):
                move_s = LONGEST_SEARCH_S if clock.move_s is None else min(clock.move_s, LONGEST_SEARCH_S)
                clock = msgspec.structs.replace(clock, move_s=move_s)
        self.clock = SeatClock(clock)
        self.lag = LagAllowance(clock)

    def allow_lag(self) -> None:
        """Set `lag_s`, the network latency not counted for the next answer, within the allowance."""
        self.lag_s = 0.0 if self.channel is None else self.lag.take(self.channel.lag_s)

    def vacate(self, *, is_private: bool) -> None:
        """Free the seat. At a private table only invited players may take it."""
        self.kind = "reserved" if is_private else "open"
        self.name = self.token_seal = self.invite_seal = self.absent_since = None

    def info(self) -> SeatInfo:
        connected = self.server_side is not None or self.channel is not None
        return SeatInfo(self.index, self.kind, self.name, connected, self.kind == "player" and self.has_substitute)


class Watcher:
    """A spectator, with the queue of messages held back for the table's delay."""

    __slots__ = ("connection", "waiting")

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.waiting: deque[tuple[float, bytes]] = deque()
