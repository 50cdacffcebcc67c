"""Fuzzing of everything that reads files: a reader must accept a damaged file or refuse it with a message."""

import json
import random
import re
import signal
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

import msgspec

from rails_cli.games import game_names, load_game, standard_board
from rails_cli.games.game import BoardError
from rails_cli.games.shared.luck import stream
from rails_cli.logs.reading import BadLog, read_log
from rails_cli.logs.resume import resume_point
from rails_cli.logs.verify import verify
from rails_cli.players.chance import choose_busy
from rails_cli.protocol.lines import BadLine, client_decoder, decode
from rails_cli.protocol.lobby import LobbyRequest
from rails_cli.server.store.storage import Storage
from rails_cli.study.playback.recorded import read_recorded
from rails_cli.tournament.plan.bots_folder import bots_in
from rails_cli.tournament.plan.reading import PlanError, make_plan, read_plan
from rails_cli.tournament.results.store import DATABASE, Store, StoreError
from tests.support.tools import TESTS
from tests.support.tournaments import ran

CORPUS = TESTS / "fuzz" / "corpus"
CPU_S = 30.0
"""Seconds of CPU time for reading one file. A reader that uses more counts as hanging."""
MOVES = 12

NUMBERS = (0, -1, 1, 2, 7, 255, 256, 10**6, 2**31, 2**53, 2**63, 2**64, -(2**63), 10**30, 0.5, -0.0, 1e308)
TEXTS = ("", "0", "-1", "standard", "builtin:greedy", "\x00", "\u202e", "é" * 40, "x" * 3000, "a/../../b", "0x1f", "\n")
TOKENS = (
    *(b"null", b"true", b"-1", b"1e999", b"NaN", b'""', b"{}", b"[]", b"\x00", b"\xff\xfe", b"\\ud800"),
    *(b'"', b"}", b"]", b",", b"[" * 400, b'{"a":' * 400, b"9" * 5000, b"\r\n", b"\n\n"),
    *(b"\xef\xbb\xbf", b"\xe2\x80\xa8", b"=", b"[[", b"#"),
)
TOML_VALUES = (
    *('""', "0", "-1", "1e308", "nan", "inf", "[]", "{}", "[[1]]", "true", "1979-05-27", '"\\u0000"', "9" * 40, "'x'"),
    *('["a", "b"]', "{ a = { b = 1 } }", "[" * 200 + "]" * 200, '"""\n"""', '"99999999999/move"', '"1T"'),
    *("0x10", "1_0"),
)


class Reader(NamedTuple):
    """A function that reads one kind of file.

    `corpus` holds the contents of valid example files. `read` is the function. `refusals` are the exceptions that it
    may raise.
    """

    corpus: Sequence[bytes]
    read: Callable[[bytes], None]
    refusals: tuple[type[Exception], ...]


# Readers


def readers(folder: Path) -> dict[str, Reader]:
    """Return the reader of each kind of file. Readers that need a file on disk write the file to `folder`."""
    return {
        "messages": Reader(kept("messages"), read_messages, (BadLine,)),
        "logs": Reader(kept("logs"), read_logs, (BadLog,)),
        "boards": Reader(boards(), read_board_file, (BoardError,)),
        "plans": Reader(kept("plans"), lambda content: read_plan_file(content, folder), (PlanError,)),
        "bots": Reader(kept("bots"), lambda content: read_bot(content, folder), (PlanError,)),
        **dict(zip(("seats", "clocks"), server_readers(folder), strict=True)),
    }


def kept(name: str) -> list[bytes]:
    """Return the contents of the stored valid example files of the kind `name`."""
    return [file.read_bytes() for file in sorted((CORPUS / name).iterdir())]


def boards() -> list[bytes]:
    return [msgspec.json.encode(load_game(name).board_file(_wire_board(name))) for name in game_names()]


def _wire_board(name: str) -> Any:
    return msgspec.json.decode(msgspec.json.encode(load_game(name).wire_board(standard_board(name))))


def read_messages(content: bytes) -> None:
    """Decode each line of `content` as a message of each game. If any line fails, raise the last error at the end."""
    lines = content.split(b"\n")[:20]
    refused = None
    for name in game_names():
        decoder = client_decoder(load_game(name).action_type, LobbyRequest)
        for line in lines:
            try:
                decode(line, decoder)
            except BadLine as bad:
                refused = bad
    if refused is not None:
        raise refused


def read_logs(content: bytes) -> None:
    """Verify, decode and resume the log `content`. Check that `verify` and `read_recorded` agree on its validity."""
    verdict = verify(content)
    recorded = read_recorded(content)
    assert (recorded.mistake is None) == (verdict.mistake is None), (recorded.mistake, verdict.mistake)
    resume_point(read_log(content), None)


def read_board_file(content: bytes) -> None:
    game = load_game(_game_in(content))
    board = game.read_board(content)
    state = game.setup(board, game.players[0], game.options_type(), 1, None)
    play_on(game, board, state)


def _game_in(content: bytes) -> str:
    """Return the game named in the board file `content`. If the file names no known game, return any game."""
    found = re.search(rb'"game":"(\w+)"', content)
    name = found[1].decode() if found else ""
    return name if name in game_names() else game_names()[len(content) % len(game_names())]


def play_on(game: Any, board: Any, state: Any) -> None:
    """Play up to `MOVES` random moves from `state`."""
    chance = stream("fuzz")
    for _ in range(MOVES):
        if state.pending is None:
            break
        game.view(state, board, state.pending.seat)
        game.apply(state, board, choose_busy(game.legal_actions(state, board), chance), [])


def read_plan_file(content: bytes, folder: Path) -> None:
    file = folder / "plan.toml"
    file.write_bytes(content)
    (folder / "bot.py").write_text("")
    read_plan(file)


def read_bot(content: bytes, folder: Path) -> None:
    """Read `content` as a `bot.toml` file and make a tournament plan with this bot."""
    bots = folder / "bots"
    (bots / "deep" / "src").mkdir(parents=True, exist_ok=True)
    (bots / "deep" / "src" / "bot.py").write_text("")
    (bots / "deep" / "bot.toml").write_bytes(content)
    entrants, _ = bots_in(bots, folder, trust=len(content) % 2 == 0)
    others = [{"name": "greedy", "builtin": "greedy"}, {"name": "busy", "builtin": "busy"}]
    make_plan({"games": [{"game": game_names()[0], "players": 3}], "entrants": [*entrants, *others]}, "fuzz", folder)


def _fail(error: Exception) -> None:
    raise error


def server_readers(folder: Path) -> tuple[Reader, Reader]:
    """Return the readers of two files of a server: the file of seats, and the file of waiting times.

    - The file of seats lists the seats of all tables. The server reports and skips its damaged entries.
    - The file of waiting times has one entry for each open request. The server refuses it if it is damaged.
    """
    storage = Storage(folder / "data", failed=_fail)

    def read_seats(content: bytes) -> None:
        storage.seats.write_bytes(content)
        saved = storage.saved_tables()
        assert all(saved.problems)
        again = storage.saved_tables()
        assert again.tables == saved.tables

    def read_clocks(content: bytes) -> None:
        storage.clocks.write_bytes(content)
        storage.saved_clocks()

    return Reader(kept("seats"), read_seats, ()), Reader(kept("clocks"), read_clocks, (ValueError,))


class Results:
    """The database of a tournament, for fuzzing. Each damaged input replaces one value of the database."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.whole = (folder / DATABASE).read_bytes()
        self.cells: dict[bytes, tuple[str, str]] = {}
        with closing(sqlite3.connect(folder / DATABASE)) as database:
            for table, column in (("facts", "value"), ("games", "played"), ("groups", "id"), ("faults", "message")):
                for (value,) in database.execute(f"SELECT {column} FROM {table} LIMIT 3"):
                    self.cells[value.encode()] = table, column

    def reader(self) -> Reader:
        return Reader(sorted(self.cells), self.read, (StoreError,))

    def read(self, content: bytes) -> None:
        """Write `content` in place of the most similar value of the database. Then read the whole database."""
        (self.folder / DATABASE).write_bytes(self.whole)
        before = max(self.cells, key=lambda cell: _equal_bytes(cell, content))
        table, column = self.cells[before]
        with closing(sqlite3.connect(self.folder / DATABASE)) as database:
            value = content.decode() if _is_text(content) else content
            database.execute(f"UPDATE {table} SET {column} = ? WHERE {column} = ?", (value, before.decode()))
            database.commit()
        with Store(self.folder) as store:
            store.plan(), store.seen(), store.groups(), store.ending(), store.heads(), store.suspended(), store.used_s()
            list(store.games(with_surplus=True))
            list(store.faults())


def results_reader(folder: Path) -> Reader:
    plan = folder / "small.toml"
    entrants = "".join(f'[[entrants]]\nname = "{name}"\nbuiltin = "{name}"\n' for name in ("busy", "random"))
    games = f'[[games]]\ngame = "{game_names()[-1]}"\nplayers = 2\n'
    plan.write_text(f'seed = 1\n[format]\nkind = "round_robin"\nrounds = 1\n{games}{entrants}')
    ran("run", str(plan), "--output", str(folder / "results"), "--workers", "1")
    return Results(folder / "results").reader()


def _equal_bytes(one: bytes, other: bytes) -> int:
    return sum(a == b for a, b in zip(one, other, strict=False))


def _is_text(content: bytes) -> bool:
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True


# Damaging files


def spoiled(content: bytes, chance: random.Random) -> bytes:
    """Return `content` with one to four random changes: to bytes, to lines or to values."""
    for _ in range(chance.choice((1, 1, 1, 2, 4))):
        way = chance.randrange(4)
        if way == 0:
            content = _other_bytes(content, chance)
        elif way == 1:
            content = _other_lines(content, chance)
        else:
            content = with_other_value(content, chance)
    return content


def _other_bytes(content: bytes, chance: random.Random) -> bytes:
    at = chance.randint(0, len(content))
    way = chance.randrange(5)
    if way == 0:
        return content[:at] + chance.choice(TOKENS) + content[at:]
    if way == 1:
        return content[:at] + chance.choice(TOKENS) + content[at + chance.randrange(1, 9) :]
    if way == 2:
        return content[:at] + bytes([chance.randrange(256)]) + content[at + 1 :]
    if way == 3:
        return content[:at] + content[at + chance.randrange(1, 60) :]
    return content[:at]


def _other_lines(content: bytes, chance: random.Random) -> bytes:
    lines = content.split(b"\n")
    one, other = chance.randrange(len(lines)), chance.randrange(len(lines))
    way = chance.randrange(3)
    if way == 0:
        lines[one], lines[other] = lines[other], lines[one]
    elif way == 1:
        lines.insert(one, lines[other])
    else:
        del lines[one]
    return b"\n".join(lines)


def with_other_value(content: bytes, chance: random.Random) -> bytes:
    """Return `content` with one value changed in a random line: part of a JSON value, or the value of a TOML key."""
    lines = content.split(b"\n")
    at = chance.randrange(len(lines))
    try:
        value = json.loads(lines[at])
    except (ValueError, RecursionError):
        key, equals, _ = lines[at].partition(b"=")
        if equals:
            lines[at] = key + equals + b" " + chance.choice(TOML_VALUES).encode()
        return b"\n".join(lines)
    parts = list(_parts(value))
    if parts:
        inside, key = chance.choice(parts)
        _change(inside, key, chance)
    with suppress(UnicodeEncodeError, RecursionError):
        lines[at] = json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()
    return b"\n".join(lines)


def _parts(value: Any) -> Iterator[tuple[Any, Any]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in inner:
        yield value, key
        yield from _parts(part)


def _change(inside: Any, key: Any, chance: random.Random) -> None:
    part, way = inside[key], chance.randrange(6)
    if way == 0:
        del inside[key]
    elif way == 1 and isinstance(inside, dict):
        inside[chance.choice(TEXTS)] = part
    elif way == 1:
        inside.insert(key, part)
    elif way == 2:
        inside[key] = chance.choice((None, True, [], {}, [part], {"type": part}, [[]] * 50))
    elif way == 3 and isinstance(part, int):
        inside[key] = part + chance.choice((-1, 1, 2, 256))
    elif isinstance(part, str) and way < 5:
        inside[key] = chance.choice((*TEXTS, part[:-1], part + "0", part.upper()))
    else:
        inside[key] = chance.choice(NUMBERS)


# Running readers


class Stuck(BaseException):
    """Raised if a reader does not finish in time."""


@contextmanager
def at_most(cpu_s: float) -> Iterator[None]:
    """Raise `Stuck` if the code in the context uses more than `cpu_s` seconds of CPU time."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise Stuck(f"no end after {cpu_s:g} s of CPU time")

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, cpu_s)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def is_taken(reader: Reader, content: bytes) -> bool:
    """Return whether `reader` accepts `content`. Fail if the reader refuses `content` with an empty message."""
    try:
        with at_most(CPU_S):
            reader.read(content)
    except reader.refusals as error:
        assert str(error), type(error)  # noqa: PT017
        return False
    return True


def campaign(cpu_s: float, seed: int, folder: Path) -> dict[str, int]:
    """Run each reader on damaged files for `cpu_s` seconds of CPU time. Return the number of files read, by reader.

    `seed` is the random seed of the damage. Readers that need a file on disk use `folder`.
    """
    counts = {}
    folder.mkdir()
    for name, reader in {**readers(folder), "results": results_reader(folder)}.items():
        chance, until = random.Random(f"{name} {seed}"), time.process_time() + cpu_s
        counts[name] = 0
        while time.process_time() < until:
            content = spoiled(chance.choice(reader.corpus), chance)
            counts[name] += 1
            try:
                is_taken(reader, content)
            except BaseException:
                print(f"{name}, file {counts[name]} of seed {seed}: {content!r}")
                raise
    return counts
