"""Tests that every command and program in docs/START.md works."""

import json
import os
import re
import shlex
import shutil
import sys
from pathlib import Path

import pytest

from rails_cli.commands.check_bot import command as check_bot
from rails_cli.commands.serve import command as serve
from tests.support.pool_campaign import report
from tests.support.tools import ROOT, rails

PAGE = (ROOT / "docs/START.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^\$ (.+)$", PAGE.replace("\\\n", " "), re.MULTILINE)
[DECIDE] = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
LESS = {"compare": ("--games", "2"), "run": ("--games", "3", "--seed", "1")}
"""Options that shorten tournaments, by subcommand. With the seed 1 the bot `better` plays in the first games."""


def test_every_command_and_program_of_the_first_steps_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All commands and programs of the page work.

    Tournaments are shortened. `serve` and `check-bot` are not run, only their options are checked.
    """
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setenv("PATH", os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))
    for line in COMMANDS:
        program, *words = shlex.split(line)
        if program == "cp":
            shutil.copytree(words[1], words[2])
            bot = tmp_path / "better/bot.py"
            old, rest = bot.read_text().split("\n\n\nfor line", 1)
            bot.write_text(f"{old.partition('def decide')[0]}{DECIDE}\n\nfor line{rest}")
        elif program == "pip":
            extras = re.findall(r"\w+", words[1].removeprefix("rails-cli"))
            assert all(f"\n{extra} = [" in (ROOT / "pyproject.toml").read_text() for extra in extras)
        elif words[0] in ("serve", "check-bot"):
            (serve if words[0] == "serve" else check_bot).make_context(words[0], words[1:])
        elif words[:2] == ["tournament", "report"]:
            assert "report.html" in report(monkeypatch, words)
        else:
            more = LESS.get(words[1], ()) if words[0] == "tournament" else ()
            done = rails(*words, *more, input="quit\n" * 3)
            assert done.returncode in ((0, 4, 5) if words[1] == "compare" else (0,)), (line, done.stderr)
    assert (tmp_path / "game.html").stat().st_size > 10_000
    assert (tmp_path / "trial/report.html").exists()
    standings = json.loads(rails("tournament", "standings", "trial", "--json", check=True).stdout)
    assert "better" in json.dumps(standings)
