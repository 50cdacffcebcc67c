"""Progress of a tournament: a stream of JSON lines for programs, and lines for people."""

import sys
import time
from typing import Any, Protocol

import click
import msgspec

from rails_cli.commands import print_wrapped
from rails_cli.games.faces.phrases import count_phrase
from rails_cli.tournament.rating.forfeits import Suspended
from rails_cli.tournament.words import listed

FIRST_S = 2.0
"""Seconds after the start when the first line about the progress is printed."""
EVERY_S = 10.0
"""Seconds between two lines about the progress of a tournament."""

_NEWS = {
    "group_lost": "a worker was lost in a game of {who} (group {group}); it is played again",
    "group_void": "a worker was lost in a game of {who} (group {group}) each time; it is void, and nobody is blamed",
    "group_charged": "a worker was lost in a game of {who} (group {group}) each time; {lost_by} has lost its games",
    "worker_joined": "worker {worker} has joined with {threads} threads",
    "worker_lost": "worker {worker} is gone; others do what it had to do",
    "worker_refused": "worker {worker} is not used: it {words}",
}


class Listener(Protocol):
    """A callback that receives events of a running tournament."""

    hears_games: bool
    """Whether the listener needs events about single games and faults. They are sent only if at least one listener
    needs them.
    """

    def __call__(self, event: dict[str, Any]) -> None: ...

    def close(self) -> None: ...


class Stream:
    """A listener that writes each event as a line of JSON to the end of `file`, or to standard output for `-`."""

    hears_games = True

    def __init__(self, file: str) -> None:
        self.file = sys.stdout.buffer if file == "-" else open(file, "ab")  # noqa: SIM115
        self.is_ours = file != "-"

    def __call__(self, event: dict[str, Any]) -> None:
        try:
            self.file.write(msgspec.json.encode(event) + b"\n")
            self.file.flush()
        except BrokenPipeError:
            raise click.ClickException("nobody is reading the events any more; finished games are kept") from None

    def close(self) -> None:
        if self.is_ours:
            self.file.close()


class ProgressLines:
    """A listener that prints the progress on standard error, every EVERY_S seconds."""

    hears_games = False

    def __init__(self) -> None:
        self.last = time.monotonic() - EVERY_S + FIRST_S

    def __call__(self, event: dict[str, Any]) -> None:
        kind = event["event"]
        if kind == "tournament_start":
            what = f"{event['name']}: {event['format']} of {len(event['entrants'])}"
            if event["total"] is not None:
                what += f", {'at most ' if event['is_total_most'] else ''}{event['total']:,} games"
            if event["played"]:
                what += f"; {event['played']:,} already played"
            workers = count_phrase(event["workers"], "worker")
            print_wrapped(f"{what}; {workers}, results in {event['folder']}", err=True)
        elif kind == "eta" and time.monotonic() - self.last >= EVERY_S:
            self.last = time.monotonic()
            click.echo(progress(event), err=True)
        else:
            words = event_text(event)
            if words is not None:
                print_wrapped(f"  {words}", err=True)

    def close(self) -> None:
        pass


def event_text(event: dict[str, Any]) -> str | None:
    """Return a text about an event of a tournament, or None if the event is not shown.

    Shown are events about workers, suspended entrants, and seed groups (all games from one seed) that were lost.
    """
    kind = "group_void" if event.get("is_void") else "group_charged" if event.get("lost_by") else event["event"]
    if kind == "suspended":
        return msgspec.convert(event, Suspended).summary
    return _NEWS[kind].format(**event, who=listed(event.get("entrants", ()))) if kind in _NEWS else None


def progress(event: dict[str, Any]) -> str:
    """Return a description of an `eta` event. Such an event reports the progress of a tournament."""
    most = "at most " if event["is_total_most"] else ""
    words = f"  {done_words(event['games'], event['total'], is_most=event['is_total_most'])}"
    words += f", {event['games_per_s']:,.1f} games/s"
    if not event["workers"]:
        words += ", no workers"
    elif event["seconds_left"] is not None:
        words += f", {most}{clock_words(event['seconds_left'])} left"
    for name in ("faults", "void"):
        if event[name]:
            words += f", {event[name]:,} {name}"
    return "; ".join([words, *(said for said in event["rules"] if not said.endswith("games"))])


def done_words(games: int, total: int | None, *, is_most: bool) -> str:
    """Return how many games are played, such as `12 of 48 games (25%)`. `total` is None if the total is not known.

    If `is_most`, there are at most `total` games.
    """
    if not total:
        return f"{games:,} games"
    return f"{games:,} of at most {total:,} games" if is_most else f"{games:,} of {total:,} games ({games / total:.0%})"


def clock_words(seconds: float) -> str:
    minutes, left = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{left:02}" if hours else f"{minutes}:{left:02}"
