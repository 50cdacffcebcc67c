"""Tests of the manual of the built-in players (docs/PLAYERS.md) and of the command `player`."""

import json
import re
import shlex
import subprocess
from pathlib import Path
from typing import Any

import msgspec
import pytest

from rails_cli.games import load_game, standard_board, whole_games
from rails_cli.players.builtin import BUILTIN_PLAYERS
from rails_cli.protocol.lines import encode
from rails_cli.protocol.messages import Start
from rails_cli.tournament.plan.reading import read_plan
from tests.support.matches import new_match, with_points
from tests.support.short_boards import short_board
from tests.support.tools import RAILS, ROOT, rails
from tests.support.waiting import HANG_S
from tests.support.ws_client import Client, ServerProcess, duel, play_to_end, verified

MANUAL = (ROOT / "docs/PLAYERS.md").read_text(encoding="utf-8")


def start_of(game: str, board: Any = None) -> str:
    """Return a `start` message of a match of `game` as a line of JSON."""
    return encode(Start("m", game, 3, ["a", "b"], 0, {}, None, board)).decode().strip()


def test_the_manual_describes_every_player() -> None:
    described = re.findall(r"`([a-z@0-9.]+)`", " ".join(re.findall(r"^\| (`.*?) \|", MANUAL, re.MULTILINE)))
    assert {name for name in described if "@" not in name} == set(BUILTIN_PLAYERS)


def test_the_commands_in_the_manual_work() -> None:
    commands = re.findall(r"^\$ rails-cli (.*)$", MANUAL, re.MULTILINE)
    assert commands
    for command in commands:
        words = shlex.split(command.replace("< /dev/null", ""))
        rails(*words, stdin=subprocess.DEVNULL, timeout=HANG_S, check=True)


def test_the_player_command_plays_against_the_same_built_in_player(tmp_path: Path) -> None:
    """The `player` command plays a match against the built-in player of the same level. Neither of them has a fault."""
    player = shlex.join([*RAILS, "player", "medium", "--seed", "3"])
    seats = ["--seat", player, "--seat", "builtin:medium"]
    board = str(short_board("last_spike", tmp_path))
    words = ["run", "last_spike", *seats, "--seed", "5", "--json", "--clock", "none", "--board", board]
    done = rails(*words, timeout=HANG_S, check=True)
    result = json.loads(done.stdout)
    assert result["reason"] == "normal"
    assert not any(result["faults"]), result


def test_the_player_command_refuses_an_invalid_name(tmp_path: Path) -> None:
    done = rails("player", "search@fast", timeout=HANG_S)
    assert done.returncode == 2
    assert "search@400" in done.stderr


def test_the_player_command_accepts_any_valid_board_and_unknown_fields() -> None:
    board = json.loads(msgspec.json.encode(load_game("last_spike").wire_board(standard_board("last_spike"))))
    name, entries = next((name, value) for name, value in board.items() if isinstance(value, list))
    more = {**board, "colour": "grey", name: [{**entry, "smell": 3} for entry in entries]}
    for known in (more, with_points({**more, "last_spike_bonus": 1000})):
        done = rails("player", "hard", input=f"{start_of('last_spike', known)}\n")
        assert (done.returncode, done.stderr) == (0, "")
    for other in ({**board, name: entries[1:]}, {key: value for key, value in board.items() if key != name}):
        done = rails("player", "hard", input=f"{start_of('last_spike', other)}\n")
        assert (done.returncode, "Traceback" in done.stderr) == (1, False)
        assert name in done.stderr or "unknown city" in done.stderr


def test_the_player_command_ignores_unknown_legal_entries() -> None:
    match = new_match("last_spike", 2, 5)
    seat = match.seat
    assert seat is not None
    view = json.loads(msgspec.json.encode(match.view_for(seat)))
    known = json.loads(msgspec.json.encode(match.legal))
    request = {"type": "request", "match": "m", "number": 1, "seat": seat, "events": [], "view": view, "default": 0}
    for legal, code in (([{"type": "zzz"}, *known], 0), ([{"type": "zzz"}], 1)):
        asked = json.dumps({**request, "legal": legal, "clock": None})
        done = rails("player", "medium", input=f"{start_of('last_spike')}\n{asked}\n")
        assert (done.returncode, "Traceback" in done.stderr) == (code, False), done.stderr
        assert ('"piece"' in done.stdout) == (code == 0)


@pytest.mark.parametrize(
    ("sent", "words"),
    [
        ("garbage", "cannot read what the server sent"),
        ('{"type": "start"}', "cannot read what the server sent"),
        (start_of("nope"), "a match of 'nope', a game not known here"),
        (start_of("log"), "a match of 'log', a game not known here"),
        (start_of("last_spike") + '\n{"type": "request", "legal": 3}', "cannot read what the server sent"),
    ],
)
def test_the_player_command_reports_invalid_messages_from_the_server(sent: str, words: str) -> None:
    done = rails("player", "hard", input=f"{sent}\n")
    assert done.returncode == 1
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_a_search_at_a_server_runs_in_its_own_process(tmp_path: Path) -> None:
    with ServerProcess(tmp_path / "data") as server, Client(server.url) as client:
        table, _ = duel(server, client, "builtin:search@2")
        assert play_to_end(client)["reason"] == "normal"
        assert server.faults(table) == []
        assert (server.folder / "tables" / f"{table}.seat2.stderr").read_bytes() == b""
        assert verified(server.log(table))


@pytest.mark.parametrize("name", ["ladder", "levels"])
def test_the_tournament_plans_in_the_manual_can_be_played(name: str, tmp_path: Path) -> None:
    """Each tournament plan in the manual has all games for three and four players, and all levels except `expert`.

    The plan `levels` is also played, but only one match of it. The plan `ladder` is not played.
    """
    assert f"[{name}.toml](../bots/{name}.toml)" in MANUAL
    plan = read_plan(ROOT / f"bots/{name}.toml")
    met = {(setting.game, setting.players) for setting in plan.settings}
    assert met >= {(game, players) for game in whole_games() for players in (3, 4)}
    levels = {entrant.spec.removeprefix("builtin:").partition("@")[0] for entrant in plan.entrants}
    assert levels >= {"random", "busy", "easy", "medium", "hard"}
    if name == "ladder":
        return
    short = ("--set", "format.rounds=1", "--set", "stop.games=1", "--workers", "1", "--output", str(tmp_path / "out"))
    done = rails("tournament", "run", str(ROOT / f"bots/{name}.toml"), *short)
    assert done.returncode == 0, done.stderr
