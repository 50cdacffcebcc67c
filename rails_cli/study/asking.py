"""Questions to bots about positions of logged games.

The bot gets one request with the whole history, as after a restart in the middle of a game.
"""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from rails_cli.logs.reading import Log, last_clock
from rails_cli.logs.replay import replay
from rails_cli.logs.resume import resume_point
from rails_cli.match.clock import SeatClock
from rails_cli.match.faults import DEFAULT_PLAYED, TAKEN_OVER
from rails_cli.match.match import ResumePoint
from rails_cli.match.session import MatchPolicy, Seat, Session
from rails_cli.match.step import Step
from rails_cli.programs.process import BotProcess
from rails_cli.protocol.lines import BadLine, client_decoder, decode_or_error, encode
from rails_cli.protocol.log import ActionLine, FaultLine, ResumedLine
from rails_cli.protocol.messages import Answer, Clock, Join
from rails_cli.referee.seats import SeatLost, SeatSlow

UNREACHABLE_FAULTS = 1_000_000
"""Number of faults that no bot can reach, so that a bot never loses its seat."""
FALLBACK_ANSWER_S = 10.0
"""Seconds that the bot gets for its answer if the seat had no time left in the logged game."""


class CannotAsk(Exception):
    """Raised if no seat was asked for an action in the requested position. The message lists the possible positions."""


class Question(NamedTuple):
    """A question in a log: `seat` was asked for action `number`."""

    number: int
    seat: int
    left: ResumePoint
    """The state of the match at the question, with the time that each seat had left."""
    clock: Clock | None
    faults: list[FaultLine]
    """The faults that the seat made at this question."""
    played: ActionLine[Any, Any] | None
    """The action that answered the question in the log, or None if the log ends at the question."""


def log_before_question(log: Log, after: int) -> tuple[Log, int]:
    """Return the part of a log up to action `after`, and the number of the action that follows.

    A negative `after` counts from the end of the log: -1 is the last action. Raise BadLog or CannotAsk.
    """
    number, opening, is_over, end = 0, 0, False, 0
    if after < 0:
        after += 1 + sum(type(step.message) is ActionLine for step in replay(log))
    for step in replay(log):
        number, opening, is_over = step.match.number, len(step.match.opening), step.match.is_over
        if end and number > after:
            break
        if number == after >= opening and not is_over and type(step.message) is not FaultLine:
            end = step.line
    if end:
        return Log(log.header, log.lines[:end], 0, torn=False), after + 1
    last = number - is_over
    there = f"it has questions after actions {opening} to {last}" if last >= opening else "nobody was asked"
    raise CannotAsk(f"the log has no question after action {after}; {there}")


def question_at(log: Log, after: int) -> Question:
    """Return the question after action `after` of a log.

    A negative `after` counts from the end of the log: -1 is the last action. Raise BadLog, or CannotAsk if there is no
    question or a substitute answered it.
    """
    beginning, at = log_before_question(log, after)
    clock = last_clock(beginning)
    left = resume_point(beginning, clock)
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
        elif type(message) is ActionLine and message.number == at:
            played = message
            break
    if is_substituted:
        raise CannotAsk(
            f"seat {seat + 1} was lost before action {at}, and a substitute answered; ask for an earlier one"
        )
    return Question(at, seat, left, left.clocks[seat].clock, faults, played)


class TimedAnswer(NamedTuple):
    """A line that the bot sent as its answer, the seconds that the bot took, and the reason for a rejection, if any."""

    line: bytes
    seconds: float
    code: str = ""
    message: str = ""


@dataclass
class AskResult:
    """The answers of a bot that was asked, and the accepted action."""

    state: Any
    """The position in which the bot was asked."""
    request: int
    """Number of the request that the bot received."""
    answers: list[TimedAnswer] = field(default_factory=list)
    action: Any = None
    code: str = ""
    """Code of the last fault. Empty if an answer was accepted."""
    message: str = ""
    """Reason why no answer was accepted. Empty if an answer was accepted."""

    def record(self, step: Step) -> None:
        """Store the accepted action or the fault that the log lines of `step` contain."""
        for line in step.lines:
            if type(line) is FaultLine:
                self.code, self.message = line.code, line.message.partition(DEFAULT_PLAYED)[0]
            elif type(line) is ActionLine and not line.default:
                self.action, self.code, self.message = line.action, "", ""


class _Channel:
    """A replacement for the connection of a bot. It has only the attribute that `Session` reads: the `join` message.

    The message has default options.
    """

    def __init__(self) -> None:
        self.join = Join()


def ask(question: Question, bot: BotProcess, *, start_up_s: float, wait_s: float | None = None) -> AskResult:
    """Ask the bot `question` and return the result. After a rejected answer the bot may answer again, as in a match.

    `wait_s` is the maximum number of seconds for an answer, including the start of the bot. None means the time on the
    clock of the game plus `start_up_s` seconds.
    """
    match = question.left.match
    seats: list[Seat[_Channel]] = [Seat(index) for index in range(len(match.header.players))]
    seat = seats[question.seat]
    seat.channel, seat.is_process = _Channel(), True
    seat.clock = SeatClock(question.clock)
    seat.clock.bank_s = question.left.clocks[question.seat].bank_s
    if not seat.has_time:
        seat.clock.bank_s = FALLBACK_ANSWER_S
    policy = MatchPolicy(question.clock, start_up_s if wait_s is None else 0.0, max_faults=UNREACHABLE_FAULTS)
    session = Session(match, seats, policy)
    decoder = client_decoder(match.game.action_type)
    asked = AskResult(match.state.copy(), session.number)
    bot.begin_match(None)
    try:
        bot.start()
        start = session.introduce(seat.channel, is_new=True)
        step = session.ask(seat, bot.now(), budget_s=wait_s)
        step.messages[:0] = start.messages
        while (pending := session.pending) is not None:
            _send(bot, step, pending.deadline)
            line = bot.receive(pending.deadline)
            now = bot.now()
            message = decode_or_error(line, decoder)
            step = session.receive(seat, message, now)
            asked.record(step)
            if type(message) is Answer or type(message) is BadLine:
                asked.answers.append(TimedAnswer(line, now - pending.asked_at, asked.code, asked.message))
    except SeatSlow:
        asked.record(session.late())
    except SeatLost as lost:
        asked.record(session.lost(seat, lost.code, str(lost)))
    return asked


def _send(bot: BotProcess, step: Step, deadline: float | None) -> None:
    try:
        for _, message in step.messages:
            bot.send(encode(message), deadline)
    except SeatLost as lost:
        if not lost.was_gone:
            raise  # if the bot has ended, read what it wrote before
