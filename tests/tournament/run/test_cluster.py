"""Tests of tournaments on a Dask cluster. Results equal those on one machine, even if workers are lost."""

import json
import os
import pickle
import re
import shutil
import signal
import subprocess
import sys
import uuid
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner

import rails_cli
from rails_cli.cli import main
from rails_cli.tournament.plan.reading import make_plan
from rails_cli.tournament.run import cluster_worker
from rails_cli.tournament.run.cluster import FIRST_WORKER_S
from rails_cli.tournament.run.shipping import Shipment, missing_here, pack_bots, unpack_bots
from tests.soak import standings_but_for_times
from tests.support.bad_tasks import start_and_end
from tests.support.dask_cluster import DaskCluster
from tests.support.short_boards import short_board
from tests.support.tools import BOTS, NO_SANDBOX, left_behind, rails, start_rails
from tests.support.waiting import HANG_S, wait_until

PLAN = """
seed = 8
clock = "300/move"
start_up_s = 300
[format]
rounds = 1
seatings = "rotations"
[[games]]
game = "last_spike"
players = 4
board = "board.json"
[[entrants]]
name = "shipped"
command = "python3 bots/honest.py"
[[entrants]]
name = "at home"
command = "./run"
folder = "bots/inner"
memory = "1G"
[[entrants]]
name = "there"
command = ["{python}", "{bots}/honest.py"]
[[entrants]]
name = "greedy"
builtin = "greedy"
"""


GAMES = 4
"""Number of games in `PLAN`."""


def plan_in(folder: Path) -> Path:
    """Write a plan whose bots and board exist only in `folder`. Return the path of the plan."""
    (folder / "bots/inner").mkdir(parents=True)
    shutil.copy(BOTS / "honest.py", folder / "bots/honest.py")
    run = folder / "bots/inner/run"
    run.write_text(f"#!/bin/sh\necho started >&2\nexec {sys.executable} ../honest.py\n")
    run.chmod(0o755)
    short_board("last_spike", folder, pieces=2).rename(folder / "board.json")
    plan = folder / "plan.toml"
    plan.write_text(PLAN.format(python=sys.executable, bots=BOTS))
    return plan


class Run:
    """A separate process that runs a tournament on a cluster."""

    def __init__(self, plan: Path, cluster: str, *words: str, **environment: str) -> None:
        self.events_file = plan.parent / "events.jsonl"
        self.process = start_rails(
            "tournament",
            "run",
            str(plan),
            "--cluster",
            cluster,
            "--events",
            str(self.events_file),
            *words,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, **environment},
            besides="distributed",
        )

    @property
    def events(self) -> list[dict[str, Any]]:
        text = self.events_file.read_text() if self.events_file.exists() else ""
        return [json.loads(line) for line in text.splitlines(keepends=True) if line.endswith("\n")]

    def wait_for(self, is_there: Callable[[list[dict[str, Any]]], bool]) -> None:
        wait_until(lambda: is_there(self.events) or self.process.poll() is not None, "events", lambda: self.events[-3:])
        assert self.process.poll() is None, self.process.communicate()

    def wait_for_games(self, number: int) -> None:
        self.wait_for(lambda events: self.games >= number)

    def wait_for_news(self, kind: str, worker: str) -> None:
        self.wait_for(lambda events: any(event["event"] == kind and event["worker"] == worker for event in events))

    @property
    def games(self) -> int:
        return sum(event["event"] == "game_end" for event in self.events)

    def end(self) -> tuple[int, str, str]:
        out, err = self.process.communicate(timeout=HANG_S)
        return self.process.returncode, out, err


def logs_of(folder: Path) -> dict[str, bytes]:
    """Return the logs of a tournament by file name, without times and the checksums that depend on times."""
    return {
        file.name: re.sub(rb',"ms":\d+|,"chain":"\w+"', b"", file.read_bytes()) for file in (folder / "logs").iterdir()
    }


def test_lost_workers_and_schedulers_do_not_change_the_results(tmp_path: Path) -> None:
    """The results of a tournament are the same although workers and the scheduler are lost.

    First there are no workers, and the run ends after a timeout. Then workers join, are refused or are killed. Finally
    the scheduler is killed. The plans have far more rounds than the test plays, so that no run ends too early.
    """
    mark = uuid.uuid4().hex
    plan = plan_in(tmp_path)
    calm, wild = tmp_path / "calm", tmp_path / "wild"
    with DaskCluster(tmp_path) as cluster:
        lonely = rails(str(plan), cluster.address, module="tests.support.lonely_scheduler", besides="distributed")
        elapsed_s, _, words = lonely.stdout.partition(" ")
        assert "has no workers; start some with" in words, lonely.stderr
        assert FIRST_WORKER_S < float(elapsed_s) < FIRST_WORKER_S + 1
        first, second = cluster.worker(RAILS_TEST=mark), cluster.worker(threads=2, RAILS_TEST=mark)
        options = ("--output", str(wild), "--rounds", "1000")
        run = Run(plan, cluster.address, *options)
        run.wait_for_games(3)
        second.kill()
        run.wait_for_news("worker_lost", second.address)
        first.kill()  # now there is no worker, and the tasks of this worker wait for a new worker
        run.wait_for_news("worker_lost", first.address)
        third = cluster.worker(RAILS_TEST=mark)
        run.wait_for_news("worker_joined", third.address)
        poor = cluster.worker(PATH="/nowhere")  # this worker gets no tasks, and the other workers continue
        run.wait_for_news("worker_refused", poor.address)
        run.wait_for_games(max(GAMES, run.games + 3))
        run.process.send_signal(signal.SIGINT)
        code, _, err = run.end()
        assert code == 130
        lacking = "lacks what a bot needs: shipped: there is no program python3 on the path"
        assert f"worker {poor.address} is not used: it {lacking}" in err
        assert f"To resume: __main__.py tournament run {plan} --cluster {cluster.address}" in err
        found = {(event["event"], event["worker"]) for event in run.events if event["event"].startswith("worker_")}
        assert found == {
            ("worker_lost", second.address),
            ("worker_joined", third.address),
            ("worker_lost", first.address),
            ("worker_refused", poor.address),
        }
        failed = rails("tournament", "run", str(plan), "--cluster", cluster.address, besides="distributed")
        assert failed.returncode == 1
        assert f"the cluster at {cluster.address} cannot play this" in failed.stderr
        assert f"worker {poor.address} {lacking}" in failed.stderr
        assert failed.stdout == ""
        poor.kill()
        played = run.games
        run = Run(plan, cluster.address, *options)
        run.wait_for_games(played + 1)
        cluster.scheduler.kill()
        code, out, err = run.end()
        assert code == 1
        assert f"Error: the Dask scheduler at {cluster.address} is gone" in err
        assert "the same command resumes" in err
        assert "Traceback" not in err + out
        kept = json.loads(rails("tournament", "status", str(wild), "--json").stdout)["games"]
        assert kept > played
    assert left_behind(mark) == []
    for folder in (wild, calm):
        done = rails("tournament", "run", str(plan), "--output", str(folder), "--workers", "1", "--quiet")
        assert (done.returncode, done.stderr) == (0, NO_SANDBOX.format("--sandbox auto"))
        assert f"{GAMES} games; all games are played" in done.stdout
    assert standings_but_for_times(wild) == standings_but_for_times(calm)
    logs = logs_of(calm)
    assert {name: log for name, log in logs_of(wild).items() if name in logs} == logs
    assert "started" in (wild / "stderr/at home.txt").read_text()


def test_missing_requirements_of_a_cluster_are_explained(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = plan_in(tmp_path)
    words = ["tournament", "run", str(plan), "--cluster", "tcp://127.0.0.1:1"]
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "distributed", None)
        done = CliRunner().invoke(main, words)
    assert done.exit_code == 1
    assert "pip install 'rails-cli[cluster]'" in done.stderr
    failed = rails(*words[:-1], "nowhere", besides="distributed")
    assert failed.returncode == 1
    assert "no Dask scheduler answers at nowhere (missing port number" in failed.stderr
    failed_here = CliRunner().invoke(main, [*words, "--workers", "2"])
    assert failed_here.exit_code == 2
    assert "--workers is for this machine" in failed_here.stderr
    with open(tmp_path / "bots/large", "wb") as file:
        file.truncate(65 * 2**20)
    failed_here = CliRunner().invoke(main, words)
    assert failed_here.exit_code == 1
    assert "bots is too large to send: more than 64 MiB" in failed_here.stderr


@pytest.mark.parametrize("words", [(), ("--bots",)])
def test_only_the_files_of_bots_are_sent_to_workers(words: tuple[str, ...], tmp_path: Path) -> None:
    home = tmp_path / "home"
    for name in ("bots/mine/part.py", "bots/mine/.secret", "bots/mine/old/results.sqlite", "far/bot.py", "far/deep/x"):
        file = home / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(name)
    for name in ("bot.py", "bots/mine/bot.py", "bots/private"):
        (home / name).write_text(name)
    base = home / "bots" if words else home
    seen = {True: "", False: "bots/"}[bool(words)]
    entrants = [
        {"name": "folder", "command": "python3 bot.py", "folder": f"{seen}mine"},
        {"name": "file", "command": f"python3 {'../' if words else ''}far/bot.py"},
        {"name": "whole", "command": ["python3", str(home / "bot.py")]},
        {"name": "busy", "builtin": "busy"},
    ]
    plan = make_plan({"games": [{"game": "last_spike", "players": 3}], "entrants": entrants}, "test", base)
    secret = home / "far" / "my.key"
    secret.write_text("the key that signs the logs stays")
    shipment = pack_bots(plan, secret)
    unpack_bots(shipment, tmp_path / "there")
    found = {str(file.relative_to(tmp_path / "there")) for file in (tmp_path / "there").rglob("*") if file.is_file()}
    assert found == {"bots/mine/bot.py", "bots/mine/part.py", "far/bot.py", "far/deep/x"}
    assert missing_here(shipment.entrants, tmp_path / "there") == []
    (home / "bot.py").unlink()
    assert missing_here(shipment.entrants, tmp_path / "there") == [f"whole: there is no file {home / 'bot.py'}"]
    caged = msgspec.structs.replace(shipment.entrants[0], sandbox="podman")
    assert missing_here([caged], tmp_path / "there")[0].startswith("folder: podman needs the image")


def test_a_task_that_ends_its_process_leaves_no_processes_behind(tmp_path: Path) -> None:
    mark = uuid.uuid4().hex
    shipment = Shipment((), zlib.compress(msgspec.msgpack.encode([])))
    with pytest.raises(cluster_worker.NotPrepared):
        cluster_worker.carry_out("session", b"", "tcp://somewhere")
    versions = cluster_worker.versions()
    other = msgspec.structs.replace(versions, rails_cli="9.9")
    assert cluster_worker.prepare("session", other, shipment) == [f"has rails-cli {rails_cli.__version__}, not 9.9"]
    assert cluster_worker.prepare("session", versions, shipment) == []
    try:
        assert pickle.loads(cluster_worker.carry_out("session", pickle.dumps((os.getcwd, (), {}))))[0]
        with pytest.raises(cluster_worker.TaskProcessLost, match="code 3"):
            cluster_worker.carry_out("session", pickle.dumps((start_and_end, (mark,), {})))
        assert left_behind(mark) == []
        is_good, error = pickle.loads(
            cluster_worker.carry_out("session", pickle.dumps((os.listdir, ("/nowhere",), {})))
        )
        assert not is_good
        assert isinstance(error, FileNotFoundError)
        _, folder = pickle.loads(cluster_worker.carry_out("session", pickle.dumps((os.getcwd, (), {}))))
        assert Path(folder).is_dir()
    finally:
        cluster_worker.leave("session")
    wait_until(lambda: not Path(folder).exists(), f"the end of {folder}")
