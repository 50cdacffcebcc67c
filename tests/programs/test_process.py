"""Tests of ending bot processes. Time passes when a bot says so."""

import sys
from pathlib import Path

from rails_cli.programs.process import BotProcess
from rails_cli.programs.tree import GRACE_S
from tests.support.step_clock import FileClock, StepClock
from tests.support.waiting import HANG_S


def test_a_bot_that_ends_within_its_grace_period_is_not_killed(tmp_path: Path) -> None:
    done = tmp_path / "done"
    code = f"import sys; sys.stdin.read(); open({str(done)!r}, 'w').write('whole')"
    bot = BotProcess([sys.executable, "-c", code], now=StepClock())
    bot.start()
    process = bot.process
    assert process is not None
    bot.close()
    assert (process.returncode, done.read_text()) == (0, "whole")


def test_a_bot_that_ignores_its_end_is_asked_twice_and_killed(tmp_path: Path) -> None:
    """Each time it notices that it should end, its grace period passes."""
    times = tmp_path / "times"
    clock = FileClock(times, GRACE_S)
    code = (
        "import signal, sys\n"
        f"note = lambda word: open({str(times)!r}, 'a').write(word)\n"
        "signal.signal(signal.SIGTERM, lambda number, frame: note('t'))\n"
        "print('{}', flush=True)\n"
        "sys.stdin.read()\n"
        "note('e')\n"
        "while True:\n"
        "    signal.pause()\n"
    )
    bot = BotProcess([sys.executable, "-c", code], now=clock)
    bot.start()
    process = bot.process
    assert process is not None
    assert bot.receive(clock() + HANG_S) == b"{}"
    bot.close()
    assert (process.returncode, times.read_text()) == (-9, "et")
