"""Tests of stored golden games: their logs are valid, and playing the games again gives the same bytes."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from rails_cli.logs.verify import verify
from tests.support.golden import golden_settings
from tests.support.tools import GOLDEN

FILES = sorted(GOLDEN.glob("*/*.jsonl"))


def test_every_game_and_setting_has_golden_games() -> None:
    assert {file.parent.name for file in FILES} == {"chicago_express", "american_rails", "last_spike"}
    assert set(golden_settings()) <= set(FILES), "run: python -m tests.support.golden --write"


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_golden_game_verifies(file: Path) -> None:
    verdict = verify(file.read_bytes())
    assert verdict.mistake is None
    assert verdict.is_finished


def test_golden_games_do_not_depend_on_the_hash_seed() -> None:
    """The golden games do not depend on PYTHONHASHSEED, which determines the order of sets in Python.

    The stored logs were written with a random value. This test plays the games again with a fixed value, so that a
    failure can be repeated.
    """
    environment = {**os.environ, "PYTHONHASHSEED": "4242"}
    done = subprocess.run(
        [sys.executable, "-m", "tests.support.golden"], env=environment, capture_output=True, text=True, check=False
    )
    assert done.stdout == ""
    assert done.returncode == 0, done.stderr
