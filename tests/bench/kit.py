"""Decisions per CPU second of a Python bot written by hand with `json` and of one that uses the kit."""

import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from rails_cli.games import GAME_NAMES, load_game, standard_board
from rails_cli.match.match import Match, header_of
from rails_cli.match.session import start_of
from rails_cli.protocol.lines import encode
from rails_cli.protocol.log import PlayerLine
from rails_cli.protocol.messages import Join
from tests.bench.measure import interleaved, show
from tests.bench.stdio import PLAYERS, ROOT, recorded_requests

BY_HAND = [sys.executable, str(ROOT / "bots/python/bot.py")]
WITH_THE_KIT = [sys.executable, str(ROOT / "bots/python_protocol/bot.py")]
DECISIONS = 4000
"""Number of requests, high enough that starting the process hardly matters."""
GOAL = 1.0
"""Required ratio. The kit decodes with msgspec, which makes up for creating typed objects."""


def children_s() -> float:
    """Return the CPU seconds of child processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def start_line(name: str) -> bytes:
    """Return the `start` message of a match for seat 0."""
    game = load_game(name)
    header = header_of(game, game.options_type(), 0, [PlayerLine(f"bot {seat}") for seat in range(PLAYERS)])
    return encode(start_of("m-1", Match(game, standard_board(name), header), 0, None, Join()))


def fed(command: list[str], messages: bytes) -> Callable[[], int]:
    """Return a function that runs a bot with all messages on its standard input. It returns the number of answers."""

    def run() -> int:
        done = subprocess.run(command, input=messages, stdout=subprocess.PIPE, check=True)
        return done.stdout.count(b"\n")

    return run


def main() -> None:
    for name in GAME_NAMES:
        with tempfile.TemporaryDirectory() as folder:
            lines = [line for _, line in recorded_requests(name, BY_HAND, Path(folder))]
        lines = (lines * (DECISIONS // len(lines) + 1))[:DECISIONS]
        messages = b"".join([start_line(name), *lines])
        contenders = {"by hand": fed(BY_HAND, messages), f"{name}, with the kit": fed(WITH_THE_KIT, messages)}
        rates = interleaved(contenders, clock=children_s)
        size = sum(map(len, lines)) // DECISIONS
        show(f"A decision of a Python bot, {size} bytes a request", rates, "by hand", at_least=GOAL)
