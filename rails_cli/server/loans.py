"""Entrants of the pool that are lent to tournaments: who wants to borrow whom, and the lines that are joined meanwhile.

The tournament referees its games: here lines are carried both ways, and nothing else. Nothing is kept: a loan ends
with either of its connections, and so with the server.
"""

from collections.abc import Callable, Iterable
from typing import Any, Protocol, get_args

import msgspec

from protocol import pool as wire
from protocol.lines import frame
from protocol.lobby import LobbyRequest
from protocol.messages import End
from rails_cli.pool.entrants import PoolEntrant
from rails_cli.server.seat import Connection

TOLD = frozenset({"start", "request", "update", "rejected", "error", "end"})
"""What an entrant may be told by who has borrowed it."""
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

    def __init__(self, borrower: Connection, organiser: str, wish: wire.Borrow) -> None:
        self.borrower = borrower
        self.organiser = organiser
        self.wish = wish
        self.member: Lendable | None = None
        """To whom the game was offered, or who plays it."""
        self.is_lent = False
        self.match = ""
        """The game, as the entrant was told."""
        self.is_asked = False
        """Whether the entrant has to answer."""
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


class _Head(msgspec.Struct):
    """What has to be known of a message to carry it."""

    type: str = ""
    match: str = ""
    fatal: bool = False


_HEAD = msgspec.json.Decoder(_Head)


class Loans:
    """All loans of a pool, and those who wait for one."""

    def __init__(
        self,
        why_not: Callable[[PoolEntrant], str | None],
        offer: Callable[[Loan, Any], None],
        call_off: Callable[[Loan, str], None],
        release: Callable[[Any], None],
    ) -> None:
        """`why_not` says why an entrant is offered nothing now, `offer` and `call_off` make and end offers of the pool,
        and `release` lets one wait for the next game."""
        self._why_not = why_not
        self._offer = offer
        self._call_off = call_off
        self._release = release
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
            return "absent", f"{name} plays no {wish.game} for {wish.players}", None
        if all_here:
            return "absent", f"{name} is here, but not for tournaments: its owner did not say so (--lend)", None
        return "absent", f"{name} is not connected to the pool", None

    def begin(self, loan: Loan) -> None:
        """The entrant is ready."""
        assert loan.member is not None
        loan.is_lent = loan.member.is_playing = True
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
            head = _HEAD.decode(content)
            content.decode()
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            if borrowed is not None:
                return None
            head, content = _Head(), content.decode(errors="replace").encode()
        if borrowed is not None:
            return self._tell(loan, loan.member, head, content)
        if head.type in FOR_THE_SERVER:
            return None
        loan.borrower.post(b" " + content)  # the server's own words begin otherwise
        is_answer, loan.is_asked = loan.is_asked, False
        return None if head.type == "join" else is_answer

    def _tell(self, loan: Loan, member: Lendable, head: _Head, content: bytes) -> bool | None:
        if head.type not in TOLD or head.fatal:
            return None
        loan.match = head.match or loan.match
        loan.is_asked = loan.is_asked or head.type == "request"
        member.connection.post(content)
        if head.type == "end":
            del self._loans[loan.borrower]
            self._free(loan, member)
        return True

    # Ends

    def goodbye(self, borrower: Connection) -> None:
        """Who wanted to borrow somebody, or has, is gone."""
        loan = self._loans.pop(borrower, None)
        if loan is None or loan.member is None:
            return
        if not loan.is_lent:
            self._call_off(loan, f"{loan.organiser} has gone")
            return
        players = loan.wish.players
        nothing = [0] * players
        loan.member.connection.post(frame(End(loan.match, nothing, [1] * players, "interrupted", nothing)))
        self._free(loan, loan.member)

    def _free(self, loan: Loan, member: Lendable) -> None:
        member.loan = loan.member = None
        self._release(member)

    def revoke(self, organiser: str) -> None:
        """Who may not borrow anybody any more loses all loans at once."""
        for loan in [loan for loan in self._loans.values() if loan.organiser == organiser]:
            loan.borrower.drop("revoked", "the operator of this pool has revoked the token of this organiser")
            self.goodbye(loan.borrower)

    def left(self, member: Lendable, why: str) -> None:
        """One who is lent has gone, or plays elsewhere."""
        loan, member.loan = member.loan, None
        if loan is not None:
            self._loans.pop(loan.borrower, None)
            loan.member = None
            loan.borrower.post(frame(wire.LoanOver(loan.wish.entrant, why, loan.wish.ref)))


def _plays(enter: wire.Enter, wish: wire.Borrow) -> bool:
    return (not enter.games or wish.game in enter.games) and (not enter.players or wish.players in enter.players)
