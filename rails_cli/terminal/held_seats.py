"""The user's seats at servers, stored in a file so that games can be resumed."""

import time
from contextlib import suppress
from pathlib import Path

import msgspec

from rails_cli.basics.files import read_file, replace_file
from rails_cli.terminal.saving import state_folder

MOST = 50
"""Most seats kept, which is as many as one request to a server may ask about."""


class KeptSeat(msgspec.Struct, frozen=True):
    """A seat at a table of a server."""

    url: str
    table: str
    token: str
    at: float
    name: str = ""
    """The user's name at the table."""
    owner: str = ""
    """The token of the table's owner, if this user is the owner."""


def kept_seats(url: str | None = None) -> list[KeptSeat]:
    """Return the seats at one server, or at all, latest first. Empty if the file cannot be read."""
    try:
        seats = msgspec.json.decode(read_file(_file(), must_be_regular=True), type=list[KeptSeat])
    except (OSError, msgspec.MsgspecError, UnicodeError, RecursionError):
        return []
    return [seat for seat in seats if url in (None, seat.url)]


def keep_seat(url: str, table: str, token: str, name: str = "", owner: str = "") -> None:
    """Store a seat. Without a name or an owner, the stored values of the seat are kept."""
    seats = kept_seats()
    before = next((seat for seat in seats if seat.token == token), KeptSeat(url, table, token, 0.0))
    others = [seat for seat in seats if seat.token != token]
    _write([KeptSeat(url, table, token, time.time(), name or before.name, owner or before.owner), *others][:MOST])


def forget_seat(token: str) -> None:
    seats = kept_seats()
    if any(seat.token == token for seat in seats):
        _write([seat for seat in seats if seat.token != token])


def _file() -> Path:
    return state_folder() / "seats.json"


def _write(seats: list[KeptSeat]) -> None:
    """Write the seats. Errors are ignored."""
    with suppress(OSError):
        _file().parent.mkdir(parents=True, exist_ok=True)
        replace_file(_file(), msgspec.json.encode(seats))
