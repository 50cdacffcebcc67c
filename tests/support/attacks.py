"""A match with a bot that tries to attack files, processes and the network."""

import json
import shlex
import shutil
import signal
import socket
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import psutil

from tests.support.tools import ROOT, rails

ATTACKER = ROOT / "tests/programs/sandbox/attacker.py"
ALWAYS = ("log", "home", "results", "command line", "memory", "environment", "rivals", "network", "escape")
"""Names of the attacks that succeed without a sandbox. Some systems prevent `memory` even then."""
SECRET = "A_SECRET_OF_THE_ORGANISER"


def attack(
    folder: Path, level: str, python: str, honest: str, environment: Mapping[str, str], holds: bool, *more: str
) -> dict[str, Any]:
    """Play a match between an attacking bot and an honest bot in the sandbox `level`. Return a dictionary of results.

    The main keys of the dictionary are:

    - `succeeded`: the names of the successful attacks, or None if the attacker did not run.
    - `log`: the decoded lines of the log. Empty if the attacker did not run.
    - `done`: the finished process of `rails-cli run`.

    `python` is the interpreter that runs the attacker. `honest` is the command line of the other bot. `environment` and
    `more` are the environment and further arguments of `rails-cli run`. `holds` is true if the sandbox works on this
    machine.
    """
    (folder / "bot").mkdir()
    (folder / "logs").mkdir()
    shutil.copy(ATTACKER, folder / "bot")
    for name in ("home", "results"):
        (folder / name).write_text("keep out")
    mark = uuid.uuid4().hex
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        target = {
            "log": str(folder / "logs" / "game.jsonl"),
            "beside": str(folder / "bot" / "attacker.py"),
            "home": str(folder / "home"),
            "results": str(folder / "results"),
            "variable": SECRET,
            "port": listener.getsockname()[1],
            "mark": mark,
            "may_harm": level != "none",
        }
        attacker = shlex.join([python, str(folder / "bot" / "attacker.py"), json.dumps(target)])
        done = rails(
            *("run", "last_spike", "--seat", attacker, "--seat", honest, "--seed", "77", "--sandbox", level),
            *("--log", target["log"], "--json", *(("--processes", "20") if level != "none" else ())),
            *more,
            env={**environment, SECRET: "1"},
        )
    notes = folder / "logs" / "game.jsonl.seat1.stderr"
    survivors = [process for process in psutil.process_iter() if mark in words_of(process)]
    for process in survivors:
        process.send_signal(signal.SIGKILL)
    lines = notes.read_text().splitlines() if notes.exists() else []
    succeeded = [line.removeprefix("succeeded: ") for line in lines if line.startswith("succeeded: ")]
    return {
        "level": level,
        "is_refused": level != "none" and not holds,
        "done": done,
        "log": [json.loads(line) for line in Path(target["log"]).read_text().splitlines()] if succeeded else [],
        "succeeded": set(json.loads(succeeded[0])) | ({"escape"} if survivors else set()) if succeeded else None,
        "results": (folder / "results").read_text(),
    }


def words_of(process: psutil.Process) -> list[str]:
    """Return the command line of `process`, or an empty list if the process has ended."""
    try:
        return process.cmdline()
    except psutil.Error:
        return []
