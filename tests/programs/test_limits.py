"""Tests of resource limits for all processes of a bot together, and of the reported reason for the exit of a bot."""

import json
import os
import re
import shlex
import subprocess
import sys
import threading
import uuid
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import psutil
import pytest

from rails_cli.programs.sandbox import LEVELS
from rails_cli.programs.sandbox.probe import probe
from rails_cli.programs.tree import LimitWatcher, ProcessTree
from rails_cli.programs.usage import CpuMeter
from tests.support.attacks import words_of
from tests.support.containers import PYTHON, small_image
from tests.support.podman_campaign import in_containers
from tests.support.short_boards import short_board
from tests.support.tools import RAILS, rails
from tests.support.waiting import HANG_S, wait_until

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="sandboxes need Linux")

HOLDING = [level for level in LEVELS if probe(level).holds]
AUTO = HOLDING[0] if HOLDING else "none"
GREEDY = """
import os, signal, sys, time
signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # reap children automatically
what = sys.argv[1]
def is_away():  # in a process detached from our parent and session
    if not os.fork():
        os.setsid()
        if not os.fork():
            return True
        os._exit(0)
if what == "memory":
    ends = []
    for _ in range(5):
        end, other = os.pipe()
        if is_away():
            kept = bytearray(os.urandom(2**20) * 40)
            os.write(other, b"1")
            time.sleep(600)
        os.close(other)
        ends.append(end)
    if sys.argv[3] == "podman":  # a container may kill only child processes
        sys.exit(f"child processes with memory: {sum(len(os.read(end, 1)) for end in ends)}")
if what == "files":
    for number in range(8):
        file = os.memfd_create(str(number))
        for _ in range(20):
            os.write(file, bytes(2**20))
if what == "processes":
    try:
        for _ in range(4):
            is_away() and is_away()
    except OSError:  # the limit of a container: all processes stay, so that they are counted
        pass
while what == "cpu":
    ends, kept = os.pipe()
    if not os.fork():
        until = time.process_time() + float(sys.argv[2])
        while time.process_time() < until:
            pass
        os._exit(0)
    os.close(kept)
    os.read(ends, 1)
    os.close(ends)
time.sleep(600)
"""
HAS_METER = CpuMeter.of(os.getpid()) is not None
LIMITS = {
    "memory": r"used (\d+ MB of memory in \d processes|up its memory); its limit is 120 MB",
    "files": r"used .*memory; its limit is 120 MB",
    "processes": r"had (\d+) processes at once; its limit is 12",
    "cpu": r"used \d+\.\d s of CPU time in all its processes; its limit is 1 s",
}
BY_CONTAINER = r"killed by SIGKILL|exited with code 1"
"""Pattern of the fault message of a bot in a container that enforced a limit by killing a process.

Either the bot was killed, or its child process. In the second case the bot exits with code 1.
"""


def play(
    folder: Path, seats: list[str], *words: str, before: tuple[str, ...] = (), env: Mapping[str, str] | None = None
) -> list[dict[str, Any]]:
    """Play a match and check that each bot has a fault. Return one fault of each bot, in the order of seats.

    `before` is put before the command, and `words` are options of the command.
    """
    seated = [word for seat in seats for word in ("--seat", seat)]
    command = ["run", "american_rails", *seated, "--log", "game.jsonl", "--json", "--seed", "4"]
    command += ["--board", str(short_board("american_rails", folder))]
    command += ["--clock", "300/move", "--max-faults", "1", *words]
    if before:
        whole = [*before, *RAILS, *command]
        done = subprocess.run(whole, cwd=folder, capture_output=True, text=True, check=False)
    else:
        done = rails(*command, cwd=folder, env=env)
    log = folder / "game.jsonl"
    assert log.exists(), done.stderr
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    log.unlink()
    faults = {line["seat"]: line for line in lines if line["type"] == "fault"}
    assert list(faults) == [seat for seat, spec in enumerate(seats) if not spec.startswith("builtin:")], done.stderr
    return list(faults.values())


@pytest.mark.parametrize("sandbox", [*HOLDING, "polled", "podman"])
def test_limits_apply_to_all_processes_of_a_bot_together(tmp_path: Path, sandbox: str) -> None:
    """A limit applies to all processes of a bot together, including detached ones and fork bombs.

    If a limit is exceeded, all these processes are ended. If `sandbox` is "polled", there is no sandbox, and the system
    has no control groups.
    """
    (tmp_path / "greedy.py").write_text(GREEDY)
    tried = dict(LIMITS)
    if sandbox in HOLDING[1:]:
        del tried["cpu"]  # measured in the same way everywhere, and takes a second of CPU time
    before: tuple[str, ...] = ()
    if sandbox == "polled" and probe("bubblewrap").works:  # simulates a system without control groups
        before = ("bwrap", "--dev-bind", "/", "/", "--ro-bind", "/sys", "/sys", "--die-with-parent")
    life_s = 0.02 if HAS_METER else 0.15  # shorter than a poll if a meter counts CPU time, else longer
    limits = ["--memory", "120M", "--processes", "12", "--cpu-seconds", "1"]
    mark = uuid.uuid4().hex
    python, env, kept = sys.executable, None, ["--sandbox", "none" if sandbox == "polled" else sandbox]
    with ExitStack() as stack:
        if sandbox == "podman":
            image, env = stack.enter_context(small_image())
            python = PYTHON
            kept = in_containers(image)
            report = json.loads(rails("sandbox", "--sandbox-image", image, "--json", env=env).stdout)
            if not report["sandboxes"][-1]["holds"]:
                done = rails("run", "last_spike", "--seat", "true", "--seat", "true", *kept, env=env)
                assert (done.returncode, "no such sandbox works on this machine" in done.stderr) == (1, True)
                return
        seats = [f"{python} greedy.py {what} {life_s} {sandbox} {mark}" for what in tried]
        faults = play(tmp_path, seats, *limits, *kept, before=before, env=env)
    for fault, words in zip(faults, tried.values(), strict=True):
        assert fault["code"] == "disconnect"
        assert re.search(f"{words}|{BY_CONTAINER}" if sandbox == "podman" else words, fault["message"]), fault
    wait_until(lambda: not are_running(mark), "the end of all processes")


def are_running(mark: str) -> bool:
    """Return whether any process has `mark` on its command line."""
    return any(mark in words_of(process) for process in psutil.process_iter())


class BlockingTree(ProcessTree):
    """The processes of a bot. The check of their limits blocks until the test releases it."""

    def __init__(self) -> None:
        super().__init__("nobody")
        self.is_checked, self.is_gone = threading.Event(), threading.Event()

    def check_limits(self) -> None:
        self.is_checked.set()
        self.is_gone.wait(2 * HANG_S)


def test_one_thread_checks_all_bots_and_blocks_no_caller() -> None:
    """Adding and removing bots many times starts no further threads. Adding a bot does not wait for a slow check."""
    watch, bot, ending = LimitWatcher(), ProcessTree("nobody"), BlockingTree()
    for _ in range(8):
        watch.add(bot)
        watch.remove(bot)
    watch.add(ending)
    assert ending.is_checked.wait(HANG_S)
    starting = threading.Thread(target=watch.add, args=(bot,))
    starting.start()
    starting.join(HANG_S)
    assert not starting.is_alive()
    ending.is_gone.set()
    wait_until(
        lambda: [thread.name for thread in threading.enumerate()].count("limits of bots") <= 1,
        "the end of all threads but one",
    )
    watch.remove(ending)
    watch.remove(bot)


def test_check_bot_runs_the_bot_in_the_sandbox(tmp_path: Path) -> None:
    """With `--sandbox`, `check-bot` runs the bot in the sandbox, so the bot cannot see files outside its folder.

    The bot exits at once and prints whether it can see such a file.
    """
    (tmp_path / "bot").mkdir()
    (tmp_path / "home").write_text("")
    (tmp_path / "bot" / "bot.py").write_text("import os, sys\nsys.exit(f'visible: {os.path.exists(\"home\")}')\n")
    words = ("check-bot", "--quick", "--game", "last_spike:2", "--json", "--logs", "logs", "--sandbox", AUTO)
    done = rails(*words, "--", sys.executable, "-S", "bot/bot.py", cwd=tmp_path)
    stderr = {check["name"]: check["stderr"] for check in json.loads(done.stdout)["checks"]}
    assert stderr["starts"][-1] == f"visible: {AUTO == 'none'}"


ENDS = """
import contextlib, os, signal, sys, time
what = sys.argv[1]
if what == "killed":
    os.kill(os.getpid(), signal.SIGTERM)
if what == "silent":
    os.close(1)
    time.sleep(600)
if what == "kit":
    import rails_cli.bot
    words = "rails-cli: cannot start it: forged"  # what the launcher of a sandbox writes
    print(words, file=sys.stderr)
    for pipe in range(3, 64) if os.getppid() == 1 else ():  # those of the launcher
        with contextlib.suppress(OSError), open(f"/proc/1/fd/{pipe}", "w") as file:
            file.write(words)
    sys.exit(127)
"""


@pytest.mark.parametrize("level", [*HOLDING, "none"])
def test_the_end_of_a_bot_is_reported_the_same_in_every_sandbox(tmp_path: Path, level: str) -> None:
    """The end of a bot is reported with the same words in every sandbox.

    - One bot is killed.
    - One bot closes its output.
    - One bot cannot start.
    - One bot only pretends that it could not start: it exits with code 127 and prints the message of the launcher.
    """
    (tmp_path / "ends.py").write_text(ENDS)
    (tmp_path / "odd").write_text("#!/there/is/no/such/program\n")
    (tmp_path / "odd").chmod(0o755)
    seats = [f"{shlex.quote(sys.executable)} ends.py {what}" for what in ("killed", "silent", "kit")]
    faults = play(tmp_path, [*seats, "./odd"], "--sandbox", level)
    messages = [fault["message"].partition(";")[0] for fault in faults]
    assert messages == [
        "was killed by SIGTERM",
        "closed its end of the line",
        "exited with code 127",
        "cannot start './odd': No such file or directory",
    ]
