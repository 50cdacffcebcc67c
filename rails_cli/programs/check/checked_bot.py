"""The process of a bot that is being checked. It can deliver messages in unusual ways, and records the bot's behaviour.

Mistakes that the referee would reject at every request are recorded and corrected here: wrong request numbers, second
answers, and invalid `join` messages. So these mistakes do not hide others.
"""

import fcntl
import select
import termios
import time
from collections import Counter, deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

import msgspec

from rails_cli.programs.check.observations import PLAIN, Delivery, Observations, Slip, as_object, kind_of, shown
from rails_cli.programs.limits import NO_LIMITS, BotLimits
from rails_cli.programs.process import BotProcess
from rails_cli.protocol.lines import BadLine, client_decoder, decode, encode
from rails_cli.protocol.messages import PROTOCOL, Join, Rejected
from rails_cli.referee.seats import SeatLost, SeatSlow

UNSOLICITED_LIMIT = 1000
"""Maximum number of lines that are read at once if the bot writes lines without being asked."""
CHILDREN_S = 0.5
"""Seconds that the bot's child processes may continue to run after the bot has exited."""
PIECE_S = 1.0
"""Maximum number of seconds to wait until the bot has read a piece of a line, before the next piece is written."""
POLL_S, SLOW_POLL_S = 0.001, 0.02
"""Seconds between two polls of a pipe or a process. The second value is for polls that need more CPU time."""
SECOND_ANSWER_S = 0.5
"""Minimum seconds to wait for another answer after a rejection. A slow bot gets three times its longest answer time."""
SHORT_SECOND_ANSWER_S = 0.05
"""Seconds to wait for another answer from a bot that has ignored a rejection before."""

ANSWER_FIELDS = {"number", "action", "choice"}

_CLIENT = client_decoder(Any)


class AnswersReached(Exception):
    """Raised when the bot has given as many answers as the match needs."""


class OutOfTime(Exception):
    """Raised when the time limit of all checks together is reached."""


class CheckedBot(BotProcess):
    """The process of a bot that is being checked. It can play any seat."""

    def __init__(
        self,
        command: Sequence[str],
        observed: Observations,
        until: float,
        delivery: Delivery = PLAIN,
        limits: BotLimits = NO_LIMITS,
        now: Callable[[], float] = time.perf_counter,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """Prepare the process of the bot started by `command`. All checks must end at the time `until`.

        `observed` collects what the bot does. Messages are delivered as `delivery` says. `now` returns the time in
        seconds on the clock of `until`. `sleep` pauses for a number of seconds on the same clock.
        """
        super().__init__(command, limits=limits, on_print=self._note_print, now=now)
        self.sleep = sleep
        self.observed = observed
        self.until = until
        self.delivery = delivery
        self.printed = ""
        """The last line in this match that the bot printed on stdout and that was not an answer."""
        self.answers_wanted: int | None = None
        """Number of answered requests, over all matches so far, after which `AnswersReached` is raised.

        The exception is raised instead of sending the next request. None for no limit.
        """
        self.asked: Counter[str] = Counter()
        self.events_sent: Counter[str] = Counter()
        self.slips: list[Slip] = []
        self.wants_end = True
        """Whether the bot receives the `end` message of a match."""
        self.exits: list[int] = []
        self.request = b""
        self.number: int | None = None
        self.kind = ""
        self.last_line = b""
        self._closed: set[int] = set()
        self._answers_due = 0
        self._kept: deque[bytes] = deque()
        self._waiting = b""
        self._is_first = True
        self._is_test_rejected = self._is_repeated = self._is_really_rejected = False
        self._second_answer_until: float | None = None
        self._delivered_at = 0.0
        """Time at which the last piece of the last line was written."""

    def begin(self, answers: int | None, *, wants_end: bool) -> None:
        """Prepare for another match, which ends after `answers` answers of the bot. None means no limit.

        If `wants_end` is false, the bot does not receive the `end` message of the match.
        """
        self.slips = []
        self.printed = ""
        self.answers_wanted = None if answers is None else sum(self.asked.values()) + answers
        self.wants_end = wants_end

    def start(self) -> bool:
        self.end_if_over()
        is_new = super().start()
        if is_new:
            self.sleep(self.delivery.wake_s)
        return is_new

    def post(self, line: bytes) -> None:
        message = as_object(line)
        kind = message.get("type")
        if kind == "end" and not self.wants_end:
            return
        self._note_events(message)
        if kind == "start":
            with suppress(SeatLost):
                self._read_unsolicited()
            self._close()
        if self.delivery.together:
            self._waiting += self._as_delivered(line)
            return
        try:
            self._deliver(line, min(self.until, self.now() + 10))
        except SeatSlow:
            raise SeatLost("disconnect", "does not read its input") from None

    def send(self, line: bytes, deadline: float | None) -> None:
        message = as_object(line)
        if message.get("type") == "request":
            self._read_unsolicited()
            if message["number"] != self.number:
                if self.answers_wanted is not None and sum(self.asked.values()) == self.answers_wanted:
                    raise AnswersReached
                self._close()
                self.number = message["number"]
                self.kind = kind_of([entry["type"] for entry in message["legal"]])
                self.asked[self.kind] += 1
                self._note_events(message)
                self._is_repeated = self._is_really_rejected = False
                self._second_answer_until = None
            self.request = line
        if message.get("type") in ("request", "rejected"):
            self._answers_due += 1
        self._deliver(line, deadline)
        if message.get("type") == "rejected":
            self._limit_second_answer(deadline)
            self._is_really_rejected = True

    def receive(self, deadline: float | None) -> bytes:
        while True:
            line = self._receive_line(deadline)
            if line is None:
                return self._default()
            message = as_object(line)
            kind = message.get("type")
            if not message or kind == "again" or (kind != "action" and not message.keys().isdisjoint(ANSWER_FIELDS)):
                return line
            if kind == "action":
                if self._is_second(message):
                    continue
                line = self._corrected(line, message)
                if not self._needs_another_answer(deadline):
                    return line
            elif kind != "join":
                self._note_strange(line)
            elif self._is_good_join(line):
                return line

    def end(self, *, is_final: bool = False) -> None:
        code = None if self.process is None else self.process.poll()
        if code is not None:
            self.exits.append(code)
        super().end()
        self.observed.most_stderr = max(self.observed.most_stderr, self.notes.size)

    def close(self) -> None:
        self.end()

    def linger(self, seconds: float) -> None:
        """For a number of seconds, read lines that the bot writes without a request."""

        def has_ended() -> bool:
            with suppress(SeatLost):
                self._read_unsolicited()
            return self.process is None

        self._poll(has_ended, self.now() + seconds, min(seconds, SLOW_POLL_S), self.sleep)

    def leave(self, seconds: float) -> int | None:
        """Close the bot's input. Return its exit code, or None if the bot still runs after `seconds`."""
        until = self.now() + seconds  # computed before the input is closed, because the bot may react at once
        self.close_input()
        return self._await_exit(until)

    def terminate(self, seconds: float) -> int | None:
        """Send SIGTERM. Return the exit code, or None if the bot still runs after `seconds`."""
        assert self.process is not None
        until = self.now() + seconds
        self.process.terminate()
        return self._await_exit(until)

    def children(self) -> int:
        """Return the number of processes started by the bot that are still running after the bot has ended."""
        self._poll(lambda: not self.tree.marked(), self.now() + CHILDREN_S, SLOW_POLL_S, self.sleep)
        return len(self.tree.marked())

    def memory(self) -> int:
        return self.tree.memory()

    def _await_reading(self, deadline: float) -> None:
        """Wait until the bot has read everything that was sent, so that the bot reads the next piece separately.

        Give up at the time `deadline`.
        """
        process = self.process
        assert process is not None
        unread = bytearray(4)

        def has_read() -> bool:
            fcntl.ioctl(self.stdin, termios.FIONREAD, unread)
            return not any(unread) or process.poll() is not None

        self._poll(has_read, deadline)

    def _poll(
        self,
        is_done: Callable[[], bool],
        until: float,
        pause_s: float = POLL_S,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """Call `is_done` repeatedly until it returns True or the clock reaches `until`.

        Between calls, `sleep` pauses for `pause_s` seconds. By default it pauses in real time, even if `now` is a
        simulated clock, because the bot runs in real time.
        """
        while not is_done() and self.now() < until:
            sleep(pause_s)

    def _note_events(self, message: dict[str, Any]) -> None:
        self.events_sent.update(event["type"] for event in message.get("events", ()))

    def _note_print(self, line: bytes) -> None:
        self.printed = shown(line)
        self.observed.print_line = self.observed.print_line or self.printed
        self.observed.transcript("<", line)

    def _await_exit(self, until: float) -> int | None:
        process = self.process
        assert process is not None
        with suppress(SeatLost, SeatSlow):
            while self.now() < until:
                super().receive(until)
        self._poll(lambda: process.poll() is not None, until)
        return process.returncode

    def _close(self) -> None:
        if self.number is not None:
            self._closed.add(self.number)
        self.number = None

    def _as_delivered(self, line: bytes) -> bytes:
        """Return the bytes to send to the bot for `line`, changed as `delivery` says. Add them to the transcript."""
        parts = [self.delivery.before, line if self.delivery.rewrite is None else self.delivery.rewrite(line)]
        for part in filter(None, parts):
            self.observed.transcript(">", part)
        return b"".join(parts)

    def _deliver(self, line: bytes, deadline: float | None) -> None:
        if self.process is None:
            raise SeatLost("disconnect", "is not running")
        whole, self._waiting = self._waiting + self._as_delivered(line), b""
        limit = self.until if deadline is None else min(deadline, self.until)
        try:
            for piece in [whole] if self.delivery.split is None else self.delivery.split(whole):
                self._delivered_at = self.now()
                super().send(piece, limit)
                if self.delivery.split is not None:
                    self._await_reading(min(limit, self.now() + PIECE_S))
                    self.sleep(self.delivery.pause_s)
        except SeatSlow:
            if self.now() > self.until:
                raise OutOfTime from None
            raise

    def _receive_line(self, deadline: float | None) -> bytes | None:
        """Return the next line from the bot. Raise SeatSlow if no line arrives before `deadline`.

        After a rejection, wait only for a limited time. If no line arrives, record that the bot ignores rejections. If
        the referee had rejected the answer, return None. If this check had rejected the answer as a test, send the
        request again and continue to wait.
        """
        while True:
            if self._kept:
                return self._kept.popleft()
            limits = [limit for limit in (deadline, self.until, self._second_answer_until) if limit is not None]
            try:
                if self.now() > min(limits):
                    raise SeatSlow
                line = super().receive(min(limits))
                self.observed.transcript("<", line)
                self.last_line = line
                return line
            except SeatSlow:
                if self.now() > self.until:
                    raise OutOfTime from None
                if self._second_answer_until is None or (deadline is not None and self.now() > deadline):
                    raise
                self._second_answer_until = None
                self.observed.ignores_rejections = True
                if self._is_really_rejected:
                    return None
                self._deliver(self.request, deadline)

    def _read_unsolicited(self) -> None:
        """Read lines that the bot has written without being asked. Record second answers and keep other lines."""
        if self.process is None:
            return
        for _ in range(UNSOLICITED_LIMIT):
            if not self.lines and not select.select([self.stdout], [], [], 0)[0]:
                return
            try:
                line = super().receive(self.now() + 0.01)
            except SeatSlow:
                return
            self.observed.transcript("<", line)
            message = as_object(line)
            if message.get("type") != "action":
                self._kept.append(line)
            elif self.number is None and not self._closed:
                self._note_strange(line)
            elif self._answers_due <= 0:
                self.observed.second_answer = self.observed.second_answer or shown(line)
            else:
                self._answers_due -= 1

    def _is_second(self, message: dict[str, Any]) -> bool:
        number = message.get("number")
        is_old = type(number) is int and number != self.number and number in self._closed
        return bool(self.observed.second_answer) and is_old

    def _corrected(self, line: bytes, message: dict[str, Any]) -> bytes:
        """Return the bot's answer `line`. If its request number is wrong, record the mistake and correct the number."""
        ms = (self.now() - self._delivered_at) * 1000
        (self.observed.first_ms if self._is_first else self.observed.answer_ms).append(ms)
        self._is_first = self._is_really_rejected = False
        self._second_answer_until = None
        self._answers_due -= 1
        number = message.get("number")
        if type(number) is not int or number == self.number:
            return line
        self._note_slip("stale_request", line, f"the number should be {self.number}")
        example = f"request {self.number} was answered with {shown(line)}"
        self.observed.wrong_number = self.observed.wrong_number or example
        return msgspec.json.encode({**message, "number": self.number})

    def _needs_another_answer(self, deadline: float | None) -> bool:
        assert self.number is not None
        if self.delivery.refuse and not self._is_test_rejected:
            self._is_test_rejected = True
            words = "this refusal is a test: answer again"
            match = as_object(self.request)["match"]
            self._answers_due += 1
            self._deliver(encode(Rejected(match, self.number, "illegal_action", words, 1, 2)), deadline)
            self._limit_second_answer(deadline)
            return True
        if self.delivery.repeat and not self._is_repeated:
            self._is_repeated = True
            self._answers_due += 1
            self._deliver(self.request, deadline)
            return True
        return False

    def _note_strange(self, line: bytes) -> None:
        self.observed.strange_line = self.observed.strange_line or shown(line)
        self._note_slip("bad_line", line, "it is not `join`, `again` or an answer to a request")

    def _note_slip(self, code: str, line: bytes, words: str) -> None:
        number = max(self._closed, default=None) if self.number is None else self.number
        self.slips.append(Slip(code, shown(line), words, number, self.kind))

    def _limit_second_answer(self, deadline: float | None) -> None:
        """Set how long to wait for another answer after a rejection.

        Wait for at most half of the time until `deadline`, so that the request can be sent again.
        """
        slowest = max([*self.observed.first_ms, *self.observed.answer_ms], default=0) / 1000
        patience_s = SHORT_SECOND_ANSWER_S if self.observed.ignores_rejections else max(SECOND_ANSWER_S, 3 * slowest)
        since = self._delivered_at
        self._second_answer_until = since + (
            patience_s if deadline is None else min(patience_s, (deadline - since) / 2)
        )

    def _default(self) -> bytes:
        """Return the default answer to the open request, which is used if the bot ignores a rejection."""
        choice = as_object(self.request)["default"]
        return msgspec.json.encode({"type": "action", "number": self.number, "choice": choice})

    def _is_good_join(self, line: bytes) -> bool:
        self.observed.joins += 1
        try:
            join = decode(line, _CLIENT)
            assert type(join) is Join
            if join.protocol == PROTOCOL:
                return True
            words = f"it asks for protocol {join.protocol}, this server speaks {PROTOCOL}"
        except BadLine as bad:
            words = str(bad)
        self.observed.bad_join = self.observed.bad_join or f"{shown(line)}: {words}"
        self._note_slip("bad_line", line, words)
        return False
