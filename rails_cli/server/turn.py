"""One turn of the event loop: process received messages, ask the players to move, write logs, then send messages.

Each step is done for all connections before the next step. So every message that is sent depends only on logged
actions. A move also takes a third less time than if each message were handled alone, because code and data stay in the
CPU cache.
"""

from collections import deque
from collections.abc import Callable
from typing import Any, Protocol

from rails_cli.match.step import Step
from rails_cli.server.histogram import Histogram


class Recipient(Protocol):
    """A connection with messages that have not been sent yet."""

    def flush(self) -> None:
        """Send the messages in the outbox of the connection."""


class Sender(Recipient, Protocol):
    """A connection that sent a message."""

    @property
    def is_open(self) -> bool:
        """Whether messages of the connection are processed: from the handshake until closing begins."""

    def charge(self, size: int) -> None:
        """Count a message of `size` bytes, which was not an expected move, towards the rate limit."""

    def abort(self) -> None:
        """Abort the connection without sending a close frame."""


class DueTable(Protocol):
    """A table whose game continues in the current turn of the event loop."""

    host: Any
    """The registry of tables. It handles exceptions that `advance` raises."""

    def advance(self, step: Step) -> None:
        """Carry out `step` and the steps that follow, until a player outside this process has to answer."""


class Scheduled(Protocol):
    """A scheduled call of a function, which can be cancelled."""

    def cancel(self) -> None:
        """Cancel the call, unless it has been made already."""


class Files(Protocol):
    """The files of the server, with pending writes."""

    is_broken: bool
    """Whether a write failed. If so, no message is processed, written or sent any more."""
    todo: list[tuple[str, str, Any]]
    """Pending writes: the kind, the id of the table, and the content (see `Storage.todo`)."""

    def flush(self) -> None:
        """Perform all pending writes. If a write fails, set `is_broken`."""


MOST_MESSAGES = 1000
"""Number of queued messages at which all of them are processed immediately, to limit the memory of the queues."""
FEW_BOT_MESSAGES = 8
"""Maximum number of messages of low-priority connections, such as those of pool bots, that one turn processes."""


class Turn:
    """Queues between connections, tables and files. Each turn of the event loop processes everything in the queues."""

    def __init__(
        self,
        files: Files,
        *,
        soon: Callable[[Callable[[], None]], Scheduled],
        report_error: Callable[[Exception], None],
        now: Callable[[], float],
    ) -> None:
        """`soon` schedules a callback after all readable sockets have been read. `report_error` reports an exception.

        `now` returns the time in seconds.
        """
        self.files = files
        self.receive: Callable[[Any, bytes, float], bool] = _no_lobby
        """Callback that processes a message of a connection. It returns True for a move that a game waited for."""
        self.soon = soon
        self._report_error = report_error
        self._now = now
        self.scheduled: Scheduled | None = None
        """The next turn of the event loop, if it is scheduled."""
        self.is_running = False
        """Whether `process_queues` is processing messages.

        If so, it will write and send everything queued now before it returns.
        """
        self.inbox: list[tuple[Sender, bytes, float]] = []
        """Received messages, each with its connection and the time of its arrival."""
        self.yielding: deque[tuple[Sender, bytes, float]] = deque()
        """Received messages of low-priority connections, each with its connection and the time of its arrival."""
        self.due: list[tuple[DueTable, Step]] = []
        """Tables whose game continues after the received messages are processed, each with its next step."""
        self.unsent: list[Recipient] = []
        """Connections with messages in their outbox. A connection may be listed twice."""
        self.measured: list[float] = []
        """Times of arrival of the moves in this turn. They are used to compute `move_times` when messages are sent."""
        self.move_times = Histogram()
        """Seconds from the arrival of a move until the move is logged and the messages about it are sent."""
        self.write_times = Histogram()
        """Seconds for writing the logs in a turn of the event loop with at least one move."""
        self.lag_times = Histogram()
        """Seconds by which timers were late, because the event loop was busy."""

    def send(self, connection: Recipient) -> None:
        """Schedule a turn of the event loop that sends the messages in the outbox of `connection`."""
        self.unsent.append(connection)
        self.wake()

    def wake(self) -> None:
        """Schedule a call of `process_queues`, unless a call is already scheduled or running."""
        if self.scheduled is None and not self.is_running:
            self.scheduled = self.soon(self.process_queues)

    def process_all(self) -> None:
        """Process all messages in the queues, including those of low-priority connections."""
        self.process_queues(len(self.yielding))

    def process_queues(self, most_yielding: int = FEW_BOT_MESSAGES) -> None:
        """Process received messages, advance the games, write the logs and send the answers.

        This call replaces a turn that is already scheduled. At most `most_yielding` messages of low-priority
        connections are processed. If more of them are waiting, another turn is scheduled.
        """
        if self.scheduled is not None:
            self.scheduled.cancel()
            self.scheduled = None
        files = self.files
        inbox, self.inbox = self.inbox, []
        for _ in range(min(most_yielding, len(self.yielding))):
            inbox.append(self.yielding.popleft())
        self.is_running = True
        try:
            for connection, content, arrived_at in inbox:
                if connection.is_open and not files.is_broken:
                    try:
                        if not self.receive(connection, content, arrived_at):
                            connection.charge(len(content))
                    except Exception as error:
                        self._report_error(error)
                        connection.abort()
            due, self.due = self.due, []
            for table, step in due:
                try:
                    table.advance(step)
                except Exception as error:
                    table.host.end_after_error(table, error)
        finally:
            self.is_running = False
        measured, self.measured = self.measured, []
        if measured:
            began = self._now()
            files.flush()
            self.write_times.add(self._now() - began)
        else:
            files.flush()
        unsent, self.unsent = self.unsent, []
        for recipient in unsent:
            try:
                recipient.flush()
            except Exception as error:
                self._report_error(error)
        if measured:
            ended = self._now()
            for arrived_at in measured:
                self.move_times.add(ended - arrived_at)
        if self.yielding:
            self.wake()

    def advance_tables(self) -> None:
        """Advance the games of all tables in `due` now, because the next message may depend on the result."""
        due, self.due = self.due, []
        for table, step in due:
            try:
                table.advance(step)
            except Exception as error:
                table.host.end_after_error(table, error)

    def processed_until(self) -> float:
        """Return the time of arrival of the oldest message that is not processed, or the current time if there is none.

        If a deadline is before this time and no answer was processed, the player has missed the deadline.
        """
        return self.yielding[0][2] if self.yielding else self._now()


def _no_lobby(connection: Any, content: bytes, arrived_at: float) -> bool:
    raise AssertionError("no lobby receives messages yet")
