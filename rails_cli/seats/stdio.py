"""The program at our own standard input and output: one line for all the seats it plays."""

import os
import select
import time

from protocol.messages import MAX_LINE, Join
from rails_cli.seats.line_seat import SeatLost, SeatSlow

READ_SIZE = 65_536
LONGEST_LOOK_MS = 3_600_000


class Gone(Exception):
    """The program at the other end has closed the line: nobody is left to play for."""


class StdioSeat:
    """Speaks on two file descriptors; cannot be started anew or ended."""

    is_process = False

    def __init__(self, source: int = 0, sink: int = 1) -> None:
        self.source = source
        self.sink = sink
        self.join = Join()
        self.received = b""
        self.is_greeted = False
        self.reading = select.poll()
        self.reading.register(source, select.POLLIN)

    def start(self) -> bool:
        is_first = not self.is_greeted
        self.is_greeted = True
        return is_first

    def begin_match(self) -> None:
        pass

    def post(self, line: bytes) -> None:
        try:
            while line:
                line = line[os.write(self.sink, line) :]
        except BrokenPipeError:
            raise Gone("nobody reads our output any more") from None

    def send(self, line: bytes, deadline: float | None) -> None:
        self.post(line)

    def receive(self, deadline: float | None) -> bytes:
        while True:
            line, newline, rest = self.received.partition(b"\n")
            if newline:
                self.received = rest
                if line.strip():
                    return line
            elif len(line) > MAX_LINE:
                raise SeatLost("too_long", f"a line of more than {MAX_LINE} bytes")
            else:
                self._wait(deadline)

    def now(self) -> float:
        return time.perf_counter()

    def end(self, *, is_final: bool = False) -> None:
        """What was begun of an endless line is forgotten."""
        self.received = b""
        if is_final:
            raise Gone("the program at the other end speaks another protocol")

    def close(self) -> None:
        pass

    def _wait(self, deadline: float | None) -> None:
        timeout = None
        if deadline is not None:
            left = deadline - time.perf_counter()
            if left <= 0:
                raise SeatSlow
            timeout = min(left * 1000 + 1, LONGEST_LOOK_MS)
        if self.reading.poll(timeout):
            chunk = os.read(self.source, READ_SIZE)
            if not chunk:
                raise Gone("the input has ended")
            self.received += chunk
