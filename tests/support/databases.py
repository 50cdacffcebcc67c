"""Access to the SQLite files of tournaments and pools."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path


@contextmanager
def opened(file: Path) -> Iterator[sqlite3.Connection]:
    """Open an SQLite file. At the end of the context, commit the changes and close the connection.

    No connection stays open, because a forked child would inherit and later close it, which can damage the file.
    """
    with closing(sqlite3.connect(file)) as connection, connection:
        yield connection
