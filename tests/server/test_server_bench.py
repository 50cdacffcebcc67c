"""A short run of the server benchmark, which fails if the server no longer supports the requests of the benchmark."""

from pathlib import Path

import pytest

from rails_cli.games import game_names
from tests.bench import server

SHORT_S = 0.1
"""Duration of the load in seconds. The test ignores the measurements."""


def test_the_server_benchmark_plays_games_with_valid_logs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    server.compare(game_names()[:1], tmp_path, connections=12, repetitions=1, window_s=SHORT_S)
    shown = capsys.readouterr().out
    assert "12 connections, 3 games at once" in shown
    assert "mistakes: none" in shown
