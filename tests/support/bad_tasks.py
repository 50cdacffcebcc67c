"""Tasks that fail, or that end the process of a tournament worker. Worker processes import no other test module."""

import os
import subprocess
from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from rails_cli.tournament.model import SeedGroup
from rails_cli.tournament.results.group_results import GroupPlayed
from rails_cli.tournament.run.play import play_groups


def poisoned(packed: bytes, groups: Sequence[SeedGroup], *more: Any) -> list[GroupPlayed]:
    """Play `groups` with `play_groups`, but exit the worker process if a group belongs to round 2.

    `packed` and `more` are the other arguments of `play_groups`.
    """
    if any(group.stage == "round 2" for group in groups):
        os._exit(1)
    return play_groups(packed, groups, *more)


def broken(packed: bytes, groups: Sequence[SeedGroup], *more: Any) -> list[GroupPlayed]:
    """Play `groups` with `play_groups`, but let the groups of round 3 fail.

    Each group of round 3 gets the path of a board file that does not exist. `packed` and `more` are the other arguments
    of `play_groups`.
    """
    return play_groups(packed, [_boardless(group) if group.stage == "round 3" else group for group in groups], *more)


def _boardless(group: SeedGroup) -> SeedGroup:
    """Return a copy of `group` that has the same id, and the path of a board file that does not exist."""
    changed = replace(group, setting=replace(group.setting, board="missing"))
    changed.__dict__["id"] = group.id  # keep the id, which is derived from the board
    return changed


def start_and_end(mark: str) -> None:
    """Start a program that runs for a minute, and exit this process at once.

    The program has `mark` in its environment, so that a test can find it.
    """
    subprocess.Popen(["sleep", "60"], env={**os.environ, "RAILS_TEST": mark}, start_new_session=True)
    os._exit(3)
