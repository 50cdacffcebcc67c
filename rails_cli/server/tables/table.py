"""A table: the seats of a match, its spectators, and the session that processes their messages.

The log of a table contains everything needed to continue the game after a crash.
"""

from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, cast

import msgspec

from rails_cli.games import load_game
from rails_cli.games.game import ALL_SEATS, PUBLIC, Game
from rails_cli.games.openings import drawn_opening
from rails_cli.logs.chain import Beginning
from rails_cli.logs.reading import count_moves
from rails_cli.match.action_history import ActionHistory
from rails_cli.match.clock import clock_line
from rails_cli.match.match import Match, ResumePoint, count_forced_passes, header_of
from rails_cli.match.session import Session, start_of
from rails_cli.match.step import Step
from rails_cli.players.builtin import play_builtin, substitute
from rails_cli.protocol.lines import client_decoder, decode_or_error, frame
from rails_cli.protocol.lobby import LobbyRequest, TableChanged, TableInfo, TableState
from rails_cli.protocol.log import ActionLine, PlayerLine, ResultLine, Seed, UndoLine
from rails_cli.protocol.messages import MAX_LINE, Clock, End, EndReason, Error, Update, ViewForm
from rails_cli.protocol.pool import PoolRequest
from rails_cli.server.store.records import GameOutcome, SavedSeat, SavedTable, Spec
from rails_cli.server.tables.seat import Connection, ServerSeat
from rails_cli.server.tables.spectators import Spectators
from rails_cli.server.tables.standing_orders import TableOrders, end_orders, follow_orders
from rails_cli.server.workers.thinkers import DistantAdviser, DistantPlayer
from rails_cli.study.lessons import LEARNER, GuidedGame

if TYPE_CHECKING:
    from rails_cli.server.tables.registry import TableRegistry

HOLDER_DIGITS = 32
"""Number of hex digits of the hash of a seat's token in the log. They identify the holder of the seat."""
SLICE_S = 0.005
"""Seconds for which the built-in players of a table may move without interruption, before other work is done."""
SUBSTITUTED = "a substitute is playing for you; `resume` with your token to take your seat back"


class GameTable:
    """A table at which one game is played. It exists while seats are free, during the game, and after the result."""

    def __init__(
        self,
        spec: Spec,
        game: Game[Any, Any],
        board: Any,
        clock: Clock | None,
        host: "TableRegistry",
        board_line: Any = "standard",
    ) -> None:
        """`board_line` is the board as written to the log: "standard" or the content of a board file."""
        self.spec = spec
        self.id = spec.table
        self.game = game
        self.board = board
        self.board_line = board_line
        self.clock = clock
        self.host = host
        self.turn = host.turn
        self.decoder = _decoder(game.name)
        """Decoder of the messages of players: answers, options, and requests outside the game."""
        self.seats = [ServerSeat(index, "open") for index in range(spec.players)]
        self.spectators = Spectators(spec.watch_delay_s, host.now)
        self.match: Match | None = None
        """The match. None before the game. After the game, it is None while nobody is at the table."""
        self.session: Session | None = None
        """The session, which checks answers and deadlines of the match. None before the game."""
        self.orders = TableOrders()
        """Standing orders of the players."""
        self.action_history: ActionHistory | None = None
        """The actions played. None before the first undo request and after the end of the game."""
        self.is_due = False
        """Whether the table is listed in `Turn.due`, so that its game continues in this turn of the event loop."""
        self.logged = 0
        """Number of action and undo lines in the log."""
        self.request_offset = 0
        """Number added to all request numbers of the match. Each undo raises it, so that no number is used twice."""
        self.state: TableState = "open"
        self.yields = False
        """Whether the table has a low priority, because only bots of the rated pool play here."""
        self.outcome: GameOutcome | None = None
        self.active_at = host.now()
        """Time on the server's clock, in seconds, of the last action or of the last arrival of a player."""
        self.notes_bytes = 0
        """Total size in bytes of the players' notes (`info` of answers) in the log."""
        self.lesson = GuidedGame(game.name, LEARNER) if spec.lesson else None
        """The progress of the learner at a table with lessons. None at other tables."""
        self._adviser = DistantAdviser(host.players.think)
        """The player that suggests the moves of the lessons. Not used at other tables."""
        self.on_change: Callable[[GameTable], None] | None = None
        """Callback after each change of the table. None if no client asked for drawings of the table."""

    @property
    def is_full(self) -> bool:
        """Whether the game has not begun and no seat is free."""
        return self.state == "open" and not any(seat.is_free for seat in self.seats)

    @property
    def is_result_public(self) -> bool:
        """Whether the game has ended and the spectator delay after its end is over."""
        outcome = self.outcome
        return self.state == "ended" and (outcome is None or self.host.wall() - outcome.at >= self.spec.watch_delay_s)

    @property
    def has_undo(self) -> bool:
        """Whether moves can be taken back if all players agree.

        Always false at tables with players `bot:NAME` and at tables of the pool.
        """
        is_for_bots = any(seat.server_side is not None and seat.server_side.startswith("bot:") for seat in self.seats)
        return self.spec.undo and self.spec.pool is None and not is_for_bots

    @property
    def has_hints(self) -> bool:
        """Whether players can ask for hints. Always false at tables of the pool."""
        return self.spec.hints and self.spec.pool is None

    @property
    def is_attended(self) -> bool:
        """Whether any player or spectator is connected."""
        return bool(self.spectators) or any(seat.channel is not None for seat in self.seats)

    @property
    def is_waiting(self) -> bool:
        """Whether the table may wait without time limit if its only player is absent.

        True for a table outside the pool with one human player, without a clock and without bot processes.
        """
        players = [seat for seat in self.seats if seat.server_side is None]
        is_alone = len(players) == 1 and not any(seat.is_process for seat in self.seats)
        return is_alone and self.clock is None and self.spec.pool is None

    @property
    def is_computing(self) -> bool:
        """Whether a bot or a built-in player of the server is computing a move, or has computed it just now."""
        session = self.session
        if self.state != "playing" or session is None or session.match.seat is None:
            return False
        if session.pending is not None:
            return self.seats[session.match.seat].is_process
        player = self.seats[session.match.seat].player
        return type(player) is DistantPlayer and player.has_begun(session.match)

    def waiting_s(self, now: float) -> float:
        """Return the number of seconds since the open request was sent. 0 without an open request or a time limit."""
        pending = None if self.session is None else self.session.pending
        return 0.0 if pending is None or pending.budget_s is None else now - pending.asked_at

    def info(self, *, for_players: bool = False) -> TableInfo:
        """Return a description of the table.

        If `for_players` is false, leave out everything that spectators see only after the spectator delay.
        """
        spec, outcome = self.spec, self.outcome
        is_late = spec.watch_delay_s > 0 and not for_players
        if is_late and not self.is_result_public:
            actions = self.spectators.shown_actions
        elif outcome is not None:
            actions = outcome.actions
        else:
            actions = 0 if self.match is None else self.match.questions
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
            hints=self.has_hints,
            lesson=spec.lesson,
            rematch=[seat.index for seat in self.seats if seat.is_rematch_wanted],
            pool=None if spec.pool is None else "rated" if spec.pool.rated else "unrated",
        )

    # Before the game

    def begin(self, seed: Seed, bots_kept_in: str | None = None) -> None:
        """Start the game of a full table.

        `bots_kept_in` is the name of the bots' sandbox, which is written to the log.
        """
        clock = clock_line(self.clock)
        options = msgspec.convert(self.spec.options, self.game.options_type)
        opening = None
        if self.spec.openings == "drawn":
            of = seed if self.spec.pool is None else self.spec.pool.group.seed
            opening = drawn_opening(self.game, self.board, self.spec.players, options, of)
        players = player_lines(self, bots_kept_in)
        header = header_of(
            self.game, options, seed, players, board=self.board_line, clock=clock, opening=opening, match=self.id
        )
        match = Match(self.game, self.board, header)
        self.log(match.header)
        self.log(match.setup_line)
        for seat in self.seats:
            seat.set_clock(self.clock)
        self.start_match(match)

    def begin_from(self, beginning: Beginning, left: ResumePoint) -> None:
        """Start the game from the position `left` of another game. `beginning` has the first lines of the new log."""
        self.turn.files.todo.append(("beginning", self.id, beginning))
        self.restore_match(left, beginning.lines)
        for seat in self.seats:
            seat.set_clock(self.clock)
            seat.restore(left, self.host.policy)
        self.start_match(left.match)

    def restore_match(self, left: ResumePoint, lines: Sequence[bytes], notes_bytes: int = 0) -> None:
        """Set the match to `left`, the position at the end of the table's log. `lines` are the lines of that log.

        `notes_bytes` is the total size in bytes of the players' notes in these lines.
        """
        self.match, self.request_offset, self.logged = left.match, left.request_offset, count_moves(lines)
        self.notes_bytes = notes_bytes

    def start_match(self, match: Match, used_s: float = 0.0) -> None:
        """Start to play a new or restored match. `used_s` is the time in seconds already used for its open request."""
        self.match = match
        self.board = match.board
        self.session = session = Session(
            match,
            self.seats,
            self.host.policy._replace(clock=self.clock),
            name=self.id,
            numbers_after=self.request_offset,
        )
        step = session.begin()
        self._count_actions(0)
        self.state = "playing"
        for seat in self.seats:
            if seat.is_abandoned:
                seat.player, seat.has_substitute = substitute(self.game.name, seat.index), True
            elif seat.is_process:
                self._start_bot(seat)
            elif seat.channel is None and seat.server_side is None:
                seat.absent_since = self.host.now()
            elif seat.channel is not None:
                self.send_start(seat, seat.channel)
                if seat.channel.join.push and seat.channel.join.push_view:
                    self._post(session.update(seat))
        for connection in self.spectators:
            self._send_position(connection)
        self.send_table()
        if self.on_change is not None:
            self.on_change(self)
        self.advance(step, used_s)

    def go_back(self, line: UndoLine) -> None:
        """Take back the moves that `line` names and continue from the earlier position. Clocks are not set back."""
        match, action_history = self.match, self.action_history
        assert match is not None
        assert action_history is not None
        self.log(line)
        self.logged += 1
        if line.ms is not None and match.seat is not None:
            self.seats[match.seat].clock.spend(line.ms)
        for seat in self.seats:
            if seat.is_process:
                self._stop(seat, "undo")
        self.request_offset += match.questions + 1
        end_orders(self, dict.fromkeys(self.orders.by_seat, "A move was taken back, so your order has ended."))
        self.active_at = self.host.now()
        before = action_history.go_back(line.to)
        self.start_match(before)
        for seat in self.seats:
            is_asked = seat.index == before.seat
            if seat.channel is not None and not seat.is_process and not is_asked and seat.seen == 0:
                self.again(seat, seat.channel)

    def send_start(self, seat: ServerSeat, connection: Connection) -> None:
        """Send the start message of the match to a player.

        The next message about the game contains the whole history.
        """
        seat.forget_sent()
        assert self.match is not None
        connection.post(frame(start_of(self.id, self.match, [seat.index], self.clock, connection.join)))

    def send_table(self) -> None:
        """Send a description of the table and its seats to all players and spectators of the table."""
        content = frame(TableChanged(self.info()))
        for seat in self.seats:
            if seat.channel is not None:
                seat.channel.post(content)
        self.spectators.post_all(content)

    # The game

    def log(self, line: Any) -> None:
        """Queue `line` for the log of the table."""
        self.turn.files.todo.append(("line", self.id, line))

    def advance(self, step: Step, used_s: float = 0.0) -> None:
        """Carry out `step` and the steps that follow, until a player outside this process has to answer.

        A step is a decision of the session. It has log lines, messages, and seats that need another player. Lines and
        messages are only queued here. At the end of a turn of the event loop, all lines are written, and then all
        messages are sent. `used_s` is the time in seconds already used for the next request.
        """
        host, turn, session = self.host, self.turn, self.session
        assert session is not None
        self.is_due = False
        if not turn.is_running:
            turn.wake()
        until, is_ordered = host.now() + SLICE_S, False
        while True:
            for line in step.lines:
                if type(line) is ActionLine:
                    self.logged += 1
                    if line.info is not None:
                        line = self._with_allowed_note(line)
                    if not line.opening:
                        self._count_actions(1 + count_forced_passes(line.events))
                        self.active_at = host.now()
                    if self.on_change is not None or self.spectators or self.action_history is not None:
                        self._show(line)
                else:
                    host.faults += 1
                turn.files.todo.append(("line", self.id, line))
            for connection, message in step.messages:
                connection.outbox.append(frame(message))
                turn.unsent.append(connection)
            if step.stop is not None or step.substitute is not None:
                self._replace_player(step)
            if self.state != "playing":
                return
            pending, to_move = session.pending, session.match.seat
            if is_ordered and pending is None and host.now() > until:  # orders can bid against each other for long
                self._advance_later()
                return
            ordered = follow_orders(self) if self.orders.by_seat and pending is None else None
            if (
                self.lesson is not None
                and pending is None
                and to_move == LEARNER
                and self.seats[LEARNER].player is None
            ):
                move = self.lesson.planned(session.match) or self._adviser.chosen(session.match)
                if move is None:
                    self._adviser.think(session.match, self._advance_later)
                    return
                ordered = self.lesson.answer(session.match, move)
            if pending is not None:
                early = self.seats[pending.seat.index].early
                if not early:
                    return
                step = session.receive(pending.seat, decode_or_error(early.pop(0), self.decoder), host.now())
            elif to_move is None or session.void is not None:
                self.finish()
                return
            elif host.is_pausing and not self.is_computing:
                return
            elif ordered is not None:
                step, used_s = session.chosen(self.seats[to_move], ordered, int(used_s * 1000)), 0.0
                is_ordered = True
            elif (seat := self.seats[to_move]).player is None:
                if seat.is_process or self.spec.pool is not None:
                    self._prepare_to_ask(seat)
                step, used_s = session.ask(seat, host.now(), used_s), 0.0
                if self.on_change is not None:  # the position may have been shown before the seat was asked
                    self.on_change(self)
            elif (next_step := self._play_inside(seat, until)) is not None:
                step = next_step
            else:
                return

    def _count_actions(self, count: int) -> None:
        """Add `count` to the number of actions played at this server, after the spectator delay of the table is over.

        Forced passes count as actions. Otherwise the number would reveal that a pass was forced.
        """
        if self.spec.watch_delay_s:
            assert self.match is not None
            self.spectators.hide(self.match.questions, count)
        else:
            self.host.moves += count

    def _prepare_to_ask(self, seat: ServerSeat) -> None:
        """Start the bot of a seat if it is not running.

        In a game of the pool, also set the network latency of the seat. The latency does not count as thinking time of
        the next move.
        """
        if seat.has_time:
            if seat.is_process and seat.channel is None:
                self._start_bot(seat)
            if self.spec.pool is not None:
                seat.allow_lag()

    def _play_inside(self, seat: ServerSeat, until: float) -> Step | None:
        """Play the next move of the built-in player of `seat` and return the resulting step.

        Return None if a worker process is still computing the move, or if the time `until` is over. In both cases, the
        game continues later.
        """
        session = self.session
        assert session is not None
        if type(seat.player) is DistantPlayer:
            action = seat.player.chosen(session.match)
            if action is not None:
                return session.chosen(seat, action)
            seat.player.think(session.match, self._advance_later)
        elif self.host.now() > until:
            self._advance_later()
        else:
            return play_builtin(session, seat, _no_time)
        return None

    def _advance_later(self) -> None:
        def advance() -> None:
            if self.state == "playing":
                self.advance(Step())

        self.host.later(self, advance)

    def receive_from_bot(self, seat: ServerSeat, content: bytes) -> None:
        """Process an output line of a bot. If the bot does not have to move, store the line for its next request."""
        session = self.session
        assert session is not None
        if session.pending is not None and session.pending.seat is seat:
            self.advance(session.receive(seat, decode_or_error(content, self.decoder), self.host.now()))
        elif sum(map(len, seat.early)) + len(content) <= MAX_LINE:
            seat.early.append(content)

    def lose_bot(self, seat: ServerSeat, code: str, words: str) -> None:
        """Handle a bot process that ended or broke a rule. `code` and `words` describe the fault.

        The next request restarts the process.
        """
        assert self.session is not None
        self.advance(self.session.lost(seat, code, words))

    def give_up(self, seat: ServerSeat, words: str) -> None:
        """Replace the player of a seat by a substitute, because the player left or was absent too long.

        `words` is the reason.
        """
        if self.state == "playing":
            assert self.session is not None
            self.advance(self.session.give_up(seat, words))

    def tick(self, now: float) -> None:
        """Check the deadline of the open request and the time of absent players.

        Send spectators the messages whose spectator delay is over.
        """
        session = self.session
        if self.state == "playing" and session is not None:
            pending = session.pending
            if pending is not None and pending.is_late(now):
                self.advance(session.late())
            for seat in () if self.is_waiting else self.seats:
                is_served = seat.index in self.orders.by_seat and session.match.seat != seat.index
                if is_served and seat.absent_since is not None:
                    seat.absent_since = now  # the server answers for the player, who need not be there
                since = seat.absent_since
                if since is not None and seat.player is None and now - since > self.host.absence_s:
                    self.give_up(seat, f"away for {self.host.absence_s:g} s")
        self.host.moves += self.spectators.tick(now)

    def finish(self, reason: EndReason | None = None) -> None:
        """Log and send the result of the game. `reason` is the reason for an early end, or None for a regular end."""
        match, session = self.match, self.session
        if self.state == "ended":
            return
        assert match is not None
        assert session is not None
        step = session.finish(reason)
        result = cast(ResultLine, step.lines[0])
        self.log(result)
        self._post(step)
        self.state, self.action_history = "ended", None
        self.orders.by_seat.clear()
        faults, codes = session.faults, session.fault_codes
        why = msgspec.convert(result.reason, EndReason)
        voided_by = session.lost_seats if session.void is not None else []
        substituted = [seat.index for seat in self.seats if seat.has_substitute and seat.server_side is None]
        self.outcome = GameOutcome(
            result.scores, result.ranks, why, faults, match.number, self.host.wall(), substituted, codes, voided_by
        )
        if self.spectators:
            self.spectators.post_all(frame(Update(self.id, [], match.view_for(ALL_SEATS))))
            self.spectators.post_all(end_message(self))
        if self.on_change is not None:
            self.on_change(self)
        self.host.ended(self)

    # What the session decides

    def _post(self, step: Step) -> None:
        """Queue each message of `step`, a decision of the session, for its connection."""
        for connection, message in step.messages:
            connection.post(frame(message))

    def _show(self, line: ActionLine[Any, Any]) -> None:
        """Pass an action to the history for undo requests, to clients with drawings, and to spectators.

        Actions of a predefined opening are not sent to spectators, because the start message includes their effects.
        """
        if self.action_history is not None:
            self.action_history.add(line.seat, line.action, line.events)
        if not line.opening and self.on_change is not None:
            self.on_change(self)
        if not line.opening and self.spectators:
            match = self.match
            assert match is not None
            for events in match.event_parts(PUBLIC, len(match.history) - len(line.events)):
                self.spectators.post_all(frame(Update(self.id, events)))

    def _replace_player(self, step: Step) -> None:
        """Carry out the changes of players in `step`.

        If `step.stop` is not None, the bot of this seat is stopped. If `step.substitute` is not None, this seat gets a
        substitute.
        """
        if step.stop is not None:
            self._stop(self.seats[step.stop[0].index], step.stop[1])
        if step.substitute is not None:
            self._substitute(self.seats[step.substitute.index])

    def _with_allowed_note(self, line: ActionLine[Any, Any]) -> ActionLine[Any, Any]:
        """Return `line`. Remove the player's note if the limits do not allow a note of that size."""
        size = len(msgspec.json.encode(line.info))
        if not self.host.may_note(self, self.seats[line.seat], size):
            return msgspec.structs.replace(line, info=None)
        self.notes_bytes += size
        return line

    def _start_bot(self, seat: ServerSeat) -> None:
        assert self.session is not None
        seat.channel = self.host.start_bot(self, seat)
        self._post(self.session.introduce(seat.channel, is_new=True))

    def _stop(self, seat: ServerSeat, code: str) -> None:
        """Stop the program that plays a seat for the server, and discard its unread lines. `code` names the reason.

        The next request starts the program again, unless a substitute plays the seat.
        """
        bot, seat.channel, seat.early = seat.channel, None, []
        if bot is not None:
            bot.drop(code, "the program is ended")

    def _substitute(self, seat: ServerSeat) -> None:
        """Let a built-in player take over a seat, and inform all players and spectators of the table."""
        seat.player = substitute(self.game.name, seat.index)
        self.host.note("seat_lost", self.id, None if seat.channel is None else seat.channel.number, seat=seat.index)
        self.send_table()
        if seat.is_process:
            self._stop(seat, "substituted")
        elif seat.channel is not None:
            seat.channel.post(frame(Error("substituted", SUBSTITUTED, fatal=False)))
        self.host.on_seat_lost(self, seat)

    # Connections and spectators

    def attach(self, seat: ServerSeat, connection: Connection) -> None:
        """Give a seat to a connection. An older connection that held the seat gets an error message and is closed."""
        older = seat.channel
        seat.channel = connection
        seat.absent_since = None
        self.active_at = self.host.now()
        if self.session is not None and self.state == "playing":
            self.session.return_to_holder(seat)
        if older is not None and older is not connection:
            older.drop("replaced", "this seat is now played from another connection")

    def again(self, seat: ServerSeat, connection: Connection, form: ViewForm | None = None) -> None:
        """Send all events of the match to the player of a seat. If the player has to move, repeat the request.

        `form` is the form of the position in the repeated request. None means the form that the player chose.
        """
        match, session = self.match, self.session
        assert match is not None
        if self.state == "playing" and session is not None and match.seat == seat.index and seat.player is None:
            if session.pending is not None:
                self.advance(session.repeat_request(self.host.now(), with_history=True, form=form))
            else:
                seat.forget_sent()
                self.advance(Step())
            return
        events = match.events_for(seat.index, 0)
        seat.seen = len(match.history)
        connection.post(frame(Update(self.id, events, match.view_for(seat.index))))
        if self.state == "ended":
            connection.post(end_message(self))

    def detach(self, connection: Connection) -> None:
        """Remove a closed connection from the table.

        The player may return to the seat until the allowed absence is over.
        """
        self.spectators.remove(connection)
        for seat in self.seats:
            if seat.channel is connection:
                seat.channel = None
                seat.absent_since = self.host.now()
                self.send_table()

    def watch(self, connection: Connection) -> None:
        self.spectators.add(connection)
        if self.match is not None:
            self._send_position(connection)

    def _send_position(self, spectator: Connection) -> None:
        assert self.match is not None
        start = start_of(self.id, self.match, [], self.clock, spectator.join)
        self.spectators.post(spectator, frame(start))
        events = self.match.events_for(PUBLIC, 0)
        self.spectators.post(spectator, frame(Update(self.id, events, self.match.view_for(PUBLIC))))


def player_lines(table: GameTable, bots_kept_in: str | None) -> list[PlayerLine]:
    """Return the player of each seat, as written to the log. `bots_kept_in` is the name of the sandbox for bots."""
    pool = table.spec.pool
    return [
        PlayerLine(
            seat.name or f"seat {seat.index}",
            (seat.server_side or "player") if pool is None else pool.specs[seat.index],
            bots_kept_in if seat.server_side and pool is None else None,
            seat.token_seal and seat.token_seal[:HOLDER_DIGITS],
        )
        for seat in table.seats
    ]


def saved_table(table: GameTable) -> SavedTable:
    """Return what the server stores about a table in addition to its log."""
    seats = [
        SavedSeat(
            *(seat.kind, seat.name, seat.server_side, seat.token_seal, seat.invite_seal),
            table.orders.by_seat.get(seat.index),
        )
        for seat in table.seats
    ]
    return SavedTable(table.spec, seats, table.outcome)


def end_message(table: GameTable) -> bytes:
    """Return the encoded message with the result of the game."""
    outcome = table.outcome
    assert outcome is not None
    scores, ranks, codes = outcome.scores, outcome.ranks, outcome.fault_codes
    return frame(End(table.id, scores, ranks, outcome.reason, outcome.faults, fault_codes=codes))


def _no_time() -> float:
    """Return 0, because the thinking time of a server's built-in players is not measured."""
    return 0.0


@cache
def _decoder(game: str) -> msgspec.json.Decoder[Any]:
    return client_decoder(load_game(game).action_type, LobbyRequest | PoolRequest)
