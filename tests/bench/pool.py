"""Measure how long people at tables wait while a pool of 200 bots plays as fast as possible.

The bots play and pause alternately, so that one run measures waits with and without the load of the bots. A person
waits from sending an answer until the next request arrives. In this time the built-in players move. The wait is
measured in seconds, and in CPU seconds of the server. On a shared machine only the CPU seconds are meaningful. The
simulated people run in a process of their own.
"""

import asyncio
import json
import multiprocessing
import os
import tempfile
import time
from multiprocessing.connection import Connection
from pathlib import Path
from typing import NamedTuple

import msgspec
import psutil

from tests.bench.load import Generator, Talker, loop_runner
from tests.support.pool_campaign import results_of
from tests.support.ws_client import Client, Json, ServerProcess

BOTS = int(os.environ.get("RAILS_BENCH_POOL", "200"))
PEOPLE = 10
THINK_S = 0.2
"""Seconds between a question to a simulated person and the answer."""
TURNS = 6
WINDOW_S = float(os.environ.get("RAILS_BENCH_WINDOW", "5"))
"""Seconds of one measurement."""
SETTLE_S = 1.0
"""Seconds to wait before a measurement, until earlier work has ended."""
OPTIONS = (
    *("--pool", "--pool-clock", "36000+1,3600/move", "--pool-offer", "600", "--pool-registrations-each", "9999"),
    *("--pool-entrants-each", "999", "--pool-games-a-day", "1000000", "--requests-per-second", "100000"),
    *("--max-connections-each", "2000", "--max-tables-each", "100000", "--pool-anchors", "medium,greedy"),
)


class RequestFields(msgspec.Struct):
    """The fields that bots and people read from a request: its number and the list of legal actions."""

    number: int
    legal: list[msgspec.Raw]


_REQUESTS = msgspec.json.Decoder(RequestFields)


def answer_to(content: bytes) -> bytes:
    request = _REQUESTS.decode(content)
    return b'{"type":"action","number":%d,"choice":%d}' % (request.number, request.number * 7919 % len(request.legal))


class PoolBot(Talker):
    """A bot that accepts every offered game and plays arbitrary legal moves."""

    def message(self, content: bytes) -> None:
        if content.startswith(b'{"type":"request"'):
            self.answer(answer_to(content))
        elif content.startswith(b'{"type":"offered"'):
            self.say(json.dumps({"type": "ready", "offer": json.loads(content)["offer"]}).encode())
        elif content.startswith(b'{"type":"end"'):
            self.load.ends += 1


class Person(Talker):
    """The client of a simulated person, who plays against built-in players and pauses before each answer.

    It records how long the person waits for each request. `asked` holds two clock readings in seconds at the last
    answer: real time, and CPU time of the server. `people` collects the waiting times.
    """

    asked: tuple[float, float] | None = None
    people: "People"

    def message(self, content: bytes) -> None:
        if content.startswith(b'{"type":"created"'):
            self.say(json.dumps({"type": "sit", "table": json.loads(content)["table"]["table"]}).encode())
        elif content.startswith(b'{"type":"end"'):
            self.asked = None
            self.say(b'{"type":"rematch"}')
        elif content.startswith(b'{"type":"request"'):
            if self.asked is not None:
                now, cpu = self.people.times()
                self.people.waits.append(Wait(now, now - self.asked[0], cpu - self.asked[1]))
            asyncio.get_running_loop().call_later(THINK_S, self._act, answer_to(content))

    def _act(self, answer: bytes) -> None:
        self.asked = self.people.times()
        self.say(answer)


class Wait(NamedTuple):
    """The time that a person waited between sending an answer and receiving the next request.

    `at` is the monotonic time in seconds at which the request arrived. `wall_s` is the length of the wait.
    """

    at: float
    wall_s: float
    cpu_s: float
    """CPU seconds that the server used during the wait."""


class People:
    """The waiting times of all simulated people, and the clocks that measure them."""

    def __init__(self, pid: int) -> None:
        self.waits: list[Wait] = []
        self._clock = ~pid << 3 | 2  # CPU clock of the process, like clock_getcpuclockid of Linux

    def times(self) -> tuple[float, float]:
        """Return the current monotonic time and the CPU time used by the server so far, both in seconds."""
        return time.monotonic(), time.clock_gettime(self._clock)


async def _people(port: int, pid: int, way: Connection) -> None:
    load, crowd = Generator(port), People(pid)
    await load.connect(PEOPLE, Person)
    wish = {"type": "create", "game": "chicago_express", "players": 3, "seats": [None, *["builtin:greedy"] * 2]}
    for talker in load.talkers:
        assert isinstance(talker, Person)
        talker.people = crowd
        talker.say(json.dumps(wish).encode())
    await asyncio.to_thread(way.recv)
    way.send([tuple(wait) for wait in crowd.waits])


def people(port: int, pid: int, way: Connection) -> None:
    """Run the clients of all simulated people until a message arrives on `way`. Then send all waiting times over `way`.

    `port` and `pid` are the port and the process id of the server.
    """
    loop_runner(_people(port, pid, way))


class Turn(NamedTuple):
    """Measurements of one time window.

    `began` and `ended` are its monotonic times in seconds. `moves` is the number of moves of bots. `server_s` is the
    CPU time of the server in seconds.
    """

    began: float
    ended: float
    moves: int
    server_s: float
    beside_s: float
    """CPU seconds of the child processes that store results and compute ratings."""


def _cpu_s(processes: list[psutil.Process]) -> float:
    return sum(sum(process.cpu_times()[:2]) for process in processes)


async def turns(load: Generator, server: psutil.Process) -> dict[bool, list[Turn]]:
    """Measure time windows in which the bots pause and play alternately.

    Return a dictionary of two lists of measurements. The key is True for windows in which the bots played, and False
    for the others.
    """
    found: dict[bool, list[Turn]] = {False: [], True: []}
    for number in range(2 * TURNS):
        if number % 2:
            load.resume()
        else:
            await load.rest()
        await asyncio.sleep(SETTLE_S)
        beside = [child for child in server.children() if any("server.pool.worker" in word for word in child.cmdline())]
        began, moves, cpu_s, beside_s = time.monotonic(), load.trips, _cpu_s([server]), _cpu_s(beside)
        await asyncio.sleep(WINDOW_S)
        ended = time.monotonic()
        figures = load.trips - moves, _cpu_s([server]) - cpu_s, _cpu_s(beside) - beside_s
        found[number % 2 == 1].append(Turn(began, ended, *figures))
    await load.rest()
    return found


async def measure(server: ServerProcess, tokens: list[str]) -> dict[bool, list[Turn]]:
    """Connect a bot for each of `tokens` to the pool. Measure time windows in which the bots play or pause.

    Return a dictionary of two lists of measurements. The key is True for windows in which the bots played, and False
    for the others.
    """
    load = Generator(server.port)
    await load.connect(len(tokens), PoolBot)
    for talker, token in zip(load.talkers, tokens, strict=True):
        talker.say(json.dumps({"type": "enter", "token": token}).encode())
    load.resume()
    await asyncio.sleep(5 * SETTLE_S)
    found = await turns(load, psutil.Process(server.process.pid))
    assert not load.lost, f"{load.lost} bots were dropped"
    load.close()
    return found


def registered(server: ServerProcess) -> list[str]:
    """Register all bots with the server, four for each owner. Return the tokens of the bots."""
    tokens: list[str] = []
    made: Json = {}
    with Client(server.url) as client:
        for number in range(BOTS):
            whose = {"owner_token": made["owner_token"]} if number % 4 else {"owner": f"owner {number // 4}"}
            answer = client.asked(type="register", name=f"bot {number}", **whose)
            made = made if number % 4 else answer
            tokens.append(answer["token"])
    return tokens


def spread(times: list[float]) -> str:
    """Return a text with the median, the 95 % quantile and the 99 % quantile of `times`, which are in seconds."""
    shares = ((share, 1000 * sorted(times)[int(share * len(times))]) for share in (0.5, 0.95, 0.99))
    return ", ".join(f"{100 * share:g} % within {ms:.1f} ms" for share, ms in shares)


def main() -> None:
    here, there = multiprocessing.Pipe()
    with tempfile.TemporaryDirectory() as made, ServerProcess(Path(made) / "data", *OPTIONS, before=("env",)) as server:
        tokens = registered(server)
        crowd = multiprocessing.get_context("spawn").Process(
            target=people, args=(server.port, server.process.pid, there)
        )
        crowd.start()
        try:
            found = loop_runner(measure(server, tokens))
            here.send(None)
            waits = [Wait(*wait) for wait in here.recv()]
        finally:
            crowd.terminate()
            crowd.join()
        games = len(results_of(server.folder))
    print(f"\na pool of {BOTS} bots, {PEOPLE} people; {games} games among the results; load {os.getloadavg()[0]:.1f}")
    for is_playing, their in found.items():
        wall_s = sum(turn.ended - turn.began for turn in their)
        moves = sum(turn.moves for turn in their)
        server_s, beside_s = sum(turn.server_s for turn in their), sum(turn.beside_s for turn in their)
        heard = [wait for wait in waits if any(turn.began <= wait.at < turn.ended for turn in their)]
        each = f"{1e6 * server_s / moves:.0f} us a move, " if moves else ""
        print(f"  bots {'playing' if is_playing else 'resting'}: {moves / wall_s:,.0f} moves/s, {each}", end="")
        print(f"server {100 * server_s / wall_s:.0f} % of a core, results and ratings {100 * beside_s / wall_s:.1f} %")
        print(f"    people: {len(heard)} answers: {spread([wait.wall_s for wait in heard])}")
        print(f"    by the CPU time of the server: {spread([wait.cpu_s for wait in heard])}")


if __name__ == "__main__":
    main()
