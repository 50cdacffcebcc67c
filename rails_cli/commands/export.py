"""`rails-cli export`: Export a logged game as a web page, a picture or a log to share."""

import shlex
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated
from urllib.parse import quote

import click
import msgspec

from rails_cli.basics.extras import install_command
from rails_cli.basics.files import printable_path
from rails_cli.basics.settings import setting
from rails_cli.commands import print_lines, reported
from rails_cli.commands.analyse import Document, GamesBar, Looks, analysed
from rails_cli.commands.log_names import LOG
from rails_cli.commands.logs import check_whole, log_errors, moment_at, name_of, seer_of, whole_log
from rails_cli.commands.options import cli_command
from rails_cli.commands.parameters import EXISTING_FILE, NEW_FILE, LogArgument, SeatOfLog, Workers
from rails_cli.commands.what_if import kinds_of, read_branches
from rails_cli.games import load_evaluation
from rails_cli.games.faces.paints import Theme
from rails_cli.games.game import ALL_SEATS
from rails_cli.logs.shared_copy import shared_copy
from rails_cli.match.seat_specs import BUILTIN
from rails_cli.study.analysis.analysis import Analysis
from rails_cli.study.analysis.judging import LOOKS
from rails_cli.study.analysis.running import shared_judgements
from rails_cli.study.branches import KeptBranches, branches_in
from rails_cli.study.playback.recorded import Recorded, read_recorded
from rails_cli.terminal.saving import branch_folders
from rails_cli.web.page import replay_page
from rails_cli.web.picture import picture
from rails_cli.web.story import BranchShown, PlayFrom

STANDARD_OUTPUT = Path("-")
PNG = b"\x89PNG"
"""First bytes of a PNG image."""


@cli_command
def command(
    log_file: LogArgument,
    html: Annotated[Path | None, setting("Write a web page.", metavar="OUT", type=NEW_FILE)] = None,
    log: Annotated[
        Path | None,
        setting(
            "Write a log to share: without the seed, notes, commands of bots, signatures and moves taken back.",
            metavar="OUT",
            type=NEW_FILE,
        ),
    ] = None,
    has_analysis: Annotated[
        bool, setting("Include the chances of winning and what decided the game.", "--analysis")
    ] = False,
    analysis_from: Annotated[
        Path | None,
        setting(
            "The same with an analysis made before: the output of analyse --json.", metavar="FILE", type=EXISTING_FILE
        ),
    ] = None,
    looks: Looks = LOOKS,
    workers: Workers = None,
    no_branches: Annotated[bool, setting("Leave out the branches of the game, in the folder beside its log.")] = False,
    more_branches: Annotated[
        tuple[Path, ...], setting("A branch that is elsewhere.", "--branch", "LOG", type=LOG)
    ] = (),
    play_at: Annotated[
        str | None,
        setting(
            "Link to a page where the game can be continued; GAME/NAME,NAME/N is added to it, N being the next action.",
            metavar="URL",
        ),
    ] = None,
    analysis_at: Annotated[str | None, setting("Link to the page made with --analysis.", metavar="URL")] = None,
    back_at: Annotated[str | None, setting("Link back to the list of games.", metavar="URL")] = None,
    svg: Annotated[
        int | None, setting("Write the board after action N; 0 is the set-up, -1 the last.", metavar="N")
    ] = None,
    png: Annotated[int | None, setting("The same as a PNG image.", metavar="N")] = None,
    output: Annotated[
        Path,
        setting(
            "Where --svg or --png goes.  [default: standard output]",
            metavar="OUT",
            type=click.Path(dir_okay=False, allow_dash=True, path_type=Path),
            show_default=False,
        ),
    ] = STANDARD_OUTPUT,
    seat: SeatOfLog = None,
    width: Annotated[int, setting("Width of --png, in pixels.", least=100, most=8000)] = 1600,
    theme: Annotated[Theme, setting("Colours of --svg and --png.")] = "light",
) -> None:
    """Export a game as a web page or as a log to share, or a position as a picture.

    LOG is a file, a saved game, last, or - for input. The page is a single file that opens from disk in any browser,
    without a network. It shows what each seat saw, including what was hidden from other seats. With --seat it shows
    only what that seat saw. Branches, which are games that continue from a position of LOG, are part of the page. You
    can step through each branch, and compare it with the game. An invalid log is exported up to its first invalid line,
    which is named. The exit code is then 1. --png needs an extra: pip install 'rails-cli[png]'.

    \b
    Examples:
      rails-cli export game.jsonl --html game.html
      rails-cli export game.jsonl --html mine.html --seat 2
      rails-cli export game.jsonl --html game.html --analysis
      rails-cli export game.jsonl --log shared.jsonl
      rails-cli export game.jsonl --svg 57 --output board.svg
      rails-cli export game.jsonl --png -1 --output end.png --width 2400
    """
    if sum(wanted is not None for wanted in (html, log, svg, png)) != 1:
        raise click.UsageError("choose what to write: --html OUT, --log OUT, --svg N or --png N")
    has_analysis = has_analysis or analysis_from is not None
    if has_analysis and html is None:
        raise click.UsageError("--analysis works with a page only; name its file with --html OUT")
    if (html or log) is not None and output != STANDARD_OUTPUT:
        raise click.UsageError("--html and --log name their file; --output is for --svg and --png")
    if log is not None and seat is not None:
        raise click.UsageError("a log has what all seats saw; leave out --seat, or write a page with --html")
    out = html or log or output
    if STANDARD_OUTPUT not in (log_file, out) and out.exists() and out.samefile(log_file):
        raise click.UsageError(f"{out} is the log itself; name another file to write")
    with log_errors(log_file):
        content = whole_log(log_file)
        if log is not None:
            write(log, shared_copy(content))
            return
        recorded = read_recorded(content)
    observer = seer_of(recorded, seat)
    if has_analysis and observer != ALL_SEATS and recorded.game.has_secrets:
        raise click.UsageError("an analysis reveals every hand; leave out --seat, or --analysis")
    if html is not None:

        def analysis_of(file: Path, log: bytes, found: Recorded, original: Analysis | None = None) -> Analysis | None:
            if not has_analysis:
                return None
            known = [] if original is None else shared_judgements(original, recorded, found)
            with GamesBar(1) as progress:
                return analysed(name_of(file), log, found, looks, workers, progress, known=known)

        if analysis_from is None:
            analysis = analysis_of(log_file, content, recorded)
        else:
            analysis = read_analysis(analysis_from, recorded)
        has_judge = load_evaluation(recorded.game.name) is not None
        kept = KeptBranches([], [])
        if not no_branches:
            kept = branches_in(branch_folders(log_file, content), content, more_branches)
        shown, problems = branches_for(kept, partial(analysis_of, original=analysis))
        print_lines(*(f"Left out: {problem}" for problem in problems), err=True)
        page = replay_page(
            recorded,
            observer,
            analysis,
            analysis_at if has_judge else None,
            back_at,
            shown,
            play_from(log_file, recorded, play_at) if recorded.result is not None else None,
        )
        write(html, page.encode())
    elif svg is not None:
        write(output, position(recorded, svg, observer, theme, "--svg").encode())
    elif png is not None:
        write(output, pixels(position(recorded, png, observer, theme, "--png"), width))
    check_whole(recorded, log_file)


def read_analysis(path: Path, recorded: Recorded) -> Analysis:
    """Return the analysis of the game `recorded` from the file `path`, the output of `rails-cli analyse --json`.

    Raise BadParameter if the file has no such analysis.
    """
    with reported(OSError, msgspec.MsgspecError, option="--analysis-from"):
        games = msgspec.json.decode(path.read_bytes(), type=Document).games
    found = games[0].analysis if len(games) == 1 else None
    if found is None or (found.game, found.actions) != (recorded.game.name, recorded.last):
        raise click.BadParameter("it has to be the analysis of this game only", param_hint="--analysis-from")
    return found


def branches_for(
    kept: KeptBranches, analysis_of: Callable[[Path, bytes, Recorded], Analysis | None]
) -> tuple[list[BranchShown], list[str]]:
    """Return the branches to show on a page, and messages about branches that are left out.

    `analysis_of` returns the analysis of a branch. Its parameters are the path, the log and the game of the branch. An
    unfinished branch of a game with hidden hands is left out, because the page shows all hands.
    """
    branches, problems = read_branches(kept)
    shown = []
    for number, (branch, content, recorded) in enumerate(branches, 1):
        path = Path(branch.file)
        if recorded.result is None and recorded.game.has_secrets:
            problems.append(f"{printable_path(path)}: not over")
        else:
            kinds = ", ".join(kinds_of(branch.players))
            shown.append(BranchShown(number, branch.name, kinds, recorded, analysis_of(path, content, recorded)))
    return shown, problems


def play_from(log_file: Path, recorded: Recorded, play_at: str | None) -> PlayFrom | None:
    """Return the beginning of a URL or command that continues the game. The page appends the number of an action.

    Return a URL if `play_at`, the URL of a page that continues games, is given. Otherwise return a command, or None if
    the log comes from standard input, which has no file name for the command.
    """
    if play_at is not None:
        names = ",".join(quote(name, safe="") for name in recorded.names)
        players = (player.seat or "" for player in recorded.header.players)
        bots = ",".join(quote(seat, safe="") if seat.startswith(BUILTIN) else "" for seat in players)
        return PlayFrom(f"{play_at}{recorded.game.name}/{names}/{bots}/", is_address=True)
    if log_file == STANDARD_OUTPUT:
        return None
    return PlayFrom(f"rails-cli play --from {shlex.quote(printable_path(log_file))} --at ", is_address=False)


def position(recorded: Recorded, at: int, observer: int, theme: Theme, option: str) -> str:
    moment = moment_at(recorded, at, option)
    face = recorded.face
    touched = face.touched(recorded.events(moment, observer))
    return picture(face, recorded.wire_board, recorded.view(moment, observer), touched, theme)


def pixels(svg: str, width: int) -> bytes:
    try:
        import resvg_py
    except ImportError:
        raise click.ClickException(
            f"--png needs the package resvg-py; install it with: {install_command('png')} (--svg needs nothing)"
        ) from None
    return bytes(resvg_py.svg_to_bytes(svg_string=svg, width=width, sans_serif_family="DejaVu Sans"))


def write(path: Path, content: bytes) -> None:
    if path == STANDARD_OUTPUT:
        if sys.stdout.isatty() and content.startswith(PNG):
            raise click.UsageError("a terminal cannot show a picture; name a file with --output")
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
        return
    with reported(OSError, prefix=f"cannot write {path}: ", kind=click.UsageError):
        path.write_bytes(content)
