"""Batching of work into turns: process all received messages, then what follows from them, then write logs, then send.

Each step is done for all connections before the next one. So nothing is sent that a crash could undo. A move also
costs a third less than if each message were handled alone, because code and data stay in the CPU cache.
"""

import time
from collections import deque
from collections.abc import Callable
from typing import Protocol


class Speaker(Protocol):
    """A connection that sent a message."""

    @property
    def game(self) -> str:
        """Name of the current or last game. Empty before the first."""

    def heard(self, content: bytes) -> None:
        """Process a message."""

    def abort(self) -> None:
        """Abort the connection without sending a close frame."""


class Recipient(Protocol):
    """A connection to which messages are sent."""

    def send(self) -> None:
        """Write the posted messages to the network, after everything they depend on is logged."""


class Writing(Protocol):
    """Scheduling of writes."""

    def write(self, todo: Callable[[], None]) -> None:
        """Schedule `todo`, which writes something that must be on disk before it is sent."""

    def settle(self) -> None:
        """Perform all scheduled writes now, because the result is about to be sent or read."""


MANY_UNHEARD = 4000
FEW = 8
"""Messages of yielding connections processed per turn before other connections are checked again."""


class Turns:
    """The queues of messages, follow-up work, writes and sends."""

    __slots__ = (
        *("_came_at", "_failed", "_following", "_full", "_is_due", "_now", "_soon", "_trouble", "_unheard", "_unsent"),
        *("_unwritten", "_yielding", "is_broken"),
    )

    def __init__(
        self,
        soon: Callable[[Callable[[], None]], object],
        *,
        trouble: Callable[[Exception], None],
        failed: Callable[[Exception], None],
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """`soon` schedules a callback after all readable sockets have been read. `trouble` receives unexpected
        exceptions, `failed` exceptions of writes."""
        self._soon = soon
        self._trouble = trouble
        self._failed = failed
        self._now = now
        self._is_due = False
        self._unheard: deque[tuple[Speaker, bytes]] = deque()
        self._yielding: deque[tuple[Speaker, bytes]] = deque()
        self._came_at: deque[float] = deque()
        """Arrival times of the yielding messages."""
        self._following: list[Callable[[], None]] = []
        self._unwritten: list[Callable[[], None]] = []
        self._unsent: list[Recipient] = []
        self._full: list[Recipient] = []
        self.is_broken = False
        """Whether a write failed. Nothing is processed or sent any more."""

    def hear(self, speaker: Speaker, content: bytes, *, yields: bool = False) -> None:
        """Queue a received message. With `yields` it is processed after all others, as must be all later ones of
        `speaker`."""
        if yields:
            self._yielding.append((speaker, content))
            self._came_at.append(self._now())
        else:
            self._unheard.append((speaker, content))
        if not self._is_due:
            self._wake()
        elif len(self._unheard) + len(self._yielding) > MANY_UNHEARD:
            self.hear_all()

    def follow(self, todo: Callable[[], None]) -> None:
        """Schedule `todo` after all messages received in this turn are processed."""
        self._following.append(todo)

    def write(self, todo: Callable[[], None]) -> None:
        """Schedule `todo`, which writes something that must be on disk before it is sent."""
        self._unwritten.append(todo)
        if not self._is_due:
            self._wake()

    def send(self, recipient: Recipient) -> None:
        """Schedule sending the posted messages of `recipient`."""
        self._unsent.append(recipient)
        if not self._is_due:
            self._wake()

    def send_early(self, recipient: Recipient) -> None:
        """Send to `recipient` right after the current message is processed, because much is queued for it."""
        self._full.append(recipient)

    def _wake(self) -> None:
        self._is_due = True
        self._soon(self._take)

    def _take(self) -> None:
        self._is_due = False
        self._sort()
        self._hear(self._unheard)
        self._hear(self._yielding, FEW)
        self.settle()
        self._full.clear()
        unsent, self._unsent = self._unsent, []
        self._send_to(unsent)
        if self._yielding and not self._is_due:
            self._wake()

    def _sort(self) -> None:
        """Group the queue by game, so that the code of one game stays in the CPU cache.

        The order of messages of one connection, and of one table, is kept.
        """
        games: dict[str, list[tuple[Speaker, bytes]]] = {}
        for said in self._unheard:
            game = said[0].game
            if game in games:
                games[game].append(said)
            else:
                games[game] = [said]
        if len(games) > 1:
            self._unheard.clear()
            for all_said in games.values():
                self._unheard.extend(all_said)

    def _send_to(self, recipients: list[Recipient]) -> None:
        for recipient in recipients:
            try:
                recipient.send()
            except Exception as error:
                self._trouble(error)

    def hear_all(self) -> None:
        """Process all queued messages and their follow-ups, before a connection that sent some of them is closed."""
        self._hear(self._unheard)
        self._hear(self._yielding)

    def heard_until(self) -> float:
        """Process the messages of people. Return the time up to which all messages are processed, for checking
        deadlines."""
        self._hear(self._unheard)
        return self._came_at[0] if self._came_at else self._now()

    def _hear(self, unheard: deque[tuple[Speaker, bytes]], most: int = MANY_UNHEARD) -> None:
        while unheard and most:
            most -= 1
            speaker, content = unheard.popleft()
            if unheard is self._yielding:
                self._came_at.popleft()
            if self.is_broken:
                continue
            try:
                speaker.heard(content)
            except Exception as error:
                self._trouble(error)
                speaker.abort()
            if self._full:
                self.settle()
                full, self._full = self._full, []
                self._send_to(full)
        following, self._following = self._following, []
        for todo in following:
            try:
                todo()
            except Exception as error:
                self._trouble(error)

    def settle(self) -> None:
        """Perform all scheduled writes, in their turn or earlier if something must be sent or read at once."""
        if not self._unwritten or self.is_broken:
            return
        unwritten, self._unwritten = self._unwritten, []
        try:
            for todo in unwritten:
                todo()
        except Exception as error:
            self.is_broken = True
            self._failed(error)
