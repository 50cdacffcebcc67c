"""The checks: each plays what it needs and says what came of it.

An experiment compares: what fails in an odd manner and in the plain manner alike is no finding of the odd manner. So
one mistake is found once, by the check that is about it.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from typing import Literal, NamedTuple

from protocol.common import BidRange
from protocol.messages import PROTOCOL
from rails_cli.doctor.manners import (
    PADDING,
    crumbs,
    laid_out,
    split_letters,
    with_new_events,
    with_new_fields,
    with_padding,
    with_spaces,
)
from rails_cli.doctor.patient import PLAIN, Manner, OutOfTime, shown
from rails_cli.doctor.trials import Fault, Plan, Subject, Trials, fault_of, kind_in, settings_of, tags_of
from rails_cli.match.match import Match
from rails_cli.seats.process import STDERR_LIMIT

GAMES_SHARE = 0.6
"""The part of the whole time that whole matches may take."""
FEW = 8
"""Answers in a match that is played only for the manner it is brought in."""
MIDGAME = 60
LINGER_S = 0.1
EXIT_S = 2.0
TERM_S = 1.0
STDERR_FLOOD = STDERR_LIMIT // 4

NAMES = ('Zoë "Z" O\'Neil', "{[brace]}", "back\\slash \\n \\", "new\nline\ttab", "東京 🚂", '"}],{"')
LETTERS = ("Zoë", "東京", "🚂 steam", "Łódź", "naïve", "Ünïcode")
NEW_MESSAGE = b'{"type":"weather","match":"m-1","sky":"grey","wind":[3,"NW"]}\n'

Verdict = Literal["ok", "warning", "failed"]


class Finding(NamedTuple):
    """What came of a check; the message may tell something good, too."""

    verdict: Verdict
    message: str = ""


FINE = Finding("ok")

Make = Callable[[Trials], Finding]

FROM_HABITS = ("handshake", "numbers", "one_answer", "debug_prints", "stderr")
"""The checks that play nothing, but sum up what was noticed in others."""


class CannotStart(Exception):
    """The command of the bot cannot be run at all."""


def see(topic: str) -> str:
    return f'see "{topic}" in PROTOCOL.md.'


ADVICE = {
    "too_slow": f"Answer every `request` within its clock, and flush standard output after each line; {see('Time')}",
    "bad_line": f'Write one JSON object a line, such as {{"type":"action","number":1,"choice":0}}; {see("action")}',
    "illegal_action": "Answer with an entry of `legal` (a bid: an amount from `min` to `max`) or with `choice`, its "
    f"index; {see('action')}",
    "stale_request": f"Repeat the `number` of the request in its answer; {see('action')}",
    "too_long": f"End each answer with a newline, and write no line longer than `max_line`; {see('hello')}",
}
LOST_ADVICE = f"A bot must run until its input ends; {see('The life of a match')}"


def all_checks(subjects: Sequence[Subject]) -> Iterator[tuple[str, Make]]:
    """The checks by name, in the order they are made."""
    yield "starts", starts
    yield "handshake", handshake
    for subject in subjects:
        yield subject.game.name, partial(whole_game, subject)
    yield "numbers", numbers
    yield "one_choice", one_choice
    yield "narrow_bid", narrow_bid
    yield "unknown_fields", unknown_fields
    yield "unknown_events", unknown_events
    yield "unknown_message", unknown_message
    yield "layout", layout
    yield "long_line", long_line
    yield "names", names
    yield "rejected", rejected
    yield "repeated_request", repeated_request
    yield "slow_pipe", slow_pipe
    yield "one_write", one_write
    yield "split_letters", letters
    yield "games_in_a_row", games_in_a_row
    yield "taking_over", taking_over
    yield "one_answer", one_answer
    yield "debug_prints", debug_prints
    yield "stderr", stderr
    yield "clean_exit", clean_exit
    yield "sigterm", sigterm


# The first words


def starts(trials: Trials) -> Finding:
    plan = trials.base()
    patient = trials.patient()
    try:
        faults = trials.play({plan.seats[0]: patient}, plan, answers=1, leaves=("stale_request", "bad_line"))
        patient.linger(LINGER_S)
    finally:
        patient.end()
    if patient.cannot_start:
        raise CannotStart(patient.cannot_start)
    faults = [fault for fault in faults if fault.code != "illegal_action"]
    if faults:
        return failed(faults[0])
    return Finding("ok", f"first answer after {trials.habits.first_ms[0]:.0f} ms")


def handshake(trials: Trials) -> Finding:
    habits = trials.habits
    if habits.bad_join:
        would_do = f'Send {{"type":"join","protocol":{PROTOCOL}}}, or no join at all; {see("join")}'
        return Finding("failed", f"It sent {habits.bad_join}. {would_do}")
    if habits.strange_line:
        would_do = "send nothing but `join`, an `action` for each request, and `again`"
        came = f"It sent {habits.strange_line}, which nobody asked for"
        return Finding(
            "failed", f"{came}. `hello`, `start` and `end` want no answer: {would_do}; {see('Messages to the server')}"
        )
    return Finding("ok", "joins" if habits.joins else "does not join, which is fine")


def numbers(trials: Trials) -> Finding:
    if not trials.habits.wrong_number:
        return FINE
    return Finding("failed", f"{trials.habits.wrong_number}. {ADVICE['stale_request']}")


# Whole matches


def whole_game(subject: Subject, trials: Trials) -> Finding:
    """Matches with every number of players and every option, then the kinds of decisions not met in them."""
    game = subject.game
    until = time.perf_counter() + GAMES_SHARE * trials.limit_s / len(trials.subjects)
    plans = list(matches(subject, trials))
    asked = trials.coverage[game.name]
    met: dict[str, Plan] = {}
    faults: list[Fault] = []
    played = 0
    is_cut = False
    try:
        for plan in plans:
            faults += trials.try_for_game(plan, until, met)
            played += 1
            if any(fault.code == "too_slow" for fault in faults):
                break
        else:
            for plan in positions(subject, trials, met):
                faults += trials.try_for_game(plan, until, met, answers=1)
    except OutOfTime:
        is_cut = True
    trials.sore |= {(game.name, fault.kind) for fault in faults if fault.code == "illegal_action"}
    if faults and "starts" in trials.failed:
        return cannot_tell(trials, faults[0])
    if faults:
        return failed(faults[0], also=faults[1:])
    words = f"{played} matches, {sum(asked.values())} answers"
    if is_cut:
        return Finding("warning", f"{words}, then the time was used up; {len(plans)} matches were meant.")
    missing = [tag for tag in tags_of(game) if not is_covered(asked, tag)]
    if missing:
        return Finding("warning", f"{words}, but nothing came up that asks for {', '.join(missing)}.")
    return Finding("ok", words)


def matches(subject: Subject, trials: Trials) -> Iterator[Plan]:
    """The bot in all seats of one match, then in one seat of each; quick: one match for each number of players."""
    game, seed = subject.game, trials.seed
    choices = settings_of(game)
    fewest = game.players[0]
    yield Plan(subject, fewest, choices[0], seed, tuple(range(fewest)))
    for players in game.players:
        if not trials.is_quick:
            for options, seat in product(choices, range(players)):
                yield Plan(subject, players, options, seed + players + seat, (seat,))
        elif players != fewest:
            yield Plan(subject, players, choices[players % len(choices)], seed + players, (players // 2,))


def positions(subject: Subject, trials: Trials, met: dict[str, Plan]) -> Iterator[Plan]:
    """Positions for the kinds of decisions that only others met, and for those that nobody met."""
    asked = trials.coverage[subject.game.name]
    for kind, plan in list(met.items()):
        if not asked[kind]:
            yield plan
    for tag in tags_of(subject.game):
        if not is_covered(asked, tag):
            found = trials.find(partial(asks_for, tag), [subject])
            if found is not None:
                yield found


def asks_for(tag: str, match: Match) -> bool:
    return tag in kind_in(match).split("/")


def is_covered(asked: Counter[str], tag: str) -> bool:
    return any(tag in kind.split("/") for kind, count in asked.items() if count)


# Odd situations


def one_choice(trials: Trials) -> Finding:
    advice = f"A request with one entry wants an answer like any other; {see('request')}"
    return at_position(trials, lambda match: len(match.legal) == 1, "a legal list with one entry", advice)


def narrow_bid(trials: Trials) -> Finding:
    advice = f"Both ends of a bid range may be bid; {see('action')}"
    return at_position(trials, has_narrow_bid, "a bid range with `min` equal to `max`", advice)


def has_narrow_bid(match: Match) -> bool:
    entry = match.legal[0]
    return type(entry) is BidRange and entry.min == entry.max


def unknown_fields(trials: Trials) -> Finding:
    sent = "All messages, and their views, clocks and events, had a new field called `new_field`"
    advice = f"Ignore the fields that you do not know; {see('Versions')}"
    return experiment(trials, Manner(dress=with_new_fields), sent, advice)


def unknown_events(trials: Trials) -> Finding:
    sent = 'The events held {"type":"weather_changed",...}, a type that does not exist yet'
    advice = f"Ignore the events that you do not know; {see('Versions')}"
    return experiment(trials, Manner(dress=with_new_events), sent, advice)


def unknown_message(trials: Trials) -> Finding:
    sent = f"{shown(NEW_MESSAGE)} came before every message"
    advice = f"Ignore messages of a type that you do not know; {see('Versions')}"
    return experiment(trials, Manner(before=NEW_MESSAGE), sent, advice)


def layout(trials: Trials) -> Finding:
    sent = "Messages had their keys in another order, and white space between their parts"
    return experiment(
        trials, Manner(dress=laid_out), sent, f"Read lines with a JSON parser; {see('The life of a match')}"
    )


def long_line(trials: Trials) -> Finding:
    sent = f"A request was {PADDING // 1000} kB long"
    advice = f"A line may have up to `max_line` bytes, as `hello` tells: read on to the newline; {see('hello')}"
    dress = with_spaces if "unknown_fields" in trials.failed else with_padding
    return experiment(trials, Manner(dress=dress), sent, advice, answers=2)


def names(trials: Trials) -> Finding:
    sent = f"The players had names such as {', '.join(NAMES[:3])} and {NAMES[4]}"
    advice = f"Names may hold any letters, escaped in the way of JSON; {see('The life of a match')}"
    plain = trials.widest()
    return experiment(trials, PLAIN, sent, advice, plan=replace(plain, names=NAMES), control=plain)


# Dialogue


def rejected(trials: Trials) -> Finding:
    sent = "Its first answer was rejected"
    advice = f"`rejected` asks for another answer to the open request, which may be its default; {see('rejected')}"
    found = experiment(trials, Manner(refuse=True), sent, advice, answers=2)
    if found is FINE and trials.habits.sulks:
        return Finding("ok", "does not answer again after a rejection; a wrong answer would cost it its clock")
    return found


def repeated_request(trials: Trials) -> Finding:
    sent = "A request came again with the same number after it was answered"
    return experiment(
        trials, Manner(repeat=True), sent, f"Answer a repeated request again; {see('request')}", answers=3
    )


def slow_pipe(trials: Trials) -> Finding:
    sent = "Lines came in small pieces with pauses between them"
    advice = f"A line ends with its newline, not where a read ends; {see('The life of a match')}"
    return experiment(trials, Manner(cut=crumbs, wake_s=wake_s(trials)), sent, advice, answers=1)


def one_write(trials: Trials) -> Finding:
    sent = "`hello`, `start` and a `request` came in one write"
    advice = f"One read may bring several lines: take them one by one; {see('The life of a match')}"
    return experiment(trials, Manner(together=True, wake_s=wake_s(trials)), sent, advice, answers=3)


def letters(trials: Trials) -> Finding:
    sent = "Lines came in pieces that end inside a letter of several bytes"
    advice = f"Collect bytes up to the newline, and only then decode the line as UTF-8; {see('The life of a match')}"
    manner = Manner(cut=split_letters, pause_s=0.04, wake_s=wake_s(trials))
    return experiment(trials, manner, sent, advice, plan=replace(trials.widest(), names=LETTERS), answers=2)


def wake_s(trials: Trials) -> float:
    """Long enough for a new process to be up and reading."""
    known = trials.habits.first_ms
    return 0.05 + 1.5 * max(known) / 1000 if known else 1.0


# One process, many games


def games_in_a_row(trials: Trials) -> Finding:
    first, last, seed = trials.subjects[0], trials.subjects[-1], trials.seed
    plans = [
        replace(trials.plan(first, first.game.players[0], seed), seats=(0,)),
        replace(trials.plan(last, last.game.players[-1], seed + 1), seats=(2,)),
        replace(trials.plan(first, first.game.players[1], seed + 2), seats=(1,)),
    ]
    advice = (
        "`start` begins anew: another game, seat and number of players, and numbers from 1 again; keep nothing of the "
        f"match before; {see('The life of a match')}"
    )
    patient = trials.patient()
    try:
        for turn, plan in enumerate(plans, start=1):
            faults = trials.play({plan.seats[0]: patient}, plan, answers=FEW, name=f"m-{turn}")
            if not faults and any(patient.exits):
                words = f"{how_it_ended(patient.exits[-1])} and had to be started again"
                faults = [fault_of(plan, plan.seats[0], patient, "disconnect", words, "")]
            if faults:
                plain = faults if turn == 1 else trials.try_out(plan, answers=FEW)
                if plain:
                    return cannot_tell(trials, plain[0])
                return failed(faults[0], sent=f"One process was given match {turn} after others", advice=advice)
            if patient.exits:
                return Finding("ok", "ends after a match, which it may, and is started again for the next")
    finally:
        patient.end()
    return FINE


def taking_over(trials: Trials) -> Finding:
    plan = trials.find(lambda match: match.number >= MIDGAME) or trials.find(lambda match: match.number >= FEW)
    assert plan is not None
    sent = f"`start` was followed by request {len(plan.ahead) + 1}, with all that had happened before in `events`"
    advice = f"A bot that is started again is handed the running game in this way; {see('Restart')}"
    plain = trials.plan(plan.subject, plan.players, plan.seed)
    return experiment(trials, PLAIN, sent, advice, plan=plan, control=plain)


# Habits


def one_answer(trials: Trials) -> Finding:
    if not trials.habits.second_answer:
        return FINE
    came = f"It sent {trials.habits.second_answer} after it had answered that request"
    return Finding("failed", f"{came}. Write one answer for each request; {see('action')}")


def debug_prints(trials: Trials) -> Finding:
    if not trials.habits.print_line:
        return FINE
    came = f"It printed {trials.habits.print_line!r} on standard output, which is for answers"
    return Finding("warning", f"{came}. It does no harm, but print to standard error; {see('What a bot prints')}")


def stderr(trials: Trials) -> Finding:
    most = trials.habits.most_stderr
    if most <= STDERR_FLOOD:
        return FINE
    came = f"It wrote {most // 1000} kB to standard error in one match; {STDERR_LIMIT // 1000} kB are kept of a game"
    return Finding("warning", f"{came}. Print less; {see('What a bot prints')}")


# The end


def clean_exit(trials: Trials) -> Finding:
    return leaving(trials, "after `end`", answers=2) or leaving(trials, "in the middle of a match", answers=1) or FINE


def leaving(trials: Trials, when: str, *, answers: int) -> Finding | None:
    """Closes the bot's input; None if it goes as it should. In the middle of a match it may exit with any code."""
    is_over = when == "after `end`"
    plan = trials.base()
    patient = trials.patient()
    try:
        if faults := trials.play({plan.seats[0]: patient}, plan, answers=answers, wants_end=is_over):
            return cannot_tell(trials, faults[0])
        code = patient.leave(EXIT_S)
        children = 0 if code is None else patient.children()
    finally:
        patient.end()
    sent = f"Its input was closed {when}"
    if code is None:
        advice = f"End when a read tells that the input has ended; {see('The life of a match')}"
        return Finding("failed", f"{sent}, and it still ran {EXIT_S:g} s later. {advice}")
    if code and is_over:
        last = f" (its last words on standard error: {patient.last_words()})" if patient.last_words() else ""
        advice = f"That is no mistake: exit with code 0; {see('The life of a match')}"
        return Finding("failed", f"{sent}, and it {how_it_ended(code)}{last}. {advice}")
    if children:
        came = f"it ended, but processes that it had started still ran: {children}"
        return Finding("failed", f"{sent}; {came}. End them first; {see('The life of a match')}")
    return None


def how_it_ended(code: int) -> str:
    return f"exited with code {code}" if code >= 0 else f"was ended by signal {-code}"


def sigterm(trials: Trials) -> Finding:
    plan = trials.base()
    patient = trials.patient()
    try:
        if faults := trials.play({plan.seats[0]: patient}, plan, answers=1, wants_end=False):
            return cannot_tell(trials, faults[0])
        code = patient.terminate(TERM_S)
    finally:
        patient.end()
    if code is not None:
        return FINE
    came = f"It was sent SIGTERM and still ran {TERM_S:g} s later, when it would be killed"
    return Finding("warning", f"{came}. End on SIGTERM; {see('The life of a match')}")


# Experiments


def experiment(
    trials: Trials,
    manner: Manner,
    sent: str,
    advice: str,
    *,
    plan: Plan | None = None,
    control: Plan | None = None,
    answers: int = FEW,
) -> Finding:
    """Plays in an odd manner, or an odd match, and if that fails, plainly for comparison; a bot that is known to fail
    plays plainly first."""
    plan = plan or trials.base()
    is_compared = "starts" in trials.failed
    plain = trials.try_out(control or plan, answers=answers) if is_compared else []
    faults = [] if plain else trials.try_out(plan, manner, answers=answers)
    if faults and not is_compared:
        plain = trials.try_out(control or plan, answers=answers)
    if plain:
        return cannot_tell(trials, plain[0])
    return failed(faults[0], sent=sent, advice=advice) if faults else FINE


def at_position(trials: Trials, wanted: Callable[[Match], bool], what: str, advice: str) -> Finding:
    plan = trials.find(wanted)
    if plan is None:
        met = ", ".join(subject.game.name for subject in trials.subjects)
        return Finding("ok", f"{what} did not come up in {met}")
    name, kind = plan.subject.game.name, kind_in(plan.match())
    if (name, kind) in trials.sore:
        return Finding("warning", f"not examined: the bot answers {kind} wrongly anyhow; mend `{name}` first")
    plain = trials.plan(plan.subject, plan.players, plan.seed)
    return experiment(trials, PLAIN, f"The request had {what}", advice, plan=plan, control=plain, answers=1)


def failed(fault: Fault, *, sent: str = "", advice: str = "", also: Sequence[Fault] = ()) -> Finding:
    words = f"{sent}. In {fault.story}" if sent else f"In {fault.story}"
    more = Counter(f"{other.code} at {other.kind}" for other in also)
    if more:
        words += f" (and {', '.join(f'{count} times {what}' for what, count in more.most_common(4))})"
    return Finding("failed", f"{words}. {advice or ADVICE.get(fault.code, LOST_ADVICE)}")


def cannot_tell(trials: Trials, fault: Fault) -> Finding:
    if "starts" in trials.failed:
        return Finding("warning", "not examined: the bot does not get through a plain match; mend `starts` first")
    return Finding("warning", f"not examined: the bot fails in a plain match, too. In {fault.story}.")
