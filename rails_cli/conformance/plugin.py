"""A pytest plugin that checks games. Load it with `-p rails_cli.conformance.plugin`.

A test with the fixture `conformance` becomes one test for each case of the games that its marker names:

    @pytest.mark.conformance("wagons")
    def test_conformance(conformance):
        conformance()
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

MARKER = "conformance(*games, extras={}, seeds=1): check these games. `extras` has an `Extras` for games, by name"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--game-logs", metavar="DIR", help="folder for the logs of games that fail a conformance check")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", MARKER)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Generate one test for each case from a test function that uses the fixture `conformance`."""
    if "conformance" in metafunc.fixturenames:
        from rails_cli.conformance.suite import cases_of

        marker = metafunc.definition.get_closest_marker("conformance")
        if marker is None:
            raise pytest.UsageError("the fixture `conformance` needs the marker @pytest.mark.conformance(GAME)")
        cases = cases_of(marker.args, **marker.kwargs)
        metafunc.parametrize("conformance", cases, ids=str, indirect=True)


@pytest.fixture
def conformance(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Callable[[], None]:
    """Return a function that makes one check.

    If the check fails, the function writes a log and fails the test with a report.
    """

    def write(name: str, content: bytes) -> str:
        chosen: Any = request.config.getoption("--game-logs")
        folder = Path(chosen) if chosen else tmp_path_factory.mktemp("game-logs")
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
        return str(folder / name)

    def check() -> None:
        failure = request.param.run(write)
        if failure is not None:
            pytest.fail(f"{failure.check}: {failure}", pytrace=False)

    return check
