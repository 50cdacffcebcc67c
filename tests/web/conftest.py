"""Fixtures: servers, and simulated people who use the web page of a server in a browser."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rails_cli.games import game_names
from tests.support.page_person import PagePerson, anna_at
from tests.support.tools import GOLDEN
from tests.support.ws_client import ServerProcess


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ServerProcess]:
    """A server without tables."""
    with ServerProcess(tmp_path / "data") as running:
        yield running


@pytest.fixture
def anna(browser: Any, server: ServerProcess) -> Iterator[PagePerson]:
    """A simulated person named Anna who uses the web page of `server` in a browser."""
    with anna_at(browser, server) as person:
        yield person


@pytest.fixture(scope="session")
def games_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """A server with a stored log of one match of each game. The log is named like the game.

    Tests continue these matches. All tests of a worker process share the server, so that the browser gets fonts and
    scripts from its cache. A test that must not see tables of other tests uses `server` instead.
    """
    folder = tmp_path_factory.mktemp("server")
    (folder / "logs").mkdir()
    for game in game_names():
        shutil.copyfile(GOLDEN / game / f"{game}-4p.jsonl", folder / "logs" / f"{game}.jsonl")
    options = ("--logs", str(folder / "logs"), "--requests-per-second", "500", "--max-tables-each", "500")
    with ServerProcess(folder / "data", *options) as running:
        yield running


@pytest.fixture
def guest(browser: Any, games_server: ServerProcess) -> Iterator[PagePerson]:
    """A simulated person named Anna who uses the web page of `games_server` in a browser."""
    with anna_at(browser, games_server) as person:
        yield person
