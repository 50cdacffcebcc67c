"""Check that no test module imports another one. Shared code belongs in tests/support."""

import ast
import re
from pathlib import Path

from tests.support.tools import TESTS


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
