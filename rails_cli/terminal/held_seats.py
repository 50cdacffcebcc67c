"""The seats of the user at tables of servers. A file stores them, so that the user can return to a seat later."""

import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from rails_cli.basics.files import read_file, replace_file
from rails_cli.client.connection import ANSWER_S, ProtocolMismatch, request_once
from rails_cli.protocol.lines import UNDECODABLE
from rails_cli.terminal.saving import state_folder

MOST = 50
"""Maximum number of seats in the file. It equals the maximum number of seats in one `held` request to a server."""


class KeptSeat(msgspec.Struct, frozen=True):
    """A seat of the user at a table of a server, as the file stores it."""

    url: str
    table: str
    token: str
    at: float
    """Unix timestamp of the last time that the seat was stored."""
    name: str = ""
    """Name of the user at the table. Empty if unknown."""
    owner: str = ""
    """Token of the owner of the table. Empty if the user does not own the table."""


def kept_seats(url: str | None = None) -> list[KeptSeat]:
    """Return the stored seats at the server `url`, or at all servers if `url` is None.

    The seat that was stored last comes first. Return an empty list if the file is unreadable.
    """
    try:
        seats = msgspec.json.decode(read_file(_file()), type=list[KeptSeat])
    except (OSError, *UNDECODABLE):
        return []
    return [seat for seat in seats if url in (None, seat.url)]


def keep_seat(url: str, table: str, token: str, name: str, owner: str) -> None:
    """Store a seat and the `owner` token of its table. If `name` or `owner` is empty, keep its value from the file."""
    seats = kept_seats()
    before = next((seat for seat in seats if seat.token == token), KeptSeat(url, table, token, 0.0))
    others = [seat for seat in seats if seat.token != token]
    _write([KeptSeat(url, table, token, time.time(), name or before.name, owner or before.owner), *others][:MOST])


def forget_seat(token: str) -> None:
    seats = kept_seats()
    if any(seat.token == token for seat in seats):
        _write([seat for seat in seats if seat.token != token])


def held_tables(
    url: str, tokens: list[str], certificate: Path | None, timeout_s: float = ANSWER_S
) -> list[dict[str, Any] | None]:
    """Ask a server about the seats with these `tokens`. Return a description of each seat and its table.

    The descriptions are in the order of `tokens`. If the user has lost a seat, its description is None, and the seat is
    removed from the file.
    """
    held: list[dict[str, Any] | None] = request_once(url, certificate, timeout_s, type="held", tokens=tokens)["seats"]
    if len(held) != len(tokens):
        raise ProtocolMismatch("the server does not answer `held` for each token")
    for token, seat in zip(tokens, held, strict=True):
        if seat is None:
            forget_seat(token)
    return held


def _file() -> Path:
    return state_folder() / "seats.json"


def _write(seats: list[KeptSeat]) -> None:
    """Write the file of seats. Ignore errors, because a game can be played without the file."""
    with suppress(OSError):
        _file().parent.mkdir(parents=True, exist_ok=True)
        replace_file(_file(), msgspec.json.encode(seats))
