"""`rails-cli replay`: Step through a logged game."""

import os
import sys
import time
from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path
from typing import Annotated

import click

from rails_cli.basics.settings import setting
from rails_cli.commands import WIDTH, leave_on_signals, output_width, print_json, print_wrapped
from rails_cli.commands.logs import check_whole, log_errors, moment_at, open_feed, own_seat, seer_of
from rails_cli.commands.options import cli_command
from rails_cli.commands.parameters import LogArgument, SeatOfLog
from rails_cli.games import load_evaluation
from rails_cli.games.game import ALL_SEATS
from rails_cli.games.shared.text import fill
from rails_cli.study.playback.cursor import Cursor
from rails_cli.study.playback.feed import Feed
from rails_cli.study.playback.narrate import ending, heading, step_object, step_text
from rails_cli.study.playback.recorded import LogWithoutSetup, Moment, Recorded, read_recorded
from rails_cli.terminal.keyboard import terminal_input

POLL_S = 0.1
"""Seconds between two checks whether the log has grown."""


@cli_command
def command(
    log_file: LogArgument,
    seat: SeatOfLog = None,
    at: Annotated[
        int | None, setting("Show the position after action N and exit; -1 is the last.", metavar="N")
    ] = None,
    moves: Annotated[bool, setting("Print the game as text, even on a terminal.")] = False,
    as_json: Annotated[
        bool, setting("Print JSON for programs: one object per step, or just the one for --at.", "--json")
    ] = False,
    follow: Annotated[bool, setting("Keep reading as the log grows, until its result.")] = False,
    speed: Annotated[
        float, setting("Actions per second during automatic playback.", metavar="N", least=0.1, most=100)
    ] = 2,
) -> None:
    """Step through the game in LOG: a file, a saved game (a part of its name is enough), last, or - for standard input.

    On a terminal, keys step forward and back, jump, play and judge. Press ? for a list. In a finished game, f starts a
    branch: you continue from the current position against bots. The key b lists branches, and c compares them with the
    game. Without a terminal, the game is printed as text. An invalid log is shown up to its first invalid line, which
    is named. The exit code is then 1.

    \b
    Examples:
      rails-cli replay last
      rails-cli replay game.jsonl
      rails-cli replay game.jsonl --seat 2 --speed 5
      rails-cli replay game.jsonl --moves | less
      rails-cli replay game.jsonl --at 40 --json | jq .scores
      rails-cli replay game.jsonl --follow
    """
    if at is not None and (follow or moves):
        raise click.UsageError(f"--at shows one position; {'--follow' if follow else '--moves'} shows more")
    if as_json and moves:
        raise click.UsageError("--json and --moves cannot be combined")
    feed = open_feed(log_file)
    try:
        with log_errors(log_file):
            recorded = read_first(feed, follow=follow)
            observer = seer_of(recorded, seat)
            if at is not None:
                show_position(recorded, moment_at(recorded, at, "--at"), observer, as_json=as_json)
            elif moves or as_json or not (sys.stdout.isatty() and os.environ.get("TERM", "dumb") != "dumb"):
                recorded = print_all(recorded, observer, feed if follow else None, as_json=as_json)
            else:
                recorded = show(recorded, observer, feed if follow else None, speed, log_file)
    except KeyboardInterrupt:
        return
    check_whole(recorded, log_file)


def read_first(feed: Feed, *, follow: bool) -> Recorded:
    """Return the game in the log that `feed` reads. With `follow`, wait until the log has header and set-up line."""
    if not follow:
        return read_recorded(feed.read())
    content = b""
    while True:
        content = feed.grown() or content
        try:
            return read_recorded(content)
        except LogWithoutSetup:
            if feed.is_closed:
                raise
        time.sleep(POLL_S)


def show_position(recorded: Recorded, moment: Moment, observer: int, *, as_json: bool) -> None:
    """Print the position `moment` as text, or as JSON with `as_json`.

    `observer` is the seat whose view is shown, or ALL_SEATS.
    """
    if as_json:
        print_json(step_object(recorded, moment, observer))
        return
    from rich.console import Console

    from rails_cli.study.playback.text_blocks import largest

    console = Console(highlight=False, markup=False, emoji=False, soft_wrap=True)
    view, face = recorded.view(moment, observer), recorded.face
    print_wrapped(whole_heading(recorded, observer), *step_text(recorded, moment, observer).splitlines(), "")
    width = console.width if console.is_terminal else WIDTH
    for line in largest(face, recorded.wire_board, view, width, 30, face.touched(moment.events)):
        console.print(line)
    click.echo(fill(face.legend(view), min(80, output_width())) + "\n")
    click.echo(face.position_text(recorded.wire_board, view, recorded.names))


def whole_heading(recorded: Recorded, observer: int) -> str:
    """Return the heading of a game that is printed as text.

    If `observer` is a single seat, the heading names the seat.
    """
    seen = "" if observer == ALL_SEATS else f"; as seat {observer + 1} ({recorded.names[observer]}) saw it"
    return f"{heading(recorded, observer)}{seen}"


def print_all(recorded: Recorded, observer: int, feed: Feed | None, *, as_json: bool) -> Recorded:
    """Print the game as text, or as JSON lines with `as_json`. Return the whole game.

    `observer` is the seat whose view is shown, or ALL_SEATS. With `feed`, which reads a growing log, continue until the
    game is complete.
    """
    if not as_json:
        print_wrapped(whole_heading(recorded, observer))
    printed: list[str] = []
    latest = recorded
    for latest in growing(recorded, feed):
        digests = [moment.digest for moment in latest.moments]
        known = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(printed, digests, strict=False)))
        if known < len(printed) and not as_json:
            click.echo(f"Taken back by agreement: everything after action {known - 1}.")
        printed = digests
        for moment in latest.moments[known:]:
            if as_json:
                print_json(step_object(latest, moment, observer))
            else:
                print_wrapped(*step_text(latest, moment, observer).splitlines())
    if not as_json:
        print_wrapped(*ending(latest, observer))
    elif latest.result is not None:
        print_json(latest.result)
    return latest


def growing(recorded: Recorded, feed: Feed | None) -> Iterator[Recorded]:
    """Yield the game now, and again each time that its log has grown, until the game is complete.

    `feed` reads the log. If `feed` is None, the log does not grow.
    """
    yield recorded
    while feed is not None and not feed.is_closed and not recorded.is_complete:
        time.sleep(POLL_S)
        content = feed.grown()
        if content is not None:
            recorded = read_recorded(content)
            yield recorded


def show(recorded: Recorded, observer: int, feed: Feed | None, speed: float, log_file: Path) -> Recorded:
    """Show the game at a terminal, or print it if no keys can be read.

    `observer` is the seat whose view is shown, or ALL_SEATS. `speed` is the number of actions per second in automatic
    playback. `feed` reads a growing log, or is None. Return the latest version of the game, because its log may have
    grown.
    """
    keys = terminal_input()
    if keys is None:
        return print_all(recorded, observer, feed, as_json=False)
    from rails_cli.study.analysis.at_step import StepJudge
    from rails_cli.terminal.screen import Screen, watch

    leave_on_signals()
    cursor = Cursor(recorded, speed=speed, at=0 if feed is None else recorded.last)
    judge = None
    if load_evaluation(recorded.game.name) is not None:
        judge = StepJudge(you=own_seat(log_file, recorded))
    if feed is None and log_file.is_file() and sys.stdin.isatty():
        from rails_cli.commands.branching import BranchBrowser
        from rails_cli.commands.play import play_branch

        BranchBrowser(log_file, recorded, cursor, observer, judge, play_branch).show(keys)
        return recorded
    screen = Screen(cursor, observer, is_following=feed is not None, judge=judge)
    watch(screen, keys, feed)
    return screen.recorded
