"""Tests of finding, repeating and replaying a bot's crash in a tournament, using only commands."""

import json
import shlex
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from rails_cli.cli import main
from rails_cli.logs.verify import verify
from tests.support.databases import opened
from tests.support.tools import BOTS, bot
from tests.support.tournaments import ran

FATAL = f"""
import json, os, sys
sys.path.insert(0, {str(BOTS)!r})
from honest import answer

file = open(sys.argv[1], "ab", buffering=0)
for line in sys.stdin.buffer:
    file.write(line)
    message = json.loads(line)
    if message["type"] == "start":
        sys.stderr.write("a new match, seat " + str(message["seat"]) + "\\n")
        seat = message["seat"]
    if message["type"] == "request":
        if seat == 1 and message["number"] > 20 and os.environ.get("MOOD") == "a bad day":
            print("\\x1b[2Jwhat now", file=sys.stderr)
            raise RuntimeError("seat 1 is too hard for me")
        answer(message)
"""


PLAN = """
seed = 3
clock = "300/move"
anonymous = true
output = "results"

[format]
kind = "round_robin"
seatings = "rotations"

[[games]]
game = "last_spike"
players = 3

[[entrants]]
name = "fatal"
command = {command}
cpu_seconds = 600
environment = {{ MOOD = "a bad day" }}

[[entrants]]
name = "busy"
builtin = "busy"

[[entrants]]
name = "greedy"
builtin = "greedy"
"""


def rails_cli(words: str) -> Result:
    return CliRunner().invoke(main, shlex.split(words))


@pytest.mark.usefixtures("no_charts")
def test_a_crash_can_be_found_repeated_and_replayed(tmp_path: Path) -> None:
    script, record, again = tmp_path / "fatal.py", tmp_path / "then", tmp_path / "now"
    script.write_text(FATAL)
    command = [sys.executable, str(script), str(record)]
    file, folder = tmp_path / "cup.toml", tmp_path / "results"
    file.write_text(PLAN.format(command=json.dumps(command)))
    outcome = ran("run", str(file), "--workers", "1").stdout

    # Finding it: in the output of the run, the games, the standings, the report and the file with its stderr
    games = [json.loads(line) for line in ran("games", str(folder), "--faults", "--json").stdout.splitlines()]
    (game,) = games
    assert game["seating"][1] == "fatal"
    assert len(game["fault_words"]) == len(game["stderr"]) == len(game["ask"]) == 3
    stderr = game["stderr"][0].splitlines()
    assert stderr[:2] == ["a new match, seat 1", "?[2Jwhat now"]
    assert stderr[-1] == "RuntimeError: seat 1 is too hard for me"
    listed = ran("games", str(folder), "--faults").stdout
    assert "      | RuntimeError: seat 1 is too hard for me\n      to ask the bot again: " in listed
    table = ran("standings", str(folder)).stdout
    assert f"last fault of fatal (seat 2, action {last_action(folder)}): disconnect: exited with code 1" in table
    assert "\nfatal: 3 faults: 3 disconnect\n" in table
    assert "  fatal: 3 faults: 3 disconnect\n" in ran("status", str(folder)).stdout
    assert "  | RuntimeError: seat 1 is too hard for me\n  to ask the bot again: " in table
    assert "  | RuntimeError: seat 1 is too hard for me\n  to ask the bot again: " in outcome
    kept = json.loads(ran("standings", str(folder), "--json").stdout)["last_faults"]
    assert kept["fatal"]["ask"] == game["ask"][-1]
    ran("report", str(folder), "--replays", "none")
    page = (folder / "report.html").read_text()
    assert "RuntimeError: seat 1 is too hard for me</pre>" in page
    assert f"rails-cli ask RESULTS/{game['log']} --at " in page
    assert "in the folder it was run in, with MOOD set as in the plan" in page
    assert "a bad day" not in page, "a report may be published, and variables may be secret"
    notes = (folder / "stderr/fatal.txt").read_text().splitlines()
    begins = [place for place, line in enumerate(notes) if line.endswith("begins, seat 2")]
    assert len([line for line in notes if line.startswith("=== game ") and " begins, seat " in line]) == 3
    assert len([line for line in notes if line.startswith("=== game ") and line.endswith(" ends")]) == 3
    assert notes[begins[0]] == f"=== game {game['id']} begins, seat 2"
    assert notes[begins[0] + 1] == "a new match, seat 1"
    assert len([line for line in notes if line.startswith("=== action ")]) == 3

    # Repeating it: the printed command sends the same request
    asked = game["ask"][0]
    words = shlex.split(asked.removeprefix("(").removesuffix(")").partition("&& rails-cli ")[2])
    assert words[words.index("--") - 2 :] == ["--cpu-seconds", "600", "--", "env", "MOOD=a bad day", *command]
    words[-1] = str(again)
    result = CliRunner().invoke(main, [*words[:1], "--json", *words[1:]])
    assert result.exit_code == 3, result.output
    found = json.loads(result.stdout)
    assert found["stderr"][-1] == "RuntimeError: seat 1 is too hard for me"
    assert found["player"] == "fatal"
    hello, start, request = again.read_bytes().splitlines()
    assert b'"type":"hello"' in hello
    assert b'"players":["player 0","player 1","player 2"]' in start
    assert start in record.read_bytes().splitlines()
    assert f'"number":{found["request"]},' in request.decode()

    calm = CliRunner().invoke(main, [*words[:1], "--json", "--looks", "0", *words[1 : words.index("env")], *command])
    assert calm.exit_code == 0, calm.output
    assert json.loads(calm.stdout)["did_not_fail_again"]

    # Replaying the game up to the crash, and continuing it with a fixed bot
    log, at = words[1], words[words.index("--at") + 1]
    assert rails_cli(f"replay {log} --at {at}").exit_code == 0
    assert rails_cli(f"ask {log} --at {at} --looks 0 -- {bot('honest')}").exit_code == 0
    branch = tmp_path / "branch.jsonl"
    seats = " ".join(f"--seat {shlex.quote(spec)}" for spec in ("builtin:busy", bot("honest"), "builtin:greedy"))
    continued = rails_cli(f"run --from {log} --at {at} {seats} --clock none --quiet --log {branch}")
    assert continued.exit_code == 0, continued.output
    assert verify(branch.read_bytes()).mistake is None
    assert ran("audit", str(folder)).exit_code == 0


def last_action(folder: Path) -> int:
    with opened(folder / "results.sqlite") as database:
        (action,) = database.execute("SELECT max(action) FROM faults").fetchone()
    return int(action)
