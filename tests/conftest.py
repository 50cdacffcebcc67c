"""Runs the suite: where tools are required (RAILS_CLI_NO_SKIPS=1, as in CI), a skipped test is a failure."""

import os
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from tests.support.browser import complaints, open_browser, requests, resize
from tests.support.page_person import PagePerson
from tests.support.ws_client import ServerProcess

# Machines are shared and slow at times, and a run that fails must fail again.
settings.register_profile("steady", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("steady")


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """One person's browser for all tests: what is asked of it next is at another address."""
    opened = open_browser()
    yield opened
    opened.quit()


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


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.skipped and os.environ.get("RAILS_CLI_NO_SKIPS"):
        report.outcome = "failed"
        report.longrepr = f"skipped where nothing may be skipped: {report.longrepr}"
    return report
