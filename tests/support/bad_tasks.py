"""Tasks that harm the worker they are given to; it has to import nothing else for them."""

import os
import subprocess
from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from rails_cli.tournament.model import SeedGroup
from rails_cli.tournament.results.group_results import GroupPlayed
from rails_cli.tournament.run.play import play_groups


def poisoned(packed: bytes, groups: Sequence[SeedGroup], *more: Any) -> list[GroupPlayed]:
    """Ends the worker if it is to play the second round."""
    if any(group.stage == "round 2" for group in groups):
        os._exit(1)
    return play_groups(packed, groups, *more)


def broken(packed: bytes, groups: Sequence[SeedGroup], *more: Any) -> list[GroupPlayed]:
    """As of the third round, groups are for a board that is missing."""
    return play_groups(packed, [_boardless(group) if group.stage == "round 3" else group for group in groups], *more)


def _boardless(group: SeedGroup) -> SeedGroup:
    changed = replace(group, setting=replace(group.setting, board="missing"))
    changed.__dict__["id"] = group.id  # which would follow from the board
    return changed


def start_and_end(mark: str) -> None:
    """Starts a program and ends this process."""
    subprocess.Popen(["sleep", "60"], env={**os.environ, "RAILS_TEST": mark}, start_new_session=True)
    os._exit(3)
