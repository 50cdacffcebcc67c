"""Interface of players that exchange lines of JSON, and a player at standard input and output."""

import os
import select
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol

from rails_cli.match.clock import seconds_words
from rails_cli.protocol.messages import MAX_LINE, Join

STDIN, STDOUT = 0, 1
"""File descriptors of standard input and standard output."""
READ_SIZE = 65_536
"""Maximum number of bytes of one read."""
LONGEST_LOOK_MS = 3_600_000
"""Maximum timeout of one call of `poll`, in milliseconds."""
MAX_UNREAD = 1 << 25
"""Maximum number of bytes of input that are buffered while the program at the other end does not read our output."""


class SeatLost(Exception):
    """Raised if the player of a seat has ended, or must be ended because of a protocol violation."""

    def __init__(self, code: str, message: str, *, is_clean: bool = False) -> None:
        """Store the fault `code` and `message`. `is_clean` means that the program exited by itself with exit code 0."""
        super().__init__(message)
        self.code = code
        self.is_clean = is_clean
        self.was_gone = False
        """Whether the player had ended before the request was sent."""


class SeatSlow(Exception):
    """Raised if a player did not answer before the deadline."""


class MatchTimeOver(Exception):
    """Raised if the time of the whole match is over."""


class LineSeat(Protocol):
    """A player that reads and writes lines of JSON."""

    join: Join
    """The last `join` message of the player, which selects message options. At first, one with default options."""
    is_process: bool
    """Whether the player is a process that can be ended and restarted."""

    def start(self) -> bool:
        """Start the player if it is not running. Return whether the `hello` message must still be sent."""

    def begin_match(self, until: float | None) -> None:
        """Reset the limits that apply per match. `until` is the wall-clock deadline of the match, if any."""

    def post(self, line: bytes) -> None:
        """Send a line without waiting until the player reads it. Raise SeatLost if the player has ended."""

    def send(self, line: bytes, deadline: float | None) -> None:
        """Send a line and wait until it is written. Raise SeatSlow at the deadline, SeatLost if the player ended."""

    def receive(self, deadline: float | None) -> bytes:
        """Return the next line without its newline. Raise SeatSlow at the deadline, SeatLost if the player ended."""

    def now(self) -> float:
        """Return the time on this player's clock in seconds. All deadlines of the player are times on this clock."""

    def end(self, *, is_final: bool = False) -> None:
        """End the player at once. If `is_final`, the player must not be started again, because it would fail in the
        same way.
        """


class UntimedSeat:
    """Base class of players in this process, which have no clock. Subclasses define `post` and `receive`."""

    is_process = False
    is_greeted = False
    """Whether the player has received the `hello` message."""

    def __init__(self, join: Join) -> None:
        self.join = join

    def start(self) -> bool:
        is_first, self.is_greeted = not self.is_greeted, True
        return is_first

    def begin_match(self, until: float | None) -> None:
        """Do nothing, because there is no time limit."""

    def post(self, line: bytes) -> None:
        raise NotImplementedError

    def send(self, line: bytes, deadline: float | None) -> None:
        self.post(line)

    def now(self) -> float:
        return 0.0

    def end(self, *, is_final: bool = False) -> None:
        """Do nothing, because there is no process to end."""


class Gone(Exception):
    """Raised if the program at standard input and output has ended or must be disconnected."""


class StdioLine:
    """Connection to one program over standard input and output."""

    def __init__(self, patience_s: float | None = None, now: Callable[[], float] = time.perf_counter) -> None:
        """Prepare the connection. `patience_s` is the longest time to wait until the program reads its pending input.

        After this time, in seconds on the clock `now`, methods that write raise Gone. None for no limit.
        """
        self.patience_s = patience_s
        self.now = now
        self.join = Join()
        self.received = b""
        self.has_ended = False
        self.is_given_up = False
        self._reading, self._moving = select.poll(), select.poll()
        self._reading.register(STDIN, select.POLLIN)
        self._moving.register(STDIN, select.POLLIN)
        self._moving.register(STDOUT, select.POLLOUT)

    @contextmanager
    def opened(self) -> Iterator[None]:
        """Make the output non-blocking inside a `with` block."""
        was_blocking = os.get_blocking(STDOUT)
        os.set_blocking(STDOUT, False)
        try:
            yield
        finally:
            os.set_blocking(STDOUT, was_blocking)

    def write(self, content: bytes | bytearray, *, may_wait: bool = True) -> None:
        """Write `content`. While the output is blocked, read input into a buffer, so that the programs do not block
        each other.

        Raise Gone if the program has ended, or the output is blocked and `may_wait` is false.
        """
        unwritten = memoryview(content)
        while unwritten:
            try:
                unwritten = unwritten[os.write(STDOUT, unwritten) :]
            except BlockingIOError:
                if not may_wait:
                    raise Gone("our output is not read at once") from None
                self._wait_to_write()
            except BrokenPipeError:
                raise Gone("nobody reads our output any more") from None

    def _wait_to_write(self) -> None:
        """Wait until the output is writable, and buffer input meanwhile. Raise Gone after `patience_s` seconds."""
        until = None if self.patience_s is None else self.now() + self.patience_s
        ready: set[int] = set()
        while STDOUT not in ready:
            left_s = None if until is None else until - self.now()
            if self.is_given_up or (left_s is not None and left_s <= 0):
                self.is_given_up = True
                words = seconds_words(self.patience_s or 0.0, digits=3)
                raise Gone(f"nothing of our output was read for {words} s")
            ready = {end for end, _ in self._moving.poll(_poll_ms(left_s))}
            if STDIN in ready:
                self._read()

    def read(self, left_s: float | None) -> bool:
        """Wait up to `left_s` seconds for input and buffer it. Return False after a timeout.

        If `left_s` is None, wait without a timeout. Raise Gone if the input has ended.
        """
        if self.has_ended:
            raise Gone("the input has ended")
        if left_s is not None and not self._reading.poll(_poll_ms(left_s)):
            return False
        self._read()
        return True

    def _read(self) -> None:
        try:
            chunk = os.read(STDIN, READ_SIZE)
        except BlockingIOError:
            self._reading.poll()
            return
        if not chunk:
            self.has_ended = True
            self._moving.unregister(STDIN)
        self.received += chunk
        if len(self.received) > MAX_UNREAD:
            raise Gone("the program at the other end keeps writing, but does not read")


def _poll_ms(left_s: float | None) -> float | None:
    return None if left_s is None else min(left_s * 1000 + 1, LONGEST_LOOK_MS)


class StdioSeat(StdioLine):
    """A player at standard input and output, which cannot be restarted or ended."""

    is_process = False
    is_greeted = False
    """Whether the player has received the `hello` message."""
    is_silent = True
    """Whether the player has not sent anything in this match yet."""

    def start(self) -> bool:
        is_first = not self.is_greeted
        self.is_greeted = True
        return is_first

    def begin_match(self, until: float | None) -> None:
        self.is_silent = True

    def post(self, line: bytes) -> None:
        self.write(line)

    def send(self, line: bytes, deadline: float | None) -> None:
        self.write(line)

    def receive(self, deadline: float | None) -> bytes:
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
                left_s = None if deadline is None else deadline - self.now()
                if left_s is not None and left_s <= 0:
                    raise SeatSlow
                self.read(left_s)

    def end(self, *, is_final: bool = False) -> None:
        """Discard the input that was received but not processed. The player itself cannot be ended.

        If `is_final`, raise Gone, so that the match ends.
        """
        self.received = b""
        if is_final:
            raise Gone("the program at the other end speaks another protocol")
