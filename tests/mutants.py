"""Mutation test: change one place in the program at a time, and list the changes that no test detects.

Run `python -m tests.mutants [--seed N] [--count N] [--jobs N] [FILE...]`. The same seed selects the same mutants. A
mutant is the program with one change. A mutant that no test detects either behaves like the original or shows that a
test is missing.

Modules are divided into groups, each with its tests (see `Group`). Without FILE, each group gets an equal part of the
sample. A FILE must belong to a group.

Each mutant runs in a forked process. Its import system compiles the changed module, so no file is changed. Programs
that tests start import the original, so the groups leave such tests out.

Maintained tools (mutmut 3, cosmic-ray, pytest-gremlins) do not select a sample with a seed, and do not remove
statements.
"""

import argparse
import ast
import importlib.util
import os
import random
import resource
import shlex
import signal
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from importlib.machinery import ModuleSpec, SourceFileLoader
from itertools import islice, pairwise
from pathlib import Path
from types import CodeType
from typing import Any, NamedTuple

import click  # noqa: F401  imported once here, so that no forked process has to
import msgspec  # noqa: F401
import pytest

ROOT = Path(__file__).parent.parent
MEMORY_BYTES = 4 << 30
"""Limit of the address space of a mutant in bytes. The limit ends endless loops that allocate memory."""
TEST_CPU_S = 10
"""CPU seconds for one test. If a test uses more, its mutant counts as detected.

Without a mutation, every test of the groups needs less than a third of this.
"""
SURVIVED, KILLED = 0, 1
OPTIONS = ("-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "--tb=no")


class Group(NamedTuple):
    """Some modules to mutate, and the tests that must detect their mutants."""

    name: str
    files: tuple[str, ...]
    """Glob patterns of the modules, relative to the root of the repository."""
    stages: tuple[tuple[str, ...], ...]
    """Lists of arguments for pytest, one for each stage. The next stage runs only if no test has detected the mutant.
    """


def group_of_game(name: str) -> Group:
    rules = ("rules", "network", "income", "end", "state", "moves", "view")
    suites = [f"tests/games/test_{suite}.py" for suite in ("any_game", "recorded", "golden", "perft", "hidden")]
    boards = [f"tests/games/boards/test_{file}.py" for file in (f"{name}_board", "board_files")]
    return Group(
        name,
        tuple(f"rails_cli/games/{name}/{module}.py" for module in rules),
        (
            (f"tests/games/rules/test_{name}.py",),
            (*suites, *boards, "--quick", "-k", f"{name} and not hash_seed"),
            ("tests/games/test_compound_moves.py",),
        ),
    )


GROUPS = (
    *map(group_of_game, ("chicago_express", "american_rails", "last_spike")),
    Group(
        "shared",
        ("rails_cli/games/shared/*.py",),
        (
            ("tests/games/rules",),
            ("tests/games/test_recorded.py", "tests/games/test_golden.py", "-k", "not hash_seed"),
            ("tests/games/test_any_game.py", "tests/games/test_compound_moves.py", "tests/games/boards", "--quick"),
        ),
    ),
    Group(
        "match",
        (
            *(f"rails_cli/match/{module}.py" for module in ("clock", "course", "match", "session")),
            *(f"rails_cli/logs/{module}.py" for module in ("chain", "reading", "replay", "resume", "verify")),
        ),
        (
            ("tests/match/test_clock.py", "tests/match/test_match.py"),
            ("tests/match/test_session.py", "-k", "not same_log"),
            ("tests/games/test_golden.py", "tests/logs/test_seals.py", "-k", "not hash_seed and not resumption"),
            ("tests/match/test_openings.py", "-k", "tampered or another_version or newer or replays or marks"),
        ),
    ),
    Group(
        "schedules",
        tuple(
            f"rails_cli/tournament/schedule/{module}.py" for module in ("format", "designs", "seatings", "formats/*")
        ),
        (
            ("tests/tournament/schedule/test_schedule.py", "-k", "not hash_seed and not forty"),
            ("tests/tournament/rating/test_forfeits.py",),
        ),
    ),
    Group(
        "ratings",
        ("rails_cli/tournament/rating/*.py",),
        (
            ("tests/tournament/rating/test_standings.py",),
            (
                "tests/tournament/rating/test_ratings.py",
                "-k",
                "not seed_of_hashes and not handicapped and not intervals",
            ),
        ),
    ),
)


# Mutations

Edit = Callable[[], None]
"""Function that applies one mutation to the syntax tree of a module."""
OPPOSITES = ((ast.Lt, ast.LtE), (ast.Gt, ast.GtE), (ast.Eq, ast.NotEq), (ast.Is, ast.IsNot), (ast.In, ast.NotIn))
COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {a: b for pair in OPPOSITES for a, b in (pair, pair[::-1])}
INVERSES = ((ast.Add, ast.Sub), (ast.Mult, ast.FloorDiv), (ast.BitOr, ast.BitAnd), (ast.LShift, ast.RShift))
ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    **{a: b for pair in INVERSES for a, b in (pair, pair[::-1])},
    ast.Div: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.Pow: ast.Mult,
    ast.BitXor: ast.BitOr,
}
SIMPLE = (ast.Assign, ast.AugAssign, ast.Delete, ast.Expr, ast.Raise, ast.Break, ast.Continue)
REMOVABLE = (*SIMPLE, ast.If, ast.For, ast.While)
UNTOUCHED = (ast.Assert, ast.Raise, ast.JoinedStr, ast.Import, ast.ImportFrom)
"""Types of syntax nodes whose parts are not mutated: internal checks, texts and imports."""
NOT_RUN = ("annotation", "returns", "decorator_list")
"""Fields of syntax nodes that are not mutated, because they do not affect the result."""


def mutations(tree: ast.Module) -> Iterator[tuple[ast.AST, ast.AST, Edit]]:
    """Yield every mutation of a module in a fixed order: the changed node, the statement around it, and the edit."""
    for node, statement in _walk(tree, tree):
        for edit in _edits(node):
            yield node, statement, edit
        for field in ("body", "orelse", "finalbody"):
            value = getattr(node, field, None)
            block: list[Any] = value if isinstance(value, list) else []  # the body of a lambda is an expression
            for place, inner in enumerate(block):
                is_docstring = isinstance(inner, ast.Expr) and isinstance(inner.value, ast.Constant)
                if isinstance(inner, REMOVABLE) and not is_docstring:
                    yield inner, inner, _replacing(block, place, ast.Pass())


def _edits(node: ast.AST) -> Iterator[Edit]:
    match node:
        case ast.Compare():
            for place, operator in enumerate(node.ops):
                yield _replacing(node.ops, place, COMPARISONS[type(operator)]())
        case ast.BinOp() | ast.AugAssign() if type(node.op) in ARITHMETIC:
            yield _setting(node, "op", ARITHMETIC[type(node.op)]())
        case ast.BoolOp():
            yield _setting(node, "op", ast.Or() if isinstance(node.op, ast.And) else ast.And())
        case ast.If() | ast.While() | ast.IfExp():
            yield _setting(node, "test", _negated(node.test))
        case ast.comprehension():
            for place, test in enumerate(node.ifs):
                yield _replacing(node.ifs, place, _negated(test))
        case ast.Constant(value=bool()):
            yield _setting(node, "value", not node.value)
        case ast.Constant(value=int(number)):
            yield _setting(node, "value", number + 1)
            yield _setting(node, "value", number - 1)
        case ast.Return(value=ast.Compare() | ast.BoolOp() as value):
            yield _setting(node, "value", _negated(value))
        case ast.Return(value=ast.expr() as value) if not isinstance(value, ast.Constant):
            yield _setting(node, "value", ast.Constant(None))
        case ast.Call(func=ast.Name("min" | "max")):
            pass  # their result does not depend on the order of arguments
        case ast.Call():
            for place, (left, right) in enumerate(pairwise(node.args)):
                if ast.dump(left) != ast.dump(right):
                    yield _replacing(node.args, slice(place, place + 2), [right, left])


def _walk(node: ast.AST, statement: ast.AST) -> Iterator[tuple[ast.AST, ast.AST]]:
    """Yield the nodes to mutate, each with the statement that contains it."""
    statement = node if isinstance(node, ast.stmt) else statement
    yield node, statement
    if not isinstance(node, UNTOUCHED):
        for field, value in ast.iter_fields(node):
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST) and field not in NOT_RUN:
                    yield from _walk(child, statement)


def _negated(test: ast.expr) -> ast.expr:
    is_negative = isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)
    return test.operand if isinstance(test, ast.UnaryOp) and is_negative else ast.UnaryOp(ast.Not(), test)


def _replacing(nodes: list[Any], place: Any, new: object) -> Edit:
    return lambda: nodes.__setitem__(place, new)


def _setting(node: ast.AST, field: str, value: object) -> Edit:
    return lambda: setattr(node, field, value)


class Mutant:
    """A mutant of a file, given by the index `number` in the result of `mutations`."""

    def __init__(self, group: Group, file: Path, number: int) -> None:
        self.group, self.file = group, file
        self.tree = ast.parse(file.read_text(encoding="utf-8"))
        node, statement, edit = next(islice(mutations(self.tree), number, None))
        before = _first_line(statement)
        edit()
        ast.fix_missing_locations(self.tree)
        after = _first_line(statement)
        self.line: int = getattr(node, "lineno", 0) or getattr(statement, "lineno", 0)
        self.change = f"{before} -> {'removed' if after == before else after}"

    def __str__(self) -> str:
        return f"{self.file.relative_to(ROOT)}:{self.line}: {self.change}"


def _first_line(statement: ast.AST) -> str:
    return ast.unparse(statement).splitlines()[0]


def draw(groups: dict[Group, list[Path]], count: int, seed: int) -> list[Mutant]:
    """Return a random sample of `count` mutants, in equal parts from each group.

    If a group has fewer mutants than its part, the sample contains all of them.
    """
    drawn = []
    for place, (group, files) in enumerate(groups.items()):
        every = [
            (file, number)
            for file in files
            for number in range(sum(1 for _ in mutations(ast.parse(file.read_text("utf-8")))))
        ]
        part = (count * (place + 1)) // len(groups) - count * place // len(groups)
        chance = random.Random(f"{seed} {group.name}")
        drawn += [Mutant(group, *choice) for choice in sorted(chance.sample(every, min(part, len(every))))]
    return drawn


# Runs


class MutantLoader(SourceFileLoader):
    """Import hook that loads the mutated module from its syntax tree. Other modules are imported as usual."""

    def __init__(self, mutant: Mutant) -> None:
        parts = mutant.file.relative_to(ROOT).with_suffix("").parts
        super().__init__(".".join(parts[:-1] if parts[-1] == "__init__" else parts), str(mutant.file))
        self.code = compile(mutant.tree, mutant.file, "exec")

    def find_spec(self, fullname: str, path: object = None, target: object = None) -> ModuleSpec | None:
        return (
            importlib.util.spec_from_file_location(fullname, self.path, loader=self) if fullname == self.name else None
        )

    def get_code(self, fullname: str) -> CodeType:
        return self.code


class CpuLimit:
    """pytest plugin that ends the process if a test uses more than `TEST_CPU_S` seconds of CPU time."""

    def pytest_runtest_logstart(self) -> None:
        signal.setitimer(signal.ITIMER_VIRTUAL, TEST_CPU_S)


def start(group: Group, mutant: Mutant | None) -> int:
    """Run the tests of a group in a forked process. Return the process id.

    The process imports the mutated module, or only originals if `mutant` is None.
    """
    process = os.fork()
    if process:
        return process
    status = KILLED
    try:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
        signal.setitimer(signal.ITIMER_VIRTUAL, TEST_CPU_S)
        nowhere = os.open(os.devnull, os.O_RDWR)
        for stream in range(3):
            os.dup2(nowhere, stream)
        if mutant:
            sys.meta_path.insert(0, MutantLoader(mutant))
        if not any(pytest.main([*OPTIONS, *stage], plugins=[CpuLimit()]) for stage in group.stages):
            status = SURVIVED
    finally:
        os._exit(status)


def run(mutants: list[Mutant], jobs: int) -> Iterator[tuple[Mutant, bool]]:
    """Run all mutants in `jobs` processes. Yield pairs of a mutant and whether it survived, in order of completion.

    First check that the tests pass without a mutant.
    """
    groups = dict.fromkeys(mutant.group for mutant in mutants)
    waiting = iter([*((group, None) for group in groups), *((mutant.group, mutant) for mutant in mutants)])
    running: dict[int, tuple[Group, Mutant | None]] = {}
    while True:
        for group, mutant in islice(waiting, jobs - len(running)):
            running[start(group, mutant)] = group, mutant
        if not running:
            return
        process, status = os.wait()
        group, mutant = running.pop(process)
        if mutant:
            yield mutant, status == SURVIVED
        elif status != SURVIVED:
            words = "; ".join(f"pytest -x {shlex.join(stage)}" for stage in group.stages)
            sys.exit(f"the tests of {group.name} fail without a mutation: {words}")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seed", type=int, default=1, help="draws the sample (default 1)")
    parser.add_argument("--count", type=int, default=280, help="mutants in total (default 280)")
    parser.add_argument(
        "--jobs", type=int, default=os.cpu_count() or 1, help="processes at once (default one per core)"
    )
    parser.add_argument(
        "files", nargs="*", metavar="FILE", type=Path, help="modules to mutate (default those of all groups)"
    )
    given = parser.parse_args()
    named = [file.resolve() for file in given.files]
    os.chdir(ROOT)
    owned = {group: [file for pattern in group.files for file in sorted(ROOT.glob(pattern))] for group in GROUPS}
    groups = {} if named else owned
    for file in named:
        own = [group for group, files in owned.items() if file in files]
        beside = [group for group, files in owned.items() if file.parent in {other.parent for other in files}]
        if not own + beside:
            parser.error(f"{file} is not in the folder of a group")
        groups.setdefault((own + beside)[0], []).append(file)
    drawn = draw(groups, given.count, given.seed)
    survivors = Counter[str]()
    for done, (mutant, has_survived) in enumerate(run(drawn, given.jobs), 1):
        if has_survived:
            survivors[mutant.group.name] += 1
            print(mutant, flush=True)
        if done % 20 == 0:
            print(f"{done} of {len(drawn)} mutants", file=sys.stderr, flush=True)
    for name, tried in Counter(mutant.group.name for mutant in drawn).items():
        print(f"{name}: {tried} mutants, {survivors[name]} survived")


if __name__ == "__main__":
    main()
