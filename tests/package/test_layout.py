"""Check the sizes of modules and classes, and that no test module imports another one."""

import ast
import re
from pathlib import Path

from tests.support.tools import ROOT, TESTS

MOST_LINES = 700
MOST_METHODS = 40


def imported_modules(file: Path, modules: set[str]) -> set[str]:
    text = file.read_text(encoding="utf-8")
    if modules.isdisjoint(re.findall(r"\btest_\w+", text)):
        return set()
    names = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom):
            names.add(node.module or "")
        if isinstance(node, ast.Import | ast.ImportFrom):
            names |= {alias.name for alias in node.names}
    return {name.rpartition(".")[2] for name in names} & modules


def test_no_test_is_imported() -> None:
    modules = {file.stem for file in TESTS.rglob("test_*.py")}
    found = {
        str(file.relative_to(TESTS)): names
        for file in TESTS.rglob("*.py")
        if (names := imported_modules(file, modules))
    }
    assert found == {}, "move shared code to tests/support"


def test_no_module_or_class_is_too_large() -> None:
    found = []
    for file in (ROOT / "rails_cli").rglob("*.[pj][ys]"):
        text = file.read_text(encoding="utf-8")
        if (lines := text.count("\n")) > MOST_LINES:
            found.append(f"{file.name}: {lines} lines")
        for part in re.split(r"^(?=\S)", text, flags=re.MULTILINE):
            methods = len(re.findall(r"^    (?:async )?def ", part, re.MULTILINE))
            if part.startswith("class ") and methods > MOST_METHODS:
                found.append(f"{file.name}: {methods} methods of {part.splitlines()[0]}")
    assert found == [], f"expected at most {MOST_LINES} lines and {MOST_METHODS} methods"
