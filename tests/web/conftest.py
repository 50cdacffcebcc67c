"""A server of one's own, and a person at its page."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.browser import complaints, requests, resize
from tests.support.page_person import PagePerson
from tests.support.ws_client import ServerProcess


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ServerProcess]:
    with ServerProcess(tmp_path / "data") as running:
        yield running


@pytest.fixture
def anna(browser: Any, server: ServerProcess) -> Iterator[PagePerson]:
    """She complains of nothing, and her browser fetches nothing from elsewhere."""
    browser.get("about:blank")
    resize(browser, 1280, 900)
    complaints(browser)
    requests(browser)
    person = PagePerson(browser, server.url, "Anna")
    yield person
    assert complaints(browser) == []
    assert [url for url in requests(browser) if not url.startswith((person.url, "about:", "data:"))] == []
    browser.get("about:blank")  # so that no page goes on looking for its server
