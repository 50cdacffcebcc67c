"""Replay of logged games for spectators, with the messages of a live game."""

import contextlib
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from rails_cli.basics.files import open_regular, read_file
from rails_cli.games.game import ALL_SEATS
from rails_cli.logs.reading import BadLog, Log, last_clock, ranks_with_lost_last, read_log
from rails_cli.logs.replay import replay
from rails_cli.match.session import start_of
from rails_cli.protocol.lines import UNDECODABLE, frame
from rails_cli.protocol.lobby import BranchPoint, SeatInfo, TableInfo
from rails_cli.protocol.log import FaultLine, Header, ResultLine, SetupLine, UndoLine
from rails_cli.protocol.messages import End, EndReason, Error, Update
from rails_cli.server.store.kept_logs import TAIL_BYTES, last_result
from rails_cli.server.tables.seat import Connection

READ_AT_ONCE = 500
"""Maximum number of logs that one call of `LoggedGames.games` reads. Further logs are read in later calls."""
LOOK_EVERY_S = 2.0
"""Seconds between two listings of the folder with logs."""
STEPS_A_TURN = 40
"""Maximum number of actions of a replay that are sent at once, so that other work is not delayed."""


class _Action(msgspec.Struct, tag="action", tag_field="type"):
    number: int


_ACTIONS = msgspec.json.Decoder(_Action | UndoLine)


class Replay:
    """A replay of one log for one spectator, including hidden information. An action is sent every `pace_s` seconds."""

    def __init__(self, connection: Connection, info: TableInfo, log: Log, pace_s: float, now: float) -> None:
        self.id = info.table
        self.connection = connection
        self.info = info
        self.pace_s = pace_s
        self.due = now
        self.frames = self._frames(log)

    def tick(self, now: float) -> bool:
        """Send the actions that are due at the time `now`. Return True when all actions are sent."""
        for _ in range(STEPS_A_TURN):
            if now < self.due or self.connection.is_busy:
                return False
            content = next(self.frames, None)
            if content is None:
                return True
            self.connection.post(content)
            self.due = max(self.due + self.pace_s, now - self.pace_s)
        return False

    def _frames(self, log: Log) -> Iterator[bytes]:
        header = log.header
        codes: list[Counter[str]] = [Counter() for _ in header.players]
        try:
            clock = last_clock(log)
            for step in replay(log):
                line = step.message
                if type(line) is ResultLine:
                    why = msgspec.convert(line.reason, EndReason)
                    ranks = ranks_with_lost_last(log, line.ranks, why)
                    faults, by_code = [one.total() for one in codes], [dict(sorted(one.items())) for one in codes]
                    yield frame(End(self.id, line.scores, ranks, why, faults, fault_codes=by_code))
                elif type(line) is FaultLine:
                    codes[line.seat][line.code] += 1
                elif step.events or type(line) is SetupLine:
                    if type(line) is SetupLine:
                        yield frame(start_of(self.id, step.match, [], clock, self.connection.join))
                    events = step.match.events_for(ALL_SEATS, len(step.match.history) - len(step.events))
                    view = step.match.view_for(ALL_SEATS) if type(line) is SetupLine else None
                    yield frame(Update(self.id, events, view))
        except BadLog as bad:
            yield frame(Error("bad_log", f"this log cannot be shown: {bad}", fatal=False))
        except Exception:  # the file may contain anything
            yield frame(Error("bad_log", "this log cannot be shown", fatal=False))


class LoggedGames:
    """The finished games in a folder. Unfinished games are left out, because a replay shows hidden information."""

    def __init__(self, folder: Path, now: Callable[[], float]) -> None:
        self.folder = folder
        self.now = now
        self._looked_at: float | None = None
        self._known: dict[str, tuple[tuple[int, int], TableInfo | None]] = {}
        self._unread: list[Path] = []

    def games(self) -> list[TableInfo]:
        """Return descriptions of the finished games read so far, sorted by name."""
        now = self.now()
        if self._looked_at is None or now - self._looked_at > LOOK_EVERY_S:
            self._looked_at = now
            self._look()
        self._read()
        return [info for _, info in self._known.values() if info is not None]

    def info(self, name: str) -> TableInfo | None:
        self.games()
        while self._unread and name not in self._known:
            self._read()
        return self._known[name][1] if name in self._known else None

    def find(self, name: str) -> tuple[TableInfo, Log] | None:
        """Return the description and the log of the game `name`, read from its file. None if there is no such game."""
        info = self.info(name)
        try:
            return None if info is None else (info, read_log(read_file(self.folder / f"{name}.jsonl")))
        except (BadLog, OSError):
            return None

    def _look(self) -> None:
        """List the logs that are new or have changed since the last call. They are read by `_read`."""
        known = {}
        self._unread = []
        for file in sorted(self.folder.glob("*.jsonl"), reverse=True):
            try:
                version = _version(file)
            except OSError:
                continue
            old = self._known.get(file.stem)
            if old is not None and old[0] == version:
                known[file.stem] = old
            else:
                self._unread.append(file)
        self._known = dict(reversed(known.items()))

    def _read(self) -> None:
        """Read new and changed logs, at most READ_AT_ONCE of them."""
        if not self._unread:
            return
        for _ in range(min(READ_AT_ONCE, len(self._unread))):
            file = self._unread.pop()
            with contextlib.suppress(OSError):
                self._known[file.stem] = (_version(file), _shown(file))
        self._known = dict(sorted(self._known.items()))


def _version(file: Path) -> tuple[int, int]:
    found = file.stat()
    return found.st_mtime_ns, found.st_size


def _shown(file: Path) -> TableInfo | None:
    """Return a description of the game in a finished log. None if the log is unfinished or invalid."""
    with open(file, "rb", opener=open_regular) as opened:
        first = opened.readline()
        size = opened.seek(0, 2)
        opened.seek(max(0, size - TAIL_BYTES))
        lines = opened.read().split(b"\n")
    try:
        header = read_log(first).header
    except (BadLog, *UNDECODABLE):
        return None
    result = last_result(lines)
    return None if result is None else info_of(file.stem, header, result, _last_number(lines[:-2]))


def _last_number(lines: list[bytes]) -> int:
    for line in reversed(lines):
        try:
            last = _ACTIONS.decode(line)
            return last.to - 1 if isinstance(last, UndoLine) else last.number
        except msgspec.MsgspecError:
            continue
    return 0


def board_of(header: Header) -> str:
    """Return the board name that clients see for a logged game: `standard`, or `its own` for any other board."""
    return "standard" if header.board == "standard" else "its own"


def info_of(name: str, header: Header, result: ResultLine, actions: int) -> TableInfo:
    return TableInfo(
        table=name,
        name=name,
        game=header.game,
        players=len(header.players),
        options=header.options,
        clock="none",
        state="ended",
        private=False,
        seats=[SeatInfo(seat, "player", player.name, connected=False) for seat, player in enumerate(header.players)],
        actions=actions,
        scores=result.scores,
        board=board_of(header),
        openings="none" if header.opening is None else header.opening.source,
        branch=None if header.branch is None else BranchPoint(Path(header.branch.log).stem, header.branch.number),
    )
