"""CPU time, memory and disk space of large tournaments: the figures in docs/TOURNAMENT_LARGE.md."""

import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil

from rails_cli.games import game_names
from rails_cli.tournament.model import Entrant, PlayedGame, SeedGroup, Setting
from rails_cli.tournament.plan.plan import TournamentPlan, make_format
from rails_cli.tournament.rating.standings import short_table
from rails_cli.tournament.results.group_results import GroupPlayed
from rails_cli.tournament.results.store import Store
from tests.bench.stdio import ROOT, compiled
from tests.support.dask_cluster import DaskCluster
from tests.support.tools import RAILS

PLAYERS = 4
NAMES = ("a", "b", "c", "d")
SEATINGS = 24


def cpu_s(words: list[str]) -> float:
    """Return the CPU seconds used by the rails-cli command `words` and all its child processes."""
    process = subprocess.Popen([*RAILS, *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, code, used = os.wait4(process.pid, 0)
    process.returncode = code
    assert code == 0, words
    return used.ru_utime + used.ru_stime


def run_words(game: str, spec: str, rounds: int, output: Path, *more: str) -> list[str]:
    """Return the arguments of `rails-cli tournament run` for four entrants.

    `spec` is the bot of all four: a command line, or a built-in player such as `builtin:random`. `more` are further
    arguments.
    """
    entrants = [word for name in NAMES for word in ("--entrant", f"{name}={spec}")]
    shape = ["--game", game, "--players", str(PLAYERS), "--rounds", str(rounds), "--output", str(output)]
    return ["tournament", "run", *shape, *entrants, "--workers", "1", "--quiet", *more]


def kinds(folder: Path) -> dict[str, tuple[str, int, bool]]:
    """Return the kinds of tournament to measure, by title.

    The values are the bot that all entrants run, the number of rounds, and whether logs are written. A round has 24
    games.
    """
    found = {
        "in the program, no logs": ("builtin:random", 40, False),
        "in the program, logs": ("builtin:random", 20, True),
        "greedy, no logs": ("builtin:greedy", 4, False),
        "Python bots, logs": (f"{sys.executable} {ROOT / 'bots/python/bot.py'}", 3, True),
    }
    if shutil.which("cc"):
        found["C bots, logs"] = (compiled(ROOT / "bots/c/bot.c", folder / "bot")[0], 4, True)
    if shutil.which("node"):
        found["JavaScript bots, logs"] = (f"node {ROOT / 'bots/javascript/bot.js'}", 3, True)
    return found


def games_of_each_kind(folder: Path) -> None:
    """Print, for each kind of tournament in `kinds`, the number of games per CPU second."""
    print(f"\nGames of {PLAYERS} players a CPU second, bots included")
    for what, (spec, rounds, logs) in kinds(folder).items():
        rates = []
        for game in game_names():
            flags = ["--logs" if logs else "--no-logs"]
            least = cpu_s(run_words(game, spec, 1, folder / "one", *flags))
            all_of_it = cpu_s(run_words(game, spec, 1 + rounds, folder / "all", *flags))
            rates.append(f"{game} {rounds * SEATINGS / (all_of_it - least):,.0f}")
            shutil.rmtree(folder / "one")
            if logs and "in the program" in what:
                logs_size(game, folder / "all")
            shutil.rmtree(folder / "all")
        print(f"  {what:<26} {'   '.join(rates)}")


def logs_size(game: str, output: Path) -> None:
    sizes = [file.stat().st_size for file in (output / "logs").iterdir()]
    database = sqlite3.connect(output / "results.sqlite")
    ((kept,),) = database.execute("SELECT avg(length(played)) FROM games")
    database.close()
    print(f"  {game}: {sum(sizes) / len(sizes) / 1e3:.1f} kB of log a game, {kept:,.0f} bytes of results")


# Storing results


def invented_results(groups: int) -> list[tuple[int, SeedGroup, GroupPlayed]]:
    """Return invented results of a tournament with `groups` seed groups (sets of games with the same seed).

    Each result has the number of the group, the group, and its games.
    """
    plan = TournamentPlan(
        name="sizing",
        output="",
        base="",
        format={"kind": "round_robin", "rounds": groups},
        settings=(Setting("last_spike", PLAYERS),),
        entrants=tuple(Entrant(name, "builtin:random") for name in NAMES),
    )
    made = []
    for number, group in enumerate(make_format(plan).groups({})):
        games = [
            PlayedGame(
                group.id, place, group.setting, group.seed, seating, [100, 200, 300, 400],
                [(name + number) % PLAYERS + 1 for name in range(PLAYERS)], "normal", [0] * 4, False, [5] * 4, 90,
            )
            for place, seating in enumerate(group.seatings)
        ]  # fmt: skip
        made.append((number, group, GroupPlayed(group.id, games, [], 1.0)))
    return made


def results_kept(folder: Path) -> None:
    """Print how fast results are stored, and the memory and CPU time needed to compute standings from many games."""
    played = invented_results(500)
    with Store(folder / "kept", create=True) as store:
        started = time.process_time()
        for one in played:
            store.add([one], 0.0)
        took = time.process_time() - started
    print(f"\nResults kept: {len(played) * SEATINGS / took:,.0f} games a second, a transaction for each {SEATINGS}")
    for groups in (500, 4_000):
        before = psutil.Process().memory_info().rss
        games = [game for _, _, result in invented_results(groups) for game in result.games]
        size = psutil.Process().memory_info().rss - before
        started = time.process_time()
        short_table(games)
        took = time.process_time() - started
        print(f"  {len(games):,} games: {size / len(games):,.0f} bytes of memory a game, {took:.1f} s for a table")


# The cluster


def cluster_cost(folder: Path) -> None:
    """Print the CPU time that the runner, scheduler and worker of a Dask cluster use for each seed group.

    A seed group is a set of games with the same seed.
    """
    with DaskCluster(folder) as cluster:
        worker = cluster.worker()
        print("\nA seed group as a task of a cluster with one worker; CPU ms a group, without starting up:")
        watched = {"scheduler": cluster.scheduler.pid, "worker": worker.process.pid}
        for what, rounds, flags in (("no logs", 600, ["--no-logs"]), (f"logs of {SEATINGS} games", 60, ["--logs"])):
            words = [*flags, "--cluster", cluster.address]
            start = cpu_s(cluster_words(1, folder / "one", words))
            before = {what: own_cpu_s(pid) for what, pid in watched.items()}
            cost = {"runner": cpu_s(cluster_words(1 + rounds, folder / "all", words)) - start}
            cost |= {what: own_cpu_s(pid) - before[what] for what, pid in watched.items()}
            print(f"  {what}: " + ", ".join(f"{process} {1000 * cpu / rounds:.1f}" for process, cpu in cost.items()))
            shutil.rmtree(folder / "one")
            shutil.rmtree(folder / "all")
        size = psutil.Process(watched["scheduler"]).memory_info().rss
        print(f"  the scheduler has {size / 2**20:.0f} MiB")


def cluster_words(rounds: int, output: Path, more: list[str]) -> list[str]:
    """Return the arguments of `rails-cli` for a tournament on a cluster, followed by `more`.

    The option `--workers` is left out, because a tournament on a cluster must not have it.
    """
    words = run_words("last_spike", "builtin:random", rounds, output, *more)
    at = words.index("--workers")
    return words[:at] + words[at + 2 :]


def own_cpu_s(pid: int) -> float:
    """Return the CPU seconds of a process without its children."""
    times = psutil.Process(pid).cpu_times()
    return times.user + times.system


def main() -> None:
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        games_of_each_kind(folder)
        results_kept(folder)
        cluster_cost(folder)
