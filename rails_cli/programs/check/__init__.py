"""Checks of a bot: matches with usual and with unusual but valid messages, and a report of the results.

No behaviour of the bot can prevent the checks from ending.
"""

import shlex
from collections.abc import Callable
from statistics import median
from typing import Literal

import msgspec

from rails_cli.programs.check.checked_bot import OutOfTime
from rails_cli.programs.check.checker import REAL_TIMES, BotChecker, Subject, Times, events_of
from rails_cli.programs.check.checks import FROM_OBSERVATIONS, all_checks, left_out
from rails_cli.programs.check.observations import Observations, transcribed
from rails_cli.programs.check.results import CannotStart, CheckResult, Grade
from rails_cli.programs.failures import ask_command
from rails_cli.protocol.messages import MAX_LINE

MAX_HANGS = 3
"""Number of unanswered requests after which the remaining checks are skipped."""
KEPT_BYTES = 4 * MAX_LINE
"""Maximum number of bytes of the transcript of one check that are kept in memory."""

__all__ = ["REAL_TIMES", "BotChecker", "CannotStart", "Check", "Report", "Subject", "Times", "check_bot"]


class Check(msgspec.Struct, frozen=True):
    name: str
    verdict: Grade
    message: str
    stderr: list[str] = []
    """The last lines that the bot wrote to stderr, if the check failed."""
    log: str | None = None
    """Path of the log of the failed match. None if no log shows what the bot received."""
    ask: str | None = None
    """Shell command that asks the bot again the question at which it failed. None if there is no such question."""
    transcript: str | None = None
    """Path of the file with the lines exchanged with the bot. None if the check did not fail, or if `log` shows why."""


class Report(msgspec.Struct, frozen=True):
    """The results of all checks of one bot.

    `coverage` maps the name of a game to the number of the bot's decisions of each kind. `events` maps the name of a
    game to the number of events of each type that were sent to the bot. `times_ms` and `memory` map names of statistics
    to values (see the functions `times_ms` and `memory_of`).
    """

    command: list[str]
    verdict: Literal["ok", "failed"]
    checks: list[Check]
    coverage: dict[str, dict[str, int]]
    times_ms: dict[str, float | int | None]
    events: dict[str, dict[str, int]]
    memory: dict[str, float | int | None]
    left_out: list[str] = []
    """Sentences about the checks that a quick check left out. Empty after a full check."""


def check_bot(
    checker: BotChecker, tell: Callable[[Check], None], keep: Callable[[str, bytes], str] | None = None
) -> Report:
    """Run all checks of a bot, and call `tell` with the result of each check.

    `keep(name, content)` stores the log or transcript of a failed check and returns its path. Raise CannotStart if the
    bot's command cannot be run.
    """
    done: list[Check] = []
    lines = Transcript(checker.observed.transcript)
    checker.observed.transcript = lines.add
    stopped = ""
    is_out_of_time = False
    for name, make in all_checks(checker.subjects):
        if not stopped and checker.hangs >= MAX_HANGS:
            stopped = f"the bot hung {checker.hangs} times"
        found = None
        if not stopped or name in FROM_OBSERVATIONS:
            lines.begin(name)
            try:
                found = make(checker)
            except OutOfTime:
                stopped = f"the time limit of the whole check, {checker.limit_s:g} s, was reached"
                is_out_of_time = True
        if found is None:
            found = CheckResult("failed" if is_out_of_time else "warning", f"not checked: {stopped}")
        if found.verdict == "failed":
            checker.failed.add(name)
        kept = _kept(name, found, checker, lines, keep)
        done.append(Check(name, found.verdict, found.message, list(found.stderr), *kept))
        tell(done[-1])
    coverage = {name: dict(sorted(kinds.items())) for name, kinds in checker.coverage.items()}
    verdict: Literal["ok", "failed"] = "failed" if checker.failed else "ok"
    events = {
        subject.game.name: {tag: checker.events_sent[subject.game.name][tag] for tag in events_of(subject.game)}
        for subject in checker.subjects
    }
    times, memory = times_ms(checker.observed), memory_of(checker.observed)
    return Report(checker.command, verdict, done, coverage, times, events, memory, left_out(checker))


class Transcript:
    """The lines exchanged with the bot in the current check. Each line is also passed to the callback `pass_on`."""

    def __init__(self, pass_on: Callable[[str, bytes], None]) -> None:
        self._pass_on = pass_on
        self._name = ""
        self._lines: list[bytes] = []
        self._size = 0

    def begin(self, name: str) -> None:
        self._name, self._lines, self._size = name, [], 0
        self._pass_on("#", name.encode())

    def add(self, sign: str, line: bytes) -> None:
        self._pass_on(sign, line)
        if self._size < KEPT_BYTES:
            self._lines.append(transcribed(sign, line))
            self._size += len(line)

    def of(self, name: str) -> bytes:
        """Return the transcript of the check `name`.

        Empty if `name` is not the current check, or if there are no lines.
        """
        return b"".join(self._lines) if name == self._name else b""


def _kept(
    name: str, found: CheckResult, checker: BotChecker, lines: Transcript, keep: Callable[[str, bytes], str] | None
) -> tuple[str | None, str | None, str | None]:
    """Store the log or transcript of the check `name` with `keep`, if the check failed with the result `found`.

    Return the fields `log`, `ask` and `transcript` of its `Check`. `lines` is the transcript of the current check.
    """
    fault = found.fault
    if keep is None or found.verdict != "failed":
        return None, None, None
    if fault is None or not fault.log:
        said = lines.of(name)
        return None, None, keep(f"{name}.txt", said) if said else None
    log = keep(f"{name}.jsonl", fault.log)
    ask = (
        None
        if fault.action is None
        else ask_command(log, fault.action, shlex.join(checker.command), limits=checker.limits)
    )
    return log, ask, None


def times_ms(observed: Observations) -> dict[str, float | int | None]:
    """Return statistics of the bot's answer times in milliseconds. A statistic of no answers is None.

    The key `answers` has the number of answers. `median_first` and `slowest_first` are about the first answer of each
    process, `median` and `slowest` about later answers.
    """
    first, later = observed.first_ms, observed.answer_ms
    return {
        "answers": len(first) + len(later),
        "median": round(median(later), 3) if later else None,
        "slowest": round(max(later), 3) if later else None,
        "median_first": round(median(first), 3) if first else None,
        "slowest_first": round(max(first), 3) if first else None,
    }


def memory_of(observed: Observations) -> dict[str, float | int | None]:
    """Return `peak_bytes`, the peak memory of one process of the bot, and `growth_per_answer_bytes`.

    A value is None if it was not measured.
    """
    growth = observed.growth_bytes
    return {
        "peak_bytes": max(observed.memory_bytes, default=None),
        "growth_per_answer_bytes": None if growth is None else round(growth),
    }
