"""No test imports a test: what several of them use is in tests/support."""

import ast
import re
from pathlib import Path

from tests.support.tools import TESTS


def imported(file: Path, modules: set[str]) -> set[str]:
    """Those of the modules that a file imports, wherever in it."""
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
    found = {str(file.relative_to(TESTS)): names for file in TESTS.rglob("*.py") if (names := imported(file, modules))}
    assert found == {}, "move what is shared to tests/support"
