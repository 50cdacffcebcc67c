"""Command-line options, shared fixtures and the closing summary of the test suite.

Functions import what they need from other modules of tests, because the process that starts the workers does not.

With RAILS_CLI_NO_SKIPS=1, as in CI, a skipped test is a failure.
"""

import gc
import os
import random
import signal
import sys
import sysconfig
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest

from rails_cli.basics.numpy_import import import_numpy


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--quick", action="store_true", help="one number of players and choice of options for each game")
    parser.addoption("--shuffle", type=int, metavar="SEED", help="run files, and the tests in each, in a random order")


def pytest_configure() -> None:
    """Put the scripts of this environment first in PATH, so that `python3` is the Python that runs the tests."""
    os.environ["PATH"] = os.pathsep.join([sysconfig.get_path("scripts"), os.environ.get("PATH", os.defpath)])


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("quick"):
        from tests.support.positions import all_settings

        chosen = {setting.name: setting for setting in all_settings()}.values()
        items[:] = [item for item in items if _setting_of(item) in (None, *chosen)]
    if (seed := config.getoption("shuffle")) is not None:
        _shuffle(items, seed)


def pytest_collectstart() -> None:
    """Disable garbage collection while pytest collects tests, because collecting creates almost no garbage."""
    import_numpy()  # before tests import it, because it would then use several threads, which is slow on busy cores
    gc.disable()


def pytest_collection_finish() -> None:
    """Enable garbage collection again, so that databases that a test has left open are closed."""
    gc.freeze()
    gc.enable()


def _shuffle(items: list[pytest.Item], seed: int) -> None:
    """Put the files, and the tests in each file, into a random order.

    Tests of one file stay together to share fixtures.
    """
    chance = random.Random(seed)
    files: dict[Path, list[pytest.Item]] = {}
    for item in items:
        files.setdefault(item.path, []).append(item)
    groups = list(files.values())
    chance.shuffle(groups)
    for group in groups:
        chance.shuffle(group)
    items[:] = [item for group in groups for item in group]


def _setting_of(item: pytest.Item) -> Any:
    """Return the value of the parameter `setting` of a parametrised test, or None if the test has no such parameter."""
    return (
        item.callspec.params.get("setting") if isinstance(item, pytest.Function) and hasattr(item, "callspec") else None
    )


@pytest.fixture(scope="session", autouse=True)
def _default_signals() -> None:
    """Let signals interrupt the processes that tests start, even if the suite runs in the background or under nohup.

    A child process would inherit ignored signals. It does not inherit handlers. So each ignored signal gets a handler
    that does nothing.
    """
    for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, lambda number, frame: None)


@pytest.fixture(scope="session", autouse=True)
def _own_state(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Keep saved games and settings of commands in a temporary folder, not in the home folder of the person."""
    os.environ["XDG_STATE_HOME"] = str(tmp_path_factory.mktemp("state"))


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """One browser for all tests of a worker process. Each test opens the pages of its own server."""
    from tests.support.browser import open_browser

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
        report.longrepr = f"skipped, which RAILS_CLI_NO_SKIPS forbids: {report.longrepr}"
    return report


def pytest_unconfigure(config: pytest.Config) -> None:
    """Print how many tests were skipped, which missing programs they need, and how to install these programs."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if reporter is not None and (skipped := reporter.stats.get("skipped", [])):
        from tests.support.tools import skip_summary

        reasons = [report.longrepr[2] for report in skipped]
        reporter.write_line(skip_summary(reasons))


@pytest.fixture(autouse=True)
def _closed_lobbies() -> Iterator[None]:
    """Close the files of lobbies created by the test, so that file descriptors do not run out."""
    yield
    if lobbies := sys.modules.get("tests.support.rigged_lobby"):
        lobbies.close_lobbies()
