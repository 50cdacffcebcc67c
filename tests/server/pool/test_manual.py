"""Tests that every command and program in docs/POOL.md and docs/POOL_OPERATOR.md works."""

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from rails_cli.commands.serve import command as serve
from tests.support.pool_campaign import report, results_of
from tests.support.tools import ROOT, rails, start_rails
from tests.support.transcripts import example
from tests.support.waiting import HANG_S, wait_until
from tests.support.ws_client import ServerProcess

PAGE = "\n".join((ROOT / f"docs/{name}.md").read_text(encoding="utf-8") for name in ("POOL", "POOL_OPERATOR"))
COMMANDS = [line[2:] for block in re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL) for line in block.splitlines()]
PROGRAM = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)[0]


def test_every_command_and_program_of_the_pool_manual_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mybot.py").write_text(example("bot.py"))
    (tmp_path / "roster.csv").write_text("owner,name\nGrace,Compiler\nAlan,Machine\nGrace,Cobol\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setenv("PATH", os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))
    [line] = [line for line in COMMANDS if " serve " in line]
    assert serve.make_context("serve", shlex.split(line)[2:]).params["pool"]
    options = shlex.split(line.replace(" --pool-game chicago_express:3", ""))[
        2:
    ]  # games of Chicago Express take too long for a test
    options += ("--pool-anchors", "greedy,random,busy", "--pool-patience", "0", "--pool-offer", "3600")
    with ServerProcess(tmp_path / "rails-data", *options) as server:

        def run(line: str, *more: str, **how: Any) -> str:
            words = shlex.split(line.replace("ws://127.0.0.1:8765", server.url))
            assert words[0] == "rails-cli"
            done = rails(*words[1:], *more, **how)
            assert done.returncode == 0, (line, done.stderr)
            return done.stdout

        output: dict[str, str] = {}
        for line in COMMANDS:
            if " pool join " in line:
                words = shlex.split(line.replace("ws://127.0.0.1:8765", server.url))
                with start_rails(*words[1:], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as bot:
                    assert bot.stdout is not None
                    for _ in range(2):
                        assert re.match(r"table \w+: (shared )?rank \d of ", bot.stdout.readline())
                    bot.send_signal(signal.SIGINT)  # the bot finishes its games, then exits
                    bot.communicate(timeout=HANG_S)
                    assert bot.returncode == 0
                wait_until(lambda: len(results_of(server.folder)) >= 2, "the games in the results")
            elif " play " in line:
                assert "This game is rated: if you do not return" in run(line, input="quit\n")
            elif " serve " not in line:
                if " tournament " in line:
                    wait_until(lambda: results_of(server.folder), "a game among the results")
                output[line] = run(line) if " report " not in line else report(monkeypatch, shlex.split(line)[1:])
        tokens = json.loads((tmp_path / "state/rails-cli/pool.json").read_bytes())[server.url]["tokens"]
        assert tokens.keys() == {"Deep", "Deep 2", "Ada"}
        paused, opened = (words for line, words in output.items() if " season " in line)
        assert paused == "the season is paused\n"
        assert opened.startswith("the season is open until ")
        assert (tmp_path / "invitations.csv").read_text().splitlines()[1].startswith("Grace,Compiler; Cobol,")
        monkeypatch.setenv("RAILS_POOL_TOKEN", tokens["Deep 2"])
        exec(PROGRAM.replace("ws://127.0.0.1:8765", server.url).replace("at_once=2", "games=1, say=print"), {})
        if shutil.which("node") is not None:
            script = str(ROOT / "bots/javascript_websocket/bot.js")
            with subprocess.Popen(["node", script, server.url], stdout=subprocess.PIPE, text=True) as node:
                assert node.stdout is not None
                assert node.stdout.readline().startswith("ended: normal")
                node.kill()
        standings = json.loads(run("rails-cli pool standings ws://127.0.0.1:8765", "--json"))
        games = {row["entrant"]: row["games"] for row in standings["standings"]}
        assert games["Deep"] >= 2
        assert games["Deep 2"] >= 1
