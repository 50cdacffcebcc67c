"""Short runs of the long tests in `tests/soak.py`, which are called campaigns."""

from pathlib import Path

from tests.soak import bad_bot_campaign, kill_campaign


def test_matches_with_random_bad_bots_end_without_errors(tmp_path: Path) -> None:
    assert bad_bot_campaign(1, 7, tmp_path) > 0


def test_games_of_a_server_killed_at_random_moments_are_resumed(tmp_path: Path) -> None:
    assert kill_campaign(1, 3, tmp_path) > 0
