"""Games over websockets against a bare `websockets` server that answers with the same bytes over as many connections.

Both servers run in processes of their own and take turns; one generator of load serves both.
"""

import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import psutil

from rails_cli.games import GAME_NAMES
from rails_cli.replay import verify_file
from tests.bench.load import Generator, Talker, loop_runner
from tests.ws_client import ServerProcess

CONNECTIONS = int(os.environ.get("RAILS_BENCH_CONNECTIONS", "1000"))
SEATS = 4
REPETITIONS = 5
WINDOW_S = 2.0
CLOCK = "36000+1,3600/move"
ECHO = [sys.executable, "-m", "tests.bench.echo"]


class Turn(msgspec.Struct):
    """What a server did while it was measured."""

    trips: int
    wall_s: float
    cpu_s: float

    @property
    def per_s(self) -> float:
        return self.trips / self.wall_s

    @property
    def cpu_us(self) -> float:
        return self.cpu_s / self.trips * 1e6


def cpu_s(process: psutil.Process) -> float:
    times = process.cpu_times()
    return times.user + times.system


def memory_each(process: psutil.Process, before: int, connections: int) -> float:
    """Bytes that the server has taken for each connection that does nothing."""
    return (process.memory_info().rss - before) / connections


async def measured(load: Generator, process: psutil.Process) -> Turn:
    """One turn: the load runs for a while, then rests."""
    load.go_on()
    await asyncio.sleep(WINDOW_S / 4)
    trips, cpu, wall = load.trips, cpu_s(process), time.perf_counter()
    await asyncio.sleep(WINDOW_S)
    turn = Turn(load.trips - trips, time.perf_counter() - wall, cpu_s(process) - cpu)
    await load.rest()
    return turn


class Seats(Talker):
    """The load of a game server: four connections to a table play game after game."""

    requests: list[int]

    def __init__(self, load: Generator) -> None:
        super().__init__(load)
        self.table = ""

    def message(self, content: bytes) -> None:
        if content.startswith(b'{"type":"request"'):
            self.load.sizes.append(len(content)) if len(self.load.sizes) < 20_000 else None
            request = _REQUESTS.decode(content)
            choice = (request.number * 7919) % len(request.legal)
            self.answer(b'{"type":"action","number":%d,"choice":%d}' % (request.number, choice))
        elif content.startswith(b'{"type":"end"'):
            self.load.ends += 1
            self.say(b'{"type":"rematch"}')
        elif content.startswith((b'{"type":"created"', b'{"type":"error"')):
            self.load.answers.put_nowait(json.loads(content))


class Asked(msgspec.Struct):
    number: int
    legal: list[msgspec.Raw]


_REQUESTS = msgspec.json.Decoder(Asked)


class Echoes(Talker):
    """The load of the bare server: in each group of four, one connection after another asks and is answered."""

    def __init__(self, load: Generator) -> None:
        super().__init__(load)
        self.next: Talker = self

    def message(self, content: bytes) -> None:
        self.next.answer(self.load.question)


async def play(name: str, connections: int, folder: Path) -> dict[str, Any]:
    tables = connections // SEATS
    connections = tables * SEATS
    options = ["--max-connections", str(connections + 10), "--max-connections-each", str(connections + 10)]
    options += ["--max-tables", str(tables + 10), "--max-tables-each", str(100 * tables)]
    options += ["--requests-per-second", "100000", "--messages-per-second", "10000"]
    with ServerProcess(folder / "data", *options) as server:
        ours = psutil.Process(server.process.pid)
        before = ours.memory_info().rss
        games = Generator(server.port)
        seats = await games.connect(connections, Seats)
        await asyncio.sleep(1.0)
        idle = {"server": memory_each(ours, before, connections)}
        await take_seats(name, games, seats)
        playing_kb = memory_each(ours, before, connections) / 1024
        sizes = games.sizes[-tables:] or [2000]
        bare = subprocess.Popen(
            [*ECHO, str(statistics.mean(sizes).__int__())], stdout=subprocess.PIPE, text=True, cwd=Path.cwd()
        )
        try:
            assert bare.stdout is not None
            port = int(bare.stdout.readline())
            theirs = psutil.Process(bare.pid)
            before = theirs.memory_info().rss
            echoes = Generator(port)
            groups = await echoes.connect(connections, Echoes)
            await asyncio.sleep(1.0)
            idle["echo"] = memory_each(theirs, before, connections)
            for number, talker in enumerate(groups):
                assert isinstance(talker, Echoes)
                first = number - number % SEATS
                talker.next = groups[first + (number + 1) % SEATS]
            for first in range(0, connections, SEATS):
                groups[first].answer(echoes.question)
            turns: dict[str, list[Turn]] = {"echo": [], "server": []}
            for repetition in range(REPETITIONS + 1):
                for title, load, process in (("echo", echoes, theirs), ("server", games, ours)):
                    turn = await measured(load, process)
                    if repetition:
                        turns[title].append(turn)
        finally:
            bare.kill()
            bare.wait()
            if bare.stdout is not None:
                bare.stdout.close()
        lost = games.lost + echoes.lost
        games.close()
        stopped = server.stop()
    logs = sorted((folder / "data" / "tables").glob("*.jsonl"))
    wrong = [verdict.mistake for verdict in map(verify_file, logs) if verdict.mistake is not None]
    return {
        "turns": turns,
        "idle": idle,
        "playing_kb": playing_kb,
        "lost": lost,
        "stopped": stopped,
        "logs": len(logs),
        "wrong": wrong,
        "bytes": statistics.mean(games.sizes),
        "games": games.ends // SEATS,
    }


async def take_seats(name: str, load: Generator, seats: list[Talker]) -> None:
    """Four to a table; all games begin."""
    for first in range(0, len(seats), SEATS):
        wish = {"type": "create", "game": name, "players": SEATS, "clock": CLOCK}
        seats[first].say(json.dumps(wish).encode())
        created = await asyncio.wait_for(load.answers.get(), 20)
        assert created["type"] == "created", created
        table = created["table"]["table"]
        for talker in seats[first : first + SEATS]:
            talker.say(json.dumps({"type": "sit", "table": table}).encode())
    await asyncio.sleep(1.0)
    await load.rest()


def shown(title: str, values: list[float], unit: str, goal: str, is_met: Callable[[float], bool]) -> None:
    middle = statistics.median(values)
    verdict = "met" if is_met(middle) else "MISSED"
    print(f"  {title:<44} {middle:6.2f}{unit} ({min(values):.2f}..{max(values):.2f})   goal: {goal}: {verdict}")


def compare(name: str, connections: int = CONNECTIONS) -> None:
    with tempfile.TemporaryDirectory() as made:
        found = loop_runner(play(name, connections, Path(made)))
    turns = found["turns"]
    print(f"\n{name}: {connections} connections, {connections // SEATS} games, {found['bytes']:.0f} bytes a request")
    for title in ("echo", "server"):
        rate = statistics.median(turn.per_s for turn in turns[title])
        cpu = statistics.median(turn.cpu_us for turn in turns[title])
        memory = found["idle"][title] / 1024
        print(
            f"  {title:<10} {rate:>9,.0f} round trips/s   {cpu:6.1f} us CPU each   {memory:5.1f} kB a connection idle"
        )
    pairs = list(zip(turns["server"], turns["echo"], strict=True))
    shown("round trips/s", [a.per_s / b.per_s for a, b in pairs], "x", "at least 0.8x", lambda value: value >= 0.8)
    shown("CPU a move", [a.cpu_us / b.cpu_us for a, b in pairs], "x", "at most 1.5x", lambda value: value <= 1.5)
    memory = found["idle"]["server"] / max(1.0, found["idle"]["echo"])
    shown("idle memory a connection", [memory], "x", "at most 2x", lambda value: value <= 2)
    print(f"  {found['playing_kb']:.1f} kB a connection while playing; {found['games']} games ended meanwhile")
    is_clean = not found["lost"] and not found["wrong"] and found["stopped"] == 0
    print(
        f"  dropped: {found['lost']}; logs: {found['logs']}, of which wrong: {len(found['wrong'])}"
        f"   goal: nobody dropped, every log true: {'met' if is_clean else 'MISSED'}"
    )


def main() -> None:
    for name in GAME_NAMES:
        compare(name)
