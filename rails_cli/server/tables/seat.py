"""The seats of a table, and the interface of the connections that hold them."""

from typing import Protocol

import msgspec

from rails_cli.match.clock import LagAllowance, SeatClock
from rails_cli.match.seat_specs import BUILTIN
from rails_cli.match.session import Channel, Seat
from rails_cli.protocol.lobby import SeatInfo, SeatKind
from rails_cli.protocol.messages import Clock
from rails_cli.web.live import Turns

BOT_CLOCK = Clock(None, 0.0, 60.0)
"""Clock of a bot of the server at a table without a clock. So a bot that hangs does not block the table."""
LONGEST_SEARCH_S = 30.0
"""Maximum number of seconds for a move of a built-in player that searches, even if its clock allows more."""


class Connection(Channel, Protocol):
    """A websocket client or a bot run by the server."""

    number: int
    """Number of the connection in the log of the server. 0 for a bot of the server."""
    outbox: list[bytes]
    """Encoded messages to be sent, once the log lines that they depend on are written."""

    def post(self, content: bytes) -> None:
        """Add an encoded message to the outbox and schedule sending it. Never raise an exception."""

    def flush(self) -> None:
        """Send the messages in the outbox."""

    @property
    def address(self) -> str:
        """Client address used for rate limiting. Empty for a bot of the server."""

    @property
    def is_busy(self) -> bool:
        """Whether many bytes are waiting to be sent, because the client reads slowly."""

    @property
    def lag_s(self) -> float:
        """Round trip time of the connection in seconds, from pings and from the operating system.

        0 if it is not known.
        """

    def measure(self) -> None:
        """Start to measure the round trip time of the connection."""

    def yield_to_people(self, *, yields: bool) -> None:
        """If `yields`, process messages of other connections before messages of this connection from now on."""

    def drop(self, code: str, message: str) -> None:
        """Send an error with `code` and `message` to the client and close the connection."""


class ServerSeat(Seat[Connection]):
    """A seat of a table, with its holder and the hash of the holder's token."""

    def __init__(self, index: int, kind: SeatKind) -> None:
        super().__init__(index)
        self.kind: SeatKind = kind
        self.name: str | None = None
        self.server_side: str | None = None
        """Player that the server runs for this seat, `builtin:NAME` or `bot:NAME`. None for a seat of a client."""
        self.turns = Turns()
        self.token_seal: str | None = None
        self.invite_seal: str | None = None
        self.absent_since: float | None = None
        self.lag = LagAllowance(None)
        self.is_rematch_wanted = False
        self.early: list[bytes] = []
        """Lines that a bot wrote before it was asked for a move. They are processed at the next request to the bot."""
        self.has_lost_notes = False
        """Whether the player was informed that no more notes are stored. A note is the `info` of an answer."""

    @property
    def is_free(self) -> bool:
        return self.kind in ("open", "reserved")

    @property
    def is_abandoned(self) -> bool:
        """Whether the player has permanently left a running game."""
        return self.kind == "player" and self.token_seal is None

    def set_clock(self, clock: Clock | None) -> None:
        """Reset the clock of the seat. `clock` is the clock of the table, or None if the table has none.

        Without a clock, a person has no time limit, and a bot has BOT_CLOCK. A built-in player in a separate process
        has at most LONGEST_SEARCH_S seconds for each move, with any clock.
        """
        if self.kind == "bot":
            clock = clock or BOT_CLOCK
            if self.server_side is not None and self.server_side.startswith(BUILTIN):
                move_s = LONGEST_SEARCH_S if clock.move_s is None else min(clock.move_s, LONGEST_SEARCH_S)
                clock = msgspec.structs.replace(clock, move_s=move_s)
        self.clock = SeatClock(clock)
        self.lag = LagAllowance(clock)

    def allow_lag(self) -> None:
        """Set `lag_s`, the network latency in seconds that does not count as thinking time of the next move."""
        self.lag_s = 0.0 if self.channel is None else self.lag.take(self.channel.lag_s)

    def vacate(self, *, is_private: bool) -> None:
        """Free the seat. If `is_private`, only invited players may take it."""
        self.kind = "reserved" if is_private else "open"
        self.name = self.token_seal = self.invite_seal = self.absent_since = None

    def info(self) -> SeatInfo:
        connected = self.server_side is not None or self.channel is not None
        is_substituted = self.kind == "player" and self.has_substitute
        return SeatInfo(self.index, self.kind, self.name, connected, is_substituted, self.server_side)
