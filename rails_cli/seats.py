"""Seats that speak lines: what the referee asks of one, and the one at our own standard input and output."""

import os
import select
import time
from collections.abc import Callable
from typing import Protocol

from protocol.messages import MAX_LINE, Join
from rails_cli.match.clock import seconds_words

READ_SIZE = 65_536
LONGEST_LOOK_MS = 3_600_000


class SeatLost(Exception):
    """The other end is gone, or behaves so that it has to be ended."""

    def __init__(self, code: str, message: str, *, is_clean: bool = False) -> None:
        """`is_clean`: it ended by itself, as a program does that has nothing more to do."""
        super().__init__(message)
        self.code = code
        self.is_clean = is_clean
        self.was_gone = False
        """Whether it had ended before it was sent what it was to answer."""


class SeatSlow(Exception):
    """The deadline has passed."""


class MatchTimeOver(Exception):
    """The time of the whole match is over."""


class LineSeat(Protocol):
    """A player at the other end of a line."""

    join: Join
    """How the player likes its messages; the defaults until it says so."""
    is_process: bool
    """Whether it is a process that can be ended and started again."""

    def start(self) -> bool:
        """Makes sure that somebody is there, as far as is known; True if this is a new one, who knows nothing yet."""

    def begin_match(self, until: float | None) -> None:
        """A new match begins, which has to be over at this reading of the wall clock, if any."""

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


class Gone(Exception):
    """The program at the other end has closed the line: nobody is left to play for."""


def look_ms(left_s: float | None) -> float | None:
    """How long to poll when so much time is left."""
    return None if left_s is None else min(left_s * 1000 + 1, LONGEST_LOOK_MS)


def unread_words(patience_s: float | None) -> str:
    return f"nothing of our output was read for {seconds_words(patience_s or 0.0, digits=3)} s"


class StdioSeat:
    """Speaks on two file descriptors; cannot be started anew or ended."""

    is_process = False

    def __init__(
        self,
        source: int = 0,
        sink: int = 1,
        patience_s: float | None = None,
        now: Callable[[], float] = time.perf_counter,
    ) -> None:
        """Whoever reads nothing of what we send for longer than `patience_s` is given up. `now` reads the clock in
        seconds."""
        self.source = source
        self.now = now
        self.patience_s = patience_s
        self.is_given_up = False
        self.sink = sink
        self.join = Join()
        self.received = b""
        self.is_greeted = False
        self.is_silent = True
        """Whether nothing was said in this match yet."""
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
        """When this returns, so much as PIPE_BUF can be written without waiting."""
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
        """What comes nearly always, for less: one whole line at once. None if it is anything else, which is kept."""
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
        """What was begun of an endless line is forgotten."""
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
