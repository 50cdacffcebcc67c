"""A table: a match between people, bots and house players, driven by what arrives and by the time. No I/O of its own.

The table is its log: what has been written there is all that is needed to go on after a crash.
"""

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from protocol.lines import client_decoder, frame
from protocol.lobby import LobbyRequest, TableChanged, TableInfo, TableState
from protocol.log import ActionLine, FaultLine, Header, PlayerLine
from protocol.messages import Again, Clock, End, EndReason, Join, Rejected, Start, Update
from rails_cli.games.game import ALL_SEATS, PUBLIC, Game
from rails_cli.hearing import Hearing
from rails_cli.match import Match, header_of
from rails_cli.referee import Player
from rails_cli.server.desk import Chair, Connection, Watcher

MAX_LATE = 3
CATCH_UP = 64
"""House players make so many moves in a row before others get their turn."""


class Spec(msgspec.Struct, frozen=True):
    """How a table was made."""

    table: str
    name: str
    game: str
    players: int
    options: dict[str, Any]
    clock: str
    private: bool
    watch_delay_s: float
    owner_seal: str
    made_at: float


class House:
    """What a table asks of the place it stands in: time, files, players, and a turn later on."""

    now: Callable[[], float]
    later: Callable[[Callable[[], None]], None]
    write: Callable[["Table", Any], None]
    save: Callable[["Table"], None]
    house_player: Callable[["Table", str, int], Player]
    ended: Callable[["Table"], None]
    absence_s: float
    on_faults: str
    moves: int = 0
    faults: int = 0


class Table:
    """One game from the first chair taken to its end."""

    def __init__(self, spec: Spec, game: Game[Any, Any], board: Any, clock: Clock | None, house: House) -> None:
        self.spec = spec
        self.game = game
        self.board = board
        self.clock = clock
        self.house = house
        self.chairs = [Chair(seat, "open") for seat in range(spec.players)]
        self.watchers: list[Watcher] = []
        self.match: Match | None = None
        self.hearing: Hearing | None = None
        self.state: TableState = "open"
        self.reason: EndReason = "normal"
        self.asked_at = 0.0
        self.deadline: float | None = None

    @property
    def id(self) -> str:
        return self.spec.table

    def info(self) -> TableInfo:
        spec = self.spec
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
            actions=0 if self.match is None else self.match.number,
            scores=self.game.scores(self.match.state) if self.match is not None and self.state == "ended" else None,
        )

    # Before the game

    def begin(self, seed: int) -> None:
        """All seats are taken: the game is dealt and the first question put."""
        players = [
            PlayerLine(chair.name or f"seat {chair.seat}", chair.server_side or "player") for chair in self.chairs
        ]
        clock = None if self.clock is None else msgspec.to_builtins(self.clock)
        options = msgspec.convert(self.spec.options, self.game.options_type)
        match = Match(self.game, self.board, header_of(self.game, options, seed, players, clock=clock))
        self.house.write(self, match.header)
        self.house.write(self, match.setup_line)
        for chair in self.chairs:
            chair.begin(self.clock)
        self.go_on(match)

    def go_on(self, match: Match) -> None:
        """Plays a match from where it stands: a new one, or one that was found in a log."""
        self.match = match
        self.hearing = Hearing(match, self.id, _decoder(self.game))
        self.state = "playing"
        for chair in self.chairs:
            if chair.connection is None and chair.server_side is None:
                chair.absent_since = self.house.now()
            self.tell_start(chair)
        for watcher in self.watchers:
            self._to_watcher(watcher, self._start(None, Join()))
        self.tell_changed()
        self.ask()

    def tell_start(self, chair: Chair) -> None:
        """The whole story follows: with the chair's first request, or at once for one who comes back."""
        if chair.connection is not None:
            chair.seen = 0
            chair.connection.post(self._start(chair.seat, chair.connection.join))

    def tell_changed(self, ref: str | None = None) -> None:
        """Lets everybody here know who sits where."""
        content = frame(TableChanged(self.info(), ref))
        for chair in self.chairs:
            if chair.connection is not None:
                chair.connection.post(content)
        for watcher in self.watchers:
            watcher.connection.post(content)

    # The game

    def ask(self) -> None:
        """Puts the open question to whoever has to answer it; house players answer at once."""
        assert self.match is not None
        for _ in range(CATCH_UP):
            if self.state != "playing":
                return
            if self.match.seat is None:
                self.finish("normal")
                return
            chair = self.chairs[self.match.seat]
            if chair.player is None:
                self._ask_chair(chair)
                return
            self._played(self.match.submit(chair.seat, chair.player.choose(self.match)))
        self.house.later(self.ask)

    def _ask_chair(self, chair: Chair) -> None:
        self.asked_at = self.house.now()
        budget = chair.clock.budget_s()
        self.deadline = None if budget is None else self.asked_at + budget
        self.send_request(chair)

    def send_request(self, chair: Chair) -> None:
        """The open request, with all that the chair has not been told yet and the time as it really is."""
        if chair.connection is None:
            return
        assert self.hearing is not None
        assert self.match is not None
        with_view = chair.connection.join.view == "full"
        request = self.hearing.request(chair.seat, chair.seen, chair.clock, with_view=with_view)
        used = self.house.now() - self.asked_at
        if request.clock is not None and used > 0.001:
            request = msgspec.structs.replace(request, clock=chair.clock.left(used))
        chair.seen = len(self.match.history)
        chair.connection.post(frame(request))

    def hear(self, chair: Chair, content: bytes) -> Any:
        """A message from the holder of a chair; gives back what is none of the table's business."""
        assert self.match is not None
        assert self.hearing is not None
        connection = chair.connection
        assert connection is not None
        if self.match.seat != chair.seat:
            return self._out_of_turn(chair, content)
        used = self.house.now() - self.asked_at
        if self.deadline is not None and self.house.now() > self.deadline:
            self.too_slow(chair)
            return None
        ms = int(used * 1000)
        heard = self.hearing.hear(chair.seat, content, ms)
        if type(heard) is ActionLine:
            chair.clock.charge(ms / 1000)
            chair.late = 0
            self._played(heard)
            self.ask()
        elif type(heard) is Rejected:
            self._fault(chair, heard.code, heard.message)
            if heard.strikes_left:
                connection.post(frame(heard))
            else:
                chair.clock.charge(ms / 1000)
                self._played(self.hearing.play_default(chair.seat, ms))
                self.ask()
        elif type(heard) is Again:
            chair.seen = 0
            self.send_request(chair)
        else:
            return heard
        return None

    def _out_of_turn(self, chair: Chair, content: bytes) -> Any:
        """What is said by one who is not asked changes nothing; wishes are heard all the same."""
        assert self.hearing is not None
        assert chair.connection is not None
        heard = self.hearing.overhear(content)
        if isinstance(heard, Rejected):
            chair.connection.post(frame(heard))
            return None
        if type(heard) is Again:
            self.catch_up(chair)
            return None
        return heard

    def too_slow(self, chair: Chair) -> None:
        """The time of the open request is over."""
        assert self.hearing is not None
        budget = chair.clock.budget_s() or 0.0
        ms = int(budget * 1000)
        chair.clock.charge(ms / 1000)
        chair.late += 1
        given_up = chair.late >= MAX_LATE
        self._fault(chair, "too_slow", f"no answer in {budget:.3g} s; default played")
        self._played(self.hearing.play_default(chair.seat, ms))
        if given_up:
            self.replace(chair, "timeout")
        self.ask()

    def replace(self, chair: Chair, why: EndReason) -> None:
        """The policy for a seat that is lost: a substitute until its holder comes back, or the end of the match."""
        if self.house.on_faults == "void":
            self.finish(why)
        elif chair.player is None:
            self._fault(chair, "disconnect" if why == "disconnect" else "too_slow", "a substitute takes over")
            chair.player = self.house.house_player(self, "greedy", chair.seat)

    def tick(self, now: float) -> None:
        """Looks at the clocks: of the open request, of those who are absent, and of delayed watchers."""
        if self.state == "playing" and self.match is not None and self.match.seat is not None:
            chair = self.chairs[self.match.seat]
            if self.deadline is not None and chair.player is None and now > self.deadline:
                self.too_slow(chair)
            for absent in self.chairs:
                since = absent.absent_since
                if since is not None and absent.player is None and now - since > self.house.absence_s:
                    self.replace(absent, "disconnect")
                    if self.state == "playing" and self.match.seat == absent.seat:
                        self.ask()
        if self.spec.watch_delay_s:
            for watcher in self.watchers:
                while watcher.waiting and watcher.waiting[0][0] <= now:
                    watcher.connection.post(watcher.waiting.pop(0)[1])

    def finish(self, reason: EndReason) -> None:
        """Writes the result down and tells it."""
        assert self.match is not None
        if self.state == "ended":
            return
        self.state = "ended"
        self.reason = reason
        self.deadline = None
        result = self.match.result_line(reason)
        self.house.write(self, result)
        faults = [chair.faults for chair in self.chairs]
        for chair in self.chairs:
            if chair.connection is not None:
                events = self.match.events_for(chair.seat, chair.seen)
                chair.connection.post(frame(End(self.id, result.scores, result.ranks, reason, faults, events)))
        shown = frame(Update(self.id, [], self.match.view_for(ALL_SEATS)))
        last = frame(End(self.id, result.scores, result.ranks, reason, faults))
        for watcher in self.watchers:
            self._to_watcher(watcher, shown)
            self._to_watcher(watcher, last)
        self.house.ended(self)

    # Coming, going and looking on

    def attach(self, chair: Chair, connection: Connection) -> None:
        """A connection takes a chair over; an older one is told and closed."""
        older = chair.connection
        chair.connection = connection
        chair.absent_since = None
        if chair.server_side is None:
            chair.player = None
        if older is not None and older is not connection:
            older.drop("replaced", "this seat is played from another connection now")

    def catch_up(self, chair: Chair) -> None:
        """All that a chair has to know that comes back: the position, and the open request if it is the one asked."""
        assert self.match is not None
        assert chair.connection is not None
        self.tell_start(chair)
        if self.state == "playing" and self.match.seat == chair.seat:
            self.send_request(chair)
            return
        events = self.match.events_for(chair.seat, 0)
        chair.seen = len(self.match.history)
        chair.connection.post(frame(Update(self.id, events, self.match.view_for(chair.seat))))
        if self.state == "ended":
            result = self.match.result_line(self.reason)
            faults = [each.faults for each in self.chairs]
            chair.connection.post(frame(End(self.id, result.scores, result.ranks, self.reason, faults)))

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
        if self.match is None or self.spec.watch_delay_s:
            if self.match is not None:
                self._to_watcher(watcher, self._start(None, connection.join))
                self._to_watcher(watcher, frame(Update(self.id, self.match.events_for(PUBLIC, 0), self._public_view())))
            return
        connection.post(self._start(None, connection.join))
        connection.post(frame(Update(self.id, self.match.events_for(PUBLIC, 0), self._public_view())))

    def _public_view(self) -> Any:
        assert self.match is not None
        return self.match.view_for(PUBLIC)

    # What is told

    def _played(self, line: ActionLine[Any, Any]) -> None:
        assert self.match is not None
        self.deadline = None
        self.house.write(self, line)
        self.house.moves += 1
        for chair in self.chairs:
            connection = chair.connection
            if connection is not None and connection.join.push:
                events = self.match.events_for(chair.seat, chair.seen)
                chair.seen = len(self.match.history)
                connection.post(frame(Update(self.id, events)))
        if self.watchers:
            since = len(self.match.history) - len(line.events)
            content = frame(Update(self.id, self.match.events_for(PUBLIC, since)))
            for watcher in self.watchers:
                self._to_watcher(watcher, content)

    def _to_watcher(self, watcher: Watcher, content: bytes) -> None:
        if self.spec.watch_delay_s:
            watcher.waiting.append((self.house.now() + self.spec.watch_delay_s, content))
        else:
            watcher.connection.post(content)

    def _fault(self, chair: Chair, code: str, words: str) -> None:
        assert self.hearing is not None
        chair.faults += 1
        self.house.faults += 1
        self.house.write(self, FaultLine(self.hearing.number, chair.seat, code, words))

    def _start(self, seat: int | None, join: Join) -> bytes:
        assert self.match is not None
        return start_frame(self.id, self.game, self.board, self.match.header, seat, self.clock, with_board=join.board)


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
    players: Sequence[str] = [player.name for player in header.players]
    wire_board = game.wire_board(board) if with_board else None
    return frame(Start(name, game.name, game.rules_version, list(players), seat, header.options, clock, wire_board))


_DECODERS: dict[str, msgspec.json.Decoder[Any]] = {}


def _decoder(game: Game[Any, Any]) -> msgspec.json.Decoder[Any]:
    if game.name not in _DECODERS:
        _DECODERS[game.name] = client_decoder(game.action_type, LobbyRequest)
    return _DECODERS[game.name]
