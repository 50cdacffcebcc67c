"""Plays a match over blocking lines: asks one seat after another, and tells the session what came and when.

Whatever one seat does costs the others at most that seat's own deadline.
"""

import time
from collections.abc import Callable, Sequence
from typing import Any, TypeGuard, cast

from protocol.log import ResultLine
from protocol.messages import Join, Request
from rails_cli.match.clock import SeatClock
from rails_cli.match.match import Match
from rails_cli.match.replay import Unfinished
from rails_cli.match.session import Player, Rules, Seat, Session, written
from rails_cli.players.builtin import substitute
from rails_cli.seats import LineSeat, MatchTimeOver, SeatLost, SeatSlow

ENDING_S = 1.0
"""A program that ends between two games is gone so soon; one that takes longer has used its time to think."""


class TimeLimit:
    """When a match has to be over in wall time, and how long each seat was waited for: whoever has used most of the
    time pays for it."""

    def __init__(
        self,
        until: float,
        before_s: Sequence[float],
        elsewhere_s: float = 0.0,
        now: Callable[[], float] = time.perf_counter,
    ) -> None:
        """`until` is a reading of `now`. `before_s` (seconds each seat used earlier) and `elsewhere_s` (the most that
        anybody used at other tables) are included in the decision which seat is slowest."""
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
        """Whether it is over after an answer of a seat; all the time since the last such look was the seat's."""
        now = self.now()
        self.used_s[seat] += now - self._looked_at
        self._looked_at = now
        return now >= self.until

    def slowest(self) -> int | None:
        """None if somebody at another table has used more than anybody here."""
        used = [before + now for before, now in zip(self.before_s, self.used_s, strict=True)]
        return None if max(used) < self.elsewhere_s else used.index(max(used))


class Wire:
    """The session's way to the end of a line. What is said while a seat is asked waits, and goes out by the deadline;
    all else goes out at once, and whether it arrives is found out when the seat is asked."""

    def __init__(self, end: LineSeat) -> None:
        self.end = end
        self.join = end.join
        self.is_listening = False
        """Whether somebody is there who was told of the match."""
        self.trouble: SeatLost | None = None
        self.is_known_to_run = False
        """Whether the player was just started, or has been sent what it is asked now."""
        self.is_carried_over = False
        """Whether the player comes from an earlier match, and has not said anything in this one."""
        self.unsent: list[bytes] | None = None

    def post(self, content: bytes) -> None:
        if self.unsent is not None:
            self.unsent.append(content)
        elif self.is_listening:
            try:
                self.end.post(content + b"\n")
            except SeatLost as lost:
                self.is_listening, self.trouble = False, lost

    def post_request(self, request: Request[Any, Any, Any]) -> None:
        self.post(written(request))

    def release(self) -> None:
        """Nobody here is asked any more."""
        waiting, self.unsent = self.unsent or (), None
        for content in waiting:
            self.post(content)


class Referee:
    """One match from its start, or from where a log broke off, to its end."""

    def __init__(
        self,
        match: Match,
        sitting: Sequence[LineSeat | Player],
        rules: Rules,
        *,
        write: Callable[[Any], None],
        left: Unfinished | None = None,
        limit: TimeLimit | None = None,
        on_ask: Callable[[int], None] | None = None,
        starts_apart: bool = False,
        given_up: int = 0,
        now: Callable[[], float] = time.perf_counter,
    ) -> None:
        """`write` is given each line of the log after the set-up. One line may hold several seats.

        `left` is how a log left a match that is carried on. `on_ask` is told the seat of each process before it is
        asked. If processes start apart, each does when it is first asked, not all of them side by side. `given_up` is
        that of the session before, if a line has been in one. `now` reads the clock in seconds for players inside the
        program; seats at lines have clocks of their own.
        """
        self.match = match
        self.limit = limit
        self.now = now
        self.on_ask = on_ask
        self.starts_apart = starts_apart
        self.wires: dict[int, Wire] = {}
        self.seats = [self._seat(index, who, sitting) for index, who in enumerate(sitting)]
        for seat in self.seats:
            seat.clock = SeatClock(rules.clock)
            if left is not None:
                seat.carry_on(left, rules)
        self.session = Session(
            match,
            self.seats,
            rules,
            write=write,
            stop=self._stop,
            substitute=lambda seat: substitute(match.game.name, seat.index),
            given_up=given_up,
        )

    def _seat(self, index: int, who: LineSeat | Player, sitting: Sequence[LineSeat | Player]) -> Seat[Wire]:
        if not is_line_seat(who):
            return Seat(index, player=cast(Player, who))
        seat = Seat(index, line=self.wires.setdefault(id(who), Wire(who)))
        seat.is_process = who.is_process
        seat.is_shared = sum(other is who for other in sitting) > 1
        return seat

    def play(self) -> ResultLine:
        """Plays to the end; the result, which is also the last line of the log."""
        session = self.session
        try:
            session.begin()
            for wire in self.wires.values():
                self._introduce(wire)
            while (seat := session.to_move) is not None:
                if self.limit is None:
                    if not session.move(seat, self.now):
                        self._ask(seat)
                    continue
                if self.limit.is_over:
                    slowest = self.limit.slowest()
                    session.run_out(None if slowest is None else self.seats[slowest])
                    continue
                began = self.limit.now()
                if not session.move(seat, self.now):
                    self._ask(seat)
                self.limit.used_s[seat.index] += self.limit.now() - began
        except BaseException:
            session.say_goodbye(self.match.result_line("interrupted"))
            raise
        return session.finish()

    def _introduce(self, wire: Wire) -> None:
        """Tells of the match before the first question, so that all bots start up side by side."""
        wire.end.begin_match(None if self.limit is None else self.limit.until)
        if self.starts_apart:
            return
        try:
            is_new = wire.end.start()
        except SeatLost:
            return
        self._greet(wire, is_new=is_new)
        wire.is_carried_over = not is_new
        if not wire.is_listening:
            wire.end.end()

    def _greet(self, wire: Wire, *, is_new: bool) -> None:
        wire.is_listening, wire.trouble, wire.join = True, None, wire.end.join
        self.session.greet(wire, is_new=is_new)

    def _ask(self, seat: Seat[Wire], used_s: float = 0.0, grace_s: float | None = None) -> None:
        """A question to a seat at the end of a line; whatever comes back, an action is played. `used_s` of its time are
        over; a player that is started has `grace_s` to warm up, or what is left of that in this match."""
        session, wire = self.session, seat.line
        assert wire is not None
        try:
            self._dialogue(seat, wire, used_s, grace_s)
        except SeatSlow:
            session.late()
        except MatchTimeOver:
            self._stop(seat, "too_slow")
        except SeatLost as lost:
            is_excused = lost.was_gone and not wire.is_known_to_run  # ended while others were asked, which it may
            is_over = wire.is_carried_over and lost.is_clean  # ended between two games, which it may, too
            if is_excused:
                wire.end.end()
                self._ask(seat)
            elif is_over:
                wire.is_carried_over = False
                used_s = wire.end.now() - session.asked_at if session.is_asking else 0.0
                wire.end.end()
                self._ask(seat, used_s, 0.0 if used_s > ENDING_S else None)
            else:
                session.lost(seat, lost.code, str(lost))
        finally:
            if wire.unsent:
                wire.release()
            wire.unsent = None

    def _dialogue(self, seat: Seat[Wire], wire: Wire, used_s: float, grace_s: float | None) -> None:
        """One request and all that is said about it until an action is taken."""
        session, end = self.session, wire.end
        if self.on_ask is not None:
            self.on_ask(seat.index)
        wire.is_known_to_run = end.start()
        if wire.is_known_to_run:
            self._greet(wire, is_new=True)
            if grace_s is not None:
                seat.grace_s = grace_s
        if wire.trouble is not None and not wire.is_known_to_run:
            raise wire.trouble
        wire.unsent = []
        now = end.now
        session.put(seat, now(), used_s)
        while session.is_asking:
            if wire.unsent:
                unsent, wire.unsent = wire.unsent, []
                try:
                    for content in unsent:
                        end.send(content + b"\n", session.deadline)
                except SeatLost as lost:
                    if not (lost.was_gone and wire.is_known_to_run):
                        raise  # else what it said before is heard first
                wire.is_known_to_run = True
            heard = self._hear(seat, end)
            if heard is None:
                wire.is_carried_over = False
            elif type(heard) is Join:
                session.joined(seat, heard)
                end.join = wire.join
            else:
                session.repeat_request(seat, end.now())

    def _hear(self, seat: Seat[Wire], end: LineSeat) -> Any:
        """What the seat says next; gives back what is none of the game's business."""
        return self.session.hear(seat, end.receive(self.session.deadline), end.now())

    def _stop(self, seat: Seat[Wire], code: str) -> None:
        """Ends a player; a new one is started when the seat is asked again."""
        wire = seat.line
        assert wire is not None
        wire.release()
        wire.is_listening = False
        wire.end.end(is_final=code == "version")


def is_line_seat(sitting: LineSeat | Player) -> TypeGuard[LineSeat]:
    return hasattr(sitting, "receive")
