"""Tests of ending bot processes. The clock of a test advances when the bot writes to a file."""

import asyncio
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from rails_cli.programs import event_loop
from rails_cli.programs.process import BotProcess
from rails_cli.programs.tree import GRACE_S
from rails_cli.referee.seats import SeatLost
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


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_during_the_start_of_a_bot_is_not_lost(number: int) -> None:
    """If a signal arrives while `start` forks a bot process, `start` raises KeyboardInterrupt.

    This is the exception of the signal handler. Python ignores exceptions raised during a fork, so `start` must raise
    it again. Afterwards `end` must end the bot and no other process.
    """
    code = (
        "import os, signal\n"
        "from rails_cli.programs.process import BotProcess\n"
        f"signal.signal({int(number)}, signal.default_int_handler)\n"
        f"os.register_at_fork(before=lambda: signal.raise_signal({int(number)}))\n"
        "bot = BotProcess(['cat'])\n"
        "try:\n"
        "    bot.start()\n"
        "except KeyboardInterrupt:\n"
        "    print('interrupted')\n"
        "bot.end()\n"
        "print('ended')\n"
    )
    words = [sys.executable, "-c", code]
    run = subprocess.run(words, capture_output=True, text=True, timeout=HANG_S, start_new_session=True)
    assert (run.stdout, run.stderr) == ("interrupted\nended\n", "")


def test_a_bot_that_ignores_end_of_input_and_sigterm_is_killed(tmp_path: Path) -> None:
    """A bot that ignores the end of its input and SIGTERM is ended by SIGKILL.

    The test has its own clock. When the bot notices the end of its input, the clock is set past the grace period. The
    same happens when the bot notices SIGTERM.
    """
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


def test_a_bot_that_closes_its_output_is_lost_after_the_wait_for_its_exit_status() -> None:
    code = "import os, sys; os.close(1); sys.stdin.read()"
    bot = BotProcess([sys.executable, "-c", code], now=StepClock(step_s=1.0))
    bot.start()
    with pytest.raises(SeatLost, match="closed its end of the line"):
        bot.receive(None)
    bot.end()


def test_draining_a_bot_that_does_not_end_stops_after_the_grace_period() -> None:
    async def drain() -> int | None:
        process, tree = await event_loop.start([sys.executable, "-c", "import signal; signal.pause()"])
        await event_loop.drain(process, StepClock(step_s=GRACE_S))
        before = process.returncode
        await event_loop.end(process, tree)
        return before

    assert asyncio.run(drain()) is None
