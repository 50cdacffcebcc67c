"""Positions of finished games from which new games continue."""

from collections.abc import Callable
from functools import lru_cache, partial
from pathlib import Path
from typing import NamedTuple

from rails_cli.basics.files import read_file
from rails_cli.games import whole_games
from rails_cli.games.shared.text import printable
from rails_cli.logs.chain import Beginning
from rails_cli.logs.reading import BadLog, Log, build_decoders
from rails_cli.logs.resume import branch_resume_point, resume_point
from rails_cli.match.match import ResumePoint
from rails_cli.protocol.lobby import BranchPoint
from rails_cli.protocol.messages import Clock
from rails_cli.server.refused import Refused
from rails_cli.server.tables.table import GameTable, player_lines
from rails_cli.server.tables.validation import NAME_LIMIT
from rails_cli.study.asking import CannotAsk
from rails_cli.study.branches import NotOver, beginning, position

ORIGINS_KEPT = 4
"""Maximum number of positions in the cache. It is small, because a game begins soon after its position is read."""


class Origin(NamedTuple):
    """A position in the log of a finished game, from which another game continues."""

    content: bytes
    """The whole log, as stored in its file."""
    log: Log
    """The part of the log up to the position."""
    at: int
    """Number of the first action that is played after the position."""
    left: ResumePoint
    """The match in the position, with the state that is needed to continue it."""


def origin_reader(path: Path | None, branch: BranchPoint, clock: Clock | None) -> Callable[[], Origin | Refused]:
    """Return a function that reads the position `branch` from the log `path`.

    `clock` is the clock of the game that continues from this position. The returned function is slow and can be called
    in a thread. If reading fails, it returns a Refused object. If `path` is None, there is no such log, and
    `origin_reader` itself raises Refused.
    """
    if path is None:
        raise Refused("unknown_table", f"no game {branch.log[:NAME_LIMIT]!r} that has ended is here")
    for name in whole_games():
        build_decoders(name)
    return partial(_origin_or_reason, path, branch, clock)


def read_origin(path: Path | None, branch: BranchPoint, clock: Clock | None) -> Origin:
    """Return the position `branch` of the log `path`. Raise Refused if the log or the position does not exist."""
    found = origin_reader(path, branch, clock)()
    if isinstance(found, Refused):
        raise found
    return found


def begin_branch(table: GameTable, branch: BranchPoint, origin: Origin, bots_kept_in: str | None) -> None:
    """Start the game of a table from the position `origin` of another game.

    `bots_kept_in` is the name of the sandbox in which bots run, or None.
    """
    players = player_lines(table, bots_kept_in)
    begun: Beginning = beginning(
        origin.content, f"{branch.log}.jsonl", origin.log, origin.at, players, table.clock, table.id
    )
    table.begin_from(begun, branch_resume_point(origin.left, origin.log, begun.header, players, table.clock))


def _origin_or_reason(path: Path, branch: BranchPoint, clock: Clock | None) -> Origin | Refused:
    try:
        return _origin(path, path.stat().st_mtime_ns, branch.number, clock)
    except (BadLog, CannotAsk, NotOver) as error:
        return Refused("bad_request", f"branch: {printable(str(error))}")
    except OSError:
        return Refused("bad_request", f"branch: the log of {branch.log[:NAME_LIMIT]!r} cannot be read")


@lru_cache(ORIGINS_KEPT)
def _origin(path: Path, changed_at: int, number: int, clock: Clock | None) -> Origin:
    """Return the position before action `number` of a log.

    `changed_at` is the modification time of the log. It is used only as part of the cache key.
    """
    content = read_file(path)
    log, at = position(content, number - 1)
    return Origin(content, log, at, resume_point(log, clock))
