"""The roster of a private pool: a CSV file of the bots that may enter, and a CSV file with the invitations."""

import csv
import io
from collections.abc import Sequence

import msgspec

from rails_cli.games.shared.text import printable
from rails_cli.server.pool.names import checked_name
from rails_cli.server.refused import Refused

_HEADING = ("owner", "name")
_SIZES = (2, 3)
"""Allowed numbers of cells in a line of a roster."""


class Invited(msgspec.Struct, frozen=True):
    """A line of a roster: a bot that may enter, and its owner."""

    owner: str
    name: str


def read_roster(text: str) -> list[Invited]:
    """Return the lines `owner,name` of the CSV `text`, which may have a heading. An optional `email` cell is ignored.

    Semicolons and tabs are accepted as separators, as some spreadsheets write them. Raise ValueError that names the
    invalid line and the expected format.
    """
    found: list[Invited] = []
    seen: dict[str, int] = {}
    text = text.removeprefix("\ufeff")
    rows = csv.reader(io.StringIO(text), delimiter=_separator_of(text), strict=True)
    is_first = True
    try:
        for row in rows:
            cells = [cell.strip() for cell in row]
            if not any(cells):
                continue
            is_heading = is_first and tuple(cell.casefold() for cell in cells[:2]) == _HEADING
            is_first = False
            if is_heading:
                continue
            if len(cells) not in _SIZES or not cells[0] or not cells[1]:
                raise ValueError(f"expected owner,name or owner,name,email, not {printable(','.join(row)[:60])!r}")
            owner, name = checked_name(cells[0]), checked_name(cells[1])
            if name.casefold() in seen:
                raise ValueError(f"the name {name!r} is also in line {seen[name.casefold()]}")
            seen[name.casefold()] = rows.line_num
            found.append(Invited(owner, name))
    except (csv.Error, Refused, ValueError) as error:
        raise ValueError(f"line {rows.line_num} of the roster: {error}") from None
    if not found:
        raise ValueError("the roster is empty: expected a line owner,name for each bot")
    return found


def _separator_of(text: str) -> str:
    """Return the separator of the cells in the rows of `text`: a comma, a semicolon or a tab.

    With this separator, every row has a valid number of cells. Raise ValueError if several separators fit.
    """
    fitting = [separator for separator in ",;\t" if _fits(text, separator)]
    if len(fitting) > 1:
        marks = " or ".join(map(repr, fitting))
        raise ValueError(f"the cells of the roster could be parted by {marks}: begin it with a line owner,name")
    first = text.lstrip().partition("\n")[0]
    return next((separator for separator in fitting or ",;\t" if separator in first), ",")


def _fits(text: str, separator: str) -> bool:
    try:
        rows = [
            row for row in csv.reader(io.StringIO(text), delimiter=separator, strict=True) if any(map(str.strip, row))
        ]
    except csv.Error:
        return False
    return bool(rows) and all(len(row) in _SIZES for row in rows)


def owners_of(roster: Sequence[Invited]) -> list[str]:
    """Return the names of the owners in a roster, in its order and without repetitions.

    Each owner gets one invitation.
    """
    return list(dict.fromkeys(invited.owner for invited in roster))


def invitations_csv(roster: Sequence[Invited], invites: Sequence[str]) -> str:
    """Return CSV text with a row for each owner: name, bots and invitation.

    `invites` has the invitations in the order of `owners_of(roster)`.
    """
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    writer.writerow(["owner", "names", "invitation"])
    for owner, invite in zip(owners_of(roster), invites, strict=True):
        writer.writerow([owner, "; ".join(one.name for one in roster if one.owner == owner), invite])
    return written.getvalue()
