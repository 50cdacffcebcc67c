"""Resumption of unfinished logs: the match at the end of a log, and what its seats have used."""

from collections.abc import Sequence
from copy import copy
from typing import Any

import msgspec

from protocol.log import FaultLine, Header, PlayerLine, ResultLine, ResumedLine, UndoLine
from protocol.messages import Clock
from rails_cli.games import load_game
from rails_cli.games.game import BoardError
from rails_cli.logs.reading import ActionRead, BadLog, Log, last_terms, log_board
from rails_cli.logs.replay import check_opening_source, replay
from rails_cli.match.clock import SeatClock, clock_line
from rails_cli.match.course import Course
from rails_cli.match.match import Match, Unfinished, unasked


def carry_on(log: Log, clock: Clock | None) -> Unfinished:
    """Replay an unfinished log and return the match at its end, with each seat's remaining time, faults and default
    actions.

    Seats that changed players when the log was resumed start again at zero. Raise BadLog if the game is finished.
    """
    clocks = [SeatClock(clock) for _ in log.header.players]
    faults = [0] * len(log.header.players)
    defaults = [0] * len(log.header.players)
    stretch: list[Any] = []
    stretches: dict[int, tuple[list[Any], Any]] = {}
    asked = 0
    match = before = None
    branch = log.header.branch
    terms: Header | ResumedLine = log.header
    for step in replay(log, with_taken_back=True):
        match = step.match
        message = step.message
        if type(message) is ActionRead:
            stretches[message.number] = stretch.copy(), before
            stretch.append(before)
            if message.opening or message.seat != match.seat:
                stretch.clear()
            defaults[message.seat] += message.default
            if message.ms is not None and (message.ms or not message.default):
                clocks[message.seat].charge(message.ms)  # a lost seat is charged 0 ms, without increment
        elif type(message) is FaultLine:
            faults[message.seat] += 1
        elif type(message) is ResumedLine:
            is_other = branch is not None and message.number == branch.number and message.clock != terms.clock
            for seat in _taken_over(terms.players, message.players, are_all=is_other):
                clocks[seat], faults[seat], defaults[seat] = SeatClock(clock), 0, 0
            terms = message
        elif type(message) is UndoLine:
            asked += match.number + 1 + unasked(match.history)
            stretch, before = stretches[message.to]
            if message.ms is not None and match.seat is not None:
                clocks[match.seat].spend(message.ms)
            continue
        elif type(message) is ResultLine:
            raise BadLog(step.line, "the game is finished; nothing is left to play", is_finished=True)
        before = match.state.copy()
    if match is not None:
        return Unfinished(match, log.size, clocks, faults, defaults, True, stretch, asked)
    if log.header.seed is None:
        raise BadLog(2, "the log ends before the set-up", is_before_setup=True)
    try:
        match = Match(load_game(log.header.game), log_board(log.header), log.header)
    except BoardError as error:
        raise BadLog(1, str(error)) from None
    check_opening_source(log, match)
    return Unfinished(match, log.size, clocks, faults, defaults, False, stretch)


def course_of(log: Log) -> Course:
    """Replay a log and return its actions without those taken back. Raise BadLog if it is invalid."""
    course = None
    for step in replay(log, with_taken_back=True):
        if course is None:
            course = Course(step.match)
        if type(step.message) is ActionRead:
            course.add(step.message.seat, step.message.action, step.events)
        elif type(step.message) is UndoLine:
            course.forget_from(step.message.to)
    if course is None:
        raise BadLog(2, "the log ends before the set-up", is_before_setup=True)
    return course


def branched(
    left: Unfinished, log: Log, header: Header, players: Sequence[PlayerLine], clock: Clock | None
) -> Unfinished:
    """Return `left` for a new log with `header` and `players` that branches off at that position.

    The result equals `carry_on` of the first lines of the new log, without replaying them.
    """
    terms = last_terms(log)
    clocks, faults, defaults = [copy(one) for one in left.clocks], left.faults.copy(), left.defaults.copy()
    for seat in _taken_over(terms.players, players, are_all=terms.clock != clock_line(clock)):
        clocks[seat], faults[seat], defaults[seat] = SeatClock(clock), 0, 0
    match = left.match.at(left.match.mark(), msgspec.structs.replace(header, players=list(players)))
    return left._replace(match=match, clocks=clocks, faults=faults, defaults=defaults)


def _taken_over(before: Sequence[PlayerLine], now: Sequence[PlayerLine], *, are_all: bool) -> list[int]:
    """Return the seats whose player differs between `before` and `now`. All seats if `are_all`."""
    both = enumerate(zip(before, now, strict=True))
    return [seat for seat, (old, new) in both if are_all or (new.name, new.seat) != (old.name, old.seat)]
