"""Asking a bot a question from a logged game again. The bot receives the same messages as then, up to that question.

The history follows the log, whatever the bot answers now. Only the last answer counts.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from protocol.lines import BadLine, decode
from protocol.log import ActionLine, FaultLine, ResumedLine
from protocol.messages import Answer, Clock, ClockLeft
from rails_cli.games.game import IllegalAction, bare, check_listed
from rails_cli.match.match import Match
from rails_cli.match.replay import (
    DEFAULT_PLAYED,
    STRIKE_CODES,
    STRIKES,
    TAKEN_OVER,
    ActionRead,
    Log,
    Unfinished,
    carry_on,
    last_clock,
    replay,
)
from rails_cli.match.session import Player, Rules, Seat
from rails_cli.programs.process import BotProcess
from rails_cli.referee import Referee, Wire
from rails_cli.seats import LineSeat, SeatLost, SeatSlow

NEVER = 1_000_000
SPARE_S = 10.0
"""Minimum seconds for a question that has no time left in the log, or whose answer does not count."""
SULK_S = 1.0
"""Seconds to wait after a rejection in the log. A bot that gave a legal answer instead need not answer it."""


class CannotAsk(Exception):
    """Raised if a log has no such question. The text lists the questions it has."""


class Question(NamedTuple):
    """A question in a log, with the faults of the seat and its answer, if any."""

    seat: int
    faults: list[FaultLine]
    events: list[Any]
    played: ActionRead[Any] | None = None


class Past(NamedTuple):
    """A logged game up to a question for an outside player."""

    at: int
    seat: int
    left: Unfinished
    """The match at the point where the last processes were started."""
    clock: Clock | None
    questions: dict[int, Question]
    """The questions from there to the one that is asked again, by action number."""


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


def past_of(log: Log, at: int) -> Past:
    """Return the past of the question for action `at`. A negative `at` counts from the end. Raise BadLog or
    CannotAsk."""
    at = _from_start(log, at)
    questions: dict[int, Question] = {}
    faults: list[FaultLine] = []
    begin = 2
    substituted: set[int] = set()
    seat, number, opening = None, 0, 0
    for step in replay(log):
        message = step.message
        if type(message) is FaultLine:
            faults.append(message)
        elif type(message) is ActionRead:
            own = [fault for fault in faults if fault.seat == message.seat]
            questions[message.number] = Question(message.seat, own, step.events, message)
            if message.number == at and not message.opening:
                break
            substituted |= {fault.seat for fault in faults if fault.message.endswith(TAKEN_OVER)}
            faults = []
        elif type(message) is ResumedLine:
            begin, questions, faults = step.line, {}, []
            substituted.clear()
        seat, number, opening = step.match.seat, step.match.number, len(step.match.opening)
    if seat is not None and at not in questions and at == number + 1:
        questions[at] = Question(seat, [fault for fault in faults if fault.seat == seat], [])
    if at not in questions or at <= opening:
        raise _no_question(at, opening, number + (seat is not None))
    seat = questions[at].seat
    if seat in substituted:
        raise CannotAsk(
            f"seat {seat + 1} was lost before action {at}, and a substitute answered; ask for an earlier one"
        )
    beginning = Log(log.header, log.lines[:begin], 0, torn=False)
    clock = last_clock(beginning)
    return Past(at, seat, carry_on(beginning, clock), clock, questions)


class Heard(NamedTuple):
    """A line the bot sent as its answer, the seconds it took, and why it was rejected."""

    line: bytes
    seconds: float
    code: str = ""
    message: str = ""


class FailedBefore(Exception):
    """Raised if the bot was lost at an earlier question that has an answer in the log."""


@dataclass
class Asked:
    """The result of asking a bot."""

    number: int
    """Number of the last action asked for. Lower than wanted if the bot did not get that far."""
    state: Any
    """The position in which it was asked."""
    request: int = 0
    """The number of that request."""
    answers: list[Heard] = field(default_factory=list)
    action: Any = None
    """Its answer, if it was accepted."""
    code: str = ""
    message: str = ""
    """How it failed."""
    differs_at: int | None = None
    """Number of the first action for which its answer differs from the log."""
    earlier: int = 0
    """Number of earlier questions."""


class _Narrator:
    """A player that plays the actions of the log."""

    is_timed = False

    def __init__(self, asker: "Asker") -> None:
        self._asker = asker

    def choose(self, match: Match, left: ClockLeft | None = None) -> Any:
        return self._asker.next_told().action


class Asker(Referee):
    """A referee that replays a logged game up to a question, with a bot in the seat that is asked."""

    def __init__(
        self,
        past: Past,
        bot: BotProcess,
        *,
        start_up_s: float,
        wait_s: float | None = None,
        on_ask: Callable[[int], None] = lambda seat: None,
    ) -> None:
        """`wait_s` limits the seconds for an answer. By default the clock of the game does."""
        self.past = past
        self.wait_s = wait_s
        self.bot = bot
        narrator = _Narrator(self)
        match = past.left.match
        self.asked = Asked(past.at, match.state)
        sitting: list[LineSeat | Player] = [narrator] * len(match.header.players)
        sitting[past.seat] = bot
        rules = Rules(past.clock, start_up_s, max_faults=NEVER)
        super().__init__(match, sitting, rules, write=self._write, left=past.left, on_ask=on_ask)
        self._strikes: list[FaultLine] = []
        """Remaining faults of the log at the open question."""
        self._open = 0
        """Number of its action."""
        self._is_content = False
        """Whether the bot gave a legal answer although the log has a rejected one."""
        self._owed = 0
        """Number of answers that were not waited for."""

    def ask(self) -> Asked:
        """Replay the game to the bot, ask it, and return the result. Its stderr is kept for the last question only."""
        session, asked = self.session, self.asked
        session.begin()
        for wire in self.wires.values():
            self._introduce(wire)
        try:
            while self.match.number < self.past.at:
                seat = session.to_move
                assert seat is not None
                if seat.player is None:
                    self._begin_question(seat)
                    self._allow_time(seat)
                if not session.move(seat):
                    self._ask(seat)
        except FailedBefore:
            asked.number = self._open
            asked.earlier -= 1
        return asked

    def next_told(self) -> ActionRead[Any]:
        """Return the logged action for the open question. Without a seed, also set the chance events from the log."""
        told = self.past.questions[self.match.number + 1]
        assert told.played is not None
        if self.match.header.seed is None:
            self.match.game.preload_chance(self.match.state, self.match.board, told.events)
        return told.played

    def _begin_question(self, seat: Seat[Wire]) -> None:
        asked = self.asked
        asked.request, asked.state = self.session.number, self.match.state.copy()
        self._open = self.match.number + 1
        self._strikes = list(self.past.questions[self._open].faults)
        self._is_content = False
        if self._open < self.past.at:
            asked.earlier += 1
        self.bot.read_stderr()
        self.bot.notes.forget()

    def _allow_time(self, seat: Seat[Wire]) -> None:
        """Grant time to a seat whose bank is empty if the log has an answer, or if it is the question asked again."""
        played = self.past.questions[self._open].played
        is_answered = self._open == self.past.at or (played is not None and not played.default)
        if is_answered and seat.clock.budget_s() == 0:
            seat.clock.bank_s = SPARE_S

    def _hear(self, seat: Seat[Wire], end: LineSeat) -> Any:
        session = self.session
        if self.wait_s is not None:
            session.deadline = session.asked_at + self.wait_s
        if self._open == self.past.at:
            return self._hear_last(seat, end)
        deadline = session.deadline
        if deadline is not None and self.wait_s is None:  # the bot's thinking time now is not charged
            deadline = max(deadline, session.asked_at + SPARE_S)
        try:
            line = end.receive(end.now() + SULK_S if self._is_content else deadline)
        except (SeatSlow, SeatLost) as lost:
            if self._is_content and isinstance(lost, SeatSlow):
                self._owed += 1
                return self._go_on(seat)
            if self._strikes and self._is_loss(self._strikes[0]):
                raise self._loss(self._strikes[0]) from None
            is_slow = isinstance(lost, SeatSlow)
            self.asked.code = "too_slow" if is_slow else str(getattr(lost, "code", ""))
            self.asked.message = "no answer in time" if is_slow else str(lost)
            end.end()
            raise FailedBefore from None
        message = self._said(line)
        if message is not None and type(message) is not Answer:
            return message
        if self._is_owed(message):
            return None
        self._compare(message)
        return self._go_on(seat)

    def _go_on(self, seat: Seat[Wire]) -> None:
        """Apply the next line of the log: a fault or the answer."""
        session = self.session
        if self._strikes:
            fault = self._strikes.pop(0)
            if self._is_loss(fault):
                raise self._loss(fault)
            played = self.past.questions[self._open].played
            words = fault.message.partition(DEFAULT_PLAYED)[0]
            session.reject(seat, fault.code, words, 0 if played is None else played.ms or 0)  # type: ignore[arg-type]
        else:
            told = self.next_told()
            session.retell(seat, told.action, told.ms)

    def _is_owed(self, message: Answer[Any] | None) -> bool:
        """Return whether this is a late answer to an earlier question."""
        is_late = self._owed > 0 and message is not None and message.number < self.session.number
        self._owed -= is_late
        return is_late

    def _hear_last(self, seat: Seat[Wire], end: LineSeat) -> Any:
        """Process the answer that counts. If it is rejected, the bot answers again as in a match."""
        session = self.session
        line = end.receive(session.deadline)
        now = end.now()
        message = self._said(line)
        if type(message) is Answer and self._is_owed(message):
            return None
        seconds = now - session.asked_at
        self.asked.code = self.asked.message = ""
        heard = session.hear(seat, line, now)
        if heard is None:
            self.asked.answers.append(Heard(line, seconds, self.asked.code, self.asked.message))
        return heard

    def _write(self, line: Any) -> None:
        """Record what the session logs about the last question."""
        if line.number < self.past.at:
            return
        if type(line) is FaultLine:
            self.asked.code, self.asked.message = line.code, line.message.partition(DEFAULT_PLAYED)[0]
        elif type(line) is ActionLine and not line.default:
            self.asked.action, self.asked.code, self.asked.message = line.action, "", ""

    def _is_loss(self, fault: FaultLine) -> bool:
        """Return whether a fault ended the process: the default action was played for a reason other than strikes."""
        if DEFAULT_PLAYED not in fault.message:
            return False
        is_strike = fault.code in STRIKE_CODES or (fault.code == "too_long" and fault.message.startswith("`info`"))
        return not (is_strike and self.session.strikes == STRIKES - 1)

    @staticmethod
    def _loss(fault: FaultLine) -> SeatSlow | SeatLost:
        return SeatSlow() if fault.code == "too_slow" else SeatLost(fault.code, fault.message)

    def _said(self, line: bytes) -> Any:
        """Decode a line. Return None if it is invalid."""
        try:
            return decode(line, self.session.decoder)
        except BadLine:
            return None

    def _compare(self, answer: Answer[Any] | None) -> None:
        """Record the first answer that differs from the log."""
        played = self.past.questions[self._open].played
        meant = self._meant(answer)
        self._is_content = bool(self._strikes) and meant is not None
        if meant != (None if self._strikes or played is None else bare(played.action)):
            self.asked.differs_at = self.asked.differs_at or self._open

    def _meant(self, answer: Answer[Any] | None) -> Any:
        """Return the action that an answer means. None if it would be rejected."""
        if answer is None or answer.number != self.session.number or (answer.action is None) == (answer.choice is None):
            return None
        match = self.match
        try:
            if answer.choice is not None:
                return bare(match.chosen(answer.choice))
            check_listed(match.legal, answer.action)
        except IllegalAction:
            return None
        return bare(answer.action)
