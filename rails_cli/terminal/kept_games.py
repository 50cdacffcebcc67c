"""The saved games of the user, finished or not, and statistics of finished games.

Only the first and the last line of a finished game's log are parsed. But if the log records a fault of a player, all
lines are parsed, because a player who has lost its seat is ranked last.
"""

import os
import re
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

import msgspec

from rails_cli.basics.files import read_file
from rails_cli.games import load_face, load_game
from rails_cli.games.faces.phrases import count_phrase, listed
from rails_cli.games.game import win_share
from rails_cli.games.shared.text import printable, wrap
from rails_cli.logs.reading import BadLog, last_players, ranks_with_lost_last, read_log
from rails_cli.logs.resume import resume_point
from rails_cli.match.seat_specs import BUILTIN, PERSON
from rails_cli.protocol.lines import UNDECODABLE
from rails_cli.protocol.log import PlayerLine
from rails_cli.terminal.saving import LESSON, games_folder

RESULT = b'{"type":"result"'
LAST = "last"
"""Name that the user can type for the saved game that was played last."""
FAULT = b'"fault"'
DAILY_NAME = re.compile(r"daily-(\d{4}-\d{2}-\d{2})-")
"""Pattern of the beginning of names of daily games. Its group is the day."""
GENERATED_NAME = re.compile(rf"\d{{8}}-\d{{6}}-|{DAILY_NAME.pattern}")
"""Pattern of the beginning of names that the program gives to saved games. Other names were given by the user."""


class KeptGame(msgspec.Struct, frozen=True):
    """A saved game, as its log describes it."""

    id: str
    """Name of the log file without its suffix. Users may type any unique part of the id."""
    file: str
    game: str
    players: list[PlayerLine]
    played: str
    """Time at which the log was last written, in ISO format."""
    is_lesson: bool
    actions: int | None
    """Number of actions so far. None if the game is over."""
    to_move: int | None
    """Number of the seat to move. None if the game is over."""
    scores: list[int] | None
    ranks: list[int] | None
    """Ranks by seat, 1 for winners. None if the game is not over."""

    @property
    def is_over(self) -> bool:
        return self.ranks is not None


class KeptGames(NamedTuple):
    """The saved games of a folder, with the last played game first, and error messages about unreadable files."""

    games: list[KeptGame]
    problems: list[str]

    @property
    def unfinished(self) -> list[KeptGame]:
        """The unfinished games. Games with a person come before games of bots only, which the user watched."""
        waiting = [game for game in self.games if not game.is_over]
        return sorted(waiting, key=lambda game: all(kind_of(player.seat) != "person" for player in game.players))

    @property
    def over(self) -> list[KeptGame]:
        return [game for game in self.games if game.is_over]


class _Result(msgspec.Struct, frozen=True):
    """The fields of the result line of a log that are shown in lists of games."""

    scores: list[int]
    ranks: list[int]
    reason: str = "normal"


def saved_files(folder: Path | None = None) -> list[Path]:
    """Return the logs in `folder`, by default the folder of saved games. The log that was written last comes first."""
    found: list[tuple[int, Path]] = []
    with suppress(OSError):
        for entry in os.scandir(folder or games_folder()):
            if entry.name.endswith(".jsonl") and entry.is_file():
                found.append((entry.stat().st_mtime_ns, Path(entry.path)))
    return [path for _, path in sorted(found, reverse=True)]


def is_finished(path: Path) -> bool:
    """Return whether the log `path` has a result. Return False if the file cannot be read."""
    try:
        return _last_line(read_file(path)).startswith(RESULT)
    except OSError:
        return False


def _last_line(content: bytes) -> bytes:
    """Return the last complete line of a log."""
    return content[: content.rfind(b"\n")].rpartition(b"\n")[2]


def kept_games(folder: Path) -> KeptGames:
    """Return the saved games of a folder. If the folder cannot be read, return no games and no error messages."""
    games, problems = [], []
    for path in saved_files(folder):
        try:
            games.append(_read(path))
        except BadLog as bad:
            problems.append(f"{path}: {bad}")
        except UNDECODABLE as error:
            problems.append(f"{path}: its result cannot be read: {error}")
        except OSError as error:
            problems.append(f"{path}: {error.strerror or error}")
    return KeptGames(games, problems)


def _read(path: Path) -> KeptGame:
    played_ns, content = path.stat().st_mtime_ns, read_file(path)
    last = _last_line(content)
    actions = to_move = result = ranks = None
    if last.startswith(RESULT):
        log = read_log(content.partition(b"\n")[0] + b"\n")
        result = msgspec.json.decode(last, type=_Result)
        if not len(result.scores) == len(result.ranks) == len(log.header.players):
            raise msgspec.ValidationError("not as many scores and ranks as players")
        if 1 not in result.ranks:
            raise msgspec.ValidationError("nobody has rank 1")
        ranks = result.ranks
        if FAULT in content:
            ranks = ranks_with_lost_last(read_log(content), ranks, result.reason)
    else:
        log = read_log(content)
        match = resume_point(log, None).match
        actions, to_move = match.number, match.seat
    names = [player.name for player in log.header.players]
    return KeptGame(
        id=path.stem,
        file=str(path),
        game=log.header.game,
        players=[PlayerLine(name, seat) for name, seat in zip(names, last_players(log), strict=True)],
        played=datetime.fromtimestamp(played_ns / 1e9).astimezone().isoformat(timespec="seconds"),
        is_lesson=LESSON in path.stem,
        actions=actions,
        to_move=to_move,
        scores=None if result is None else result.scores,
        ranks=ranks,
    )


def fitting(files: Sequence[Path], words: str) -> list[Path]:
    """Return the files whose name is `words`, or else all files whose name contains `words`.

    Names are compared without suffix and without regard to case. If `words` is `last` and no file has this name, return
    the first of `files`.
    """
    wanted = _folded(words.removesuffix(".jsonl"))
    whole = [file for file in files if _folded(file.stem) == wanted]
    if not whole and wanted == LAST:
        return list(files[:1])
    return whole or [file for file in files if wanted in _folded(file.stem)]


def _folded(name: str) -> str:
    return name.lower().replace("-", "_")


# Descriptions


def described(game: KeptGame) -> str:
    """Return one line about a game: title, player to move or winner, time of the last action, and players.

    The day of a daily game follows the title.
    """
    daily = DAILY_NAME.match(game.id)
    note = " (lesson)" if game.is_lesson else f" (deal of {daily[1]})" if daily else ""
    return printable(f"{load_game(game.game).title}{note}; {standing(game)}; {when(game.played)}; {players_of(game)}")


def described_with_name(game: KeptGame) -> str:
    """Return one line about a game. If the user has named the game, the line begins with that name."""
    return described(game) if GENERATED_NAME.match(game.id) else f"{printable(game.id)}: {described(game)}"


def players_of(game: KeptGame) -> str:
    kinds = [(player.name, kind_of(player.seat)) for player in game.players]
    return ", ".join(name if kind == "person" else f"{name} ({kind})" for name, kind in kinds)


def standing(game: KeptGame) -> str:
    """Return text that names the player to move, or the winner and the winning score of a finished game."""
    names = [player.name for player in game.players]
    if game.ranks is not None and game.scores is not None:
        winners = [seat for seat, rank in enumerate(game.ranks) if rank == 1]
        score = load_face(game.game).score_text(game.scores[winners[0]])
        return f"won by {listed([names[seat] for seat in winners])}, {score}"
    return (
        "" if game.to_move is None else f"{names[game.to_move]} to move after {count_phrase(game.actions or 0, 'move')}"
    )


def when(played: str) -> str:
    """Return a time in ISO format as text for people, such as `today 19:55` or `2026-03-01 19:55`."""
    then, now = datetime.fromisoformat(played), datetime.now().astimezone()
    days = (now.date() - then.date()).days
    day = {0: "today", 1: "yesterday"}.get(days, f"{then:%Y-%m-%d}")
    return f"{day} {then:%H:%M}"


# Statistics


class Record(msgspec.Struct, frozen=True):
    """Statistics of one person's finished matches of one game against the same kinds of opponents, such as `2 easy`.

    `name` is the name of the person. `games` is the number of matches, and `best` the highest score.
    """

    name: str
    game: str
    opponents: str
    games: int
    wins: float
    """Number of wins. A win shared by several players counts as a fraction, such as 0.5 for two winners."""
    best: int
    places: list[int]
    """Ranks of the person in the last LATEST games, latest last."""
    trend: str
    """Change of the ranks in `places`: `better`, `worse` or `even`. Empty if there are fewer than FEWEST games."""


WIDE, NARROW, FIGURES = 32, 16, 23
"""Widths in characters: maximum and minimum of the first column of statistics, and sum of the three next columns."""
RANKS = "  Recent ranks"
LATEST = 8
"""Maximum number of the latest games whose ranks are shown."""
FEWEST = 4
"""Minimum number of games for a trend of the ranks."""
CLEAR = 0.25
"""Minimum difference between the mean ranks of earlier and later games for the trend `better` or `worse`."""


def records(games: Sequence[KeptGame]) -> list[Record]:
    """Return statistics of each combination of person, game and kinds of opponents, with most matches first."""
    rows: dict[tuple[str, str, str], list[tuple[int, float, int]]] = {}
    for game in reversed(games):  # oldest first
        if game.scores is None or game.ranks is None:
            continue
        for seat, player in enumerate(game.players):
            if player.seat not in (None, PERSON):
                continue
            key = (player.name, game.game, opponents(game, seat))
            rows.setdefault(key, []).append((game.ranks[seat], win_share(game.ranks, seat), game.scores[seat]))
    made = [
        Record(
            *key,
            games=len(played),
            wins=round(sum(share for _, share, _ in played), 2),
            best=max(score for _, _, score in played),
            places=[rank for rank, _, _ in played[-LATEST:]],
            trend=_trend([rank for rank, _, _ in played]),
        )
        for key, played in rows.items()
    ]
    return sorted(made, key=lambda row: (-row.games, row.name, row.game, row.opponents))


def record_lines(rows: Sequence[Record], width: int = 80) -> list[str]:
    """Return statistics as a table of at most `width` characters per line. Names are shown only for several people."""
    if not rows:
        return ["You have not finished a game yet."]
    is_several = len({row.name for row in rows}) > 1
    ranks = [f"  {' '.join(map(str, row.places))}{'  ' if row.trend else ''}{row.trend}" for row in rows]
    last = max(map(len, [RANKS, *ranks]))
    has_ranks = width >= NARROW + FIGURES + last
    column = max(NARROW, min(WIDE, width - FIGURES - (last if has_ranks else 0)))
    first = "Game and opponents" if column > NARROW + 2 else "Game"
    heading = f"{first:<{column}}{'Games':>6}{'Wins':>7}{'Best':>10}"
    lines = [f"{heading}{RANKS}" if has_ranks else heading]
    for row, places in zip(rows, ranks, strict=True):
        what = printable(f"{row.name + ': ' if is_several else ''}{load_game(row.game).title}, {row.opponents}")
        wins = f"{row.wins:g}"
        head, *rest = wrap(what, column - 1, subsequent_indent="  ")
        figures = f"{row.games:>6}{wins:>7}{load_face(row.game).score_text(row.best):>10}"
        lines.append(f"{head:<{column}}{figures}{places if has_ranks else ''}")
        lines += rest
    return lines


def opponents(game: KeptGame, seat: int) -> str:
    """Return how many opponents of each kind a seat has, as text such as "2 easy" or "1 hard, 1 person"."""
    kinds: dict[str, int] = {}
    for other, player in enumerate(game.players):
        if other != seat:
            kind = kind_of(player.seat)
            kinds[kind] = kinds.get(kind, 0) + 1
    words = ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items()))
    return f"{words} (lesson)" if game.is_lesson else words


def kind_of(seat: str | None) -> str:
    """Return the kind of a player: `person`, `player`, `bot`, or the name of a built-in player, such as `easy`.

    A `player` is a client of a server. `seat` is the text that specifies the player in a log, such as `builtin:easy`.
    None specifies a person.
    """
    if seat in (None, "person"):
        return "person"
    assert seat is not None
    if seat == "player":
        return seat
    return seat.removeprefix(BUILTIN) if seat.startswith(BUILTIN) else "bot"


def _trend(places: Sequence[int]) -> str:
    latest = places[-LATEST:]
    if len(latest) < FEWEST:
        return ""
    half = len(latest) // 2
    before, after = sum(latest[:half]) / half, sum(latest[-half:]) / half
    return "even" if abs(before - after) < CLEAR else "better" if after < before else "worse"
