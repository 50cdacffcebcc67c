"""Tests of finding and killing the processes of a bot."""

import os
import signal
import sys
from subprocess import PIPE, Popen

from rails_cli.programs.finding import kill_marked, marked_processes
from tests.support.waiting import HANG_S, wait_until


def test_all_processes_with_a_mark_are_killed() -> None:
    sleep = f"import time; print('up', flush=True); time.sleep(3600) # {os.getpid()}"
    child = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {sleep!r}], start_new_session=True)"
    with (
        Popen([sys.executable, "-c", child], stdout=PIPE, env={**os.environ, "OWN_MARK": "a"}) as marked,
        Popen([sys.executable, "-c", sleep], stdout=PIPE, env={**os.environ, "OWN_MARK": "b"}) as other,
    ):
        try:
            for process in (marked, other):
                assert process.stdout is not None
                assert process.stdout.readline() == b"up\n"
            assert len(marked_processes("a", "OWN_MARK")) == 2
            kill_marked("a", "OWN_MARK")
            assert marked.wait(HANG_S) == -signal.SIGKILL
            wait_until(lambda: not marked_processes("a", "OWN_MARK"), "those that were killed to be gone")
            assert marked_processes("b", "OWN_MARK") == [other.pid]
        finally:
            other.kill()
