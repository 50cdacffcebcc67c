"""Those who are told what happens in a tournament: a stream of JSON lines, and lines for people."""

import sys
import time
from typing import Any, Protocol

import click
import msgspec

FIRST_S = 2.0
EVERY_S = 10.0


class Listener(Protocol):
    """Is told each event as it happens."""

    def __call__(self, event: dict[str, Any]) -> None: ...

    def close(self) -> None: ...


class Stream:
    """Writes each event as a line of JSON, at once and whole; to standard output for `-`, else at the end of a file."""

    def __init__(self, file: str) -> None:
        self.file = sys.stdout.buffer if file == "-" else open(file, "ab")  # noqa: SIM115
        self.is_ours = file != "-"

    def __call__(self, event: dict[str, Any]) -> None:
        self.file.write(msgspec.json.encode(event) + b"\n")
        self.file.flush()

    def close(self) -> None:
        if self.is_ours:
            self.file.close()


class ProgressLines:
    """Says on standard error how it goes, now and then."""

    def __init__(self) -> None:
        self.last = time.monotonic() - EVERY_S + FIRST_S

    def __call__(self, event: dict[str, Any]) -> None:
        kind = event["event"]
        if kind == "tournament_start":
            what = f"{event['name']}: {event['format']} of {len(event['entrants'])}"
            if event["total"] is not None:
                what += f", {event['total']:,} games"
            if event["played"]:
                what += f"; {event['played']:,} are played already"
            click.echo(f"{what}; {event['workers']} workers, results in {event['folder']}", err=True)
        elif kind == "eta" and time.monotonic() - self.last >= EVERY_S:
            self.last = time.monotonic()
            click.echo(progress(event), err=True)
        elif kind == "group_lost":
            then = "it ends whoever plays it, and is void" if event["is_void"] else "it is played again"
            click.echo(f"  a worker was lost with group {event['group']}; {then}", err=True)

    def close(self) -> None:
        pass


def progress(event: dict[str, Any]) -> str:
    """An `eta` event in words."""
    words = f"  {event['games']:,}"
    if event["total"]:
        words += f" of {event['total']:,} games ({event['games'] / event['total']:.0%})"
    else:
        words += " games"
    words += f", {event['games_per_s']:,.1f} games/s"
    if event["seconds_left"] is not None:
        words += f", {clock_words(event['seconds_left'])} left"
    for name in ("faults", "void"):
        if event[name]:
            words += f", {event[name]:,} {name}"
    return "; ".join([words, *(said for said in event["rules"] if not said.endswith("games"))])


def clock_words(seconds: float) -> str:
    """Hours, minutes and seconds."""
    minutes, left = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{left:02}" if hours else f"{minutes}:{left:02}"
