"""The checks: each plays what it needs and returns a result.

An experiment compares: a failure with plain delivery too is not attributed to the unusual delivery. So each mistake is
found once, by the check for it.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from itertools import product
from typing import Any, Literal, NamedTuple

import msgspec

from rails_cli.bot_check import odd_lines
from rails_cli.bot_check.checked_bot import PLAIN, Delivery, OutOfTime, shown
from rails_cli.bot_check.checker import (
    BotChecker,
    BotFault,
    CheckMatch,
    Subject,
    fault_of,
    kind_in,
    tags_of,
)
from rails_cli.bot_process import STDERR_LIMIT
from rails_cli.match.match import Match
from rails_cli.protocol.common import BidRange
from rails_cli.protocol.messages import PROTOCOL

GAMES_SHARE = 0.6
"""Fraction of the whole time for whole matches."""
RARE_SHARE = 0.1
"""Fraction of the whole time for the search for rare events."""
FEW = 8
"""Answers in a match that only tests its delivery."""
MIDGAME = 60
LINGER_S = 0.1
EXIT_S = 2.0
TERM_S = 1.0
STDERR_FLOOD = STDERR_LIMIT // 4
MEGABYTE = 1_000_000
MEMORY_MATCHES = 4
MEMORY_ANSWERS = 40
"""Most answers in each match of the memory check."""
LEAK_BYTES = 16 * MEGABYTE
"""Bytes of memory growth over the last matches that are tolerated, because garbage is collected only now and then."""

NAMES = ('Zoë "Z" O\'Neil', "{[brace]}", "back\\slash \\n \\", "new\nline\ttab", "東京 🚂", '"}],{"')
LETTERS = ("Zoë", "東京", "🚂 steam", "Łódź", "naïve", "Ünïcode")
NEW_MESSAGE = b'{"type":"weather","match":"b6f0a1c94e27d835","sky":"grey","wind":[3,"NW"]}\n'

Grade = Literal["ok", "warning", "failed"]


class CheckResult(NamedTuple):
    """The result of a check. A message may also report success."""

    verdict: Grade
    message: str = ""
    stderr: Sequence[str] = ()
    """The end of the bot's stderr, if it may explain the result."""
    fault: BotFault | None = None
    """The fault in a match, if any."""


FINE = CheckResult("ok")
UNHEARD = CheckResult("warning", "not checked: the bot has not answered; fix `starts` first")
"""Result if the bot has never answered, so that nothing can be checked."""

FROM_OBSERVATIONS = ("handshake", "numbers", "one_answer", "debug_prints", "stderr")
"""Checks that play nothing, but evaluate observations from other checks."""


class CannotStart(Exception):
    """The command of the bot cannot be run."""


def see(topic: str) -> str:
    return f'see "{topic}" in the manual of the protocol.'


ADVICE = {
    "too_slow": "Answer every `request` within its clock: read each line as soon as it comes, and flush standard "
    f"output after each line; {see('Typical mistakes')}",
    "bad_line": f'Write one JSON object a line, such as {{"type":"action","number":1,"choice":0}}; {see("action")}',
    "illegal_action": "Answer with an entry of `legal` (a bid: an amount from `min` to `max`) or with `choice`, its "
    f"index; {see('action')}",
    "stale_request": f"Repeat the `number` of the request in its answer; {see('action')}",
    "too_long": f"End each answer with a newline, and write no line longer than `max_line`; {see('hello')}",
}
LOST_ADVICE = f"A bot must run until its input ends; {see('The life of a match')}"


# Start


def starts(checker: BotChecker) -> CheckResult:
    plan = checker.base()
    with closing(checker.bot()) as bot:
        faults = checker.play({plan.seats[0]: bot}, plan, answers=1, leaves=("stale_request", "bad_line"))
        bot.linger(LINGER_S)
    if bot.cannot_start:
        raise CannotStart(bot.cannot_start)
    faults = [fault for fault in faults if fault.code != "illegal_action"]
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
    return CheckResult("ok", "does not join, which is fine") if observed.has_answered else UNHEARD


def numbers(checker: BotChecker) -> CheckResult:
    if not checker.observed.wrong_number:
        return FINE if checker.observed.has_answered else UNHEARD
    return CheckResult("failed", f"{checker.observed.wrong_number}. {ADVICE['stale_request']}")


# Whole matches


def whole_game(subject: Subject, checker: BotChecker) -> CheckResult:
    """Play matches with every number of players and every option, then the kinds of decisions not met in them."""
    game = subject.game
    until = checker.times.now() + GAMES_SHARE * checker.limit_s / len(checker.subjects)
    plans = list(matches(subject, checker))
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
    checker.sore |= {(game.name, fault.kind) for fault in faults if fault.code == "illegal_action"}
    if faults and "starts" in checker.failed:
        return cannot_tell(checker, faults[0])
    if faults:
        return failed(faults[0], also=faults[1:])
    words = f"{played} matches, {sum(asked.values())} answers"
    if is_cut:
        return CheckResult("warning", f"{words}, then the time was up; {len(plans)} matches were planned.")
    missing = [tag for tag in tags_of(game) if not is_covered(asked, tag)]
    if missing:
        return CheckResult("warning", f"{words}, but none of them asked for {', '.join(missing)}.")
    return CheckResult("ok", words)


def matches(subject: Subject, checker: BotChecker) -> Iterator[CheckMatch]:
    """Yield a match with the bot in all seats, then matches with one seat each.

    If the check is quick, yield one match per number of players.
    """
    seed, choices, fewest = checker.seed, subject.options, subject.players[0]
    yield CheckMatch(subject, fewest, choices[0], seed, tuple(range(fewest)))
    for players in subject.players:
        if not checker.is_quick:
            for options, seat in product(choices, range(players)):
                yield CheckMatch(subject, players, options, seed + players + seat, (seat,))
        elif players != fewest:
            yield CheckMatch(subject, players, choices[players % len(choices)], seed + players, (players // 2,))


def positions(subject: Subject, checker: BotChecker, met: dict[str, CheckMatch]) -> Iterator[CheckMatch]:
    """Yield positions for the kinds of decisions that only other players met, then for kinds that did not occur at
    all."""
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
    """Yield matches with options that are in none of the plans."""
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


# Unusual messages


def one_choice(checker: BotChecker) -> CheckResult:
    advice = f"A request with one entry wants an answer like any other; {see('request')}"
    return at_position(checker, lambda match: len(match.legal) == 1, "a legal list with one entry", advice)


def narrow_bid(checker: BotChecker) -> CheckResult:
    advice = f"The lowest and the highest bid of a range are both legal; {see('action')}"

    def is_narrow(match: Match) -> bool:
        entry = match.legal[0]
        return type(entry) is BidRange and entry.min == entry.max

    return at_position(checker, is_narrow, "a bid range with `min` equal to `max`", advice)


def unknown_fields(checker: BotChecker) -> CheckResult:
    sent = "All messages, and their views, clocks and events, had a new field called `new_field`"
    advice = f"Ignore fields you do not know; {see('Versions')}"
    return experiment(checker, Delivery(dress=odd_lines.with_new_fields), sent, advice)


def unknown_events(checker: BotChecker) -> CheckResult:
    sent = 'The events held {"type":"weather_changed",...}, a type that does not exist yet'
    advice = f"Ignore events you do not know; {see('Versions')}"
    return experiment(checker, Delivery(dress=odd_lines.with_new_events), sent, advice)


def unknown_message(checker: BotChecker) -> CheckResult:
    sent = f"{shown(NEW_MESSAGE)} was sent before every message"
    advice = f"Ignore messages of a type you do not know; {see('Versions')}"
    return experiment(checker, Delivery(before=NEW_MESSAGE), sent, advice)


def layout(checker: BotChecker) -> CheckResult:
    sent = "Messages had their keys in a different order, and white space between their parts"
    advice = f"Read lines with a JSON parser; {see('The life of a match')}"
    return experiment(checker, Delivery(dress=odd_lines.laid_out), sent, advice)


def long_line(checker: BotChecker) -> CheckResult:
    sent = f"A request was {odd_lines.PADDING // 1000} kB long"
    advice = f"A line may have up to `max_line` bytes, as `hello` tells: read on to the newline; {see('hello')}"
    dress = odd_lines.with_spaces if "unknown_fields" in checker.failed else odd_lines.with_padding
    return experiment(checker, Delivery(dress=dress), sent, advice, answers=2)


def names(checker: BotChecker) -> CheckResult:
    sent = f"The players had names such as {', '.join(NAMES[:3])} and {NAMES[4]}"
    advice = f"Names may contain any characters, escaped as in JSON; {see('The life of a match')}"
    plain = checker.widest()
    return experiment(checker, PLAIN, sent, advice, plan=replace(plain, names=NAMES), control=plain)


# Dialogue


def rejected(checker: BotChecker) -> CheckResult:
    sent = "Its first answer was rejected"
    advice = f"`rejected` asks for another answer to the open request, which may be its default; {see('rejected')}"
    found = experiment(checker, Delivery(refuse=True), sent, advice, answers=2)
    if found is FINE and checker.observed.sulks:
        return CheckResult(
            "ok", "does not answer again after a rejection; after a wrong answer it would run out of time"
        )
    return found


def repeated_request(checker: BotChecker) -> CheckResult:
    sent = "A request came again with the same number after it was answered"
    advice = f"Answer a repeated request again; {see('request')}"
    return experiment(checker, Delivery(repeat=True), sent, advice, answers=3)


def slow_pipe(checker: BotChecker) -> CheckResult:
    sent = "Lines came in small pieces with pauses between them"
    advice = f"A line ends with its newline, not where a read ends; {see('The life of a match')}"
    return experiment(checker, Delivery(cut=odd_lines.crumbs, wake_s=wake_s(checker)), sent, advice, answers=1)


def one_write(checker: BotChecker) -> CheckResult:
    sent = "`hello`, `start` and a `request` came in one write"
    advice = f"One read may return several lines: handle them one by one; {see('The life of a match')}"
    return experiment(checker, Delivery(together=True, wake_s=wake_s(checker)), sent, advice, answers=3)


def split_letters(checker: BotChecker) -> CheckResult:
    sent = "Lines came in pieces that end inside a multi-byte character"
    advice = f"Collect bytes up to the newline, and only then decode the line as UTF-8; {see('The life of a match')}"
    delivery = Delivery(cut=odd_lines.split_letters, pause_s=0.04, wake_s=wake_s(checker))
    return experiment(checker, delivery, sent, advice, plan=replace(checker.widest(), names=LETTERS), answers=2)


def wake_s(checker: BotChecker) -> float:
    """Return seconds long enough for a new process to start reading."""
    known = checker.observed.first_ms
    return 0.05 + 1.5 * max(known) / 1000 if known else 1.0


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
    return FINE


def taking_over(checker: BotChecker) -> CheckResult:
    plan = checker.find(lambda match: match.number >= MIDGAME) or checker.find(lambda match: match.number >= FEW)
    assert plan is not None
    sent = f"`start` was followed by request {len(plan.ahead) + 1}, with all that had happened before in `events`"
    advice = f"A bot that is started again is handed the running game in this way; {see('Restart')}"
    plain = checker.plan(plan.subject, plan.players, plan.seed)
    return experiment(checker, PLAIN, sent, advice, plan=plan, control=plain)


def rare_events(checker: BotChecker) -> CheckResult:
    """Check positions after events that did not occur in whole matches."""
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
    return CheckResult("ok", f"dealt on purpose: {', '.join(dealt)}") if dealt else FINE


# Observations


def one_answer(checker: BotChecker) -> CheckResult:
    if not checker.observed.second_answer:
        return FINE if checker.observed.has_answered else UNHEARD
    came = f"It sent {checker.observed.second_answer} after it had answered that request"
    return CheckResult("failed", f"{came}. Write one answer for each request; {see('action')}")


def debug_prints(checker: BotChecker) -> CheckResult:
    if not checker.observed.print_line:
        return FINE if checker.observed.has_answered else UNHEARD
    came = f"It printed {checker.observed.print_line!r} on standard output, which is for answers"
    return CheckResult(
        "warning", f"{came}. That does no harm, but standard error is the place for it; {see('What a bot prints')}"
    )


def stderr(checker: BotChecker) -> CheckResult:
    most = checker.observed.most_stderr
    if most <= STDERR_FLOOD:
        return FINE
    came = f"It wrote {most // 1000} kB to standard error in one match; {STDERR_LIMIT // 1000} kB are kept per game"
    return CheckResult("warning", f"{came}. Print less; {see('What a bot prints')}")


def memory(checker: BotChecker) -> CheckResult:
    """Measure the memory of one process over consecutive matches. Growth in the first matches counts as its start."""
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
    return leaving(checker, "after `end`", answers=2) or leaving(checker, "in the middle of a match", answers=1) or FINE


def leaving(checker: BotChecker, when: str, *, answers: int) -> CheckResult | None:
    """Close the bot's input. Return None if it exits correctly.

    In the middle of a match any exit code is allowed.
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
        return FINE
    came = f"It was sent SIGTERM and was still running {TERM_S:g} s later, when it would be killed"
    return CheckResult("warning", f"{came}. End on SIGTERM; {see('The life of a match')}")


# Experiments


def experiment(
    checker: BotChecker,
    delivery: Delivery,
    sent: str,
    advice: str,
    *,
    plan: CheckMatch | None = None,
    control: CheckMatch | None = None,
    answers: int = FEW,
) -> CheckResult:
    """Play with an unusual delivery or match, and, if that fails, a plain match for comparison.

    A bot that is known to fail plays the plain match first.
    """
    plan = plan or checker.base()
    is_compared = "starts" in checker.failed

    def compared() -> list[BotFault]:
        checker.observed.transcript("#", b"a plain match, to compare with")
        return checker.try_out(control or plan, answers=answers)

    plain = compared() if is_compared else []
    if is_compared and not plain:
        checker.observed.transcript("#", b"the match of this check")
    faults = [] if plain else checker.try_out(plan, delivery, answers=answers)
    if faults and not is_compared:
        plain = compared()
    if plain:
        return cannot_tell(checker, plain[0])
    return failed(faults[0], sent=sent, advice=advice) if faults else FINE


def at_position(checker: BotChecker, wanted: Callable[[Match], bool], what: str, advice: str) -> CheckResult:
    plan = checker.find(wanted)
    if plan is None:
        met = ", ".join(subject.game.name for subject in checker.subjects)
        return CheckResult("ok", f"{what} did not come up in {met}")
    name, kind = plan.subject.game.name, kind_in(plan.match())
    if (name, kind) in checker.sore:
        return CheckResult("warning", f"not checked: the bot answers {kind} wrongly anyway; fix `{name}` first")
    plain = checker.plan(plan.subject, plan.players, plan.seed)
    return experiment(checker, PLAIN, f"The request had {what}", advice, plan=plan, control=plain, answers=1)


def failed(fault: BotFault, *, sent: str = "", advice: str = "", also: Sequence[BotFault] = ()) -> CheckResult:
    words = f"{sent}. In {fault.story}" if sent else f"In {fault.story}"
    more = Counter(f"{other.code} at {other.kind}" for other in also)
    if more:
        often = [f"{'once' if count == 1 else f'{count} times'} {what}" for what, count in more.most_common(4)]
        words += f" (and {', '.join(often)})"
    told = f"{words}. {advice or ADVICE.get(fault.code, LOST_ADVICE)}"
    return CheckResult("failed", told, fault.stderr, fault)


def cannot_tell(checker: BotChecker, fault: BotFault) -> CheckResult:
    if "starts" in checker.failed:
        return CheckResult("warning", "not checked: the bot does not get through a plain match; fix `starts` first")
    return CheckResult("warning", f"not checked: the bot also fails in a plain match. In {fault.story}.")


# List of checks

CHECKS: Sequence[Callable[[BotChecker], CheckResult]] = (
    numbers, one_choice, narrow_bid, unknown_fields, unknown_events, unknown_message, layout, long_line, names,
    rejected, repeated_request, slow_pipe, one_write, split_letters, games_in_a_row, taking_over, rare_events,
    one_answer,
    debug_prints, stderr, memory, clean_exit, sigterm,
)  # fmt: skip


def all_checks(subjects: Sequence[Subject]) -> Iterator[tuple[str, Callable[[BotChecker], CheckResult]]]:
    """Yield the checks by name, in order."""
    yield "starts", starts
    yield "handshake", handshake
    for subject in subjects:
        yield subject.game.name, partial(whole_game, subject)
    for check in CHECKS:
        yield check.__name__, check if check.__name__ in FROM_OBSERVATIONS else partial(if_heard, check)


def if_heard(check: Callable[[BotChecker], CheckResult], checker: BotChecker) -> CheckResult:
    """Run a check only if the bot has ever answered. Otherwise there is nothing to compare."""
    return check(checker) if checker.observed.has_answered else UNHEARD
