"""Seats that exchange lines with a player: the interface the referee uses, and the seat at standard input and
output."""

import os
import select
import time
from collections.abc import Callable
from typing import Protocol

from rails_cli.match.clock import seconds_words
from rails_cli.protocol.messages import MAX_LINE, Join

READ_SIZE = 65_536
LONGEST_LOOK_MS = 3_600_000


class SeatLost(Exception):
    """Raised if the player is gone or must be ended because of its behaviour."""

    def __init__(self, code: str, message: str, *, is_clean: bool = False) -> None:
        """`is_clean` means that the program exited by itself with success."""
        super().__init__(message)
        self.code = code
        self.is_clean = is_clean
        self.was_gone = False
        """Whether it had ended before the request was sent to it."""


class SeatSlow(Exception):
    """Raised if the deadline has passed."""


class MatchTimeOver(Exception):
    """Raised if the time of the whole match is over."""


class LineSeat(Protocol):
    """A player at the other end of a line."""

    join: Join
    """The message options of the player. Defaults until it sends a `join`."""
    is_process: bool
    """Whether it is a process that can be ended and restarted."""

    def start(self) -> bool:
        """Make sure that a player is there. Return True if it is a new one, which has received nothing yet."""

    def begin_match(self, until: float | None) -> None:
        """Begin a new match that must be over at the time `until` on the wall clock, if given."""

    def post(self, line: bytes) -> None:
        """Send a line without waiting until it is read. Raise SeatLost."""

    def send(self, line: bytes, deadline: float | None) -> None:
        """Send a line and wait until its last byte is written. Raise SeatLost or SeatSlow."""

    def receive(self, deadline: float | None) -> bytes:
        """Return the next line without its newline. Raise SeatLost or SeatSlow."""

    def now(self) -> float:
        """Return the time, in seconds, on the clock of this seat. Deadlines refer to it."""

    def end(self, *, is_final: bool = False) -> None:
        """End the player at once. `is_final` means that restarting it would not help."""


class Gone(Exception):
    """Raised if the program at the other end closed the connection, so that nobody is left to play for."""


def look_ms(left_s: float | None) -> float | None:
    """Return the poll timeout in milliseconds for `left_s` seconds."""
    return None if left_s is None else min(left_s * 1000 + 1, LONGEST_LOOK_MS)


def unread_words(patience_s: float | None) -> str:
    return f"nothing of our output was read for {seconds_words(patience_s or 0.0, digits=3)} s"


class StdioSeat:
    """A seat on two file descriptors, which cannot be restarted or ended."""

    is_process = False

    def __init__(
        self,
        source: int = 0,
        sink: int = 1,
        patience_s: float | None = None,
        now: Callable[[], float] = time.perf_counter,
    ) -> None:
        """A player that reads nothing for `patience_s` seconds while data is pending is given up. `now` is the clock
        in seconds."""
        self.source = source
        self.now = now
        self.patience_s = patience_s
        self.is_given_up = False
        self.sink = sink
        self.join = Join()
        self.received = b""
        self.is_greeted = False
        self.is_silent = True
        """Whether the player has not sent anything in this match yet."""
        self.reading, self.writing = select.poll(), select.poll()
        self.reading.register(source, select.POLLIN)
        self.writing.register(sink, select.POLLOUT)

    def start(self) -> bool:
        is_first = not self.is_greeted
        self.is_greeted = True
        return is_first

    def begin_match(self, until: float | None) -> None:
        self.is_silent = True

    def post(self, line: bytes) -> None:
        try:
            while line:
                if self.patience_s is None:
                    line = line[os.write(self.sink, line) :]
                else:
                    self._wait_to_write(self.patience_s)
                    line = line[os.write(self.sink, line[: select.PIPE_BUF]) :]
        except BrokenPipeError:
            raise Gone("nobody reads our output any more") from None

    def _wait_to_write(self, patience_s: float) -> None:
        """Wait until PIPE_BUF bytes can be written without blocking. Raise Gone after `patience_s`."""
        until = self.now() + patience_s
        while not self.is_given_up:
            if self.writing.poll(look_ms(until - self.now())):
                return
            self.is_given_up = self.now() >= until
        raise Gone(unread_words(patience_s))

    def send(self, line: bytes, deadline: float | None) -> None:
        self.post(line)

    def receive(self, deadline: float | None) -> bytes:
        if deadline is None and not self.received:
            line = self._one_line()
            if line is not None:
                return line
        while True:
            line, newline, rest = self.received.partition(b"\n")
            if newline:
                self.received = rest
                if line.strip():
                    self.is_silent = False
                    return line
            elif len(line) > MAX_LINE:
                raise SeatLost("too_long", f"a line of more than {MAX_LINE} bytes")
            else:
                self._wait(deadline)

    def _one_line(self) -> bytes | None:
        """Fast path: return one complete line read at once. None if anything else was read, which is buffered."""
        try:
            chunk = os.read(self.source, READ_SIZE)
        except BlockingIOError:
            return None
        if chunk.find(b"\n") == len(chunk) - 1 and chunk.startswith(b"{"):
            self.is_silent = False
            return chunk[:-1]
        self._take(chunk)
        return None

    def end(self, *, is_final: bool = False) -> None:
        """Discard an incomplete line. Raise Gone if `is_final`."""
        self.received = b""
        if is_final:
            raise Gone("the program at the other end speaks another protocol")

    def _wait(self, deadline: float | None) -> None:
        left_s = None if deadline is None else deadline - self.now()
        if left_s is not None and left_s <= 0:
            raise SeatSlow
        if self.reading.poll(look_ms(left_s)):
            self._take(os.read(self.source, READ_SIZE))

    def _take(self, chunk: bytes) -> None:
        if not chunk:
            raise Gone("the input has ended")
        self.received += chunk
