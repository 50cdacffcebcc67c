"""Tests that every rule and worked example of a rule sheet has a test with its id.

Every id in tests and code must be in a rule sheet.
"""

import ast
import re
from importlib import import_module
from pathlib import Path

import pytest

from rails_cli.games import game_names, package_of, rule_sheet
from tests.support.tools import TESTS

MIN_IDS = {"chicago_express": 60, "american_rails": 50, "last_spike": 35}
"""Minimum number of rules and examples by game, to notice a rule sheet that is read incompletely. The default is 15."""


def rule_ids(name: str) -> list[str]:
    """Return the ids of rules and examples in a rule sheet. The ids stand at the start of list items and table rows."""
    return re.findall(r"^(?:- |\| )([A-Z]+-X?\d+)\b", rule_sheet(name), flags=re.MULTILINE)


def ids_with_tests(name: str) -> set[str]:
    (file,) = TESTS.rglob(f"test_{name}.py")
    tree = ast.parse(file.read_text(encoding="utf-8"))
    names = [node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    found = [re.match(r"test_([a-z]{2})_(x?\d+)(?:_|$)", function) for function in names]
    return {f"{match[1]}-{match[2]}".upper() for match in found if match}


@pytest.mark.parametrize("name", game_names())
def test_every_rule_has_a_test(name: str) -> None:
    ids = rule_ids(name)
    assert len(ids) >= MIN_IDS.get(name, 15)
    assert len({id.partition("-")[0] for id in ids}) == 1, "ids of several games"
    assert len(set(ids)) == len(ids), "an id appears twice"
    tested = ids_with_tests(name)
    assert set(ids) - tested == set(), "rules without a test"
    assert tested - set(ids) == set(), "tests of rules that do not exist"


@pytest.mark.parametrize("name", game_names())
def test_rule_ids_in_the_code_exist(name: str) -> None:
    (folder,) = import_module(package_of(name)).__path__
    cited = {
        found
        for file in Path(folder).glob("*.py")
        for found in re.findall(r"\b[A-Z]{2}-X?\d+\b", file.read_text("utf-8"))
    }
    assert cited
    assert cited - set(rule_ids(name)) == set()
