"""Code that plays several matches at the same time over one connection to a client.

All received messages are processed before anything is sent, so that one read and one write handle many moves.
"""

import fcntl
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, NoReturn, cast

import msgspec

from rails_cli.games.game import Game
from rails_cli.match.clock import SeatClock
from rails_cli.match.match import SERVER, Match
from rails_cli.match.session import MatchPolicy, Player, Seat, Session
from rails_cli.match.step import Message, Step
from rails_cli.players.builtin import play_builtin, substitute
from rails_cli.protocol.lines import UNDECODABLE, BadLine, client_decoder, decode_all, decode_or_error
from rails_cli.protocol.log import ResultLine
from rails_cli.protocol.messages import MAX_LINE, PROTOCOL, Again, Answer, Error, Hello, Join
from rails_cli.referee.seats import STDOUT, Gone, StdioLine

PIPE_SIZE = 1 << 20
"""Capacity of the pipe of the standard output, in bytes."""

_encode_into = msgspec.json.Encoder().encode_into


class SharedLine(StdioLine):
    """The connection that all matches share. Messages passed to `post` are queued until `send` is called."""

    def __init__(self, patience_s: float | None) -> None:
        super().__init__(patience_s)
        self.unsent = bytearray()
        self.waited_s = 0.0
        """The clock of all matches, in seconds. It runs only while waiting for input, not while playing or sending."""
        if hasattr(fcntl, "F_SETPIPE_SZ"):
            with suppress(OSError):  # not a pipe, or the system allows no more large pipe buffers
                fcntl.fcntl(STDOUT, fcntl.F_SETPIPE_SZ, PIPE_SIZE)

    def post(self, message: Message) -> None:
        _encode_into(message, self.unsent, -1)
        self.unsent += b"\n"

    def send(self, *, may_wait: bool = True) -> None:
        """Send all queued messages. If `may_wait` is false, raise Gone instead of waiting for the client to read."""
        content, self.unsent = self.unsent, bytearray()
        self.write(content, may_wait=may_wait)

    def lines(self, deadline: float | None) -> bytes:
        """Return all complete lines received, at least one. Return empty bytes if no line arrives before the deadline.

        `deadline` is compared with `waited_s`, the total seconds spent waiting. Raise BadLine if a line is too long.
        """
        began = self.now() - self.waited_s
        while b"\n" not in self.received:
            if len(self.received) > MAX_LINE:
                raise BadLine("too_long", f"a line of more than {MAX_LINE} bytes")
            if not self.read(None if deadline is None else max(0.0, deadline - (self.now() - began))):
                self.waited_s = self.now() - began
                return b""
        self.waited_s = self.now() - began
        end = self.received.rindex(b"\n") + 1
        lines, self.received = self.received[:end], self.received[end:]
        return lines


class HostedMatch:
    """One of several matches that are played over the same connection."""

    def __init__(
        self, match: Match, sitting: Sequence[SharedLine | Player], policy: MatchPolicy, *, write: Callable[[Any], None]
    ) -> None:
        """Prepare a match. `sitting` has the player of each seat: a built-in player or the connection.

        `write` is called with each log line after the set-up line.
        """
        self.match = match
        self.write = write
        self.seats: list[Seat[SharedLine]] = []
        for index, who in enumerate(sitting):
            seat: Seat[SharedLine]
            if isinstance(who, SharedLine):
                seat = Seat(index, channel=who)
                seat.is_shared = sitting.count(who) > 1
            else:
                seat = Seat(index, player=who)
            seat.clock = SeatClock(policy.clock)
            self.seats.append(seat)
        self.session = Session(match, self.seats, policy, is_one_of_many=True)
        self.is_silent = True
        """Whether the client has not sent anything in this match yet."""

    def carry_out(self, step: Step) -> None:
        """Carry out `step`: log its lines, queue its messages, and replace a player if necessary.

        Raise Gone if the client must be disconnected.
        """
        for line in step.lines:
            self.write(line)
        for channel, message in step.messages:
            channel.post(message)
        if step.stop is not None:
            raise Gone("the program at the other end speaks another protocol")
        if step.substitute is not None:
            step.substitute.player = substitute(self.match.game.name, step.substitute.index)


class MatchField(msgspec.Struct):
    """The part of a client's line that names the match to which the line belongs.

    `match` is None if the line names no match.
    """

    match: str | None = None


_MATCH_FIELDS = msgspec.json.Decoder(MatchField)


class ConcurrentMatches:
    """Many matches of one game over one connection, at most `most` at a time. When a match ends, another begins."""

    def __init__(
        self,
        game: Game[Any, Any],
        line: SharedLine,
        most: int,
        begin: Callable[[], HostedMatch | None],
        ended: Callable[[HostedMatch, ResultLine], None],
        *,
        is_timed: bool,
    ) -> None:
        """Prepare to play matches over the connection `line`.

        `begin` returns the next match, or None if there are no more matches. `ended` is called with each finished match
        and its result. `is_timed` says whether the matches have a time control.
        """
        self.line = line
        self.most = most
        self.begin = begin
        self.ended = ended
        self.under_way: dict[str | None, HostedMatch] = {}
        self.is_timed = is_timed
        self._due: list[HostedMatch] = []
        """Matches whose open request was just answered, and which must be continued."""
        self._has_repeated = False
        """Whether all open requests are queued for sending again, so that another `again` message has no effect."""
        self._decoder = client_decoder(game.action_type)

    def play(self) -> None:
        """Play all matches. Raise Gone if the client has ended or must be disconnected."""
        line = self.line
        with line.opened():
            try:
                line.post(Hello(PROTOCOL, SERVER, MAX_LINE, self.most))
                self._fill(is_first=True)
                while self.under_way:
                    line.send()
                    self._receive_all()
                    self._fill()
                line.send()
            except BaseException:
                self._interrupt()
                raise

    def _fill(self, *, is_first: bool = False) -> None:
        """Begin matches until `most` are running or no more are left.

        With `is_first`, the client gets additional time to start.
        """
        while len(self.under_way) < self.most:
            hosted = self.begin()
            if hosted is None:
                return
            session = hosted.session
            self.under_way[session.name] = hosted
            hosted.carry_out(session.begin())
            if is_first:
                session.allow_start_up(self.line)
            hosted.carry_out(session.introduce(self.line, is_new=False))
            self._continue(hosted)

    def _continue_due(self) -> None:
        """Continue all matches whose open request was answered just now."""
        due, self._due = self._due, []
        for hosted in due:
            self._continue(hosted)

    def _continue(self, hosted: HostedMatch) -> None:
        """Continue a match until the client must be asked or the match is over."""
        session = hosted.session
        while (seat := session.to_move) is not None:
            if seat.player is not None:
                hosted.carry_out(play_builtin(session, seat, self.line.now))
                continue
            hosted.carry_out(session.ask(seat, self.line.waited_s))
            if session.pending is not None:
                return
        del self.under_way[session.name]
        step = session.finish()
        hosted.carry_out(step)
        self.ended(hosted, cast(ResultLine, step.lines[0]))

    def _receive_all(self) -> None:
        """Wait for lines and process them. Then play the default action in matches whose deadline has passed."""
        pending = [hosted.session.pending for hosted in self.under_way.values()] if self.is_timed else []
        deadlines = [request.deadline for request in pending if request is not None]
        try:
            lines = self.line.lines(min(filter(None, deadlines), default=None))
        except BadLine as bad:
            self._refuse(bad)
        now = self.line.waited_s
        self._has_repeated = False
        answers = decode_all(lines, self._decoder)
        if answers is not None:
            for answer in answers:
                self._receive(answer, b"", now)
        else:
            for content in lines.split(b"\n"):
                if content and not content.isspace():
                    self._receive(decode_or_error(content, self._decoder), content, now)
        self._continue_due()
        if self.is_timed:
            for hosted in list(self.under_way.values()):
                request = hosted.session.pending
                if request is not None and request.is_late(now):
                    hosted.carry_out(hosted.session.late())
                    self._continue(hosted)

    def _receive(self, answer: Any, content: bytes, now: float) -> None:
        """Process one line of the client. `answer` is the decoded message, or a `BadLine` for an invalid line.

        `content` is the line itself. It is used only for an invalid line.
        """
        name: str | None = None
        if type(answer) is Answer:
            name = answer.match
        elif type(answer) is BadLine:
            name = match_field(content).match
        hosted = self.under_way.get(name)
        if hosted is not None and hosted.session.pending is None:
            # The request was just answered. Open the next request first, because this line may answer it.
            self._continue_due()
            hosted = self.under_way.get(name)
        if hosted is not None:
            hosted.is_silent = False
            pending = hosted.session.pending
            assert pending is not None
            at = now if pending.deadline is None or now < pending.deadline else pending.deadline
            hosted.carry_out(hosted.session.receive(pending.seat, answer, at))
            if hosted.session.pending is None:
                self._due.append(hosted)
        elif type(answer) is Join or type(answer) is Again:
            self._receive_option(answer, now)
        elif name is not None:
            self.line.post(Error("stale_request", f"match {name[:99]} is not under way", fatal=False))
        else:
            without = BadLine("bad_line", f"{self.most} matches are played at once: an answer must name its `match`")
            self._refuse(answer if type(answer) is BadLine else without)

    def _receive_option(self, option: Join | Again, now: float) -> None:
        self._continue_due()
        if type(option) is Again:
            if self._has_repeated:
                return
            self._has_repeated = True
        for hosted in self.under_way.values():
            pending = hosted.session.pending
            assert pending is not None
            hosted.carry_out(hosted.session.receive(pending.seat, option, now))

    def _refuse(self, bad: BadLine) -> NoReturn:
        """End all matches, because the client sent a line that belongs to none of them, and raise Gone."""
        self.line.post(Error(bad.code, str(bad), fatal=True))
        raise Gone(f"the program at the other end sent something that cannot be read: {bad}")

    def _interrupt(self) -> None:
        """Inform the client that all matches are interrupted. Do not wait if the client does not read its input."""
        for hosted in self.under_way.values():
            hosted.carry_out(hosted.session.interrupt())
        with suppress(Gone):
            self.line.send(may_wait=False)


def match_field(content: bytes) -> MatchField:
    """Return the match name in the line `content`. The name is None if the line cannot be decoded."""
    try:
        return _MATCH_FIELDS.decode(content)
    except UNDECODABLE:
        return MatchField()
