"""Tests that every command in docs/SCALING.md works, with two servers behind the proxy that the page describes."""

import json
import os
import re
import shlex
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from tests.support.pool_campaign import report, results_of
from tests.support.relays import free_port, reverse_proxy
from tests.support.tools import ROOT, rails
from tests.support.transcripts import example
from tests.support.waiting import HANG_S, wait_until
from tests.support.ws_client import ServerProcess

PAGE = (ROOT / "docs/SCALING.md").read_text(encoding="utf-8")
COMMANDS = [line[2:] for block in re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL) for line in block.splitlines()]
[LINES] = re.findall(r"```nginx\n(.*?)```", PAGE, re.DOTALL)
CHEAP = ("--pool-game", "last_spike:2", "--pool-anchors", "greedy,random", "--pool-patience", "0")


class _Stay(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *prefix: object) -> None:
        return None


def fetched(url: str) -> tuple[int, str]:
    """Return the HTTP status of `url` and the target of a redirect. Without a redirect, the target is an empty text."""
    try:
        with urllib.request.build_opener(_Stay).open(url, timeout=HANG_S) as answer:
            return answer.status, ""
    except urllib.error.HTTPError as error:
        return error.code, error.headers.get("Location", "")


def test_two_servers_behind_one_host_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mybot.py").write_text(example("bot.py"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("PATH", os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))
    port, ports = free_port(), {"8765": free_port(), "8766": free_port()}
    name = f"ws://127.0.0.1:{port}"
    lines = re.sub(r" +(ssl_|server_name).*\n", "", LINES).replace("443 ssl", f"127.0.0.1:{port}")
    for port_in_manual, used in ports.items():
        lines = lines.replace(port_in_manual, str(used))
    done: dict[str, str] = {}

    def run(prefix: str, *more: str) -> str:
        """Run the next command of the manual that begins with `prefix`. Add the arguments `more`. Return its output."""
        [line] = [line for line in COMMANDS if line.startswith(prefix) and line not in done]
        words = shlex.split(line.replace("wss://rails.example.org", name))
        if words[0] != "rails-cli":
            subprocess.run(words, check=True)
            done[line] = ""
        else:
            ran = rails(*words[1:], *more)
            assert ran.returncode == 0, (line, ran.stdout, ran.stderr)
            done[line] = ran.stdout
        return done[line]

    def serve(data: str) -> ServerProcess:
        [line] = [line for line in COMMANDS if f" --data {data} " in line]
        done[line] = ""
        words = shlex.split(line)
        return ServerProcess(tmp_path / data, *words[6:], *CHEAP, port=ports[words[3]])

    with serve("a") as first, reverse_proxy(lines, port, tmp_path / "proxy"):
        run("rails-cli pool register")
        [kept] = json.loads((tmp_path / "state/rails-cli/pool.json").read_bytes()).values()
        (tmp_path / "deep.token").write_text(kept["tokens"]["Deep"])
        run("mkdir")
        run("cp")
        with serve("b") as second:
            made = run("rails-cli tables wss://rails.example.org/b/ --create")
            table = made.split()[0]
            assert table in run("rails-cli tables wss://rails.example.org/b/")
            assert table not in rails("tables", f"{name}/a/", check=True).stdout, "a table exists on one server only"
            run("rails-cli pool join")
            join = ("--token-file", "deep.token", "--stop-after", "1", "--", "python3", "mybot.py")
            rails("pool", "join", f"{name}/a/", *join, check=True)
            refused = rails("pool", "register", f"{name}/b/", "Late")
            assert "this pool takes no registrations" in refused.stderr
            http = name.replace("ws:", "http:")
            assert fetched(f"{http}/")[0] == 302
            assert fetched(f"{http}/")[1].endswith(("/a/", "/b/"))
            paths = {"a/": 200, "b/": 200, "a/metrics": 403, "b/metrics": 403, "b/healthz": 200}
            assert {path: fetched(f"{http}/{path}")[0] for path in paths} == paths
            for server in (first, second):
                wait_until(lambda folder=server.folder: len(results_of(folder)) == 1, "the game in the results")  # type: ignore[misc]
            together = run("rails-cli pool results")
            assert together.endswith("together: 2 games of 3 entrants, 2 new\n")
    assert "Deep" in run("rails-cli tournament standings")
    [line] = [line for line in COMMANDS if line.startswith("rails-cli tournament report")]
    done[line] = report(monkeypatch, shlex.split(line)[1:])
    run("rails-cli tournament audit")
    assert done.keys() == {*COMMANDS}
    again = rails("pool", "results", "b/pool", "a/pool", "--into", "together", "--json", check=True)
    assert json.loads(again.stdout) == {"games": 2, "new": 0, "entrants": 3}
    check_refused_merges(tmp_path)


def check_refused_merges(folder: Path) -> None:
    """Check that results which cannot be merged are refused with an error, and that no folder is created."""
    for bad, words in (
        (["a/pool", "--into", "a/pool"], "is one of the pools"),
        (["a/pool", "proxy", "--into", "new"], "there is no tournament in proxy"),
    ):
        done = rails("pool", "results", *bad)
        assert done.returncode in (1, 2)
        assert words in done.stderr
    assert not (folder / "new").exists()
