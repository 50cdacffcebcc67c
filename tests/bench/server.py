"""Speed of games over websockets, compared with a bare `websockets` server (the reference).

The reference has the same number of connections, and sends the same number of bytes. It runs on asyncio, as in its
documentation, and also on uvloop, which `rails-cli serve` uses if installed. All servers run in processes of their own.
One load generator measures them alternately.

First all three games run on one server, as on a public server. Then each game runs alone, because the games differ in
length. In a short game, starting and ending it is a larger part of the work.
"""

import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import cycle
from pathlib import Path
from typing import NamedTuple

import msgspec
import psutil

from rails_cli.games import game_names
from rails_cli.logs.verify import verify_file
from tests.bench.load import Generator, Talker, loop_runner
from tests.support.ws_client import ServerProcess

CONNECTIONS = int(os.environ.get("RAILS_BENCH_CONNECTIONS", "1000"))
SEATS = 4
REPETITIONS = 5
WINDOW_S = 2.0
"""Seconds of one measurement."""
CLOCK = "36000+1,3600/move"
ECHO = [sys.executable, "-m", "tests.bench.echo"]
CPU_TICK_S = 1 / os.sysconf("SC_CLK_TCK")
"""Smallest CPU time in seconds that the system reports."""


# Loads


class RequestFields(msgspec.Struct):
    """The fields that a load-generating client reads from a request: its number and the list of legal actions."""

    number: int
    legal: list[msgspec.Raw]


_REQUESTS = msgspec.json.Decoder(RequestFields)


class Seat(Talker):
    """A client that plays one game after another at a table with three other clients."""

    def message(self, content: bytes) -> None:
        if content.startswith(b'{"type":"request"'):
            self.load.bytes_heard += len(content)
            self.load.requests += 1
            request = _REQUESTS.decode(content)
            choice = (request.number * 7919) % len(request.legal)
            self.answer(b'{"type":"action","number":%d,"choice":%d}' % (request.number, choice))
        elif content.startswith(b'{"type":"end"'):
            self.load.ends += 1
            self.say(b'{"type":"rematch"}')
        elif content.startswith((b'{"type":"created"', b'{"type":"error"')):
            self.load.answers.put_nowait(json.loads(content))


class Echo(Talker):
    """A client of the reference server. When it receives a message, another client (`next`) sends one."""

    next: Talker

    def message(self, content: bytes) -> None:
        self.next.answer(self.load.question)


async def take_seats(names: Sequence[str], load: Generator) -> None:
    """Create tables for the games `names` in rotation. Seat four clients at each table, so that its game starts."""
    seats = load.talkers
    for first, name in zip(range(0, len(seats), SEATS), cycle(names), strict=False):
        wish = {"type": "create", "game": name, "players": SEATS, "clock": CLOCK}
        seats[first].say(json.dumps(wish).encode())
        created = await asyncio.wait_for(load.answers.get(), 20)
        assert created["type"] == "created", created
        for talker in seats[first : first + SEATS]:
            talker.say(json.dumps({"type": "sit", "table": created["table"]["table"]}).encode())
    await asyncio.sleep(1.0)
    assert load.answers.empty(), load.answers.get_nowait()


def make_rounds(load: Generator) -> None:
    """Form cycles of four clients, in which each client sends to the next. Send one message in each cycle."""
    for first in range(0, len(load.talkers), SEATS):
        group = load.talkers[first : first + SEATS]
        for place, talker in enumerate(group):
            assert isinstance(talker, Echo)
            talker.next = group[(place + 1) % SEATS]
        group[0].answer(load.question)


# Measuring


class Turn(NamedTuple):
    """Measurements of one server in one time window: the number of round trips, the seconds, and the CPU seconds."""

    trips: int
    wall_s: float
    cpu_s: float

    @property
    def per_s(self) -> float:
        return self.trips / self.wall_s

    @property
    def cpu_us(self) -> float:
        """CPU microseconds per round trip.

        The system counts whole ticks of CPU time. If it reports less than one tick for the window, one tick is assumed.
        """
        return max(self.cpu_s, CPU_TICK_S) / self.trips * 1e6


class Contender:
    """A server that is compared with others: its process, its load generator, and its measurements."""

    def __init__(self, pid: int, port: int) -> None:
        self.process = psutil.Process(pid)
        self.load = Generator(port)
        self.turns: list[Turn] = []
        self.idle_bytes = 0.0

    async def connect(self, count: int, kind: type[Talker]) -> None:
        """Open `count` connections of the class `kind`. Measure the memory in bytes that the server needs for each."""
        before = self.process.memory_info().rss
        await self.load.connect(count, kind)
        await asyncio.sleep(1.0)
        self.idle_bytes = (self.process.memory_info().rss - before) / count

    async def take_turn(self, window_s: float) -> Turn:
        """Run the load, measure it for `window_s` seconds after a short start, then pause it.

        Return the measurements.
        """
        self.load.resume()
        await asyncio.sleep(window_s / 4)
        trips, cpu, wall = self.load.trips, self._cpu_s(), time.perf_counter()
        await asyncio.sleep(window_s)
        while self.load.trips == trips:
            await asyncio.sleep(window_s)
        turn = Turn(self.load.trips - trips, time.perf_counter() - wall, self._cpu_s() - cpu)
        await self.load.rest()
        return turn

    def _cpu_s(self) -> float:
        times = self.process.cpu_times()
        return float(times.user + times.system)


class Found(NamedTuple):
    """The result of a comparison: the measured servers by name, errors found, and the number of checked logs."""

    contenders: dict[str, Contender]
    mistakes: list[str]
    logs: int


@contextmanager
def bare_server(length: int, loop: str) -> Iterator[Contender]:
    """Run a reference server on the event loop `loop`. It answers each message with `length` bytes."""
    with subprocess.Popen([*ECHO, str(length), loop], stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield Contender(process.pid, int(process.stdout.readline()))
        finally:
            process.kill()


async def contest(names: Sequence[str], connections: int, folder: Path, repetitions: int, window_s: float) -> Found:
    """Compare a server that plays the games `names` with reference servers, and verify all logs. Return the result.

    Each server has `connections` clients. The servers are measured in turn, `repetitions` times each, for `window_s`
    seconds.
    """
    tables = connections // SEATS
    most = str(connections + 10)
    options = ["--max-connections", most, "--max-connections-each", most, "--reserved", "0"]
    options += ["--max-tables", str(tables + 10), "--max-tables-each", str(1000 * tables)]
    options += ["--requests-per-second", "100000"]
    with ServerProcess(folder / "data", *options) as server, ExitStack() as stack:
        ours = Contender(server.process.pid, server.port)
        await ours.connect(tables * SEATS, Seat)
        await take_seats(names, ours.load)
        await ours.take_turn(window_s)  # measures the length of a request
        length = ours.load.bytes_heard // ours.load.requests
        contenders = {"echo": stack.enter_context(bare_server(length, "asyncio"))}
        if _has_uvloop():
            contenders["echo on uvloop"] = stack.enter_context(bare_server(length, "uvloop"))
        for contender in contenders.values():
            await contender.connect(tables * SEATS, Echo)
            make_rounds(contender.load)
        contenders["games"] = ours
        for repetition in range(repetitions + 1):
            for contender in contenders.values():
                turn = await contender.take_turn(window_s)
                if repetition:
                    contender.turns.append(turn)
        mistakes = [f"{title}: {each.load.lost} dropped" for title, each in contenders.items() if each.load.lost]
        for contender in contenders.values():
            contender.load.close()
        if server.stop() != 0:
            mistakes.append("the server did not end well")
    logs = sorted((folder / "data" / "tables").glob("*.jsonl"))
    for log in logs:
        verdict = verify_file(log)
        if verdict.mistake is not None:
            mistakes.append(f"{log.name}: {verdict.mistake}")
    return Found(contenders, mistakes, len(logs))


def _has_uvloop() -> bool:
    try:
        import uvloop  # noqa: F401
    except ImportError:
        return False
    return True


def shown(title: str, values: list[float], goal: str, is_met: Callable[[float], bool] | None) -> None:
    """Print median and range of `values`. With `is_met`, also print `goal` and whether `is_met` accepts the median."""
    middle = statistics.median(values)
    verdict = "" if is_met is None else f"   goal: {goal}: {'met' if is_met(middle) else 'MISSED'}"
    print(f"  {title:<42} {middle:6.2f}x ({min(values):.2f}..{max(values):.2f}){verdict}")


def compare(
    names: Sequence[str],
    folder: Path,
    connections: int = CONNECTIONS,
    repetitions: int = REPETITIONS,
    window_s: float = WINDOW_S,
) -> None:
    """Measure a server with the games `names` and the reference servers, and print the results.

    Each server has `connections` clients. The servers are measured in turn, `repetitions` times each, for `window_s`
    seconds. Logs are written to `folder`.
    """
    found = loop_runner(contest(names, connections, folder, repetitions, window_s))
    ours = found.contenders["games"]
    length = ours.load.bytes_heard // ours.load.requests
    load = f"{connections} connections, {connections // SEATS} games at once, {length} bytes a request"
    print(f"\n{', '.join(names)}: {load}")
    for title, each in found.contenders.items():
        rate = statistics.median(turn.per_s for turn in each.turns)
        cpu = statistics.median(turn.cpu_us for turn in each.turns)
        memory = each.idle_bytes / 1024
        print(
            f"  {title:<16} {rate:>9,.0f} round trips/s   {cpu:6.1f} us CPU each   {memory:5.1f} kB idle a connection"
        )
    for title, each in found.contenders.items():
        if each is ours:
            continue
        pairs = list(zip(ours.turns, each.turns, strict=True))
        is_yardstick = title == "echo"
        rates = [a.per_s / b.per_s for a, b in pairs]
        shown(f"round trips/s against {title}", rates, "at least 0.6x", _at_least(0.6) if is_yardstick else None)
        cpu_ratios = [a.cpu_us / b.cpu_us for a, b in pairs]
        shown(f"CPU a move against {title}", cpu_ratios, "at most 1.5x", _at_most(1.5) if is_yardstick else None)
        memory_ratio = ours.idle_bytes / max(1.0, each.idle_bytes)
        shown(f"idle memory against {title}", [memory_ratio], "at most 2x", _at_most(2) if is_yardstick else None)
    print(
        f"  {ours.load.ends // SEATS} games ended; {found.logs} logs; mistakes: {found.mistakes[:3] or 'none'}", end=""
    )
    print(f"   goal: nobody dropped, every log true: {'MISSED' if found.mistakes else 'met'}")


def _at_least(goal: float) -> Callable[[float], bool]:
    return lambda value: value >= goal


def _at_most(goal: float) -> Callable[[float], bool]:
    return lambda value: value <= goal


def main() -> None:
    """Run all comparisons. Logs are deleted only at the end, because ext4 creates files slowly after many deletions."""
    with tempfile.TemporaryDirectory() as made:
        compare(game_names(), Path(made) / "all")
        for name in game_names():
            compare([name], Path(made) / name)
