"""Bots in containers: a tournament, resource limits, and rails-cli killed at random moments."""

import json
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from tests.support.containers import PYTHON, READS
from tests.support.tools import BOTS, rails

PLAN = """
name = "containers"
trust = false
seed = 5
clock = "60/move"
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
"""What a bot does that exceeds a limit, and the expected message, by limit."""


def containers(environment: Mapping[str, str]) -> list[str]:
    """Return the names of all containers of podman."""
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
