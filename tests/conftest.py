"""Runs the suite: where tools are required (RAILS_CLI_NO_SKIPS=1, as in CI), a skipped test is a failure."""

import gc
import json
import os
import signal
import sysconfig
from collections.abc import Generator, Iterator
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from tests.support.browser import open_browser
from tests.support.positions import all_settings

# Machines are shared and slow at times, and a run that fails must fail again.
settings.register_profile("steady", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("steady")

TESTS = Path(__file__).parent
SECONDS: dict[str, int] = json.loads((TESTS / "durations.json").read_bytes())
"""What files that take long take, more or less; `web` is that folder, `browser` all other files with a browser."""
LONG_S = 10


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--quick", action="store_true", help="one number of players and choice of options for each game")


def pytest_configure() -> None:
    """`python3` is the Python of the tests, as in an activated environment, and no script that looks for one first."""
    os.environ["PATH"] = os.pathsep.join([sysconfig.get_path("scripts"), os.environ.get("PATH", os.defpath)])


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("quick"):
        chosen = {setting.name: setting for setting in all_settings()}.values()
        items[:] = [item for item in items if _setting_of(item) in (None, *chosen)]
    _share_out(config, items)


def pytest_collectstart() -> None:
    """What is collected is no garbage."""
    gc.disable()


def pytest_collection_finish() -> None:
    """From here on as usual: a database that a test forgot to close must not stay open until another file has its
    number."""
    gc.freeze()
    gc.enable()


def _share_out(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Files that take long come first, and whole, so that what their tests share is made once.

    Each worker begins with a part of the list, and the parts are as many as workers. Whoever is done takes the last
    tests of another, and these are short ones.
    """
    workers = getattr(config, "workerinput", {"workercount": 1})["workercount"]
    with_browser = {item.path for item in items if "browser" in getattr(item, "fixturenames", ())}
    names = {path: Path(os.path.relpath(path, TESTS)).as_posix() for path in {item.path for item in items}}
    groups: dict[str, list[pytest.Item]] = {}
    for item in items:
        name = names[item.path]
        is_web = name.startswith("web/")
        groups.setdefault("web" if is_web else "browser" if item.path in with_browser else name, []).append(item)
    takes = {name: SECONDS.get(name, LONG_S * sum(map(_is_long, group))) for name, group in groups.items()}
    parts: list[list[pytest.Item]] = [[] for _ in range(workers)]
    loads = [0] * workers
    for name in sorted(filter(takes.__getitem__, takes), key=lambda name: (-takes[name], name)):
        worker = loads.index(min(loads))
        parts[worker] += groups.pop(name)
        loads[worker] += takes[name]
    short = iter([item for group in groups.values() for item in group])
    ends = [len(items) * worker // workers for worker in range(workers + 1)]
    ordered: list[pytest.Item] = []
    for part, (first, end) in zip(parts, pairwise(ends), strict=True):
        ordered += [*part, *islice(short, max(0, end - first - len(part)))]
    items[:] = [*ordered, *short]


def _is_long(item: pytest.Item) -> bool:
    return item.get_closest_marker("long") is not None


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
