"""Plays a match between seats: asks, times, rejects, plays the default where a seat fails, writes everything down.

Whatever one seat does costs the others at most that seat's own deadline.
"""

from collections.abc import Callable, Sequence
from typing import Any, Literal, Protocol, TypeGuard, cast

import msgspec

from protocol.lines import encode
from protocol.log import ActionLine, FaultLine, ResultLine
from protocol.messages import (
    MAX_LINE,
    PROTOCOL,
    Clock,
    End,
    EndReason,
    Error,
    Hello,
    Join,
    Rejected,
    Start,
    Update,
)
from rails_cli.clock import SeatClock
from rails_cli.games.game import PUBLIC
from rails_cli.hearing import Hearing
from rails_cli.match import SERVER, Match, written_board
from rails_cli.seats import LineSeat, SeatLost, SeatSlow

UNHURRIED_S = 0.05
"""A request that takes longer than this to be read is charged from its beginning."""
END_REASONS: dict[str, EndReason] = {"too_slow": "timeout", "disconnect": "disconnect"}

HELLO = encode(Hello(protocol=PROTOCOL, server=SERVER, max_line=MAX_LINE))


class Player(Protocol):
    """A player inside the program."""

    def choose(self, match: Match) -> Any:
        """The action for the open question; looks at nothing that its seat may not see."""


class Rules(msgspec.Struct, frozen=True):
    """How a match is run."""

    clock: Clock | None = None
    start_up_s: float = 20.0
    """Seconds that a new process has on top of its clock before its first answer."""
    max_faults: int = 3
    """After so many defaults for a bot that was late, lost or out of strikes its seat is given away, or the match
    ended."""
    on_faults: Literal["substitute", "void"] = "substitute"


class Desk:
    """One seat as the referee sees it during a match: who sits there, what he knows and likes, his time and faults."""

    __slots__ = (
        "clock",
        "defaults",
        "faults",
        "is_carried_over",
        "is_new",
        "line",
        "player",
        "seen",
        "told",
    )

    def __init__(self, sitting: LineSeat | Player, clock: Clock | None) -> None:
        self.line: LineSeat | None = None
        self.player: Player | None = None
        if is_line_seat(sitting):
            self.line = sitting
        else:
            self.player = cast(Player, sitting)
        self.clock = SeatClock(clock)
        self.faults = 0
        self.defaults = 0
        self.seen = 0
        self.told = False
        self.is_new = True
        self.is_carried_over = False


class Referee:
    """One match from its start, or from where a log broke off, to its end."""

    def __init__(
        self,
        match: Match,
        sitting: Sequence[LineSeat | Player],
        rules: Rules,
        *,
        name: str = "m-1",
        substitute: Callable[[int], Player],
        write: Callable[[Any], None],
        banks_s: Sequence[float | None] | None = None,
        faults: Sequence[int] | None = None,
    ) -> None:
        """`write` is given each line of the log after the set-up. One line may hold several seats.

        `banks_s` and `faults` are the time left and the faults so far by seat, of a match that is carried on.
        """
        self.match = match
        self.rules = rules
        self.name = name
        self.substitute = substitute
        self.write = write
        self.desks = [Desk(who, rules.clock) for who in sitting]
        if banks_s is not None:
            for desk, bank_s in zip(self.desks, banks_s, strict=True):
                desk.clock.bank_s = bank_s
        for desk, count in zip(self.desks, faults or (), strict=False):
            desk.faults = count
        self.hearing = Hearing(match, name)
        self.introduced: list[tuple[LineSeat, list[int]]] = []
        self.listeners: list[tuple[LineSeat, list[int]]] = []
        self.void: EndReason | None = None

    def play(self) -> ResultLine:
        """Plays to the end; the result, which is also the last line of the log."""
        match = self.match
        try:
            self.introduced = self._lines()
            for line, seats in self.introduced:
                self._introduce(line, seats)
            self._listen()
            while match.seat is not None and self.void is None:
                desk = self.desks[match.seat]
                if desk.line is not None:
                    self._ask(match.seat, desk, desk.line)
                else:
                    assert desk.player is not None
                    self._submitted(match.submit(match.seat, desk.player.choose(match)))
        except BaseException:
            self.void = "interrupted"
            self._farewell()
            raise
        result = match.result_line(self.void or "normal")
        self.write(result)
        self._farewell()
        return result

    @property
    def faults(self) -> list[int]:
        return [desk.faults for desk in self.desks]

    def _ask(self, seat: int, desk: Desk, line: LineSeat) -> None:
        """A question to a seat at the end of a line; whatever comes back, an action is played."""
        budget = desk.clock.budget_s()
        if budget is not None and budget <= 0:
            self._settle(seat, desk, "too_slow", "no time is left in the bank", 0)
            return
        try:
            self._dialogue(seat, desk, line, budget)
        except SeatSlow:
            words = f"no answer in {budget or 0:.3g} s"
            if desk.is_new:
                words += f" and {self.rules.start_up_s:.3g} s to start up"
            ms = int((budget or 0) * 1000)
            desk.clock.charge(ms)
            self._give_up(seat, desk, line, "too_slow", words, ms)
        except SeatLost as lost:
            if desk.is_carried_over and lost.is_clean:  # ended between two games, which it may
                desk.is_carried_over = False
                line.end()
                self._ask(seat, desk, line)
            else:
                self._give_up(seat, desk, line, lost.code, str(lost), 0)

    def _dialogue(self, seat: int, desk: Desk, line: LineSeat, budget: float | None) -> None:
        """One request and all that is said about it until an action is taken."""
        if line.start():
            self._greet(line, [seat])
        grace = self.rules.start_up_s if desk.is_new else 0.0
        request = encode(self.hearing.request(seat, desk.seen, desk.clock, with_view=line.join.view == "full"))
        desk.seen = len(self.match.history)
        began = line.now()
        line.send(request, None if budget is None else began + budget + grace)
        started = line.now()
        if started - began > UNHURRIED_S:  # who lets the line wait is thinking already
            started = began
        deadline = None if budget is None else started + budget + grace
        while True:
            received = line.receive(deadline)
            ms = max(0, int((line.now() - started - grace) * 1000))
            heard = self.hearing.hear(seat, received, ms)
            if type(heard) is ActionLine:
                self._answered(desk, ms)
                self._submitted(heard)
                return
            if type(heard) is Rejected:
                if not heard.strikes_left:
                    self._answered(desk, ms)
                    self._settle(seat, desk, heard.code, heard.message, ms)
                    return
                self._fault(seat, desk, heard.code, heard.message)
                line.send(encode(heard), deadline)
            elif type(heard) is Join:
                self._joined(line, heard)
            else:
                line.send(request, deadline)

    def _answered(self, desk: Desk, ms: int) -> None:
        desk.is_new = desk.is_carried_over = False
        desk.clock.charge(ms)

    def _submitted(self, played: ActionLine[Any, Any]) -> None:
        self.write(played)
        if self.listeners:
            for listener, seats in list(self.listeners):
                self._push(listener, seats, len(played.events))

    def _listen(self) -> None:
        """Finds the lines that want to be told as things happen."""
        self.listeners = [(line, seats) for line, seats in self._lines() if line.join.push]

    def _push(self, line: LineSeat, seats: list[int], count: int) -> None:
        """Tells what just happened; a line that holds several seats hears what everybody may know."""
        now = len(self.match.history)
        if len(seats) == 1:
            desk = self.desks[seats[0]]
            events = self.match.events_for(seats[0], desk.seen)
            desk.seen = now
        else:
            events = self.match.events_for(PUBLIC, now - count)
        try:
            view = self.match.view_for(seats[0] if len(seats) == 1 else PUBLIC) if line.join.push_view else None
            line.post(encode(Update(self.name, events, view)))
        except SeatLost:  # settled when the seat is asked
            self.listeners = [each for each in self.listeners if each[0] is not line]

    def _lines(self) -> list[tuple[LineSeat, list[int]]]:
        """Each line with the seats it holds."""
        held: dict[int, tuple[LineSeat, list[int]]] = {}
        for seat, desk in enumerate(self.desks):
            if desk.line is not None:
                held.setdefault(id(desk.line), (desk.line, []))[1].append(seat)
        return list(held.values())

    def _introduce(self, line: LineSeat, seats: list[int]) -> None:
        """Tells of the match before the first question, so that all bots start up side by side."""
        line.begin_match()
        try:
            if line.start():
                self._greet(line, seats)
                return
            line.post(self._start(line, seats))
        except SeatLost:
            line.end()
            return
        for seat in seats:
            self.desks[seat].is_new = False
            self.desks[seat].told = self.desks[seat].is_carried_over = True

    def _greet(self, line: LineSeat, seats: list[int]) -> None:
        """Tells a player who knows nothing yet; the whole story so far comes with his first request."""
        for seat in seats:
            desk = self.desks[seat]
            desk.is_new = desk.told = True
            desk.seen = 0
        line.post(HELLO)
        line.post(self._start(line, seats))

    def _start(self, line: LineSeat, seats: list[int]) -> bytes:
        match = self.match
        return encode(
            Start(
                self.name,
                match.game.name,
                match.game.rules_version,
                [player.name for player in match.header.players],
                seats[0] if len(seats) == 1 else None,
                match.header.options,
                self.rules.clock,
                written_board(match.game, match.board) if line.join.board else None,
            )
        )

    def _joined(self, line: LineSeat, join: Join) -> None:
        if join.protocol != PROTOCOL:
            words = f"this server speaks protocol {PROTOCOL}, you asked for {join.protocol}"
            line.post(encode(Error("version", words, fatal=True)))
            raise SeatLost("version", words)
        line.join = join
        self._listen()

    def _give_up(self, seat: int, desk: Desk, line: LineSeat, code: str, words: str, ms: int) -> None:
        """A player who is late or lost is ended; a new one is started when the seat is asked again."""
        line.end(is_final=code == "version")
        self._settle(seat, desk, code, words, ms)

    def _settle(self, seat: int, desk: Desk, code: str, words: str, ms: int) -> None:
        """The default is played; a seat for which that was done too often is given away."""
        desk.defaults += 1
        if desk.defaults < self.rules.max_faults:
            then = "default played"
        elif self.rules.on_faults == "substitute":
            then = "default played; a substitute takes over"
            desk.line, desk.player = None, self.substitute(seat)
            self._listen()
        else:
            then = "default played; the match is void"
            self.void = END_REASONS.get(code, "illegal")
        self._fault(seat, desk, code, f"{words}; {then}")
        self._submitted(self.hearing.play_default(seat, ms))

    def _fault(self, seat: int, desk: Desk, code: str, words: str) -> None:
        desk.faults += 1
        self.write(FaultLine(self.match.number + 1, seat, code, words))

    def _farewell(self) -> None:
        match = self.match
        scores, ranks = match.game.scores(match.state), match.game.ranks(match.state, match.board)
        for line, seats in self.introduced:
            desk = self.desks[seats[0]]
            if not desk.told:
                continue
            events = match.events_for(seats[0] if len(seats) == 1 else PUBLIC, desk.seen)
            try:
                line.post(encode(End(self.name, scores, ranks, self.void or "normal", self.faults, events)))
            except SeatLost:
                line.end()


def is_line_seat(sitting: LineSeat | Player) -> TypeGuard[LineSeat]:
    return hasattr(sitting, "receive")
