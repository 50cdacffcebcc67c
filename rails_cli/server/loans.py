"""Entrants of the pool that are lent to tournaments: who wants to borrow whom, and the lines that are joined meanwhile.

The tournament referees its games: here lines are carried both ways, and nothing else. Neither end can harm the other:
an entrant hears nothing but a match, and who sends more than one takes, or keeps an entrant for nothing, is cut off.
Nothing is kept: a loan ends with either of its connections, and so with the server.
"""

import math
from collections.abc import Callable, Iterable
from typing import Any, Protocol, get_args

import msgspec

from protocol import pool as wire
from protocol.lines import frame
from protocol.lobby import LobbyRequest
from protocol.messages import MAX_LINE, Clock, End, Error, Rejected, RejectionCode, Request, Start, Update, type_of
from rails_cli.pool.entrants import PoolEntrant
from rails_cli.server.seat import Connection

Told = Start | Request[msgspec.Raw, msgspec.Raw, Any] | Update[msgspec.Raw] | Rejected | Error | End[msgspec.Raw]
"""What an entrant may be told by who has borrowed it: a match."""
ERRORS = frozenset(get_args(RejectionCode))
"""What may be wrong in one, outside of a request."""
FAIR_BYTES = MAX_LINE
"""So much a match may tell between two answers."""
LEAST_BYTES = 1024
"""So much even the shortest message counts."""
MOVES_BETWEEN = 20
"""So many moves others may have between two answers, where only those are timed."""
LONGEST_S = 6 * 3600.0
"""For one game."""
FOR_THE_SERVER = frozenset(kind.__struct_config__.tag for kind in get_args(LobbyRequest | wire.PoolRequest))
"""What an entrant says to the server, also while it is lent."""


class Lendable(Protocol):
    """A connection of an entrant, as the pool knows it."""

    connection: Connection
    entrant: str
    wish: wire.Enter
    is_playing: bool
    is_leaving: bool
    loan: "Loan | None"

    @property
    def is_offered(self) -> bool:
        """Whether it has been offered a game."""


class Loan:
    """Somebody who wants to borrow an entrant for a game, or has."""

    def __init__(self, borrower: Connection, organiser: str, wish: wire.Borrow, clock: Clock | None) -> None:
        self.borrower = borrower
        self.organiser = organiser
        self.wish = wish
        self.clock = clock
        self.member: Lendable | None = None
        """To whom the game was offered, or who plays it."""
        self.is_lent = False
        self.match = ""
        """The game, as the entrant was told."""
        self.is_asked = False
        """Whether the entrant has to answer."""
        self.told_bytes = 0
        """Since its last answer, without what it has asked for."""
        self.owed = 0
        """So many replies to what the entrant said besides its answers; if they are too many, that is its own doing."""
        self.lent_at = self.moved_at = 0.0
        """When it was lent, and when the game last went on: with a request, or an answer."""
        self._told: tuple[wire.LoanState, str] | None = None

    def tell(self, state: wire.LoanState, why: str) -> None:
        """Once."""
        if self._told != (state, why):
            self._told = state, why
            self.borrower.post(frame(wire.Borrowing(self.wish.entrant, state, why, self.wish.ref)))

    def tell_lent(self) -> None:
        """That it is lent, and how far away it is."""
        assert self.member is not None
        line = self.member.connection
        self.borrower.post(frame(wire.Lent(self.wish.entrant, int(1000 * line.lag_s), line.join, self.wish.ref)))

    def longest_wait_s(self, idle_s: float) -> float:
        """How long the game may stand still: all have their time, and whoever referees it some more."""
        if not self.match:
            return idle_s
        if self.clock is None:
            return LONGEST_S
        more_s = MOVES_BETWEEN * self.clock.increment_s
        bank_s = math.inf if self.clock.bank_s is None else self.clock.bank_s + more_s
        moves_s = math.inf if self.clock.move_s is None else MOVES_BETWEEN * self.clock.move_s
        return idle_s + self.wish.players * min(bank_s, moves_s)


_TOLD = msgspec.json.Decoder(Told)


class Loans:
    """All loans of a pool, and those who wait for one."""

    def __init__(
        self,
        why_not: Callable[[PoolEntrant], str | None],
        offer: Callable[[Loan, Any], None],
        call_off: Callable[[Loan, str], None],
        release: Callable[[Any], None],
        forget: Callable[[Any, str], None],
        now: Callable[[], float],
        idle_s: float,
    ) -> None:
        """`why_not` says why an entrant is offered nothing now, `offer` and `call_off` make and end offers of the pool,
        `release` lets one wait for the next game, and `forget` turns one out. An organiser may keep an entrant for
        `idle_s` while nothing happens."""
        self._why_not = why_not
        self._offer = offer
        self._call_off = call_off
        self._release = release
        self._forget = forget
        self._now = now
        self._idle_s = idle_s
        self._loans: dict[Connection, Loan] = {}
        """By borrower, in the order in which they asked."""

    def is_borrower(self, connection: Connection) -> bool:
        return connection in self._loans

    def add(self, loan: Loan) -> None:
        """Instead of what this connection wanted before."""
        self.goodbye(loan.borrower)
        self._loans[loan.borrower] = loan

    def is_lent(self, borrower: Connection) -> bool:
        return borrower in self._loans and self._loans[borrower].is_lent

    def serve(self, members: Iterable[Lendable], entrants: dict[str, PoolEntrant]) -> None:
        """Offers their games to those who are free."""
        if all(loan.member is not None for loan in self._loans.values()):
            return
        here: dict[str, list[Lendable]] = {}
        for member in members:
            here.setdefault(member.entrant, []).append(member)
        for loan in list(self._loans.values()):
            if loan.member is None:
                self.look(loan, entrants[loan.wish.entrant], here.get(loan.wish.entrant, ()))

    def look(self, loan: Loan, entrant: PoolEntrant, here: Iterable[Lendable]) -> None:
        """Tells how it stands with an entrant; offers the game if it is free, and that is not all that was asked."""
        state, why, member = self._standing(loan.wish, entrant, here)
        if member is None or loan.wish.check:
            loan.tell(state, why)
        else:
            loan.member = member
            self._offer(loan, member)
            loan.tell("offered", f"{entrant.name} was offered the game")

    def _standing(
        self, wish: wire.Borrow, entrant: PoolEntrant, here: Iterable[Lendable]
    ) -> tuple[wire.LoanState, str, Lendable | None]:
        name, all_here = entrant.name, list(here)
        if entrant.state == "revoked":
            return "gone", f"{name} was revoked", None
        if (words := self._why_not(entrant)) is not None:
            return "absent", words, None
        lending = [one for one in all_here if one.wish.lends and not one.is_leaving]
        fitting = [one for one in lending if _plays(one.wish, wish)]
        if fitting:
            member = next((one for one in fitting if not one.is_playing and not one.is_offered), None)
            if member is not None:
                return "free", f"{name} is free", member
            return "busy", f"{name} is playing on all its connections ({len(fitting)})", None
        if lending:
            return "absent", f"{name} does not play {wish.game} for {wish.players}", None
        if all_here:
            return "absent", f"{name} is here, but not for tournaments: its owner did not allow it (--lend)", None
        return "absent", f"{name} is not connected to the pool", None

    def begin(self, loan: Loan) -> None:
        """The entrant is ready."""
        assert loan.member is not None
        loan.is_lent = loan.member.is_playing = True
        loan.lent_at = loan.moved_at = self._now()
        loan.member.loan = loan
        loan.tell_lent()

    def declined(self, loan: Loan) -> None:
        """The offer has come to nothing; another connection may take it, or this one the next time."""
        loan.member = None

    def measured(self) -> None:
        """How far away entrants are has been measured anew."""
        for loan in self._loans.values():
            if loan.is_lent:
                loan.tell_lent()

    # Lines

    def carry(self, connection: Connection, lender: Lendable | None, content: bytes) -> bool | None:
        """Brings a message to the other end of a loan: whether it was waited for there. None if it is for us."""
        borrowed = self._loans.get(connection)
        loan = borrowed if borrowed is not None else None if lender is None else lender.loan
        if loan is None or loan.member is None or not loan.is_lent:
            return None
        try:
            content.decode()  # what is carried has to be text
        except UnicodeDecodeError:
            return None
        return self._answer(loan, loan.member, content) if borrowed is None else self._tell(loan, loan.member, content)

    def _answer(self, loan: Loan, member: Lendable, content: bytes) -> bool | None:
        kind = type_of(content)
        if kind in FOR_THE_SERVER:
            return None
        if loan.borrower.is_busy:  # with nothing but the words of this entrant
            self._forget(member, f"{member.entrant} sends more than can be read")
            member.connection.drop("too_fast", f"you send more than {loan.organiser} can read")
            return False
        loan.borrower.post(b" " + content)  # the server's own words begin otherwise
        is_answer = loan.is_asked and kind == "action"
        if is_answer:
            loan.is_asked, loan.told_bytes, loan.moved_at = False, 0, self._now()
        elif kind != "join":
            loan.owed += 1
        return None if kind == "join" else is_answer

    def _tell(self, loan: Loan, member: Lendable, content: bytes) -> bool | None:
        try:
            message: Told = _TOLD.decode(content)
            content = frame(message)  # as it was understood, and nothing besides
        except (msgspec.MsgspecError, RecursionError, OverflowError, ValueError):
            return None
        if isinstance(message, Error):
            if message.fatal or message.ref is not None or message.code not in ERRORS:
                return None
        else:
            loan.match = message.match or loan.match
        is_new = isinstance(message, Request) and not loan.is_asked
        if loan.owed and not is_new and isinstance(message, Request | Rejected | Error):
            loan.owed -= 1
            member.connection.post(content)  # which cuts off who does not read
            loan.is_asked = loan.is_asked or isinstance(message, Rejected)
            return True
        loan.told_bytes += max(LEAST_BYTES, len(content))
        is_fair = loan.told_bytes <= FAIR_BYTES
        if not is_fair and member.connection.is_busy:
            self._cut_off(loan, "too_fast", f"you send more than {member.entrant} can read")
            return False
        member.connection.post(content)
        if isinstance(message, End):
            del self._loans[loan.borrower]
            self._free(loan, member)
            return True
        if isinstance(message, Request | Rejected):
            loan.is_asked = True
            if is_new:
                loan.moved_at = self._now()
            return is_fair and is_new
        return is_fair and isinstance(message, Start | Update)

    # Ends

    def look_for_idle(self) -> None:
        """Nobody is kept for nothing."""
        now = self._now()
        for loan in [loan for loan in self._loans.values() if loan.is_lent]:
            wait_s = loan.longest_wait_s(self._idle_s)
            if now - loan.moved_at > wait_s:
                self._cut_off(loan, "idle", f"{loan.wish.entrant} was lent for a game that has stalled")
            elif now - loan.lent_at > LONGEST_S:
                self._cut_off(loan, "idle", f"{loan.wish.entrant} is lent for {LONGEST_S / 3600:g} hours at most")

    def _cut_off(self, loan: Loan, code: str, why: str) -> None:
        loan.borrower.drop(code, why)
        self.goodbye(loan.borrower)

    def goodbye(self, borrower: Connection) -> None:
        """Who wanted to borrow somebody, or has, is gone."""
        loan = self._loans.pop(borrower, None)
        if loan is None or loan.member is None:
            return
        if not loan.is_lent:
            self._call_off(loan, f"{loan.organiser} has left")
            return
        players = loan.wish.players
        nothing = [0] * players
        loan.member.connection.post(frame(End(loan.match, nothing, [1] * players, "interrupted", nothing)))
        self._free(loan, loan.member)

    def _free(self, loan: Loan, member: Lendable) -> None:
        member.loan = loan.member = None
        self._release(member)

    def revoke(self, organiser: str) -> None:
        """What was borrowed with a token ends with it."""
        for loan in [loan for loan in self._loans.values() if loan.organiser == organiser]:
            self._cut_off(loan, "revoked", "the operator of this pool has revoked the token of this organiser")

    def left(self, member: Lendable, why: str) -> None:
        """One who is lent has gone, or plays elsewhere."""
        loan, member.loan = member.loan, None
        if loan is not None:
            self._loans.pop(loan.borrower, None)
            loan.member = None
            loan.borrower.post(frame(wire.LoanOver(loan.wish.entrant, why, loan.wish.ref)))


def _plays(enter: wire.Enter, wish: wire.Borrow) -> bool:
    return (not enter.games or wish.game in enter.games) and (not enter.players or wish.players in enter.players)
