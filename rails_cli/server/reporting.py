"""Messages for the operator of a server, as text or as JSON lines."""

import logging
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, Protocol

import msgspec


class ReportFunction(Protocol):
    """A function that prints a message for the operator of the server."""

    def __call__(self, words: str, table: str | None = None) -> None:
        """Print `words`. If the message is about a table, `table` is the id of that table."""


class Note(Protocol):
    """A function that records an event in a JSON log."""

    def __call__(self, event: str, table: str | None = None, connection: int | None = None, **fields: Any) -> None:
        """Record an event of the kind `event`, with further `fields`.

        If the event is about a table, `table` is its id. If the event is about a connection, `connection` is its
        number.
        """


def no_note(event: str, table: str | None = None, connection: int | None = None, **fields: Any) -> None:
    """Do nothing. This function is used if events are not recorded."""


class OperatorLog:
    """The log that a server prints. It has messages as text, or messages and events as JSON lines."""

    def __init__(self, write: Callable[[str], None], wall: Callable[[], float], *, as_json: bool = False) -> None:
        """`write` prints a line, and `wall` returns Unix timestamps."""
        self._write = write
        self._wall = wall
        self._as_json = as_json

    def __call__(self, words: str, table: str | None = None) -> None:
        if self._as_json:
            self.note("message", table, message=words)
        else:
            self._write(words)

    def note(self, event: str, table: str | None = None, connection: int | None = None, **fields: Any) -> None:
        """Print an event as a JSON line. Print nothing if the log is text."""
        if self._as_json:
            time = datetime.fromtimestamp(self._wall(), UTC).isoformat(timespec="milliseconds")
            line = {"time": time, "event": event, "table": table, "connection": connection, **fields}
            self._write(msgspec.json.encode(line).decode())

    def include_logging(self) -> None:
        """Print messages of the module `logging`, such as those of asyncio, as JSON lines.

        Do nothing if the log is text.
        """
        if self._as_json:
            handler = _Handler()
            handler.log = self
            logging.getLogger().addHandler(handler)


class _Handler(logging.Handler):
    log: OperatorLog

    def emit(self, record: logging.LogRecord) -> None:
        self.log(self.format(record))
