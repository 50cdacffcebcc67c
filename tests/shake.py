"""Run the test suite repeatedly under load and in random order, and report every test that failed at least once.

`python -m tests.shake --runs 10` (or `make shake`). Each run has a seed for the order of tests and one kind of load:

busy     six processes that use the processor all the time run next to the suite
one_core the suite and all its processes share one core
niced    the suite has the lowest priority, so that everything else on the machine delays it
"""

import argparse
import os
import resource
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple
from xml.etree import ElementTree

ROOT = Path(__file__).parent.parent
BUSY = [sys.executable, "-c", "while True: pass"]


class Load(NamedTuple):
    """A way to slow down a run of the test suite.

    `busy_processes` is the number of processes that use the processor all the time while the suite runs.
    """

    busy_processes: int
    prepare: Callable[[], object]
    """Function that limits its process, for example to one core. The child process calls it before it runs pytest."""


class Run(NamedTuple):
    """Result of one run of the test suite.

    `seed` determined the order of the tests, and `kind` is the name of the load. `cpu_s` is the CPU time of the suite.
    `passed` is the number of tests that passed.
    """

    seed: int
    kind: str
    wall_s: float
    cpu_s: float
    passed: int
    failed: list[str]
    """Names of the failed tests, or one line that says why the run has no result."""

    def __str__(self) -> str:
        times = f"{self.wall_s:.0f} | {self.cpu_s:.0f}"
        return f"| {self.seed} | {self.kind} | {times} | {self.passed} | {', '.join(self.failed) or 'none'} |"


def _use_one_core() -> None:
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


LOADS = {"busy": Load(6, lambda: None), "one_core": Load(0, _use_one_core), "niced": Load(0, lambda: os.nice(19))}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.shake", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1, help="seed of the first run; each run adds one")
    parser.add_argument("--kinds", default=",".join(LOADS), help="kinds of load, taken in turn (default: %(default)s)")
    parser.add_argument("tests", nargs="*", help="arguments for pytest instead of the whole suite")
    chosen = parser.parse_args()
    kinds = chosen.kinds.split(",")
    if unknown := set(kinds) - set(LOADS):
        parser.error(f"unknown kind of load: {', '.join(sorted(unknown))}; expected some of {', '.join(LOADS)}")
    print("| seed | load | wall s | CPU s | passed | failed |\n| --- | --- | --- | --- | --- | --- |", flush=True)
    failures: Counter[str] = Counter()
    for number in range(chosen.runs):
        run = shaken(chosen.seed + number, kinds[number % len(kinds)], chosen.tests)
        print(run, flush=True)
        failures.update(run.failed)
    for name, times in failures.most_common():
        print(f"failed {times} of {chosen.runs} times: {name}")
    print(f"{chosen.runs} runs, {len(failures)} different tests failed")
    return 1 if failures else 0


def shaken(seed: int, kind: str, tests: list[str]) -> Run:
    """Run the test suite once, in the order given by `seed` and under the load `kind`."""
    load = LOADS[kind]
    workers = str(_cores() + 2)
    with TemporaryDirectory() as folder, busy(load.busy_processes):
        junit, output = Path(folder, "junit.xml"), Path(folder, "output.txt")
        command = [sys.executable, "-m", "pytest", "-q", "-n", workers, "--dist", "worksteal", f"--shuffle={seed}"]
        began, used = time.monotonic(), _cpu_s()
        with output.open("wb") as file:
            code = subprocess.run(
                [*command, f"--junitxml={junit}", *tests], cwd=ROOT, stdout=file, stderr=file, preexec_fn=load.prepare
            ).returncode
        wall_s, cpu_s = time.monotonic() - began, _cpu_s() - used
        passed, failed = results(junit) if junit.exists() else (0, [])
        if code and not failed:
            failed = [f"pytest ended with exit code {code}"]
        if failed:
            print(output.read_text(errors="replace")[-100_000:], file=sys.stderr)
    return Run(seed, kind, wall_s, cpu_s, passed, failed)


def results(junit: Path) -> tuple[int, list[str]]:
    """Return the number of tests that passed, and the names of the others, from the file `junit`."""
    passed, failed = 0, []
    for case in ElementTree.parse(junit).iter("testcase"):
        if case.find("failure") is not None or case.find("error") is not None:
            failed.append(f"{case.get('classname', '').replace('.', '/')}.py::{case.get('name')}")
        elif case.find("skipped") is None:
            passed += 1
    return passed, failed


@contextmanager
def busy(count: int) -> Iterator[None]:
    """Run `count` processes that use the processor all the time, until the context ends."""
    processes = [subprocess.Popen(BUSY) for _ in range(count)]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


def _cpu_s() -> float:
    """Return the CPU seconds of all child processes that have ended so far.

    Processes that cause load are still running at that time, so they do not count.
    """
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    sys.exit(main())
