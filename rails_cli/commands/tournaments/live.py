"""A live view of a running tournament on a terminal: standings, speed, running games and faults."""

import time
from collections import deque
from typing import Any

import msgspec
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.live import Live
from rich.padding import Padding
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from rails_cli.commands.tournaments.progress import clock_words, done_words, event_text
from rails_cli.commands.tournaments.results import SHORT_HEADS, fitted, fitted_table, row_words
from rails_cli.games.faces.phrases import count_phrase
from rails_cli.tournament.rating.standings import ShortRow

REFRESH_S = 1.0
"""Seconds between two updates of the screen."""
MOST_NEWS = 3
"""Maximum number of lines with news."""
LEAST_ROWS = 3
"""Minimum number of rows of the standings."""
LOW = 20  # lines below which only standings are shown
WIDE = 72  # columns from which all columns of a table are shown


class LiveTable:
    """A listener that shows standings, speed, running games and faults on the full screen until the end."""

    hears_games = False

    def __init__(self, console: Console) -> None:
        self.start: dict[str, Any] = {}
        self.eta: dict[str, Any] = {}
        self.standing: dict[str, Any] = {}
        self.news: deque[str] = deque(maxlen=MOST_NEWS)
        self.started = time.monotonic()
        redirect: Any = {"redirect_stdout": False, "redirect_stderr": False}
        self.live = Live(self, console=console, screen=True, refresh_per_second=1 / REFRESH_S, **redirect)

    def __call__(self, event: dict[str, Any]) -> None:
        kind = event["event"]
        if kind == "tournament_start":
            self.start, self.started = event, time.monotonic()
            self.live.start(refresh=True)
        elif kind == "eta":
            self.eta = event
        elif kind == "standing":
            self.standing = event
        elif kind == "tournament_end":
            self.close()
        else:
            words = event_text(event)
            if words is not None:
                self.news.append(words.splitlines()[0])

    def close(self) -> None:
        self.live.stop()

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield self.drawn(options.max_width, options.height or console.height, options.ascii_only)

    def drawn(self, width: int, height: int, is_ascii: bool) -> Group:
        """Return the content of the screen. Rows that do not fit are left out, and a line shows their number."""
        is_low = height < LOW
        head = self._head(width)
        news = [Text(words, "yellow") for words in self.news][-1 if is_low else -MOST_NEWS :]
        hint = [] if is_low else [Text("Ctrl-C to interrupt; the same command resumes it", "dim")]
        foot = [Text(), *self._faults(), *news, *hint]
        rows, running = self.standing.get("table", []), self.eta.get("running", [])
        room = height - len(head) - len(foot) - (5 if is_low else 6)  # two blank lines, two lines above each table
        shown_running = 0 if is_low else _fitting(len(running), max(2, room - len(rows), room // 4))
        shown_rows = _fitting(len(rows), max(LEAST_ROWS, room - min(len(running), shown_running + 1)))
        parts: list[RenderableType] = [*head, Text()]
        if rows:
            parts.append(_standings(rows[:shown_rows], width, is_ascii))
            parts += _left_out(len(rows) - shown_rows, "entrants")
        else:
            parts.append(Text("standings appear after the first games", "dim"))
        if running and not is_low:
            parts += [Text(), _playing(running[:shown_running], width, is_ascii)]
            parts += _left_out(len(running) - shown_running, "seed groups")
        parts += foot
        for part in parts:
            if isinstance(part, Text):
                fitted(part, is_ascii=is_ascii)
        return Group(*parts)

    def _head(self, width: int) -> list[RenderableType]:
        start, eta = self.start, self.eta
        workers = count_phrase(eta.get("workers", start["workers"]), "worker")
        since = clock_words(time.monotonic() - self.started)
        what = f"{start['format']} of {len(start['entrants'])}, {workers}, {since} so far"
        title = Text.assemble((start["name"], "bold"), f"  {what}")
        games, total = eta.get("games", start["played"]), eta.get("total", start["total"])
        most = "at most " if start["is_total_most"] else ""
        done = Text(done_words(games, total, is_most=start["is_total_most"]))
        done.append(f", {eta.get('games_per_s', 0.0):,.1f} games/s")
        if eta.get("seconds_left") is not None:
            done.append(", ").append(f"{most}{clock_words(eta['seconds_left'])} left", "bold")
        head: list[RenderableType] = [title, done]
        if total is not None:
            head.append(Padding(ProgressBar(total, min(games, total), width=width), 0))
        head += [Text(words, "cyan") for words in eta.get("rules", []) if not words.endswith("games")]
        return head

    def _faults(self) -> list[Text]:
        by, void = self.eta.get("faults_by", {}), self.eta.get("void", 0)
        if not by and not void:
            return [Text("no faults", "dim")]
        words = ", ".join(f"{name} {count:,}" for name, count in by.items())
        line = Text(f"faults: {words}" if by else "", "red")
        if void:
            line.append(f"{'; ' if by else ''}{void:,} games void")
        return [line]


def _standings(rows: list[dict[str, Any]], width: int, is_ascii: bool) -> Table:
    heads = SHORT_HEADS if width >= WIDE else ["", "entrant", "rating", "95%", "wins"]
    cells = [row_words(msgspec.convert(row, ShortRow), "?") for row in rows]
    return fitted_table(heads, [[words[head] for head in heads] for words in cells], width, is_ascii=is_ascii)


def _playing(running: list[dict[str, Any]], width: int, is_ascii: bool) -> Table:
    heads = ["now playing", "entrants", "seed group", "games"]
    if width < WIDE:
        heads = heads[:2]
    lines = []
    for task in running:
        more = f" +{task['groups_after']}" if task["groups_after"] else ""
        game = f"{task['game']} for {task['players']}"
        entrants = ", ".join(task["entrants"])
        lines.append([game, entrants, task["group"] + more, str(task["games"])][: len(heads)])
    return fitted_table(heads, lines, width, is_ascii=is_ascii, left=3)


def _fitting(number: int, room: int) -> int:
    """Return how many of `number` lines to show if there is space for `room` lines.

    If not all lines fit, one line remains free, for the number of lines that are left out.
    """
    return number if number <= room else max(0, room - 1)


def _left_out(number: int, what: str) -> list[Text]:
    return [Text(f"and {number:,} more {what}", "dim")] if number > 0 else []
