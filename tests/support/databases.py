"""SQLite files of tournaments and pools, read and changed by tests."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path


@contextmanager
def opened(file: Path) -> Iterator[sqlite3.Connection]:
    """Open an SQLite file, then commit and close it.

    Tests fork processes. A child that inherits an open connection closes it when it collects garbage, and that can
    damage the file.
    """
    with closing(sqlite3.connect(file)) as connection, connection:
        yield connection
