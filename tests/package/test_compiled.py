"""The compiled program is the same program: what is compiled, how it is built, and games that come out alike."""

import ast
import json
import os
import runpy
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.support.tools import GOLDEN, NOT_INSTALLED, ROOT, TESTS
from tests.support.waiting import HANG_S

HOOK = runpy.run_path(str(ROOT / ".ci" / "compile.py"))
MODULES = sorted(path for paths in HOOK["GROUPS"].values() for path in paths)
BOARD = ROOT / "rails_cli" / "games" / "last_spike" / "board.json"
SAMPLE = sorted(path for paths in HOOK["SAMPLE"].values() for path in paths)
GAMES = 20
SETTINGS = [
    ["last_spike", "--players", "4", "--policy", "busy"],
    ["last_spike", "--players", "5", "--option", "cash=hidden", "--board", str(BOARD)],
]


AS_PIP_DOES = "import sys; from hatchling.build import build_wheel; build_wheel(sys.argv[1])"
"""The call that pip makes to build a wheel."""
FOR_PYTEST = ("PYTEST_ADDOPTS", "PYTEST_PLUGINS")
"""Variables for the pytest of these tests. The tests that run compiled have a PYTHONPATH without its plugins."""


def build(folder: Path, wish: str, **more: str) -> subprocess.CompletedProcess[str]:
    """Build a wheel as `pip install .` does, with the packages that are installed here."""
    return subprocess.run(
        [sys.executable, "-c", AS_PIP_DOES, str(folder)],
        cwd=ROOT,
        env={**os.environ, "RAILS_CLI_COMPILE": wish, **more},
        capture_output=True,
        text=True,
        check=False,
        timeout=HANG_S,
    )


def built(folder: Path) -> dict[str, str]:
    """Compile the rules of one game, not optimised, and return an environment in which Python finds them."""
    if HOOK["what_is_lacking"]():
        pytest.skip(f"{NOT_INSTALLED}a C compiler with Python.h")
    made = build(folder / "wheels", "quick")
    assert made.returncode == 0, made.stdout + made.stderr
    (wheel,) = (folder / "wheels").glob("*.whl")
    with zipfile.ZipFile(wheel) as content:
        content.extractall(folder / "site")
    return environment(folder / "site")


def environment(path: Path) -> dict[str, str]:
    """Return the environment of a Python that imports the program from `path`."""
    kept = {name: value for name, value in os.environ.items() if name not in FOR_PYTEST}
    return {**kept, "PYTHONPATH": str(path)}


def run(environment: dict[str, str], code: str) -> str:
    """Run `code` in a folder without a package, so that Python imports the program that `environment` names."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=environment,
        cwd=GOLDEN,
        capture_output=True,
        text=True,
        check=False,
        timeout=HANG_S,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def run_commands(environment: dict[str, str], *commands: list[str]) -> list[str]:
    """Run commands of rails-cli one after the other in one process, and return the last line of each one's output."""
    lines = run(environment, COMMANDS.format(commands=commands)).splitlines()
    return [lines[number - 1] for number, line in enumerate(lines) if line == DONE]


DONE = "-- done --"
COMMANDS = f"""
from rails_cli.cli import main
for command in {{commands}}:
    main(command, standalone_mode=False)
    print({DONE!r})
"""


@pytest.mark.parametrize("path", MODULES)
def test_what_is_compiled_has_no_classes_with_options(path: str) -> None:
    """mypyc drops what is given to a class besides its bases: a Struct would lose its tag."""
    for node in ast.walk(ast.parse((ROOT / path).read_text(encoding="utf-8"))):
        if isinstance(node, ast.ClassDef):
            assert not node.keywords, f"{path}: class {node.name} has options"
            assert not node.decorator_list, f"{path}: class {node.name} has decorators"
            bases = {part.attr for base in node.bases for part in ast.walk(base) if isinstance(part, ast.Attribute)}
            assert "Struct" not in bases, f"{path}: class {node.name} is a Struct"


@pytest.mark.parametrize("path", MODULES)
def test_what_is_compiled_has_no_two_sums_at_one_operator(path: str) -> None:
    """mypy takes a sum of floats for float or int, and so the second one for int: mypyc then refuses what it comes to.
    With a start, `sum(amounts, 0.0)`, it is a float."""
    for node in ast.walk(ast.parse((ROOT / path).read_text(encoding="utf-8"))):
        operands: list[ast.expr] = []
        if isinstance(node, ast.BinOp):
            operands = [node.left, node.right]
        elif isinstance(node, ast.Compare):
            operands = [node.left, *node.comparators]
        sums = [operand.lineno for operand in operands if is_sum_without_start(operand)]
        assert len(sums) < 2, f"{path}:{sums[0]}: two sums without a start"


def is_sum_without_start(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and ast.unparse(node.func) == "sum" and len(node.args) == 1 and not node.keywords


def test_the_compiled_program_is_the_same(tmp_path: Path) -> None:
    """A sample, in one test, because to compile takes long; `make test-compiled` compiles all and runs all tests."""
    compiled, sources = built(tmp_path), environment(ROOT)
    names = [path.removesuffix(".py").replace("/", ".") for path in SAMPLE]
    files = run(compiled, f"import importlib; [print(importlib.import_module(name).__file__) for name in {names}]")
    assert [line for line in files.splitlines() if not line.endswith(".so")] == []
    games_come_out_alike(sources, compiled, tmp_path)
    the_same_tests_pass(compiled)


def games_come_out_alike(sources: dict[str, str], compiled: dict[str, str], folder: Path) -> None:
    """The logs and the sums of the same games are the same, and the compiled program verifies logs of the other."""
    logs, sums, versions = [], [], []
    for name, where in (("sources", sources), ("compiled", compiled)):
        commands = [["--version"]]
        for number, setting in enumerate(SETTINGS):
            place = str(folder / name / str(number))
            sampled = ["--games", str(GAMES), "--seed", "11", "--log-dir", place, "--workers", "1"]
            commands.append(["simulate", *setting, *sampled, "--json"])
        commands.append(["verify", *(str(folder / "sources" / str(number)) for number in range(len(SETTINGS)))])
        version, *told, _ = run_commands(where, *commands)
        versions.append(version.endswith(" (compiled)"))
        sums.append([{key: value for key, value in json.loads(line).items() if key != "timing"} for line in told])
        logs.append({str(log.relative_to(folder / name)): log.read_bytes() for log in (folder / name).rglob("*.jsonl")})
    assert versions == [False, True]
    assert len(logs[0]) == GAMES * len(SETTINGS)
    assert logs[0] == logs[1]
    assert sums[0] == sums[1]


def the_same_tests_pass(compiled: dict[str, str]) -> None:
    """Of records, rules and when a search stops, as far as they are about what is compiled."""
    files = [f"games/{name}.py" for name in ("test_recorded", "test_golden", "test_perft", "rules/test_last_spike")]
    stops = "players/search/test_look_ahead.py::test_the_best_at_first_sight_is_clear_sooner_than_another"
    chosen = "last_spike or first_sight"
    words = ["--import-mode=append", f"--rootdir={ROOT}", "-p", "no:cacheprovider", "-k", chosen]
    words += [str(TESTS / name) for name in (*files, stops)]
    told = run(compiled, RUN_TESTS.format(words=words))
    assert " passed" in told
    assert told.strip().endswith(".so")


RUN_TESTS = """
import sys, pytest
if code := pytest.main({words}):
    sys.exit(code)
from tests.games import test_any_game
test_any_game.test_a_position_and_its_board_go_to_other_processes("last_spike")
print(sys.modules["rails_cli.match.match"].__file__)
"""
"""Collecting all tests of a file takes longer than its only test that is run here. So that one is called."""


def test_without_a_wish_nothing_is_compiled(tmp_path: Path) -> None:
    made = build(tmp_path, "")
    assert made.returncode == 0, made.stdout + made.stderr
    (wheel,) = tmp_path.glob("*.whl")
    assert wheel.name.endswith("-py3-none-any.whl")
    with zipfile.ZipFile(wheel) as content:
        names = content.namelist()
    assert not any(name.endswith(".so") for name in names)
    assert {name.partition("/")[0] for name in names if not name.startswith("rails_cli-")} == {"rails_cli"}
    protocol = sorted(name for name in names if name.startswith("rails_cli/protocol/") and name.endswith(".py"))
    assert protocol == sorted(f"rails_cli/protocol/{file.name}" for file in ROOT.glob("protocol/*.py"))


def test_a_wish_that_is_not_known_is_refused(tmp_path: Path) -> None:
    made = build(tmp_path, "please")
    assert made.returncode != 0
    assert "RAILS_CLI_COMPILE is 'please'; expected 1, quick, 0 or nothing" in made.stdout + made.stderr
    assert list(tmp_path.iterdir()) == []


FALSE = shutil.which("false") or ""


def test_a_compiler_that_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "made").mkdir()
    made = build(tmp_path / "wheels", "quick", CC=FALSE, TMPDIR=str(tmp_path / "made"))
    assert made.returncode != 0
    assert f"RAILS_CLI_COMPILE: {FALSE} cannot compile a file that includes Python.h" in made.stdout + made.stderr
    assert list((tmp_path / "made").iterdir()) == []


def test_a_compiler_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "no-such-cc")
    assert "there is no C compiler no-such-cc here" in HOOK["what_is_lacking"]()
