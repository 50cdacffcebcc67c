"""Tests of commands that use several processor cores: when a command is interrupted, all its worker processes end."""

import signal
from subprocess import PIPE, Popen

import psutil
import pytest

from tests.support.tools import start_rails
from tests.support.waiting import HANG_S, wait_until

ENDLESS = ("simulate", "american_rails", "--players", "4", "--games", "100000", "--workers", "2")


def workers_of(program: Popen[str]) -> list[psutil.Process]:
    """Return the worker processes of `program`. They are children of a process that `program` forks."""
    return psutil.Process(program.pid).children(recursive=True)


def busy_workers(program: Popen[str]) -> list[psutil.Process]:
    """Return the worker processes of `program` that have used more CPU time than starting up takes."""
    return [one for one in workers_of(program) if one.cpu_times().user > 0.1]


@pytest.mark.parametrize("interrupted", ["the program alone", "a worker", "the program, killed"])
def test_an_interrupted_simulation_ends(interrupted: str) -> None:
    with start_rails(*ENDLESS, stdout=PIPE, stderr=PIPE, text=True) as program:
        wait_until(lambda: program.poll() is not None or len(busy_workers(program)) >= 2, "two workers that play")
        assert program.poll() is None
        known, busy = workers_of(program), busy_workers(program)
        if interrupted == "a worker":
            busy[-1].kill()
        elif interrupted == "the program, killed":
            program.kill()
        else:
            program.send_signal(signal.SIGINT)
        _, errors = program.communicate(timeout=HANG_S)
        assert program.returncode == (-signal.SIGKILL if interrupted == "the program, killed" else 1)
        assert "Traceback" not in errors
        assert ("Aborted!" in errors) == (interrupted == "the program alone")
        assert psutil.wait_procs(known, timeout=HANG_S)[1] == []
