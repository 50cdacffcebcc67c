"""Tests of trust in results: invalid plans are refused, changed bots are noticed, and damaged files are reported."""

import fcntl
import json
import os
import shutil
import sqlite3
import sys
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import msgspec
import pytest

from rails_cli.commands.tournaments.progress import progress
from rails_cli.tournament.model import PlayedGame
from rails_cli.tournament.plan.plan import TournamentPlan
from rails_cli.tournament.plan.reading import PlanError
from rails_cli.tournament.rating import forfeits
from rails_cli.tournament.results.store import LOCK, LOOK_S, PlanDiffers, Store, StoreError, is_locked, locked
from rails_cli.tournament.run.workers import InProcess, WorkerPool, Workers
from rails_cli.tournament.schedule.stopping_rules import Better
from tests.support import tournaments
from tests.support.databases import opened
from tests.support.step_clock import StepClock
from tests.support.tools import BOTS
from tests.support.tournaments import played, played_by_clock, played_in, run

TWO = [{"name": name, "builtin": name} for name in ("busy", "random")]
THREE = [*TWO, {"name": "other", "builtin": "random"}]
EXITS = ["sh", "-c", "exit 1"]
"""The command of a bot that exits before its first answer."""


def plan_of(folder: Path, **tables: Any) -> TournamentPlan:
    """Return a plan with two built-in players. `tables` adds or replaces keys of the plan."""
    usual = {"games": [{"game": "last_spike", "players": 2}], "entrants": TWO, "seed": 0}
    return tournaments.plan_of(folder, **{**usual, **tables})


def games_of(games: list[PlayedGame]) -> list[tuple[str, int, list[int]]]:
    return [(game.group, game.number, game.scores) for game in games]


# Entrants that join and leave


def test_surplus_groups_do_not_affect_the_start_of_a_new_entrant(tmp_path: Path) -> None:
    """A new entrant gets the same games, whether or not surplus games exist.

    Surplus games are games played beyond the present end of the tournament, because an earlier plan was longer.
    """
    results = []
    for surplus in (0, 3):
        folder = tmp_path / str(surplus)
        played(plan_of(folder, entrants=THREE, stop={"games": 10 + 2 * surplus}))
        played(plan_of(folder, entrants=THREE, stop={"games": 10}))
        with Store(folder / "results") as store:
            assert sum(group.surplus for group in store.groups()) == surplus
        entrants = [THREE[0], THREE[2], {"name": "new", "builtin": "busy"}]
        _, games = played(plan_of(folder, entrants=entrants, stop={"games": 20}))
        results.append(games_of(games))
        again = plan_of(folder, entrants=THREE, stop={"games": 24})
        assert len(played(again)[1]) == 24
    assert len(results[0]) == 20
    assert results[0] == results[1]


def test_a_tournament_that_grew_has_the_games_of_one_that_began_with_all_entrants(tmp_path: Path) -> None:
    four = [*THREE, {"name": "new", "builtin": "busy"}]
    results = []
    for workers in (1, 2):
        folder = tmp_path / str(workers)
        for entrants, rounds in ((TWO, 1), (THREE, 2), (four, 2)):
            _, games = played(plan_of(folder, entrants=entrants, format={"rounds": rounds}), workers)
        results.append(games_of(games))
    _, games = played(plan_of(tmp_path / "whole", entrants=four, format={"rounds": 2}))
    assert results[0] == results[1]
    assert sorted(results[0]) == sorted(games_of(games))


def test_a_run_without_a_new_game_ends_as_before_when_an_entrant_leaves(tmp_path: Path) -> None:
    played(plan_of(tmp_path, entrants=THREE))
    outcome, games = played(plan_of(tmp_path, entrants=TWO, stop={"games": 6}))
    assert outcome.ending is not None
    assert (outcome.ending.why, len(games)) == ("games", 6)


@pytest.mark.parametrize("leaver", range(3))
def test_surplus_groups_of_an_entrant_that_left_are_replaced(leaver: int, tmp_path: Path) -> None:
    played(plan_of(tmp_path, entrants=THREE, stop={"games": 16}))
    played(plan_of(tmp_path, entrants=THREE, stop={"games": 10}))
    staying = [entrant for number, entrant in enumerate(THREE) if number != leaver]
    _, games = played(plan_of(tmp_path, entrants=staying, stop={"games": 20}))
    assert len(games) == 20
    assert all(set(game.seating) <= {entrant["name"] for entrant in staying} for game in games[10:])


def test_logs_of_deleted_surplus_groups_are_deleted(tmp_path: Path) -> None:
    for entrants, rounds in ((THREE, 3), (THREE, 1), (TWO, 3)):
        _, games = played(plan_of(tmp_path, entrants=entrants, format={"rounds": rounds}, logs=True))
    assert len(games) == 6 + 2 * 2
    assert {f"logs/{log.name}" for log in (tmp_path / "results/logs").iterdir()} == {game.log for game in games}


def test_an_audit_accepts_surplus_groups_of_rounds_that_the_plan_no_longer_has(tmp_path: Path) -> None:
    for rounds in (3, 1):
        played(plan_of(tmp_path, format={"rounds": rounds}, logs=True))
    audited = run("audit", str(tmp_path / "results"))
    assert audited.exit_code == 0
    assert "6 games, 6 logs played again; everything matches the results" in audited.stdout


def test_rounds_that_the_plan_no_longer_has_do_not_count_after_an_entrant_joined(tmp_path: Path) -> None:
    _, before = played(plan_of(tmp_path, entrants=TWO, format={"rounds": 3}, logs=True))
    _, games = played(plan_of(tmp_path, entrants=THREE, format={"rounds": 1}, logs=True))
    assert len(games) == 6
    assert "6 of 6 games in 3 seed groups," in run("status", str(tmp_path / "results")).stdout
    assert run("audit", str(tmp_path / "results")).exit_code == 0
    _, games = played(plan_of(tmp_path, entrants=THREE, format={"rounds": 3}, logs=True))
    assert len(games) == 18
    assert {(game.group, game.head) for game in before} <= {(game.group, game.head) for game in games}  # not replayed


def test_surplus_groups_that_the_schedule_still_has_are_not_played_again(tmp_path: Path) -> None:
    _, before = played(plan_of(tmp_path, entrants=TWO, format={"rounds": 3}, logs=True))
    played(plan_of(tmp_path, entrants=TWO, format={"rounds": 1}, logs=True))
    _, games = played(plan_of(tmp_path, entrants=THREE, format={"rounds": 3}, logs=True))
    assert len(games) == 18
    assert {(game.group, game.head) for game in before} <= {(game.group, game.head) for game in games}
    assert run("audit", str(tmp_path / "results")).exit_code == 0


@pytest.mark.parametrize("form", [{"kind": "round_robin"}, {"kind": "swiss", "rounds": 2}])
def test_an_entrant_that_has_not_finished_a_game_can_be_corrected(form: dict[str, Any], tmp_path: Path) -> None:
    bad = {"name": "mine", "command": EXITS}
    terms: dict[str, Any] = {"format": form, "max_faults": 1, "logs": True}
    outcome, _ = played(plan_of(tmp_path, entrants=[*THREE, bad], **terms))
    assert outcome.tainted > 0
    _, games = played(plan_of(tmp_path, entrants=[*THREE, {"name": "mine", "builtin": "random"}], **terms))
    assert "mine" in {name for game in games for name in game.seating}
    assert not any(game.lost or game.absent for game in games)
    assert run("audit", str(tmp_path / "results")).exit_code == 0
    with Store(tmp_path / "results") as store, pytest.raises(PlanDiffers, match="entrant mine: spec was"):
        store.begin(plan_of(tmp_path, entrants=[*THREE, bad], **terms))


def test_an_entrant_that_returns_is_still_suspended(tmp_path: Path) -> None:
    first, second = ({"name": name, "command": EXITS} for name in ("first", "second"))
    for guests in ([first], [second], [first, second]):
        outcome, _ = played(plan_of(tmp_path, entrants=[*TWO, *guests], format={"rounds": 2}, max_faults=1))
        assert {one.entrant for one in outcome.suspended} == {guest["name"] for guest in guests}


def test_groups_played_after_a_suspension_are_not_settled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bot that fails in all its first games is suspended when they are played again. Its later results do not count.

    The test makes a first run in which no bot can be suspended. Then it deletes the first games of the failing bot. The
    next run plays them again and suspends the bot.
    """
    bad = {"name": "bad", "command": EXITS}
    terms: dict[str, Any] = {"format": {"rounds": 2}, "max_faults": 1, "logs": True}
    with monkeypatch.context() as patch:
        patch.setattr(forfeits, "SUSPENDED_AFTER", 100)
        _, games = played(plan_of(tmp_path, entrants=[*TWO, bad], **terms))
    with Store(tmp_path / "results") as store:
        store.drop(next(game.group for game in games if "bad" in game.seating))
        store.reopen()
    outcome, games = played(plan_of(tmp_path, entrants=[*THREE, bad], **terms))
    assert [(one.entrant, one.games) for one in outcome.suspended] == [("bad", 4)]
    assert outcome.suspended[0].fault.startswith("disconnect: ")
    assert sum("bad" in game.seating and not game.absent for game in games) == 4
    assert "everything matches the results" in run("audit", str(tmp_path / "results")).stdout


@pytest.mark.parametrize(
    "rosters",
    [
        [],
        [{"names": ["busy"]}],
        [{"names": ["busy", "stranger"]}],
        [{"names": ["busy", "random"], "first_round": 1}],
        [{"names": ["busy", "random"]}, {"names": ["busy", "random"], "first_round": 10**12}],
        [{"names": ["busy", "random"]}, {"names": ["busy", "random"], "first_round": -1}],
    ],
)
def test_damaged_lists_of_entrants_are_reported(rosters: list[dict[str, Any]], tmp_path: Path) -> None:
    plan = plan_of(tmp_path, format={"rounds": 2})
    played(plan)
    with opened(plan.folder / "results.sqlite") as database:
        value = json.dumps({"rosters": rosters})
        database.execute("UPDATE facts SET value = ? WHERE name = 'membership'", (value,))
    with pytest.raises(StoreError, match="list of entrants is damaged"):
        played(plan_of(tmp_path, entrants=THREE, format={"rounds": 2}))
    for command in ("status", "standings", "report", "audit"):
        result = run(command, str(plan.folder))
        assert result.exit_code == 1
        assert "list of entrants is damaged" in result.output


def test_games_that_do_not_belong_to_the_stored_entrants_are_reported(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, entrants=THREE)
    played(plan)
    with opened(plan.folder / "results.sqlite") as database:
        value = json.dumps({"rosters": [{"names": ["busy", "random"]}]})
        database.execute("UPDATE facts SET value = ? WHERE name = 'membership'", (value,))
    with pytest.raises(StoreError, match="was played, but not in this tournament"):
        played(plan)


def test_an_entrant_that_returns_must_be_unchanged(tmp_path: Path) -> None:
    bot = tmp_path / "mine.py"
    shutil.copy(BOTS / "honest.py", bot)
    mine = {"name": "mine", "command": [sys.executable, "mine.py"]}
    played(plan_of(tmp_path, entrants=[*TWO, mine]))
    with Store(tmp_path / "results") as store:
        store.begin(plan_of(tmp_path))
        bot.write_text(bot.read_text() + "# another version\n")
        with pytest.raises(PlanDiffers, match="entrant mine: its files have changed"):
            store.begin(plan_of(tmp_path, entrants=[*TWO, mine]))
        with pytest.raises(PlanDiffers, match="entrant mine: spec was"):
            store.begin(plan_of(tmp_path, entrants=[*TWO, {"name": "mine", "builtin": "greedy"}]))
        store.begin(plan_of(tmp_path, entrants=[*TWO, mine], trust_bots=True))


# Crashes


class LosesWorkers(WorkerPool):
    """A pool of worker processes that end at every task."""

    def __init__(self) -> None:
        super().__init__(1)

    def submit(self, task: Any, /, *given: Any, **named: Any) -> Future[Any]:
        return super().submit(os._exit, 1)


def test_a_group_that_ends_any_worker_is_void_in_a_later_run_too(tmp_path: Path) -> None:
    played(plan_of(tmp_path, format={"rounds": 1}))
    outcome, games = played_in(plan_of(tmp_path, format={"rounds": 2}), Workers(LosesWorkers, 1, tasks_ahead=1))
    assert outcome.void == 2
    assert len(games) == 4


class SpoilsTheFirst(InProcess):
    """Workers that play all tasks, but mark the games of the first task as interrupted."""

    spoilt = 0

    def submit(self, task: Any, /, *given: Any, **named: Any) -> Future[Any]:
        future = super().submit(task, *given, **named)
        if self.spoilt == 0:
            self.spoilt = 1
            for result in future.result():
                result.games[:] = [msgspec.structs.replace(game, reason="interrupted") for game in result.games]
        return future


def test_void_games_are_replaced_to_reach_a_number_of_games(tmp_path: Path) -> None:
    workers = Workers(SpoilsTheFirst, 1, tasks_ahead=1, task_s=0)
    outcome, _ = played_in(plan_of(tmp_path, stop={"games": 6}), workers)
    assert outcome.ending is not None
    assert outcome.ending.why == "games"
    assert (outcome.games - outcome.void, outcome.void) == (6, 2)


def test_checking_the_lock_of_a_run_does_not_disturb_it(tmp_path: Path) -> None:
    clock = StepClock()
    with locked(tmp_path):
        assert is_locked(tmp_path)
        with pytest.raises(StoreError, match="another program is playing"), locked(tmp_path, clock, clock.advance):
            pass
    assert clock.elapsed_s > LOOK_S
    file = os.open(tmp_path / LOCK, os.O_RDWR)
    fcntl.flock(file, fcntl.LOCK_SH)
    assert not is_locked(tmp_path), "another process checks the lock, but none is playing"
    with locked(tmp_path, clock, lambda seconds: os.close(file)):
        assert is_locked(tmp_path)


def test_files_that_are_not_tournament_databases_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "results.sqlite"
    file.touch()
    shown = run("standings", str(tmp_path))
    assert (shown.exit_code, shown.stderr) == (1, f"Error: {file} is empty, not a tournament database\n")
    database = sqlite3.connect(file)
    database.execute("CREATE TABLE songs (name)")
    database.close()
    shown = run("standings", str(tmp_path))
    assert (shown.exit_code, shown.stderr) == (1, f"Error: {file} is not a tournament database\n")


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the results of a tournament. Tests change only copies of it."""
    plan = plan_of(tmp_path_factory.mktemp("results"))
    played(plan)
    return plan.folder


@pytest.mark.parametrize("part", ["status", "standings", "games", "export", "report"])
@pytest.mark.parametrize("damage", ["pages", "fact", "game"])
def test_a_damaged_database_is_reported_in_one_line(part: str, damage: str, results: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(results, tmp_path / "results"))
    file = folder / "results.sqlite"
    with opened(file) as database:
        if damage == "fact":
            database.execute("UPDATE facts SET value = '{\"name\": 5' WHERE name = 'plan'")
        if damage == "game":
            database.execute("UPDATE games SET played = '{}'")
    if damage == "pages":
        content = file.read_bytes()
        file.write_bytes(content[:4096] + b"\xff" * (len(content) - 4096))
    result = run(part, str(folder))
    assert result.exit_code == 1, result.output
    *progress, last = result.stderr.splitlines()
    assert last.startswith(f"Error: cannot read {file}")
    assert progress in ([], ["computing the standings"])


# Plans


@pytest.mark.parametrize(
    ("tables", "path", "words"),
    [
        ({"stop": {"minutes": float("inf")}}, "stop.minutes", "expected `float` <= 10000000.0"),
        ({"stop": {"minutes": float("nan")}}, "stop.minutes", "expected `float`"),
        ({"start_up_s": float("inf")}, "start_up_s", "expected `float` <= 86400.0"),
        ({"max_faults": 10**30}, "max_faults", "1000000000000000000000000000000"),
        ({"stop": {"games": 2**63}}, "stop.games", "9223372036854775808"),
        ({"format": {"rounds": 10**12}}, "format.rounds", "the maximum is 1,000,000"),
        ({"entrants": [*TWO, {"name": "x", "builtin": "busy", "memory": 2**70}]}, "entrants[2].memory", "512M"),
        ({"entrants": [*TWO, {"name": "x", "builtin": "busy", "memory": "²M"}]}, "entrants[2].memory", "512M"),
        (
            {"entrants": [*TWO, {"name": "x", "builtin": "busy", "open_files": 10**9}]},
            "entrants[2].open_files",
            "expected `int` <= 1000000",
        ),
        ({"entrants": [*TWO, {"name": "x", "builtin": "busy", "memory": ""}]}, "entrants[2].memory", "512M"),
        ({"output": "x" * 5000 + "/y", "clock": "soon"}, "clock", "not a clock"),
        ({"anchor": "\udcff"}, "anchor", "is not UTF-8"),
        ({"format": {"kind": ["x"]}}, "format.kind", "unknown format"),
        ({"format": {"kind": "league"}}, "format.kind", "there are: round_robin, gauntlet, swiss, knockout, duel"),
        ({"format": {"seatings": "foo"}}, "format.seatings", "expected all, balanced, rotations, `int`"),
        ({"format": {"kind": "knockout", "advance": 2}}, "format.advance", "1 to 1 can advance"),
        ({"games": [{"game": "last_spike", "players": 2, "board": "a\0b"}]}, "games[0].board", "NUL"),
        (
            {"entrants": [*TWO, {"name": "x", "builtin": "busy", "environment": {"A=B": 1}}]},
            "entrants[2].environment",
            "'A=B' is not the name of a variable",
        ),
        ({"entrants": [*TWO, {"name": "field", "builtin": "busy"}]}, "entrants[2].name", "choose another name"),
    ],
)
def test_impossible_values_in_a_plan_are_refused(tables: dict[str, Any], path: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(PlanError) as caught:
        plan_of(tmp_path, **tables)
    assert [mistake.path for mistake in caught.value.mistakes] == [path]
    assert words in caught.value.mistakes[0].words


@pytest.mark.parametrize(
    ("form", "better", "than"),
    [
        ({"kind": "gauntlet", "challengers": ["busy"]}, "random", "other"),
        ({"kind": "duel", "versions": ["busy", "random"]}, "other", "fourth"),
    ],
)
def test_a_comparison_of_entrants_that_share_no_seed_is_refused(
    form: dict[str, Any], better: str, than: str, tmp_path: Path
) -> None:
    entrants = [*THREE, {"name": "fourth", "builtin": "busy"}]
    with pytest.raises(PlanError, match="never play the same seed"):
        plan_of(tmp_path, format=form, entrants=entrants, stop={"better": {"entrant": better, "than": than}})
    three = [{"game": "last_spike", "players": 3}]
    plan_of(tmp_path, games=three, format=form, entrants=entrants, stop={"better": {"entrant": better, "than": than}})


def test_challengers_are_compared_by_opponents_beaten(tmp_path: Path) -> None:
    form = {"kind": "gauntlet", "challengers": ["busy", "random"]}
    stop = {"better": {"entrant": "busy", "than": "random"}}
    plan = plan_of(tmp_path, format=form, entrants=THREE, stop=stop)
    assert plan.stop == (Better("busy", "random", measure="beaten"),)


def test_a_run_ended_early_by_its_results_prints_a_note_about_intervals(tmp_path: Path) -> None:
    words = (
        "run",
        "--game",
        "last_spike",
        "--players",
        "2",
        "--entrant",
        "builtin:greedy",
        "--entrant",
        "builtin:random",
    )
    more = ("--no-logs", "--quiet", "--workers", "1", "--output", str(tmp_path / "results"))
    rule = ("--set", "stop.better.entrant=greedy", "--set", "stop.better.by=0.3")
    assert "intervals do not allow for the early stop" in run(*words, *more, *rule).output
    assert "stopping" not in run(*words, *more, "--rounds", "1", "--set", "name=other").output


def test_writing_a_default_into_a_plan_does_not_change_it(tmp_path: Path) -> None:
    with Store(tmp_path / "results", create=True) as store:
        store.begin(plan_of(tmp_path))
        store.begin(plan_of(tmp_path, format={"kind": "round_robin", "seatings": 30, "tables": 252, "rounds": 3}))
        store.begin(plan_of(tmp_path))
        with pytest.raises(PlanDiffers, match="seatings was 30 and is rotations"):
            store.begin(plan_of(tmp_path, format={"seatings": "rotations"}))


PLAN = """\
[[games]]
game = "last_spike"
players = 2
[[entrants]]
name = "a"
builtin = "busy"
[[entrants]]
name = "b"
builtin = "random"
"""


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (("--clock", "soon"), "--clock: 'soon' is not a clock"),
        (("--anchor", "z"), "--anchor: unknown entrant"),
        (("--set", "stop.settled_top=9"), "--set stop.settled_top: there are only 2 entrants"),
        (("--format", "gauntlet"), "$.format: challengers is missing"),
        (("--minutes", "inf"), "Invalid value for '--minutes': inf is not a finite number"),
        (("--minutes", "1e9"), "--minutes: expected `float` <= 10000000.0"),
        (("--events", "-", "--json"), "both write to stdout"),
    ],
)
def test_an_invalid_option_is_named_in_the_error(flags: tuple[str, ...], words: str, tmp_path: Path) -> None:
    (tmp_path / "p.toml").write_text(PLAN)
    result = run("run", str(tmp_path / "p.toml"), *flags)
    assert result.exit_code == 2
    assert words in result.output
    assert "line" not in result.output


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"command = ", "not TOML"),
        (b'command = "\xff"', "not UTF-8"),
        (b"name = " + b"[" * 5000, "not TOML: nested too deeply"),
        (b"name = [1]", "$.name: expected text; found [1]"),
        (b"folder = 5", "$.folder: expected text; found 5"),
    ],
)
def test_a_bad_bot_file_is_named(content: bytes, words: str, tmp_path: Path) -> None:
    (tmp_path / "bots/mine").mkdir(parents=True)
    (tmp_path / "bots/mine/bot.toml").write_bytes(content)
    result = run("run", "--bots", str(tmp_path / "bots"), "--output", str(tmp_path / "out"))
    assert result.exit_code == 2
    assert f"{tmp_path}/bots/mine/bot.toml" in result.output
    assert words in result.output


# Results


def test_games_of_a_knockout_are_at_most_those_of_the_plan(tmp_path: Path) -> None:
    """Texts about a knockout tournament say that it has "at most" the number of games in the plan.

    This number includes tie-break games, of which few are needed.
    """
    seen: list[dict[str, Any]] = []
    tell = seen.append
    played_by_clock(plan_of(tmp_path, format={"kind": "knockout"}), StepClock(step_s=1), tell)
    eta = next(event for event in seen if event["event"] == "eta")
    assert (eta["total"], eta["is_total_most"]) == (8, True)
    assert " of at most 8 games, " in progress({**eta, "seconds_left": 60})
    assert ", at most 1:00 left" in progress({**eta, "seconds_left": 60})


def test_a_knockout_names_its_winner(tmp_path: Path) -> None:
    words = ["--game", "last_spike", "--players", "2", "--format", "knockout", "--no-logs", "--workers", "1", "--quiet"]
    entrants = [f"--entrant={name}=builtin:{name}" for name in ("greedy", "random")]
    result = run("run", *words, *entrants, "--output", str(tmp_path / "out"), "--json")
    assert result.exit_code == 0, result.output
    winner = json.loads(result.stdout)["ending"]["winner"]
    assert winner in ("greedy", "random")
    assert f"all games are played, and {winner} has won" in run("status", str(tmp_path / "out")).stdout
    status = json.loads(run("status", str(tmp_path / "out"), "--json").stdout)
    assert status["ending"]["winner"] == winner
    assert status["games_planned"] == status["games"], "not the games of all tie-breaks that might have been needed"
    assert f"{winner} has won the knockout" in run("standings", str(tmp_path / "out")).stdout
    assert json.loads(run("standings", str(tmp_path / "out"), "--json").stdout)["winner"] == winner


def test_groups_beyond_the_end_are_marked(tmp_path: Path) -> None:
    played(plan_of(tmp_path, stop={"games": 8}))
    played(plan_of(tmp_path, stop={"games": 4}))
    with Store(tmp_path / "results") as store:
        assert [group.surplus for group in store.groups()] == [False, False, True, True]
        assert (len(list(store.played())), len(list(store.played(with_surplus=True)))) == (4, 8)
