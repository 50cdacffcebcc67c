"""The driver of several matches at once over one connection.

All received messages are processed before anything is sent, so that one read and one write serve many moves.
"""

import fcntl
import os
import select
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, NoReturn, cast

import msgspec

from rails_cli.games.game import Game
from rails_cli.match.clock import SeatClock
from rails_cli.match.match import SERVER, Match
from rails_cli.match.seats import Gone, look_ms, unread_words
from rails_cli.match.session import MatchPolicy, Message, Player, Seat, Session, Step
from rails_cli.players.builtin import play_builtin, substitute
from rails_cli.protocol.lines import BadLine, client_decoder, decode, decode_all
from rails_cli.protocol.log import ResultLine
from rails_cli.protocol.messages import MAX_LINE, PROTOCOL, Again, Answer, Error, Hello, Join

READ_SIZE = 1 << 16
PIPE_SIZE = 1 << 20
MAX_UNREAD = 1 << 25
"""Most bytes buffered from a client that does not read what is sent to it."""

_encode_into = msgspec.json.Encoder().encode_into


class SharedLine:
    """The connection shared by all matches, on two file descriptors. Posted messages are queued until `send`."""

    def __init__(
        self,
        source: int = 0,
        sink: int = 1,
        patience_s: float | None = None,
        now: Callable[[], float] = time.perf_counter,
    ) -> None:
        """A client that reads nothing for `patience_s` seconds while data is pending is given up. `now` is the clock
        in seconds."""
        self.source = source
        self.sink = sink
        self.patience_s = patience_s
        self.now = now
        self.join = Join()
        self.unsent = bytearray()
        """Encoded messages that are not sent yet."""
        self.received = b""
        self.has_ended = False
        self.waited_s = 0.0
        """The clock of all matches, in seconds. It runs only while waiting for input, not while playing or sending."""
        self.reading, self.moving = select.poll(), select.poll()
        self.reading.register(source, select.POLLIN)
        self.moving.register(source, select.POLLIN)
        self.moving.register(sink, select.POLLOUT)

    def post(self, message: Message) -> None:
        """Queue a message. It is encoded now, because it refers to the position."""
        _encode_into(message, self.unsent, -1)
        self.unsent += b"\n"

    @contextmanager
    def opened(self) -> Iterator[None]:
        """Set the output to non-blocking while the context is active."""
        was_blocking = os.get_blocking(self.sink)
        os.set_blocking(self.sink, False)
        if hasattr(fcntl, "F_SETPIPE_SZ"):
            with suppress(OSError):  # not a pipe, or too many large ones
                fcntl.fcntl(self.sink, fcntl.F_SETPIPE_SZ, PIPE_SIZE)
        try:
            yield
        finally:
            os.set_blocking(self.sink, was_blocking)

    def send(self, *, may_wait: bool = True) -> None:
        """Send the queued messages. While the output is blocked, keep reading input to avoid a deadlock."""
        content, self.unsent = memoryview(self.unsent), bytearray()
        while content:
            try:
                content = content[os.write(self.sink, content) :]
            except BlockingIOError:
                if not may_wait:
                    raise Gone("our output is not read at once") from None
                self._wait_to_write()
            except BrokenPipeError:
                raise Gone("nobody reads our output any more") from None

    def _wait_to_write(self) -> None:
        """Wait until the output is writable, and read input meanwhile. Raise Gone after `patience_s`."""
        until = None if self.patience_s is None else self.now() + self.patience_s
        ready: set[int] = set()
        while self.sink not in ready:
            left_s = None if until is None else until - self.now()
            if left_s is not None and left_s <= 0:
                raise Gone(unread_words(self.patience_s))
            ready = {end for end, _ in self.moving.poll(look_ms(left_s))}
            if self.source in ready:
                self._read()

    def lines(self, deadline: float | None) -> bytes:
        """Return the complete lines received, at least one. Empty if the deadline passed without input."""
        began = self.now() - self.waited_s
        while b"\n" not in self.received:
            if len(self.received) > MAX_LINE:
                raise BadLine("too_long", f"a line of more than {MAX_LINE} bytes")
            if self.has_ended:
                raise Gone("the input has ended")
            if deadline is not None:
                left_s = max(0.0, deadline - (self.now() - began))
                if not self.reading.poll(look_ms(left_s)):
                    self.waited_s = self.now() - began
                    return b""
            self._read()
        self.waited_s = self.now() - began
        end = self.received.rindex(b"\n") + 1
        lines, self.received = self.received[:end], self.received[end:]
        return lines

    def _read(self) -> None:
        try:
            chunk = os.read(self.source, READ_SIZE)
        except BlockingIOError:
            self.reading.poll()
            return
        if not chunk:
            self.has_ended = True
            self.moving.unregister(self.source)
        self.received += chunk
        if len(self.received) > MAX_UNREAD:
            raise Gone("the program at the other end keeps writing, but does not read")


class HostedMatch:
    """One of several matches played over the same connection."""

    def __init__(
        self,
        match: Match,
        sitting: Sequence[SharedLine | Player],
        policy: MatchPolicy,
        *,
        write: Callable[[Any], None],
    ) -> None:
        """`write` receives each log line after the set-up. The connection may hold several seats."""
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
        """Log, then queue the messages. Raise Gone if the client must be disconnected."""
        for line in step.lines:
            self.write(line)
        for channel, message in step.messages:
            channel.post(message)
        if step.stop is not None:
            raise Gone("the program at the other end speaks another protocol")
        if step.substitute is not None:
            step.substitute.player = substitute(self.match.game.name, step.substitute.index)


class MatchField(msgspec.Struct):
    """The field of a line that says which match it belongs to."""

    match: str | None = None


_MATCH_FIELDS = msgspec.json.Decoder(MatchField)


class ConcurrentMatches:
    """Matches of one game over one connection, `most` at a time. When one ends, the next begins."""

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
        """`begin` returns the next match or None if there are no more. `ended` is called with each finished one.
        `is_timed` says whether the matches have a clock."""
        self.line = line
        self.most = most
        self.begin = begin
        self.ended = ended
        self.under_way: dict[str | None, HostedMatch] = {}
        """Running matches by name."""
        self.is_timed = is_timed
        self._due: list[HostedMatch] = []
        """Matches whose open request was answered just now."""
        self._has_repeated = False
        """Whether all open requests are already queued again, so that another `again` changes nothing."""
        self._decoder = client_decoder(game.action_type)

    def play(self) -> None:
        """Play until there are no more matches. Raise Gone if the client is lost."""
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
        """Begin matches until `most` are running."""
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
        """Continue all matches that were answered. First processing all answers, then making all requests, is faster
        than alternating."""
        due, self._due = self._due, []
        for hosted in due:
            self._continue(hosted)

    def _continue(self, hosted: HostedMatch) -> None:
        """Play until the client must be asked or the match is over."""
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
        """Process all received answers, which are in time, then the matches whose deadline has passed."""
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
                self._receive(answer, answer.match if type(answer) is Answer else None, now)
        else:
            for content in lines.split(b"\n"):
                if content and not content.isspace():
                    self._decode(content, now)
        self._continue_due()
        if self.is_timed:
            for hosted in list(self.under_way.values()):
                request = hosted.session.pending
                if request is not None and request.deadline is not None and now > request.deadline:
                    hosted.carry_out(hosted.session.late())
                    self._continue(hosted)

    def _decode(self, content: bytes, now: float) -> None:
        try:
            answer = decode(content, self._decoder)
        except BadLine as bad:
            self._receive(bad, match_field(content).match, now)
        else:
            self._receive(answer, answer.match if type(answer) is Answer else None, now)

    def _receive(self, answer: Any, name: str | None, now: float) -> None:
        """Process an answer, the `BadLine` raised for it, or an option message, for the match called `name`."""
        hosted = self.under_way.get(name)
        if hosted is not None and hosted.session.pending is None:  # a second answer: to the next request, or useless
            self._continue_due()
            hosted = self.under_way.get(name)
        if hosted is not None:
            session = hosted.session
            hosted.is_silent = False
            deadline = None if session.pending is None else session.pending.deadline
            step = session.receive_answer(answer, now if deadline is None or now < deadline else deadline)
            hosted.carry_out(step)
            if session.pending is None:
                self._due.append(hosted)
        elif type(answer) is Join or type(answer) is Again:
            self._receive_option(answer, now)
        elif name is not None:
            self.line.post(Error("stale_request", f"match {name[:99]} is not under way", fatal=False))
        else:
            without = BadLine("bad_line", f"{self.most} matches are played at once: an answer must name its `match`")
            self._refuse(answer if type(answer) is BadLine else without)

    def _receive_option(self, option: Join | Again, now: float) -> None:
        """Apply a message that concerns all matches, from their next requests on."""
        self._continue_due()
        if type(option) is Again:
            if self._has_repeated:
                return
            self._has_repeated = True
        for hosted in self.under_way.values():
            hosted.carry_out(hosted.session.receive_option(option, now))

    def _refuse(self, bad: BadLine) -> NoReturn:
        """End all matches, because of a line that belongs to none of them."""
        self.line.post(Error(bad.code, str(bad), fatal=True))
        raise Gone(f"the program at the other end sent something that cannot be read: {bad}")

    def _interrupt(self) -> None:
        """Tell the client that all matches are interrupted, unless its output is blocked."""
        for hosted in self.under_way.values():
            hosted.carry_out(hosted.session.interrupt())
        with suppress(Gone):
            self.line.send(may_wait=False)


def match_field(content: bytes) -> MatchField:
    """Return the match name in a line. Empty if the line cannot be decoded."""
    try:
        return _MATCH_FIELDS.decode(content)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return MatchField()
