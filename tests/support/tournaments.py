"""Small tournaments played in this process."""

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import msgspec
from click.testing import CliRunner, Result

from rails_cli.cli import main
from rails_cli.tournament.model import PlayedGame
from rails_cli.tournament.plan.plan import TournamentPlan
from rails_cli.tournament.plan.reading import make_plan
from rails_cli.tournament.results.store import Store
from rails_cli.tournament.run.events import Event, RunResult
from rails_cli.tournament.run.runner import Runner
from rails_cli.tournament.run.workers import InProcess, Workers, local_workers
from tests.support.short_boards import short_board
from tests.support.waiting import HANG_S

BUILTINS = [{"name": name, "builtin": name} for name in ("greedy", "busy", "random")]

QUICK = [{**entrant, "builtin": "busy"} for entrant in BUILTINS]
"""Entrants with the same names as `BUILTINS`, but all played by the fast built-in player `busy`.

For tests in which the strength of the players does not matter.
"""

CLOCK = f"{HANG_S:g}/move"

FORMS: list[dict[str, Any]] = [
    {"kind": "round_robin", "rounds": 2, "tables": 5, "seatings": "rotations"},
    {"kind": "gauntlet", "challengers": ["greedy"], "tables": 5, "repeatable": ["busy"], "seatings": "rotations"},
    {"kind": "swiss", "rounds": 3, "seatings": "rotations"},
    {"kind": "knockout", "seatings": "rotations"},
    {"kind": "duel", "versions": ["a", "b"], "tables": 4, "seatings": "rotations"},
]


def run(*words: str) -> Result:
    return CliRunner().invoke(main, ["tournament", *words])


def ran(*words: str) -> Result:
    """Run `rails-cli tournament` with the arguments `words`, which must succeed. Return its result."""
    result = run(*words)
    assert result.exit_code == 0, result.output
    return result


def plan_of(folder: Path, **tables: Any) -> TournamentPlan:
    """Return a plan of a tournament of three built-in players on a short board.

    `tables` replaces entries of the plan, such as `entrants` or `seed`. The clock is so long that no bot is late.
    """
    folder.mkdir(exist_ok=True)
    board = short_board("last_spike", folder, pieces=2)
    usual = {
        "games": [{"game": "last_spike", "players": 3, "board": str(board)}],
        "entrants": BUILTINS,
        "seed": 3,
        "logs": False,
        "output": "results",
        "clock": CLOCK,
        "start_up_s": HANG_S,
    }
    return make_plan({**usual, **tables}, "test", folder)


def played(
    plan: TournamentPlan, workers: int = 1, listen: Callable[[Event], None] | None = None
) -> tuple[RunResult, list[PlayedGame]]:
    """Play a tournament with `workers` worker processes. With one worker, play in this process.

    Return the result of the tournament and its games.
    """
    return played_in(plan, local_workers(workers), listen)


def played_in(
    plan: TournamentPlan, workers: Workers, listen: Callable[[Event], None] | None = None
) -> tuple[RunResult, list[PlayedGame]]:
    """Play a tournament with `workers`. Return its result and its games."""
    with Store(plan.folder, create=True) as store:
        plan = store.begin(plan)
        outcome = Runner(plan, store, workers, listen).run()
        return outcome, list(store.played())


class Timed(InProcess):
    """Workers that run each task at once in this process. The games of a task use a clock that the test controls."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self.clock = clock

    def submit(self, task: Callable[..., Any], /, *words: Any, **more: Any) -> "Future[Any]":
        return super().submit(task, *words, now=self.clock, unix_time=self.clock, **more)


def played_by_clock(
    plan: TournamentPlan, clock: Callable[[], float], listen: Callable[[Event], None] | None = None
) -> tuple[RunResult, list[PlayedGame]]:
    """Play a tournament in this process.

    Return its result and its games. Only `clock` decides whether a bot is late.
    """
    workers = Workers(lambda: Timed(clock), 1, tasks_ahead=1, task_s=0)
    with Store(plan.folder, create=True) as store:
        plan = store.begin(plan)
        outcome = Runner(plan, store, workers, listen, now=clock, unix_time=clock).run()
        return outcome, list(store.played())


def comparable(games: Sequence[PlayedGame]) -> list[PlayedGame]:
    """Return `games` without values that differ between runs: times, and log digests, which depend on times."""
    return [msgspec.structs.replace(game, ms=[0] * len(game.ms), head=None) for game in games]
