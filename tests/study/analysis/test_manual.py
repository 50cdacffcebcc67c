"""Tests of docs/ANALYSIS.md: the games and analyses on the page are the output of the commands."""

from pathlib import Path

import pytest

from rails_cli.games import game_names
from tests.support.analyses import blocks, commands_in, run

UPDATE_COMMAND = "python -m tests.support.analyses --write"
SHORTEST = "last_spike"


def test_the_manual_has_one_example_of_each_game() -> None:
    assert sorted(blocks()) == sorted(game_names())


@pytest.mark.parametrize("game", [game for game in game_names() if game != SHORTEST])
def test_the_games_in_the_manual_can_be_played_again(game: str, tmp_path: Path) -> None:
    """The commands in the manual that play the games still produce the output on the page.

    The commands that analyse these games are not run, because they take long.
    """
    block = blocks()[game]
    played = run(commands_in(block)[:1], tmp_path)
    assert block[: len(played)] == played, UPDATE_COMMAND


def test_the_analysis_of_the_shortest_game_can_be_repeated(tmp_path: Path) -> None:
    block = blocks()[SHORTEST]
    assert run(commands_in(block), tmp_path) == block, UPDATE_COMMAND
