"""The seats that one holds at servers: kept in a file of the user's, so that one finds back to one's games."""

import time
from contextlib import suppress
from pathlib import Path

import msgspec

from rails_cli.files import read_file, write_new
from rails_cli.terminal.saving import state_folder

MOST = 50
"""As many as a server may be asked about at once."""


class KeptSeat(msgspec.Struct, frozen=True):
    """A seat at a table of a server."""

    url: str
    table: str
    token: str
    at: float
    name: str = ""
    """What one called oneself there."""
    owner: str = ""
    """The token of the table's owner, if one is that."""


def kept_seats(url: str | None = None) -> list[KeptSeat]:
    """The seats at one server, or at all, the latest first; none if the file cannot be used."""
    try:
        seats = msgspec.json.decode(read_file(_file(), must_be_regular=True), type=list[KeptSeat])
    except (OSError, msgspec.MsgspecError, UnicodeError, RecursionError):
        return []
    return [seat for seat in seats if url in (None, seat.url)]


def keep_seat(url: str, table: str, token: str, name: str = "", owner: str = "") -> None:
    """Without a name or an owner, those that were kept with the seat stay."""
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
    """What cannot be kept is not."""
    with suppress(OSError):
        _file().parent.mkdir(parents=True, exist_ok=True)
        write_new(_file(), msgspec.json.encode(seats))
