"""Python processes that have a low priority and import nothing from the working directory."""

import signal
import sys
from collections.abc import Callable

import msgspec

RAILS_CLI = "from rails_cli.cli import main; main(prog_name='rails-cli')"


def low_priority_command(main: str, *words: str, by: int = 10, cpu_s: int | None = None) -> list[str]:
    """Return the command line of a process that runs the Python code `main` with the arguments `words`.

    `by` is the niceness of the process. The signal SIGXCPU ends the process after `cpu_s` seconds of CPU time. If
    `cpu_s` is None, there is no limit.
    """
    limits = "" if cpu_s is None else f"resource.setrlimit(resource.RLIMIT_CPU, ({cpu_s}, {cpu_s + 1})); "
    # Without -P, a file called msgspec.py in the working directory of the server would be imported.
    return [sys.executable, "-P", "-c", f"import os, resource; os.nice({by}); {limits}{main}", *words]


def run_tasks(run: Callable[[bytes], msgspec.Struct]) -> None:
    """Call `run` with each line of standard input, until the input ends. Write each result to standard output.

    SIGINT and SIGTERM are ignored, because the server ends this process when the server stops.
    """
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    for line in sys.stdin.buffer:
        sys.stdout.buffer.write(msgspec.json.encode(run(line)) + b"\n")
        sys.stdout.buffer.flush()
