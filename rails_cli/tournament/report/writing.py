"""Writing of a report and its replay pages to files."""

import os
import re
from collections.abc import Collection
from pathlib import Path

import msgspec

from rails_cli.basics.files import read_file
from rails_cli.games.game import ALL_SEATS
from rails_cli.logs.reading import BadLog
from rails_cli.study.playback.recorded import read_recorded
from rails_cli.tournament.report.findings import Findings, Tell, find
from rails_cli.tournament.report.games_section import Links
from rails_cli.tournament.report.page import report_page
from rails_cli.tournament.results.group_results import log_name
from rails_cli.tournament.results.store import Listed, Store
from rails_cli.web.page import replay_page

REPLAYS = "replays"
_LONGEST_NAME = 20
"""Maximum number of characters of a player's name in a file name."""


class Written(msgspec.Struct, frozen=True):
    """The result of writing a report: its files, the number of its games, and logs that could not be replayed."""

    report: str
    replays: list[str]
    games: int
    mistakes: list[str]
    """Names of logs that cannot be replayed, each with the reason."""


def write_report(store: Store, out: Path, replays: int | None, tell: Tell) -> Written:
    """Write the report to the file `out`, and replay pages next to it.

    `replays` is the maximum number of replay pages. None means all games. `tell` is called with a description of each
    step before the step.
    """
    found = find(store, replays, tell)
    out.parent.mkdir(parents=True, exist_ok=True)
    pages, mistakes = _write_replays(found, store.folder, out.parent, tell)
    links = Links(_logs(found, store.folder, out.parent), pages)
    tell("writing the page")
    page = report_page(found, links)
    beside = out.with_name(f".{out.name}.{os.getpid()}")
    try:
        beside.write_text(page, encoding="utf-8")
        beside.replace(out)
    finally:
        beside.unlink(missing_ok=True)
    return Written(str(out), [str(out.parent / path) for path in pages.values()], len(found.games), mistakes)


def _write_replays(found: Findings, folder: Path, beside: Path, tell: Tell) -> tuple[dict[str, str], list[str]]:
    pages: dict[str, str] = {}
    mistakes: list[str] = []
    for number, chosen in enumerate(found.chosen):
        if number % 10 == 0:
            tell(f"writing replay {number + 1:,} of {len(found.chosen):,}")
        game = chosen.game
        log = log_name(game.group.id, game.played.number)
        try:
            recorded = read_recorded(read_file(folder / log))
        except (BadLog, OSError) as error:
            mistakes.append(f"{log}: {error.strerror if isinstance(error, OSError) else error}")
            continue
        if recorded.mistake is not None:
            mistakes.append(f"{log}: {recorded.mistake}")
            continue
        if (beside / REPLAYS).is_symlink():
            raise OSError(f"{beside / REPLAYS} is a link to somewhere else")
        (beside / REPLAYS).mkdir(exist_ok=True)
        pages[game.id] = _named(game, pages.values())
        (beside / pages[game.id]).unlink(missing_ok=True)
        (beside / pages[game.id]).write_text(replay_page(recorded, ALL_SEATS), encoding="utf-8")
    return pages, mistakes


def _named(game: Listed, taken: Collection[str]) -> str:
    """Return a relative path for the replay page of `game`. The path is not in `taken`."""
    players = "-".join(re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-")[:_LONGEST_NAME] for name in game.played.seating)
    name = f"{game.group.number + 1}-{game.played.number + 1}-{players}"
    path = f"{REPLAYS}/{name}.html"
    return path if path not in taken else f"{REPLAYS}/{name}-{game.id}.html"


def _logs(found: Findings, folder: Path, beside: Path) -> dict[str, str]:
    """Return a mapping from the id of a game to the path of its log, relative to the report page. Omit missing logs.

    `folder` is the results folder of the tournament, and `beside` the folder of the report page.
    """
    base = Path(os.path.relpath(folder.resolve(), beside.resolve()))
    there = {entry.name for entry in os.scandir(folder / "logs")} if (folder / "logs").is_dir() else set()
    return {
        game.id: (base / log_name(game.group.id, game.played.number)).as_posix()
        for game in found.games
        if game.played.log is not None and Path(log_name(game.group.id, game.played.number)).name in there
    }
