"""The short forms of the long campaigns."""

from pathlib import Path

from tests.soak import bad_bot_campaign, kill_campaign


def test_bad_bots_thrown_in_at_random(tmp_path: Path) -> None:
    assert bad_bot_campaign(2, 7, tmp_path) > 0


def test_kill_9_at_random_moments(tmp_path: Path) -> None:
    assert kill_campaign(3, 3, tmp_path) > 0
