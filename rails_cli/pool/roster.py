"""The roster of a private pool: a CSV of who may enter, and the file with an invitation for each."""

import csv
import io
from collections.abc import Sequence

import msgspec

from rails_cli.games.phrases import printable

_COLUMNS = ("owner", "name", "email")


class Invited(msgspec.Struct, frozen=True):
    """A line of a roster."""

    owner: str
    name: str


def read_roster(text: str) -> list[Invited]:
    """The lines `owner,name` of a CSV, with or without a heading; an `email` may follow, which nobody looks at. Where
    commas are for numbers, spreadsheets write semicolons or tabs.

    Raises ValueError, which names the line and what would do.
    """
    found: list[Invited] = []
    seen: dict[str, int] = {}
    text = text.removeprefix("\ufeff")
    first = text.lstrip().partition("\n")[0]
    mark = next((mark for mark in ",;\t" if mark in first), ",")
    rows = csv.reader(io.StringIO(text), delimiter=mark, strict=True)
    try:
        for row in rows:
            cells = [cell.strip() for cell in row]
            if not any(cells) or (not found and tuple(cell.casefold() for cell in cells) in (_COLUMNS[:2], _COLUMNS)):
                continue
            if len(cells) not in (2, 3) or not cells[0] or not cells[1]:
                raise ValueError(f"expected owner,name or owner,name,email, not {printable(','.join(row)[:60])!r}")
            name = cells[1].casefold()
            if name in seen:
                raise ValueError(f"the name {printable(cells[1])!r} is also in line {seen[name]}")
            seen[name] = rows.line_num
            found.append(Invited(cells[0], cells[1]))
    except (csv.Error, ValueError) as error:
        raise ValueError(f"line {rows.line_num} of the roster: {error}") from None
    if not found:
        raise ValueError("the roster is empty: expected a line owner,name for each bot")
    return found


def owners_of(roster: Sequence[Invited]) -> list[str]:
    """Each once, in order: an invitation is good for an owner, who then registers any of its bots."""
    return list(dict.fromkeys(invited.owner for invited in roster))


def invitations_csv(roster: Sequence[Invited], invites: Sequence[str]) -> str:
    """A file to hand out line by line: owner, names, invitation; one invitation for each owner, in order."""
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    writer.writerow(["owner", "names", "invitation"])
    for owner, invite in zip(owners_of(roster), invites, strict=True):
        writer.writerow([owner, "; ".join(one.name for one in roster if one.owner == owner), invite])
    return written.getvalue()
