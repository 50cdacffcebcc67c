"""A table: a match between people, bots and house players, driven by what arrives and by the time. No I/O of its own.

The table is its log: what has been written there is all that is needed to go on after a crash.
"""

from collections.abc import Callable
from typing import Any, Protocol

import msgspec

from protocol.lines import client_decoder, frame
from protocol.lobby import LobbyRequest, TableChanged, TableInfo, TableState
from protocol.log import ActionLine, FaultLine, Header, PlayerLine
from protocol.messages import Clock, End, EndReason, Error, Join, Rejected, Start, Update
from rails_cli.games.game import ALL_SEATS, PUBLIC, Game
from rails_cli.hearing import Hearing
from rails_cli.match import Match, header_of, written_board
from rails_cli.referee import Player
from rails_cli.server.desk import Chair, Connection, Watcher
from rails_cli.server.kept import Outcome, Spec

MAX_LATE = 3
"""After so many requests in a row that were not answered in time, the seat is lost."""
LONGEST_WORDS = 300
"""So much of what is told about a fault is kept in the log."""
MAX_LOSSES = 3
"""After so many losses of its program, a bot's seat is lost."""
SLICE_S = 0.005
"""House players move in a row for so long before others get their turn."""
SUBSTITUTED = "a substitute plays for you now; `resume` with your token to take your seat back"


class House(Protocol):
    """What a table asks of the place it stands in: time, files, players, and a turn later on."""

    now: Callable[[], float]
    wall: Callable[[], float]
    write: Callable[["Table", Any], None]
    start_bot: Callable[["Table", Chair], Connection]
    absence_s: float
    on_faults: str
    moves: int
    faults: int

    def later(self, table: "Table", todo: Callable[[], None]) -> None:
        """Does something in a moment."""

    def builtin_player(self, table: "Table", name: str, seat: int) -> Player:
        """A player inside the program."""

    def ended(self, table: "Table") -> None:
        """The game is over."""


class Crossed(Exception):
    """An answer to a request that is not open any more: sent twice, or just too late. Nobody's fault."""


class TableHearing(Hearing):
    """What is said over a network, where lines cross."""

    __slots__ = ()

    def _missed(self, answered: int, number: int) -> Exception:
        missed = super()._missed(answered, number)
        return Crossed(str(missed)) if answered < number else missed


class Table:
    """One game from the first chair taken to its end."""

    def __init__(
        self,
        spec: Spec,
        game: Game[Any, Any],
        board: Any,
        clock: Clock | None,
        house: House,
        board_line: Any = "standard",
    ) -> None:
        """`board_line` is how the log names the board: `standard`, or its whole content."""
        self.spec = spec
        self.id = spec.table
        self.game = game
        self.board = board
        self.board_line = board_line
        self.clock = clock
        self.house = house
        self.chairs = [Chair(seat, "open") for seat in range(spec.players)]
        self.watchers: list[Watcher] = []
        self.match: Match | None = None
        """While it is played; afterwards only as long as somebody is there."""
        self.hearing: TableHearing | None = None
        self.state: TableState = "open"
        self.outcome: Outcome | None = None
        self.has_push = False
        """Whether somebody at the table wants to be told of actions as they happen."""
        self.look: Callable[[Table], None] | None = None
        """Told when something has changed, while somebody wants to be shown it."""
        self.asked = 0
        """Number of the request that has been put, if that is the open one."""
        self.asked_at = 0.0
        self.deadline: float | None = None

    @property
    def is_told(self) -> bool:
        """Whether it has ended, and those who look on late may know how."""
        outcome = self.outcome
        return self.state == "ended" and (outcome is None or self.house.wall() - outcome.at >= self.spec.watch_delay_s)

    @property
    def is_attended(self) -> bool:
        """Whether anybody is there, at the table or around it."""
        return bool(self.watchers) or any(chair.connection is not None for chair in self.chairs)

    def info(self) -> TableInfo:
        spec, outcome = self.spec, self.outcome
        if outcome is not None:
            actions = outcome.actions
        else:
            actions = 0 if self.match is None else self.match.number
        return TableInfo(
            table=spec.table,
            name=spec.name,
            game=spec.game,
            players=spec.players,
            options=spec.options,
            clock=spec.clock,
            state=self.state,
            private=spec.private,
            seats=[chair.info() for chair in self.chairs],
            actions=actions,
            scores=outcome.scores if outcome is not None and self.is_told else None,
            board=spec.board,
        )

    # Before the game

    def begin(self, seed: int) -> None:
        """All seats are taken: the game is dealt and the first question put."""
        players = [
            PlayerLine(chair.name or f"seat {chair.seat}", chair.server_side or "player") for chair in self.chairs
        ]
        clock = None if self.clock is None else msgspec.to_builtins(self.clock)
        options = msgspec.convert(self.spec.options, self.game.options_type)
        header = header_of(self.game, options, seed, players, board=self.board_line, clock=clock)
        match = Match(self.game, self.board, header)
        self.house.write(self, match.header)
        self.house.write(self, match.setup_line)
        for chair in self.chairs:
            chair.begin(self.clock)
        self.go_on(match)

    def go_on(self, match: Match, used_s: float = 0.0) -> None:
        """Plays a match from where it stands: a new one, or one from a log, `used_s` after its open request was put."""
        self.match = match
        self.board = match.board
        self.hearing = TableHearing(match, self.id, _decoder(self.game))
        self.state = "playing"
        for chair in self.chairs:
            if chair.is_forsaken:
                chair.player = self.house.builtin_player(self, "greedy", chair.seat)
            elif chair.connection is None and chair.server_side is None:
                chair.absent_since = self.house.now()
            self.tell_start(chair)
            connection = chair.connection
            if connection is not None and connection.join.push and connection.join.push_view:
                self._update(match, chair, connection)
        for watcher in self.watchers:
            self._tell_position(watcher)
        self.tell_changed()
        if self.look is not None:
            self.look(self)
        self.ask(used_s)

    def tell_start(self, chair: Chair) -> None:
        """The whole story follows: with the chair's first request, or at once for one who comes back."""
        if chair.connection is not None:
            chair.seen = 0
            chair.connection.post(self._start(chair.seat, chair.connection.join))

    def tell_changed(self) -> None:
        """Lets everybody here know who sits where."""
        content = frame(TableChanged(self.info()))
        for chair in self.chairs:
            if chair.connection is not None:
                chair.connection.post(content)
        for watcher in self.watchers:
            self.to_watcher(watcher, content)

    # The game

    def ask(self, used_s: float = 0.0) -> None:
        """Puts the open question to whoever has to answer it, once; house players answer at once."""
        match = self.match
        assert match is not None
        until: float | None = None
        while self.state == "playing":
            if match.seat is None:
                self.finish("normal")
                return
            chair = self.chairs[match.seat]
            if chair.player is None:
                if self.asked != match.number + 1:
                    self._put(chair, used_s)
                return
            if until is None:
                until = self.house.now() + SLICE_S
            elif self.house.now() > until:
                self.house.later(self, self.ask)
                return
            self._played(match.submit(match.seat, chair.player.choose(match)))
            used_s = 0.0

    def _put(self, chair: Chair, used_s: float) -> None:
        """The clock starts."""
        assert self.match is not None
        self.asked = self.match.number + 1
        self.asked_at = self.house.now() - used_s
        self._set_deadline(chair)
        self._send_request(chair, used_s - chair.grace_s)

    def _set_deadline(self, chair: Chair) -> None:
        budget = chair.clock.budget_s()
        self.deadline = None if budget is None else self.asked_at + budget + chair.grace_s

    def send_request(self, chair: Chair) -> None:
        """The open request once more."""
        self._send_request(chair, self.house.now() - self.asked_at - chair.grace_s)

    def _send_request(self, chair: Chair, used_s: float) -> None:
        """The open request, with all that the chair has not been told yet and the time as it really is."""
        connection = chair.connection
        if connection is None:
            return
        assert self.hearing is not None
        assert self.match is not None
        with_view = connection.join.view == "full"
        used_s = max(0.0, used_s)
        request = self.hearing.request(chair.seat, chair.seen, chair.clock, with_view=with_view, used_s=used_s)
        chair.seen = len(self.match.history)
        connection.post(frame(request))

    def hear(self, chair: Chair, content: bytes) -> Any:
        """A message from the holder of a chair; gives back what is none of the game's business."""
        assert self.match is not None
        assert self.hearing is not None
        connection = chair.connection
        assert connection is not None
        if self.match.seat != chair.seat:
            return self._out_of_turn(connection, content)
        now = self.house.now()
        if self.deadline is not None and now > self.deadline:
            self.too_slow(chair)
            return None
        ms = max(0, int((now - self.asked_at - chair.grace_s) * 1000))
        try:
            heard = self.hearing.hear(chair.seat, content, ms)
        except Crossed as crossed:
            connection.post(frame(Error("stale_request", str(crossed), fatal=False)))
            return None
        if type(heard) is ActionLine:
            chair.clock.charge(ms)
            chair.late = 0
            chair.grace_s = 0.0
            self._played(heard)
            self.ask()
        elif type(heard) is Rejected:
            self._fault(chair, heard.code, heard.message)
            if heard.strikes_left:
                connection.post(frame(heard))
            else:
                chair.clock.charge(ms)
                self._played(self.hearing.play_default(chair.seat, ms))
                self.ask()
        else:
            return heard
        return None

    def _out_of_turn(self, connection: Connection, content: bytes) -> Any:
        """What is said by one who is not asked changes nothing; wishes are heard all the same."""
        assert self.hearing is not None
        heard = self.hearing.overhear(content)
        if type(heard) is not Rejected:
            return heard
        if heard.code == "stale_request":
            connection.post(frame(Error(heard.code, heard.message, fatal=False)))
        else:
            connection.post(frame(heard))
        return None

    def too_slow(self, chair: Chair) -> None:
        """The time of the open request is over."""
        assert self.hearing is not None
        budget = chair.clock.budget_s() or 0.0
        ms = int(budget * 1000)
        chair.clock.charge(ms)
        chair.late += 1
        chair.grace_s = 0.0
        is_lost = chair.late >= MAX_LATE
        words = f"no answer in {budget:.3g} s; default played"
        self._fault(chair, "too_slow", f"{words}; {self._policy()}" if is_lost else words)
        if chair.connection is not None:
            chair.connection.post(frame(Error("too_slow", f"request {self.hearing.number}: {words}", fatal=False)))
        self._played(self.hearing.play_default(chair.seat, ms))
        if is_lost:
            self.replace(chair, "timeout")
        self.ask()

    def replace(self, chair: Chair, why: EndReason) -> None:
        """The policy for a seat that is lost: a substitute until its holder comes back, or the end of the match."""
        if self.match is not None and self.match.is_over:
            return
        if self.house.on_faults == "void":
            self.finish(why)
            return
        chair.player = self.house.builtin_player(self, "greedy", chair.seat)
        connection = chair.connection
        if chair.server_side is not None:
            chair.connection = None
            if connection is not None:
                connection.drop("ended", "a substitute takes over")
        elif connection is not None:
            connection.post(frame(Error("substituted", SUBSTITUTED, fatal=False)))

    def _policy(self) -> str:
        return "the match is void" if self.house.on_faults == "void" else "a substitute takes over"

    def give_up(self, chair: Chair, words: str) -> None:
        """A player is gone for longer than is borne, or for good."""
        if self.state != "playing":
            return
        self._fault(chair, "disconnect", f"{words}; {self._policy()}")
        self.replace(chair, "disconnect")
        self.ask()

    def lost_bot(self, chair: Chair) -> None:
        """A bot that the server runs is gone: it is started again, a few times."""
        chair.connection = None
        chair.losses += 1
        if chair.losses >= MAX_LOSSES:
            self.give_up(chair, "the program ended")
            return
        self._fault(chair, "disconnect", "the program ended; it is started again")
        chair.connection = self.house.start_bot(self, chair)
        if self.match is not None and self.match.seat == chair.seat:
            self._set_deadline(chair)
        self.catch_up(chair)

    def tick(self, now: float) -> None:
        """Looks at the clocks: of the open request, of those who are absent, and of delayed watchers."""
        if self.state == "playing":
            if self.deadline is not None and now > self.deadline:
                assert self.match is not None
                assert self.match.seat is not None
                self.too_slow(self.chairs[self.match.seat])
            for chair in self.chairs:
                since = chair.absent_since
                if since is not None and chair.player is None and now - since > self.house.absence_s:
                    self.give_up(chair, f"away for {self.house.absence_s:g} s")
        if self.spec.watch_delay_s:
            for watcher in self.watchers:
                while watcher.waiting and watcher.waiting[0][0] <= now:
                    watcher.connection.post(watcher.waiting.popleft()[1])

    def finish(self, reason: EndReason) -> None:
        """Writes the result down and tells it."""
        if self.state == "ended":
            return
        match = self.match
        assert match is not None
        result = match.result_line(reason)
        self.house.write(self, result)
        self.state = "ended"
        self.deadline = None
        faults = [chair.faults for chair in self.chairs]
        self.outcome = Outcome(result.scores, result.ranks, reason, faults, match.number, self.house.wall())
        for chair in self.chairs:
            if chair.connection is not None:
                chair.connection.post(self._end(match.events_for(chair.seat, chair.seen)))
                chair.seen = len(match.history)
        for watcher in self.watchers:
            self.to_watcher(watcher, frame(Update(self.id, [], match.view_for(ALL_SEATS))))
            self.to_watcher(watcher, self._end([]))
        if self.look is not None:
            self.look(self)
        self.house.ended(self)

    # Coming, going and looking on

    def attach(self, chair: Chair, connection: Connection) -> None:
        """A connection takes a chair over; an older one is told and closed."""
        older = chair.connection
        chair.connection = connection
        chair.absent_since = None
        chair.late = 0
        if chair.server_side is None:
            chair.player = None
        self.note_wishes()
        if older is not None and older is not connection:
            older.drop("replaced", "this seat is played from another connection now")

    def catch_up(self, chair: Chair) -> None:
        """All that a chair has to know that comes back: the position, and the open request if it is the one asked."""
        assert self.match is not None
        assert chair.connection is not None
        self.tell_start(chair)
        self.again(chair)

    def again(self, chair: Chair) -> None:
        """The whole story: with the open request, or without one."""
        match = self.match
        assert match is not None
        assert chair.connection is not None
        chair.seen = 0
        if self.state == "playing" and match.seat == chair.seat and chair.player is None:
            if self.asked == match.number + 1:
                self.send_request(chair)
            else:
                self.ask()
            return
        events = match.events_for(chair.seat, 0)
        chair.seen = len(match.history)
        chair.connection.post(frame(Update(self.id, events, match.view_for(chair.seat))))
        if self.state == "ended":
            chair.connection.post(self._end([]))

    def detach(self, connection: Connection) -> None:
        """A connection is gone: its chair waits for its holder a while."""
        self.watchers = [watcher for watcher in self.watchers if watcher.connection is not connection]
        for chair in self.chairs:
            if chair.connection is connection:
                chair.connection = None
                chair.absent_since = self.house.now()
                self.tell_changed()

    def watch(self, connection: Connection) -> None:
        watcher = Watcher(connection)
        self.watchers.append(watcher)
        if self.match is not None:
            self._tell_position(watcher)

    def _tell_position(self, watcher: Watcher) -> None:
        assert self.match is not None
        self.to_watcher(watcher, self._start(None, watcher.connection.join))
        events = self.match.events_for(PUBLIC, 0)
        self.to_watcher(watcher, frame(Update(self.id, events, self.match.view_for(PUBLIC))))

    # What is told

    def _played(self, line: ActionLine[Any, Any]) -> None:
        """An action counts when it is written down; then it is told."""
        house, match = self.house, self.match
        assert match is not None
        self.deadline = None
        house.write(self, line)
        house.moves += 1
        if self.look is not None:
            self.look(self)
        if self.has_push:
            self._push(match)
        if self.watchers:
            since = len(match.history) - len(line.events)
            content = frame(Update(self.id, match.events_for(PUBLIC, since)))
            for watcher in self.watchers:
                self.to_watcher(watcher, content)

    def _push(self, match: Match) -> None:
        for chair in self.chairs:
            connection = chair.connection
            if connection is not None and connection.join.push:
                self._update(match, chair, connection)

    def _update(self, match: Match, chair: Chair, connection: Connection) -> None:
        events = match.events_for(chair.seat, chair.seen)
        chair.seen = len(match.history)
        view = match.wire_view_for(chair.seat) if connection.join.push_view else None
        connection.post(frame(Update(self.id, events, view)))

    def note_wishes(self) -> None:
        """Somebody came, or says anew what he wants to be told."""
        self.has_push = any(chair.connection is not None and chair.connection.join.push for chair in self.chairs)

    def to_watcher(self, watcher: Watcher, content: bytes) -> None:
        if self.spec.watch_delay_s:
            watcher.waiting.append((self.house.now() + self.spec.watch_delay_s, content))
        else:
            watcher.connection.post(content)

    def _fault(self, chair: Chair, code: str, words: str) -> None:
        assert self.match is not None
        chair.faults += 1
        self.house.faults += 1
        self.house.write(self, FaultLine(self.match.number + 1, chair.seat, code, words[:LONGEST_WORDS]))

    def _start(self, seat: int | None, join: Join) -> bytes:
        assert self.match is not None
        return start_frame(self.id, self.game, self.board, self.match.header, seat, self.clock, with_board=join.board)

    def _end(self, events: list[Any]) -> bytes:
        outcome = self.outcome
        assert outcome is not None
        return frame(End(self.id, outcome.scores, outcome.ranks, outcome.reason, outcome.faults, events))


def start_frame(
    name: str,
    game: Game[Any, Any],
    board: Any,
    header: Header,
    seat: int | None,
    clock: Clock | None,
    *,
    with_board: bool,
) -> bytes:
    """A `start` message."""
    players = [player.name for player in header.players]
    wire_board = written_board(game, board) if with_board else None
    return frame(Start(name, game.name, game.rules_version, players, seat, header.options, clock, wire_board))


_DECODERS: dict[str, msgspec.json.Decoder[Any]] = {}


def _decoder(game: Game[Any, Any]) -> msgspec.json.Decoder[Any]:
    if game.name not in _DECODERS:
        _DECODERS[game.name] = client_decoder(game.action_type, LobbyRequest)
    return _DECODERS[game.name]
