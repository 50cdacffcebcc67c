"""Resumption of unfinished logs, with the remaining time and the faults of each seat."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import msgspec

from rails_cli.games import load_game
from rails_cli.games.game import BoardError
from rails_cli.logs.reading import BadLog, Log, last_terms, log_board, seat_clocks
from rails_cli.logs.replay import check_opening_source, replay
from rails_cli.match.action_history import ActionHistory
from rails_cli.match.clock import SeatClock, clock_line
from rails_cli.match.match import Match, ResumePoint
from rails_cli.protocol.log import ActionLine, FaultLine, Header, PlayerLine, ResultLine, ResumedLine, UndoLine
from rails_cli.protocol.messages import Clock


def resume_point(log: Log, clock: Clock | None) -> ResumePoint:
    """Replay an unfinished log and return the state of its match, to be continued with the time control `clock`.

    Seats whose players changed when the log was resumed have full time and no faults. Raise BadLog if the game is
    finished.
    """
    clocks = [
        SeatClock(clock if player.clock is None else own)
        for player, own in zip(log.header.players, seat_clocks(1, log.header), strict=True)
    ]
    faults: list[Counter[str]] = [Counter() for _ in log.header.players]
    defaults = [0] * len(log.header.players)
    own_positions: list[Any] = []
    earlier_positions: dict[int, tuple[list[Any], Any]] = {}
    request_offset = 0
    match = before = None
    branch = log.header.branch
    terms: Header | ResumedLine = log.header
    for step in replay(log, with_taken_back=True):
        match = step.match
        message = step.message
        if type(message) is ActionLine:
            earlier_positions[message.number] = own_positions.copy(), before
            own_positions.append(before)
            if message.opening or message.seat != match.seat:
                own_positions.clear()
            defaults[message.seat] += message.default
            if message.ms is not None and (message.ms or not message.default):
                clocks[message.seat].charge(message.ms)  # a lost seat is charged 0 ms, without increment
        elif type(message) is FaultLine:
            faults[message.seat][message.code] += 1
        elif type(message) is ResumedLine:
            is_other = branch is not None and message.number == branch.number and message.clock != terms.clock
            for seat in _taken_over(terms.players, message.players, are_all=is_other):
                clocks[seat], faults[seat], defaults[seat] = SeatClock(clock), Counter(), 0
            terms = message
        elif type(message) is UndoLine:
            request_offset += match.questions + 1
            own_positions, before = earlier_positions[message.to]
            if message.ms is not None and match.seat is not None:
                clocks[match.seat].spend(message.ms)
            continue
        elif type(message) is ResultLine:
            raise BadLog(step.line, "the game is finished; nothing is left to play", is_finished=True)
        before = match.state.copy()
    if match is not None:
        return ResumePoint(match, log.size, clocks, faults, defaults, True, own_positions, request_offset)
    if log.header.seed is None:
        raise BadLog(2, "the log ends before the set-up", is_before_setup=True)
    try:
        match = Match(load_game(log.header.game), log_board(log.header), log.header)
    except BoardError as error:
        raise BadLog(1, str(error)) from None
    check_opening_source(log, match)
    return ResumePoint(match, log.size, clocks, faults, defaults, False, own_positions)


def action_history(log: Log) -> ActionHistory:
    """Replay a log and return its actions, except actions that were taken back. Raise BadLog if the log is invalid."""
    history = None
    for step in replay(log, with_taken_back=True):
        if history is None:
            history = ActionHistory(step.match)
        if type(step.message) is ActionLine:
            history.add(step.message.seat, step.message.action, step.events)
        elif type(step.message) is UndoLine:
            history.forget_from(step.message.to)
    if history is None:
        raise BadLog(2, "the log ends before the set-up", is_before_setup=True)
    return history


def branch_resume_point(
    left: ResumePoint, log: Log, header: Header, players: Sequence[PlayerLine], clock: Clock | None
) -> ResumePoint:
    """Return the resume point of a new log that branches off `log` at the position of `left`.

    `header` and `players` are those of the new log. The result equals that of `resume_point` for the first lines of the
    new log, but nothing is replayed.
    """
    terms = last_terms(log)
    clocks, faults, defaults = [one.copy() for one in left.clocks], left.faults.copy(), left.defaults.copy()
    for seat in _taken_over(terms.players, players, are_all=terms.clock != clock_line(clock)):
        clocks[seat], faults[seat], defaults[seat] = SeatClock(clock), Counter(), 0
    match = left.match.copy_at(left.match.snapshot(), msgspec.structs.replace(header, players=list(players)))
    return left._replace(match=match, clocks=clocks, faults=faults, defaults=defaults)


def _taken_over(before: Sequence[PlayerLine], now: Sequence[PlayerLine], *, are_all: bool) -> list[int]:
    """Return the seats whose player in `before` differs from the player in `now`. If `are_all`, return all seats."""
    both = enumerate(zip(before, now, strict=True))
    return [seat for seat, (old, new) in both if are_all or (new.name, new.seat) != (old.name, old.seat)]
