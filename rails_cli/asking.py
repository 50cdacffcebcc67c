"""Asks a bot what it was asked in a logged game: it is sent what it was sent then, up to that question.

The history goes on as the log tells it, whatever the bot answers now; only the last answer counts.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from protocol.lines import BadLine, decode
from protocol.log import ActionLine, FaultLine, ResumedLine
from protocol.messages import Answer, Clock, ClockLeft
from rails_cli.bot_process import BotProcess
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
from rails_cli.referee import Referee, Wire
from rails_cli.seats import LineSeat, SeatLost, SeatSlow

NEVER = 1_000_000
SPARE_S = 10.0
"""What a question may take at least for which the log leaves no time, or whose answer does not count."""
SULK_S = 1.0
"""Whoever gave a good answer where the log has a bad one need not answer the rejection of that; so long is waited."""


class CannotAsk(Exception):
    """A log that has no such question; the text says which ones it has."""


class Question(NamedTuple):
    """What a log tells of a question: the faults of whoever was asked, and the answer, if there was one."""

    seat: int
    faults: list[FaultLine]
    events: list[Any]
    played: ActionRead[Any] | None = None


class Past(NamedTuple):
    """A logged game up to a question that was put to a player at a line."""

    at: int
    seat: int
    left: Unfinished
    """From where those processes played that were asked."""
    clock: Clock | None
    questions: dict[int, Question]
    """From there on, by the numbers of their actions, to the one that is asked again."""


def before(log: Log, at: int) -> tuple[Log, int]:
    """The log up to the question for action `at`, and its number: -1 is the last action in the log, as elsewhere.

    Raises BadLog, CannotAsk.
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
    """The past of the question for action `at`, counted from the end if it is negative. Raises BadLog, CannotAsk."""
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
    """A line that the bot sent as its answer, after so many seconds, and why it was not taken."""

    line: bytes
    seconds: float
    code: str = ""
    message: str = ""


class FailedBefore(Exception):
    """The bot was lost at an earlier question, at which the log has an answer."""


@dataclass
class Asked:
    """What came of it."""

    number: int
    """Of the action that was asked for last: an earlier one than wanted if the bot did not get there."""
    state: Any
    """The position in which it was asked."""
    request: int = 0
    """The number of that request."""
    answers: list[Heard] = field(default_factory=list)
    action: Any = None
    """What it answered, if that was taken."""
    code: str = ""
    message: str = ""
    """How it failed."""
    differs_at: int | None = None
    """The first action for which it answered something else than in the log."""
    earlier: int = 0
    """Questions that it was asked before."""


class _Narrator:
    """Plays what the log tells."""

    is_timed = False

    def __init__(self, asker: "Asker") -> None:
        self._asker = asker

    def choose(self, match: Match, left: ClockLeft | None = None) -> Any:
        return self._asker.next_told().action


class Asker(Referee):
    """Plays a logged game again up to a question, with a bot in the seat that is asked."""

    def __init__(
        self,
        past: Past,
        bot: BotProcess,
        *,
        start_up_s: float,
        wait_s: float | None = None,
        on_ask: Callable[[int], None] = lambda seat: None,
    ) -> None:
        """`wait_s` is how long an answer may take, if not as long as the clock of the game allows."""
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
        """The faults that the log still has at the open question."""
        self._open = 0
        """The number of its action."""
        self._is_content = False
        """Whether a good answer was given to it, where the log has a bad one."""
        self._owed = 0
        """Answers that were not waited for."""

    def ask(self) -> Asked:
        """Tells the bot all that it was told, and asks; what came of it. Of its stderr the last question's is kept."""
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
        """What was played for the open question; what chance brought with it is set, where no seed tells that."""
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
        """Whoever answered without any time left is asked all the same, and so is the one who is asked now."""
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
        if deadline is not None and self.wait_s is None:  # what it thinks now takes nothing from it
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
        """What the log has next: a fault, or the answer."""
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
        """Whether this is an answer to an earlier question, which comes after all."""
        is_late = self._owed > 0 and message is not None and message.number < self.session.number
        self._owed -= is_late
        return is_late

    def _hear_last(self, seat: Seat[Wire], end: LineSeat) -> Any:
        """The answer that counts; if it is refused, the bot is told so and answers again, as in a match."""
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
        """What the session would write down about the last question."""
        if line.number < self.past.at:
            return
        if type(line) is FaultLine:
            self.asked.code, self.asked.message = line.code, line.message.partition(DEFAULT_PLAYED)[0]
        elif type(line) is ActionLine and not line.default:
            self.asked.action, self.asked.code, self.asked.message = line.action, "", ""

    def _is_loss(self, fault: FaultLine) -> bool:
        """Whether a fault cost the process: the default was played, and not for strikes."""
        if DEFAULT_PLAYED not in fault.message:
            return False
        is_strike = fault.code in STRIKE_CODES or (fault.code == "too_long" and fault.message.startswith("`info`"))
        return not (is_strike and self.session.strikes == STRIKES - 1)

    @staticmethod
    def _loss(fault: FaultLine) -> SeatSlow | SeatLost:
        return SeatSlow() if fault.code == "too_slow" else SeatLost(fault.code, fault.message)

    def _said(self, line: bytes) -> Any:
        """The message in a line; None if it cannot be read."""
        try:
            return decode(line, self.session.decoder)
        except BadLine:
            return None

    def _compare(self, answer: Answer[Any] | None) -> None:
        """Notes the first answer that is not what the log has."""
        played = self.past.questions[self._open].played
        meant = self._meant(answer)
        self._is_content = bool(self._strikes) and meant is not None
        if meant != (None if self._strikes or played is None else bare(played.action)):
            self.asked.differs_at = self.asked.differs_at or self._open

    def _meant(self, answer: Answer[Any] | None) -> Any:
        """The action that an answer means; None if it would not be taken."""
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
