"""The games in docs/ANALYSIS.md are real, and so is what is said of them."""

from pathlib import Path

import pytest

from rails_cli.games import GAME_NAMES
from tests.support.analyses import blocks, commands_in, run

HOW = "python -m tests.support.analyses --write"
SHORTEST = "last_spike"


def test_there_is_one_of_each_game() -> None:
    assert sorted(blocks()) == sorted(GAME_NAMES)


@pytest.mark.parametrize("game", [game for game in GAME_NAMES if game != SHORTEST])
def test_the_games_are_real(game: str, tmp_path: Path) -> None:
    """They are played again; to judge them takes longer."""
    block = blocks()[game]
    played = run(commands_in(block)[:1], tmp_path)
    assert block[: len(played)] == played, HOW


def test_an_analysis_is_real(tmp_path: Path) -> None:
    block = blocks()[SHORTEST]
    assert run(commands_in(block), tmp_path) == block, HOW
