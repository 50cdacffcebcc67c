"""Checks a bot: plays real matches with its process, in plain and in odd but lawful ways, and reports what to fix.

Whatever the bot does, it goes on from check to check, and ends.
"""

from collections.abc import Callable, Sequence
from statistics import median
from typing import Literal

import msgspec

from protocol.messages import Clock
from rails_cli.bot_check.checked_bot import Observations, OutOfTime
from rails_cli.bot_check.checker import BotChecker, Subject
from rails_cli.bot_check.checks import FROM_OBSERVATIONS, CannotStart, Finding, Verdict, all_checks

MAX_HANGS = 3

__all__ = ["CannotStart", "Check", "Report", "Subject", "check_bot"]


class Check(msgspec.Struct, frozen=True):
    """What came of one check."""

    name: str
    verdict: Verdict
    message: str


class Report(msgspec.Struct, frozen=True):
    """What came of all checks; `coverage` counts the decisions asked for in whole matches, by game and kind."""

    command: list[str]
    verdict: Literal["ok", "failed"]
    checks: list[Check]
    coverage: dict[str, dict[str, int]]
    times_ms: dict[str, float | int | None]


def check_bot(
    command: Sequence[str],
    subjects: Sequence[Subject],
    *,
    clock: Clock,
    start_up_s: float = 20.0,
    seed: int = 0,
    is_quick: bool = False,
    limit_s: float = 900.0,
    transcript: Callable[[str, bytes], None] = lambda sign, line: None,
    tell: Callable[[Check], None] = lambda check: None,
) -> Report:
    """Makes every check; `tell` is given each as it is done, `transcript` each line in either direction.

    Raises CannotStart.
    """
    observed = Observations(transcript=transcript)
    checker = BotChecker(
        command,
        subjects,
        clock=clock,
        start_up_s=start_up_s,
        seed=seed,
        is_quick=is_quick,
        limit_s=limit_s,
        observed=observed,
    )
    done: list[Check] = []
    stopped = ""
    is_out_of_time = False
    for name, make in all_checks(subjects):
        if not stopped and checker.hangs >= MAX_HANGS:
            stopped = f"the bot hung {checker.hangs} times"
        found = None
        if not stopped or name in FROM_OBSERVATIONS:
            transcript("#", name.encode())
            try:
                found = make(checker)
            except OutOfTime:
                stopped = f"the time for the whole check, {limit_s:g} s, was used up"
                is_out_of_time = True
        if found is None:
            found = Finding("failed" if is_out_of_time else "warning", f"not checked: {stopped}")
        if found.verdict == "failed":
            checker.failed.add(name)
        done.append(Check(name, found.verdict, found.message))
        tell(done[-1])
    coverage = {name: dict(sorted(kinds.items())) for name, kinds in checker.coverage.items()}
    return Report(list(command), "failed" if checker.failed else "ok", done, coverage, times_ms(observed))


def times_ms(observed: Observations) -> dict[str, float | int | None]:
    """How long answers took; the first answer of a process, which includes its start, is counted apart."""
    first, later = observed.first_ms, observed.answer_ms
    return {
        "answers": len(first) + len(later),
        "median": round(median(later), 3) if later else None,
        "slowest": round(max(later), 3) if later else None,
        "median_first": round(median(first), 3) if first else None,
        "slowest_first": round(max(first), 3) if first else None,
    }
