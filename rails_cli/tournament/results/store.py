"""The store: a results folder of a tournament, with a database of complete seed groups and their logs.

A seed group (the games with one seed and setting) is stored completely or not at all, even if the program is killed.
Unfinished seed groups are played again.
"""

import fcntl
import os
import re
import sqlite3
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence, Set
from contextlib import contextmanager, suppress
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from rails_cli.basics.seeds import new_seed
from rails_cli.games.faces.phrases import count_phrase
from rails_cli.games.shared.text import printable
from rails_cli.logs.replay import END_REASONS
from rails_cli.match.seat_specs import BUILTIN
from rails_cli.protocol.lines import UNDECODABLE
from rails_cli.tournament.model import POOL, PlayedGame, SeedGroup
from rails_cli.tournament.plan.membership import Membership
from rails_cli.tournament.plan.plan import LastEntry, TournamentPlan, differences, limits_of, seen_in
from rails_cli.tournament.rating.forfeits import NOBODYS_FAULT, TOO_FEW, WORKER_DIED, Suspended
from rails_cli.tournament.results.group_results import LOGS, NOTES, GameFault, GroupPlayed, log_name
from rails_cli.tournament.schedule.formats.round_robin import most_rounds

T = TypeVar("T")

DATABASE = "results.sqlite"
LOCK = "lock"
LOOK_S = 0.5  # seconds to wait for the lock: longer than `is_locked` in another process holds it
VERSION = 1
"""Version of the database schema."""
REASONS = (*END_REASONS, TOO_FEW, WORKER_DIED)
GROUP_ID = re.compile("[0-9a-f]{16}")

_SCHEMA = f"""
CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE groups (
    key INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    number INTEGER NOT NULL,
    stage TEXT NOT NULL,
    seconds REAL NOT NULL,
    finished REAL NOT NULL,
    surplus INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE games (
    group_key INTEGER NOT NULL REFERENCES groups,
    number INTEGER NOT NULL,
    played TEXT NOT NULL,
    PRIMARY KEY (group_key, number)
) WITHOUT ROWID;
CREATE TABLE faults (
    group_key INTEGER NOT NULL REFERENCES groups,
    number INTEGER NOT NULL,
    action INTEGER NOT NULL,
    seat INTEGER NOT NULL,
    entrant TEXT NOT NULL,
    code TEXT NOT NULL,
    message TEXT NOT NULL,
    stderr TEXT NOT NULL DEFAULT ''
);
CREATE VIEW games_in_columns AS SELECT
    groups.id || '-' || games.number AS id,
    groups.number AS place,
    groups.stage,
    json_extract(played, '$.setting.game') AS game,
    json_extract(played, '$.setting.players') AS players,
    json_extract(played, '$.seed') AS seed,
    json_extract(played, '$.seating') AS seating,
    json_extract(played, '$.scores') AS scores,
    json_extract(played, '$.ranks') AS ranks,
    json_extract(played, '$.reason') AS reason,
    json_extract(played, '$.is_tainted') AS is_tainted,
    json_extract(played, '$.log') AS log,
    json_extract(played, '$.fingerprint') AS fingerprint,
    json_extract(played, '$.head') AS head,
    groups.surplus
FROM games JOIN groups ON groups.key = games.group_key;
PRAGMA user_version = {VERSION};
"""

_FOREIGN = """
SELECT type, name FROM sqlite_master WHERE type = 'trigger' OR sql LIKE 'CREATE VIRTUAL%'
OR lower(name) IN ('facts', 'groups', 'games', 'faults') AND type != 'table'
"""
"""SQL query for triggers, virtual tables and views, which could make other queries run forever or have side effects."""

_PLAYED = msgspec.json.Decoder(PlayedGame)
_ENCODER = msgspec.json.Encoder()


def _unlink_logs(folder: Path, group: str, numbers: Iterable[int]) -> None:
    """Delete log files of a seed group (games with one seed), which an interrupted attempt to play may have left.

    `folder` is the results folder, `group` is the id of the seed group, and `numbers` has the numbers of the games.
    """
    for number in numbers:
        (folder / LOGS / f"{group}-{number}.jsonl").unlink(missing_ok=True)


class StoreError(Exception):
    """Raised if a results folder cannot be used. The message gives the reason and a solution."""


class PlanDiffers(StoreError):
    """Raised if a results folder belongs to a different tournament."""

    def __init__(self, folder: Path, found: Sequence[str]) -> None:
        listed = "".join(f"\n  {words}" for words in found)
        super().__init__(
            f"{folder} holds the results of another plan:{listed}\n"
            "Choose another output folder, or go back to that plan."
        )
        self.differences = list(found)


class Ending(msgspec.Struct, frozen=True):
    """The end of a tournament: its reason and the number of seed groups and games that count.

    `words` is the reason as text. `figures` has the mean and the evidence of a rule `Better`, by name.
    """

    why: str
    """Reason for the end of the tournament.

    `format`: all games of the format are played. `games`, `time`, `better`, `top`: a stopping rule of this kind is met.
    `void`: too many consecutive seed groups have no result. `copies`: too many consecutive seed
    groups are copies of others. `suspended`: too few entrants are left to compare.
    """
    words: str
    groups: int
    games: int
    figures: dict[str, float] = {}
    winner: str | None = None
    """Name of the winner of a knockout that was played to its end. None in other cases."""
    head: str | None = None
    """Last value of the hash chain over all games that count. None until the ending is stored."""


class StoredGroup(msgspec.Struct, frozen=True, array_like=True):
    """A row of the database table `groups`, which describes a seed group."""

    id: str
    number: int
    """Position of the seed group in the schedule, from 0."""
    stage: str
    seconds: float
    finished: float
    """Unix time in seconds at which the seed group finished."""
    surplus: bool
    """Whether the games do not count, because a stopping rule was met earlier in the schedule."""


for _kind in (StoredGroup, GameFault):
    msgspec.json.Decoder(_kind)  # msgspec inspects the type once, before several threads use it


class Listed(msgspec.Struct, frozen=True):
    """A stored game with the row of its seed group."""

    group: StoredGroup
    played: PlayedGame

    @property
    def id(self) -> str:
        return f"{self.group.id}-{self.played.number}"


def mistake_in(game: PlayedGame) -> str | None:
    """Return the reason why the stored row `game` is invalid, or None if it is valid."""
    players = game.setting.players
    if not GROUP_ID.fullmatch(game.group):
        return f"its row is of {game.group!r}, which is not the id of a group"
    lists: tuple[Sequence[Any], ...] = (game.seating, game.scores, game.ranks, game.faults, game.ms)
    if players < 1 or {len(values) for values in lists} != {players} or len(game.economy) not in (0, players):
        return "its row does not have one value for each seat"
    if not all(0 <= seat < players for seat in (*game.lost, *game.absent)):
        return f"its row names a seat that does not exist; seats are 0 to {players - 1}"
    if not all(1 <= rank <= players for rank in game.ranks):
        return f"its row has a rank that is not from 1 to {players}"
    if game.reason not in REASONS:
        return f"its row has the reason {game.reason!r}; the reasons are {', '.join(REASONS)}"
    if not game.lost and game.reason not in ("normal", NOBODYS_FAULT, TOO_FEW):
        return f"its row has the reason {game.reason!r}, but no seat that was lost"
    return None


def _mistake_in_row(listed: Listed, names: Collection[str]) -> str | None:
    """Return the reason why a stored game cannot belong to a tournament of the entrants `names`.

    Return None if the game can belong to such a tournament.
    """
    mistake = mistake_in(listed.played)
    if mistake is None and listed.played.group != listed.group.id:
        mistake = f"its row is of the group {listed.played.group}"
    strangers = [name for name in listed.played.seating if name not in names]
    if mistake is None and strangers:
        mistake = f"{strangers[0]!r} never took part"
    return mistake


class Store:
    """The results folder of a tournament, with its database. Several processes may read while one process writes."""

    def __init__(self, folder: Path, *, create: bool = False) -> None:
        self.folder = folder
        file = folder / DATABASE
        try:
            if create:
                for inner in (folder, folder / LOGS, folder / NOTES):
                    inner.mkdir(parents=True, exist_ok=True)
            elif not file.is_file():
                raise StoreError(f"there is no tournament in {folder}")
            self._database = sqlite3.connect(file, isolation_level=None, timeout=30)
        except (OSError, sqlite3.Error) as error:
            raise StoreError(f"cannot open {file}: {error}") from None
        try:
            self._prepare(file, create=create)
        except BaseException:
            self.close()
            raise

    def _set_mode(self, mode: int) -> None:
        """Set the permissions of the database to `mode`.

        During games only its owner may read it, because it has the seed.
        """
        for part in ("", "-wal", "-shm"):
            with suppress(FileNotFoundError):
                (self.folder / (DATABASE + part)).chmod(mode)

    def _prepare(self, file: Path, *, create: bool) -> None:
        try:
            version = self._database.execute("PRAGMA user_version").fetchone()[0]
            if create and version == 0:
                self._refuse_old_logs(file)
                self._database.executescript(f"PRAGMA journal_mode = WAL; BEGIN IMMEDIATE; {_SCHEMA} COMMIT;")
                version = VERSION
            if create:
                self._database.execute("PRAGMA synchronous = NORMAL")
            self._database.execute("PRAGMA trusted_schema = OFF")
            foreign = self._database.execute(_FOREIGN).fetchone()
        except sqlite3.Error as error:
            raise StoreError(f"cannot open {file}: {error}") from None
        if version == 0:
            raise StoreError(f"{file} is {'not' if file.stat().st_size else 'empty, not'} a tournament database")
        if version != VERSION:
            raise StoreError(f"{file} was written by another version of the program ({version}, not {VERSION})")
        if foreign is not None:
            raise StoreError(f"{file} was not written by this program: it has the {printable(' '.join(foreign))}")

    def _refuse_old_logs(self, file: Path) -> None:
        """Raise StoreError if the folder has logs but no results, so that the logs are not overwritten."""
        old = sum(1 for log in (self.folder / LOGS).glob("*.jsonl"))
        if old:
            self._database.close()
            raise StoreError(
                f"there {'is' if old == 1 else 'are'} {count_phrase(old, 'log')} in {self.folder / LOGS}, "
                f"but {file} has no "
                "results: bring those back, or move the folder away, or choose another output folder to start anew"
            )

    def close(self) -> None:
        self._database.close()

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    # Plan and entrants

    def plan(self) -> TournamentPlan:
        plan = self._fact("plan", TournamentPlan)
        if plan is None:
            raise StoreError(f"there is no tournament in {self.folder}")
        return plan

    def has_plan(self) -> bool:
        return self._fact("plan", TournamentPlan) is not None

    def begin(self, plan: TournamentPlan) -> TournamentPlan:
        """Store `plan`, and return it with a seed.

        If `plan` has no seed, use the seed of the stored plan. If no plan is stored, choose a random seed. Delete the
        seed groups of each entrant that has changed and has lost its seat in all its games so far. These groups are
        played again. Raise PlanDiffers if the folder has the results of a different tournament.
        """
        before = self._fact("plan", TournamentPlan)
        if plan.seed is None:
            plan = msgspec.structs.replace(plan, seed=new_seed() if before is None else before.seed)
        seen: dict[str, LastEntry] = {}
        if before is not None:
            seen = self.seen()
            if found := differences(before, plan, seen):
                bound = entries_to_keep(self)
                if found := differences(before, plan, bound):
                    raise PlanDiffers(self.folder, found)
                own = seen_in(plan)
                _forget(self, {name for name in own.keys() & seen.keys() - bound.keys() if own[name] != seen[name]})
        self._set_mode(0o600)
        with self._transaction():
            self._set_fact("plan", plan)
            self._set_fact("entrants", seen | seen_in(plan))
        return plan

    def seen(self) -> dict[str, LastEntry]:
        """Return a mapping from the name of each entrant to its entry in the last run in which it took part."""
        return (self._fact("entrants", dict[str, LastEntry]) or {}) | seen_in(self.plan())

    def membership(self) -> Membership | None:
        """Return all current and former entrants, or None before the first run.

        Raise StoreError if their list is damaged.
        """
        found = self._fact("membership", Membership)
        if found is not None and not self._is_possible(found):
            raise StoreError(f"cannot read {self.folder / DATABASE}: its list of entrants is damaged")
        return found

    def _is_possible(self, membership: Membership) -> bool:
        rosters, seen = membership.rosters, self.seen()
        fewest = max((setting.players for setting in self.plan().settings), default=0)
        with self._reading():
            groups = self._database.execute("SELECT count(*) FROM groups").fetchone()[0]
        return (
            bool(rosters)
            and rosters[0].first_round == 0
            and 0 <= rosters[-1].first_round <= most_rounds(groups) + 1
            and all(seen.keys() >= {*roster.names} and len({*roster.names}) >= fewest for roster in rosters)
        )

    def set_membership(self, membership: Membership, kept: Collection[str]) -> None:
        """Store the current and former entrants.

        Delete the surplus seed groups, which do not count, except those whose ids are in `kept`.
        """
        for group in self.groups():
            if group.surplus and group.id not in kept:
                self.drop(group.id)
        with self._transaction():
            self._set_fact("membership", membership)

    # Results

    def add(self, played: Iterable[tuple[int, SeedGroup, GroupPlayed]], used_s: float) -> None:
        """Store all seed groups in `played`, or none if an error occurs.

        Each one comes with its position in the schedule. `used_s` is the number of seconds used by all runs so far.
        """
        now = time.time()
        games: list[tuple[int, int, str]] = []
        faults: list[tuple[Any, ...]] = []
        with self._transaction():
            for number, group, result in played:
                key = self._database.execute(
                    "INSERT INTO groups (id, number, stage, seconds, finished) VALUES (?, ?, ?, ?, ?)",
                    (result.group, number, group.stage, result.seconds, result.finished or now),
                ).lastrowid
                assert key is not None
                games += [(key, game.number, _ENCODER.encode(game).decode()) for game in result.games]
                _unlink_logs(self.folder, result.group, [game.number for game in result.games if game.log is None])
                faults += [(key, *msgspec.structs.astuple(fault)) for fault in result.faults]
            self._database.executemany("INSERT INTO games VALUES (?, ?, ?)", games)
            if faults:
                self._database.executemany("INSERT INTO faults VALUES (?, ?, ?, ?, ?, ?, ?, ?)", faults)
            self._set_fact("used_s", used_s)

    def drop(self, group: str) -> None:
        """Delete the results and logs of the seed group with the id `group`.

        So the seed group can be played again.
        """
        key = "(SELECT key FROM groups WHERE id = ?)"
        with self._transaction():
            numbers = self._database.execute(f"SELECT number FROM games WHERE group_key = {key}", (group,)).fetchall()
            for table in ("games", "faults"):
                self._database.execute(f"DELETE FROM {table} WHERE group_key = {key}", (group,))
            self._database.execute("DELETE FROM groups WHERE id = ?", (group,))
        _unlink_logs(self.folder, group, [number for (number,) in numbers])

    def delete_logs(self, logs: Iterable[str]) -> None:
        """Delete the log files named in `logs`, but keep the results. Ignore logs of unknown games."""
        groups = [(group, log) for log in logs if self.has(group := log.rpartition("-")[0])]
        with self._transaction():
            self._database.execute("CREATE TABLE IF NOT EXISTS let_go (id TEXT PRIMARY KEY)")
            self._database.executemany("INSERT OR IGNORE INTO let_go VALUES (?)", [(group,) for group, _ in groups])
        for _, log in groups:
            (self.folder / LOGS / log).unlink(missing_ok=True)

    def groups_without_logs(self) -> set[str]:
        """Return the ids of the seed groups whose logs were deleted to save space."""
        with self._reading():
            if self._database.execute("SELECT 1 FROM sqlite_master WHERE name = 'let_go'").fetchone() is None:
                return set()
            return {group for (group,) in self._database.execute("SELECT id FROM let_go")}

    def suspended(self) -> dict[str, Suspended]:
        return self._fact("suspended", dict[str, Suspended]) or {}

    def set_suspended(self, suspended: dict[str, Suspended]) -> None:
        with self._transaction():
            self._set_fact("suspended", suspended)

    def has(self, group: str) -> bool:
        with self._reading():
            return self._database.execute("SELECT 1 FROM groups WHERE id = ?", (group,)).fetchone() is not None

    def next_number(self) -> int:
        """Return the position in the schedule that follows the last stored seed group."""
        with self._reading():
            return int(self._database.execute("SELECT COALESCE(MAX(number) + 1, 0) FROM groups").fetchone()[0])

    def used_s(self) -> float:
        """Return the number of seconds used by all runs of the tournament so far."""
        return self._fact("used_s", float) or 0.0

    def groups(self) -> list[StoredGroup]:
        with self._reading():
            rows = self._database.execute(
                "SELECT id, number, stage, seconds, finished, surplus FROM groups ORDER BY number, key"
            )
            return [msgspec.convert(row[:6], StoredGroup, strict=False) for row in rows]

    def games(
        self,
        *,
        with_surplus: bool = False,
        as_kept: bool = False,
        last_groups: int | None = None,
        last_s: float | None = None,
    ) -> Iterator[Listed]:
        """Yield the stored games in schedule order. Include surplus games, which do not count, only if `with_surplus`.

        With `as_kept`, also yield invalid rows. Otherwise raise StoreError for an invalid row. If `last_groups` is
        given, yield only the games of the `last_groups` seed groups that were stored last. If `last_s` is given, yield
        only the games of seed groups that finished at most `last_s` seconds before the last one.
        """
        names = None if as_kept else self.seen().keys()
        with self._reading():
            rows = self._database.execute(
                "SELECT id, groups.number, stage, seconds, finished, surplus, played FROM groups "
                "JOIN games ON games.group_key = groups.key WHERE surplus <= ? "
                "AND (? IS NULL OR key > (SELECT max(key) FROM groups) - ?) "
                "AND (? IS NULL OR finished >= (SELECT max(finished) FROM groups) - ?) "
                "ORDER BY groups.number, key, games.number",
                (int(with_surplus), last_groups, last_groups, last_s, last_s),
            )
            for row in rows:
                listed = Listed(msgspec.convert(row[:6], StoredGroup, strict=False), _PLAYED.decode(row[6]))
                if names is not None and (mistake := _mistake_in_row(listed, names)) is not None:
                    text = printable(f"{listed.id}: {mistake}")
                    raise StoreError(f"cannot read {self.folder / DATABASE}: game {text}")
                yield listed

    def played(self, *, with_surplus: bool = False) -> Iterator[PlayedGame]:
        """Yield the results of the games that count, or of all games if `with_surplus`."""
        return (listed.played for listed in self.games(with_surplus=with_surplus))

    def last_games_of(self, entrant: str, most: int, among: int) -> list[Listed]:
        """Return up to `most` games of an entrant, latest first, from the last `among` seed groups that were stored."""
        with self._reading():
            rows = self._database.execute(
                "SELECT id, groups.number, stage, seconds, finished, surplus, played FROM groups "
                "JOIN games ON games.group_key = groups.key "
                "WHERE key > (SELECT max(key) FROM groups) - ? AND instr(played, ?) ORDER BY key DESC, games.number",
                (among, _ENCODER.encode(entrant).decode()),
            )
            found = []
            for row in rows:
                listed = Listed(msgspec.convert(row[:6], StoredGroup, strict=False), _PLAYED.decode(row[6]))
                if entrant in listed.played.seating and mistake_in(listed.played) is None:
                    found.append(listed)
                    if len(found) == most:
                        break
            return found

    def last_faults_of(self, entrant: str, most: int) -> list[tuple[str, GameFault]]:
        """Return up to `most` faults of an entrant, latest first, each with the id of the seed group of its game."""
        return list(islice(self._faults("WHERE entrant = ? ORDER BY faults.rowid DESC", entrant), most))

    def fault_codes_of(self, entrant: str) -> dict[str, dict[str, int]]:
        """Return how often `entrant` made each kind of fault, by seed group.

        The result maps the id of a seed group to a mapping from the code of a fault to a number of faults.
        """
        found: dict[str, dict[str, int]] = {}
        with self._reading():
            rows = self._database.execute(
                "SELECT id, code, count(*) FROM faults JOIN groups ON groups.key = faults.group_key "
                "WHERE entrant = ? GROUP BY id, code ORDER BY code",
                (entrant,),
            )
            for group, code, number in rows:
                found.setdefault(group, {})[code] = number
        return found

    def faults_by_game(self) -> dict[str, list[GameFault]]:
        found: dict[str, list[GameFault]] = {}
        for group, fault in self.faults():
            found.setdefault(f"{group}-{fault.number}", []).append(fault)
        return found

    def faults(self) -> Iterator[tuple[str, GameFault]]:
        """Yield all faults in schedule order, each with the id of its seed group."""
        return self._faults("ORDER BY groups.number, key, faults.rowid")

    def _faults(self, which: str, *values: str) -> Iterator[tuple[str, GameFault]]:
        with self._reading():
            rows = self._database.execute(
                "SELECT id, faults.number, action, seat, entrant, code, message, stderr FROM faults "
                f"JOIN groups ON groups.key = faults.group_key {which}",
                values,
            )
            for row in rows:
                yield row[0], msgspec.convert(dict(zip(GameFault.__struct_fields__, row[1:], strict=True)), GameFault)

    # Ending

    def ending(self) -> Ending | None:
        return self._fact("ending", Ending)

    def reopen(self) -> None:
        """Delete the stored ending, because the tournament continues.

        Surplus seed groups, which did not count, now count.
        """
        with self._transaction():
            self._database.execute("DELETE FROM facts WHERE name = 'ending'")
            self._database.execute("UPDATE groups SET surplus = 0 WHERE surplus")

    def end(self, ending: Ending, counting_groups: Sequence[str], used_s: float) -> Ending:
        """Store `ending`, and mark all games as surplus (not counting) except those in `counting_groups`.

        `counting_groups` has ids of seed groups. `used_s` is the number of seconds used by all runs. Return the ending
        with the last value of the hash chain.
        """
        with self._transaction():
            known = dict(self._database.execute("SELECT id, number FROM groups"))
            moved = [(number, group) for number, group in enumerate(counting_groups) if known[group] != number]
            self._database.executemany("UPDATE groups SET number = ? WHERE id = ?", moved)
            beyond = known.keys() - set(counting_groups)
            self._database.executemany("UPDATE groups SET surplus = 1 WHERE id = ?", [(group,) for group in beyond])
            ending = msgspec.structs.replace(ending, head=self.heads()[-1])
            self._set_fact("ending", ending)
            self._set_fact("used_s", used_s)
        self._set_mode(self.folder.stat().st_mode & 0o666)
        return ending

    def heads(self) -> list[str]:
        """Return the values of the hash chain over all games that count, in schedule order.

        The first value is empty. Each other value is the SHA-256 of the previous value (as hex digits) followed by the
        stored game.
        """
        heads = [""]
        with self._reading():
            rows = self._database.execute(
                "SELECT played FROM groups JOIN games ON games.group_key = groups.key WHERE NOT surplus "
                "ORDER BY groups.number, key, games.number"
            )
            for (played,) in rows:
                heads.append(sha256(f"{heads[-1]}{played}".encode()).hexdigest())
        return heads

    def _fact(self, name: str, kind: type[T]) -> T | None:
        with self._reading():
            row = self._database.execute("SELECT value FROM facts WHERE name = ?", (name,)).fetchone()
            return None if row is None else msgspec.json.decode(row[0], type=kind)

    @contextmanager
    def _reading(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, *UNDECODABLE) as error:
            raise StoreError(f"cannot read {self.folder / DATABASE}: {printable(str(error))}") from None

    def _set_fact(self, name: str, value: Any) -> None:
        self._database.execute(
            "INSERT INTO facts VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
            (name, _ENCODER.encode(value).decode()),
        )

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        try:
            self._database.execute("BEGIN IMMEDIATE")
            with self._database:
                yield
        except sqlite3.Error as error:
            raise StoreError(f"cannot write {self.folder / DATABASE}: {error}") from None


def ask_commands(store: Store) -> Callable[[str, GameFault], str | None]:
    """Return a function that makes a shell command for a fault. The command asks the bot the same question again.

    The function takes two arguments: the id of a seed group, and the fault. It returns None if no command can ask the
    question again, for example because there is no log.
    """
    from rails_cli.programs.failures import ask_command

    base, seen = store.plan().base, store.seen()

    def command(group: str, fault: GameFault) -> str | None:
        log = store.folder / log_name(group, fault.number)
        entry = seen.get(fault.entrant)
        if not fault.action or entry is None or entry.entrant.spec.startswith((BUILTIN, POOL)) or not log.exists():
            return None
        entrant, file = entry.entrant, str(log)
        home = os.path.normpath(os.path.join(base, entrant.folder))
        if os.path.realpath(home) == os.path.realpath("."):
            home = ""
        else:
            file = os.path.abspath(log)
        return ask_command(file, fault.action, entrant.spec, home, limits_of(entrant), entrant.environment)

    return command


def entries_to_keep(store: Store) -> dict[str, LastEntry]:
    """Return the entries of `store.seen()` for all entrants that have finished a game without losing their seat.

    A plan that changes one of these entries belongs to a different tournament.
    """
    finished = {
        name
        for game in store.played(with_surplus=True)
        for seat, name in enumerate(game.seating)
        if seat not in (*game.lost, *game.absent)
    }
    return {name: entry for name, entry in store.seen().items() if name in finished}


def _forget(store: Store, changed: Set[str]) -> None:
    """Delete all seed groups in which an entrant in `changed` played, and the suspensions of these entrants."""
    drop_groups(store, {game.group for game in store.played(with_surplus=True) if changed & {*game.seating}})
    store.set_suspended({name: one for name, one in store.suspended().items() if name not in changed})


def drop_groups(store: Store, groups: Set[str]) -> None:
    """Delete the results and logs of the seed groups with the ids `groups`, so that they can be played again."""
    for group in sorted(groups):
        store.drop(group)
    members = store.membership()
    if groups and members is not None:
        settled = tuple(group for group in members.settled if group not in groups)
        store.set_membership(msgspec.structs.replace(members, settled=settled), [group.id for group in store.groups()])


@contextmanager
def locked(
    folder: Path, now: Callable[[], float] = time.monotonic, sleep: Callable[[float], None] = time.sleep
) -> Iterator[None]:
    """Lock a results folder, so that only one program plays in it.

    The lock ends with the program, even if it is killed. Raise StoreError if another program still has the lock after
    `LOOK_S` seconds. `now` is the clock, and `sleep` waits between attempts.
    """
    folder.mkdir(parents=True, exist_ok=True)
    file = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        until = now() + LOOK_S
        while not _takes(file, fcntl.LOCK_EX):
            if now() > until:
                raise StoreError(f"another program is playing in {folder}")
            sleep(0.01)
        yield
    finally:
        os.close(file)


def is_locked(folder: Path) -> bool:
    """Return whether a program has locked the results folder `folder` to play in it."""
    try:
        file = os.open(folder / LOCK, os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        return not _takes(file, fcntl.LOCK_SH)
    finally:
        os.close(file)


def _takes(file: int, kind: int) -> bool:
    try:
        fcntl.flock(file, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
