"""What the referee asks of a seat that speaks lines."""

from typing import Protocol

from protocol.messages import Join


class SeatLost(Exception):
    """The other end is gone, or behaves so that it has to be ended."""

    def __init__(self, code: str, message: str, *, is_clean: bool = False) -> None:
        """`is_clean`: it ended by itself, as a program does that has nothing more to do."""
        super().__init__(message)
        self.code = code
        self.is_clean = is_clean


class SeatSlow(Exception):
    """The deadline has passed."""


class LineSeat(Protocol):
    """A player at the other end of a line."""

    join: Join
    """How the player likes its messages; the defaults until it says so."""
    is_process: bool
    """Whether it is a process that can be ended and started again."""

    def start(self) -> bool:
        """Makes sure that somebody is there; True if this is a new one, who knows nothing yet."""

    def begin_match(self) -> None:
        """A new match begins."""

    def post(self, line: bytes) -> None:
        """Sends a line without waiting for it to be read. Raises SeatLost."""

    def send(self, line: bytes, deadline: float | None) -> None:
        """Sends a line; returns when its last byte is written. Raises SeatLost, SeatSlow."""

    def receive(self, deadline: float | None) -> bytes:
        """The next line, without its newline. Raises SeatLost, SeatSlow."""

    def now(self) -> float:
        """A reading, in seconds, of the clock that counts for this seat; deadlines are such readings."""

    def end(self, *, is_final: bool = False) -> None:
        """Ends the player at once; `is_final` if there is no sense in going on with this one."""

    def close(self) -> None:
        """Lets the player go."""
