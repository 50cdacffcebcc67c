"""Report tests whose result depends on the speed of the machine.

The program reports calls of `sleep`, time limits under one second, and comparisons with the real clock. It examines
Python code, and scripts inside strings. A line with the comment `# timing: REASON` is not reported. To wait for a
condition use `tests.support.waiting.wait_until`.
"""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
NOT_TESTS = ("tests/bench", "tests/arena", "tests/soak.py", "tests/bad_bots")
"""Paths that are not checked: benchmarks, long campaigns, and bots whose purpose is to be slow."""
CLOCKS = {"monotonic", "perf_counter", "time"}
LIMIT = re.compile(r"(^|_)(timeout|patience|within|wait|deadline|delay|interval|window|limit|pace|budget)(_s)?$|_s$")
"""Pattern of names of parameters that hold a time limit in seconds."""
LIMIT_ON_COMMAND_LINE = re.compile(r"^(--(clock|timeout|start-up|patience|delay|limit)\S*=)?0?\.\d+s?(/move)?$")
SUSPICIOUS = re.compile(r"sleep\(|\b(monotonic|perf_counter|time)\(|(?<!\d)0?\.\d|\de-")
"""Pattern of calls and numbers, at least one of which occurs in each file with a problem. Parsing takes longer."""
SLEEP_IN_TEXT = re.compile(r"\bsleep\(\s*0?\.\d")


def main() -> int:
    problems = [problem for file in sorted(ROOT.glob("tests/**/*.py")) for problem in problems_of(file)]
    print("\n".join(problems), end="\n" if problems else "")
    return 1 if problems else 0


def problems_of(file: Path) -> Iterator[str]:
    name = file.relative_to(ROOT).as_posix()
    if name.startswith(NOT_TESTS):
        return
    text = file.read_text(encoding="utf-8")
    if not SUSPICIOUS.search(text):
        return
    lines = text.splitlines()
    for line, problem in sorted(set(_problems(ast.parse(text)))):
        if not re.search(r"# timing: \w", lines[line - 1]):
            yield f"{name}:{line}: {problem}; wait for a condition (tests/support/waiting.py) or add '# timing: REASON'"


def _problems(tree: ast.Module) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _last_name(node.func) == "sleep":
            yield node.lineno, "calls sleep"
        elif isinstance(node, ast.Call):
            for keyword in node.keywords:
                if keyword.arg and LIMIT.search(keyword.arg) and _is_under_a_second(keyword.value):
                    yield keyword.value.lineno, f"{keyword.arg} is under one second"
        elif isinstance(node, ast.Compare) and any(map(_reads_clock, ast.walk(node))):
            yield node.lineno, "compares with the real clock"
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            if LIMIT_ON_COMMAND_LINE.match(node.value):
                yield node.lineno, f"{node.value!r} is a time under one second"
            elif SLEEP_IN_TEXT.search(node.value):
                yield node.lineno, "a script in this text sleeps for less than a second"


def _last_name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _is_under_a_second(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, float | int) and 0 < node.value < 1


def _reads_clock(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and _last_name(node.func) in CLOCKS


if __name__ == "__main__":
    sys.exit(main())
