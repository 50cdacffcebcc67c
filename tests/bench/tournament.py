"""Overhead of a tournament beyond playing its games, compared with simpler programs.

These are `simulate`, a task for each game, static slices, and a plain loop.
"""

import multiprocessing
import shutil
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from itertools import count
from pathlib import Path
from typing import Any

import msgspec

from rails_cli.games import load_game
from rails_cli.games.shared.luck import stream
from rails_cli.study.simulate import Simulation, play_all
from rails_cli.study.summary import summarise
from rails_cli.tournament.model import Entrant, PlayedGame, SeedGroup, Setting
from rails_cli.tournament.plan.plan import TournamentPlan, make_format
from rails_cli.tournament.rating.ratings import rate
from rails_cli.tournament.results.group_results import GroupPlayed
from rails_cli.tournament.results.store import Store
from rails_cli.tournament.run.conditions import conditions_of
from rails_cli.tournament.run.play import play_groups
from rails_cli.tournament.run.runner import Runner
from rails_cli.tournament.run.workers import WorkerPool, Workers, local_workers
from tests.bench.measure import interleaved, show
from tests.bench.stdio import ROOT, compiled
from tests.support.plackett_luce_games import tournament as tournament_of

PLAYERS = 4
GAMES = 2_000  # per repetition: five repetitions make up the 10,000 games of the goal
TURNS = 5
NOTHING_S = 0.01
SLICED_ROUNDS = 24
ENTRANTS, LARGE = 100, 100_000

_numbers = count()


def plan_of(
    game: str, folder: Path, rounds: int, spec: str = "builtin:random", *, logs: bool = False
) -> TournamentPlan:
    """Return the plan of a tournament of four equal entrants, in a new folder."""
    return TournamentPlan(
        name="bench",
        seed=0,
        output=str(folder / str(next(_numbers))),
        base=str(folder),
        format={"kind": "round_robin", "rounds": rounds, "seatings": "all"},
        settings=(Setting(game, PLAYERS),),
        entrants=tuple(Entrant(name, spec) for name in ("a", "b", "c", "d")),
        logs=logs,
        economy=logs,
    )


def tournament(plan: TournamentPlan, workers: Workers, *, with_table: bool = True) -> list[PlayedGame]:
    """Play a tournament with everything that belongs to it: store, schedule and table. Return its games."""
    with Store(plan.folder, create=True) as store:
        plan = store.begin(plan)
        runner = Runner(plan, store, workers)
        runner.run()
        if with_table:
            _ = runner.table
    shutil.rmtree(plan.folder)
    return runner.counting_games


def decisions(games: list[PlayedGame]) -> int:
    """Return the number of actions in `games`."""
    return sum(game.actions for game in games)


# Compared with `simulate`


def compare_with_simulate(game: str, folder: Path, *, logs: bool) -> None:
    """Print the rate of decisions in a tournament and in `simulate`."""
    rounds = GAMES // 24
    games = rounds * 24

    def simulated() -> int:
        logs_folder = folder / str(next(_numbers))
        logs_folder.mkdir()
        options = msgspec.to_builtins(load_game(game).options_type())
        plan = Simulation(game, PLAYERS, options, 0, "random", None, str(logs_folder) if logs else None)
        played = play_all(plan, games, 1, lambda number: None)
        summarise(played)
        shutil.rmtree(logs_folder)
        return sum(each.decisions for each in played)

    contenders: dict[str, Callable[[], int]] = {
        "simulate": simulated,
        "tournament": lambda: decisions(tournament(plan_of(game, folder, rounds, logs=logs), local_workers(1))),
    }
    rates = interleaved(contenders, TURNS)
    show(
        f"{game}: decisions per CPU second of {games} games in this process, {'with' if logs else 'without'} logs",
        rates,
        "simulate",
        at_least=1 / 1.1,
    )


# Compared with a task for each game


def nothing() -> None:
    """Do nothing."""


def pretend(packed: bytes, groups: Sequence[SeedGroup], *more: Any) -> list[GroupPlayed]:
    """Return results for `groups` without playing them, as if each game had taken `NOTHING_S` seconds."""
    played = []
    for group in groups:
        size = len(group.seatings[0])
        games = [
            PlayedGame(
                group.id, number, group.setting, group.seed, seating,
                [100] * size, list(range(1, size + 1)), "normal", [0] * size, False, [0] * size, 1,
            )
            for number, seating in enumerate(group.seatings)
        ]  # fmt: skip
        played.append(GroupPlayed(group.id, games, [], NOTHING_S * len(games)))
    return played


class Pretending(WorkerPool):
    """Workers that return invented results instead of playing."""

    def submit(self, task: Callable[..., Any], /, *words: Any, **more: Any) -> "Future[Any]":
        return super().submit(pretend, *words, **more)


def compare_with_submit(folder: Path) -> None:
    """Print how many games per second are scheduled, without playing them."""
    context = multiprocessing.get_context("forkserver")
    plain: Executor = ProcessPoolExecutor(2, mp_context=context)
    ours = Pretending(2)
    kept = Workers(lambda: _Lent(ours), 2)

    def submitted() -> int:
        for future in [plain.submit(nothing) for _ in range(1_000)]:
            future.result()
        return 1_000

    def scheduled() -> int:
        return len(tournament(plan_of("last_spike", folder, 200), kept, with_table=False))

    rates = interleaved({"submit for each game": submitted, "tournament": scheduled}, clock=time.perf_counter)
    show("Games handed out and taken in per second", rates, "submit for each game", at_least=2)
    plain.shutdown()
    ours.shutdown()


class _Lent(Executor):
    """An executor that is not shut down with the tournament."""

    def __init__(self, lender: Executor) -> None:
        self.lender = lender

    def submit(self, task: Callable[..., Any], /, *words: Any, **more: Any) -> "Future[Any]":
        return self.lender.submit(task, *words, **more)


# Compared with static slices


def compare_with_slices(folder: Path) -> None:
    """Print the rate of decisions of C bots with two workers, scheduled and in two fixed slices."""
    command = compiled(ROOT / "bots/c/bot.c", folder / "bot")[0]
    context = multiprocessing.get_context("forkserver")

    def sliced() -> int:
        plan = plan_of("last_spike", folder, SLICED_ROUNDS, command, logs=True)
        (plan.folder / "logs").mkdir(parents=True)
        (plan.folder / "stderr").mkdir()
        groups = list(make_format(plan).groups({}))
        packed = msgspec.msgpack.encode(conditions_of(plan, "slices"))
        with ProcessPoolExecutor(2, mp_context=context) as pool:
            slices = [pool.submit(play_groups, packed, groups[start::2]) for start in range(2)]
            played = [game for part in slices for group in part.result() for game in group.games]
        shutil.rmtree(plan.folder)
        return decisions(played)

    def scheduled() -> int:
        return decisions(tournament(plan_of("last_spike", folder, SLICED_ROUNDS, command, logs=True), local_workers(2)))

    rates = interleaved({"two static slices": sliced, "tournament": scheduled}, TURNS, time.perf_counter)
    show("Decisions per second of C bots, two workers, with logs", rates, "two static slices", at_least=0.9)


# Fitting ratings


def loop() -> int:
    """Run a plain loop with fifty steps for each game of a large league."""
    total = 0
    for number in range(50 * LARGE):
        total += number * number % 7
    return LARGE


def compare_fit_with_loop() -> None:
    """Print the rate of games rated, relative to steps of a loop."""
    strengths = {f"bot{number:03}": number / ENTRANTS for number in range(ENTRANTS)}
    rankings = tournament_of(strengths, LARGE // 24, 4, stream("large"))

    def rated() -> int:
        return rate(rankings, resamples=2).games

    rates = interleaved({"50 steps of a loop": loop, "ratings": rated}, TURNS)
    title = f"Games of {ENTRANTS} entrants rated per CPU second, {LARGE:,} in all"
    show(title, rates, "50 steps of a loop", at_least=0.4)


def main() -> None:
    compare_fit_with_loop()
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        for game in ("last_spike", "chicago_express"):
            compare_with_simulate(game, folder, logs=False)
        compare_with_simulate("chicago_express", folder, logs=True)
        compare_with_submit(folder)
        if shutil.which("cc"):
            compare_with_slices(folder)
        else:
            print("\nno C compiler: the comparison with static slices is left out")
