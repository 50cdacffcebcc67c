"""Tests of tournaments from the plan to the results: errors in plans, faults, stopping, interruptions and crashes."""

import csv
import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import uuid
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest
from click.testing import CliRunner

from rails_cli.cli import main
from rails_cli.commands.tournament import ORDER
from rails_cli.games.game import ranked_last
from rails_cli.logs.verify import verify_file
from rails_cli.tournament.model import PlayedGame
from rails_cli.tournament.plan.bots_folder import bots_in
from rails_cli.tournament.plan.plan import make_format
from rails_cli.tournament.plan.reading import Mistake, PlanError, make_plan, read_plan
from rails_cli.tournament.rating.standings import make_standings
from rails_cli.tournament.results.group_results import GameFault
from rails_cli.tournament.results.store import PlanDiffers, Store
from rails_cli.tournament.run.events import Event
from rails_cli.tournament.run.workers import InProcess, WorkerPool, Workers, WorkersLost
from rails_cli.tournament.schedule.formats import planned
from tests.support.bad_tasks import broken, poisoned
from tests.support.databases import opened
from tests.support.short_boards import short_board
from tests.support.step_clock import StepClock
from tests.support.tools import BOTS, bot, left_behind, rails, start_rails
from tests.support.tournaments import (
    BUILTINS,
    CLOCK,
    FORMS,
    QUICK,
    comparable,
    plan_of,
    played,
    played_by_clock,
    played_in,
    ran,
    run,
)
from tests.support.waiting import HANG_S, wait_until


def test_a_tournament_of_new_bots_is_reproducible(tmp_path: Path) -> None:
    """Two runs of the same tournament, with one worker and with two workers, play the same games.

    Their logs differ only in times, and in checksums that cover times.
    """
    for language in ("python", "python_protocol"):
        assert CliRunner().invoke(main, ["new-bot", language, str(tmp_path / "bots" / language)]).exit_code == 0
    words = ["--bots", "bots", "--game", "last_spike", "--players", "2", "--entrant", "builtin:random", "--seed", "3"]
    words += ["--set", f"games[0].board={short_board('last_spike', tmp_path)}"]
    path = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    runs = []
    for workers in ("1", "2"):
        more = ["--workers", workers, "--output", workers, "--clock", CLOCK, "--quiet", "--json"]
        done = rails("tournament", "run", *words, *more, check=True, cwd=tmp_path, env=path)
        logs = {file.name: file.read_text() for file in sorted((tmp_path / workers / "logs").iterdir())}
        runs.append({name: re.sub(r',"ms":\d+|,"chain":"\w+"', "", text) for name, text in logs.items()})
        assert json.loads(done.stdout)["tainted"] == 0
    assert len(runs[0]) == 6
    assert runs[0] == runs[1]


def interrupted_after(games: int) -> Callable[[Event], None]:
    left = [games]

    def listen(event: Event) -> None:
        if event["event"] == "game_end":
            left[0] -= 1
            if left[0] == 0:
                raise KeyboardInterrupt

    return listen


# Plans


BAD_PLAN = """\
name = "a/b"
sede = 3
clock = "soon"
anchor = "nobody"
output = "/dev/null/x"
[format]
kind = "round_robin"
rounds = "2"
laps = 3
[[games]]
game = "chess"
players = 3
[[games]]
game = "american_rails"
players = [2, 3]
options = { x = 1 }
[[games]]
game = "last_spike"
players = 3
options.cash = "secret"
[[entrants]]
name = "a"
builtin = "gredy"
[[entrants]]
name = "a"
command = "no-such-program bot.py"
memory = "lots"
[[entrants]]
command = "python3 nowhere.py"
environment = { A = [1] }
[[entrants]]
name = "c"
[stop]
minutes = -1
[stop.better]
entrant = "z"
by = 0.9
"""


def mistakes(folder: Path, text: str, **changes: Any) -> list[Mistake]:
    file = folder / "plan.toml"
    file.write_text(text)
    with pytest.raises(PlanError) as caught:
        read_plan(file, changes)
    return list(caught.value.mistakes)


def test_all_errors_of_a_plan_are_reported_together_with_their_paths(tmp_path: Path) -> None:
    found = dict(mistakes(tmp_path, BAD_PLAN))
    wanted = {
        "name": "without slashes",
        "sede": "did you mean seed?",
        "clock": "try 60+0.5",
        "anchor": "unknown entrant 'nobody'; there are: a, c",
        "output": "/dev/null is not a folder",
        "format.rounds": 'expected `int`, got `str`; found "2"',
        "format.laps": "unknown key 'laps'; known of a round_robin: kind, seatings",
        "games[0].game": "there are: american_rails, chicago_express, last_spike",
        "games[1].players[0]": "American Rails is for 3 to 5 players, not 2",
        "games[1].options.x": "unknown option 'x'",
        "games[2].options.cash": "expected open or hidden",
        "entrants[0].builtin": "did you mean greedy?",
        "entrants[1].name": "a appears twice",
        "entrants[1].command": "there is no program no-such-program",
        "entrants[1].memory": "try 512M or 2G",
        "entrants[2]": "name is missing",
        "entrants[2].command": "nowhere.py",
        "entrants[2].environment[...]": "expected `int | str`, got `array`",
        "entrants[3]": "expected either builtin or command",
        "stop.minutes": "expected `float` > 0.0; found -1",
        "stop.better.entrant": "unknown entrant 'z'",
        "stop.better.by": "expected `float` < 0.5; found 0.9",
    }
    assert set(found) == set(wanted)
    for place, words in wanted.items():
        assert words in found[place], place


@pytest.mark.parametrize(
    ("tables", "path", "words"),
    [
        ({"games": "x"}, "games", 'expected `array`, got `str`; found "x"'),
        ({"entrants": {}}, "entrants", "expected `array`, got `object`; found {}"),
        ({"entrants": ["a"]}, "entrants[0]", 'expected `object`, got `str`; found "a"'),
        ({"stop": 3}, "stop", "expected `object`, got `int`; found 3"),
        ({"stop": {"games": "many"}}, "stop.games", 'expected `int | null`, got `str`; found "many"'),
        (
            {"stop": {"better": {"entrant": "a", "measure": "m"}}},
            "stop.better.measure",
            "expected ahead, beaten, wins, score",
        ),
        ({"logs": "yes"}, "logs", 'expected `bool`, got `str`; found "yes"'),
        ({"start_up_s": -1}, "start_up_s", "expected `float` >= 0.0; found -1"),
        ({"name": ["x" * 99]}, "name", "…"),
        ({"format": {"seatings": []}}, "format.seatings", "expected all, balanced, rotations, `int`; found []"),
        (
            {"format": {"kind": "duel", "versions": ["a"]}},
            "format.versions",
            'expected `array` of length 2, got 1; found ["a"]',
        ),
        (
            {"format": {"kind": "duel", "versions": ["a", 3]}},
            "format.versions[1]",
            'expected `str`, got `int`; found ["a",3]',
        ),
    ],
)
def test_an_invalid_value_is_reported_with_what_was_expected_and_found(
    tables: dict[str, Any], path: str, words: str, tmp_path: Path
) -> None:
    usual = {"games": [{"game": "last_spike", "players": 2}], "entrants": BUILTINS}
    with pytest.raises(PlanError) as caught:
        make_plan({**usual, **tables}, "test", tmp_path)
    assert any(mistake.path == path and words in mistake.words for mistake in caught.value.mistakes)
    assert f"$.{path}: " in str(caught.value)


GOOD_PLAN = """\
[[games]]
game = "last-spike"
players = 3
[format]
kind = "KIND"
[[entrants]]
name = "a"
builtin = "busy"
[[entrants]]
name = "b"
builtin = "random"
"""


@pytest.mark.parametrize(
    ("text", "changes", "path", "words"),
    [
        ("name = \n", {}, "", "not TOML: Invalid value (at line 1, column 8)"),
        ("[[games]]\ngame = 1\n[[entrants]]\nname = 'a'\n", {}, "games[0].game", "expected `str`, got `int`; found 1"),
        ("[[games]]\ngame = 'last_spike'\nplayers = 2\n", {}, "", "entrants is missing"),
        (GOOD_PLAN.replace("KIND", "round_robin"), {}, "format", "needs 3 entrants; there are 2"),
        (GOOD_PLAN.replace("KIND", "swiss"), {}, "format", "rounds is missing"),
        (
            GOOD_PLAN.replace("KIND", "gauntlet"),
            {"format.challengers": ["x"]},
            "format.challengers",
            "x is not an entrant",
        ),
        (GOOD_PLAN.replace('"a"', '"a "'), {}, "entrants[0].name", "cannot be shown"),
        (GOOD_PLAN.replace("KIND", "knockut"), {}, "format.kind", "did you mean knockout?"),
        (GOOD_PLAN.replace("KIND", "league"), {"games[0].players": 9}, "games[0].players", "2 to 6 players, not 9"),
        (GOOD_PLAN.replace("KIND", "league"), {"games[3].players": 2}, "games[3].players", "no such key"),
        (
            GOOD_PLAN.replace("KIND", "league"),
            {"stop.settled_top": 3, "games[0].players": 2},
            "stop.settled_top",
            "only 2 entrants",
        ),
    ],
)
def test_an_error_in_a_plan_is_reported_with_its_path(
    text: str, changes: dict[str, Any], path: str, words: str, tmp_path: Path
) -> None:
    found = mistakes(tmp_path, text, **changes)
    assert any(at == path and words in message for at, message in found), found


def test_paths_in_a_plan_are_relative_to_its_file(tmp_path: Path) -> None:
    (tmp_path / "bots").mkdir()
    shutil.copy(BOTS / "honest.py", tmp_path / "bots/honest.py")
    (tmp_path / "bots/run").write_text(f"#!/bin/sh\nexec {sys.executable} honest.py\n")
    (tmp_path / "bots/run").chmod(0o755)
    entrants = [
        {"name": "one", "command": [sys.executable, "bots/honest.py"]},
        {"name": "two", "command": "./run", "folder": "bots", "memory": "1G", "environment": {"N": 1}},
    ]
    games = [{"game": "last_spike", "players": 2}]
    plan = plan_of(tmp_path, entrants=entrants, games=games)
    assert plan.folder == tmp_path / "results"
    assert plan.entrants[1].memory_bytes == 2**30
    _, results = played(plan)
    assert [sum(game.faults) for game in results] == [0, 0]


def test_init_writes_a_plan_that_works(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    ran("init", str(file))
    assert "already exists" in run("init", str(file)).output
    assert read_plan(file).name == "mine"
    result = ran("run", str(file), "--workers", "1", "--quiet")
    assert "12 games; all games are played" in result.stdout
    assert len(list((tmp_path / "mine-results/logs").iterdir())) == 12
    assert all(verify_file(log).mistake is None for log in (tmp_path / "mine-results/logs").iterdir())


@pytest.mark.parametrize("part", sorted(ORDER))
def test_help_shows_examples(part: str) -> None:
    assert f"rails-cli tournament {part}" in ran(part, "--help").output.split("Examples:")[1]


# Games


def test_logs_and_economy_do_not_change_the_games(tmp_path: Path) -> None:
    """The games are the same with and without logs, and with and without the option `economy`.

    The option `economy` records, for each seat, what shares cost and what they returned. The sums of these amounts are
    correct.
    """
    settings = []
    for name in ("chicago_express", "american_rails", "last_spike"):
        (tmp_path / name).mkdir()
        settings.append({"game": name, "players": 3, "board": str(short_board(name, tmp_path / name))})
    tables: dict[str, Any] = {"games": settings, "entrants": QUICK, "format": {"rounds": 1, "seatings": "rotations"}}
    quick = played(plan_of(tmp_path / "quick", **tables, economy=True))[1]
    logged = played(plan_of(tmp_path / "logged", **tables, logs=True))[1]
    bare = played(plan_of(tmp_path / "bare", **tables))[1]
    assert [msgspec.structs.replace(game, log=None, head=None) for game in logged] == quick
    assert [msgspec.structs.replace(game, economy=[]) for game in quick] == bare
    assert all(verify_file(tmp_path / "logged/results" / str(game.log)).mistake is None for game in logged)
    for game in quick:
        for seat, profile in enumerate(game.economy):
            assert profile["shares"] == sum(profile["held"].values())
            assert profile["companies"] == sum(number > 0 for number in profile["held"].values())
            if game.setting.game == "chicago_express":
                assert game.scores[seat] == 120 // 3 - profile["paid"] + profile["returned"]
        assert sum(profile["income"] for profile in game.economy) > 0
        assert sum(profile["built"] for profile in game.economy) > 0


def test_random_players_play_differently_in_each_seating(tmp_path: Path) -> None:
    entrants = [{"name": name, "builtin": "random"} for name in "abc"]
    _, games = played(plan_of(tmp_path, entrants=entrants))
    assert len({game.actions for game in games}) > 1


def test_both_games_of_a_pair_in_a_duel_have_the_same_random_numbers(tmp_path: Path) -> None:
    entrants = [{"name": name, "builtin": "random"} for name in "abcd"]
    games_table = [{"game": "american_rails", "players": 3}]
    plan = plan_of(tmp_path, games=games_table, entrants=entrants, format={"kind": "duel", "versions": ["a", "b"]})
    _, games = played(plan)
    scores = [game.scores for game in games]
    assert scores[0::2] == scores[1::2]


def table_of(folder: Path) -> dict[str, Any]:
    """Return the JSON output of `standings` without times, and without the checksum that depends on times."""
    tables: dict[str, Any] = json.loads(ran("standings", str(folder), "--json").stdout)
    del tables["head"]
    for table in (*tables["tables"], *tables["clean"]):
        for standing in table["standings"]:
            del standing["ms_per_game"], standing["ms_per_action"]
    return tables


MIXED = [
    {"name": "honest", "command": bot("honest")},
    {"name": "early", "command": bot("exits_between_games")},
    BUILTINS[0],
]


def test_results_do_not_depend_on_the_number_of_workers(tmp_path: Path) -> None:
    mark = uuid.uuid4().hex
    entrants = [{**table, "environment": {"RAILS_TEST": mark}} for table in (*MIXED[:2], BUILTINS[1])]
    tables = {"entrants": entrants, "logs": True, "format": {"rounds": 2, "seatings": "rotations"}}
    plans = [plan_of(tmp_path / name, **tables) for name in ("one", "two")]
    one, two = played(plans[0], 1)[1], played(plans[1], 2)[1]
    assert comparable(one) == comparable(two)
    assert table_of(plans[0].folder) == table_of(plans[1].folder)
    assert not any(sum(game.faults) for game in one)
    logs = list((plans[1].folder / "logs").iterdir())
    assert len(logs) == len(two) == 6
    assert all(verify_file(log).mistake is None for log in logs)
    assert left_behind(mark) == []


def test_any_executor_can_run_games_and_send_logs_back(tmp_path: Path) -> None:
    tables = {"entrants": MIXED, "logs": True, "format": {"seatings": "rotations"}}
    plans = [plan_of(tmp_path / name, **tables) for name in ("one", "two")]
    here = played(plans[0])[1]
    there = played_in(plans[1], Workers(lambda: ThreadPoolExecutor(1), 1, task_s=0, has_folder=False))[1]
    assert comparable(here) == comparable(there)
    one, two = (
        {
            file.name: re.sub(rb',"ms":\d+|,"chain":"\w+"', b"", file.read_bytes())
            for file in (plan.folder / "logs").iterdir()
        }
        for plan in plans
    )
    assert one == two


# Faults


class Faulty(NamedTuple):
    """The results of a tournament in which a bot failed: the folder, the games and the faults."""

    folder: Path
    games: list[PlayedGame]
    faults: list[GameFault]


def faulty(folder: Path, kind: str, **tables: Any) -> Faulty:
    entrants = [{"name": "bad", "command": bot(kind)}, *BUILTINS[1:]]
    usual = {"entrants": entrants, "max_faults": 2, "logs": True}
    plan = plan_of(folder, **{**usual, "format": {"seatings": "rotations"}, **tables})
    played(plan)
    with Store(plan.folder) as store:
        return Faulty(plan.folder, list(store.played()), [fault for _, fault in store.faults()])


@pytest.fixture(scope="module")
def crashed(tmp_path_factory: pytest.TempPathFactory) -> Faulty:
    """The results of a tournament in which a bot crashed in each game."""
    return faulty(tmp_path_factory.mktemp("crashed"), "crashes")


def test_a_substitute_finishes_the_game_of_a_crashed_bot(crashed: Faulty) -> None:
    folder, games, found = crashed
    for game in games:
        bad = game.seating.index("bad")
        assert game.faults == [2 if seat == bad else 0 for seat in range(3)]
        assert game.is_tainted
        assert game.reason == "normal"
    assert len(found) == 6
    assert {fault.code for fault in found} == {"disconnect"}
    assert "a substitute takes over" in found[-1].message
    assert "RuntimeError" in (folder / "stderr/bad.txt").read_text()
    listed = ran("games", str(folder), "--faults").stdout
    assert "! bad (seat" in listed
    assert "tainted" in listed
    assert make_standings(games).clean[0].games == 0


@pytest.mark.parametrize("kind", ["illegal", "wrong_type"])
def test_a_bot_that_always_answers_invalidly_loses_its_seat(kind: str, tmp_path: Path) -> None:
    """A bot that always answers invalidly loses its seat after six invalid answers.

    After three invalid answers the default action is played. After three more, the default action is played again, and
    a substitute takes over the seat.
    """
    _, games, faults = faulty(tmp_path, kind)
    assert [sum(game.faults) for game in games] == [6, 6, 6]
    assert all(game.is_tainted and game.reason == "normal" for game in games)
    found = [fault.message for fault in faults]
    assert sum(words.endswith("; default played") for words in found) == 3
    assert sum(words.endswith("; default played; a substitute takes over") for words in found) == 3
    voided = faulty(tmp_path / "void", kind, on_faults="void_and_replay")
    assert {game.reason for game in voided.games if not game.absent} == {"illegal"}


def test_a_single_invalid_answer_does_not_taint_a_game(tmp_path: Path) -> None:
    _, games, _ = faulty(tmp_path, "illegal_once", games=[{"game": "chicago_express", "players": 3}])
    assert sum(sum(game.faults) for game in games) > 0
    assert not any(game.is_tainted for game in games)


def test_an_entrant_that_failed_is_ranked_last(crashed: Faulty) -> None:
    for game in crashed.games:
        assert game.lost == [game.seating.index("bad")]
        assert game.scores[game.lost[0]] == 0
        assert game.ranks[game.seating.index("bad")] == 3
        assert min(game.ranks) == 1
    assert ranked_last([1, 2, 2, 4], [0]) == [4, 1, 1, 3]
    assert ranked_last([1, 2, 3, 3], [0, 3]) == [3, 1, 2, 3]
    assert ranked_last([2, 1], []) == [2, 1]


def test_a_void_game_is_lost_and_replayed(tmp_path: Path) -> None:
    folder, games, _ = faulty(tmp_path / "bad", "crashes", on_faults="void_and_replay", max_faults=1)
    tries = [(game.number, game.reason, sum(game.faults)) for game in games]
    assert tries == [(number, "disconnect", 1) for number in range(9)]
    for game in games:
        bad = game.seating.index("bad")
        assert game.ranks == [3 if seat == bad else 1 for seat in range(3)]
        assert verify_file(folder / str(game.log)).mistake is None
    assert make_standings(games).tables[0].games == 9
    # A bot that fails only at its very first request.
    once = tmp_path / "once.py"
    once.write_text(
        f"import os, sys\nsys.path.insert(0, {str(BOTS)!r})\nfrom honest import answer, requests\n"
        "for request in requests():\n"
        f"    if not os.path.exists({str(tmp_path / 'failed')!r}):\n"
        f"        open({str(tmp_path / 'failed')!r}, 'w'); os._exit(1)\n"
        "    answer(request)\n"
    )
    entrants = [{"name": "bad", "command": [sys.executable, "-S", str(once)]}, *BUILTINS[1:]]
    _, games, _ = faulty(tmp_path / "once", "", entrants=entrants, on_faults="void_and_replay", max_faults=1)
    assert [game.reason for game in games] == ["disconnect", "normal", "normal", "normal"]
    assert [(game.number, game.lost) for game in games if game.is_tainted] == [(0, [0])]


def test_a_tournament_ends_if_too_few_entrants_are_left(tmp_path: Path) -> None:
    entrants = [{"name": "bad", "command": bot("never_starts")}, BUILTINS[1]]
    plan = plan_of(
        tmp_path,
        entrants=entrants,
        games=[{"game": "last_spike", "players": 2}],
        format={"seatings": "rotations"},
        on_faults="void_and_replay",
        max_faults=1,
        stop={"games": 100},
    )
    outcome, _ = played(plan)
    assert outcome.ending is not None
    assert (outcome.ending.why, outcome.ending.groups) == ("suspended", 1)


def test_a_board_file_is_used_and_checked(tmp_path: Path) -> None:
    board = resources.files("rails_cli.games.last_spike").joinpath("board.json").read_text(encoding="utf-8")
    (tmp_path / "board.json").write_text(board + "\n")
    games = [{"game": "last_spike", "players": 3, "board": "board.json"}]
    plan = plan_of(tmp_path, games=games, logs=True)
    _, results = played(plan)
    assert plan.settings[0].board == results[0].setting.board != "standard"
    log = plan.folder / str(results[0].log)
    assert verify_file(log).mistake is None
    assert '"board":{' in log.read_text().splitlines()[0]
    (tmp_path / "board.json").write_text("{}")
    with pytest.raises(PlanError, match=r"games\[0\].board"):
        plan_of(tmp_path, games=games)


# Interruptions and crashes


def test_every_format_is_played_by_tests() -> None:
    assert {form["kind"] for form in FORMS} == set(planned())


@pytest.mark.parametrize("form", FORMS, ids=lambda form: str(form["kind"]))
def test_an_interrupted_tournament_resumes_with_the_same_results(form: dict[str, Any], tmp_path: Path) -> None:
    more = [{"name": name, "builtin": kind} for name, kind in zip("abc", ("busy", "random", "busy"), strict=True)]
    tables = {"entrants": QUICK + more, "format": form, "stop": {"games": 18} if form["kind"] == "league" else {}}
    outcome, calm = played(plan_of(tmp_path / "calm", **tables))
    assert outcome.ending is not None
    wild = plan_of(tmp_path / "wild", **tables)
    for number in (1, 2, 3):
        interrupted, _ = played_in(wild, Workers(InProcess, 1, task_s=0), interrupted_after(number))
        assert interrupted.ending is None
    ended, games = played(wild, 1)
    assert ended.ending == outcome.ending
    assert games == calm
    assert table_of(wild.folder) == table_of(tmp_path / "calm/results")
    started: list[Event] = []
    again, _ = played(wild, 1, started.append)
    assert again.ending == outcome.ending
    assert [event["event"] for event in started] == ["tournament_start", "tournament_end"]


KILLED = """
seed = 3
clock = "none"
[format]
seatings = "rotations"
[[games]]
game = "last_spike"
players = 3
board = {board!r}
[[entrants]]
name = "waits"
command = {bot!r}
[[entrants]]
name = "greedy"
builtin = "busy"
[[entrants]]
name = "busy"
builtin = "busy"
[[entrants]]
name = "random"
builtin = "random"
"""


def logs_in(folder: Path) -> list[str]:
    return sorted(file.name for file in (folder / "logs").glob("*"))


def test_a_killed_run_resumes_with_the_same_results(tmp_path: Path) -> None:
    """A run that was killed twice and resumed has the same results as an uninterrupted run.

    A seed group is a set of games with one seed. The first kill is before the first group is finished, the second after
    it. A bot stops answering after some games, so that the run cannot end before it is killed.
    """
    mark = uuid.uuid4().hex
    plan, gate, calm, wild = (tmp_path / name for name in ("plan.toml", "gate", "calm", "wild"))
    plan.write_text(KILLED.format(bot=bot("waits"), board=str(short_board("last_spike", tmp_path))))
    words = ["run", str(plan), "--output", str(wild), "--workers", "2", "--quiet"]
    environment = {**os.environ, "RAILS_TEST": mark, "WAITS_FOR": str(gate)}
    for games, logs in ((1, 2), (4, 5)):
        more = {**environment, "WAITS_AFTER": str(games)}
        with start_rails("tournament", *words, stdout=subprocess.DEVNULL, env=more) as process:
            wait_until(lambda wanted=logs: len(logs_in(wild)) >= wanted, f"{logs} logs")  # type: ignore[misc]
            process.kill()
    gate.touch()
    done = rails("tournament", *words, env={**environment, "WAITS_AFTER": "0"})
    assert done.returncode == 0, done.stderr
    assert left_behind(mark) == []
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WAITS_AFTER", "1000")
        ran("run", str(plan), "--output", str(calm), "--workers", "1", "--quiet")
    assert table_of(wild) == table_of(calm)
    assert logs_in(wild) == logs_in(calm)
    assert len(logs_in(calm)) == 12
    ran("audit", str(wild), "--workers", "1")


def test_groups_whose_logs_a_power_cut_has_damaged_are_played_again(tmp_path: Path) -> None:
    """After a power cut, seed groups are played again if one of their logs is missing, empty or cut off.

    A seed group is a set of games with one seed. Its logs may be lost, because they are not forced to disk. These
    groups are not played again:

    - groups that ended long before the power cut.
    - groups whose logs were changed but are complete.

    Groups are played again even if the time of the tournament is used up.
    """
    output = tmp_path / "results"
    entrants = [word for name in ("busy", "random") for word in ("--entrant", f"builtin:{name}")]
    words = ["run", "--game", "last_spike", "--players", "2", "--rounds", "6", "--seed", "3", *entrants]
    words += [
        "--set",
        f"games[0].board={short_board('last_spike', tmp_path)}",
        "--output",
        str(output),
        "--workers",
        "1",
        "--quiet",
        "--minutes",
        "60",
    ]
    ran(*words)
    with Store(output) as store:
        groups = [group.id for group in store.groups()]
    old, missing, empty, cut, edited, _ = (output / f"logs/{group}-1.jsonl" for group in groups)
    before = {file: file.read_bytes() for file in (output / "logs").iterdir()}
    table = table_of(output)
    with opened(output / "results.sqlite") as database:
        database.execute("UPDATE groups SET finished = finished - 100 WHERE id = ?", (groups[0],))
        database.execute("UPDATE facts SET value = '3600.0' WHERE name = 'used_s'")
    old.write_bytes(b"")
    missing.unlink()
    empty.write_bytes(b"")
    cut.write_bytes(before[cut][:-9])
    edited.write_bytes(before[edited].replace(b"busy", b"best"))
    resumed = ran(*words)
    assert "warning: 3 finished groups are played again: a log is missing, empty or cut off" in resumed.stderr
    assert table_of(output) == table
    assert "no game will be played" not in resumed.stderr
    assert "played again" not in ran(*words).stderr
    audited = json.loads(run("audit", str(output), "--workers", "1", "--json").stdout)
    findings = {f"{finding['about']}.jsonl": finding["words"] for finding in reversed(audited["findings"])}
    assert findings.keys() >= {old.name, edited.name}
    assert not findings.keys() & {missing.name, empty.name, cut.name}
    assert "the log is empty or cut off" in findings[old.name]
    assert "is not the log that was played" in findings[edited.name]


def test_a_killed_worker_does_not_change_the_results(tmp_path: Path) -> None:
    """A tournament in which one worker process is killed has the same results as an undisturbed tournament.

    The test kills only one worker. If two workers were lost with the same bot, the bot would be blamed.
    """
    mark = uuid.uuid4().hex
    honest = {"name": "honest", "command": bot("honest"), "environment": {"RAILS_TEST": mark}}
    tables = {"entrants": [honest, *BUILTINS[1:]], "format": {"rounds": 4, "seatings": "rotations"}}
    pools: list[WorkerPool] = []
    events: list[Event] = []

    def open_pool() -> WorkerPool:
        pools.append(WorkerPool(2))
        return pools[-1]

    def kill_one(event: Event) -> None:
        events.append(event)
        ended = sum(event["event"] == "game_end" for event in events)
        if event["event"] == "game_end" and ended == 6:
            os.kill(next(iter(pools[-1]._processes)), signal.SIGKILL)

    plan = plan_of(tmp_path / "wild", **tables)
    outcome, games = played_in(plan, Workers(open_pool, 2), kill_one)
    assert outcome.ending is not None
    assert len(pools) >= 2
    assert any(event["event"] == "group_lost" for event in events)
    assert comparable(games) == comparable(played(plan_of(tmp_path / "calm", **tables))[1])
    assert left_behind(mark) == []


def wait_for_file(file: Path) -> None:
    wait_until(file.exists, "the file")


def test_a_pool_ends_after_a_worker_was_killed_that_waited_for_a_task(tmp_path: Path) -> None:
    """One idle worker holds the lock of the queue of tasks while it waits for a task. The test kills each of two."""
    for number in range(2):
        pool = WorkerPool(2, end_s=1)
        files = [tmp_path / f"{number}-{task}" for task in range(2)]
        tasks = [pool.submit(wait_for_file, file) for file in files]
        for file, task in zip(files, tasks, strict=True):
            file.touch()
            task.result()
        os.kill([*pool._processes][number], signal.SIGKILL)
        pool.shutdown()


class Poisoned(WorkerPool):
    """A pool of worker processes. The games of round 2 end every worker process that plays them."""

    def submit(self, task: Callable[..., Any], /, *words: Any, **more: Any) -> "Future[Any]":
        return super().submit(poisoned, *words, **more)


def test_a_group_that_ends_any_worker_is_void(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, format={"rounds": 5})
    events: list[Event] = []
    outcome, games = played_in(plan, Workers(lambda: Poisoned(2), 2), events.append)
    assert outcome.ending is not None
    assert outcome.ending.why == "format"
    lost = [event for event in events if event["event"] == "group_lost" and event["is_void"]]
    assert [event["entrants"] for event in lost] == [["greedy", "busy", "random"]]
    assert {(sum(game.faults), tuple(game.ranks)) for game in games if game.reason != "normal"} == {(0, (1, 1, 1))}
    assert [game.reason for game in games] == ["normal"] * 6 + ["interrupted"] * 6 + ["normal"] * 18


class AlwaysEnding(WorkerPool):
    """A pool of worker processes that end at every task."""

    def submit(self, task: Callable[..., Any], /, *words: Any, **more: Any) -> "Future[Any]":
        return super().submit(os._exit, 1)


def test_a_run_whose_workers_always_end_is_stopped_without_results(tmp_path: Path) -> None:
    plan = plan_of(tmp_path)
    with pytest.raises(WorkersLost, match="in a game of greedy, busy and random"):
        played_in(plan, Workers(lambda: AlwaysEnding(2), 2))
    with Store(plan.folder) as store:
        assert store.groups() == []


class Broken(WorkerPool):
    """A pool of worker processes that raise an exception in games of round 3, as if they had a bug."""

    def submit(self, task: Callable[..., Any], /, *words: Any, **more: Any) -> "Future[Any]":
        return super().submit(broken, *words, **more)


def test_a_bug_in_a_worker_is_reported_with_its_game_and_traceback(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, format={"rounds": 4})
    third = list(make_format(plan).groups({}))[2]
    with pytest.raises(WorkersLost) as lost:
        played_in(plan, Workers(lambda: Broken(1), 1, tasks_ahead=1, task_s=0))
    first, *trace = str(lost.value).splitlines()
    names = "greedy, busy and random"
    assert first == f"a bug in rails-cli, or in the package of the game, ended game {third.id}-0 (last_spike: {names}):"
    assert trace[1] == "Traceback (most recent call last):"
    assert any(line.endswith("in table_of") for line in trace)
    assert trace[-3:] == [
        "KeyError: 'missing'",
        "",
        "Please report this. Finished games are kept, and the same command resumes.",
    ]
    with Store(plan.folder) as store:
        assert [group.stage for group in store.groups()] == ["round 1", "round 2"]
    assert comparable(played(plan)[1]) == comparable(played(plan_of(tmp_path / "calm", format={"rounds": 4}))[1])


def test_ctrl_c_prints_the_command_to_resume(tmp_path: Path) -> None:
    mark = uuid.uuid4().hex
    words = ["tournament", "run", "--game", "last_spike", "--entrant", bot("honest"), "--entrant", bot("honest")]
    words += [
        "--entrant",
        "builtin:busy",
        "--rounds",
        "1000",
        "--clock",
        CLOCK,
        "--workers",
        "2",
        "--output",
        str(tmp_path / "out"),
    ]
    process = start_rails(
        *words,
        "--events",
        str(tmp_path / "events"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "RAILS_TEST": mark},
        start_new_session=True,
    )
    wait_until(lambda: b"game_end" in _content(tmp_path / "events"), "the end of a game")
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does
    out, err = process.communicate(timeout=HANG_S)
    assert process.returncode == 130, err
    assert "interrupted; finished games are kept. To resume:" in err
    assert "Traceback" not in err
    assert "honest 2" in out
    assert left_behind(mark) == []
    assert "interrupted" in ran("status", str(tmp_path / "out")).stdout


def _content(file: Path) -> bytes:
    return file.read_bytes() if file.exists() else b""


def test_only_one_process_can_run_a_tournament(tmp_path: Path) -> None:
    events = tmp_path / "events"
    words = ["--game", "last_spike", "--entrant", "builtin:busy", "--entrant", "builtin:random", "--entrant"]
    words += ["builtin:greedy", "--output", str(tmp_path / "out"), "--rounds", "1000", "--workers", "1", "--quiet"]
    process = start_rails("tournament", "run", *words, "--events", str(events), stdout=subprocess.DEVNULL)
    try:
        wait_until(lambda: b"game_end" in _content(events), "the end of a game")
        assert "another program is playing" in run("run", *words).output
        assert "running" in ran("status", str(tmp_path / "out")).stdout
    finally:
        process.terminate()
        assert process.wait(HANG_S) == 130


def test_options_of_a_format_at_their_defaults_are_shown_as_such(tmp_path: Path) -> None:
    played(plan_of(tmp_path))
    with pytest.raises(PlanDiffers, match=r"format\.seeds was {} and is {\"3\":2}"):
        played(plan_of(tmp_path, format={"seeds": {"3": 2}}))


def test_a_changed_plan_is_refused_with_the_differences(tmp_path: Path) -> None:
    usual = [{"game": "last_spike", "players": 3}]
    form = {"kind": "swiss", "rounds": 1}
    played(plan_of(tmp_path, games=usual, format=form))
    mixed = BUILTINS[1:] + BUILTINS[:1]
    with pytest.raises(PlanDiffers) as caught:
        played(plan_of(tmp_path, games=usual, seed=4, clock="1/move", entrants=mixed, format={**form, "seatings": 3}))
    assert caught.value.differences == [
        "seed was 3 and is 4",
        f"clock was {CLOCK} and is 1/move",
        "format.seatings was 30 and is 3",
        "entrants were in the order greedy, busy, random and are in the order busy, random, greedy",
    ]
    other = [{"name": "greedy", "builtin": "busy"}, BUILTINS[1], {"name": "new", "builtin": "busy"}]
    with pytest.raises(PlanDiffers) as caught:
        played(plan_of(tmp_path, entrants=other, games=[{"game": "last_spike", "players": [2, 3]}], format=form))
    assert caught.value.differences == [
        "games were last_spike for 3 and are last_spike for 2, last_spike for 3",
        "entrant greedy: spec was builtin:greedy and is builtin:busy",
        "new came",
        "random went",
    ]
    changes = {"workers": 2, "anchor": "busy", "start_up_s": 1, "name": "other"}
    more = plan_of(tmp_path, games=usual, format={**form, "rounds": 2}, **changes)
    outcome, games = played(more)
    assert outcome.ending is not None
    assert len(games) == 12


def test_a_changed_bot_needs_another_name(tmp_path: Path) -> None:
    file = tmp_path / "bot.py"
    shutil.copy(BOTS / "honest.py", file)
    tables = {"entrants": [{"name": "mine", "command": "python3 bot.py"}, *BUILTINS[:2]], "format": {"seatings": 3}}
    played(plan_of(tmp_path, **tables))
    played(plan_of(tmp_path, **tables))
    file.write_text(file.read_text() + "# better now")
    with pytest.raises(PlanDiffers, match="entrant mine: its files have changed"):
        played(plan_of(tmp_path, **tables))
    played(plan_of(tmp_path, **tables, trust_bots=True))


# Stopping


def test_a_tournament_stops_after_a_number_of_games(tmp_path: Path) -> None:
    outcome, games = played(plan_of(tmp_path, stop={"games": 8}), 2)
    assert outcome.ending is not None
    assert (outcome.ending.why, outcome.ending.games, len(games)) == ("games", 12, 12)
    outcome, games = played(plan_of(tmp_path, stop={"games": 14}))
    assert len(games) == 18


def test_stopping_does_not_depend_on_the_number_of_workers(tmp_path: Path) -> None:
    rule = {"better": {"entrant": "greedy", "by": 0.3}}
    form = {"seatings": "rotations"}
    endings = []
    for workers in (1, 2):
        plan = plan_of(tmp_path / str(workers), stop=rule, format=form)
        outcome, games = played(plan, workers)
        assert outcome.ending is not None
        assert outcome.ending.why == "better"
        assert "greedy is better than the field" in outcome.ending.words
        assert len(games) == outcome.ending.games
        endings.append((outcome.ending, comparable(games), table_of(plan.folder)))
    assert endings[0] == endings[1]
    # Without the rule the tournament continues and uses the surplus groups.
    more = {"games": endings[0][0].games + 12}
    outcome, games = played(plan_of(tmp_path / "2", stop=more, format=form), 2)
    assert len(games) == more["games"]
    assert comparable(games) == comparable(played(plan_of(tmp_path / "1", stop=more, format=form))[1])


def test_a_tournament_stops_when_the_order_is_settled_or_time_is_up(tmp_path: Path) -> None:
    outcome, _ = played(plan_of(tmp_path / "top", stop={"settled_top": 1}))
    assert outcome.ending is not None
    assert outcome.ending.why == "top"
    assert "greedy" in outcome.ending.words
    clock = StepClock(step_s=1 / 100)
    outcome, games = played_by_clock(plan_of(tmp_path / "time", stop={"minutes": 0.2}), clock)
    assert 10 < clock.elapsed_s <= 12
    assert outcome.ending is not None
    assert outcome.ending.why == "time"
    assert len(games) == outcome.ending.games > 0
    again, _ = played_by_clock(plan_of(tmp_path / "time", stop={"minutes": outcome.seconds / 60}), clock)
    assert again.ending is not None
    assert (again.ending.why, again.ending.games) == ("time", outcome.ending.games)
    with Store(tmp_path / "time/results") as store:
        counted = [group.number for group in store.groups() if not group.surplus]
        assert counted == list(range(outcome.ending.groups))


def test_versions_in_a_duel_are_compared_although_they_never_meet(tmp_path: Path) -> None:
    plan = plan_of(
        tmp_path,
        format={"kind": "duel", "versions": ["greedy", "random"], "repeatable": ["busy"]},
        stop={"better": {"entrant": "greedy", "than": "random", "by": 0.2}},
    )
    outcome, _ = played(plan)
    assert outcome.ending is not None
    assert outcome.ending.words == "greedy is better than random"
    with pytest.raises(PlanError, match="never meet"):
        plan_of(
            tmp_path,
            format={"kind": "duel", "versions": ["greedy", "random"], "repeatable": ["busy"]},
            stop={"better": {"entrant": "greedy", "than": "random", "measure": "ahead"}},
        )


def test_plan_estimates_the_games_needed_for_an_answer(tmp_path: Path) -> None:
    ran("init", str(tmp_path / "p.toml"))
    words = ["plan", str(tmp_path / "p.toml"), "--workers", "1", "--pilot", "4", "--seed", "1"]
    words += [
        "--better",
        "busy",
        "--than",
        "random",
        "--by",
        "0.1",  # timing: a share of games
        "--settled-top",
        "1",
        "--within",
        "50",
    ]
    report = json.loads(run(*words, "--json").stdout)
    assert report["pilot_groups"] == 4
    assert report["format"]["games_most"] == 12
    better, top, within = report["questions"]
    assert better["answer"]["games"] > 100
    assert better["answer"]["games_90"] >= better["answer"]["games"]
    assert top["answer"]["games"] > 0
    assert within["answer"]["minutes"] > 0
    assert "about" in run(*words).stdout
    assert not (tmp_path / "p-results").exists()


@pytest.mark.parametrize(
    ("words", "expected_error"),
    [
        (("--format", "duel"), "--versions OLD NEW"),
        (("--format", "swiss", "--versions", "a", "b"), "--versions is for --format duel"),
        (("--versions", "a", "nobody"), "--versions: The versions: nobody is not an entrant."),
        (("--format", "duel", "--set", "format.versions=3"), "--set format.versions"),
        (("--format", "gauntlet"), "--challengers NAME"),
        (("--versions", "a", "b", "--challengers", "c"), "--challengers is for --format gauntlet, not for duel"),
        (("--challengers", "a", "--repeatable", "nobody"), "--repeatable: repeatable: nobody is not an entrant."),
    ],
)
def test_options_of_formats_are_checked_against_the_format(words: tuple[str, ...], expected_error: str) -> None:
    names = [word for name in ("a", "b", "c", "d") for word in ("--entrant", f"{name}=builtin:busy")]
    result = run("run", "--game", "last_spike", *names, *words, "--check")
    assert result.exit_code == 2
    assert expected_error in result.stderr


@pytest.mark.parametrize(("value", "code"), [("player_1", 0), ("seat_0", 0), ("drawn", 0), ("player_2", 2)])
def test_the_first_player_of_a_plan_is_counted_from_one(value: str, code: int, tmp_path: Path) -> None:
    plan = tmp_path / "plan.toml"
    entrants = "".join(f"[[entrants]]\nname = '{name}'\nbuiltin = 'random'\n" for name in "abc")
    plan.write_text(
        f"[[games]]\ngame = 'american_rails'\nplayers = 3\noptions = {{ first_player = '{value}' }}\n{entrants}"
    )
    names = [word for name in "abc" for word in ("--entrant", f"{name}=builtin:random")]
    typed = ("--game", "american_rails", *names, "--option", f"first_player={value}")
    for words in ((str(plan),), typed):
        checked = run("run", *words, "--check")
        assert checked.exit_code == code
        if code == 2:
            message = "games[0].options.first_player: player_2 is not valid; expected player_1 or drawn"
            assert message in " ".join(checked.stderr.split())


def test_too_few_opponents_may_have_several_seats(tmp_path: Path) -> None:
    mine, other = (f"{name}={bot('honest')}" for name in ("mine", "other"))
    words = ["run", "--game", "last_spike", "--output", str(tmp_path / "results"), "--rounds", "1", "--clock", CLOCK]
    words += ["--entrant", mine]
    two = [*words, "--entrant", "builtin:busy"]
    refused = run(*two, "--check")
    assert refused.exit_code == 2
    assert (
        "last_spike for 3 players needs 3 entrants; there are 2.\nto play games of two, add: --players 2\n"
        in refused.stderr
    )
    assert refused.stderr.endswith(", add: --challengers mine\n")
    report = json.loads(run(*two, "--challengers", "mine", "--json", "--quiet").stdout)
    assert {row["name"] for row in report["table"]} == {"mine", "busy"}
    assert report["games"] == 3
    for more, hint in (
        (["--entrant", other], "--challengers mine --repeatable other"),
        (["--entrant", "builtin:busy", "--versions", "mine", "busy"], "--entrant builtin:medium"),
        (["--entrant", other, "--challengers", "mine"], "--repeatable NAME"),
    ):
        refused = run(*words, *more, "--check")
        assert refused.exit_code == 2, refused.output
        assert hint in refused.stderr
    bots = tmp_path / "bots"
    bots.mkdir()
    for name in ("old", "new"):
        shutil.copy(BOTS / "honest.py", bots / f"{name}.py")
    duel = run("run", "--bots", str(bots), "--entrant", "builtin:medium", "--versions", "old", "new", "--check")
    assert duel.exit_code == 0, duel.output


# Folders of bots


def test_a_folder_of_bots_plays_a_round_robin_that_grows(tmp_path: Path) -> None:
    bots = tmp_path / "bots"
    bots.mkdir()
    shutil.copy(BOTS / "honest.py", bots / "honest.py")
    (bots / "shell").write_text(f"#!/bin/sh\nexec {sys.executable} honest.py\n")
    (bots / "shell").chmod(0o755)
    (bots / "notes.txt").write_text("no bot")
    (bots / "_helper.py").write_text("")
    (bots / "told").mkdir()
    (bots / "told/bot.toml").write_text('command = "python3 ../honest.py"\nmemory = "1G"\nname = "teller"\n')
    assert CliRunner().invoke(main, ["new-bot", "python", str(bots / "fresh")]).exit_code == 0
    (bots / "plain").mkdir()
    shutil.copy(BOTS / "honest.py", bots / "plain/bot.py")
    (bots / "empty").mkdir()
    for name, files in {"twice": ("bot.py", "bot.pl"), "locked": ("bot.xyz",), "unsaid": ("README.md",)}.items():
        (bots / name).mkdir()
        for file in files:
            (bots / name / file).touch()
    (bots / "php").mkdir()
    (bots / "php/bot.php").touch()
    (bots / "odd").mkdir()
    (bots / "odd/bot.xyz").touch(0o755)
    tables, skipped = bots_in(bots, tmp_path)
    assert [(table["name"], table["command"], table["folder"]) for table in tables] == [
        ("fresh", "python3 bot.py", "bots/fresh"),
        ("honest", "python3 honest.py", "bots"),
        ("odd", "./bot.xyz", "bots/odd"),
        ("php", "php bot.php", "bots/php"),
        ("plain", "python3 bot.py", "bots/plain"),
        ("shell", "./shell", "bots"),
        ("teller", "python3 ../honest.py", "bots/told"),
    ]
    assert skipped == [
        "empty (no bot.toml, no file named bot or bot.*)",
        "locked (bot.xyz is not executable; try chmod +x, or write its command into a bot.toml)",
        "notes.txt (neither executable nor a source file that can be run)",
        "twice (bot.pl and bot.py are both bots; add a bot.toml that says which)",
        'unsaid (no bot.toml, no file named bot or bot.*, and its README.md has no line "Run: `COMMAND`")',
    ]
    for name in ("fresh", "odd", "php"):  # the first plays at random, the others cannot run
        shutil.rmtree(bots / name)
    (bots / "shell").unlink()
    words: tuple[str, ...] = ("--bots", str(bots), "--game", "last_spike", "--output", str(tmp_path / "results"))
    words += ("--workers", "1", "--clock", CLOCK, "--set", "format.seatings=rotations")
    result = ran("run", *words)
    assert "skipped: empty (no bot.toml" in result.stderr
    assert "3 games; all games are played" in result.stdout
    with Store(tmp_path / "results") as store:
        first = list(store.played())
    # One bot leaves and one joins. The games played so far stay.
    shutil.rmtree(bots / "plain")
    shutil.copy(BOTS / "honest.py", bots / "newcomer.py")
    result = ran("run", *words, "--json")
    assert (
        "unequally many games, when the rounds that have begun are over: last_spike for 3: newcomer 3 and honest 6"
        in result.stderr
    )
    outcome = json.loads(result.stdout)
    assert (outcome["games"], outcome["ending"]["why"]) == (6, "format")
    assert {row["name"] for row in outcome["table"]} == {"honest", "newcomer", "plain", "teller"}
    with Store(tmp_path / "results") as store:
        games = list(store.played())
    assert games[:3] == first
    assert all("newcomer" in game.seating and "plain" not in game.seating for game in games[3:])
    assert "6 of 6 games" in ran("status", str(tmp_path / "results")).stdout
    assert "no bot found in" in run("run", "--bots", str(bots / "empty")).output


# Output for other programs


def test_events_are_written_as_json_lines(tmp_path: Path) -> None:
    entrants = ["--entrant", f"bad={bot('crashes')}", "--entrant", "builtin:busy", "--entrant", "again=builtin:busy"]
    words = ["--game", "last_spike", *entrants, "--output", str(tmp_path / "out"), "--workers", "1", "--quiet"]
    words += ["--clock", CLOCK, "--seed", "1", "--set", "max_faults=1"]
    events = tmp_path / "events.jsonl"
    ran("run", *words, "--events", str(events), "--set", 'format.seatings="rotations"')
    lines = [json.loads(line) for line in events.read_text().splitlines()]
    kinds = [event["event"] for event in lines]
    assert kinds[0] == "tournament_start"
    assert kinds[-1] == "tournament_end"
    assert kinds.count("game_end") == 3
    assert kinds.count("fault") == 3
    assert lines[0]["total"] == 3
    game = next(event for event in lines if event["event"] == "game_end")
    assert sorted(game["ranks"]) == [1, 2, 3]
    assert game["log"] == f"logs/{game['id']}.jsonl"
    fault = next(event for event in lines if event["event"] == "fault")
    assert (fault["entrant"], fault["code"]) == ("bad", "disconnect")
    assert [row["place"] for row in lines[-1]["table"]] == [1, 2, 3]
    result = ran("run", *words, "--events", "-", "--set", 'format.seatings="rotations"')
    assert [json.loads(line)["event"] for line in result.stdout.splitlines()] == ["tournament_start", "tournament_end"]


def test_progress_events_are_emitted_during_a_run(tmp_path: Path) -> None:
    events: list[Event] = []
    played_by_clock(plan_of(tmp_path, format={"rounds": 5}), StepClock(step_s=1 / 100), events.append)
    eta = [event for event in events if event["event"] == "eta"][-1]
    assert eta["total"] == 30
    assert eta["games_per_s"] > 0
    standing = [event for event in events if event["event"] == "standing"][-1]
    assert standing["table"][0]["name"] == "greedy"


def test_results_are_exported_for_other_programs(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, economy=True, format={"rounds": 2})
    _, games = played(plan)
    folder = str(plan.folder)
    rows = list(csv.DictReader(io.StringIO(ran("export", folder).stdout)))
    assert len(rows) == 36
    first = rows[0]
    assert first["id"] == f"{games[0].group}-0"
    assert int(first["score"]) == games[0].scores[0]
    assert first["fingerprint"] == games[0].fingerprint != ""
    assert int(first["paid"]) == games[0].economy[0]["paid"]
    ran("export", folder, "--format", "json", "--output", str(tmp_path / "x.json"))
    exported = json.loads((tmp_path / "x.json").read_text())
    assert [game["scores"] for game in exported["games"]] == [game.scores for game in games]
    assert exported["plan"]["name"] == "test"
    nobody = run("games", folder, "--entrant", "nobody")
    assert nobody.exit_code == 2
    assert "there is no entrant 'nobody'; the entrants are " in nobody.stderr
    assert "greedy" in nobody.stderr.splitlines()[-1]
    listed = [json.loads(line) for line in ran("games", folder, "--json", "--entrant", "greedy").stdout.splitlines()]
    assert [game["seating"] for game in listed] == [game.seating for game in games]
    shown = ran("standings", folder, "--pairs", "--seats").stdout
    for words in ("greedy", "Head to head: how often the first finished ahead", "Advantage of each seat", "–"):
        assert words in shown
    status = json.loads(ran("status", folder, "--json").stdout)
    assert (status["games"], status["openings"]) == (12, "none: every game has its own luck")


def test_parquet_without_its_library_is_an_error_that_names_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = plan_of(tmp_path)
    played(plan)
    file = tmp_path / "x.parquet"
    monkeypatch.setattr("rails_cli.commands.tournaments.export.find_spec", lambda name: None)
    result = run("export", str(plan.folder), "--format", "parquet", "--output", str(file))
    assert result.exit_code == 1
    assert "pip install 'rails-cli[parquet]'" in result.output
    assert not file.exists()


def test_a_question_left_open_after_all_rounds_is_reported(tmp_path: Path) -> None:
    entrants = [word for name in ("busy", "random") for word in ("--entrant", f"builtin:{name}")]
    words = ("run", "--game", "last_spike", "--players", "2", *entrants, "--set", "stop.better.entrant=busy", "--quiet")
    out = ("--output", str(tmp_path / "results"), "--workers", "1")
    assert "is met: stop.better\n" in ran(*words, *out, "--check").stdout
    undecided = run(*words, *out, "--rounds", "1")
    assert undecided.exit_code == 5
    printed = undecided.stdout
    assert "stop.better has no answer yet; leave out rounds to play until it has" in printed


def test_check_counts_the_games_of_entrants_that_joined_and_left(tmp_path: Path) -> None:
    def words(*names: str) -> list[str]:
        entrants = [word for name in names for word in ("--entrant", f"{name}=builtin:random")]
        out = ("--output", str(tmp_path / "results"), "--workers", "1", "--quiet", "--seed", "1")
        return ["run", "--game", "last_spike", "--players", "2", *entrants, "--set", "format.tables=3", *out]

    ran(*words("a", "b", "c"))
    assert "with the results" not in ran(*words("a", "b", "c"), "--check").stdout
    checked = ran(*words("b", "c", "d", "e"), "--check")
    assert "4 games in 2 seed groups\n" in checked.stdout
    assert "with the results in this folder: 14 games, of which 6 are played\n" in checked.stdout
    assert "warning" not in checked.stderr  # all four will have played six games
    assert "a (left)" in ran(*words("b", "c", "d", "e")).stdout
    assert "14 of 14 games" in ran("status", str(tmp_path / "results")).stdout


def test_an_entrant_that_joins_when_all_games_are_played_is_reported(tmp_path: Path) -> None:
    folder = str(tmp_path / "results")

    def words(names: str, games: str) -> list[str]:
        entrants = [word for name in names for word in ("--entrant", f"{name}=builtin:random")]
        game = ("--game", "last_spike", "--game", "american_rails", "--players", "3", "--set", "format.seatings=3")
        return ["run", *game, *entrants, "--games", games, "--output", folder, "--workers", "1", "--quiet"]

    ran(*words("abc", "6"))
    assert json.loads(ran("standings", folder, "--json").stdout)["uneven_games"] == {}
    warning = "warning: d will play no game: of the 6 games of stop.games 6 are already played; raise it (--games)"
    assert warning in ran(*words("abcd", "6"), "--check").stderr
    outcome = ran(*words("abcd", "6"))
    assert warning in outcome.stderr
    assert "d played no game, because stop.games is used up; raise it (--games) and run again" in outcome.stdout
    assert json.loads(ran(*words("abcd", "6"), "--json").stdout)["idle"] == ["d"]
    # Now `a` leaves, and its games with others are the ones that `d` cannot have.
    ran(*words("bcd", "12"))
    shown = ran("standings", folder).stdout
    assert "a (left)" in shown
    assert "Games of each setting: not all entrants have played equally many" in shown
    found = json.loads(ran("standings", folder, "--json").stdout)
    assert found["left"] == ["a"]
    times = {"a": 3, "b": 6, "c": 6, "d": 3}
    assert found["uneven_games"] == {"american_rails/3": times, "last_spike/3": times}


def test_status_counts_games_beyond_the_end_separately(tmp_path: Path) -> None:
    entrants = [word for name in ("busy", "random") for word in ("--entrant", f"builtin:{name}")]
    folder = str(tmp_path / "results")
    words = ("run", "--game", "last_spike", "--players", "2", *entrants, "--workers", "1", "--quiet")
    for rounds in ("2", "1"):
        ran(*words, "--output", folder, "--rounds", rounds)
    status = ran("status", folder).stdout
    assert "2 of 2 games in 1 seed group," in status
    assert "2 games more, played beyond the end, do not count" in status
    shown = json.loads(ran("status", folder, "--json").stdout)
    assert (shown["games"], shown["games_planned"], shown["groups"], shown["surplus"]) == (2, 2, 1, 2)


@pytest.mark.parametrize(
    ("word", "words"),
    [
        ("my bot=builtin:greedy", "'my bot' cannot be a name"),
        ("a/b=python3 bot.py", "'a/b' cannot be a name"),
        ("=builtin:greedy", "has no name before its ="),
        ("a\tb=builtin:greedy", "1 to 60 characters without slashes or control characters"),
        ("./no-such-bot --level=3", "there is no program"),
    ],
)
def test_an_invalid_name_of_an_entrant_is_refused(word: str, words: str) -> None:
    refused = run("run", "--entrant", word, "--entrant", "builtin:busy", "--check")
    assert refused.exit_code == 2
    assert words in refused.stderr


def test_options_override_the_plan_file(tmp_path: Path) -> None:
    ran("init", str(tmp_path / "p.toml"))
    words = ("run", str(tmp_path / "p.toml"), "--check")
    assert "12 games in 2 seed groups" in ran(*words).stdout
    assert "30 games in 5 seed groups" in ran(*words, "--rounds", "5").stdout
    stopping = ran(*words, "--games", "5", "--set", "stop.settled_top=2").stdout
    assert "until a stopping rule is met: stop.games, stop.settled_top, and for at most 5 games (" in stopping
    failed = run(*words, "--set", "format.rounds=x", "--clock", "soon")
    assert failed.exit_code == 2
    assert "  --clock: 'soon' is not a clock" in failed.output
    assert '  --set format.rounds: expected `int`, got `str`; found "x"' in failed.output
    assert "is for tournaments without a plan file" in run(*words, "--entrant", "builtin:busy").output
    assert "at least two of --entrant" in run("run").output
    part = ran(*words, "--set", "games[0].players=[2, 3]", "--game", "last_spike", "--players", "2").stdout
    assert "12 games in 6 seed groups" in part
    assert "p-results-last_spike-2\n" in part
    assert "the plan has none of these; it has last_spike for 3" in run(*words, "--players", "2").output
    assert make_format(read_plan(tmp_path / "p.toml")).length().games_most == 12
