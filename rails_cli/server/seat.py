"""The seats and the spectators of a table."""

from collections import deque
from typing import Protocol

import msgspec

from rails_cli.match.clock import LagAllowance, SeatClock
from rails_cli.match.session import Channel, Seat
from rails_cli.protocol.lobby import SeatInfo, SeatKind
from rails_cli.protocol.messages import Clock

BOT_CLOCK = Clock(None, 0.0, 60.0)
"""Clock of a server bot at a table without a clock, so that a bot that hangs does not block the table."""
LONGEST_SEARCH_S = 30.0
"""Most seconds for one answer of a search that the server runs, even if the clock allows more."""


class Connection(Channel, Protocol):
    """A websocket client or a bot run by the server."""

    outbox: list[bytes]
    """Encoded messages that are sent after everything they depend on is logged."""

    def post(self, content: bytes) -> None:
        """Add an encoded message to the outbox and schedule a turn that sends it. Never raise."""

    def flush(self) -> None:
        """Send the messages in the outbox."""

    @property
    def address(self) -> str:
        """Client address used for rate limiting. Empty for a bot of the server."""

    @property
    def is_busy(self) -> bool:
        """Whether many bytes that were sent to the client are still unread."""

    @property
    def lag_s(self) -> float:
        """Round trip time of the connection in seconds, from pings and from the operating system. 0 if not measured."""

    def measure(self) -> None:
        """Start to measure the round trip time of the connection."""

    def yield_to_people(self, *, yields: bool) -> None:
        """If `yields`, process messages of other connections before those of this connection from now on."""

    def drop(self, code: str, message: str) -> None:
        """Send the error `message` with its code and close the connection."""


class ServerSeat(Seat[Connection]):
    """A seat of a table, with its holder and the hash of the holder's token."""

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
        self.early: list[bytes] = []
        """Lines that a bot wrote before it was asked. They are processed at its next request."""
        self.has_lost_notes = False
        """Whether the player was informed that further notes are not stored."""

    @property
    def is_free(self) -> bool:
        return self.kind in ("open", "reserved")

    @property
    def is_forsaken(self) -> bool:
        """Whether the player has left a running game for good."""
        return self.kind == "player" and self.token_seal is None

    def set_clock(self, clock: Clock | None) -> None:
        """Give the seat the full time of `clock`, or of BOT_CLOCK. A search has at most LONGEST_SEARCH_S per answer."""
        if self.kind == "bot":
            clock = clock or BOT_CLOCK
            if self.server_side is not None and self.server_side.startswith("builtin:"):
                move_s = LONGEST_SEARCH_S if clock.move_s is None else min(clock.move_s, LONGEST_SEARCH_S)
                clock = msgspec.structs.replace(clock, move_s=move_s)
        self.clock = SeatClock(clock)
        self.lag = LagAllowance(clock)

    def allow_lag(self) -> None:
        """Set `lag_s`, the network latency that is not counted for the next answer."""
        self.lag_s = 0.0 if self.channel is None else self.lag.take(self.channel.lag_s)

    def vacate(self, *, is_private: bool) -> None:
        """Free the seat. At a private table only invited players may take it."""
        self.kind = "reserved" if is_private else "open"
        self.name = self.token_seal = self.invite_seal = self.absent_since = None

    def info(self) -> SeatInfo:
        connected = self.server_side is not None or self.channel is not None
        return SeatInfo(self.index, self.kind, self.name, connected, self.kind == "player" and self.has_substitute)


class Watcher:
    """A spectator, with the queue of messages that are sent after the spectator delay."""

    __slots__ = ("connection", "waiting")

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.waiting: deque[tuple[float, bytes]] = deque()
