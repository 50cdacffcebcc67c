"""A table: the seats of a match, its spectators, and the session that processes their messages. No I/O of its own.

The log is the state of the table: it contains everything needed to continue after a crash.
"""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Protocol, cast

import msgspec

from rails_cli.games import load_game
from rails_cli.games.game import ALL_SEATS, PUBLIC, Game
from rails_cli.games.openings import drawn_opening
from rails_cli.logs.chain import Beginning
from rails_cli.logs.reading import count_moves
from rails_cli.match.action_history import ActionHistory
from rails_cli.match.clock import clock_line
from rails_cli.match.match import Match, ResumePoint, count_forced_passes, header_of
from rails_cli.match.session import MatchPolicy, Session, Step, start_of
from rails_cli.players.builtin import play_builtin, substitute
from rails_cli.protocol.lines import client_decoder, frame
from rails_cli.protocol.lobby import LobbyRequest, TableChanged, TableInfo, TableState
from rails_cli.protocol.log import ActionLine, FaultLine, PlayerLine, ResultLine, Seed, UndoLine
from rails_cli.protocol.messages import Clock, End, EndReason, Error, Join, Update
from rails_cli.protocol.pool import PoolRequest
from rails_cli.server.records import Outcome, Spec
from rails_cli.server.seat import Connection, ServerSeat, Watcher
from rails_cli.server.thinkers import DistantPlayer

HOLDER_DIGITS = 32
"""Hex digits of the hash of a seat's token that are written to the log."""
SLICE_S = 0.005
"""Seconds for which built-in players move without interruption before other work is done."""
SUBSTITUTED = "a substitute is playing for you; `resume` with your token to take your seat back"


class TableHost(Protocol):
    """The services that a table needs: clocks, log writing, bots and deferred calls."""

    now: Callable[[], float]
    wall: Callable[[], float]
    write: Callable[["GameTable", Any], None]
    write_beginning: Callable[["GameTable", Beginning], None]
    start_bot: Callable[["GameTable", ServerSeat], Connection]
    absence_s: float
    has_chat: bool
    """Whether people may chat at tables that allow it."""
    policy: MatchPolicy
    """Time control and fault policy of matches. Each table replaces the clock."""
    moves: int
    faults: int
    due: list["GameTable"]
    """Tables with `is_due`. They send their requests after all received messages are processed."""

    def later(self, table: "GameTable", do: Callable[..., None], *arguments: Any) -> None:
        """Call `do` with `arguments` after other pending work."""

    def may_note(self, table: "GameTable", seat: ServerSeat, size: int) -> bool:
        """Return whether a note of `size` bytes by a player may be stored."""

    def lost(self, table: "GameTable", seat: ServerSeat) -> None:
        """Handle a seat that a substitute took over."""

    def ended(self, table: "GameTable") -> None:
        """Handle the end of the game."""


class GameTable:
    """A table with one game, from the first seat taken to the result."""

    def __init__(
        self,
        spec: Spec,
        game: Game[Any, Any],
        board: Any,
        clock: Clock | None,
        host: TableHost,
        board_line: Any = "standard",
    ) -> None:
        """`board_line` is the board as written to the log: "standard" or its whole content."""
        self.spec = spec
        self.id = spec.table
        self.game = game
        self.board = board
        self.board_line = board_line
        self.clock = clock
        self.host = host
        self.seats = [ServerSeat(index, "open") for index in range(spec.players)]
        self.watchers: list[Watcher] = []
        self.match: Match | None = None
        """The match. After its end it is kept only while somebody is at the table."""
        self.session: Session | None = None
        """The session while the game is played."""
        self.action_history: ActionHistory | None = None
        """The actions played, available from the first undo request until the end of the game."""
        self.is_due = False
        """Whether the next request must be sent after the received messages are processed."""
        self.logged = 0
        """Number of action and undo lines in the log."""
        self.asked = 0
        """Offset for request numbers after moves were taken back, see `ResumePoint.request_offset`."""
        self.state: TableState = "open"
        self.yields = False
        """Whether other tables have priority, because only pool bots play here."""
        self.outcome: Outcome | None = None
        self.active_at = host.now()
        """Time of the last arrival or action."""
        self.notes_bytes = 0
        """Bytes of notes in the log."""
        self.look: Callable[[GameTable], None] | None = None
        """Called after each change while a client has the table drawn."""

    @property
    def is_full(self) -> bool:
        """Whether the game can begin."""
        return self.state == "open" and not any(seat.is_free for seat in self.seats)

    @property
    def is_result_public(self) -> bool:
        """Whether the game has ended and delayed spectators may know the result."""
        outcome = self.outcome
        return self.state == "ended" and (outcome is None or self.host.wall() - outcome.at >= self.spec.watch_delay_s)

    @property
    def has_undo(self) -> bool:
        """Whether moves can be taken back if all agree. Not with bots, which do not support it, and not in rated
        games."""
        is_for_bots = any(seat.server_side is not None and seat.server_side.startswith("bot:") for seat in self.seats)
        return self.spec.undo and self.spec.pool is None and not is_for_bots

    @property
    def is_attended(self) -> bool:
        """Whether any player or spectator is connected."""
        return bool(self.watchers) or any(seat.channel is not None for seat in self.seats)

    @property
    def is_waiting(self) -> bool:
        """Whether the table waits indefinitely for an absent player: one person, no clock, no bot process, no pool."""
        players = [seat for seat in self.seats if seat.server_side is None]
        is_alone = len(players) == 1 and not any(seat.is_process for seat in self.seats)
        return is_alone and self.clock is None and self.spec.pool is None

    def waiting_s(self, now: float) -> float:
        """Return how long the open request has been waiting, in seconds. 0 if there is none or no time limit."""
        pending = None if self.session is None else self.session.pending
        return 0.0 if pending is None or pending.budget_s is None else now - pending.asked_at

    def info(self, *, for_players: bool = False) -> TableInfo:
        """Describe the table for everybody, with the spectators' delay, or for its players without it."""
        spec, outcome = self.spec, self.outcome
        is_late = spec.watch_delay_s > 0 and not for_players
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
            seats=[seat.info() for seat in self.seats],
            actions=actions,
            scores=outcome.scores if outcome is not None and (for_players or self.is_result_public) else None,
            board=spec.board,
            openings=spec.openings,
            to_move=None if self.state != "playing" or self.match is None or is_late else self.match.seat,
            chat=spec.chat and self.host.has_chat,
            branch=spec.branch,
            undo=self.has_undo,
        )

    # Before the game

    def begin(self, seed: Seed, bots_kept_in: str | None = None) -> None:
        """Start the game of a full table. `bots_kept_in` names the sandbox of its bots, for the log."""
        clock = clock_line(self.clock)
        options = msgspec.convert(self.spec.options, self.game.options_type)
        opening = None
        if self.spec.openings == "drawn":
            of = seed if self.spec.pool is None else self.spec.pool.group.seed
            opening = drawn_opening(self.game, self.board, self.spec.players, options, of)
        players = self.players(bots_kept_in)
        header = header_of(
            self.game, options, seed, players, board=self.board_line, clock=clock, opening=opening, match=self.id
        )
        match = Match(self.game, self.board, header)
        self.host.write(self, match.header)
        self.host.write(self, match.setup_line)
        for seat in self.seats:
            seat.set_clock(self.clock)
        self.go_on(match)

    def begin_from(self, beginning: Beginning, left: ResumePoint) -> None:
        """Start the game from a position of another one. `beginning` is the start of the new log, `left` the match."""
        self.host.write_beginning(self, beginning)
        self.restore_match(left, beginning.lines)
        for seat in self.seats:
            seat.set_clock(self.clock)
            seat.restore(left, self.host.policy)
        self.go_on(left.match)

    def restore_match(self, left: ResumePoint, lines: Sequence[bytes]) -> None:
        """Restore the match from its log, without continuing it yet."""
        self.match, self.asked, self.logged = left.match, left.request_offset, count_moves(lines)

    def players(self, bots_kept_in: str | None) -> list[PlayerLine]:
        """Return the players as written to the log."""
        pool = self.spec.pool
        return [
            PlayerLine(
                seat.name or f"seat {seat.index}",
                (seat.server_side or "player") if pool is None else pool.specs[seat.index],
                bots_kept_in if seat.server_side and pool is None else None,
                seat.token_seal and seat.token_seal[:HOLDER_DIGITS],
            )
            for seat in self.seats
        ]

    def go_on(self, match: Match, used_s: float = 0.0) -> None:
        """Continue a new or restored match. Its open request has been waiting for `used_s` seconds."""
        self.match = match
        self.board = match.board
        self.session = session = Session(
            match,
            self.seats,
            self.host.policy._replace(clock=self.clock),
            decoder=_decoder(self.game.name),
            name=self.id,
            numbers_after=self.asked,
        )
        self._carry_out(session.begin())
        self.state = "playing"
        for seat in self.seats:
            if seat.is_forsaken:
                seat.player, seat.has_substitute = substitute(self.game.name, seat.index), True
            elif seat.is_process:
                self._start_bot(seat)
            elif seat.channel is None and seat.server_side is None:
                seat.absent_since = self.host.now()
            elif seat.channel is not None:
                self.tell_start(seat, seat.channel)
                if seat.channel.join.push and seat.channel.join.push_view:
                    self._carry_out(session.update(seat))
        for watcher in self.watchers:
            self._tell_position(watcher)
        self.tell_changed()
        if self.look is not None:
            self.look(self)
        self.ask(used_s)

    def go_back(self, line: UndoLine) -> None:
        """Take back a move and restart the match from the earlier position for all clients. Used time is not
        restored."""
        match, action_history = self.match, self.action_history
        assert match is not None
        assert action_history is not None
        self.host.write(self, line)
        self.logged += 1
        if line.ms is not None and match.seat is not None:
            self.seats[match.seat].clock.spend(line.ms)
        for seat in self.seats:
            if seat.is_process:
                self._stop(seat, "undo")
        self.asked += match.number + 1 + count_forced_passes(match.history)
        self.active_at = self.host.now()
        before = action_history.go_back(line.to)
        self.go_on(before)
        for seat in self.seats:
            is_asked = seat.index == before.seat
            if seat.channel is not None and not seat.is_process and not is_asked and seat.seen == 0:
                self.again(seat, seat.channel)

    def tell_start(self, seat: ServerSeat, connection: Connection) -> None:
        """Send the start of the match. The history follows with the next request, or at once for a returning player."""
        seat.seen = 0
        connection.post(self._start(seat.index, connection.join))

    def tell_changed(self) -> None:
        """Send everybody at the table its current seats."""
        content = frame(TableChanged(self.info()))
        for seat in self.seats:
            if seat.channel is not None:
                seat.channel.post(content)
        for watcher in self.watchers:
            self.to_watcher(watcher, content)

    # The game

    def ask(self, used_s: float = 0.0) -> None:
        """Send the open request once. Built-in players answer at once or after thinking in another process."""
        session, host = self.session, self.host
        self.is_due = False
        if session is None or self.state != "playing":
            return
        until: float | None = None
        while (to_move := session.to_move) is not None:
            seat = self.seats[to_move.index]
            if seat.player is None:
                if session.pending is None:
                    if seat.has_time:
                        if seat.is_process and seat.channel is None:
                            self._start_bot(seat)
                        if self.spec.pool is not None:
                            seat.allow_lag()
                    self._carry_out(session.ask(seat, host.now(), used_s))
                    if seat.early:
                        self._receive_early(session, seat)
                if session.pending is not None:
                    return
            elif type(seat.player) is DistantPlayer:
                action = seat.player.chosen(session.match)
                if action is None:
                    seat.player.think(session.match, self._ask_later)
                    return
                self._carry_out(session.chosen(seat, action))
            elif until is not None and host.now() > until:
                self._ask_later()
                return
            else:
                if until is None:
                    until = host.now() + SLICE_S
                self._carry_out(play_builtin(session, seat, _no_time))
            used_s = 0.0
        self.finish()

    def _ask_later(self) -> None:
        self.host.later(self, self.ask)

    def receive(self, seat: ServerSeat, content: bytes) -> Any:
        """Process a message from the holder of a seat. Return it if it is valid but not an answer."""
        session = self.session
        assert session is not None
        step = session.receive(seat, content, self.host.now())
        self._carry_out(step)
        if session.pending is None:
            self.is_due = True
            self.host.due.append(self)
        return step.other

    def receive_from_bot(self, seat: ServerSeat, content: bytes) -> None:
        """Process a line from a bot run by the server."""
        assert self.session is not None
        self._receive_from_bot(self.session, seat, content)
        self.ask()

    def _receive_early(self, session: Session, seat: ServerSeat) -> None:
        """Process the lines that a bot wrote before it was asked, until one of them is its answer."""
        while session.pending is not None and seat.early:
            self._receive_from_bot(session, seat, seat.early.pop(0))

    def _receive_from_bot(self, session: Session, seat: ServerSeat, content: bytes) -> None:
        step = session.receive(seat, content, self.host.now())
        if step.other is not None:
            step = session.receive_option(step.other, self.host.now())
        self._carry_out(step)

    def lose_bot(self, seat: ServerSeat, code: str, words: str) -> None:
        """Handle the loss of a bot run by the server. It is restarted at its next request."""
        assert self.session is not None
        self._carry_out(self.session.lost(seat, code, words))
        self.ask()

    def give_up(self, seat: ServerSeat, words: str) -> None:
        """Give away the seat of a player who left or stayed away longer than allowed."""
        if self.state == "playing":
            assert self.session is not None
            self._carry_out(self.session.give_up(seat, words))
            self.ask()

    def tick(self, now: float) -> None:
        """Check the deadline of the open request, absent players, and delayed messages for spectators."""
        session = self.session
        if self.state == "playing" and session is not None:
            pending = session.pending
            if pending is not None and pending.deadline is not None and now > pending.deadline:
                self._carry_out(session.late())
                self.ask()
            for seat in () if self.is_waiting else self.seats:
                since = seat.absent_since
                if since is not None and seat.player is None and now - since > self.host.absence_s:
                    self.give_up(seat, f"away for {self.host.absence_s:g} s")
        if self.spec.watch_delay_s:
            for watcher in self.watchers:
                while watcher.waiting and watcher.waiting[0][0] <= now:
                    watcher.connection.post(watcher.waiting.popleft()[1])

    def finish(self, reason: EndReason | None = None) -> None:
        """Write and send the result. `reason` is why an unfinished game ends."""
        match, session = self.match, self.session
        if self.state == "ended":
            return
        assert match is not None
        assert session is not None
        step = session.finish(reason)
        self._carry_out(step)
        result = cast(ResultLine, step.lines[0])
        self.state, self.action_history = "ended", None
        faults = [seat.faults for seat in self.seats]
        why = msgspec.convert(result.reason, EndReason)
        self.outcome = Outcome(result.scores, result.ranks, why, faults, match.number, self.host.wall())
        for watcher in self.watchers:
            self.to_watcher(watcher, frame(Update(self.id, [], match.view_for(ALL_SEATS))))
            self.to_watcher(watcher, self._end())
        if self.look is not None:
            self.look(self)
        self.host.ended(self)

    # What the session decides

    def _carry_out(self, step: Step) -> None:
        """Log, then send, then stop or replace a player. Both are queued, and the log is written first.

        The effects of the opening are part of the start message, so spectators get no update about them.
        """
        host = self.host
        for line in step.lines:
            if type(line) is not ActionLine:
                host.write(self, line)
                host.faults += type(line) is FaultLine
                continue
            host.write(self, line if line.info is None else self._with_allowed_note(line))
            self.logged += 1
            if self.action_history is not None:
                self.action_history.add(line.seat, line.action, line.events)
            if not line.opening:
                host.moves += 1
                self.active_at = host.now()
                if self.look is not None:
                    self.look(self)
                if self.watchers:
                    self._send_to_watchers(len(line.events))
        for connection, message in step.messages:
            connection.post(frame(message))
        if step.stop is not None:
            self._stop(self.seats[step.stop[0].index], step.stop[1])
        if step.substitute is not None:
            self._substitute(self.seats[step.substitute.index])

    def _with_allowed_note(self, line: ActionLine[Any, Any]) -> ActionLine[Any, Any]:
        """Return `line`, without its note if the player may not store one of that size."""
        size = len(msgspec.json.encode(line.info))
        if not self.host.may_note(self, self.seats[line.seat], size):
            return msgspec.structs.replace(line, info=None)
        self.notes_bytes += size
        return line

    def _send_to_watchers(self, count: int) -> None:
        """Send the last `count` events to all spectators."""
        match = self.match
        assert match is not None
        content = frame(Update(self.id, match.events_for(PUBLIC, len(match.history) - count)))
        for watcher in self.watchers:
            self.to_watcher(watcher, content)

    def _start_bot(self, seat: ServerSeat) -> None:
        assert self.session is not None
        seat.channel = self.host.start_bot(self, seat)
        self._carry_out(self.session.introduce(seat.channel, is_new=True))

    def _stop(self, seat: ServerSeat, code: str) -> None:
        """Stop a bot run by the server."""
        bot, seat.channel, seat.early = seat.channel, None, []
        if bot is not None:
            bot.drop(code, "the program is ended")

    def _substitute(self, seat: ServerSeat) -> None:
        """Let a substitute play for a seat and inform everybody."""
        seat.player = substitute(self.game.name, seat.index)
        self.tell_changed()
        if seat.is_process:
            self._stop(seat, "substituted")
        elif seat.channel is not None:
            seat.channel.post(frame(Error("substituted", SUBSTITUTED, fatal=False)))
        self.host.lost(self, seat)

    # Connections and spectators

    def attach(self, seat: ServerSeat, connection: Connection) -> None:
        """Give a seat to a connection. An older connection is informed and closed."""
        older = seat.channel
        seat.channel = connection
        seat.absent_since = None
        self.active_at = self.host.now()
        if self.session is not None:
            self.session.return_to_holder(seat)
        if older is not None and older is not connection:
            older.drop("replaced", "this seat is now played from another connection")

    def again(self, seat: ServerSeat, connection: Connection) -> None:
        """Send the whole history, with the open request if there is one."""
        match, session = self.match, self.session
        assert match is not None
        if self.state == "playing" and session is not None and match.seat == seat.index and seat.player is None:
            if session.pending is not None:
                self._carry_out(session.repeat_request(self.host.now(), with_history=True))
            else:
                seat.seen = 0
                self.ask()
            return
        events = match.events_for(seat.index, 0)
        seat.seen = len(match.history)
        connection.post(frame(Update(self.id, events, match.view_for(seat.index))))
        if self.state == "ended":
            connection.post(self._end())

    def detach(self, connection: Connection) -> None:
        """Handle a closed connection. Its seat is kept for its holder for a while."""
        self.watchers = [watcher for watcher in self.watchers if watcher.connection is not connection]
        for seat in self.seats:
            if seat.channel is connection:
                seat.channel = None
                seat.absent_since = self.host.now()
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

    def to_watcher(self, watcher: Watcher, content: bytes) -> None:
        if self.spec.watch_delay_s:
            watcher.waiting.append((self.host.now() + self.spec.watch_delay_s, content))
        else:
            watcher.connection.post(content)

    def _start(self, seat: int | None, join: Join) -> bytes:
        assert self.match is not None
        return frame(start_of(self.id, self.match, seat, self.clock, join))

    def _end(self) -> bytes:
        """Return the end message for clients that already have all events."""
        outcome = self.outcome
        assert outcome is not None
        return frame(End(self.id, outcome.scores, outcome.ranks, outcome.reason, outcome.faults))


def _no_time() -> float:
    """Return the time for built-in players of a server, which are not charged."""
    return 0.0


@cache
def _decoder(game: str) -> msgspec.json.Decoder[Any]:
    return client_decoder(load_game(game).action_type, LobbyRequest | PoolRequest)
