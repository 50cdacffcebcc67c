"""A turn: all that has come is heard, then what follows from it is worked out and written down, and only then told.

Each step is done for everybody before the next begins. So nothing is told that a crash could undo; and a move costs a
third less than if each message went all the way alone, because code and data are still at hand for the next.
"""

import time
from collections import deque
from collections.abc import Callable
from typing import Protocol


class Speaker(Protocol):
    """A connection that has sent something."""

    @property
    def game(self) -> str:
        """What it plays, or played last; nothing before."""

    def heard(self, content: bytes) -> None:
        """Its message is heard."""

    def abort(self) -> None:
        """Ends the connection without a word."""


class Recipient(Protocol):
    """A connection that something is to be told."""

    def send(self) -> None:
        """Gives what was posted to the network; called when all that led to it is written down."""


class Writing(Protocol):
    """When something is written down."""

    def write(self, todo: Callable[[], None]) -> None:
        """`todo` writes something down that must not be told before."""

    def settle(self) -> None:
        """Writes down what is to be written now: it is about to be told, or read."""


MANY_UNHEARD = 4000
FEW = 8
"""So many messages of those who yield are heard in a turn before it is seen whether anybody else has come."""


class Turns:
    """What waits for its step of the turn."""

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
        """`soon` does something when all that is ready has been read; `trouble` is told of mistakes of this program,
        `failed` of what could not be written."""
        self._soon = soon
        self._trouble = trouble
        self._failed = failed
        self._now = now
        self._is_due = False
        self._unheard: deque[tuple[Speaker, bytes]] = deque()
        self._yielding: deque[tuple[Speaker, bytes]] = deque()
        self._came_at: deque[float] = deque()
        """When those came."""
        self._following: list[Callable[[], None]] = []
        self._unwritten: list[Callable[[], None]] = []
        self._unsent: list[Recipient] = []
        self._full: list[Recipient] = []
        self.is_broken = False
        """Whether something could not be written down: nothing more is heard or told."""

    def hear(self, speaker: Speaker, content: bytes, *, yields: bool = False) -> None:
        """A message that has come from the network is heard with all others; one that `yields` after them, as do all
        that the same speaker says later."""
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
        """`todo` is what follows from a message, once all that came with it is heard."""
        self._following.append(todo)

    def write(self, todo: Callable[[], None]) -> None:
        """`todo` writes something down that must not be told before."""
        self._unwritten.append(todo)
        if not self._is_due:
            self._wake()

    def send(self, recipient: Recipient) -> None:
        """Somebody is to be told something."""
        self._unsent.append(recipient)
        if not self._is_due:
            self._wake()

    def send_early(self, recipient: Recipient) -> None:
        """Somebody is to be told so much that it waits only until the message that led to it is dealt with."""
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
        """Players of one game are heard one after another: its code is at hand for all of them. What one of them says,
        and what those who sit at one table say, stays in order."""
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
        """Hears all that has come, and does what follows: before a connection ends that has said something."""
        self._hear(self._unheard)
        self._hear(self._yielding)

    def heard_until(self) -> float:
        """Hears people, and tells up to when all that came is heard: then clocks can be looked at as of that time."""
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
        """Writes down what is to be written: in its turn, or before something is told or read that cannot wait."""
        if not self._unwritten or self.is_broken:
            return
        unwritten, self._unwritten = self._unwritten, []
        try:
            for todo in unwritten:
                todo()
        except Exception as error:
            self.is_broken = True
            self._failed(error)
