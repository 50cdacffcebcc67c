"""Long tests (`make soak`), called campaigns: games with bad bots, killed programs, simulated tournaments.

Each campaign plays thousands of games, returns counts, and raises AssertionError if a check fails. Short forms of the
campaigns are in test_campaigns.py, test_readers.py, test_pool.py, test_tournament.py, test_statistics.py and
test_deterministic_bots.py.
"""

import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
import uuid
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import click
import psutil

from rails_cli.conformance.settings import settings_of
from rails_cli.games import game_names, load_game, standard_board
from rails_cli.logs.log_file import LogFile
from rails_cli.logs.verify import verify, verify_file
from rails_cli.match.match import Match, header_of
from rails_cli.match.session import MatchPolicy
from rails_cli.players.builtin import builtin_player
from rails_cli.programs.limits import BotLimits
from rails_cli.programs.process import BotProcess
from rails_cli.programs.sandbox import LEVELS
from rails_cli.programs.sandbox.probe import probe
from rails_cli.protocol.log import PlayerLine
from rails_cli.protocol.messages import Clock
from rails_cli.referee.single import Referee
from tests.support import deterministic_campaigns, fuzzing
from tests.support.attacks import ALWAYS, attack
from tests.support.podman_campaign import podman_campaign
from tests.support.pool_campaign import pool_campaign
from tests.support.positions import audit_of, policies_of, walk
from tests.support.server_campaigns import fault_campaign, fuzz_campaign
from tests.support.server_campaigns import memory_campaign as server_memory_campaign
from tests.support.statistics_campaigns import all_campaigns
from tests.support.tools import BOTS, ROOT, bot, left_behind, rails, start_rails

BAD_BOTS = sorted(file.stem for file in BOTS.glob("*.py") if file.stem != "honest")
RULES = MatchPolicy(clock=Clock(move_s=0.5), start_up_s=2.0, max_faults=1)
ATTACKS = {*ALWAYS, "disk"}
MEMORY = BotLimits(memory_bytes=300_000_000)
ANSWERS_BEFORE_KILL = 6
"""Number of answers after which a bot stops answering, so that the game cannot end before the program is killed."""


def bad_bot_campaign(games: int, seed: int, folder: Path) -> int:
    """Play each board game `games` times between bot processes, one of them a bad bot. Return the number of faults."""
    chance = random.Random(seed)
    mark = uuid.uuid4().hex
    environment = {"RAILS_TEST": mark}
    faults = 0
    for number in range(games):
        for name in game_names():
            game = load_game(name)
            players = chance.choice(game.players)
            bad_seat = chance.randrange(players)
            bad = chance.choice(BAD_BOTS)
            kinds = ["honest"] * players
            kinds[bad_seat] = bad
            seats = [
                BotProcess(
                    [sys.executable, "-S", str(BOTS / f"{kind}.py")],
                    environment=environment,
                    limits=MEMORY,
                    now=time.perf_counter if kind == bad else lambda: 0.0,  # honest bots are never late
                )
                for kind in kinds
            ]
            file = folder / f"{name}-{seed}-{number}.jsonl"
            faults += play_one(
                name,
                seats,
                [PlayerLine(f"{kind} {seat}") for seat, kind in enumerate(kinds)],
                seed + number,
                file,
                bad_seat,
            )
    assert left_behind(mark) == []
    return faults


def play_one(
    name: str, seats: list[BotProcess], players: list[PlayerLine], seed: int, file: Path, bad_seat: int
) -> int:
    """Play one match between the bot processes `seats`, and write its log to `file`.

    The process in `bad_seat` is a bad bot. Return the number of its faults.
    """
    game = load_game(name)
    match = Match(game, standard_board(name), header_of(game, game.options_type(), seed, players))
    started = time.monotonic()
    with closing(LogFile(file)) as log:
        log.write(match.header)
        log.write(match.setup_line)
        referee = Referee(match, seats, RULES, write=log.write)
        try:
            result = referee.play()
        finally:
            for seat in seats:
                seat.close()
    took = time.monotonic() - started
    where = f"{file.name} with {players[bad_seat].name} in seat {bad_seat}"
    assert result.reason == "normal", where
    faults = referee.session.faults
    assert sum(faults) == faults[bad_seat], f"{where}: another bot was charged: {faults}"
    assert took < 600, f"{where}: took {took:.0f} s"
    verdict = verify_file(file)
    assert verdict.mistake is None, f"{where}: {verdict.mistake}"
    assert verdict.is_finished, where
    return faults[bad_seat]


def attack_campaign(rounds: int, folder: Path) -> tuple[int, int]:
    """Run the attacking bot `rounds` times in each sandbox that works on this machine.

    Return the number of attacks and the number of failed attacks.
    """
    tried = held = 0
    for number in range(rounds):
        for level in LEVELS:
            if not probe(level).holds:
                continue
            place = folder / f"{level}-{number}"
            place.mkdir()
            done = attack(place, level, sys.executable, bot("honest"), os.environ, True)
            assert done["done"].returncode == 0, done["done"].stderr
            assert done["results"] == "keep out"
            tried += len(ATTACKS)
            held += len(ATTACKS) - len(done["succeeded"].intersection(ATTACKS))
    assert held == tried, f"only {held} of {tried} attacks were prevented"
    return tried, held


def memory_campaign(games: int, seed: int) -> tuple[int, int]:
    """Play `games` games in one process. Return its memory in bytes after a tenth of the games and at the end."""
    names = ["random", "busy"]
    ours = psutil.Process()
    early = 0
    for number in range(games):
        name = game_names()[number % len(game_names())]
        game = load_game(name)
        players = [names[seat % 2] for seat in range(game.players[0])]
        lines = [PlayerLine(f"{player} {seat}") for seat, player in enumerate(players)]
        match = Match(game, standard_board(name), header_of(game, game.options_type(), seed + number, lines))
        seats = [builtin_player(player, name, seed + number, seat) for seat, player in enumerate(players)]
        result = Referee(match, seats, RULES, write=lambda line: None).play()
        assert result.reason == "normal"
        if number == games // 10:
            early = ours.memory_info().rss
    late = ours.memory_info().rss
    assert late < early * 1.2 + 20_000_000, f"the referee grew from {early} to {late} bytes in {games} games"
    return early, late


def rules_campaign(games: int, seed: int) -> int:
    """Play `games` games with each policy and check every position. Return the number of positions checked.

    A policy is a way to choose moves. The games use all settings (board game, players and options) in turn.
    """
    positions = 0
    settings = settings_of(game_names())
    for number in range(games):
        setting = settings[number % len(settings)]
        for policy in policies_of(setting.name):
            for step in walk(setting, seed + number, policy):
                audit_of(setting.name).audit(step.state, setting.board)
                positions += 1
    return positions


def contract_campaign(seeds: int) -> str:
    """Run the tests that play a configurable number of games, with `seeds` games for each test case.

    Among them are the tests that all three board games share. Return the last line of the output of pytest.
    """
    files = [
        *(f"tests/games/test_{name}.py" for name in ("any_game", "greedy", "hidden", "last_spike_players")),
        *("tests/web/test_page.py", "tests/tournament/schedule/test_balance.py"),
    ]
    environment = {**os.environ, "RAILS_CLI_TEST_SEEDS": str(seeds)}
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *files]
    done = subprocess.run(words, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 0, done.stdout
    return done.stdout.splitlines()[-1]


def kill_campaign(kills: int, seed: int, folder: Path) -> int:
    """Kill `rails-cli run` with SIGKILL at random moments and resume its games. Return the number of kills."""
    chance = random.Random(seed)
    mark = uuid.uuid4().hex
    environment = {**os.environ, "RAILS_TEST": mark}
    cut = 0
    for number in range(kills):
        name = game_names()[number % len(game_names())]
        log = folder / f"kill-{seed}-{number}.jsonl"
        steps = folder / f"kill-{seed}-{number}.steps"
        # The last bot stops answering, so that the game is killed before it ends.
        holds = f"{bot('scripted')} {steps} {'good ' * ANSWERS_BEFORE_KILL}late"
        words = ["run", name, "--seat", bot("honest"), "--seat", "builtin:busy", "--seat", holds]
        words += ["--seed", str(number), "--log", str(log), "--clock", "none", "--quiet"]
        process = start_rails(*words, stdout=subprocess.DEVNULL, env=environment)
        cut_at = chance.randrange(600, 12_000)
        while process.poll() is None and _bytes_in(log) < cut_at and _bytes_in(steps) <= ANSWERS_BEFORE_KILL:
            time.sleep(0.0005)
        process.kill()
        process.wait()
        content = log.read_bytes()
        verdict = verify(content)
        assert verdict.mistake is None, f"{log.name}: {verdict.mistake}"
        if not verdict.is_finished:
            cut += 1
            resumed = rails("resume", str(log), "--seat", "1", bot("honest"), "--seat", "3", bot("honest"), "--quiet")
            assert resumed.returncode == 0, resumed.stderr
        after = verify_file(log)
        assert after.mistake is None, f"{log.name}: {after.mistake}"
        assert after.is_finished
    assert left_behind(mark) == []
    assert cut == kills, f"only {cut} of {kills} runs were interrupted"
    return cut


def _bytes_in(file: Path) -> int:
    return file.stat().st_size if file.exists() else 0


TOURNAMENT = """
seed = 5
clock = "5/move"
[format]
rounds = {rounds}
[[games]]
game = "last_spike"
players = 3
[[games]]
game = "chicago_express"
players = 3
[[entrants]]
name = "honest"
command = {bot!r}
[[entrants]]
name = "again"
command = {bot!r}
[[entrants]]
name = "busy"
builtin = "busy"
[[entrants]]
name = "greedy"
builtin = "greedy"
"""


def tournament_kill_campaign(kills: int, seed: int, folder: Path) -> int:
    """Kill a tournament with SIGKILL at random moments and start it again each time.

    Compare the results with those of an uninterrupted tournament. Return the number of kills.
    """
    chance = random.Random(seed)
    mark = uuid.uuid4().hex
    environment = {**os.environ, "RAILS_TEST": mark}
    plan = folder / "tournament.toml"
    plan.write_text(TOURNAMENT.format(rounds=1 if kills < 5 else kills, bot=bot("honest")))
    reference, killed = folder / "reference", folder / "killed"
    assert (
        rails("tournament", "run", str(plan), "--output", str(reference), "--workers", "2", timeout=600).returncode == 0
    )
    words = ["tournament", "run", str(plan), "--output", str(killed), "--workers", "2", "--quiet"]
    cut = 0
    for _ in range(kills):
        before = len(list((killed / "logs").glob("*"))) if killed.exists() else 0
        process = start_rails(*words, stdout=subprocess.DEVNULL, env=environment)
        while process.poll() is None and len(list((killed / "logs").glob("*"))) <= before:
            time.sleep(0.02)
        with suppress(subprocess.TimeoutExpired):
            process.wait(chance.random() / 2)
        if process.poll() is not None:
            break
        process.kill()
        process.wait()
        cut += 1
    done = rails(*words)
    assert done.returncode == 0, done.stderr
    assert standings_but_for_times(killed) == standings_but_for_times(reference)
    logs = [sorted(file.name for file in (one / "logs").iterdir()) for one in (reference, killed)]
    assert logs[0] == logs[1]
    assert all(verify_file(killed / "logs" / name).mistake is None for name in logs[1])
    assert rails("tournament", "audit", str(killed), "--workers", "2").returncode == 0
    assert left_behind(mark) == []
    assert cut > kills // 2, f"only {cut} of {kills} runs were interrupted"
    return cut


def standings_but_for_times(folder: Path) -> dict[str, Any]:
    """Return the standings of a tournament without values that depend on times, such as the checksum of its logs."""
    tables: dict[str, Any] = json.loads(rails("tournament", "standings", str(folder), "--json").stdout)
    del tables["head"]
    for table in (*tables["tables"], *tables["clean"]):
        for standing in table["standings"]:
            del standing["ms_per_game"], standing["ms_per_action"]
    return tables


def in_words(done: dict[str, Any]) -> str:
    return ", ".join(f"{count} {what}" for what, count in done.items())


@click.command
@click.option("--games", default=1000, help="Games of each kind with a bad bot.")
@click.option("--seeds", default=20, help="Games of each kind in the suite that every game must pass.")
@click.option("--kills", default=100, help="How often `rails-cli run` is killed.")
@click.option("--tournament-kills", default=20, help="How often a tournament is killed.")
@click.option("--server-games", default=100, help="Games at once on a websocket server with bad networks.")
@click.option("--server-kills", default=2, help="How often that server is killed.")
@click.option("--frames", default=100_000, help="Random and damaged frames sent to a websocket server.")
@click.option("--fuzz-seconds", default=120, help="CPU time of damaged files for each reader of files and messages.")
@click.option("--pool-minutes", default=60.0, help="How long 40 bots of 8 owners play in a pool.")
@click.option("--simulations", default=300, help="Simulated tournaments for each promise of the statistics.")
@click.option("--openings", default=200, help="Openings of each game that bots without chance play from.")
@click.option("--attacks", default=100, help="Matches with an attacker in each sandbox.")
@click.option("--container-kills", default=60, help="How often `rails-cli run` with a bot in a container is killed.")
@click.option(
    "--memory-games", default=10_000, help="Games in which the memory of the referee, and of a server, must not grow."
)
@click.option("--seed", default=0)
def main(
    games: int,
    seeds: int,
    kills: int,
    tournament_kills: int,
    server_games: int,
    server_kills: int,
    frames: int,
    fuzz_seconds: int,
    pool_minutes: float,
    simulations: int,
    openings: int,
    attacks: int,
    container_kills: int,
    memory_games: int,
    seed: int,
) -> None:
    early, late = memory_campaign(memory_games, seed)
    sizes = f"{early / 1e6:.0f} MB after a tenth of them, {late / 1e6:.0f} MB at the end"
    print(f"{memory_games} games by one referee: {sizes}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        early, late = server_memory_campaign(memory_games, Path(folder) / "data")
    sizes = f"{early / 1e6:.0f} MB after a tenth of them, {late / 1e6:.0f} MB at the end"
    print(f"{memory_games} games at one server: {sizes}", flush=True)
    for what, figures in all_campaigns(simulations):
        print(f"statistics, {what}: {', '.join(f'{name} {value:.3f}' for name, value in figures.items())}", flush=True)
    for what, shares in deterministic_campaigns.all_campaigns(simulations, openings):
        print(f"statistics, {what}: {deterministic_campaigns.in_words(shares)}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        tried, held = attack_campaign(attacks, Path(folder))
        print(f"{tried} attacks from inside sandboxes: {held} prevented")
        if shutil.which("podman") is None:
            print("bots in containers: not tried, because podman is not installed")
        else:
            done = podman_campaign(container_kills, seed, Path(folder))
            print(f"bots in containers: {in_words(done)}: all limits hold, no container is left")
        positions = rules_campaign(games, seed)
        print(f"{games} games by each policy, {positions} positions: no audit failed")
        print(f"the suite that every game must pass, {seeds} games of each kind: {contract_campaign(seeds)}")
        counts = fuzzing.campaign(fuzz_seconds, seed, Path(folder) / "files")
        print(f"damaged files: {in_words(counts)}: each accepted or properly refused")
        done = fuzz_campaign(frames, seed, Path(folder) / "fuzz")
        print(f"fuzz: {in_words(done)}: no crash, no hidden information sent, no log wrong")
        done = fault_campaign(server_games, server_kills, seed, Path(folder) / "faults", patience_s=1200)
        print(f"{server_games} games on bad networks, the server killed {server_kills} times: {in_words(done)}:")
        print("  all games finished, all logs true, no seat played by a stranger")
        done = pool_campaign(40, 8, 60 * pool_minutes, 3, seed, Path(folder) / "pool")
        print(f"a pool of 40 bots for {pool_minutes:g} minutes: {in_words(done)}:")
        print("  all logs true, no game lost or counted twice, the known order found", flush=True)
        cut = tournament_kill_campaign(tournament_kills, seed, Path(folder))
        print(f"a tournament killed {cut} times: the same games and the same table as one that was not interrupted")
        cut = kill_campaign(kills, seed, Path(folder))
        print(f"killed {kills} times, {cut} of them in the middle of a game: all logs true, all games finished")
        faults = bad_bot_campaign(games, seed, Path(folder))
        print(f"{games} games of each kind with a bad bot, {faults} faults: all matches ended, all logs true")


if __name__ == "__main__":
    main()
