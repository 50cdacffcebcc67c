"""The driver of one match, without I/O and without reading a clock. The caller passes in messages, disconnections and
times.

It numbers requests, counts strikes, charges clocks, plays default actions, replaces players, voids matches, and keeps
track of the events sent to each seat. Each seat may have its own clock: times passed for a seat are readings of that
clock.
"""

from collections.abc import Callable, Sequence
from typing import Any, Generic, Literal, NamedTuple, Protocol, TypeVar

import msgspec

from protocol.lines import BadLine, client_decoder, decode, frame
from protocol.log import ActionLine, FaultLine, ResultLine
from protocol.messages import (
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
from rails_cli.games.game import PUBLIC, IllegalAction
from rails_cli.match.clock import SeatClock, seconds_words
from rails_cli.match.match import SERVER, Match, match_name, written_board
from rails_cli.match.replay import DEFAULT_PLAYED, RAN_OUT, STRIKES, TAKEN_OVER, VOIDED, Unfinished, unasked

LONGEST_WORDS = 300
"""Most characters of a fault's message that are logged."""
PAGE_SIZE = 1 << 12
_encode_into = msgspec.json.Encoder().encode_into
_pages: list[bytearray] = []
"""Encoding buffers available for reuse. Growing a new buffer takes as long as encoding into it."""
END_REASONS: dict[str, EndReason] = {"too_slow": "timeout", "disconnect": "disconnect"}
"""Why a match is void, by the code of the last fault. `illegal` for all other codes."""
HELLO = frame(Hello(protocol=PROTOCOL, server=SERVER, max_line=MAX_LINE))


class Rules(NamedTuple):
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


class Line(Protocol):
    """A connection to a player outside this process."""

    join: Join
    """The message options the player asked for. Defaults until it sends a `join`."""

    def post(self, content: bytes) -> None:
        """Send a message without blocking. Never raise."""

    def post_request(self, request: Request[Any, Any, Any]) -> None:
        """Send a request, by far the longest frequent message, without blocking. `written` encodes it."""


LineT = TypeVar("LineT", bound=Line)


class Seat(Generic[LineT]):
    """A seat of a match: its player, its clock, its faults, and the events already sent to it."""

    def __init__(self, index: int, *, line: LineT | None = None, player: Player | None = None) -> None:
        self.index = index
        self.line = line
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

    def carry_on(self, left: Unfinished, rules: Rules) -> None:
        """Restore time, faults and default actions of the seat from an interrupted match.

        A seat that was given away restarts with zero default actions.
        """
        self.clock.bank_s = left.clocks[self.index].bank_s
        self.faults = left.faults[self.index]
        self.defaults = left.defaults[self.index] % rules.max_faults


class Session:
    """One match, from its start or from the end of an unfinished log until its result.

    `move` plays for built-in players. If it returns False, `put` sends a request to the seat, and the caller reports
    what happens with `hear`, `late` or `lost` until `is_asking` is false. When `to_move` is None, `finish` writes the
    result.
    """

    def __init__(
        self,
        match: Match,
        seats: Sequence[Seat[Any]],
        rules: Rules,
        *,
        write: Callable[[Any], None],
        stop: Callable[[Any, str], None],
        substitute: Callable[[Any], Player],
        decoder: msgspec.json.Decoder[Any] | None = None,
        name: str | None = None,
        given_up: int = 0,
    ) -> None:
        """`write` receives each log line after the set-up. `stop` disconnects the player of a seat, given a fault
        code.

        `substitute` returns a player to replace a lost one. `decoder` decodes messages of players, by default those
        of the game only. `name` overrides the match name in the header. `given_up` is the value of the previous match
        on the same line.
        """
        self.match = match
        self.name = name or match_name(match.header)
        self.seats = seats
        self.rules = rules
        self.write = write
        self.stop = stop
        self.substitute = substitute
        self.decoder = decoder or client_decoder(match.game.action_type)
        self.strikes = 0
        self._rejected = ""
        """Code and message of the last strike."""
        self._budget_s: float | None = None
        self.asked_at = 0.0
        self._open = 0
        """Number of the last request sent."""
        self._told = 0
        """Number of history events that its seat had received before that request."""
        self.deadline: float | None = None
        """Time at which the open request expires. None if there is no limit."""
        self.void: EndReason | None = None
        self.has_push = False
        """Whether any seat asked to receive events as they happen."""
        self.is_asking = False
        """Whether the open request has been sent to its seat."""
        self.given_up = given_up
        """Number of the last request that expired and may still be answered. 0 if there is none."""
        self.is_one_of_many = False
        """Whether other matches use the same connection, so that error messages must name this one."""
        self._scanned, self._unasked = 0, given_up
        self.note_wishes()

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
        """Number of the open request.

        Questions that the rules answered with a forced pass are counted, so that no gap reveals that a seat could not
        act. Numbers continue after `given_up`, so that a late answer to that request matches no other one.
        """
        match = self.match
        history = match.history
        if self._scanned < len(history):
            self._unasked += unasked(history[self._scanned :])
            self._scanned = len(history)
        return match.number + 1 + self._unasked

    def begin(self) -> None:
        """Play the opening or the rest of it. Call this once, before any message is sent."""
        for line in self.match.play_opening():
            self.write(line)

    # Sending

    def note_wishes(self) -> None:
        """Update `has_push` after a player joined or changed its options."""
        self.has_push = any(seat.line is not None and seat.line.join.push for seat in self.seats)

    def allow_start_up(self, line: Line) -> None:
        """Grant the start-up time to all seats of a new connection."""
        for seat in self.seats:
            if seat.line is line:
                if seat.start_up_s is None:
                    seat.start_up_s = self.rules.start_up_s
                seat.grace_s = seat.start_up_s

    def greet(self, line: Line, *, is_new: bool) -> None:
        """Send the start of the match to `line`. The first request contains the whole history.

        If `is_new`, also send `Hello` and grant the start-up time.
        """
        told = [seat for seat in self.seats if seat.line is line]
        for seat in told:
            seat.seen = 0
        if is_new:
            self.allow_start_up(line)
            line.post(HELLO)
        index = None if told[0].is_shared else told[0].index
        line.post(frame(start_of(self.name, self.match, index, self.rules.clock, line.join)))

    def update(self, seat: Seat[Any], line: Line) -> None:
        """Send the seat all events it has not received yet."""
        match = self.match
        events = match.events_for(seat.index, seat.seen)
        seat.seen = len(match.history)
        view = match.wire_view_for(seat.index) if line.join.push_view else None
        line.post(frame(Update(self.name, events, view)))

    def _push(self, count: int) -> None:
        """Send the last `count` events to players who asked for them. A connection with several seats gets the public
        version."""
        match = self.match
        shared: list[Line] = []
        for seat in self.seats:
            line = seat.line
            if line is None or not line.join.push:
                continue
            if not seat.is_shared:
                self.update(seat, line)
            elif line not in shared:
                shared.append(line)
                view = match.wire_view_for(PUBLIC) if line.join.push_view else None
                line.post(frame(Update(self.name, match.events_for(PUBLIC, len(match.history) - count), view)))

    # Requests

    def move(self, seat: Seat[Any], now: Callable[[], float] = lambda: 0.0) -> bool:
        """Play the action of a built-in player, or the default action of a seat without time left. Return False if the
        seat must be asked.

        `now` is read before and after a timed player thinks, and the difference is charged to its bank.
        """
        match = self.match
        if seat.player is not None:
            began, ms = now(), None
            if seat.has_substitute and seat.substituted_from is None:
                seat.substituted_from = match.number + 1
            action = seat.player.choose(match, seat.clock.left())
            if seat.player.is_timed and seat.clock.bank_s is not None:
                ms = int((now() - began) * 1000)
                seat.clock.charge(ms)
            self._played(match.submit(seat.index, action, ms=ms))
            return True
        clock = seat.clock
        budget = self._budget_s = None if clock.clock is None else clock.budget_s()
        if budget is None or budget > 0:
            return False
        self._settle(seat, "too_slow", "no time is left in the bank", 0)
        return True

    def go_on(self, now: float, clock: Callable[[], float]) -> Seat[Any] | None:
        """Play until an outside player must be asked, and send it the request. Return its seat, or None when the match
        is over.

        `now` is the current time on the clock of outside players, `clock` reads the one for built-in players.
        """
        match, seats = self.match, self.seats
        while (index := match.seat) is not None and self.void is None:
            seat = seats[index]
            if (seat.player is not None or seat.clock.clock is not None) and self.move(seat, clock):
                continue
            self.put(seat, now)
            return seat
        return None

    def put(self, seat: Seat[Any], now: float, used_s: float = 0.0) -> None:
        """Send the open request to its seat and start the clock, with `used_s` seconds already used."""
        budget = self._budget_s
        self.is_asking = True
        self.asked_at = asked_at = now - used_s
        self._open, self._told = self.number, seat.seen
        self.deadline = None if budget is None else asked_at + budget + seat.grace_s + seat.lag_s
        self.send_request(seat, now)

    def used_ms(self, now: float) -> int | None:
        """Return the milliseconds used for the open request, as logged. None without a time limit."""
        seat, budget = self.to_move, self._budget_s
        if not self.is_asking or seat is None or budget is None:
            return None
        used_s = now - self.asked_at - seat.grace_s - seat.lag_s
        return int(min(max(0.0, used_s), budget) * 1000)

    def repeat_request(self, seat: Seat[Any], now: float) -> None:
        """Send the open request again, with the same events."""
        seat.seen = self._told
        self.send_request(seat, now)

    def send_request(self, seat: Seat[Any], now: float) -> None:
        """Send the open request with all events the seat has not received yet and the time actually left."""
        line, match = seat.line, self.match
        if line is None:
            return
        left, index, legal, game = None, seat.index, match.legal, match.game
        if seat.clock.clock is not None:
            used_s = now - self.asked_at - seat.grace_s - seat.lag_s
            left = seat.clock.left(used_s if used_s > 0 else 0.0)
        request: Request[Any, Any, Any] = Request(
            self.name,
            self._open,
            index,
            match.wire_events_for(index, seat.seen),
            game.wire_view(match.state, match.board, index) if line.join.view == "full" else None,
            legal,
            len(legal) - 1,
            left,
        )
        seat.seen = len(match.history)
        line.post_request(request)

    # Answers

    def hear(self, seat: Seat[Any], content: bytes, now: float) -> Any:
        """Process a message from a seat. Return it if it is valid but not an answer, otherwise None."""
        if self.match.seat != seat.index or not self.is_asking:
            return self._out_of_turn(seat, content)
        try:
            message = decode(content, self.decoder)
        except BadLine as bad:
            message = bad
        else:
            if type(message) is not Answer:
                return message
        self.take(seat, message, now)
        return None

    def take(self, seat: Seat[Any], answer: Any, now: float) -> None:
        """Process the reply to the open request: an `Answer`, or the `BadLine` raised when decoding it."""
        deadline = self.deadline
        if deadline is not None and now > deadline:
            self.late()
            return
        match, grace_s = self.match, seat.grace_s
        used_s = now - self.asked_at - grace_s - seat.lag_s
        ms = int(used_s * 1000) if used_s > 0 else 0
        if type(answer) is BadLine:
            self.reject(seat, answer.code, str(answer), ms)  # type: ignore[arg-type]
            return
        if answer.number != self._open or (answer.match != self.name and answer.match is not None):
            self._missed(seat, answer, ms)
            return
        action, choice = answer.action, answer.choice
        if (action is None) == (choice is None):
            self.reject(seat, "bad_line", "an answer has either `action` or `choice`", ms)
            return
        try:
            if choice is None:
                played = match.submit(seat.index, action, ms=ms, info=answer.info)
            else:
                played = match.play(match.chosen(choice), ms, False, answer.info)
        except IllegalAction as illegal:
            self.reject(seat, "illegal_action", str(illegal), ms)
            return
        if seat.clock.clock is not None:
            seat.clock.charge(ms)
        if grace_s:
            seat.start_up_s, seat.grace_s = max(0.0, -used_s), 0.0
        self._played(played)

    def _out_of_turn(self, seat: Seat[Any], content: bytes) -> Any:
        """Process a message from a seat that is not asked. It is refused without a strike. Messages that are not
        answers are returned.

        Lines of a process are kept until its next request, up to the size of a message.
        """
        if seat.is_process:
            if sum(map(len, seat.early)) + len(content) <= MAX_LINE:
                seat.early.append(content)
            return None
        assert seat.line is not None
        try:
            message = decode(content, self.decoder)
        except BadLine as bad:
            self._refuse(seat.line, bad.code, str(bad))  # type: ignore[arg-type]
            return None
        if type(message) is not Answer:
            return message
        if message.number < self.number:
            self._crossed(seat.line, message)
        elif self.match.seat is None:
            self._refuse(seat.line, "not_your_turn", "the game has ended")
        else:
            self._refuse(seat.line, "not_your_turn", f"seat {self.match.seat} is to move")
        return None

    def _missed(self, seat: Seat[Any], answer: Answer[Any], ms: int) -> None:
        """Process an answer with the wrong request number. An older number means a late answer, which is not a second
        fault.

        For a process it is a strike: late processes are killed, so an older number is a duplicate answer.
        """
        assert seat.line is not None
        is_older = answer.number < self.number or self._is_of_another(answer)
        if is_older and not seat.is_process:
            self._crossed(seat.line, answer)
        else:
            self.reject(seat, "stale_request", self._missed_words(answer), ms)

    def _crossed(self, line: Line, answer: Answer[Any]) -> None:
        if answer.number == self.given_up:
            self.given_up = 0
        line.post(frame(Error("stale_request", self._missed_words(answer), fatal=False)))

    def _is_of_another(self, answer: Answer[Any]) -> bool:
        return answer.match is not None and answer.match != self.name

    def _missed_words(self, answer: Answer[Any]) -> str:
        ours = theirs = f" of match {self.name}" if self.is_one_of_many else ""
        if self._is_of_another(answer):
            ours, theirs = f" of match {self.name}", f" of match {answer.match}"[:LONGEST_WORDS]
        return f"this answers request {answer.number}{theirs}; the open request is {self.number}{ours}"

    def _refuse(self, line: Line, code: RejectionCode, words: str, strikes: int = 0) -> None:
        told = words[:LONGEST_WORDS]
        line.post(frame(Rejected(self.name, self.number, code, told, strikes, STRIKES - strikes)))

    def joined(self, seat: Seat[Any], join: Join) -> None:
        """Apply the message options in `join`. A player with another protocol version is disconnected and counts as
        lost."""
        assert seat.line is not None
        if join.protocol == PROTOCOL:
            seat.line.join = join
            self.note_wishes()
            return
        words = wrong_version(join)
        seat.line.post(frame(Error("version", words, fatal=True)))
        self.lost(seat, "version", words)

    # Faults

    def reject(self, seat: Seat[Any], code: RejectionCode, words: str, ms: int) -> None:
        """Record a strike. After the last strike the default action is played."""
        words = words[:LONGEST_WORDS]
        self.strikes += 1
        self._rejected = f"{code}: {words}"
        if self.strikes < STRIKES:
            assert seat.line is not None
            self._fault(seat, code, words)
            self._refuse(seat.line, code, words, self.strikes)
            return
        seat.clock.charge(ms)
        self._settle(seat, code, words, ms)

    def late(self) -> None:
        """Report that the open request has expired: the default action is played."""
        assert self.match.seat is not None
        seat = self.seats[self.match.seat]
        budget = self._budget_s or 0.0
        ms = int(budget * 1000)
        words = f"no {'legal ' * bool(self.strikes)}answer in {seconds_words(budget, digits=3)} s"
        if seat.grace_s:
            words += f" and {seconds_words(seat.grace_s, digits=3)} s to start up"
        if self.strikes:
            words += f" (last answer rejected: {self._rejected})"
        seat.clock.charge(ms)
        if seat.is_process:
            self.stop(seat, "too_slow")
        else:
            self.given_up = self.number
        self._settle(seat, "too_slow", words, ms)

    def lost(self, seat: Seat[Any], code: str, words: str) -> None:
        """Report that the connection of a seat is lost. If the seat is to move, the default action is played."""
        self.stop(seat, code)
        if self.match.seat == seat.index:
            self._settle(seat, code, words, 0)

    def give_up(self, seat: Seat[Any], words: str) -> None:
        """Give the seat away because its player left or stayed away longer than allowed."""
        self._fault(seat, "disconnect", f"{words}; {self._policy()}")
        self._give_away(seat, "disconnect")

    def come_back(self, seat: Seat[Any]) -> None:
        """Return a seat from its substitute to its holder, with zero default actions."""
        if seat.has_substitute:
            seat.player, seat.has_substitute, seat.defaults, seat.is_lost = None, False, 0, False

    def run_out(self, seat: Seat[Any] | None) -> None:
        """End the match because its total time is used up. `seat` has used most of it, or is None if no player here
        has."""
        if seat is not None:
            seat.is_lost = True
            self._fault(seat, "too_slow", RAN_OUT)
        self.is_asking, self.deadline, self.void = False, None, "interrupted" if seat is None else "timeout"

    def _settle(self, seat: Seat[Any], code: str, words: str, ms: int) -> None:
        """Play the default action. Give the seat away after `max_faults` default actions."""
        seat.defaults += 1
        if seat.grace_s:
            seat.start_up_s = seat.grace_s = 0.0
        is_lost = seat.is_lost = seat.defaults >= self.rules.max_faults
        words = words[:LONGEST_WORDS] + DEFAULT_PLAYED
        self._fault(seat, code, f"{words}; {self._policy()}" if is_lost else words)
        if code == "too_slow" and seat.line is not None and not seat.is_process:
            which = f"request {self.number} of match {self.name}" if self.is_one_of_many else f"request {self.number}"
            seat.line.post(frame(Error("too_slow", f"{which}: {words}", fatal=False)))
        match = self.match
        self._played(match.choose(seat.index, match.default, ms=ms, default=True))
        if is_lost:
            self._give_away(seat, code)

    def _give_away(self, seat: Seat[Any], code: str) -> None:
        """Apply the fault policy to a lost seat: replace its player or void the match."""
        if self.match.is_over:
            return
        if self.match.seat == seat.index:
            self.is_asking, self.deadline = False, None
        if self.rules.on_faults == "void":
            self.void = END_REASONS.get(code, "illegal")
        else:
            seat.player, seat.has_substitute = self.substitute(seat), True

    def _policy(self) -> str:
        return VOIDED if self.rules.on_faults == "void" else TAKEN_OVER

    def _fault(self, seat: Seat[Any], code: str, words: str) -> None:
        seat.faults += 1
        self.write(FaultLine(self.match.number + 1, seat.index, code, words))

    # Actions and result

    def _played(self, line: ActionLine[Any, Any]) -> None:
        """Log an action, then send its events."""
        self.strikes = 0
        self.is_asking = False
        self.deadline = None
        self.write(line)
        if self.has_push:
            self._push(len(line.events))

    def finish(self, reason: EndReason | None = None) -> ResultLine:
        """Write the result and send it to all players. `reason` is why an unfinished match ends."""
        result = self.match.result_line(reason or self.void or "normal")
        self.deadline = None
        self.write(result)
        self.say_goodbye(result)
        return result

    def say_goodbye(self, result: ResultLine) -> None:
        """Send the result to every connection."""
        match = self.match
        faults = self.faults
        told: list[Line] = []
        for seat in self.seats:
            line = seat.line
            if line is None or line in told:
                continue
            told.append(line)
            events = match.events_for(PUBLIC if seat.is_shared else seat.index, seat.seen)
            seat.seen = len(match.history)
            reason: Any = result.reason
            line.post(frame(End(self.name, result.scores, result.ranks, reason, faults, events)))


def written(request: Request[Any, Any, Any]) -> bytes:
    """Encode a request as the content of a frame."""
    try:
        page = _pages.pop()
    except IndexError:
        page = bytearray(PAGE_SIZE)
    _encode_into(request, page)
    content = bytes(page)
    _pages.append(page)
    return content


def start_of(name: str, match: Match, seat: int | None, clock: Clock | None, join: Join) -> Start:
    """Build the message that starts a match."""
    game, header = match.game, match.header
    is_anonymous = header.anonymous
    players = [f"player {place}" if is_anonymous else player.name for place, player in enumerate(header.players)]
    board = written_board(game, match.board) if join.board else None
    return Start(name, game.name, game.rules_version, players, seat, header.options, clock, board)


def wrong_version(join: Join) -> str:
    return f"this server speaks protocol {PROTOCOL}, you asked for {join.protocol}"
