"""What a table knows of those who sit at it and of those who look on."""

import hashlib
import hmac
import secrets
from collections import deque
from typing import Protocol

from protocol.lobby import SeatInfo, SeatKind
from protocol.messages import Clock, Join
from rails_cli.clock import SeatClock
from rails_cli.referee import Player

BOT_CLOCK = Clock(None, 0.0, 60.0)
"""The time of a bot that the server runs at a table without clocks: one that hangs does not hold it up for ever."""


class Connection(Protocol):
    """The other end: a websocket, or a bot that the server runs itself."""

    join: Join

    @property
    def is_busy(self) -> bool:
        """Whether much is on its way that the other end has not read yet."""

    def post(self, content: bytes) -> None:
        """Sends a message without waiting; never raises."""

    def drop(self, code: str, message: str) -> None:
        """Tells why, and closes."""


def new_token() -> str:
    return secrets.token_urlsafe(24)


def sealed(token: str) -> str:
    """What is kept of a token: enough to know it again."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def is_token(token: str, seal: str | None) -> bool:
    """Whether a token fits its seal, compared in constant time."""
    return seal is not None and hmac.compare_digest(sealed(token), seal)


class Chair:
    """A seat of a table: who holds it, by which token, and what that player knows, has left and did wrong."""

    __slots__ = (
        "absent_since",
        "clock",
        "connection",
        "faults",
        "grace_s",
        "invite_seal",
        "is_rematch_wanted",
        "kind",
        "late",
        "losses",
        "name",
        "player",
        "seat",
        "seen",
        "server_side",
        "token_seal",
    )

    def __init__(self, seat: int, kind: SeatKind) -> None:
        self.seat = seat
        self.kind: SeatKind = kind
        self.name: str | None = None
        self.server_side: str | None = None
        """`builtin:NAME` or `bot:NAME` for a seat that the server plays."""
        self.token_seal: str | None = None
        self.invite_seal: str | None = None
        self.connection: Connection | None = None
        self.player: Player | None = None
        """Plays for the seat inside the program: always, or as a substitute for one who is lost."""
        self.clock = SeatClock(None)
        self.grace_s = 0.0
        """Added to the time for the next answer: a program that was just started has to warm up."""
        self.seen = 0
        self.faults = 0
        self.late = 0
        """Requests in a row that were not answered in time."""
        self.losses = 0
        """How often the bot in this seat was lost."""
        self.absent_since: float | None = None
        self.is_rematch_wanted = False

    @property
    def is_free(self) -> bool:
        return self.kind in ("open", "reserved")

    @property
    def is_forsaken(self) -> bool:
        """Whether its player has left a running game for good."""
        return self.kind == "player" and self.token_seal is None

    def begin(self, clock: Clock | None) -> None:
        self.clock = SeatClock(BOT_CLOCK if clock is None and self.kind == "bot" else clock)
        self.seen = 0

    def vacate(self, *, is_private: bool) -> None:
        """Anybody may sit here again; at a private table, anybody who is invited."""
        self.kind = "reserved" if is_private else "open"
        self.name = self.token_seal = self.invite_seal = self.absent_since = None

    def info(self) -> SeatInfo:
        connected = self.server_side is not None or self.connection is not None
        return SeatInfo(self.seat, self.kind, self.name, connected)


class Watcher:
    """Somebody who looks on; what is told waits here while the table's delay lasts."""

    __slots__ = ("connection", "waiting")

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.waiting: deque[tuple[float, bytes]] = deque()
