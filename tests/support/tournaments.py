"""Small tournaments, played in this process."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec
from click.testing import CliRunner, Result

from rails_cli.cli import main
from rails_cli.tournament.config import make_plan
from rails_cli.tournament.model import Played
from rails_cli.tournament.plan import TournamentPlan
from rails_cli.tournament.run import Event, Runner, RunResult, Workers, local_workers
from rails_cli.tournament.store import Store

BUILTINS = [{"name": name, "builtin": name} for name in ("greedy", "busy", "random")]

FORMS: list[dict[str, Any]] = [
    {"kind": "round_robin", "rounds": 2, "tables": 9, "seatings": "rotations"},
    {"kind": "gauntlet", "challengers": ["greedy"], "tables": 8, "repeatable": ["busy"], "seatings": "rotations"},
    {"kind": "swiss", "rounds": 3, "seatings": "rotations"},
    {"kind": "knockout", "seatings": "rotations"},
    {"kind": "duel", "versions": ["a", "b"], "tables": 7, "seatings": "rotations"},
    {"kind": "league", "seatings": "rotations"},
]


def run(*words: str) -> Result:
    return CliRunner().invoke(main, ["tournament", *words])


def ran(*words: str) -> Result:
    result = run(*words)
    assert result.exit_code == 0, result.output
    return result


def plan_of(folder: Path, **tables: Any) -> TournamentPlan:
    """A plan of three players that come with the program, unless said otherwise."""
    usual = {
        "games": [{"game": "last_spike", "players": 3}],
        "entrants": BUILTINS,
        "seed": 3,
        "logs": False,
        "output": "results",
    }
    folder.mkdir(exist_ok=True)
    return make_plan({**usual, **tables}, "test", folder)


def played(
    plan: TournamentPlan, workers: int = 1, listen: Callable[[Event], None] | None = None
) -> tuple[RunResult, list[Played]]:
    return played_in(plan, local_workers(workers), listen)


def played_in(
    plan: TournamentPlan, workers: Workers, listen: Callable[[Event], None] | None = None
) -> tuple[RunResult, list[Played]]:
    with Store(plan.folder, create=True) as store:
        plan = store.begin(plan)
        outcome = Runner(plan, store, workers, listen).run()
        return outcome, list(store.played())


def comparable(games: Sequence[Played]) -> list[Played]:
    """Games without what differs from run to run: times, and so the heads of logs."""
    return [msgspec.structs.replace(game, ms=[0] * len(game.ms), head=None) for game in games]
