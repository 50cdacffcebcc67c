"""Code that plays one match over blocking connections to its players.

The code asks one seat after another and passes answers and times to the `Session`, the logic of the match. A
misbehaving player delays the others by at most its own deadline.
"""

import time
from collections.abc import Callable, Sequence
from typing import Any, TypeGuard, cast

from rails_cli.match.clock import SeatClock
from rails_cli.match.match import Match, ResumePoint
from rails_cli.match.session import MatchPolicy, Player, Seat, Session
from rails_cli.match.step import Message, Step
from rails_cli.players.builtin import play_builtin, substitute
from rails_cli.protocol.lines import BadLine, client_decoder, decode_or_error, encode
from rails_cli.protocol.log import ResultLine
from rails_cli.protocol.messages import Answer, Clock
from rails_cli.referee.seats import LineSeat, MatchTimeOver, SeatLost, SeatSlow

ENDING_S = 1.0
"""Maximum number of seconds that a program may take to exit between two games.

A program that takes longer is started again without extra time for its start.
"""


class TimeLimit:
    """The deadline of a whole match in wall-clock time, and the time used by each seat."""

    def __init__(
        self,
        until: float,
        before_s: Sequence[float],
        elsewhere_s: float = 0.0,
        now: Callable[[], float] = time.perf_counter,
    ) -> None:
        """Start measuring. `until` is the deadline on the clock `now`.

        `before_s` contains the seconds that each seat used in earlier matches with the same deadline. `elsewhere_s` is
        the largest number of seconds that any player used in those matches, including players that are not in this
        match.
        """
        self.now = now
        self.until = until
        self.before_s = list(before_s)
        self.elsewhere_s = elsewhere_s
        self.used_s = [0.0] * len(before_s)
        self._looked_at = now()

    @property
    def is_over(self) -> bool:
        return self.now() >= self.until

    def is_over_after(self, seat: int) -> bool:
        """Add the time since the previous call to the time used by `seat`. Return whether the deadline has passed."""
        now = self.now()
        self.used_s[seat] += now - self._looked_at
        self._looked_at = now
        return now >= self.until

    def slowest(self) -> int | None:
        """Return the seat that used most time. None if a player that does not take part in this match used more."""
        used = [before + now for before, now in zip(self.before_s, self.used_s, strict=True)]
        return None if max(used) < self.elsewhere_s else used.index(max(used))


class Wire:
    """The connection to a player that exchanges lines of JSON. The player may have several seats."""

    def __init__(self, end: LineSeat) -> None:
        self.end = end
        self.join = end.join
        self.is_listening = False
        """Whether the player is running and has received the start of the match."""
        self.send_error: SeatLost | None = None
        """Why a message could not be sent. Raised at the next request."""
        self.is_known_to_run = False
        """Whether the player was just started, or the open request was already sent to it."""
        self.is_carried_over = False
        """Whether the player was started for an earlier match and has not sent anything in the current match."""

    def post(self, message: Message) -> None:
        """Send a message to a player that is not to move, without waiting until the player reads it.

        An error is stored in `send_error` and raised when the player is asked next.
        """
        if self.is_listening:
            try:
                self.end.post(encode(message))
            except SeatLost as lost:
                self.is_listening, self.send_error = False, lost

    def send(self, message: Message, deadline: float | None) -> None:
        """Send a message to the player to move.

        Raise SeatSlow at the deadline, and SeatLost if the player has ended. Do not raise SeatLost if the player was
        just started, or was already asked for this action. In these cases, lines that the player wrote before its end
        must still be read.
        """
        try:
            self.end.send(encode(message), deadline)
        except SeatLost as lost:
            if not (lost.was_gone and self.is_known_to_run):
                raise
        self.is_known_to_run = True


class Referee:
    """The code that plays one match, from its start (or from the end of an unfinished log) to its result."""

    def __init__(
        self,
        match: Match,
        sitting: Sequence[LineSeat | Player],
        policy: MatchPolicy,
        *,
        write: Callable[[Any], None],
        left: ResumePoint | None = None,
        limit: TimeLimit | None = None,
        on_ask: Callable[[int], None] | None = None,
        starts_apart: bool = False,
        numbers_after: int = 0,
        clocks: Sequence[Clock | None] | None = None,
        now: Callable[[], float] = time.perf_counter,
    ) -> None:
        """Prepare a match. `sitting` contains the player of each seat, and one connection may have several seats.

        `write` is called with each log line after the set-up line. `left` is the end of an unfinished log to continue.
        `limit` is the deadline of the whole match. `on_ask` is called with a seat before its process is asked. If
        `starts_apart`, each process starts when it is first asked instead of all at once. Requests get numbers above
        `numbers_after`, so that late answers to earlier requests on the same connection are recognised. `clocks` has
        the time control of each seat, if not all seats have that of `policy`. `now` is the clock of built-in players in
        seconds. Other players have their own clocks.
        """
        self.match = match
        self.write = write
        self.limit = limit
        self.now = now
        self.on_ask = on_ask
        self.starts_apart = starts_apart
        self.wires: dict[int, Wire] = {}
        self.seats = [self._seat(index, who, sitting) for index, who in enumerate(sitting)]
        for seat in self.seats:
            seat.clock = SeatClock(policy.clock if clocks is None else clocks[seat.index])
            if left is not None:
                seat.restore(left, policy)
        self.session = Session(match, self.seats, policy, numbers_after=numbers_after)
        self.decoder = client_decoder(match.game.action_type)

    def _seat(self, index: int, who: LineSeat | Player, sitting: Sequence[LineSeat | Player]) -> Seat[Wire]:
        if not is_line_seat(who):
            return Seat(index, player=cast(Player, who))
        seat = Seat(index, channel=self.wires.setdefault(id(who), Wire(who)))
        seat.is_process = who.is_process
        seat.is_shared = sum(other is who for other in sitting) > 1
        return seat

    def play(self) -> ResultLine:
        """Play the match to its end and return the result line, which was also logged."""
        session = self.session
        try:
            self._carry_out(session.begin())
            for wire in self.wires.values():
                self._introduce(wire)
            while (seat := session.to_move) is not None:
                began = 0.0 if self.limit is None else self.limit.now()
                if self.limit is not None and self.limit.is_over:
                    slowest = self.limit.slowest()
                    self._carry_out(session.run_out_of_time(None if slowest is None else self.seats[slowest]))
                elif seat.player is not None:
                    self._carry_out(play_builtin(session, seat, self.now))
                elif seat.has_time:
                    self._ask(seat)
                else:
                    self._carry_out(session.ask(seat, 0.0))
                if self.limit is not None:
                    self.limit.used_s[seat.index] += self.limit.now() - began
        except BaseException:
            self._carry_out(session.interrupt())
            raise
        step = session.finish()
        self._carry_out(step)
        return cast(ResultLine, step.lines[0])

    def _carry_out(self, step: Step) -> None:
        """Carry out `step`: log its lines, send its messages, then end or replace a player.

        Raise SeatLost or SeatSlow if a message cannot be sent to the player to move.
        """
        for line in step.lines:
            self.write(line)
        pending = self.session.pending
        wire: Wire
        for wire, message in step.messages:
            if pending is not None and wire is pending.seat.channel:
                wire.send(message, pending.deadline)
            else:
                wire.post(message)
        if step.stop is not None:
            self._stop(*step.stop)
        if step.substitute is not None:
            step.substitute.player = substitute(self.match.game.name, step.substitute.index)

    def _introduce(self, wire: Wire) -> None:
        """Start the player of `wire` and send the `start` message, unless `starts_apart` is set.

        With `starts_apart`, the first request starts the player.
        """
        wire.end.begin_match(None if self.limit is None else self.limit.until)
        if self.starts_apart:
            return
        try:
            is_new = wire.end.start()
        except SeatLost:
            return
        self._send_start(wire, is_new=is_new)
        wire.is_carried_over = not is_new
        if not wire.is_listening:
            wire.end.end()

    def _send_start(self, wire: Wire, *, is_new: bool) -> None:
        wire.is_listening, wire.send_error, wire.join = True, None, wire.end.join
        self._carry_out(self.session.introduce(wire, is_new=is_new))

    def _ask(self, seat: Seat[Wire], used_s: float = 0.0, *, has_start_up: bool = True) -> None:
        """Ask the player of `seat` for an action, and play that action or the default action.

        The player has already used `used_s` seconds for this action. `has_start_up` says whether a new process gets
        extra time for its start.
        """
        session, wire = self.session, seat.channel
        assert wire is not None
        end = wire.end
        try:
            if self.on_ask is not None:
                self.on_ask(seat.index)
            wire.is_known_to_run = end.start()
            if wire.is_known_to_run:
                self._send_start(wire, is_new=True)
            if wire.send_error is not None and not wire.is_known_to_run:
                raise wire.send_error
            self._carry_out(session.ask(seat, end.now(), used_s, has_start_up=has_start_up))
            while (pending := session.pending) is not None:
                message = decode_or_error(end.receive(pending.deadline), self.decoder)
                step = session.receive(seat, message, end.now())
                if type(message) is Answer or type(message) is BadLine:
                    wire.is_carried_over = False
                else:
                    end.join = wire.join
                self._carry_out(step)
        except SeatSlow:
            self._carry_out(session.late())
        except MatchTimeOver:
            self._stop(seat, "too_slow")
        except SeatLost as lost:
            self._handle_loss(seat, wire, lost)

    def _handle_loss(self, seat: Seat[Wire], wire: Wire, lost: SeatLost) -> None:
        """Handle the end of a program, which is noticed when its player is asked.

        If the program had exited earlier, between two games or while other seats were asked, start it and ask again. If
        it exited after it was asked, count a fault.
        """
        session = self.session
        if lost.was_gone and not wire.is_known_to_run:  # exited while others were asked
            wire.end.end()
            self._ask(seat)
        elif wire.is_carried_over and lost.is_clean:  # exited between two games
            wire.is_carried_over = False
            used_s = 0.0 if session.pending is None else wire.end.now() - session.pending.asked_at
            wire.end.end()
            self._ask(seat, used_s, has_start_up=used_s <= ENDING_S)
        else:
            self._carry_out(session.lost(seat, lost.code, str(lost)))

    def _stop(self, seat: Seat[Wire], code: str) -> None:
        """End the program of a player. The next request to the seat starts it again. `code` is the fault's code."""
        wire = seat.channel
        assert wire is not None
        wire.is_listening = False
        wire.end.end(is_final=code == "version")


def is_line_seat(sitting: LineSeat | Player) -> TypeGuard[LineSeat]:
    return hasattr(sitting, "receive")
