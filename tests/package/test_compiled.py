"""Tests of the build with mypyc: which modules are compiled, with which settings, and that games are identical."""

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

from rails_cli import __version__
from tests.support.tools import GOLDEN, NOT_INSTALLED, ROOT
from tests.support.waiting import HANG_S

HOOK = runpy.run_path(str(ROOT / ".ci" / "compile.py"))
CONTENT_PROBLEMS = runpy.run_path(str(ROOT / ".ci" / "dist.py"))["content_problems"]
MODULES = sorted(path for paths in HOOK["GROUPS"].values() for path in paths)
BOARD = ROOT / "rails_cli" / "games" / "last_spike" / "board.json"
SAMPLE = sorted(path for paths in HOOK["SAMPLE"].values() for path in paths)
GAMES = 2
SETTINGS = [
    ["last_spike", "--players", "4", "--policy", "busy"],
    ["last_spike", "--players", "5", "--option", "cash=hidden", "--board", str(BOARD)],
]


BUILD_WHEEL = "import sys; from hatchling.build import build_wheel; build_wheel(sys.argv[1])"
"""Python code that builds a wheel with the same call that pip uses."""
PYTEST_VARIABLES = ("PYTEST_ADDOPTS", "PYTEST_PLUGINS")
"""Environment variables that configure pytest. They are removed for the compiled program."""


def build(folder: Path, compile_value: str, **more: str) -> subprocess.CompletedProcess[str]:
    """Build a wheel into `folder` as `pip install .` does. RAILS_CLI_COMPILE is set to `compile_value`."""
    return subprocess.run(
        [sys.executable, "-c", BUILD_WHEEL, str(folder)],
        cwd=ROOT,
        env={**os.environ, "RAILS_CLI_COMPILE": compile_value, **more},
        capture_output=True,
        text=True,
        check=False,
        timeout=HANG_S,
    )


def built(folder: Path) -> dict[str, str]:
    """Compile some modules into `folder` without optimisation. Return an environment in which Python imports them."""
    if HOOK["what_is_lacking"]():
        pytest.skip(f"{NOT_INSTALLED}a C compiler with Python.h")
    made = build(folder / "wheels", "quick")
    assert made.returncode == 0, made.stdout + made.stderr
    (wheel,) = (folder / "wheels").glob("*.whl")
    with zipfile.ZipFile(wheel) as content:
        content.extractall(folder / "site")
    return environment(folder / "site")


def environment(path: Path) -> dict[str, str]:
    """Return an environment in which Python imports the program from `path`."""
    kept = {name: value for name, value in os.environ.items() if name not in PYTEST_VARIABLES}
    return {**kept, "PYTHONPATH": str(path)}


def run(environment: dict[str, str], code: str) -> str:
    """Run `code` with `environment` and return its output.

    Python imports the package from the path in `environment`, because the working directory does not contain it.
    """
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
    """Run rails-cli commands, and then compute observations, in one process. Return the last line of each output.

    The line about observations says whether they are computed in C, and has a hash of the arrays of some batches. One
    more line names the modules in `SAMPLE` that are not compiled. The process also runs the test that positions can be
    sent to other processes.
    """
    names = [path.removesuffix(".py").replace("/", ".") for path in SAMPLE]
    lines = run(environment, COMMANDS.format(commands=commands, names=names)).splitlines()
    return [lines[number - 1] for number, line in enumerate(lines) if line == DONE]


DONE = "-- done --"
COMMANDS = f"""
import importlib, sys
from rails_cli.cli import main
for command in {{commands}}:
    try:
        main(command, standalone_mode=False)
    except SystemExit as end:
        if end.code:
            raise
    print({DONE!r})
sys.path.append({str(ROOT)!r})
from tests.support.observations import hash_of_arrays
print("rails_cli.games.expansion" in sys.modules, hash_of_arrays(5))
print({DONE!r})
from rails_cli.conformance.suite import cases_of
case, = [case for case in cases_of(["last_spike"]) if case.check.name == "positions_can_be_sent_to_other_processes"]
assert case.run() is None
print(*(name for name in {{names}} if not importlib.import_module(name).__file__.endswith(".so")))
print({DONE!r})
"""


@pytest.mark.parametrize("path", MODULES)
def test_compiled_modules_have_no_class_keywords_or_decorators(path: str) -> None:
    """No compiled module has a class with keywords or decorators.

    mypyc ignores these, so for example a msgspec Struct would lose its tag.
    """
    for node in ast.walk(ast.parse((ROOT / path).read_text(encoding="utf-8"))):
        if isinstance(node, ast.ClassDef):
            assert not node.keywords, f"{path}: class {node.name} has options"
            assert not node.decorator_list, f"{path}: class {node.name} has decorators"
            bases = {part.attr for base in node.bases for part in ast.walk(base) if isinstance(part, ast.Attribute)}
            assert "Struct" not in bases, f"{path}: class {node.name} is a Struct"


@pytest.mark.parametrize("path", MODULES)
def test_compiled_modules_add_no_two_sums_without_a_start(path: str) -> None:
    """Check that no expression adds two `sum(...)` calls that have no start value.

    mypy infers float or int for such a call, and mypyc then raises a TypeError for the second call. Write `sum(amounts,
    0.0)` instead.
    """
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


def test_the_compiled_program_behaves_the_same(tmp_path: Path) -> None:
    """The program from sources and the compiled program write identical logs, summaries and observations.

    Both verify the logs that the program from sources writes. All checks are in one test, because compiling takes long.
    `make test-compiled` compiles and tests everything.
    """
    logs, sums, versions, arrays, interpreted = [], [], [], [], []
    for name, where in (("sources", environment(ROOT)), ("compiled", built(tmp_path))):
        commands = [["--version"]]
        for number, setting in enumerate(SETTINGS):
            place = str(tmp_path / name / str(number))
            sampled = ["--games", str(GAMES), "--seed", "11", "--log-dir", place, "--workers", "1"]
            commands.append(["simulate", *setting, *sampled, "--json"])
        commands.append(["verify", *(str(tmp_path / "sources" / str(number)) for number in range(len(SETTINGS)))])
        version, *outputs, _, observed, pure = run_commands(where, *commands)
        versions.append(version.endswith(" (compiled)"))
        arrays.append(observed.split())
        interpreted.append(len(pure.split()))
        sums.append([{key: value for key, value in json.loads(line).items() if key != "timing"} for line in outputs])
        logs.append(
            {str(log.relative_to(tmp_path / name)): log.read_bytes() for log in (tmp_path / name).rglob("*.jsonl")}
        )
    assert versions == [False, True]
    assert interpreted == [len(SAMPLE), 0]
    assert [is_in_c for is_in_c, _ in arrays] == ["False", "True"]
    assert arrays[0][1] == arrays[1][1]
    assert len(logs[0]) == GAMES * len(SETTINGS)
    assert logs[0] == logs[1]
    assert sums[0] == sums[1]


def test_nothing_is_compiled_by_default(tmp_path: Path) -> None:
    made = build(tmp_path, "")
    assert made.returncode == 0, made.stdout + made.stderr
    (wheel,) = tmp_path.glob("*.whl")
    assert wheel.name.endswith("-py3-none-any.whl")
    assert CONTENT_PROBLEMS(wheel) == []
    with zipfile.ZipFile(wheel) as content:
        names = content.namelist()
        (sbom,) = (name for name in names if name.endswith(".dist-info/sboms/rails-cli.cdx.json"))
        bill = json.loads(content.read(sbom))
    protocol = sorted(name for name in names if name.startswith("rails_cli/protocol/") and name.endswith(".py"))
    assert protocol == sorted(f"rails_cli/protocol/{file.name}" for file in ROOT.glob("protocol/*.py"))
    assert (bill["bomFormat"], bill["metadata"]["component"]["version"]) == ("CycloneDX", __version__)
    listed = {part["name"] for part in bill["components"]}
    assert {"Archivo (font)", "Besley (font)", "click", "msgspec"} < listed
    assert "mypyc runtime library" not in listed
    with zipfile.ZipFile(wheel, "a") as content:
        content.writestr("rails_cli/tests/test_it.py", "")
        content.writestr("other/__init__.py", "")
    assert CONTENT_PROBLEMS(wheel) == ["rails_cli/tests/test_it.py is unwanted", "other is outside the package"]


def test_an_unknown_value_of_the_compile_variable_is_refused(tmp_path: Path) -> None:
    made = build(tmp_path, "please")
    assert made.returncode != 0
    assert "RAILS_CLI_COMPILE is 'please'; expected 1, quick, 0 or nothing" in made.stdout + made.stderr
    assert list(tmp_path.iterdir()) == []


FALSE = shutil.which("false") or ""


def test_a_failing_compiler_is_reported_and_leaves_no_files(tmp_path: Path) -> None:
    (tmp_path / "made").mkdir()
    made = build(tmp_path / "wheels", "quick", CC=FALSE, TMPDIR=str(tmp_path / "made"))
    assert made.returncode != 0
    assert f"RAILS_CLI_COMPILE: {FALSE} cannot compile a file that includes Python.h" in made.stdout + made.stderr
    assert list((tmp_path / "made").iterdir()) == []


def test_a_missing_compiler_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "no-such-cc")
    assert "there is no C compiler no-such-cc here" in HOOK["what_is_lacking"]()
