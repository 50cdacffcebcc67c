"""Tests of `rails-cli tournament tune`, which finds better values for the parameters of a bot."""

import json
import shutil
import signal
import subprocess
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner

from rails_cli.cli import main
from rails_cli.commands.new_bot import TEMPLATES
from rails_cli.commands.tournaments.verdicts import NOT_BETTER, UNDECIDED
from rails_cli.tournament.run.tuning import TuneTable
from tests.support.short_boards import short_board
from tests.support.tools import ROOT, start_rails
from tests.support.tournaments import CLOCK, ran, run

GAME = {"game": "last_spike", "players": 2}


def plan_in(folder: Path, **tables: Any) -> Path:
    """Write a plan that tunes the bundled example bot on a short board. Return the path of the plan.

    `tables` adds or replaces keys of the plan. The folder of the bot is copied next to the plan.
    """
    shutil.copytree(TEMPLATES / "tuning", folder / "tuning", dirs_exist_ok=True)
    game = GAME | {"board": str(short_board("last_spike", folder, pieces=2))}
    usual = {"seed": 2, "workers": 1, "clock": CLOCK, "games": [game], "stop": {"games": 2}}
    tuned = {"tune": {"bot": "tuning", "iterations": 2, "rounds": 1}}
    file = folder / "plan.toml"
    file.write_text("\n".join(f"{key} = {_toml(value)}" for key, value in (usual | tuned | tables).items()))
    return file


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key} = {_toml(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return json.dumps(value)


def iterations_of(folder: Path) -> Any:
    return json.loads((folder / "plan-results/tuning.json").read_bytes())["done"]


@pytest.mark.usefixtures("no_charts")
def test_a_tuning_is_deterministic_and_resumes_after_a_kill(tmp_path: Path) -> None:
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    for folder in (whole, killed):
        folder.mkdir()
    first = run("tune", str(plan_in(whole)), "--json")
    assert first.stderr.count(" of 2: RESERVE = ") == 2
    done = iterations_of(whole)
    assert [one["games"] for one in done] == [2, 2]
    plan = plan_in(killed)
    with start_rails("tournament", "tune", str(plan), stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if "1 of 2" in line:
                process.send_signal(signal.SIGKILL)
    assert iterations_of(killed)[0] == done[0]
    again = run("tune", str(plan), "--json")
    assert first.exit_code == again.exit_code == UNDECIDED
    assert "already played" in again.stderr
    assert iterations_of(killed) == done
    one, other = (json.loads(result.stdout) for result in (first, again))
    assert one["parameters"] == other["parameters"]
    assert one["compare"]["table"] == other["compare"]["table"]
    assert one["compare"]["games"] == 2
    assert not list((killed / "plan-results").glob("iteration-*"))


def test_a_bot_is_tuned_against_opponents(tmp_path: Path) -> None:
    games = [GAME | {"players": 3, "board": str(short_board("last_spike", tmp_path, pieces=2))}]
    entrants = [{"name": "busy", "builtin": "busy"}]
    plan = plan_in(tmp_path, games=games, entrants=entrants, tune={"bot": "tuning", "iterations": 1, "rounds": 1})
    result = run("tune", str(plan), "--quiet")
    is_same = "the best values found are the untuned ones" in result.stdout
    assert result.exit_code == (NOT_BETTER if is_same else UNDECIDED)
    assert "tuned: RESERVE = " in result.stdout
    assert iterations_of(tmp_path)[0]["games"] == 6, "each version plays in each of three seats"
    assert result.stderr.startswith("warning: bots run without a sandbox")
    assert result.stderr.count("\n") == 1
    page = (tmp_path / "plan-results/tuning.html").read_text()
    assert "RESERVE" in page
    assert "on other seeds" in page
    assert "<svg" in page


@pytest.mark.usefixtures("no_charts")
def test_the_example_can_be_tuned_and_a_changed_plan_needs_another_folder(tmp_path: Path) -> None:
    """Two iterations of tuning reduce the parameter of the example bot, which is too high.

    Tuning with a changed plan is refused in the same output folder.
    """
    assert CliRunner().invoke(main, ["new-bot", "tuning", str(tmp_path)]).exit_code == 0
    short = ["tune.iterations=2", "tune.rounds=1", "stop.games=2", "workers=1"]
    words = ["tune", str(tmp_path / "plan.toml"), "--quiet", *(word for value in short for word in ("--set", value))]
    tuned = run(*words, "--json")
    (reserve,) = json.loads(tuned.stdout)["parameters"]
    assert reserve["tuned"] <= 45_000 < reserve["untuned"]
    assert tuned.exit_code == UNDECIDED
    result = run(*words, "--set", "seed=3")
    assert result.exit_code == 1
    assert "has a tuning with another plan, bot or seed; choose another output" in result.stderr


def test_the_manual_describes_every_key_with_its_default() -> None:
    text = (ROOT / "docs/TOURNAMENT_TUNE.md").read_text().partition("In `[tune]`:")[2].partition("The method")[0]
    for field in msgspec.structs.fields(TuneTable):
        default = "needed" if field.required else f"`{field.default}`"
        assert f"| `{field.name}` | {default} |" in text


def test_a_bot_that_always_fails_ends_the_tuning(tmp_path: Path) -> None:
    plan = plan_in(tmp_path, tune={"bot": "tuning", "rounds": 2}, max_faults=1)
    (tmp_path / "tuning/saver.py").write_text('import sys\nsys.exit("oops")\n')
    result = run("tune", str(plan))
    assert result.exit_code == 1
    assert "plus is suspended: it failed in each of its first 4 games" in result.stderr


@pytest.mark.parametrize(
    ("parameter", "message"),
    [
        ("", "has no [[parameters]], so there is nothing to tune"),
        ("min = 5\nmax = 5\nstep = 1\ndefault = 5", "X: min 5 must be less than max 5"),
        ("min = 0\nmax = 5\nstep = 0\ndefault = 5", "X: step 0 must be more than 0, and at most max - min = 5"),
        ("min = 0\nmax = 5\nstep = 6\ndefault = 5", "X: step 6 must be more than 0, and at most max - min = 5"),
        ("min = 0\nmax = 5\nstep = 1\ndefault = 6", "X: default 6 is not between min 0 and max 5"),
        ("min = 0\nmax = inf\nstep = 1\ndefault = 6", "X has a value that is not a finite number"),
        ("min = 0\nmax = 5\nstep = 1", "missing required field `default`"),
    ],
)
def test_wrong_parameters_are_refused(tmp_path: Path, parameter: str, message: str) -> None:
    plan = plan_in(tmp_path)
    table = f'[[parameters]]\nname = "X"\n{parameter}\n' if parameter else ""
    (tmp_path / "tuning/bot.toml").write_text(f'command = "python3 saver.py"\n{table}')
    result = run("tune", str(plan))
    assert result.exit_code == 2
    assert message in result.stderr


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        ({"tune": {"iterations": 3}}, "$.tune: object missing required field `bot`"),
        ({"tune": {"bot": "tuning", "c": 2}}, "$.tune.c: expected `float` <= 0.5"),
        ({"tune": {"bot": "nowhere"}}, "nowhere: no bot.toml"),
        ({"games": [{"game": "last_spike", "players": 3}]}, "games for more than 2 need opponents: add [[entrants]]"),
        ({"format": {"kind": "swiss"}}, "$.format: tuning sets the format; leave it out"),
        ({"stop": 3}, "$.stop: expected a table; found 3"),
        ({"entrants": 3}, "$.entrants: expected several tables; found 3"),
        ({"clock": "soon"}, "$.clock: "),
    ],
)
def test_a_wrong_plan_is_refused(tmp_path: Path, tables: dict[str, Any], message: str) -> None:
    result = run("tune", str(plan_in(tmp_path, **tables)))
    assert result.exit_code == 2
    assert message in result.stderr


def test_a_plan_without_a_table_tune_is_refused(tmp_path: Path) -> None:
    plan = plan_in(tmp_path)
    plan.write_text("\n".join(line for line in plan.read_text().splitlines() if not line.startswith("tune")))
    result = run("tune", str(plan))
    assert result.exit_code == 2
    assert "$.tune: is missing; its key bot is the folder of the bot to tune" in result.stderr


def test_a_bot_in_a_tournament_receives_the_defaults_of_its_parameters(tmp_path: Path) -> None:
    bot = tmp_path / "bots" / "mine"
    bot.mkdir(parents=True)
    (bot / "bot.py").write_text("import os, sys\nsys.exit(f\"the value is {os.environ['WEIGHT']}\")\n")
    parameter = '[[parameters]]\nname = "WEIGHT"\nmin = 0\nmax = 1\nstep = 0.25\ndefault = 0.75\n'
    (bot / "bot.toml").write_text(f'command = "python3 bot.py"\n{parameter}')
    words = ["--bots", str(bot.parent), "--entrant", "builtin:busy", "--game", "last_spike", "--players", "2"]
    words += ["--workers", "1", "--set", "max_faults=1"]
    result = ran("run", *words, "--games", "1", "--output", str(tmp_path / "out"), "--quiet")
    assert "the value is 0.75" in result.stdout
