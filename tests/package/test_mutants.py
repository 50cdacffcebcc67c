"""Tests of the mutation test in tests/mutants.py: the changes it makes and how it describes them."""

from pathlib import Path

import pytest

from tests import mutants

SOURCE = '''"""Docstring."""


def minimum(state: int | None, held: list[int]) -> int:
    """Docstring."""
    assert held
    if not state:
        return 0
    held.sort()
    return call(state + 1, max(held, state), [share for share in held if share < 2])
'''
CALL = "return call(state + 1, max(held, state), [share for share in held if share < 2])"
CHANGES = {
    "7: if not state: -> if state:",
    "7: if not state: -> removed",
    "8: return 0 -> return 1",
    "8: return 0 -> return -1",
    "9: held.sort() -> removed",
    f"10: {CALL} -> return None",
    f"10: {CALL} -> {CALL.replace('state + 1', 'state - 1')}",
    f"10: {CALL} -> {CALL.replace('+ 1', '+ 2')}",
    f"10: {CALL} -> {CALL.replace('+ 1', '+ 0')}",
    f"10: {CALL} -> {CALL.replace('share < 2', 'share <= 2')}",
    f"10: {CALL} -> {CALL.replace('if share < 2', 'if not share < 2')}",
    f"10: {CALL} -> {CALL.replace('< 2', '< 3')}",
    f"10: {CALL} -> {CALL.replace('< 2', '< 1')}",
    f"10: {CALL} -> return call(max(held, state), state + 1, [share for share in held if share < 2])",
    f"10: {CALL} -> return call(state + 1, [share for share in held if share < 2], max(held, state))",
}


def test_all_changes_of_a_module_are_drawn_and_described(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "module.py"
    file.write_text(SOURCE, encoding="utf-8")
    monkeypatch.setattr(mutants, "ROOT", tmp_path)
    group = mutants.Group("module", ("module.py",), ())
    drawn = mutants.draw({group: [file]}, 1_000, seed=1)
    assert {str(mutant) for mutant in drawn} == {f"module.py:{change}" for change in CHANGES}
    assert len(drawn) == len(CHANGES)
    some = [str(mutant) for mutant in mutants.draw({group: [file]}, 5, seed=1)]
    assert some == [str(mutant) for mutant in mutants.draw({group: [file]}, 5, seed=1)]
    assert len(some) == 5
