"""Speed of a move over pipes with clock and log, compared with a bare exchange of the same bytes with `poll()`.

The benchmark also prints the time of each part of a move.
"""

import os
import select
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from statistics import fmean
from typing import Any

import msgspec

from rails_cli.games import game_names, load_game, standard_board
from rails_cli.games.game import digest
from rails_cli.games.shared.luck import stream
from rails_cli.logs.chain import Chain
from rails_cli.logs.log_file import LogFile
from rails_cli.match.match import Match, header_of
from rails_cli.match.session import MatchPolicy
from rails_cli.programs.process import BotProcess
from rails_cli.protocol.lines import client_decoder, decode
from rails_cli.protocol.log import PlayerLine
from rails_cli.protocol.messages import Clock, Request
from rails_cli.referee.single import Referee
from tests.bench.instant import Instant, Policy
from tests.bench.measure import interleaved, show

ROOT = Path(__file__).parent.parent.parent
PLAYERS = 4
GAMES = 3
OWN_US = 50
"""Maximum number of CPU microseconds that rails-cli may use for each move, without the time of the bots."""


class Recorder(BotProcess):
    """A bot process that records its requests.

    `requests` is a list of pairs of seat and request. All bots of a match share this list.
    """

    seat: int
    requests: list[tuple[int, bytes]]

    def send(self, line: bytes, deadline: float | None) -> None:
        self.requests.append((self.seat, line))
        super().send(line, deadline)


def play_games(name: str, bots: Sequence[BotProcess | Instant], folder: Path) -> int:
    """Play whole games between bots, with a clock and a log file. Return the number of moves."""
    game, board = load_game(name), standard_board(name)
    moves = 0
    for seed in range(GAMES):
        header = header_of(game, game.options_type(), seed, [PlayerLine(f"bot {seat}") for seat in range(PLAYERS)])
        match = Match(game, board, header)
        for bot in bots:
            if isinstance(bot, Instant):
                bot.match = match
        path = folder / f"{time.perf_counter_ns()}.jsonl"
        with closing(LogFile(path)) as log:
            log.write(match.header)
            log.write(match.setup_line)
            Referee(match, bots, MatchPolicy(clock=Clock(60, 0.5, 10)), write=log.write).play()
        moves += match.number
        path.unlink()
    return moves


def ping_pong(command: list[str], requests: list[tuple[int, bytes]]) -> Callable[[], int]:
    """Start a process of `command` for each seat. Return a function that sends the recorded `requests` to them.

    The function reads the answer to each request, and returns the number of requests. It waits with `poll()` and a
    timeout, but does nothing else.
    """
    ends = []
    for _ in range(PLAYERS):
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        assert process.stdin is not None
        assert process.stdout is not None
        poller = select.poll()
        poller.register(process.stdout.fileno(), select.POLLIN)
        ends.append((process, process.stdin.fileno(), process.stdout.fileno(), poller))

    def run() -> int:
        for seat, line in requests:
            _, sink, source, poller = ends[seat]
            os.write(sink, line)
            answer = b""
            while not answer.endswith(b"\n"):
                if not poller.poll(10_000):
                    raise TimeoutError(command)
                answer += os.read(source, 65_536)
        return len(requests)

    return run


@contextmanager
def seats(command: list[str]) -> Iterator[list[BotProcess]]:
    """Start a process of `command` for each seat. Close all processes at the end of the context."""
    bots = [BotProcess(command) for _ in range(PLAYERS)]
    try:
        yield bots
    finally:
        for bot in bots:
            bot.close()


def recorded_requests(name: str, command: list[str], folder: Path) -> list[tuple[int, bytes]]:
    """Play some games between bots that run `command`. Return pairs of seat and request, in the order of sending."""
    bots: list[Any] = [Recorder(command) for _ in range(PLAYERS)]
    requests: list[tuple[int, bytes]] = []
    for seat, bot in enumerate(bots):
        bot.seat, bot.requests = seat, requests
    try:
        play_games(name, bots, folder)
    finally:
        for bot in bots:
            bot.close()
    return requests


def compiled(source: Path, target: Path) -> list[str]:
    """Compile the C file `source`. Return the command line of the program."""
    subprocess.run(["cc", "-O2", "-o", str(target), str(source)], check=True)
    return [str(target)]


def compare(name: str, title: str, command: list[str], at_most: float, folder: Path) -> None:
    """Print the moves per second of games between bots that run `command`, and the time of each part of a move.

    The goal is that a move takes at most `at_most` times as long as sending its request and reading the answer. `title`
    is the title of the output.
    """
    requests = recorded_requests(name, command, folder)
    size = sum(len(line) for _, line in requests) // len(requests)
    with seats(command) as bots:
        bare: Callable[[], int] = ping_pong(command, requests)
        play: Callable[[], int] = lambda: play_games(name, bots, folder)  # noqa: E731
        contenders = {"bare ping-pong": bare, f"{name}, {title}": play}
        rates = interleaved(contenders, clock=time.perf_counter)
        instant = Instant(Policy())
        own = interleaved({"pipe": bare, "all": play, "warm": lambda: play_games(name, [instant] * PLAYERS, folder)})
    show(f"A move over stdio, {title}, {size} bytes a request", rates, "bare ping-pong", at_least=1 / at_most)
    own_us, warm_us, pipe_us = (1e6 / max(own[contender].values) for contender in ("all", "warm", "pipe"))
    met = "met" if own_us <= OWN_US else "MISSED"
    print(f"  the referee's own CPU time: {own_us:.0f} µs a move   goal: at most {OWN_US} µs: {met}")
    parts = parts_us(name, folder)
    parts |= {"session": warm_us - sum(parts.values()), "pipe": pipe_us, "cold caches": own_us - warm_us - pipe_us}
    print(f"  of that: {', '.join(f'{part} {used_us:.1f}' for part, used_us in parts.items())}")


def parts_us(name: str, folder: Path) -> dict[str, float]:
    """Return the microseconds of each part of a move by the name of the part. Waiting for bots is not included."""
    game, board = load_game(name), standard_board(name)
    decoder, encode, chance = client_decoder(game.action_type), msgspec.json.Encoder().encode, stream(1)
    now = time.perf_counter_ns
    parts = ("nothing", "view", "events", "request", "answer", "rules", "digest", "log line", "log file")
    taken: dict[str, list[int]] = {part: [] for part in parts}
    for seed in range(GAMES):
        header = header_of(game, game.options_type(), seed, [PlayerLine(f"bot {seat}") for seat in range(PLAYERS)])
        match, chain, seen = Match(game, board, header), Chain(), [0] * PLAYERS
        match.has_digests = False
        with (folder / "parts.jsonl").open("wb", buffering=0) as file:
            while (seat := match.seat) is not None:
                answer = b'{"type":"action","number":1,"choice":%d}' % int(chance() * len(match.legal))
                times = [now(), now()]
                view = match.view_for(seat)
                times.append(now())
                events, seen[seat] = match.events_for(seat, seen[seat]), len(match.history)
                times.append(now())
                encode(Request("match", match.number + 1, seat, events, view, match.legal, match.default, None))
                times.append(now())
                choice = decode(answer, decoder).choice
                times.append(now())
                line = match.submit(seat, match.chosen(choice), ms=0)
                times.append(now())
                line = msgspec.structs.replace(line, digest=digest(game, match.state))
                times.append(now())
                written = chain.line(line)
                times.append(now())
                os.write(file.fileno(), written)
                times.append(now())
                for part, begins, ends in zip(parts, times, times[1:], strict=False):
                    taken[part].append(ends - begins)
    means = {part: fmean(sorted(each)[: -len(each) // 20]) / 1000 for part, each in taken.items()}
    return {part: mean - means["nothing"] for part, mean in means.items() if part != "nothing"}


def main() -> None:
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        python = [sys.executable, "-I", "-S", str(ROOT / "bots/python/bot.py")]
        for name in game_names():
            if shutil.which("cc"):
                compare(name, "C bot", compiled(ROOT / "bots/c/bot.c", folder / "bot"), 4, folder)
            else:
                print("\nno C compiler: the comparison with a C bot is left out")
            compare(name, "Python bot", python, 2.5, folder)
