"""Work on all cores: whoever interrupts it has his terminal back, and nothing goes on behind it."""

import signal
import time
from subprocess import PIPE, Popen

import psutil
import pytest

from tests.support.tools import start_rails

PATIENCE_S = 60
ENDLESS = ("simulate", "american_rails", "--players", "4", "--games", "100000", "--workers", "2")


def workers_of(program: Popen[str]) -> list[psutil.Process]:
    """The processes that play for a program: they belong to the one that forks them."""
    return psutil.Process(program.pid).children(recursive=True)


@pytest.mark.parametrize("who", ["the program alone", "a worker", "the program, killed"])
def test_an_interrupted_simulation_ends(who: str) -> None:
    with start_rails(*ENDLESS, stdout=PIPE, stderr=PIPE, text=True) as program:
        until = time.monotonic() + PATIENCE_S
        while len(busy := [one for one in workers_of(program) if one.cpu_times().user > 0.3]) < 2:
            assert program.poll() is None
            assert time.monotonic() < until
            time.sleep(0.05)
        known = workers_of(program)
        if who == "a worker":
            busy[-1].kill()
        elif who == "the program, killed":
            program.kill()
        else:
            program.send_signal(signal.SIGINT)
        _, said = program.communicate(timeout=PATIENCE_S)
        assert program.returncode == (-signal.SIGKILL if who == "the program, killed" else 1)
        assert "Traceback" not in said
        assert ("Aborted!" in said) == (who == "the program alone")
        assert psutil.wait_procs(known, timeout=PATIENCE_S)[1] == []
