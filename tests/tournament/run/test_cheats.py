"""Tests that failing, cheating and stalling bots gain nothing, and that every game ends."""

import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any, get_args

import psutil
import pytest

from rails_cli.commands.tournaments.progress import event_text
from rails_cli.games import load_players
from rails_cli.games.game import without_info_fields
from rails_cli.tournament.model import FaultPolicy, PlayedGame
from rails_cli.tournament.plan.plan import time_words
from rails_cli.tournament.plan.reading import PlanError
from rails_cli.tournament.rating.standings import make_standings, short_table
from rails_cli.tournament.results.store import Store
from rails_cli.tournament.run.events import Event
from rails_cli.tournament.run.turns import TurnMark, turns_in
from rails_cli.tournament.run.workers import InProcess, WorkerPool, Workers
from tests.support.short_boards import short_board
from tests.support.step_clock import FileClock, StepClock
from tests.support.tools import BOTS, bot
from tests.support.tournaments import (
    BUILTINS,
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
from tests.support.waiting import HANG_S

FAILS = {"name": "fails", "command": ["sh", "-c", "echo 'oh no\x1b[2J' >&2; exit 3"]}


def entrant_of(games: list[PlayedGame], name: str) -> Any:
    return next(standing for standing in make_standings(games).tables[0].standings if standing.name == name)


# Cheats


@pytest.mark.parametrize(("policy", "lost"), [("last_place", 3), ("void_and_replay", 9)])
def test_a_bot_that_exits_at_once_is_ranked_last_and_suspended(policy: str, lost: int, tmp_path: Path) -> None:
    tables = {"on_faults": policy, "max_faults": 1, "entrants": [FAILS, *QUICK], "format": {"seatings": "rotations"}}
    outcome, games = played(plan_of(tmp_path, **tables))
    table = short_table(games)
    assert [(row.name, row.win_share, row.lost_seats) for row in table][-1] == ("fails", 0, lost)
    assert [(one.entrant, one.games, one.last_words) for one in outcome.suspended] == [("fails", lost, "oh no?[2J")]
    shown = ran("standings", str(tmp_path / "results"))
    assert "fails !" in shown.stdout
    assert f"fails is suspended: it failed in each of its first {lost} games" in shown.stdout
    assert "oh no?[2J" in shown.stdout
    assert "fails" not in [standing.name for table in make_standings(games).clean for standing in table.standings]


def test_substitute_is_not_a_policy_for_faults(tmp_path: Path) -> None:
    usage_error = run("run", "--entrant", "builtin:busy", "--on-faults", "substitute").output
    assert "'last_place', 'void_and_replay'" in usage_error
    with pytest.raises(PlanError, match='expected last_place, void_and_replay; found "substitute"'):
        plan_of(tmp_path, on_faults="substitute")


HELP = f"""
import os, signal, sys
sys.path.insert(0, {str(BOTS)!r})
from honest import choose, read
"""
"""The first lines of several bots.

They import the module `honest` of `tests/bad_bots`, which starts quickly because it does not import json.
"""
KILLER = (
    HELP
    + """
for line in sys.stdin:
    message = read(line)
    if message["type"] == "request":
        if os.path.getsize("ended") >= 3:
            os.kill(os.getppid(), signal.SIGKILL)
        choose(message["number"], 0)
    elif message["type"] == "end":
        with open("ended", "a") as ended:
            ended.write(".")
"""
)


def test_a_bot_that_kills_its_worker_loses_those_games(tmp_path: Path) -> None:
    (tmp_path / "killer.py").write_text(KILLER)
    (tmp_path / "ended").touch()
    entrants = [{"name": "killer", "command": [sys.executable, "-S", "killer.py"]}, *BUILTINS[1:]]
    plan = plan_of(tmp_path, entrants=entrants, format={"rounds": 2, "seatings": "rotations"}, logs=True)
    events: list[Event] = []
    outcome, games = played_in(plan, Workers(lambda: WorkerPool(1), 1, tasks_ahead=1, task_s=0), events.append)
    assert [game.reason for game in games] == ["normal"] * 3 + ["worker_died"] * 3
    lost = [(game.seating[seat], game.ranks[seat], game.faults[seat]) for game in games for seat in game.lost]
    assert lost == [("killer", 3, 1)] * 3
    assert (outcome.void, outcome.suspended, outcome.died) == (0, [], {})
    assert short_table(games)[-1].name == "killer"
    last = [event for event in events if event["event"] == "group_lost"][-1]
    assert (last["is_void"], last["lost_by"]) == (False, "killer")
    assert "killer has lost its games" in str(event_text(last))
    assert ran("audit", str(plan.folder), "--workers", "1")


KILLS_AT_START = """
import os, signal
os.kill(os.getppid(), signal.SIGKILL)
"""

KILLS_AT_REQUEST = (
    HELP
    + """
for line in sys.stdin:
    message = read(line)
    if message["type"] == "request":
        os.kill(os.getppid(), signal.SIGTERM)
        os.kill(os.getppid(), signal.SIGKILL)
"""
)


def killers(folder: Path, **programs: str) -> list[dict[str, Any]]:
    for name, source in programs.items():
        (folder / f"{name}.py").write_text(source)
    return [{"name": name, "command": [sys.executable, "-S", f"{name}.py"]} for name in programs]


def test_a_bot_that_kills_its_worker_at_start_is_found_among_others(tmp_path: Path) -> None:
    """The bot `killer`, which kills its worker process when it starts, is identified among other bots.

    The bots of a game first start in parallel, so it is unknown which of them kills the worker. Then they start one by
    one, which shows that it is `killer`.
    """
    entrants = [*honest(tmp_path, "ann"), *killers(tmp_path, killer=KILLS_AT_START), BUILTINS[1]]
    plan = plan_of(tmp_path, entrants=entrants, format={"rounds": 4, "seatings": "rotations"}, logs=True)
    events: list[Event] = []
    outcome, games = played_in(plan, Workers(lambda: WorkerPool(1), 1, tasks_ahead=1, task_s=0), events.append)
    assert [game.reason for game in games] == ["worker_died"] * 9 + ["normal"] * 3
    assert {game.seating[seat] for game in games for seat in game.lost} == {"killer"}
    assert [(one.entrant, one.groups) for one in outcome.suspended] == [("killer", 3)]
    lost = [event["lost_by"] for event in events if event["event"] == "group_lost"]
    assert 4 <= len(lost) <= 7
    assert lost.count("killer") == 3
    assert {*lost} <= {None, "killer"}
    assert not (plan.folder / "turns").exists()
    assert ran("audit", str(plan.folder), "--workers", "1")


def test_two_bots_that_kill_workers_are_both_suspended(tmp_path: Path) -> None:
    entrants = [*killers(tmp_path, ida=KILLS_AT_REQUEST, ned=KILLS_AT_REQUEST), *honest(tmp_path, "ann"), BUILTINS[1]]
    games = [{"game": "last_spike", "players": 2}]
    form = {"rounds": 2, "seatings": "rotations"}
    plan = plan_of(tmp_path, entrants=entrants, games=games, format=form)
    outcome, results = played_in(plan, Workers(lambda: WorkerPool(2), 2, tasks_ahead=1, task_s=0))
    assert sorted(one.entrant for one in outcome.suspended) == ["ida", "ned"]
    assert {game.seating[seat] for game in results for seat in game.lost} == {"ida", "ned"}
    assert [row.name for row in short_table(results)][2:] in (["ida", "ned"], ["ned", "ida"])


def test_a_worker_that_must_end_leaves_no_file_with_the_entrant_to_move(tmp_path: Path) -> None:
    """A worker must end when another worker dies. Its main thread may continue the game until the process exits."""
    mark = TurnMark()
    mark.folder = tmp_path
    mark.end()
    mark.note("group", "ann")
    assert turns_in(tmp_path) == []


class Ended(Exception):
    """Raised by a simulated worker where a real worker process would end."""


class Poisoned(InProcess):
    """Workers whose process seems to end in some tasks.

    These are the tasks with the entrant "killer" after the first round. A task is a seed group, which is a set of games
    with the same seed.
    """

    def submit(self, task: Callable[..., Any], /, *words: Any, **more: Any) -> "Future[Any]":
        _, (group,), away, *_ = words
        if group.stage == "round 1" or "killer" in away or not any("killer" in seating for seating in group.seatings):
            return super().submit(task, *words, **more)
        future: Future[Any] = Future()
        future.set_exception(Ended())
        return future


POISONED = Workers(Poisoned, 1, tasks_ahead=1, task_s=0, is_loss=lambda error: isinstance(error, Ended))


def honest(folder: Path, *names: str) -> list[dict[str, Any]]:
    (folder / "honest.py").write_text(KILLER.replace(">= 3", "< 0"))
    (folder / "ended").touch()
    return [{"name": name, "command": [sys.executable, "-S", "honest.py"]} for name in names]


ENDS_AS_A_WORKER = """
import sys
from pathlib import Path
from rails_cli.programs.process import BotProcess
from rails_cli.tournament.run.bots import BOTS
from rails_cli.tournament.run.turns import TURN
from rails_cli.tournament.run.play import end_worker

TURN.folder = Path(sys.argv[1])
TURN.note("group", "bot")
bot = BOTS.seats["", "bot", 0] = BotProcess(["sleep", "600"])
bot.start()
print(bot.process.pid, flush=True)
TURN.folder = Path(sys.executable)  # no folder: nothing can be removed from it
end_worker()
"""


def test_a_worker_that_cannot_remove_its_mark_still_kills_its_bots(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", ENDS_AS_A_WORKER, str(tmp_path)], capture_output=True, text=True, timeout=HANG_S
    )
    assert (done.returncode, done.stderr) == (1, "")
    assert not psutil.pid_exists(int(done.stdout))


def test_nobody_loses_games_if_the_cause_of_ended_workers_is_unknown(tmp_path: Path) -> None:
    entrants = [*honest(tmp_path, "ann", "killer"), BUILTINS[1]]
    plan = plan_of(tmp_path, entrants=entrants, format={"rounds": 4, "seatings": "rotations"})
    outcome, games = played_in(plan, POISONED)
    assert [game.reason for game in games] == ["normal"] * 3 + ["interrupted"] * 9
    assert outcome.died == {"ann": 3, "killer": 3}
    assert not outcome.suspended


def test_a_bot_that_quits_when_behind_is_rated_lower(tmp_path: Path) -> None:
    found = {}
    longer = {"game": "last_spike", "players": 3, "board": str(short_board("last_spike", tmp_path, pieces=3))}
    for policy in ("honest", *get_args(FaultPolicy)):
        environment = {"HONEST": "1"} if policy == "honest" else {}
        entrants = [{"name": "it", "command": bot("quits_behind"), "environment": environment}, *BUILTINS[1:]]
        on_faults = "last_place" if policy == "honest" else policy
        tables = {"games": [longer], "entrants": entrants, "on_faults": on_faults, "max_faults": 1}
        form = {"seatings": "rotations", "rounds": 3}
        _, games = played(plan_of(tmp_path / policy, **tables, format=form))
        found[policy] = entrant_of(games, "it")
    honest = found.pop("honest")
    assert honest.faults == 0
    for policy, quitter in found.items():
        assert quitter.lost_seats > 2, policy
        assert quitter.beaten.mean < honest.beaten.mean, policy
        assert quitter.score_share.mean < honest.score_share.mean, policy
        assert quitter.rating.rating < honest.rating.rating, policy


# Suspension


def test_a_run_continues_without_a_suspended_entrant_with_any_number_of_workers(tmp_path: Path) -> None:
    tables = {"entrants": [FAILS, *QUICK], "format": {"seatings": "rotations", "rounds": 2}, "max_faults": 1}
    runs = []
    for workers in (1, 2):
        plan = plan_of(tmp_path / str(workers), **tables)
        outcome, games = played(plan, workers)
        runs.append((outcome.ending, comparable(games), outcome.suspended))
        again, _ = played(plan, workers)
        assert (again.ending, again.suspended) == (outcome.ending, outcome.suspended)
    assert runs[0] == runs[1]
    games = runs[0][1]
    assert len(games) == 24
    assert {name for game in games for seat, name in enumerate(game.seating) if seat in game.absent} == {"fails"}
    assert entrant_of(games, "fails").games == 3
    assert entrant_of(games, "greedy").games == 18


@pytest.mark.parametrize("form", FORMS, ids=lambda form: str(form["kind"]))
def test_every_format_continues_without_a_suspended_entrant(form: dict[str, Any], tmp_path: Path) -> None:
    more = [{"name": name, "builtin": "busy"} for name in "ab"]
    outcome, games = played(plan_of(tmp_path, entrants=[*QUICK, FAILS, *more], format=form, max_faults=1))
    assert outcome.ending is not None
    assert outcome.ending.why == "format"
    assert [one.entrant for one in outcome.suspended] == ["fails"]
    assert outcome.ending.winner != "fails"
    assert entrant_of(games, "fails").games == outcome.suspended[0].games
    absent_groups = {game.group for game in games if game.absent}
    assert absent_groups.isdisjoint(game.group for game in games if game.lost), (
        "an entrant is absent only from groups it has not started"
    )


# Time


SLOW = """\
import sys
sys.path.insert(0, {bots!r})
from honest import answer, requests
clock, matches = open({clock!r}, "ab", 0), open({matches!r}, "a", 1)
for request in requests():
    clock.write(b".")
    print(request["match"], file=matches)
    answer(request)
"""


def slow(folder: Path, step_s: float) -> tuple[dict[str, Any], FileClock]:
    """Return a bot as an entry of a plan, and a clock.

    The clock advances by `step_s` seconds at each answer of the bot. The bot writes the id of each of its matches to
    the file `matches` in `folder`.
    """
    file, clock = folder / "slow.py", FileClock(folder / "clock", step_s)
    file.write_text(SLOW.format(bots=str(BOTS), clock=str(clock.file), matches=str(folder / "matches")))
    return {"name": "slow", "command": [sys.executable, "-S", str(file)]}, clock


def test_the_entrant_that_used_most_time_loses_a_game_that_reaches_its_limit(tmp_path: Path) -> None:
    slow_entrant, clock = slow(tmp_path, 0.5)
    entrants = [slow_entrant, {"name": "quick", "command": bot("honest")}, BUILTINS[1]]
    tables = {"entrants": entrants, "clock": "none", "game_limit_s": 3, "group_limit_s": 4, "logs": True}
    plan = plan_of(tmp_path, **tables, format={"seatings": "rotations"})
    _, games = played_by_clock(plan, clock)
    for game in games:
        late = game.seating.index("slow")
        assert (game.reason, game.lost) == ("timeout", [late])
        assert game.ranks == [3 if seat == late else 1 for seat in range(3)]
    with Store(plan.folder) as store:
        faults = [fault for _, fault in store.faults()]
    assert {(fault.entrant, fault.code) for fault in faults} == {("slow", "too_slow")}
    assert ["group" in fault.message for fault in faults] == [False, False, True]
    assert clock.elapsed_s == 4
    ran("audit", str(plan.folder), "--workers", "1")


def test_a_bot_that_never_answers_loses_at_the_time_limit_of_a_game(tmp_path: Path) -> None:
    """The bot that moves first loses. The other one never has to move, so it uses no time on any machine."""
    entrants = [{"name": name, "command": bot("hangs")} for name in ("hangs", "hangs too")]
    tables = {"entrants": entrants, "clock": "none", "games": [{"game": "last_spike", "players": 2}]}
    _, games = played(plan_of(tmp_path, **tables, game_limit_s=1, format={"seatings": "rotations"}))  # a real second
    assert [game.reason for game in games] == ["timeout"] * 2
    assert [game.seating[seat] for game in games for seat in game.lost] in (
        ["hangs", "hangs too"],
        ["hangs too", "hangs"],
    )


@pytest.mark.parametrize("has_logs", [True, False])
def test_time_limits_apply_to_built_in_players(has_logs: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = StepClock()

    def slowly(view: Any, legal: list[Any], board: Any, chance: Any) -> Any:
        clock.advance(1)
        return without_info_fields(legal[-1])

    monkeypatch.setitem(load_players("last_spike"), "medium", slowly)
    entrants = [{"name": "slow", "builtin": "medium"}, {"name": "greedy", "builtin": "greedy"}]
    tables = {"entrants": entrants, "logs": has_logs, "games": [{"game": "last_spike", "players": 2}]}
    form = {"rounds": 1, "seatings": "rotations"}
    plan = plan_of(tmp_path, **tables, format=form, game_limit_s=3, group_limit_s=4)
    _, games = played_by_clock(plan, clock)
    assert [game.reason for game in games] == ["timeout"] * 2
    for game in games:
        assert [game.seating[seat] for seat in game.lost] == ["slow"]
        assert game.ranks[game.lost[0]] == 2
    with Store(plan.folder) as store:
        faults = [fault for _, fault in store.faults()]
    assert [(fault.entrant, fault.code) for fault in faults] == [("slow", "too_slow")] * 2
    assert clock.elapsed_s == 4
    if has_logs:
        ran("audit", str(plan.folder), "--workers", "1")


def test_a_built_in_search_keeps_to_the_clock(tmp_path: Path) -> None:
    entrants = [{"name": "long", "builtin": "search@60s"}, {"name": "greedy", "builtin": "greedy"}]
    tables = {"entrants": entrants, "clock": "4", "games": [{"game": "last_spike", "players": 2}]}
    clock = StepClock(step_s=1 / 128)
    _, games = played_by_clock(plan_of(tmp_path, **tables, format={"rounds": 1, "seatings": "rotations"}), clock)
    for game in games:
        assert game.reason == "normal"
        long = game.seating.index("long")
        assert 1000 < game.ms[long] <= 4000
        assert game.ms[1 - long] == 0


def test_entrants_of_other_games_do_not_lose_when_a_group_reaches_its_limit(tmp_path: Path) -> None:
    slow_entrant, clock = slow(tmp_path, 0.25)
    entrants = [slow_entrant, {"name": "new", "builtin": "busy"}, BUILTINS[1]]
    tables = {"entrants": entrants, "clock": "none", "group_limit_s": 1, "logs": True}
    form = {"kind": "duel", "versions": ["slow", "new"]}
    plan = plan_of(tmp_path, **tables, games=[{"game": "last_spike", "players": 2}], format=form)
    outcome, games = played_by_clock(plan, clock)
    assert not outcome.suspended, "games that were not played do not count towards suspension"
    assert len(games) > 2
    for game in games[1:]:
        late = [seat for seat, name in enumerate(game.seating) if name == "slow"]
        assert (game.reason, game.lost) == ("timeout" if late else "interrupted", late)
    assert {game.reason for game in games} == {"timeout", "interrupted"}
    ran("audit", str(plan.folder), "--workers", "1")


def test_no_game_is_started_after_the_time_limit_of_the_run(tmp_path: Path) -> None:
    """After the time limit of a run, a worker finishes its current game and starts no other game of its task.

    The task has 6 games of more than 1.2 s each, and the time limit is 1.2 s.
    """
    slow_entrant, clock = slow(tmp_path, 0.25)
    outcome, games = played_by_clock(
        plan_of(tmp_path, entrants=[slow_entrant, *BUILTINS[1:]], stop={"minutes": 0.02}), clock
    )
    assert clock.elapsed_s > 1.2
    assert len(set((tmp_path / "matches").read_text().split())) == 1
    assert outcome.ending is not None
    assert outcome.ending.why == "time"
    assert "no seed group was finished" in outcome.ending.words
    assert games == []


def test_the_time_limits_of_a_plan_are_explained(tmp_path: Path) -> None:
    lines = time_words(plan_of(tmp_path, clock="300,10/move", group_limit_s=3600, stop={"minutes": 30}))
    assert lines[0] == "clock 300,10/move: a bot has 300 s per game, at most 10 s for one action"
    assert [words.split(";")[0] for words in lines[1:]] == [
        "a game ends after 1800 s",
        "a seed group ends after 3600 s",
        "no game starts that would end after 30 minutes",
    ]
    assert "a bot may stall" in time_words(plan_of(tmp_path, clock="10/move"))[0]
