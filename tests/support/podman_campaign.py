"""Bots in containers: a tournament, resource limits, and rails-cli killed at random moments."""

import json
import random
import re
import shutil
import signal
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import psutil

from tests.support.attacks import words_of
from tests.support.containers import PYTHON, READS, small_image
from tests.support.tools import BOTS, rails, start_rails
from tests.support.waiting import wait_until

PLAN = """
name = "containers"
trust = false
seed = 5
clock = "60/move"
max_faults = 1
[format]
kind = "round_robin"
rounds = {rounds}
[[games]]
game = "last_spike"
players = 2
[[entrants]]
name = "honest"
command = "{python} bot.py"
folder = "honest"
processes = 1
freeze = true
{more}
[[entrants]]
name = "quits"
command = "{python} bot.py"
folder = "quits"
{more}
"""
QUITS = "import os, sys\nsys.stdin.readline()\nos._exit(127)\n"
HANGS = "import sys, time\nfor line in sys.stdin: pass\ntime.sleep(10_000)\n"
HIDDEN_CHILD = "import time\nwhile True: pass"
GREEDY = {
    "memory": ("kept = bytearray(2**30)", r"killed by SIGKILL|used [\d,]+ MB of memory"),
    "processes": (
        "for _ in range(3): os.fork()",
        r"had \d+ processes at once; its limit is 4|Resource temporarily unavailable",
    ),
    "cpu": (
        f"subprocess.Popen([sys.executable, '-c', {HIDDEN_CHILD!r}], env={{}})",
        r"used \d\.\d s of CPU time in all its processes; its limit is 1 s",
    ),
}
"""By limit: Python code with which a bot exceeds this limit, and a pattern of the expected error message."""


def containers(environment: Mapping[str, str]) -> list[str]:
    """Return the names of all podman containers."""
    words = ["podman", "ps", "--all", "--format", "{{.Names}}"]
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=True)
    return done.stdout.split()


def tournament(
    folder: Path, image: str, environment: Mapping[str, str], rounds: int = 1
) -> tuple["subprocess.CompletedProcess[str]", list[tuple[str, str]]]:
    """Run a tournament between a bot without faults and a bot that exits with code 127, both in containers.

    Return the finished process, and the name and the first words of the message of each fault.
    """
    for name in ("honest", "quits"):
        (folder / name).mkdir()
    shutil.copy(BOTS / "honest.py", folder / "honest" / "bot.py")
    (folder / "quits" / "bot.py").write_text(QUITS)
    more = f"image = {json.dumps(image)}\nreads = {json.dumps(READS)}"
    (folder / "plan.toml").write_text(PLAN.format(python=PYTHON, rounds=rounds, more=more))
    words = ("plan.toml", "--output", "output", "--workers", "1", "--quiet")
    done = rails("tournament", "run", *words, cwd=folder, env=environment)
    faults = []
    for log in (folder / "output" / "logs").glob("*.jsonl"):
        header, *lines = map(json.loads, log.read_text().splitlines())
        faults += [
            (header["players"][line["seat"]]["name"], line["message"].partition(";")[0])
            for line in lines
            if line["type"] == "fault"
        ]
    return done, faults


def greedy_faults(folder: Path, image: str, environment: Mapping[str, str]) -> dict[str, str]:
    """Play one match for each limit. A bot in a container exceeds the limit. Return the error messages by limit.

    A message is taken from the fault in the log, or from standard error if the log has no fault. The limit of CPU time
    is exceeded by a child process of the bot. This child has an empty environment.
    """
    found = {}
    for what, (code, _) in GREEDY.items():
        (folder / f"{what}.py").write_text(f"import os, subprocess, sys, time\n{code}\ntime.sleep(10_000)\n")
        seats = ("--seat", f"{PYTHON} {what}.py", "--seat", "builtin:busy", "--log", f"{what}.jsonl", "--quiet")
        limits = ("--memory", "100M", "--processes", "4", "--cpu-seconds", "1", "--max-faults", "1")
        done = rails("run", "last_spike", *seats, *limits, *in_containers(image), cwd=folder, env=environment)
        lines = map(json.loads, (folder / f"{what}.jsonl").read_text().splitlines())
        found[what] = next((line["message"] for line in lines if line["type"] == "fault"), done.stderr)
    return found


def in_containers(image: str) -> list[str]:
    """Return the options that start bots in containers of the image of `small_image`."""
    reads = [word for path in READS for word in ("--sandbox-read", path)]
    return ["--sandbox", "podman", "--sandbox-image", image, *reads]


def podman_campaign(kills: int, seed: int, folder: Path) -> dict[str, int]:
    """Play matches in containers, and end rails-cli by signals at random moments. Check that no container is left.

    The bots are sometimes stopped (`--freeze`) when the signal arrives. `kills` is the number of signals, and `seed`
    the random seed. Return counts of what was done. Raise AssertionError if podman does not work on this machine.
    """
    chance = random.Random(seed)
    with small_image() as (image, environment):
        tried = rails("sandbox", "--sandbox-image", image, "--json", env=environment)
        assert json.loads(tried.stdout)["sandboxes"][-1]["holds"], tried.stdout
        done, faults = tournament(folder, image, environment, rounds=3)
        assert done.returncode == 0, done.stderr
        assert set(faults) == {("quits", "exited with code 127")}, faults
        for what, message in greedy_faults(folder, image, environment).items():
            assert re.search(GREEDY[what][1], message), message
        (folder / "hangs.py").write_text(HANGS)
        began = folder / "hangs.jsonl"
        words = ["run", "last_spike", "--seat", f"{PYTHON} honest/bot.py", "--seat", f"{PYTHON} hangs.py", "--freeze"]
        words += ["--clock", "none", "--log", str(began), "--quiet", *in_containers(image)]
        for number in range(kills):
            process = start_rails(
                *words, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment
            )
            wait_until(began.exists, "the start of the match")
            with suppress(subprocess.TimeoutExpired):
                process.wait(chance.random() * 4)
            process.send_signal((signal.SIGKILL, signal.SIGTERM, signal.SIGINT)[number % 3])
            process.wait()
            began.unlink()
            wait_until(lambda: not launchers(image), "the end of the launcher", lambda: launchers(image))
            assert containers(environment) == []
    return {"games": len(list((folder / "output" / "logs").glob("*.jsonl"))), "limits": len(GREEDY), "signals": kills}


def launchers(image: str) -> list[int]:
    """Return the pids of the processes that start or remove containers of `image`, or wait for their end."""
    return [process.pid for process in psutil.process_iter() if any(image in word for word in words_of(process))]
