"""Checks a bot that has dialled in to a server: its lines come and go by way of the server, and nothing else of it is
known. This is a process of its own, as a check waits for the bot.
"""

import os
import select
import signal
import sys
import time
from collections import deque
from contextlib import suppress
from typing import ClassVar

import msgspec

from protocol.messages import Clock, Join
from protocol.pool_api import CheckFinding
from rails_cli.bot_check import Check, check_bot
from rails_cli.bot_check.checked_bot import PLAIN, CheckedBot, Delivery, Observations
from rails_cli.bot_check.checker import BotChecker, Subject
from rails_cli.bot_check.checks import all_checks
from rails_cli.bot_process import BACKLOG_LIMIT
from rails_cli.games import load_game, standard_board
from rails_cli.match.session import HELLO, Rules
from rails_cli.seats import READ_SIZE, SeatSlow

MAIN = "from rails_cli.bot_check.dialled import main; main()"
REPORT = b"="
"""What the line with the report begins with; all others with the number of a connection."""
LEFT = "The bot has closed its connection in this check."


class DialledTask(msgspec.Struct, frozen=True):
    """What is to be checked."""

    sizes: dict[str, list[int]]
    """By game, the numbers of players."""
    joins: list[Join]
    """By connection, how it likes its messages."""
    clock: Clock
    seed: int
    limit_s: float


REPORTS = msgspec.json.Decoder(list[CheckFinding])


class HungUp(Exception):
    """The bot, or the server, is gone."""


class Flooded(Exception):
    """The bot says more than anybody asks for."""


class Exchange:
    """The way to the connections of a bot: lines to and from the server, each with the number of a connection."""

    def __init__(self, source: int, sink: int, connections: int) -> None:
        self._source = source
        self._sink = sink
        self._unread = b""
        self._heard: list[deque[bytes]] = [deque() for _ in range(connections)]
        self._held = [0] * connections
        """By connection, the bytes that were heard, but not read."""

    def say(self, number: int, lines: bytes) -> None:
        self.tell(b"".join(b"%d %s\n" % (number, line) for line in lines.split(b"\n") if line))

    def tell(self, content: bytes) -> None:
        while content:
            content = content[os.write(self._sink, content) :]

    def hear(self, number: int, deadline: float) -> bytes:
        """Raises SeatSlow."""
        while not self._heard[number]:
            left = deadline - time.perf_counter()
            if left <= 0:
                raise SeatSlow
            self._take(left)
        line = self._heard[number].popleft()
        self._held[number] -= len(line)
        return line

    def has_heard(self, number: int) -> bool:
        self._take(0.0)
        return bool(self._heard[number])

    def forget(self, number: int) -> None:
        self._heard[number].clear()
        self._held[number] = 0

    def _take(self, wait_s: float) -> None:
        if not select.select([self._source], [], [], wait_s)[0]:
            return
        chunk = os.read(self._source, READ_SIZE)
        if not chunk:
            raise HungUp
        *lines, self._unread = (self._unread + chunk).split(b"\n")
        for line in lines:
            words, _, content = line.partition(b" ")
            number = int(words)
            self._heard[number].append(content)
            self._held[number] += len(content)
            if self._held[number] > BACKLOG_LIMIT:
                raise Flooded(f"the bot sent more than {BACKLOG_LIMIT} bytes that nobody had asked for")


class DialledBot(CheckedBot):
    """A connection in the place of a process. It is never a new one, but it may have been told nothing yet."""

    is_process = False

    def __init__(
        self, exchange: Exchange, number: int, join: Join, observed: Observations, until: float, delivery: Delivery
    ) -> None:
        super().__init__((), observed, until, delivery)
        self.join = join
        self._exchange = exchange
        self._line = number
        self._is_told = False

    def start(self) -> bool:
        is_new, self._is_told = not self._is_told, True
        return is_new

    def post(self, line: bytes) -> None:
        if not line.startswith(HELLO):  # the server has said so
            super().post(line)

    def end(self, *, is_final: bool = False) -> None:
        self._is_told = False
        self._exchange.forget(self._line)

    def _is_up(self) -> bool:
        return True

    def _write_out(self, piece: bytes, deadline: float) -> None:
        self._exchange.say(self._line, piece)

    def _read_in(self, deadline: float) -> bytes:
        return self._exchange.hear(self._line, deadline)

    def _has_spoken(self) -> bool:
        return self._exchange.has_heard(self._line)


class DialledChecker(BotChecker):
    """Takes the connections of the bot in turn; as many as there are can sit at one table."""

    is_process: ClassVar[bool] = False

    def __init__(self, exchange: Exchange, task: DialledTask) -> None:
        subjects = [
            Subject(load_game(name), standard_board(name), tuple(sorted(players)))
            for name, players in task.sizes.items()
        ]
        rules = Rules(task.clock, 0.0, max_faults=1, on_faults="void")
        observed = Observations(lambda sign, line: None)
        super().__init__([], subjects, rules, observed, task.seed, task.limit_s, is_quick=True)
        self.most_seats = len(task.joins)
        self._exchange = exchange
        self._joins = task.joins
        self._turn = 0

    def bot(self, delivery: Delivery = PLAIN, until: float | None = None) -> CheckedBot:
        number, self._turn = self._turn, (self._turn + 1) % len(self._joins)
        until = min(self.until, until or self.until)
        return DialledBot(self._exchange, number, self._joins[number], self.observed, until, delivery)


def findings_of(checker: BotChecker) -> list[CheckFinding]:
    """What came of all checks, or of those before the bot was gone; that it went is told if nothing failed before."""
    found: list[CheckFinding] = []

    def note(check: Check) -> None:
        found.append(CheckFinding(check.name, check.verdict, check.message))

    def fail(message: str) -> None:
        """The check that was being made."""
        name = [name for name, _ in all_checks(checker.subjects, is_process=False)][len(found)]
        found.append(CheckFinding(name, "failed", message))

    try:
        check_bot(checker, note)
    except HungUp:
        if all(finding.verdict != "failed" for finding in found):
            fail(LEFT)
    except Exception as error:  # whoever breaks a check has not passed it
        fail(f"The check was interrupted: {str(error) or type(error).__name__}.")
    return found


def main() -> None:
    """Does the task in its first argument, and tells what came of it."""
    for number in (signal.SIGINT, signal.SIGTERM):  # these are for the server, whose end is the end of our input
        signal.signal(number, signal.SIG_IGN)
    task = msgspec.json.decode(sys.argv[1], type=DialledTask)
    exchange = Exchange(0, 1, len(task.joins))
    found = findings_of(DialledChecker(exchange, task))
    with suppress(BrokenPipeError):
        exchange.tell(REPORT + msgspec.json.encode(found) + b"\n")
