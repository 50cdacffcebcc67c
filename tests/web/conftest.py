"""A server of one's own, and a person at its page."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.page_person import PagePerson, anna_at
from tests.support.ws_client import ServerProcess


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ServerProcess]:
    with ServerProcess(tmp_path / "data") as running:
        yield running


@pytest.fixture
def anna(browser: Any, server: ServerProcess) -> Iterator[PagePerson]:
    with anna_at(browser, server) as person:
        yield person
