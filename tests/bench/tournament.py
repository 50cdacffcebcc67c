"""CPU time that a tournament needs in addition to playing its games, and speed of rating games.

The tournament is compared with `rails-cli simulate`. The speed of rating is compared with a loop of additions, so that
results from different machines can be compared.
"""

import shutil
import tempfile
from collections.abc import Callable
from itertools import count
from pathlib import Path

import msgspec

from rails_cli.games import load_game
from rails_cli.games.shared.luck import stream
from rails_cli.study.simulate import Simulation, play_all
from rails_cli.study.summary import summarise
from rails_cli.tournament.model import Entrant, Setting
from rails_cli.tournament.plan.plan import TournamentPlan
from rails_cli.tournament.rating.ratings import rate
from rails_cli.tournament.results.store import Store
from rails_cli.tournament.run.runner import Runner
from rails_cli.tournament.run.workers import local_workers
from tests.bench.measure import interleaved, show
from tests.support.plackett_luce_games import tournament as tournament_of

PLAYERS = 4
GAMES = 2_000  # per repetition: five repetitions make up the 10,000 games of the goal
TURNS = 5
ENTRANTS, LARGE = 100, 100_000

_numbers = count()


def plan_of(game: str, folder: Path, rounds: int, *, logs: bool) -> TournamentPlan:
    """Return the plan of a tournament of four equal entrants, in a new folder."""
    return TournamentPlan(
        name="bench",
        seed=0,
        output=str(folder / str(next(_numbers))),
        base=str(folder),
        format={"kind": "round_robin", "rounds": rounds, "seatings": "all"},
        settings=(Setting(game, PLAYERS),),
        entrants=tuple(Entrant(name, "builtin:random") for name in ("a", "b", "c", "d")),
        logs=logs,
        economy=logs,
    )


def tournament_decisions(plan: TournamentPlan) -> int:
    """Play a tournament in this process, including its schedule, database and standings.

    Return the number of actions in its games.
    """
    with Store(plan.folder, create=True) as store:
        plan = store.begin(plan)
        runner = Runner(plan, store, local_workers(1))
        runner.run()
        _ = runner.table
    shutil.rmtree(plan.folder)
    return sum(game.actions for game in runner.counting_games)


# Compared with `simulate`


def compare_with_simulate(game: str, folder: Path, *, logs: bool) -> None:
    """Print the decisions per CPU second in a tournament and in `rails-cli simulate`. With `logs`, both write logs."""
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
        "tournament": lambda: tournament_decisions(plan_of(game, folder, rounds, logs=logs)),
    }
    rates = interleaved(contenders, TURNS)
    show(
        f"{game}: decisions per CPU second of {games} games in this process, {'with' if logs else 'without'} logs",
        rates,
        "simulate",
        at_least=1 / 1.1,
    )


# Fitting ratings


def loop() -> int:
    """Do 50 additions for each of `LARGE` games, as a measure of the speed of this machine. Return `LARGE`."""
    total = 0
    for number in range(50 * LARGE):
        total += number * number % 7
    return LARGE


def compare_fit_with_loop() -> None:
    """Print how many games are rated per CPU second, and the ratio of this speed to that of the function `loop`."""
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
