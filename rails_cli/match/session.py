"""The driver of a match, without input, output or a clock: whoever moves the lines feeds it lines, losses and the time.

All that is decided about asking stands here: numbers of requests, strikes, clocks, defaults, substitutes, void matches,
and who has been told what. Each seat has its own clock: times given for a seat are readings of that clock.
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
"""So much of what is told about a fault is kept in the log."""
PAGE_SIZE = 1 << 12
_encode_into = msgspec.json.Encoder().encode_into
_pages: list[bytearray] = []
"""Each has held a request before and is free now: to grow one from nothing takes as long again as to write on it."""
END_REASONS: dict[str, EndReason] = {"too_slow": "timeout", "disconnect": "disconnect"}
"""Why a match is void, by the fault that was one too many; any other is `illegal`."""
HELLO = frame(Hello(protocol=PROTOCOL, server=SERVER, max_line=MAX_LINE))


class Rules(NamedTuple):
    """How a match is run."""

    clock: Clock | None = None
    start_up_s: float = 20.0
    """Seconds that a new process has on top of its clock before its first answer."""
    max_faults: int = 3
    """After so many defaults for a player who was late, lost or out of strikes the seat is given away, or the match
    ended."""
    on_faults: Literal["substitute", "void"] = "substitute"


class Player(Protocol):
    """A player inside the program."""

    @property
    def is_timed(self) -> bool:
        """Whether it thinks for as long as it may, so that its time counts as that of others does."""

    def choose(self, match: Match, left: ClockLeft | None = None) -> Any:
        """The action for the open question, within the time that is left; looks at nothing that its seat may not
        see."""


class Line(Protocol):
    """The way to a player outside of the program."""

    join: Join
    """How the player likes its messages; the defaults until it says so."""

    def post(self, content: bytes) -> None:
        """Sends a message without waiting; never raises."""

    def post_request(self, request: Request[Any, Any, Any]) -> None:
        """The same for a request, by far the longest of the messages that come often; `written` is its content."""


LineT = TypeVar("LineT", bound=Line)


class Seat(Generic[LineT]):
    """Who plays a seat, and what he has been told, has left and did wrong."""

    def __init__(self, index: int, *, line: LineT | None = None, player: Player | None = None) -> None:
        self.index = index
        self.line = line
        self.player = player
        """Plays the seat inside the program: always, or as a substitute for one who is lost."""
        self.has_substitute = False
        self.substituted_from: int | None = None
        """The number of the first action that a substitute played, until the holder of the seat is told."""
        self.is_process = False
        """A process is ended when it is late and started again when it is asked next, so its answers cannot cross."""
        self.is_shared = False
        """Whether the same line holds other seats, too."""
        self.clock = SeatClock(None)
        self.grace_s = 0.0
        """Added to the time for the next answer: a program that was just started has to warm up."""
        self.lag_s = 0.0
        """Not counted of the time for the open request: how long messages are on their way, within bounds."""
        self.start_up_s: float | None = None
        """What is left for that in this match, so that whoever ends and comes back gains no time by it; None: all."""
        self.seen = 0
        """So much of the history has been told to it."""
        self.early: list[bytes] = []
        """What a process said before it was asked: a pipe keeps that until its next request."""
        self.faults = 0
        self.defaults = 0
        self.is_lost = False
        """Whether it failed too often to be asked again."""

    def carry_on(self, left: Unfinished, rules: Rules) -> None:
        """What the seat has left and did wrong in a match that broke off; with its last default it was given away, and
        whoever takes it again starts counting anew."""
        self.clock.bank_s = left.clocks[self.index].bank_s
        self.faults = left.faults[self.index]
        self.defaults = left.defaults[self.index] % rules.max_faults


class Session:
    """One match from its start, or from where a log broke off, to its end.

    `move` lets players inside the program answer. Where it cannot, `put` asks the seat, and `hear`, `late` and `lost`
    tell what came of it until `is_asking` is false. When nobody is `to_move`, `finish` writes the result.
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
        """`write` is given each line of the log after the set-up. `stop` ends whoever is at a seat's line, for the
        reason given by the code of a fault. `decoder` reads what may be said; the default reads what the game needs.
        The match is called as its header says, unless it has another `name`. `given_up` is that of the match before
        on the same line."""
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
        """Why the last strike was one."""
        self._budget_s: float | None = None
        self.asked_at = 0.0
        self._open = 0
        """The number of the request that was put last."""
        self._told = 0
        """So much of the history its seat had been told before."""
        self.deadline: float | None = None
        """When the time of the open request is over."""
        self.void: EndReason | None = None
        self.has_push = False
        """Whether somebody wants to be told of actions as they happen."""
        self.is_asking = False
        """Whether the open request has been put to its seat."""
        self.given_up = given_up
        """The last request that was left without an answer, which may come yet; 0 if there is none."""
        self.is_one_of_many = False
        """Whether other matches are played over the same line at once, so that errors name this one."""
        self._scanned, self._unasked = 0, given_up
        self.note_wishes()

    @property
    def to_move(self) -> Seat[Any] | None:
        """The seat that has to answer; None when all is over."""
        seat = self.match.seat
        return None if seat is None or self.void is not None else self.seats[seat]

    @property
    def faults(self) -> list[int]:
        return [seat.faults for seat in self.seats]

    @property
    def lost_seats(self) -> list[int]:
        """The seats whose players failed too often to keep them."""
        return [seat.index for seat in self.seats if seat.is_lost]

    @property
    def number(self) -> int:
        """Of the open request. Questions that the rules answered with a pass count, so that no gap tells that somebody
        could not act. Numbers go on from a request that was given up in the match before: its answer fits no other."""
        match = self.match
        history = match.history
        if self._scanned < len(history):
            self._unasked += unasked(history[self._scanned :])
            self._scanned = len(history)
        return match.number + 1 + self._unasked

    def begin(self) -> None:
        """Plays the opening, or what is left of it; to be called once, before anybody is told anything."""
        for line in self.match.play_opening():
            self.write(line)

    # Telling

    def note_wishes(self) -> None:
        """Somebody came, or says anew what he wants to be told."""
        self.has_push = any(seat.line is not None and seat.line.join.push for seat in self.seats)

    def allow_start_up(self, line: Line) -> None:
        """A new line has time to warm up."""
        for seat in self.seats:
            if seat.line is line:
                if seat.start_up_s is None:
                    seat.start_up_s = self.rules.start_up_s
                seat.grace_s = seat.start_up_s

    def greet(self, line: Line, *, is_new: bool) -> None:
        """Tells a line of the match; the whole story so far comes with the first request. A new one is greeted, and
        has time to warm up."""
        told = [seat for seat in self.seats if seat.line is line]
        for seat in told:
            seat.seen = 0
        if is_new:
            self.allow_start_up(line)
            line.post(HELLO)
        index = None if told[0].is_shared else told[0].index
        line.post(frame(start_of(self.name, self.match, index, self.rules.clock, line.join)))

    def update(self, seat: Seat[Any], line: Line) -> None:
        """Tells what the seat has not been told yet."""
        match = self.match
        events = match.events_for(seat.index, seat.seen)
        seat.seen = len(match.history)
        view = match.wire_view_for(seat.index) if line.join.push_view else None
        line.post(frame(Update(self.name, events, view)))

    def _push(self, count: int) -> None:
        """Tells what just happened; a line that holds several seats hears what everybody may know."""
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

    # Asking

    def move(self, seat: Seat[Any], now: Callable[[], float] = lambda: 0.0) -> bool:
        """Plays what nobody outside has to be asked for: the answer of a player inside the program, which is never
        late, or the default of a seat without any time left. False if the seat has to be asked.

        `now` is read before and after a player that is timed thinks; what it took is charged to its bank.
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
        """Plays until somebody outside has to be asked, and asks; the seat that is asked, or None when all is over.
        `now` is a reading of the clock of such seats, `clock` that of players inside the program."""
        match, seats = self.match, self.seats
        while (index := match.seat) is not None and self.void is None:
            seat = seats[index]
            if (seat.player is not None or seat.clock.clock is not None) and self.move(seat, clock):
                continue
            self.put(seat, now)
            return seat
        return None

    def put(self, seat: Seat[Any], now: float, used_s: float = 0.0) -> None:
        """The open request goes to its seat, and the clock starts; `used_s` of its time are over already."""
        budget = self._budget_s
        self.is_asking = True
        self.asked_at = asked_at = now - used_s
        self._open, self._told = self.number, seat.seen
        self.deadline = None if budget is None else asked_at + budget + seat.grace_s + seat.lag_s
        self.send_request(seat, now)

    def used_ms(self, now: float) -> int | None:
        """How much of the time for the open request is used, as a log counts it; None without a limit."""
        seat, budget = self.to_move, self._budget_s
        if not self.is_asking or seat is None or budget is None:
            return None
        used_s = now - self.asked_at - seat.grace_s - seat.lag_s
        return int(min(max(0.0, used_s), budget) * 1000)

    def repeat_request(self, seat: Seat[Any], now: float) -> None:
        """The open request once more, with all that was told with it."""
        seat.seen = self._told
        self.send_request(seat, now)

    def send_request(self, seat: Seat[Any], now: float) -> None:
        """The open request, with all that the seat has not been told yet and the time as it really is."""
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

    # What is heard

    def hear(self, seat: Seat[Any], content: bytes, now: float) -> Any:
        """A line from a seat; gives back what is none of the game's business."""
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
        """What was said to the open request: an `Answer`, or the `BadLine` that it was instead."""
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
        """What is said by one who is not asked costs nothing and changes nothing; wishes are heard all the same. A
        process is heard when it is asked next, as far as a pipe would keep its words."""
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
        """An answer to another request than the open one. An older one may have been late, which is nobody's fault
        again; but a process that is late is ended, so an older answer from one came twice."""
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
        """A player says how he likes his messages; one who speaks another protocol is lost."""
        assert seat.line is not None
        if join.protocol == PROTOCOL:
            seat.line.join = join
            self.note_wishes()
            return
        words = wrong_version(join)
        seat.line.post(frame(Error("version", words, fatal=True)))
        self.lost(seat, "version", words)

    def retell(self, seat: Seat[Any], action: Any, ms: int | None) -> None:
        """The answer of which a log tells is taken as it was then. Raises IllegalAction."""
        played = self.match.submit(seat.index, action, ms=ms)
        if ms is not None:
            seat.clock.charge(ms)
        seat.grace_s = 0.0
        self._played(played)

    # Faults

    def reject(self, seat: Seat[Any], code: RejectionCode, words: str, ms: int) -> None:
        """A strike; with the last one the default is played."""
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
        """The time of the open request is over."""
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
        """A seat's line is lost, which counts if it has to answer; whoever is there next is asked the next time."""
        self.stop(seat, code)
        if self.match.seat == seat.index:
            self._settle(seat, code, words, 0)

    def give_up(self, seat: Seat[Any], words: str) -> None:
        """A player is gone for good, or for longer than is borne."""
        self._fault(seat, "disconnect", f"{words}; {self._policy()}")
        self._give_away(seat, "disconnect")

    def come_back(self, seat: Seat[Any]) -> None:
        """The holder of a seat plays it himself again, and starts counting anew."""
        if seat.has_substitute:
            seat.player, seat.has_substitute, seat.defaults, seat.is_lost = None, False, 0, False

    def run_out(self, seat: Seat[Any] | None) -> None:
        """The time of the whole match is over, and this seat has used most of it, or nobody here."""
        if seat is not None:
            seat.is_lost = True
            self._fault(seat, "too_slow", RAN_OUT)
        self.is_asking, self.deadline, self.void = False, None, "interrupted" if seat is None else "timeout"

    def _settle(self, seat: Seat[Any], code: str, words: str, ms: int) -> None:
        """The default is played; a seat for which that was done too often is given away."""
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
        """The policy for a seat that is lost: a substitute plays on, or the match is void."""
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

    # What was played

    def _played(self, line: ActionLine[Any, Any]) -> None:
        """An action counts when it is written down; then it is told."""
        self.strikes = 0
        self.is_asking = False
        self.deadline = None
        self.write(line)
        if self.has_push:
            self._push(len(line.events))

    def finish(self, reason: EndReason | None = None) -> ResultLine:
        """Writes the result down and tells it; `reason` is why a match that goes on is ended."""
        result = self.match.result_line(reason or self.void or "normal")
        self.deadline = None
        self.write(result)
        self.say_goodbye(result)
        return result

    def say_goodbye(self, result: ResultLine) -> None:
        """Tells every line how it ended."""
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
    """A request as the content of a frame."""
    try:
        page = _pages.pop()
    except IndexError:
        page = bytearray(PAGE_SIZE)
    _encode_into(request, page)
    content = bytes(page)
    _pages.append(page)
    return content


def start_of(name: str, match: Match, seat: int | None, clock: Clock | None, join: Join) -> Start:
    """Tells of a match that begins."""
    game, header = match.game, match.header
    is_anonymous = header.anonymous
    players = [f"player {place}" if is_anonymous else player.name for place, player in enumerate(header.players)]
    board = written_board(game, match.board) if join.board else None
    return Start(name, game.name, game.rules_version, players, seat, header.options, clock, board)


def wrong_version(join: Join) -> str:
    return f"this server speaks protocol {PROTOCOL}, you asked for {join.protocol}"
