"""The results of the pool, stored in the format of tournaments.

Tournaments store seed groups, which have the games with one seed. The pool stores each game as a seed group of its own.
The stored result of a game is read from its log, once per game. If a stored result differs from the log, the log is
right.
"""

import fcntl
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from hashlib import sha256
from pathlib import Path

import msgspec

from rails_cli.basics.files import read_file
from rails_cli.logs.reading import read_log
from rails_cli.match.seat_specs import BUILTIN
from rails_cli.server.store.records import PoolGame
from rails_cli.tournament.model import Entrant, PlayedGame, Setting
from rails_cli.tournament.plan.plan import TournamentPlan
from rails_cli.tournament.results.group_results import GameFault, GroupPlayed, log_name
from rails_cli.tournament.results.log_results import logged_result, with_logged_result
from rails_cli.tournament.results.store import Store, StoreError

LOCK = "writer.lock"
"""Name of the lock file of the process that writes results."""
FOLDER = "pool"
"""Name of the folder with the results of the pool, inside the data folder of a server."""


class Terms(msgspec.Struct, frozen=True):
    """The rules under which the games of a pool are played."""

    clock: str
    max_faults: int
    settings: tuple[Setting, ...]
    anchors: list[str]
    """Names of the anchors: built-in players with which ratings are compared. The first anchor has rating 0."""


class PoolResults:
    """The folder with the results of the pool. One process writes it, and other processes may read it at any time."""

    def __init__(self, folder: Path, terms: Terms) -> None:
        """Open or create the folder. Wait until no other process has it open for writing.

        For example, the worker of a server that crashed may still be storing games. Raise StoreError if the folder
        cannot be opened, or if its games were played under other rules.
        """
        self.folder = folder
        self.terms = terms
        self._resources = ExitStack()
        anchors = [Entrant(name, f"{BUILTIN}{name}") for name in terms.anchors]
        with ExitStack() as opened:
            opened.enter_context(_locked(folder))
            self.store = opened.enter_context(Store(folder, create=True))
            self._plan = self.store.begin(self._with(anchors))
            self._resources = opened.pop_all()

    def close(self) -> None:
        self._resources.close()

    def _with(self, entrants: Sequence[Entrant]) -> TournamentPlan:
        """Return a tournament plan with the rules of the pool, its stored entrants and `entrants`."""
        known = {name: last.entrant for name, last in self.store.seen().items()} if self.store.has_plan() else {}
        known |= {entrant.name: entrant for entrant in entrants}
        return TournamentPlan(
            name="Pool",
            clock=self.terms.clock,
            max_faults=self.terms.max_faults,
            game_limit_s=None,
            anchor=self.terms.anchors[0],
            output=self.folder.name,
            base=str(self.folder.parent.resolve()),
            format={"kind": "pool"},
            settings=self.terms.settings,
            entrants=tuple(known.values()),
            openings="drawn",
        )

    def add(self, game: PoolGame, log: Path, seconds: float) -> PlayedGame | None:
        """Store the result of `game`, read from its log, and return it. Return None if it is stored already.

        `seconds` is the duration of the game. Raise BadLog, OSError or StoreError if the result cannot be stored.
        """
        group = game.group
        if self.store.has(group.id):
            return None
        content = read_file(log)
        logged = logged_result(read_log(content), group.setting, game.seating, self.terms.max_faults)
        if logged is None:
            raise OSError(None, "the log has no end", str(log))
        nothing = [0] * group.setting.players
        played = PlayedGame(
            *(group.id, 0, group.setting, group.seed, game.seating, nothing, nothing, "", nothing, False, nothing, 0),
            log=log_name(group.id, 0),
            head=sha256(content).hexdigest(),
            deal=None if game.deal == group.seed else game.deal,
        )
        played = with_logged_result(played, logged)
        faults = [
            GameFault(0, fault.number, fault.seat, game.seating[fault.seat], fault.code, fault.message)
            for fault in logged.faults
        ]
        link_log(log, self.folder / log_name(group.id, 0))
        known = {*self._plan.names}
        new = [Entrant(name, spec) for name, spec in zip(game.seating, game.specs, strict=True) if name not in known]
        if new:
            self._plan = self.store.begin(self._with(new))
        kept = GroupPlayed(group.id, [played], faults, seconds)
        self.store.add([(self.store.next_number(), group, kept)], self.store.used_s() + seconds)
        return played


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Lock `folder` for a `with` block, so that only one process writes. Wait for the lock.

    Raise StoreError on failure.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise StoreError(f"cannot open {folder / LOCK}: {error.strerror}") from None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


def link_log(log: Path, to: Path) -> None:
    """Create `to` as a hard link to the file `log`, so that the content is kept when `log` is deleted.

    If hard links are not possible, copy the file.
    """
    to.unlink(missing_ok=True)
    try:
        os.link(log, to)
    except OSError:
        shutil.copyfile(log, to)
