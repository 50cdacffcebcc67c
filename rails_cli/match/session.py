"""The course of one match, without input and output. The caller, called the driver, passes in messages and times.

A session numbers requests, counts rejected answers, charges clocks, plays default actions, replaces players, voids
matches, and counts the events sent to each seat. Its methods return a `Step`, which says what the driver must do next.

`Session.pending` is None whenever no seat may answer. The driver must carry out every step. Each seat may have its own
clock, and times passed for a seat are readings of that clock.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any, Generic, Literal, NamedTuple, Protocol, TypeVar

from msgspec import to_builtins
from msgspec.structs import replace

from rails_cli.games.game import PUBLIC, IllegalAction, check_listed
from rails_cli.games.request_text import request_text
from rails_cli.games.shared.luck import bot_seed, opaque_id
from rails_cli.match.clock import SeatClock, seconds_words
from rails_cli.match.faults import DEFAULT_PLAYED, RAN_OUT, STRIKES, TAKEN_OVER, VOIDED
from rails_cli.match.match import SERVER, Match, ResumePoint, board_json
from rails_cli.match.step import Step
from rails_cli.match.view_changes import changes
from rails_cli.protocol.lines import BadLine
from rails_cli.protocol.log import ActionLine, FaultLine
from rails_cli.protocol.messages import (
    MAX_LINE,
    PROTOCOL,
    Again,
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
    ViewForm,
)

LONGEST_WORDS = 300
"""Maximum number of characters of a fault's message in the log. Longer messages are cut."""
END_REASONS: dict[str, EndReason] = {"too_slow": "timeout", "disconnect": "disconnect"}
"""Mapping from the code of the last fault to the reason why the match ends as void (without a winner).

For codes that are not listed, the reason is `illegal`.
"""
HELLO = Hello(protocol=PROTOCOL, server=SERVER, max_line=MAX_LINE)


class MatchPolicy(NamedTuple):
    """The time control of a match, and what happens after faults of players."""

    clock: Clock | None = None
    start_up_s: float = 20.0
    """Seconds that a newly started process has for its first answer, in addition to its clock."""
    max_faults: int = 3
    """Number of default actions after which the player is replaced or the match is void, depending on `on_faults`."""
    on_faults: Literal["substitute", "void"] = "substitute"


class Player(Protocol):
    """A player that runs inside this process."""

    @property
    def is_timed(self) -> bool:
        """Whether the thinking time of the player is charged to the bank of the seat."""

    def choose(self, match: Match, left: ClockLeft | None = None) -> Any:
        """Return an action for the open question of `match`. `left` is the time left, or None if there is no limit.

        The player may use only the information that its seat sees.
        """


class Channel(Protocol):
    """A connection to a player outside this process. Each message in a `Step` is paired with the connection to use."""

    join: Join
    """The last `join` message of the player, which selects message options. At first, one with default options."""


ChannelT = TypeVar("ChannelT", bound=Channel)


class Seat(Generic[ChannelT]):
    """A seat of a match: its player, clock and faults, and the number of events sent to the player."""

    def __init__(self, index: int, *, channel: ChannelT | None = None, player: Player | None = None) -> None:
        self.index = index
        self.channel = channel
        self.player = player
        """Player inside this process, from the start or as a substitute. None if the player is outside this process."""
        self.has_substitute = False
        self.substituted_from: int | None = None
        """Number of the first action that a substitute played while the holder of the seat was away.

        None if there is no such action, or if the holder has been informed of it.
        """
        self.is_process = False
        """Whether the player is a process, which is killed when late and restarted for the next request."""
        self.is_shared = False
        """Whether the connection of this seat holds other seats, too."""
        self.clock = SeatClock(None)
        self.grace_s = 0.0
        """Seconds of extra time for the next answer, because the program was just started."""
        self.lag_s = 0.0
        """Seconds of network latency that are not counted as thinking time for the open request."""
        self.start_up_s: float | None = None
        """Seconds left of the extra time for program starts in this match. A client that reconnects gets no new time.

        None until extra time was first given.
        """
        self.seen = 0
        """Number of history events already sent to this seat."""
        self.sent_view: Any = None
        """The view in the last request, if the player asked for changes of views (`delta`).

        None if the next request must contain the whole view.
        """
        self.fault_codes: Counter[str] = Counter()
        self.defaults = 0
        self.is_lost = False
        """Whether the player failed so often that it is not asked again."""
        self.has_exited = False
        """Whether the last process of the player exited without an answer. A new process may be running already."""

    @property
    def faults(self) -> int:
        return self.fault_codes.total()

    @property
    def has_time(self) -> bool:
        """Whether the clock of the seat has time left. If not, `Session.ask` plays the default action."""
        return self.clock.bank_s != 0

    def forget_sent(self) -> None:
        """Forget what was sent to the seat, so that its next message contains the whole history and view."""
        self.seen, self.sent_view = 0, None

    def restore(self, left: ResumePoint, policy: MatchPolicy) -> None:
        """Restore the time, faults and default actions of this seat from `left`, the end of an unfinished log.

        If the seat was given to a substitute, its number of default actions starts at zero.
        """
        self.clock.bank_s = left.clocks[self.index].bank_s
        self.fault_codes = left.faults[self.index].copy()
        self.defaults = left.defaults[self.index] % policy.max_faults


class Pending(NamedTuple):
    """A request that was sent to a seat and not answered yet. Times are readings of the seat's clock."""

    seat: Seat[Any]
    number: int
    asked_at: float
    """Time from which the time used by the seat is counted: the time when the request was sent.

    If the request was sent again, the seconds that the seat had used before are subtracted from the time of sending."""
    budget_s: float | None
    """Seconds that the seat has for the answer. None if there is no limit."""
    deadline: float | None
    """Time at which the request expires, including start-up time and network latency. None if there is no limit."""

    def is_late(self, now: float) -> bool:
        return self.deadline is not None and now > self.deadline

    def used_s(self, now: float) -> float:
        """Return the seconds of thinking time used until `now`, without start-up time and network latency."""
        used_s = now - self.asked_at - self.seat.grace_s - self.seat.lag_s
        return used_s if used_s > 0 else 0.0


class Session:
    """One match, from its start (or from the end of an unfinished log) to its result.

    While `to_move` is a seat with a built-in player, the caller calls `chosen` with the player's action. For other
    seats the caller calls `ask`, then `receive`, `late` or `lost` until `pending` is None. When `to_move` is None, the
    caller calls `finish`.
    """

    def __init__(
        self,
        match: Match,
        seats: Sequence[Seat[Any]],
        policy: MatchPolicy,
        *,
        name: str | None = None,
        numbers_after: int = 0,
        is_one_of_many: bool = False,
    ) -> None:
        """Prepare a match. `name` replaces the match name in the header.

        Request numbers start after `numbers_after`, because an earlier match on the same connection may have used lower
        numbers. `is_one_of_many` means that other matches use the same connection, so error messages name this match.
        """
        self.match = match
        self.name = name or match.header.match or opaque_id(match.header.seed or 0)
        self.seats = seats
        self.policy = policy
        self.is_one_of_many = is_one_of_many
        self.pending: Pending | None = None
        """The open request. None if nobody may answer."""
        self.expired = numbers_after
        """Number of the last expired request whose late answer has not arrived yet. 0 if there is no such request."""
        self.void: EndReason | None = None
        """Why the match is void (without a winner). None if the match is not void."""
        self.strikes = 0
        self._rejected = ""
        """Code and message of the last rejected answer to the open request. Empty if no answer was rejected."""
        self._seen_before = 0
        """Number of history events that the asked seat had received before the open request."""
        self._numbers_after = numbers_after

    @property
    def to_move(self) -> Seat[Any] | None:
        """The seat that must answer next. None when the match is over."""
        seat = self.match.seat
        return None if seat is None or self.void is not None else self.seats[seat]

    @property
    def faults(self) -> list[int]:
        return [seat.faults for seat in self.seats]

    @property
    def fault_codes(self) -> list[dict[str, int]]:
        return [dict(sorted(seat.fault_codes.items())) for seat in self.seats]

    @property
    def lost_seats(self) -> list[int]:
        return [seat.index for seat in self.seats if seat.is_lost]

    @property
    def number(self) -> int:
        """Number of the open request. If no request is open, the number that the next request will have."""
        return self.match.questions + self._numbers_after + 1

    # Start

    def begin(self) -> Step:
        """Return the step that plays the opening, except actions already played. Call this method first."""
        return Step([*self.match.play_opening()])

    def allow_start_up(self, channel: Channel) -> None:
        """Give the seats of a new connection extra time for their first answer."""
        for seat in self.seats:
            if seat.channel is channel:
                if seat.start_up_s is None:
                    seat.start_up_s = self.policy.start_up_s
                seat.grace_s = seat.start_up_s

    def introduce(self, channel: Channel, *, is_new: bool) -> Step:
        """Return the step that sends `start` to `channel`. The next request will contain all events.

        If `is_new`, the player was just started, so also send `hello`, grant extra time, and close an open request to
        the player, because the new process has not received it.
        """
        step = Step()
        seats = [seat for seat in self.seats if seat.channel is channel]
        for seat in seats:
            seat.forget_sent()
        if is_new:
            if self.pending is not None and self.pending.seat in seats:
                self.pending = None
            self.allow_start_up(channel)
            step.messages.append((channel, HELLO))
        indexes = [seat.index for seat in seats]
        step.messages.append((channel, start_of(self.name, self.match, indexes, seats[0].clock.clock, channel.join)))
        return step

    # Events

    def update(self, seat: Seat[Any]) -> Step:
        """Return the step that sends an `update` with all events that the seat has not received yet."""
        step = Step()
        if seat.channel is not None:
            self._update(step, seat, seat.channel)
        return step

    def _update(self, step: Step, seat: Seat[Any], channel: Channel) -> None:
        self._send_events(step, channel, seat.index, seat.seen)
        seat.seen = len(self.match.history)

    def _send_events(self, step: Step, channel: Channel, observer: int, since: int) -> None:
        """Add to `step` the `update` messages to `channel`: the events from index `since` on, as `observer` sees them.

        There is one message if the player asked for views in updates. Otherwise there is one message for each list
        of `Match.event_parts`.
        """
        match = self.match
        if channel.join.push_view:
            events, view = match.events_for(observer, since), match.game.view(match.state, match.board, observer)
            step.messages.append((channel, Update(self.name, events, view)))
        else:
            step.messages += [(channel, Update(self.name, events)) for events in match.event_parts(observer, since)]

    # Requests

    def ask(
        self,
        seat: Seat[Any],
        now: float,
        used_s: float = 0.0,
        budget_s: float | None = None,
        form: ViewForm | None = None,
        has_start_up: bool = True,
    ) -> Step:
        """Start the clock of the seat to move and return the step that sends the request.

        If a request is open already, send that request again. The seat has already used `used_s` seconds for this
        request. `budget_s` replaces the seconds that the clock allows. The request contains all events that the seat
        has not received yet and the time left. `form` replaces the form of the view that the player chose. Without
        `has_start_up`, a new process gets no extra time. If no time is left, play the default action instead.
        """
        step, match, channel, pending = Step(), self.match, seat.channel, self.pending
        if pending is not None:
            used_s = now - pending.asked_at
        else:
            if budget_s is None and seat.clock.clock is not None:
                budget_s = seat.clock.budget_s()
            if budget_s == 0:
                self._play_default(step, seat, "too_slow", "no time is left in the bank", 0)
                return step
            if not has_start_up:
                seat.grace_s = 0.0
            asked_at = now - used_s
            deadline = None if budget_s is None else asked_at + budget_s + seat.grace_s + seat.lag_s
            pending = self.pending = Pending(seat, self.number, asked_at, budget_s, deadline)
            self._seen_before = seat.seen
        if channel is not None:
            if form is None:
                form = channel.join.view
            request: Request[Any, Any, Any] = Request(
                self.name,
                pending.number,
                seat.index,
                match.game.redacted(match.history[seat.seen :], seat.index, match.options),
                match.game.view(match.state, match.board, seat.index) if form == "full" else None,
                match.legal,
                len(match.legal) - 1,
                None if seat.clock.clock is None else seat.clock.left(pending.used_s(now) if used_s else 0.0),
            )
            if form == "full" or form == "none":
                seat.sent_view = None
            else:
                request = self._in_form(request, seat, form)
            seat.seen = len(match.history)
            step.messages.append((channel, request))
        return step

    def _in_form(self, request: Request[Any, Any, Any], seat: Seat[Any], form: ViewForm) -> Request[Any, Any, Any]:
        """Return `request` with its view in another form, which is `delta`, `text` or `long_text`."""
        match = self.match
        if form == "delta":
            view = to_builtins(match.game.view(match.state, match.board, seat.index))
            before, seat.sent_view = seat.sent_view, view
            delta = None if before is None else changes(before, view)
            is_whole = delta is None or "" in delta
            return replace(request, view=view) if is_whole else replace(request, delta=delta)
        seat.sent_view = None
        game, board, state, is_long = match.game, match.board, match.state, form == "long_text"
        text = request_text(game, board, state, seat.index, len(self.seats), request.events, is_long=is_long)
        return replace(request, events=[], legal=[], text=text)

    def repeat_request(self, now: float, *, with_history: bool = False, form: ViewForm | None = None) -> Step:
        """Return the step that sends the open request again, with the same events, or all events if `with_history`.

        `form` replaces the form of the view that the player chose.
        """
        assert self.pending is not None
        seat = self.pending.seat
        seat.seen, seat.sent_view = 0 if with_history else self._seen_before, None
        return self.ask(seat, now, form=form)

    def used_ms(self, now: float) -> int | None:
        """Return the milliseconds used for the open request. None if there is no request or no time limit."""
        pending = self.pending
        if pending is None or pending.budget_s is None:
            return None
        return int(min(pending.used_s(now), pending.budget_s) * 1000)

    # Answers

    def chosen(self, seat: Seat[Any], action: Any, ms: int | None = None) -> Step:
        """Play the action of a built-in player, charge `ms` milliseconds to its clock, and return the step.

        Raise IllegalAction if the action is not legal.
        """
        step, match = Step(), self.match
        if seat.has_substitute and seat.substituted_from is None:
            seat.substituted_from = match.number + 1
        if ms is not None:
            seat.clock.charge(ms)
        self._add_action(step, match.submit(seat.index, action, ms=ms))
        return step

    def receive(self, seat: Seat[Any], message: Answer[Any] | Join | Again | BadLine, now: float) -> Step:
        """Process a message of `seat` and return the step. BadLine stands for a line that could not be decoded.

        An answer of the seat to move is played or rejected. `Join` sets message options, and `Again` repeats the
        request. An answer of another seat is too early or too late, and is rejected.
        """
        pending, match = self.pending, self.match
        if pending is None or pending.seat is not seat:
            return self._receive_out_of_turn(seat, message)
        if type(message) is not Answer:
            return self._receive_other(seat, message, now)
        if pending.is_late(now):
            return self.late()
        used_s = now - pending.asked_at - seat.grace_s - seat.lag_s
        ms = int(used_s * 1000) if used_s > 0 else 0
        action, choice = message.action, message.choice
        is_for_another = message.number != pending.number or (message.match != self.name and message.match is not None)
        if is_for_another or (action is None) == (choice is None):
            return self._receive_wrong_answer(seat, message, ms, is_for_another=is_for_another)
        try:
            if choice is None:
                check_listed(match.legal, action)
            else:
                action = match.legal[choice] if 0 <= choice < len(match.legal) else match.chosen(choice)
            line = match.play(action, ms, False, message.info)
        except IllegalAction as illegal:
            return self._strike(seat, "illegal_action", str(illegal), ms)
        seat.has_exited = False
        if seat.clock.clock is not None:
            seat.clock.charge(ms)
        if seat.grace_s:
            seat.start_up_s, seat.grace_s = max(0.0, -used_s), 0.0
        self.strikes, self.pending = 0, None
        step = Step([line])
        for other in self.seats:
            if other.channel is not None and other.channel.join.push:
                self._push_events(step, line)
                break
        return step

    def _receive_other(self, seat: Seat[Any], message: Any, now: float) -> Step:
        """Process `Join`, `Again` or a line that could not be decoded, from the seat to move. Return the step."""
        assert self.pending is not None
        if type(message) is Join:
            return self.join(seat, message)
        if type(message) is not BadLine:
            return self.repeat_request(now, form=message.view)
        if self.pending.is_late(now):
            return self.late()
        ms = int(self.pending.used_s(now) * 1000)
        return self._strike(seat, message.code, str(message), ms)  # type: ignore[arg-type]

    def _receive_wrong_answer(self, seat: Seat[Any], answer: Answer[Any], ms: int, *, is_for_another: bool) -> Step:
        """Reject an answer to another request, or an answer that does not contain exactly one of `action` and `choice`.

        `is_for_another` is true for an answer to another request. `ms` is the time used in milliseconds. A late
        answer to an earlier request is no new fault, because a fault was counted when that request expired. A process
        is killed when a request expires, so its answer to an earlier request is a second answer, which is a fault.
        """
        if not is_for_another:
            return self._strike(seat, "bad_line", "an answer has either `action` or `choice`", ms)
        is_older = answer.number < self.number or self._is_of_another_match(answer)
        if is_older and not seat.is_process:
            return self._receive_late_answer(seat, answer)
        return self._strike(seat, "stale_request", self._stale_text(answer), ms)

    def join(self, seat: Seat[Any], join: Join) -> Step:
        """Set the message options of a player. A player that asks for another protocol version is disconnected.

        If the disconnected player is a process and its seat is to move, play the default action. The caller must end
        the match of any other disconnected player.
        """
        assert seat.channel is not None
        if join.protocol == PROTOCOL:
            seat.channel.join = join
            return Step()
        text = wrong_version(join)
        step = Step(messages=[(seat.channel, Error("version", text, fatal=True))], stop=(seat, "version"))
        if seat.is_process and self.match.seat == seat.index:
            self._play_default(step, seat, "version", text, 0)
        return step

    def _receive_out_of_turn(self, seat: Seat[Any], message: Any) -> Step:
        """Return the step that rejects a message from a seat that is not to move, without counting a fault."""
        if type(message) is BadLine:
            return self._rejection(seat, message.code, str(message))  # type: ignore[arg-type]
        if message.number < self.number:
            return self._receive_late_answer(seat, message)
        if self.match.seat is None:
            return self._rejection(seat, "not_your_turn", "the game has ended")
        return self._rejection(seat, "not_your_turn", f"seat {self.match.seat} is to move")

    def _receive_late_answer(self, seat: Seat[Any], answer: Answer[Any]) -> Step:
        if answer.number == self.expired:
            self.expired = 0
        return Step(messages=[(seat.channel, Error("stale_request", self._stale_text(answer), fatal=False))])

    def _is_of_another_match(self, answer: Answer[Any]) -> bool:
        return answer.match is not None and answer.match != self.name

    def _stale_text(self, answer: Answer[Any]) -> str:
        ours = theirs = f" of match {self.name}" if self.is_one_of_many else ""
        if self._is_of_another_match(answer):
            ours, theirs = f" of match {self.name}", f" of match {answer.match}"[:LONGEST_WORDS]
        return f"this answers request {answer.number}{theirs}; the open request is {self.number}{ours}"

    def _rejection(self, seat: Seat[Any], code: RejectionCode, text: str, strikes: int = 0) -> Step:
        rejected = Rejected(self.name, self.number, code, text[:LONGEST_WORDS], strikes, STRIKES - strikes)
        return Step(messages=[(seat.channel, rejected)])

    # Faults

    def late(self) -> Step:
        """Count a fault and play the default action, because the open request has expired. Return the step."""
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
        code = "too_slow"
        if seat.is_process:
            step.stop = seat, "too_slow"
            if seat.has_exited:
                code, text = "disconnect", f"it exited before, and then gave {text}"
        else:
            self.expired = self.number
        self._play_default(step, seat, code, text, ms)
        return step

    def lost(self, seat: Seat[Any], code: str, text: str) -> Step:
        """Return the step to carry out after the program of `seat` has exited or broken the protocol.

        The step ends the program if it still runs. If the seat is to move, log a fault with `code` and `text` and play
        the default action.
        """
        step = Step(stop=(seat, code))
        seat.has_exited = code == "disconnect"
        if self.match.seat == seat.index:
            self._play_default(step, seat, code, text, 0)
        return step

    def give_up(self, seat: Seat[Any], text: str) -> Step:
        """Replace a player who left or stayed away too long, or end the match as void, depending on the fault policy.

        Return the step, which also logs a fault with the reason `text`.
        """
        step = Step()
        self._fault(step, seat, "disconnect", f"{text}; {self._policy_text()}")
        self._give_away(step, seat, "disconnect")
        return step

    def return_to_holder(self, seat: Seat[Any]) -> None:
        """End the substitution of a seat: its own player plays again, and its number of default actions is set to 0."""
        if seat.has_substitute:
            seat.player, seat.has_substitute, seat.defaults, seat.is_lost = None, False, 0, False

    def run_out_of_time(self, seat: Seat[Any] | None) -> Step:
        """End the match as void because its total time is over. `seat` used most time and gets the fault.

        `seat` is None if a player that does not take part in this match used most time. Then no seat gets a fault.
        """
        step = Step()
        if seat is not None:
            seat.is_lost = True
            self._fault(step, seat, "disconnect" if seat.has_exited else "too_slow", RAN_OUT)
        self.pending, self.void = None, "interrupted" if seat is None else "timeout"
        return step

    def _strike(self, seat: Seat[Any], code: RejectionCode, text: str, ms: int) -> Step:
        """Return the step that rejects an answer and logs a fault with `code` and `text`.

        `ms` is the time used in milliseconds. After `STRIKES` rejections of one request, play the default action.
        """
        text = text[:LONGEST_WORDS]
        self.strikes += 1
        self._rejected = f"{code}: {text}"
        if self.strikes < STRIKES:
            step = self._rejection(seat, code, text, self.strikes)
            self._fault(step, seat, code, text)
            return step
        step = Step()
        seat.clock.charge(ms)
        self._play_default(step, seat, code, text, ms)
        return step

    def _play_default(self, step: Step, seat: Seat[Any], code: str, text: str, ms: int) -> None:
        """Log a fault, play the default action, and apply the fault policy. `ms` is the used time in milliseconds."""
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
        self._add_action(step, match.play(match.legal[match.default], ms, default=True))
        if is_lost:
            self._give_away(step, seat, code)

    def _give_away(self, step: Step, seat: Seat[Any], code: str) -> None:
        """Replace the player of a lost seat by a built-in player, or end the match as void after a fault `code`."""
        if self.match.is_over:
            return
        if self.pending is not None and self.pending.seat is seat:
            self.pending = None
        if self.policy.on_faults == "void":
            seat.is_lost = True
            self.pending, self.void = None, END_REASONS.get(code, "illegal")
        else:
            seat.has_substitute = True
            step.substitute = seat

    def _policy_text(self) -> str:
        return VOIDED if self.policy.on_faults == "void" else TAKEN_OVER

    def _fault(self, step: Step, seat: Seat[Any], code: str, text: str) -> None:
        seat.fault_codes[code] += 1
        step.lines.append(FaultLine(self.match.number + 1, seat.index, code, text))

    # Actions and result

    def _add_action(self, step: Step, line: ActionLine[Any, Any]) -> None:
        """Close the open request, log the action `line`, and send its events to players."""
        self.strikes, self.pending = 0, None
        step.lines.append(line)
        self._push_events(step, line)

    def _push_events(self, step: Step, line: ActionLine[Any, Any]) -> None:
        """Send the events of the action `line` to players whose message options ask for them.

        A connection with several seats gets only public events. A program that is about to be ended gets no events.
        """
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
                self._send_events(step, channel, PUBLIC, len(match.history) - len(line.events))

    def finish(self, reason: EndReason | None = None) -> Step:
        """Return the step that logs the result and sends it to all players. The step has no other log line.

        `reason` says why an unfinished match ends. It is None for a match that is over or void.
        """
        match, faults, codes = self.match, self.faults, self.fault_codes
        result = match.result_line(reason or self.void or "normal")
        step = Step([result])
        self.pending = None
        informed: list[Channel] = []
        for seat in self.seats:
            channel = seat.channel
            if channel is None or channel in informed:
                continue
            informed.append(channel)
            events = match.events_for(PUBLIC if seat.is_shared else seat.index, seat.seen)
            seat.seen = len(match.history)
            why: Any = result.reason
            end: End[Any] = End(self.name, result.scores, result.ranks, why, faults, events, codes)
            step.messages.append((channel, end))
        return step

    def interrupt(self) -> Step:
        """Return the step that ends the match as `interrupted`, without a result, so that it can be resumed."""
        step = self.finish("interrupted")
        step.lines.clear()
        return step


def start_of(name: str, match: Match, seats: Sequence[int], clock: Clock | None, join: Join) -> Start:
    """Return the `start` message of a match to a client that plays `seats`, which is empty for a spectator.

    `join` has the message options of the client. The `seed` for the bot's random choices depends on the match name. So
    a bot that plays its opponent's seat in another match of the same game does not learn the opponent's seed.
    """
    game, header = match.game, match.header
    is_anonymous = header.anonymous
    players = [f"player {place}" if is_anonymous else player.name for place, player in enumerate(header.players)]
    board = board_json(game, match.board) if join.board else None
    seat = seats[0] if len(seats) == 1 else None
    seed = bot_seed(header.seed or 0, name, seats[0]) if seats else None
    return Start(name, game.name, game.rules_version, players, seat, header.options, clock, board, seed)


def wrong_version(join: Join) -> str:
    return f"this server speaks protocol {PROTOCOL}, you asked for {join.protocol}"
