"""`rails-cli analyse`: Judge the moves of logged games and find the moments that decided them."""

import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Annotated, Any

import click
import msgspec

from rails_cli.basics.cores import usable_cores
from rails_cli.basics.files import TooLong
from rails_cli.basics.settings import setting
from rails_cli.commands import output_width, print_wrapped, reported, worker_errors
from rails_cli.commands.log_names import ANY_LOG
from rails_cli.commands.logs import name_of, own_seat, whole_log
from rails_cli.commands.options import argument, cli_command
from rails_cli.commands.parameters import Json, Workers
from rails_cli.games.faces.phrases import count_phrase
from rails_cli.games.shared.text import fill, wrap
from rails_cli.logs.reading import BadLog
from rails_cli.study.analysis.analysis import SUBSTITUTE, Analysis, PlayerSummary
from rails_cli.study.analysis.judging import LOOKS, Judgement, NoEvaluation, percents
from rails_cli.study.analysis.running import CannotJudge, Progress, Study, analyse, study_of
from rails_cli.study.analysis.telling import MoveDescriber
from rails_cli.study.playback.recorded import Recorded, read_recorded

FORMAT = 1
"""Version of the format of the JSON document."""
PARTS = 100
"""Number of steps by which one game advances the progress bar."""
DISPENSABLE = ("points lost", "decisions", "mistakes")
"""Columns that may be left out of the table of players in a narrow window. The first is left out first."""
NARROWEST_MOVE = 24
"""Minimum width, in characters, of the table column with the best moves.

With less space, the table has no such column, and each best move is below the row of its player.
"""
MANY = {2: "two", 3: "three"}


class GameAnalysed(msgspec.Struct, frozen=True):
    """The analysis of one log, with the name of its file. An element of the JSON output."""

    file: str
    analysis: Analysis


class Document(msgspec.Struct, frozen=True):
    """The JSON output of `rails-cli analyse`: version of the format, and analysed games."""

    format: int
    games: list[GameAnalysed]


_OPEN, _CLOSE = (msgspec.json.encode(Document(FORMAT, []))[part] for part in (slice(-2), slice(-2, None)))
"""Beginning and end of the JSON output. Each game is printed between these parts as soon as it is analysed."""


Looks = Annotated[
    int,
    setting(
        "How deeply to search each decision: more takes longer and is more accurate.",
        metavar="N",
        least=1,
        most=100_000,
    ),
]


@cli_command
def command(
    log_files: Annotated[tuple[Path, ...], argument("LOG...", type=ANY_LOG)],
    looks: Looks = LOOKS,
    workers: Workers = None,
    has_all: Annotated[bool, setting("List every decision.", "--all")] = False,
    as_json: Json = False,
) -> None:
    """Judge every decision in games: LOG is a file, a saved game, last, or - for standard input.

    Each move is compared with the best alternative that a short search finds. The comparison estimates how much money
    everybody would have, and who would win. The search uses only what the player could see. Prints a summary of each
    player and the three moments that decided the game. Games may be unfinished. The analysis of a log does not depend
    on --workers. An invalid file is named, and the others are analysed. The exit code is then 1.

    The judge is a program and can be wrong: a difference of a few dollars is only a hint. See docs/ANALYSIS.md.

    \b
    Examples:
      rails-cli analyse last
      rails-cli analyse game.jsonl
      rails-cli analyse game.jsonl --looks 200 --all
      rails-cli analyse logs/*.jsonl --json | jq '.games[].analysis.players'
    """
    failed: list[str] = []
    printed = 0

    def fail(file: str, why: str) -> None:
        progress.clear()
        click.ClickException(f"{file}: {why}").show()
        failed.append(file)

    if as_json:
        click.echo(_OPEN, nl=False)
    with GamesBar(len(log_files)) as progress:
        you_in = (lambda file, recorded: None) if as_json else own_seat
        studies = (study for file in log_files if (study := study_in(file, fail, progress, you_in)) is not None)
        for study, found in iterate_analyses(studies, looks, workers, progress):
            if isinstance(found, CannotJudge):
                fail(study.file, str(found))
                continue
            progress.clear()
            if as_json:
                game = msgspec.json.encode(GameAnalysed(study.file, found))
                click.echo(b"," + game if printed else game, nl=False)
            else:
                heading = [f"== {study.file}", ""] if len(log_files) > 1 else []
                space = [""] if printed else []
                print_wrapped(*space, *heading, *report(study, found, has_all=has_all))
            printed += 1
    if as_json:
        click.echo(_CLOSE)
    sys.exit(1 if failed else 0)


class GamesBar:
    """A progress bar on stderr for analysed games, hidden without a terminal. Call `clear` before other output."""

    def __init__(self, games: int) -> None:
        is_hidden = not sys.stderr.isatty()
        self._done = 0.0
        self._room = "" if is_hidden else "\r\x1b[2K"
        self._bar = click.progressbar(
            length=PARTS * games, label="Analysing decisions", file=sys.stderr, hidden=is_hidden
        )

    def __enter__(self) -> "GamesBar":
        self._bar.__enter__()
        return self

    def __exit__(self, *how: Any) -> None:
        self._bar.__exit__(*how)

    def __call__(self, games: float) -> None:
        self._done += games
        self._bar.update(round(PARTS * self._done) - self._bar.pos)

    def clear(self) -> None:
        click.echo(self._room, nl=False, err=True)


def study_in(
    file: Path, fail: Callable[[str, str], None], progress: Progress, you_in: Callable[[Path, Recorded], int | None]
) -> Study | None:
    """Return the log `file` and the moves to judge in it, or None if the log cannot be analysed.

    If the log cannot be analysed, call `fail` with the name of the file and the reason, and call `progress(1)`.
    `you_in` returns the seat that the user has played in a game, or None.
    """
    try:
        log = whole_log(file)
        recorded = read_recorded(log)
        if recorded.mistake is None:
            return study_of(name_of(file), log, recorded, you_in(file, recorded))
        fail(name_of(file), recorded.mistake)
    except (BadLog, TooLong, NoEvaluation) as error:
        fail(name_of(file), str(error.strerror if isinstance(error, TooLong) else error))
    progress(1)
    return None


def iterate_analyses(
    studies: Iterable[Study], looks: int, workers: int | None, progress: Progress
) -> Iterator[tuple[Study, Analysis | CannotJudge]]:
    """Yield each study (a log to analyse) with its analysis, or with the error. Keep the order of `studies`.

    `looks` is the number of search iterations for each decision. `workers` is the number of processes, by default one
    for each core. Raise ClickException if a process was killed.
    """
    with worker_errors():
        yield from analyse(studies, looks, workers or usable_cores(), progress)


def analysed(
    file: str,
    content: bytes,
    recorded: Recorded,
    looks: int,
    workers: int | None,
    progress: Progress,
    you: int | None = None,
    known: Iterable[Judgement] = (),
) -> Analysis:
    """Return the analysis of the log `content`. `recorded` is the game read from the log.

    `progress` is called with the fraction of the analysis that was completed since the last call. Sentences of the
    analysis address the player in seat `you` as "you". `known` has judgements of moves that need not be judged again.
    Raise ClickException if the game cannot be analysed.
    """
    with reported(NoEvaluation, prefix=f"{file}: "):
        study = study_of(file, content, recorded, you, known)
    [(_, found)] = iterate_analyses([study], looks, workers, progress)
    if isinstance(found, CannotJudge):
        raise click.ClickException(f"{file}: {found}")
    return found


def report(study: Study, found: Analysis, *, has_all: bool) -> list[str]:
    """Return the analysis `found` of the log `study` as lines of text. With `has_all`, list every decision."""
    recorded = study.recorded
    teller = MoveDescriber(recorded, study.you)
    state = "" if found.is_finished else ", not finished"
    lines = [
        f"{recorded.game.title}: {', '.join(recorded.names)}; {count_phrase(found.actions, 'action')}{state}",
        "",
        *_players(found, teller, study.you, output_width() if sys.stdout.isatty() else None),
        "",
    ]
    if found.moments:
        several = "The moment" if len(found.moments) == 1 else f"The {MANY[len(found.moments)]} moments"
        lines.append(f"{several} that decided it:")
        lines += [
            _wrapped(f"{number}. Action {moment.first}: {moment.words}")
            for number, moment in enumerate(found.moments, 1)
        ]
    else:
        lines.append("No single move decided it.")
    if has_all:
        seen = ", as its player could see them" if recorded.game.has_secrets else ""
        lines += ["", f"Every decision, and the chances of winning after it{seen}:"]
        for decision in found.decisions:
            judged = decision.judgement
            lines.append(_wrapped(f"{judged.first}. {decision.words}. Now {teller.chances(judged.after.chances)}."))
    return lines


def _players(found: Analysis, teller: MoveDescriber, you: int | None, width: int | None) -> list[str]:
    """Return a table with a row for each player. `you` is the seat of the reader, if the reader has played the game.

    In a narrow window, each best move is below the row of its player, and columns in DISPENSABLE are left out. `width`
    is the number of columns of the window, or None for a table of any width.
    """
    rows = [["player", "money", "decisions", "mistakes", "cost", "points lost"]]
    best = ["best move"]
    for seat, player in enumerate(found.players):
        for part in _with_substitute(player):
            name = f"{part.name} (you)" if seat == you and part.name != SUBSTITUTE else part.name
            lost = [teller.amount(part.money_lost) or "-", str(percents(part.chance_lost)) if part.mistakes else "-"]
            rows.append(
                [name, teller.recorded.face.score_text(part.score), str(part.decisions), str(part.mistakes), *lost]
            )
            best.append("-" if part.best is None else f"{part.best.first}. {part.best.words}")
    for column in DISPENSABLE:
        if width is not None and len(_aligned(rows)[0]) > width:
            at = rows[0].index(column)
            rows = [[*row[:at], *row[at + 1 :]] for row in rows]
    lines = _aligned(rows)
    room = None if width is None else width - len(lines[0]) - 2
    if room is None:
        return [f"{line}  {move}" for line, move in zip(lines, best, strict=True)]
    if room < NARROWEST_MOVE:
        below = [[] if move == "-" else wrap(f"best move: {move}", (width or 0) - 4) for move in best[1:]]
        return [
            lines[0],
            *chain.from_iterable([line, *_indented(more, 4)] for line, more in zip(lines[1:], below, strict=True)),
        ]
    moves = [wrap(move, room) for move in best]
    return [
        part
        for line, (first, *more) in zip(lines, moves, strict=True)
        for part in (f"{line}  {first}", *_indented(more, len(line) + 2))
    ]


def _aligned(rows: list[list[str]]) -> list[str]:
    """Return `rows` as lines of a table. The first column is aligned to the left, the others to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            [f"{row[0]:<{widths[0]}}", *(f"{cell:>{width}}" for cell, width in zip(row[1:], widths[1:], strict=True))]
        )
        for row in rows
    ]


def _indented(lines: list[str], columns: int) -> list[str]:
    return [f"{' ' * columns}{line}" for line in lines]


def _with_substitute(player: PlayerSummary) -> list[PlayerSummary]:
    """Return a list with the summary of a player. If the player lost its seat, add the summary of its substitute."""
    if player.lost_at is None or player.substitute is None:
        return [player]
    return [msgspec.structs.replace(player, name=f"{player.name}, to action {player.lost_at}"), player.substitute]


def _wrapped(words: str) -> str:
    return fill(words, output_width(), initial_indent="  ", subsequent_indent="     ")
