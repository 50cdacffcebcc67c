"""Speed of decisions through `rails-cli host --games`, compared with the same policy in a single process.

- In the single process, the policy gets the same data as a bot: the new events, the view and the list of legal actions.
- Through the pipe, a minimal client in C plays the same games. It plays many matches at once, or one after another.

The measure is the CPU time of host and client together, because they work at the same time. The benchmark also prints
the time of each part of a decision.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

import msgspec
import psutil

from rails_cli.games import game_names, load_game, standard_board
from rails_cli.match.match import Match, header_of
from rails_cli.match.session import MatchPolicy
from rails_cli.protocol.log import PlayerLine
from rails_cli.protocol.messages import Answer, Request
from rails_cli.referee.single import Referee
from tests.bench.instant import Instant, Policy
from tests.bench.measure import interleaved, show
from tests.bench.stdio import compiled

PLAYERS = 4
GAMES_A_TURN = 40
AT_ONCE = 16
LIBRARY, HOST, ONE = "library, with requests", f"host --at-once {AT_ONCE}, client in C", "host, client in C"
REFEREE, BARE = "referee, without a pipe", "bare ping-pong"
GOAL = 0.5


def matches(name: str) -> Iterator[Match]:
    """Yield `GAMES_A_TURN` new matches of the game `name`. They compute no digests of positions for the log."""
    game, board = load_game(name), standard_board(name)
    for seed in range(GAMES_A_TURN):
        header = header_of(game, game.options_type(), seed, [PlayerLine(f"bot {seat}") for seat in range(PLAYERS)])
        match = Match(game, board, header)
        match.has_digests = False
        yield match


def in_library(name: str) -> Callable[[], int]:
    """Return a function that plays games in this process and returns the number of decisions.

    The policy gets the same requests as a bot.
    """
    policy = Policy()

    def decide(request: Request[Any, Any, Any]) -> int:
        return policy(len(request.legal))

    def run() -> int:
        decisions = 0
        for match in matches(name):
            seen = [0] * PLAYERS
            while (seat := match.seat) is not None:
                events, seen[seat] = match.events_for(seat, seen[seat]), len(match.history)
                view, legal = match.view_for(seat), match.legal
                request: Any = Request("match", match.number + 1, seat, events, view, legal, match.default, None)
                match.submit(seat, match.chosen(decide(request)))
            decisions += match.number
        return decisions

    return run


def with_referee(name: str) -> Callable[[], int]:
    """Return a function that plays games like a host, but without pipes, and returns the number of decisions."""
    seat = Instant(Policy())

    def run() -> int:
        decisions = 0
        for match in matches(name):
            seat.match = match
            Referee(match, [seat] * PLAYERS, MatchPolicy(), write=lambda line: None).play()
            decisions += match.number
        return decisions

    return run


class PolicyMessage(msgspec.Struct):
    """The fields of a message of `rails-cli host` that are needed to choose an action."""

    type: str
    match: str = ""
    number: int = 0
    legal: list[msgspec.Raw] = []


class Client:
    """A process that runs the bot client.c. The bot reads from the file descriptor `source` and writes to `sink`."""

    def __init__(self, program: list[str], source: int, sink: int) -> None:
        words = [*program, str(source), str(sink)]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(words, stdin=pipe, stdout=pipe, bufsize=0, pass_fds=(source, sink))

    def order(self, games: int) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(b"%d\n" % games)

    def decisions(self) -> int:
        """Wait until the client has played the games of the last `order` call.

        Return the number of decisions in these games.
        """
        assert self.process.stdout is not None
        return int(self.process.stdout.readline())

    def close(self) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()


@contextmanager
def hosting(name: str, at_once: int = 1) -> "Iterator[subprocess.Popen[bytes]]":
    """Run `rails-cli host` for the game `name` with `at_once` simultaneous matches. Yield the process."""
    words = ["host", name, "--players", str(PLAYERS), "--games", "0", "--clock", "none", "--seed", "0"]
    words += ["--at-once", str(at_once)]
    with subprocess.Popen(
        [sys.executable, "-m", "rails_cli", *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as host:
        yield host
        assert host.stdin is not None
        host.stdin.close()
        assert host.stdout is not None
        host.stdout.close()


def lines_of_a_game(name: str) -> list[bytes]:
    policy = Policy()
    lines: list[bytes] = []
    with hosting(name) as host:
        assert host.stdin is not None
        assert host.stdout is not None
        while not lines or not lines[-1].startswith(b'{"type":"end"'):
            lines.append(host.stdout.readline())
            if lines[-1].startswith(b'{"type":"request"'):
                message = msgspec.json.decode(lines[-1], type=PolicyMessage)
                os.write(
                    host.stdin.fileno(), msgspec.json.encode(Answer(message.number, choice=policy(len(message.legal))))
                )
                os.write(host.stdin.fileno(), b"\n")
    return lines


def ping_pong(client: Client, lines: list[bytes], sink: int, source: int) -> Callable[[], int]:
    """Return a function that measures the client and the pipes alone. It returns the number of decisions.

    The function sends the recorded `lines` of a host to the client and reads the answers. `sink` is the end of the pipe
    to the client, and `source` the end of the pipe from the client.
    """
    requests = [line.startswith(b'{"type":"request"') for line in lines]

    def run() -> int:
        client.order(GAMES_A_TURN)
        for _ in range(GAMES_A_TURN):
            for line, is_request in zip(lines, requests, strict=True):
                os.write(sink, line)
                if is_request:
                    os.read(source, 4096)
        return client.decisions()

    return run


def hosted(client: Client) -> Callable[[], int]:
    """Return a function that has the client play games with its host, and returns the number of decisions."""

    def run() -> int:
        client.order(GAMES_A_TURN)
        return client.decisions()

    return run


def compare(name: str, program: list[str]) -> None:
    """Print the decisions per second in a single process and through hosts, and the time of each part of a decision.

    `name` is the name of the game, and `program` the command line of the compiled client.c.
    """
    lines = lines_of_a_game(name)
    to_client, answers = os.pipe(), os.pipe()
    with ExitStack() as stack:
        many, one = (stack.enter_context(hosting(name, at_once)) for at_once in (AT_ONCE, 1))
        clients = []
        for host in (many, one):
            assert host.stdin is not None
            assert host.stdout is not None
            clients.append(stack.enter_context(closing(Client(program, host.stdout.fileno(), host.stdin.fileno()))))
        bare = stack.enter_context(closing(Client(program, to_client[0], answers[1])))
        pids = [many.pid, one.pid, bare.process.pid, *(client.process.pid for client in clients)]
        processes = [psutil.Process(pid) for pid in pids]

        def used_s() -> float:
            """Return the CPU seconds used by this process, the hosts and the clients."""
            times = [process.cpu_times() for process in processes]
            return time.process_time() + sum(used.user + used.system for used in times)

        contenders = {
            LIBRARY: in_library(name),
            HOST: hosted(clients[0]),
            ONE: hosted(clients[1]),
            REFEREE: with_referee(name),
            BARE: ping_pong(bare, lines, to_client[1], answers[0]),
        }
        rates = interleaved(contenders, clock=used_s)
        by_the_clock = interleaved({one: contenders[one] for one in (LIBRARY, HOST)}, clock=time.perf_counter)
    for end in (*to_client, *answers):
        os.close(end)
    size = sum(map(len, lines)) // len(lines)
    title = f"{name}: decisions of one policy per CPU second, {size} bytes a line"
    show(title, rates, LIBRARY)
    show(f"{name}: the same by the clock, host and client side by side", by_the_clock, LIBRARY, at_least={HOST: GOAL})
    us = {contender: 1e6 / rate.median for contender, rate in rates.items()}
    print(
        f"  of the {us[ONE]:.0f} µs of a decision, one match after another: {us[LIBRARY]:.0f} rules, view and events, "
        f"{us[REFEREE] - us[LIBRARY]:.0f} JSON and the session, {us[BARE]:.0f} pipe and client, "
        f"{us[ONE] - us[REFEREE] - us[BARE]:.0f} caches that are cold after each wait\n"
        f"  of the {us[HOST]:.0f} µs with {AT_ONCE} at once: {us[HOST] - us[LIBRARY]:.0f} for all but the library"
    )


def main() -> None:
    if not shutil.which("cc"):
        print("\nno C compiler: the comparison of the host with the library is left out")
        return
    with tempfile.TemporaryDirectory() as folder:
        program = compiled(Path(__file__).with_name("client.c"), Path(folder) / "client")
        for name in game_names():
            compare(name, program)
