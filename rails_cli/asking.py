"""Asking a bot a question from a logged game again.

The bot gets one request with the whole history, as after a restart in the middle of the game.
"""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from protocol.log import ActionLine, FaultLine, ResumedLine
from protocol.messages import Again, Clock, Join, Request
from rails_cli.bot_process import BotProcess
from rails_cli.match.clock import SeatClock
from rails_cli.match.replay import DEFAULT_PLAYED, TAKEN_OVER, ActionRead, Log, Unfinished, carry_on, last_clock, replay
from rails_cli.match.session import Rules, Seat, Session, written
from rails_cli.players.builtin import substitute
from rails_cli.seats import SeatLost, SeatSlow

NEVER = 1_000_000
"""A number of default actions that no seat reaches."""
SPARE_S = 10.0
"""Seconds for the answer if the log leaves no time in the bank."""


class CannotAsk(Exception):
    """Raised if a log has no such question. The text lists the questions it has."""


class Question(NamedTuple):
    """A question in a log."""

    number: int
    """Number of the action that answers it."""
    seat: int
    left: Unfinished
    """The match at the question, with the time left."""
    clock: Clock | None
    faults: list[FaultLine]
    """The faults of the seat at this question."""
    played: ActionRead[Any] | None
    """The answer in the log, if any."""


def before(log: Log, at: int) -> tuple[Log, int]:
    """Return the log up to the question for action `at`, and its number. A negative `at` counts from the end of the
    log.

    Raise BadLog or CannotAsk.
    """
    number, opening, is_over, end = 0, 0, False, 0
    at = _from_start(log, at)
    for step in replay(log):
        number, opening, is_over = step.match.number, len(step.match.opening), step.match.is_over
        if end and number >= at:
            break
        if number == at - 1 >= opening and not is_over and type(step.message) is not FaultLine:
            end = step.line
    if end:
        return Log(log.header, log.lines[:end], 0, torn=False), at
    raise _no_question(at, opening, number + (not is_over))


def _from_start(log: Log, at: int) -> int:
    return at if at >= 0 else at + 1 + sum(type(step.message) is ActionRead for step in replay(log))


def _no_question(at: int, opening: int, last: int) -> CannotAsk:
    there = f"it has questions for actions {opening + 1} to {last}" if last > opening else "nobody was asked"
    return CannotAsk(f"the log has no question for an action {at}; {there}")


def question_at(log: Log, at: int) -> Question:
    """Return the question for action `at`. A negative `at` counts from the end. Raise BadLog or CannotAsk."""
    beginning, at = before(log, at)
    clock = last_clock(beginning)
    left = carry_on(beginning, clock)
    seat = left.match.seat
    assert seat is not None
    faults: list[FaultLine] = []
    played = None
    is_substituted = False
    for step in replay(log):
        message = step.message
        if type(message) is ResumedLine:
            faults, is_substituted = [], False
        elif type(message) is FaultLine and message.seat == seat:
            if message.number == at:
                faults.append(message)
            elif message.message.endswith(TAKEN_OVER):
                is_substituted = True
        elif type(message) is ActionRead and message.number == at:
            played = message
            break
    if is_substituted:
        raise CannotAsk(
            f"seat {seat + 1} was lost before action {at}, and a substitute answered; ask for an earlier one"
        )
    return Question(at, seat, left, clock, faults, played)


class TimedAnswer(NamedTuple):
    """A line that the bot sent as its answer, the seconds it took, and why it was rejected."""

    line: bytes
    seconds: float
    code: str = ""
    message: str = ""


@dataclass
class Asked:
    """The result of asking a bot."""

    state: Any
    """The position in which it was asked."""
    request: int
    """Number of the request."""
    answers: list[TimedAnswer] = field(default_factory=list)
    action: Any = None
    """The accepted action, if any."""
    code: str = ""
    message: str = ""
    """Why there is no accepted action."""

    def note(self, line: Any) -> None:
        """Take the outcome from a line that the session logs."""
        if type(line) is FaultLine:
            self.code, self.message = line.code, line.message.partition(DEFAULT_PLAYED)[0]
        elif type(line) is ActionLine and not line.default:
            self.action, self.code, self.message = line.action, "", ""


class _Outbox:
    """The connection of the bot. It collects messages until they are sent."""

    def __init__(self) -> None:
        self.join = Join()
        self.unsent: list[bytes] = []

    def post(self, content: bytes) -> None:
        self.unsent.append(content + b"\n")

    def post_request(self, request: Request[Any, Any, Any]) -> None:
        self.post(written(request))


def ask(question: Question, bot: BotProcess, *, start_up_s: float, wait_s: float | None = None) -> Asked:
    """Ask a bot and return the result. After a rejected answer it may answer again, as in a match.

    `wait_s` limits the seconds for an answer. By default the clock of the game does.
    """
    match = question.left.match
    outbox = _Outbox()
    seats: list[Seat[_Outbox]] = [Seat(index) for index in range(len(match.header.players))]
    seat = seats[question.seat]
    seat.line, seat.is_process = outbox, True
    seat.clock = SeatClock(question.clock)
    seat.clock.bank_s = question.left.clocks[question.seat].bank_s
    if seat.clock.budget_s() == 0:
        seat.clock.bank_s = SPARE_S
    rules = Rules(question.clock, start_up_s, max_faults=NEVER)
    asked = Asked(match.state.copy(), 0)
    session = Session(
        match,
        seats,
        rules,
        write=asked.note,
        stop=lambda seat, code: None,
        substitute=lambda seat: substitute(match.game.name, seat.index),
    )
    asked.request = session.number
    bot.begin_match(None)
    try:
        bot.start()
        session.greet(outbox, is_new=True)
        session.move(seat)
        session.put(seat, bot.now())
        while session.is_asking:
            deadline = session.deadline if wait_s is None else session.asked_at + wait_s
            session.deadline = deadline
            unsent, outbox.unsent = outbox.unsent, []
            try:
                for content in unsent:
                    bot.send(content, deadline)
            except SeatLost as lost:
                if not lost.was_gone:
                    raise  # otherwise read what it wrote before it ended
            line = bot.receive(deadline)
            now = bot.now()
            asked.code = asked.message = ""
            message = session.hear(seat, line, now)
            if type(message) is Join:
                session.joined(seat, message)
            elif type(message) is Again:
                session.repeat_request(seat, now)
            else:
                asked.answers.append(TimedAnswer(line, now - session.asked_at, asked.code, asked.message))
    except SeatSlow:
        session.late()
    except SeatLost as lost:
        session.lost(seat, lost.code, str(lost))
    return asked
