"""Check that no code ignores the `Step` that a method of a session returns.

A step lists what the caller must do, for example send messages. If the caller ignores the step, this is never done.
"""

import ast
from pathlib import Path

import pytest

from tests.support.syntax import nodes_of

ROOT = Path(__file__).parent.parent.parent
SESSION = ROOT / "rails_cli/match/session.py"


def sources() -> list[Path]:
    """Return the files in rails_cli and tests that use a session, and the module of the session itself."""
    files = [*(ROOT / "rails_cli").rglob("*.py"), *(ROOT / "tests").rglob("*.py")]
    return sorted(file for file in files if "session." in file.read_text(encoding="utf-8") or file == SESSION)


def functions_that_return_steps(tree: ast.AST) -> set[str]:
    return {
        node.name
        for node in nodes_of(tree)
        if isinstance(node, ast.FunctionDef) and isinstance(node.returns, ast.Name) and node.returns.id == "Step"
    }


def dropped_steps(tree: ast.AST, methods: set[str], functions: set[str], *, is_session: bool = False) -> list[str]:
    """Return the statements of `tree` that ignore a returned step.

    Such a statement only calls one of `methods` on a session, or one of `functions`, and does not use the result. With
    `is_session`, `tree` is the module of the session, so `self` is a session, too.
    """
    found = []
    for node in nodes_of(tree):
        if not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Call):
            continue
        called = node.value.func
        if isinstance(called, ast.Attribute) and called.attr in methods:
            receiver = ast.unparse(called.value)
            if receiver.endswith("session") or (is_session and receiver == "self"):
                found.append(f"line {node.lineno}: {ast.unparse(node)}")
        elif isinstance(called, ast.Name) and called.id in functions:
            found.append(f"line {node.lineno}: {ast.unparse(node)}")
    return found


def test_every_step_is_used() -> None:
    methods = functions_that_return_steps(ast.parse(SESSION.read_text(encoding="utf-8")))
    assert {"begin", "introduce", "ask", "receive", "chosen", "late", "lost", "give_up", "finish"} <= methods
    functions = functions_that_return_steps(
        ast.parse((ROOT / "rails_cli/players/builtin.py").read_text(encoding="utf-8"))
    )
    assert functions == {"play_builtin"}
    found = []
    for file in sources():
        tree = ast.parse(file.read_text(encoding="utf-8"))
        dropped = dropped_steps(tree, methods, functions, is_session=file == SESSION)
        found += [f"{file.relative_to(ROOT)}, {statement}" for statement in dropped]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("source", "is_dropped"),
    [
        ("session.late()", True),
        ("self.session.finish('interrupted')", True),
        ("if over:\n    hosted.session.late()", True),
        ("play_builtin(session, seat, now)", True),
        ("step = session.late()", False),
        ("carry_out(session.late())", False),
        ("self.connection.late()", False),
    ],
)
def test_a_dropped_step_is_found(source: str, is_dropped: bool) -> None:
    assert bool(dropped_steps(ast.parse(source), {"late", "finish"}, {"play_builtin"})) is is_dropped
