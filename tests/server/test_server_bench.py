"""The bench of the server in its shortest form: what it starts and asks for is still what the server offers."""

from pathlib import Path

import pytest

from rails_cli.games import GAME_NAMES
from tests.bench import server

SHORT_S = 0.1
"""Seconds of load. What is measured is not looked at, and the bench goes on until there was a round trip."""


def test_the_bench_of_the_server_plays_and_checks_its_logs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    server.compare(GAME_NAMES[:1], tmp_path, connections=12, repetitions=1, window_s=SHORT_S)
    shown = capsys.readouterr().out
    assert "12 connections, 3 games at once" in shown
    assert "mistakes: none" in shown
