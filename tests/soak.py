"""Long campaigns (`make soak`): bad bots by the thousand, and a server that is killed again and again.

Their short forms are in test_campaigns.py. Each campaign says what it did, and raises AssertionError if a promise fails.
"""

import os
import random
import subprocess
import sys
import tempfile
import time
import uuid
from pathlib import Path

import click

from protocol.log import PlayerLine
from protocol.messages import Clock
from rails_cli.games import GAME_NAMES, load_game, standard_board
from rails_cli.match import Match, header_of
from rails_cli.players.house import house_player
from rails_cli.record import LogFile
from rails_cli.referee import Player, Referee, Rules
from rails_cli.replay import verify, verify_file
from rails_cli.seats.process import Limits, ProcessSeat
from tests.tools import BOTS, RAILS, bot, left_behind, rails

BAD_BOTS = sorted(file.stem for file in BOTS.glob("*.py") if file.stem != "honest")
RULES = Rules(clock=Clock(move_s=0.5), start_up_s=2.0, max_faults=1)
MEMORY = Limits(memory_bytes=300_000_000)


def bad_bot_campaign(games: int, seed: int, folder: Path) -> int:
    """Games of each kind between bots in processes, one of them bad; how many faults there were."""
    chance = random.Random(seed)
    mark = uuid.uuid4().hex
    environment = {"RAILS_TEST": mark}
    faults = 0
    for number in range(games):
        for name in GAME_NAMES:
            game = load_game(name)
            players = chance.choice(game.players)
            bad_seat = chance.randrange(players)
            bad = chance.choice(BAD_BOTS)
            kinds = ["honest"] * players
            kinds[bad_seat] = bad
            seats = [
                ProcessSeat([sys.executable, str(BOTS / f"{kind}.py")], environment=environment, limits=MEMORY)
                for kind in kinds
            ]
            file = folder / f"{name}-{seed}-{number}.jsonl"
            faults += play_one(name, seats, [PlayerLine(kind) for kind in kinds], seed + number, file, bad_seat)
    assert left_behind(mark) == []
    return faults


def play_one(
    name: str, seats: list[ProcessSeat], players: list[PlayerLine], seed: int, file: Path, bad_seat: int
) -> int:
    """One match with a bad bot; the number of its faults."""

    def substitute(seat: int) -> Player:
        return house_player("busy", name, seed, seat)

    game = load_game(name)
    match = Match(game, standard_board(name), header_of(game, game.options_type(), seed, players))
    started = time.monotonic()
    with LogFile(file) as log:
        log.write(match.header)
        log.write(match.setup_line)
        referee = Referee(match, seats, RULES, substitute=substitute, write=log.write)
        try:
            result = referee.play()
        finally:
            for seat in seats:
                seat.close()
    took = time.monotonic() - started
    where = f"{file.name} with {players[bad_seat].name} in seat {bad_seat}"
    assert result.reason == "normal", where
    assert sum(referee.faults) == referee.faults[bad_seat], f"{where}: another bot was charged: {referee.faults}"
    assert took < 60, f"{where}: took {took:.0f} s"
    verdict = verify_file(file)
    assert verdict.mistake is None, f"{where}: {verdict.mistake}"
    assert verdict.is_finished, where
    return referee.faults[bad_seat]


def kill_campaign(kills: int, seed: int, folder: Path) -> int:
    """Kills the server with signal 9 at random moments and resumes its games; how many were cut off in the middle."""
    chance = random.Random(seed)
    mark = uuid.uuid4().hex
    environment = {**os.environ, "RAILS_TEST": mark}
    cut = 0
    for number in range(kills):
        name = GAME_NAMES[number % len(GAME_NAMES)]
        log = folder / f"kill-{seed}-{number}.jsonl"
        words = ["run", name, "--seat", bot("honest"), "--seat", "builtin:busy", "--seat", bot("honest")]
        process = subprocess.Popen(
            [*RAILS, *words, "--seed", str(number), "--log", str(log), "--quiet"],
            stdout=subprocess.DEVNULL,
            env=environment,
        )
        while not log.exists() and process.poll() is None:
            time.sleep(0.001)
        time.sleep(chance.random() * 0.25)
        process.kill()
        process.wait()
        content = log.read_bytes()
        verdict = verify(content)
        if content.count(b"\n") < 2:
            continue  # killed before the set-up was written: there is no game yet to carry on
        assert verdict.mistake is None, f"{log.name}: {verdict.mistake}"
        if not verdict.is_finished:
            cut += 1
            resumed = rails("resume", str(log), "--quiet")
            assert resumed.returncode == 0, resumed.stderr
        after = verify_file(log)
        assert after.mistake is None, f"{log.name}: {after.mistake}"
        assert after.is_finished
    assert left_behind(mark, patience_s=10) == []
    return cut


@click.command
@click.option("--games", default=1000, help="Games of each kind with a bad bot.")
@click.option("--kills", default=100, help="How often the server is killed.")
@click.option("--seed", default=0)
def main(games: int, kills: int, seed: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        cut = kill_campaign(kills, seed, Path(folder))
        print(f"killed {kills} times, {cut} of them in the middle of a game: all logs true, all games finished")
        faults = bad_bot_campaign(games, seed, Path(folder))
        print(f"{games} games of each kind with a bad bot, {faults} faults: all matches ended, all logs true")


if __name__ == "__main__":
    main()
