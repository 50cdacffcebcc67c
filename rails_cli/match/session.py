"""The core of one match, without I/O and without reading a clock. The caller passes in messages, disconnections and
times.

It numbers requests, counts strikes, charges clocks, plays default actions, replaces players, voids matches, and keeps
track of the events sent to each seat. Methods return a `Step`: what the caller, called the driver, must do next.

Two rules hold: `Session.pending` is None whenever nobody may answer, and the driver carries out every step. Each seat
may have its own clock: times passed for a seat are readings of that clock.
"""

from collections.abc import Sequence
from typing import Any, Generic, Literal, NamedTuple, Protocol, TypeVar

import msgspec

from rails_cli.games.game import PUBLIC, IllegalAction
from rails_cli.match.clock import SeatClock, seconds_words
from rails_cli.match.faults import DEFAULT_PLAYED, RAN_OUT, STRIKES, TAKEN_OVER, VOIDED
from rails_cli.match.match import SERVER, Match, ResumePoint, board_json, count_forced_passes, match_name
from rails_cli.protocol.lines import BadLine, client_decoder, decode
from rails_cli.protocol.log import ActionLine, FaultLine, ResultLine
from rails_cli.protocol.messages import (
    MAX_LINE,
    PROTOCOL,
    Answer,
    Clock,
    ClockLeft,
    End,
    EndReason,
    Error,
    Hello,
    Join,
    Rejected,
    RejectionCode,
    Request,
    Start,
    Update,
)

LONGEST_WORDS = 300
"""Most characters of a fault's message that are logged."""
END_REASONS: dict[str, EndReason] = {"too_slow": "timeout", "disconnect": "disconnect"}
"""Why a match is void, by the code of the last fault. `illegal` for all other codes."""
HELLO = Hello(protocol=PROTOCOL, server=SERVER, max_line=MAX_LINE)

LogLine = ActionLine[Any, Any] | FaultLine | ResultLine
Message = Hello | Start | Update[Any] | Request[Any, Any, Any] | Rejected | Error | End[Any]


class MatchPolicy(NamedTuple):
    """Time control and fault policy of a match."""

    clock: Clock | None = None
    start_up_s: float = 20.0
    """Seconds that a new process has for its first answer in addition to its clock."""
    max_faults: int = 3
    """Number of default actions after which a seat is given to a substitute or the match is void, see `on_faults`."""
    on_faults: Literal["substitute", "void"] = "substitute"


class Player(Protocol):
    """A player inside this process."""

    @property
    def is_timed(self) -> bool:
        """Whether its thinking time is charged to the seat's bank."""

    def choose(self, match: Match, left: ClockLeft | None = None) -> Any:
        """Return the action for the open question, within the time `left`. Must not use information hidden from the
        seat."""


class Channel(Protocol):
    """A connection to a player outside this process. The driver sends messages over it."""

    join: Join
    """The message options the player asked for. Defaults until it sends a `join`."""


ChannelT = TypeVar("ChannelT", bound=Channel)


class Seat(Generic[ChannelT]):
    """A seat of a match: its player, its clock, its faults, and the events already sent to it."""

    def __init__(self, index: int, *, channel: ChannelT | None = None, player: Player | None = None) -> None:
        self.index = index
        self.channel = channel
        self.player = player
        """Player inside this process, either permanently or as a substitute."""
        self.has_substitute = False
        self.substituted_from: int | None = None
        """Number of the first action played by a substitute. None once the holder of the seat is informed."""
        self.is_process = False
        """Whether the player is a process. It is killed when late and restarted for the next request, so no late
        answers arrive."""
        self.is_shared = False
        """Whether the same connection holds other seats too."""
        self.clock = SeatClock(None)
        self.grace_s = 0.0
        """Extra seconds for the next answer, because the program was just started."""
        self.lag_s = 0.0
        """Network latency in seconds that is not counted for the open request."""
        self.start_up_s: float | None = None
        """Start-up seconds left in this match, so that reconnecting gains no time. None if nothing is used yet."""
        self.seen = 0
        """Number of history events already sent to this seat."""
        self.early: list[bytes] = []
        """Lines a process wrote before it was asked. They are read at its next request, as from a pipe."""
        self.faults = 0
        self.defaults = 0
        self.is_lost = False
        """Whether the player failed too often to be asked again."""

    @property
    def has_time(self) -> bool:
        """Whether the seat may be asked. If not, `Session.ask` plays the default action."""
        return self.clock.clock is None or self.clock.budget_s() != 0

    def restore(self, left: ResumePoint, policy: MatchPolicy) -> None:
        """Restore time, faults and default actions of the seat from an interrupted match.

        A seat that was given away restarts with zero default actions.
        """
        self.clock.bank_s = left.clocks[self.index].bank_s
        self.faults = left.faults[self.index]
        self.defaults = left.defaults[self.index] % policy.max_faults


class Pending(NamedTuple):
    """The open request."""

    seat: Seat[Any]
    number: int
    asked_at: float
    """Time of the request, minus the time that was used before it."""
    budget_s: float | None
    """Seconds for the answer. None without a limit."""
    deadline: float | None
    """Time at which the request expires, including start-up time and latency. None without a limit."""

    def used_s(self, now: float) -> float:
        """Return the seconds used by the time `now`. Start-up time and latency do not count."""
        used_s = now - self.asked_at - self.seat.grace_s - self.seat.lag_s
        return used_s if used_s > 0 else 0.0


class Step:
    """Effects of a decision of the session. The driver carries them out in the order of the fields."""

    __slots__ = ("lines", "messages", "other", "stop", "substitute")

    def __init__(self) -> None:
        self.lines: list[LogLine] = []
        """Lines to append to the log."""
        self.messages: list[tuple[Any, Message]] = []
        """Messages to send after that, each with its connection (`Seat.channel`)."""
        self.stop: tuple[Seat[Any], str] | None = None
        """A seat whose program must be ended or disconnected, and the code of the fault."""
        self.substitute: Seat[Any] | None = None
        """A seat that needs a built-in player."""
        self.other: Any = None
        """A received message that is not an answer. The driver or the lobby handles it."""


class Session:
    """One match, from its start or from the end of an unfinished log until its result.

    While `to_move` is a seat with a built-in player, the driver calls `chosen` with its action. For other seats it
    calls `ask`, then `receive`, `late` or `lost` until `pending` is None. When `to_move` is None, `finish` returns the
    result.
    """

    def __init__(
        self,
        match: Match,
        seats: Sequence[Seat[Any]],
        policy: MatchPolicy,
        *,
        decoder: msgspec.json.Decoder[Any] | None = None,
        name: str | None = None,
        numbers_after: int = 0,
        is_one_of_many: bool = False,
    ) -> None:
        """`decoder` decodes messages of players, by default those of the game only. `name` overrides the match name in
        the header.

        Request numbers continue after `numbers_after`, which may be a request of an earlier match on the same
        connection, see `expired`. If `is_one_of_many`, other matches use the same connection, so error messages name
        this one.
        """
        self.match = match
        self.name = name or match_name(match.header)
        self.seats = seats
        self.policy = policy
        self.decoder = decoder or client_decoder(match.game.action_type)
        self.is_one_of_many = is_one_of_many
        self.pending: Pending | None = None
        """The open request. None if nobody may answer."""
        self.expired = numbers_after
        """Number of the last request that expired and may still be answered. 0 if there is none."""
        self.void: EndReason | None = None
        """Why the match ends before its end."""
        self.strikes = 0
        """Rejected answers to the open request."""
        self._rejected = ""
        """Code and message of the last strike."""
        self._seen_before = 0
        """Number of history events that the asked seat had received before the open request."""
        self._scanned, self._unasked = 0, numbers_after

    @property
    def to_move(self) -> Seat[Any] | None:
        """The seat that has to answer. None when the match is over."""
        seat = self.match.seat
        return None if seat is None or self.void is not None else self.seats[seat]

    @property
    def faults(self) -> list[int]:
        return [seat.faults for seat in self.seats]

    @property
    def lost_seats(self) -> list[int]:
        """The seats whose players failed too often."""
        return [seat.index for seat in self.seats if seat.is_lost]

    @property
    def number(self) -> int:
        """Number of the open or next request.

        Questions that the rules answered with a forced pass are counted, so that no gap reveals that a seat could not
        act.
        """
        match = self.match
        history = match.history
        if self._scanned < len(history):
            self._unasked += count_forced_passes(history[self._scanned :])
            self._scanned = len(history)
        return match.number + 1 + self._unasked

    # Start

    def begin(self) -> Step:
        """Play the opening or the rest of it. Call this once, before any message is sent."""
        step = Step()
        step.lines.extend(self.match.play_opening())
        return step

    def allow_start_up(self, channel: Channel) -> None:
        """Grant the start-up time to all seats of a new connection."""
        for seat in self.seats:
            if seat.channel is channel:
                if seat.start_up_s is None:
                    seat.start_up_s = self.policy.start_up_s
                seat.grace_s = seat.start_up_s

    def introduce(self, channel: Channel, *, is_new: bool) -> Step:
        """Send the start of the match to `channel`. The next request contains the whole history.

        If `is_new`, also send `Hello` and grant the start-up time.
        """
        step = Step()
        seats = [seat for seat in self.seats if seat.channel is channel]
        for seat in seats:
            seat.seen = 0
        if is_new:
            self.allow_start_up(channel)
            step.messages.append((channel, HELLO))
        index = None if seats[0].is_shared else seats[0].index
        step.messages.append((channel, start_of(self.name, self.match, index, self.policy.clock, channel.join)))
        return step

    # Events

    def update(self, seat: Seat[Any]) -> Step:
        """Send the seat all events it has not received yet."""
        step = Step()
        if seat.channel is not None:
            self._update(step, seat, seat.channel)
        return step

    def _update(self, step: Step, seat: Seat[Any], channel: Channel) -> None:
        match = self.match
        events = match.events_for(seat.index, seat.seen)
        seat.seen = len(match.history)
        view = match.wire_view_for(seat.index) if channel.join.push_view else None
        step.messages.append((channel, Update(self.name, events, view)))

    # Requests

    def ask(self, seat: Seat[Any], now: float, used_s: float = 0.0, budget_s: float | None = None) -> Step:
        """Send a request to the seat to move and start the clock, with `used_s` seconds already used.

        The request contains all events the seat has not received yet and the time actually left. `budget_s` replaces
        the seconds that the clock allows. Without time left, the default action is played instead. If the request is
        open already, it is only sent again.
        """
        step, match, channel, pending = Step(), self.match, seat.channel, self.pending
        if pending is None:
            if budget_s is None and seat.clock.clock is not None:
                budget_s = seat.clock.budget_s()
            if budget_s == 0:
                self._play_default(step, seat, "too_slow", "no time is left in the bank", 0)
                return step
            asked_at = now - used_s
            deadline = None if budget_s is None else asked_at + budget_s + seat.grace_s + seat.lag_s
            pending = self.pending = Pending(seat, self.number, asked_at, budget_s, deadline)
            self._seen_before = seat.seen
        if channel is not None:
            request: Request[Any, Any, Any] = Request(
                self.name,
                pending.number,
                seat.index,
                match.events_for(seat.index, seat.seen),
                match.wire_view_for(seat.index) if channel.join.view == "full" else None,
                match.legal,
                len(match.legal) - 1,
                None if seat.clock.clock is None else seat.clock.left(pending.used_s(now)),
            )
            seat.seen = len(match.history)
            step.messages.append((channel, request))
        return step

    def repeat_request(self, now: float, *, with_history: bool = False) -> Step:
        """Send the open request again with the same events, or with the whole history."""
        assert self.pending is not None
        seat = self.pending.seat
        seat.seen = 0 if with_history else self._seen_before
        return self.ask(seat, now)

    def withdraw_request(self) -> None:
        """Close the open request, because it will be sent again to a new program."""
        self.pending = None

    def used_ms(self, now: float) -> int | None:
        """Return the milliseconds used for the open request, as logged. None without a time limit."""
        pending = self.pending
        if pending is None or pending.budget_s is None:
            return None
        return int(min(pending.used_s(now), pending.budget_s) * 1000)

    # Answers

    def chosen(self, seat: Seat[Any], action: Any, ms: int | None = None) -> Step:
        """Play the action of a built-in player, who used `ms` of the seat's bank. Raise IllegalAction."""
        step, match = Step(), self.match
        if seat.has_substitute and seat.substituted_from is None:
            seat.substituted_from = match.number + 1
        if ms is not None:
            seat.clock.charge(ms)
        self._add_action(step, match.submit(seat.index, action, ms=ms))
        return step

    def receive(self, seat: Seat[Any], line: bytes, now: float) -> Step:
        """Process a message from a seat. A valid message that is not an answer becomes `Step.other`."""
        pending = self.pending
        if pending is None or pending.seat is not seat:
            return self._receive_out_of_turn(seat, line)
        try:
            message = decode(line, self.decoder)
        except BadLine as bad:
            return self.receive_answer(bad, now)
        if type(message) is Answer:
            return self.receive_answer(message, now)
        step = Step()
        step.other = message
        return step

    def receive_answer(self, answer: Answer[Any] | BadLine, now: float) -> Step:
        """Process the answer to the open request, or the error raised when decoding it."""
        pending = self.pending
        assert pending is not None
        if pending.deadline is not None and now > pending.deadline:
            return self.late()
        step, match, seat = Step(), self.match, pending.seat
        used_s = now - pending.asked_at - seat.grace_s - seat.lag_s
        ms = int(used_s * 1000) if used_s > 0 else 0
        if isinstance(answer, BadLine):
            self._strike(step, seat, answer.code, str(answer), ms)  # type: ignore[arg-type]
            return step
        if answer.number != pending.number or (answer.match != self.name and answer.match is not None):
            self._receive_other_number(step, seat, answer, ms)
            return step
        action, choice = answer.action, answer.choice
        if (action is None) == (choice is None):
            self._strike(step, seat, "bad_line", "an answer has either `action` or `choice`", ms)
            return step
        try:
            if choice is None:
                played = match.submit(seat.index, action, ms=ms, info=answer.info)
            else:
                played = match.play(match.chosen(choice), ms, False, answer.info)
        except IllegalAction as illegal:
            self._strike(step, seat, "illegal_action", str(illegal), ms)
            return step
        if seat.clock.clock is not None:
            seat.clock.charge(ms)
        if seat.grace_s:
            seat.start_up_s, seat.grace_s = max(0.0, -used_s), 0.0
        self._add_action(step, played)
        return step

    def receive_option(self, message: Any, now: float) -> Step:
        """Process `Step.other` of the asked seat where there is no lobby: `Join`, or `Again`, which repeats the
        request."""
        assert self.pending is not None
        return self.join(self.pending.seat, message) if type(message) is Join else self.repeat_request(now)

    def join(self, seat: Seat[Any], join: Join) -> Step:
        """Apply the message options in `join`. A player with another protocol version is disconnected.

        A process counts as lost then. For any other client the driver ends the match.
        """
        assert seat.channel is not None
        step = Step()
        if join.protocol == PROTOCOL:
            seat.channel.join = join
            return step
        text = wrong_version(join)
        step.messages.append((seat.channel, Error("version", text, fatal=True)))
        step.stop = seat, "version"
        if seat.is_process and self.match.seat == seat.index:
            self._play_default(step, seat, "version", text, 0)
        return step

    def _receive_out_of_turn(self, seat: Seat[Any], line: bytes) -> Step:
        """Process a message from a seat that is not asked. It is rejected without a strike.

        Lines of a process are kept until its next request, up to the size of a message.
        """
        step = Step()
        if seat.is_process:
            if sum(map(len, seat.early)) + len(line) <= MAX_LINE:
                seat.early.append(line)
            return step
        try:
            message = decode(line, self.decoder)
        except BadLine as bad:
            self._reject(step, seat, bad.code, str(bad))  # type: ignore[arg-type]
            return step
        if type(message) is not Answer:
            step.other = message
        elif message.number < self.number:
            self._receive_late_answer(step, seat, message)
        elif self.match.seat is None:
            self._reject(step, seat, "not_your_turn", "the game has ended")
        else:
            self._reject(step, seat, "not_your_turn", f"seat {self.match.seat} is to move")
        return step

    def _receive_other_number(self, step: Step, seat: Seat[Any], answer: Answer[Any], ms: int) -> None:
        """Process an answer to another request. A lower number means a late answer, which is not a second fault.

        For a process it is a strike: late processes are killed, so a lower number is a duplicate answer.
        """
        is_older = answer.number < self.number or self._is_of_another_match(answer)
        if is_older and not seat.is_process:
            self._receive_late_answer(step, seat, answer)
        else:
            self._strike(step, seat, "stale_request", self._stale_text(answer), ms)

    def _receive_late_answer(self, step: Step, seat: Seat[Any], answer: Answer[Any]) -> None:
        if answer.number == self.expired:
            self.expired = 0
        step.messages.append((seat.channel, Error("stale_request", self._stale_text(answer), fatal=False)))

    def _is_of_another_match(self, answer: Answer[Any]) -> bool:
        return answer.match is not None and answer.match != self.name

    def _stale_text(self, answer: Answer[Any]) -> str:
        ours = theirs = f" of match {self.name}" if self.is_one_of_many else ""
        if self._is_of_another_match(answer):
            ours, theirs = f" of match {self.name}", f" of match {answer.match}"[:LONGEST_WORDS]
        return f"this answers request {answer.number}{theirs}; the open request is {self.number}{ours}"

    def _reject(self, step: Step, seat: Seat[Any], code: RejectionCode, text: str, strikes: int = 0) -> None:
        rejected = Rejected(self.name, self.number, code, text[:LONGEST_WORDS], strikes, STRIKES - strikes)
        step.messages.append((seat.channel, rejected))

    # Faults

    def late(self) -> Step:
        """Report that the open request has expired: the default action is played."""
        assert self.pending is not None
        step, seat = Step(), self.pending.seat
        budget_s = self.pending.budget_s or 0.0
        ms = int(budget_s * 1000)
        text = f"no {'legal ' * bool(self.strikes)}answer in {seconds_words(budget_s, digits=3)} s"
        if seat.grace_s:
            text += f" and {seconds_words(seat.grace_s, digits=3)} s to start up"
        if self.strikes:
            text += f" (last answer rejected: {self._rejected})"
        seat.clock.charge(ms)
        if seat.is_process:
            step.stop = seat, "too_slow"
        else:
            self.expired = self.number
        self._play_default(step, seat, "too_slow", text, ms)
        return step

    def lost(self, seat: Seat[Any], code: str, text: str) -> Step:
        """Report that the connection of a seat is lost. If the seat is to move, the default action is played."""
        step = Step()
        step.stop = seat, code
        if self.match.seat == seat.index:
            self._play_default(step, seat, code, text, 0)
        return step

    def give_up(self, seat: Seat[Any], text: str) -> Step:
        """Give the seat away because its player left or stayed away longer than allowed."""
        step = Step()
        self._fault(step, seat, "disconnect", f"{text}; {self._policy_text()}")
        self._give_away(step, seat, "disconnect")
        return step

    def return_to_holder(self, seat: Seat[Any]) -> None:
        """Return a seat from its substitute to its holder, with zero default actions."""
        if seat.has_substitute:
            seat.player, seat.has_substitute, seat.defaults, seat.is_lost = None, False, 0, False

    def run_out_of_time(self, seat: Seat[Any] | None) -> Step:
        """End the match because its total time is used up. `seat` has used most of it, or is None if no player here
        has."""
        step = Step()
        if seat is not None:
            seat.is_lost = True
            self._fault(step, seat, "too_slow", RAN_OUT)
        self.pending, self.void = None, "interrupted" if seat is None else "timeout"
        return step

    def _strike(self, step: Step, seat: Seat[Any], code: RejectionCode, text: str, ms: int) -> None:
        """Reject an answer. After the last strike the default action is played."""
        text = text[:LONGEST_WORDS]
        self.strikes += 1
        self._rejected = f"{code}: {text}"
        if self.strikes < STRIKES:
            self._fault(step, seat, code, text)
            self._reject(step, seat, code, text, self.strikes)
            return
        seat.clock.charge(ms)
        self._play_default(step, seat, code, text, ms)

    def _play_default(self, step: Step, seat: Seat[Any], code: str, text: str, ms: int) -> None:
        """Play the default action. Give the seat away after `max_faults` default actions."""
        seat.defaults += 1
        if seat.grace_s:
            seat.start_up_s = seat.grace_s = 0.0
        is_lost = seat.is_lost = seat.defaults >= self.policy.max_faults
        text = text[:LONGEST_WORDS] + DEFAULT_PLAYED
        self._fault(step, seat, code, f"{text}; {self._policy_text()}" if is_lost else text)
        if code == "too_slow" and seat.channel is not None and not seat.is_process:
            which = f"request {self.number} of match {self.name}" if self.is_one_of_many else f"request {self.number}"
            step.messages.append((seat.channel, Error("too_slow", f"{which}: {text}", fatal=False)))
        match = self.match
        self._add_action(step, match.choose(seat.index, match.default, ms=ms, default=True))
        if is_lost:
            self._give_away(step, seat, code)

    def _give_away(self, step: Step, seat: Seat[Any], code: str) -> None:
        """Apply the fault policy to a lost seat: replace its player or void the match."""
        if self.match.is_over:
            return
        if self.pending is not None and self.pending.seat is seat:
            self.pending = None
        if self.policy.on_faults == "void":
            self.pending, self.void = None, END_REASONS.get(code, "illegal")
        else:
            seat.has_substitute = True
            step.substitute = seat

    def _policy_text(self) -> str:
        return VOIDED if self.policy.on_faults == "void" else TAKEN_OVER

    def _fault(self, step: Step, seat: Seat[Any], code: str, text: str) -> None:
        seat.faults += 1
        step.lines.append(FaultLine(self.match.number + 1, seat.index, code, text))

    # Actions and result

    def _add_action(self, step: Step, line: ActionLine[Any, Any]) -> None:
        """Log an action, and send its events to players who asked for them.

        A connection with several seats gets the public version. A stopped program gets none.
        """
        self.strikes = 0
        self.pending = None
        step.lines.append(line)
        match = self.match
        shared: list[Channel] = []
        for seat in self.seats:
            channel = seat.channel
            if channel is None or not channel.join.push or (step.stop is not None and step.stop[0].channel is channel):
                continue
            if not seat.is_shared:
                self._update(step, seat, channel)
            elif channel not in shared:
                shared.append(channel)
                view = match.wire_view_for(PUBLIC) if channel.join.push_view else None
                events = match.events_for(PUBLIC, len(match.history) - len(line.events))
                step.messages.append((channel, Update(self.name, events, view)))

    def finish(self, reason: EndReason | None = None) -> Step:
        """Log the result, as the only line of the step, and send it. `reason` is why an unfinished match ends."""
        return self._end(self.match.result_line(reason or self.void or "normal"), is_logged=True)

    def interrupt(self) -> Step:
        """Tell all players that the match is interrupted. The log stays unfinished."""
        return self._end(self.match.result_line("interrupted"), is_logged=False)

    def _end(self, result: ResultLine, *, is_logged: bool) -> Step:
        step, match, faults = Step(), self.match, self.faults
        self.pending = None
        if is_logged:
            step.lines.append(result)
        informed: list[Channel] = []
        for seat in self.seats:
            channel = seat.channel
            if channel is None or channel in informed:
                continue
            informed.append(channel)
            events = match.events_for(PUBLIC if seat.is_shared else seat.index, seat.seen)
            seat.seen = len(match.history)
            reason: Any = result.reason
            step.messages.append((channel, End(self.name, result.scores, result.ranks, reason, faults, events)))
        return step


def start_of(name: str, match: Match, seat: int | None, clock: Clock | None, join: Join) -> Start:
    """Build the message that starts a match."""
    game, header = match.game, match.header
    is_anonymous = header.anonymous
    players = [f"player {place}" if is_anonymous else player.name for place, player in enumerate(header.players)]
    board = board_json(game, match.board) if join.board else None
    return Start(name, game.name, game.rules_version, players, seat, header.options, clock, board)


def wrong_version(join: Join) -> str:
    return f"this server speaks protocol {PROTOCOL}, you asked for {join.protocol}"
