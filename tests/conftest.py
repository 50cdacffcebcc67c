"""Runs the suite: where tools are required (RAILS_CLI_NO_SKIPS=1, as in CI), a skipped test is a failure."""

import os
import signal
from collections.abc import Generator, Iterator
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from tests.support.browser import open_browser
from tests.support.positions import all_settings

# Machines are shared and slow at times, and a run that fails must fail again.
settings.register_profile("steady", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("steady")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--quick", action="store_true", help="one number of players and choice of options for each game")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("quick"):
        chosen = {setting.name: setting for setting in all_settings()}.values()
        items[:] = [item for item in items if _setting_of(item) in (None, *chosen)]
    _begin_with_long_ones(config, items)


def _begin_with_long_ones(config: pytest.Config, items: list[pytest.Item]) -> None:
    """So that no worker is left with one when the others have done all the rest.

    Each worker begins with a part of the list, and the parts are as many as workers.
    """
    workers = getattr(config, "workerinput", {"workercount": 1})["workercount"]
    long_ones = [item for item in items if item.get_closest_marker("long")]
    others = [item for item in items if not item.get_closest_marker("long")]
    ends = [len(others) * worker // workers for worker in range(workers + 1)]
    items[:] = [
        item
        for worker, (first, end) in enumerate(pairwise(ends))
        for item in (*long_ones[worker::workers], *others[first:end])
    ]


def _setting_of(item: pytest.Item) -> Any:
    return (
        item.callspec.params.get("setting") if isinstance(item, pytest.Function) and hasattr(item, "callspec") else None
    )


@pytest.fixture(scope="session", autouse=True)
def _default_signals() -> None:
    """What tests start can be interrupted, also where the suite itself cannot: in the background, or under nohup.

    A program inherits what is ignored, but no handler; so what is ignored here is handled, by doing nothing.
    """
    for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, lambda number, frame: None)


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """One person's browser for all tests: what is asked of it next is at another address."""
    opened = open_browser()
    yield opened
    opened.quit()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.skipped and os.environ.get("RAILS_CLI_NO_SKIPS"):
        report.outcome = "failed"
        report.longrepr = f"skipped where nothing may be skipped: {report.longrepr}"
    return report
