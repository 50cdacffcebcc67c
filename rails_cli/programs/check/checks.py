"""The checks of a bot, as functions. Each plays the matches that it needs and returns a result.

A failure in an unusual match counts only if the bot does not fail in a plain match. So each mistake is reported by only
one check.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from itertools import product
from typing import Any

import msgspec

from rails_cli.match.match import Match
from rails_cli.programs.check.checked_bot import OutOfTime
from rails_cli.programs.check.checker import BotChecker, BotFault, CheckMatch, Subject, fault_of, kind_in, tags_of
from rails_cli.programs.check.observations import PLAIN
from rails_cli.programs.check.results import (
    ADVICE,
    FEW,
    NEVER_ANSWERED,
    PASSED,
    CannotStart,
    CheckResult,
    cannot_tell,
    experiment,
    failed,
    see,
)
from rails_cli.programs.check.unusual import UNUSUAL_CHECKS
from rails_cli.programs.stderr import STDERR_LIMIT
from rails_cli.protocol.messages import PROTOCOL

GAMES_SHARE = 0.6
"""Fraction of the time limit of all checks together that is used for whole matches."""
RARE_SHARE = 0.1
"""Fraction of the time limit of all checks together that is used for the search for rare events."""
MIDGAME = 60
"""Number of actions played by others before the bot takes over in the middle of a game."""
LINGER_S = 0.1
"""Seconds for which the output of a bot is read after the end of a match."""
EXIT_S = 2.0
"""Maximum number of seconds from the end of the input of a bot to its exit."""
TERM_S = 1.0
"""Maximum number of seconds from SIGTERM to the exit of a bot."""
STDERR_FLOOD = STDERR_LIMIT // 4
MEGABYTE = 1_000_000
MEMORY_MATCHES = 4
"""Number of matches after each of which the memory of a bot is measured."""
MEMORY_ANSWERS = 40
"""Maximum number of answers of the bot in each match of the memory check."""
LEAK_BYTES = 16 * MEGABYTE
"""Memory growth in bytes in the last matches that is tolerated, because garbage is collected only now and then."""

FROM_OBSERVATIONS = ("handshake", "numbers", "one_answer", "debug_prints", "stderr")
"""Names of the checks that play no match, but evaluate what was observed in other checks."""

NO_PACKAGE = "ModuleNotFoundError: No module named 'rails_cli"
"""Error of a Python bot that uses a module of rails-cli, if its Python does not have the package."""
PACKAGE_ADVICE = (
    "the bot cannot import rails_cli: its Python does not have the package, which uv tool and pipx install for the "
    "command rails-cli alone. Install it in a virtual environment: python3 -m venv env; env/bin/pip install rails-cli. "
    "Then start the bot with env/bin/python instead of python3"
)


# Start


def starts(checker: BotChecker) -> CheckResult:
    plan = checker.base()
    with closing(checker.bot()) as bot:
        faults = checker.play({plan.seats[0]: bot}, plan, answers=1, leaves=("stale_request", "bad_line"))
        bot.linger(LINGER_S)
    if bot.cannot_start:
        raise CannotStart(bot.cannot_start)
    faults = [fault for fault in faults if fault.code != "illegal_action"]
    if any(NO_PACKAGE in line for fault in faults for line in fault.stderr):
        raise CannotStart(PACKAGE_ADVICE)
    if faults:
        return failed(faults[0])
    return CheckResult("ok", f"first answer after {checker.observed.first_ms[0]:.0f} ms")


def handshake(checker: BotChecker) -> CheckResult:
    observed = checker.observed
    if observed.bad_join:
        would_do = f'Send {{"type":"join","protocol":{PROTOCOL}}}, or no join at all; {see("join")}'
        return CheckResult("failed", f"It sent {observed.bad_join}. {would_do}")
    if observed.strange_line:
        would_do = "send nothing but `join`, an `action` for each request, and `again`"
        came = f"It sent {observed.strange_line}, which was not requested"
        return CheckResult(
            "failed", f"{came}. `hello`, `start` and `end` need no answer: {would_do}; {see('Messages to the server')}"
        )
    if observed.joins:
        return CheckResult("ok", "joins")
    return CheckResult("ok", "does not join, which is fine") if observed.has_answered else NEVER_ANSWERED


def numbers(checker: BotChecker) -> CheckResult:
    if not checker.observed.wrong_number:
        return PASSED if checker.observed.has_answered else NEVER_ANSWERED
    return CheckResult("failed", f"{checker.observed.wrong_number}. {ADVICE['stale_request']}")


# Whole matches


def whole_game(subject: Subject, checker: BotChecker) -> CheckResult:
    """Check a bot in matches of the game of `subject`, and return the result.

    First play whole matches with every number of players. Then play short matches with the kinds of decisions and the
    options that did not occur in whole matches.
    """
    game = subject.game
    until = checker.times.now() + GAMES_SHARE * checker.limit_s / len(checker.subjects)
    plans = list(matches(subject, checker.seed, checker.is_quick))
    asked = checker.coverage[game.name]
    met: dict[str, CheckMatch] = {}
    faults: list[BotFault] = []
    played = 0
    is_cut = False
    try:
        for plan in plans:
            faults += checker.try_for_game(plan, until, met)
            played += 1
            if any(fault.code == "too_slow" for fault in faults):
                break
        else:
            for plan in positions(subject, checker, met):
                faults += checker.try_for_game(plan, until, met, answers=1)
            for plan in other_options(subject, checker, plans):
                faults += checker.try_for_game(plan, until, met, answers=FEW)
    except OutOfTime:
        is_cut = True
    checker.failing_positions |= {(game.name, fault.kind) for fault in faults if fault.code == "illegal_action"}
    if faults and "starts" in checker.failed:
        return cannot_tell(checker, faults[0])
    if faults:
        return failed(faults[0], also=faults[1:])
    words = f"{played} matches, {sum(asked.values())} answers"
    if is_cut:
        more = "raise --limit" if checker.is_quick else "raise --limit, or play fewer matches with --quick"
        return CheckResult(
            "warning", f"{words}, then the time was up; {len(plans)} matches were planned. To play all, {more}."
        )
    missing = [tag for tag in tags_of(game) if not is_covered(asked, tag)]
    if missing:
        return CheckResult("warning", f"{words}, but none of them asked for {', '.join(missing)}.")
    return CheckResult("ok", words)


def matches(subject: Subject, seed: int, is_quick: bool) -> Iterator[CheckMatch]:
    """Yield plans of whole matches.

    In the first match, the bot plays all seats, with as few players as possible. Then it plays a single seat: each seat
    with each number of players and each set of options. If `is_quick`, there is only one match with a single seat for
    each number of players except the smallest.
    """
    choices, fewest = subject.options, subject.players[0]
    yield CheckMatch(subject, fewest, choices[0], seed, tuple(range(fewest)))
    for players in subject.players:
        if not is_quick:
            for options, seat in product(choices, range(players)):
                yield CheckMatch(subject, players, options, seed + players + seat, (seat,))
        elif players != fewest:
            yield CheckMatch(subject, players, choices[players % len(choices)], seed + players, (players // 2,))


def left_out(checker: BotChecker) -> list[str]:
    """Return sentences about what a quick check leaves out. The list is empty for a full check."""
    said = []
    for subject in checker.subjects if checker.is_quick else ():
        quick, full = (sum(1 for _ in matches(subject, checker.seed, is_quick)) for is_quick in (True, False))
        if quick < full:
            options = f", each with {len(subject.options)} sets of options" if len(subject.options) > 1 else ""
            said.append(
                f"{subject.game.name}: {full - quick} of {full} whole matches; a full check has all seats{options}"
            )
    return said


def positions(subject: Subject, checker: BotChecker, met: dict[str, CheckMatch]) -> Iterator[CheckMatch]:
    """Yield plans of matches that start with a kind of decision that the bot has not met.

    `met` maps kinds of decisions of other players to plans of matches that start with such a decision. For kinds that
    are not in `met`, search for a position.
    """
    asked = checker.coverage[subject.game.name]
    for kind, plan in list(met.items()):
        if not asked[kind]:
            yield plan
    for tag in tags_of(subject.game):
        if not is_covered(asked, tag):
            found = checker.find(partial(asks_for, tag), [subject])
            if found is not None:
                yield found


def other_options(subject: Subject, checker: BotChecker, plans: Sequence[CheckMatch]) -> Iterator[CheckMatch]:
    """Yield plans of matches with option values that occur in none of `plans`."""
    known = {choice for plan in plans for choice in chosen(plan)}
    for options in subject.options:
        plan = replace(checker.plan(subject, subject.players[-1], checker.seed), options=options)
        if not chosen(plan) <= known:
            known |= chosen(plan)
            yield plan


def chosen(plan: CheckMatch) -> set[tuple[str, Any]]:
    return set(msgspec.structs.asdict(plan.options).items())


def asks_for(tag: str, match: Match) -> bool:
    return tag in kind_in(match).split("/")


def is_covered(asked: Counter[str], tag: str) -> bool:
    return any(tag in kind.split("/") for kind, count in asked.items() if count)


# One process, many games


def games_in_a_row(checker: BotChecker) -> CheckResult:
    first, last, seed = checker.subjects[0], checker.subjects[-1], checker.seed
    plans = [
        replace(checker.plan(first, first.players[0], seed), seats=(0,)),
        replace(checker.plan(last, last.players[-1], seed + 1), seats=(min(2, last.players[-1] - 1),)),
        replace(checker.plan(first, first.players[:2][-1], seed + 2), seats=(1,)),
    ]
    advice = (
        "`start` begins a new match: another game, seat and number of players, and numbers from 1 again; keep nothing "
        f"of the match before; {see('The life of a match')}"
    )
    with closing(checker.bot()) as bot:
        for turn, plan in enumerate(plans, start=1):
            faults = checker.play({plan.seats[0]: bot}, plan, answers=FEW, turn=turn)
            if not faults and any(bot.exits):
                words = f"{how_it_ended(bot.exits[-1])} and had to be started again"
                faults = [fault_of(plan, plan.seats[0], bot, "disconnect", words, "")]
            if faults:
                plain = faults if turn == 1 else checker.try_out(plan, answers=FEW)
                if plain:
                    return cannot_tell(checker, plain[0])
                return failed(faults[0], sent=f"One process was given match {turn} after others", advice=advice)
            if bot.exits:
                return CheckResult("ok", "exits after each match, which is allowed, and is started again for the next")
    return PASSED


def taking_over(checker: BotChecker) -> CheckResult:
    plan = checker.find(lambda match: match.number >= MIDGAME) or checker.find(lambda match: match.number >= FEW)
    assert plan is not None
    sent = f"`start` was followed by request {len(plan.ahead) + 1}, with all that had happened before in `events`"
    advice = f"A bot that is started again is handed the running game in this way; {see('Restart')}"
    plain = checker.plan(plan.subject, plan.players, plan.seed)
    return experiment(checker, PLAIN, sent, advice, plan=plan, control=plain)


def rare_events(checker: BotChecker) -> CheckResult:
    """Check positions just after events that did not occur in whole matches. Return the result."""
    until = checker.times.now() + RARE_SHARE * checker.limit_s
    dealt: list[str] = []
    for subject in checker.subjects:
        for plan, tags in checker.find_events(subject, until):
            if "taking_over" in checker.failed:
                return CheckResult("warning", "not checked: fix `taking_over` first")
            what = " and ".join(f"`{tag}`" for tag in tags)
            if faults := checker.try_for_game(plan, checker.until, {}, answers=FEW):
                if plain := checker.try_out(checker.plan(subject, plan.players, plan.seed), answers=FEW):
                    return cannot_tell(checker, plain[0])
                return failed(faults[0], sent=f"The events held {what}, which is rare")
            dealt += tags
    return CheckResult("ok", f"dealt on purpose: {', '.join(dealt)}") if dealt else PASSED


# Observations


def one_answer(checker: BotChecker) -> CheckResult:
    if not checker.observed.second_answer:
        return PASSED if checker.observed.has_answered else NEVER_ANSWERED
    came = f"It sent {checker.observed.second_answer} after it had answered that request"
    return CheckResult("failed", f"{came}. Write one answer for each request; {see('action')}")


def debug_prints(checker: BotChecker) -> CheckResult:
    if not checker.observed.print_line:
        return PASSED if checker.observed.has_answered else NEVER_ANSWERED
    came = f"It printed {checker.observed.print_line!r} on standard output, which is for answers"
    return CheckResult(
        "warning", f"{came}. That does no harm, but standard error is the place for it; {see('What a bot prints')}"
    )


def stderr(checker: BotChecker) -> CheckResult:
    most = checker.observed.most_stderr
    if most <= STDERR_FLOOD:
        return PASSED
    came = f"It wrote {most // 1000} kB to standard error in one match; {STDERR_LIMIT // 1000} kB are kept per game"
    return CheckResult("warning", f"{came}. Print less; {see('What a bot prints')}")


def memory(checker: BotChecker) -> CheckResult:
    """Measure the memory of one process in consecutive matches. Return a warning if the memory keeps growing."""
    plan, observed = checker.base(), checker.observed
    asked: list[int] = []
    with closing(checker.bot()) as bot:
        for turn in range(1, MEMORY_MATCHES + 1):
            match = replace(plan, seed=plan.seed + turn)
            if faults := checker.play({plan.seats[0]: bot}, match, answers=MEMORY_ANSWERS, turn=turn):
                return cannot_tell(checker, faults[0])
            if bot.exits:
                return CheckResult("ok", "exits after each match, so nothing can accumulate")
            asked.append(sum(bot.asked.values()))
            observed.memory_bytes.append(bot.memory())
    middle = MEMORY_MATCHES // 2 - 1
    growth = observed.memory_bytes[-1] - observed.memory_bytes[middle]
    answers = asked[-1] - asked[middle]
    observed.growth_bytes = max(0.0, growth / answers)
    words = f"{max(observed.memory_bytes) / MEGABYTE:.0f} MB"
    if growth < LEAK_BYTES:
        return CheckResult("ok", words)
    grew = f"its memory grew by {growth / MEGABYTE:.0f} MB in {answers} answers, {growth / answers / 1000:.0f} kB each"
    advice = f"A process may play thousands of matches: forget everything at `start`; {see('The life of a match')}"
    return CheckResult("warning", f"Over consecutive matches {grew}. {advice}")


# Exit


def clean_exit(checker: BotChecker) -> CheckResult:
    return (
        leaving(checker, "after `end`", answers=2) or leaving(checker, "in the middle of a match", answers=1) or PASSED
    )


def leaving(checker: BotChecker, when: str, *, answers: int) -> CheckResult | None:
    """Let the bot give `answers` answers, then close its input. Return the failure, or None if the bot exits correctly.

    The exit code must be 0 if the match is over. `when` says when the input is closed, for the message about a failure.
    """
    is_over = when == "after `end`"
    plan = checker.base()
    with closing(checker.bot()) as bot:
        if faults := checker.play({plan.seats[0]: bot}, plan, answers=answers, wants_end=is_over):
            return cannot_tell(checker, faults[0])
        code = bot.leave(EXIT_S)
        children = 0 if code is None else bot.children()
    sent = f"Its input was closed {when}"
    if code is None:
        advice = f"Exit when a read reports the end of the input; {see('The life of a match')}"
        return CheckResult("failed", f"{sent}, and it was still running {EXIT_S:g} s later. {advice}")
    if code and is_over:
        advice = f"The end of the input is not an error: exit with code 0; {see('The life of a match')}"
        return CheckResult("failed", f"{sent}, and it {how_it_ended(code)}. {advice}", bot.last_lines())
    if children:
        came = f"it ended, but processes it had started were still running: {children}"
        return CheckResult("failed", f"{sent}; {came}. End them first; {see('The life of a match')}")
    return None


def how_it_ended(code: int) -> str:
    return f"exited with code {code}" if code >= 0 else f"was killed by signal {-code}"


def sigterm(checker: BotChecker) -> CheckResult:
    plan = checker.base()
    with closing(checker.bot()) as bot:
        if faults := checker.play({plan.seats[0]: bot}, plan, answers=1, wants_end=False):
            return cannot_tell(checker, faults[0])
        code = bot.terminate(TERM_S)
    if code is not None:
        return PASSED
    came = f"It was sent SIGTERM and was still running {TERM_S:g} s later, when it would be killed"
    return CheckResult("warning", f"{came}. End on SIGTERM; {see('The life of a match')}")


# List of checks

CHECKS: Sequence[Callable[[BotChecker], CheckResult]] = (
    numbers, *UNUSUAL_CHECKS, games_in_a_row, taking_over, rare_events, one_answer, debug_prints, stderr, memory,
    clean_exit, sigterm,
)  # fmt: skip


def all_checks(subjects: Sequence[Subject]) -> Iterator[tuple[str, Callable[[BotChecker], CheckResult]]]:
    """Yield the name and the function of each check, in the order in which they are run."""
    yield "starts", starts
    yield "handshake", handshake
    for subject in subjects:
        yield subject.game.name, partial(whole_game, subject)
    for check in CHECKS:
        yield check.__name__, check if check.__name__ in FROM_OBSERVATIONS else partial(if_answered, check)


def if_answered(check: Callable[[BotChecker], CheckResult], checker: BotChecker) -> CheckResult:
    """Run a check if the bot has answered any request so far. Otherwise return a warning."""
    return check(checker) if checker.observed.has_answered else NEVER_ANSWERED
