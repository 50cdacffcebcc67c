"""Decisions through `rails-cli host --games` against the same policy in the library, which is given a view for each.

What counts is the CPU time of both ends of the pipe, the reader's included: they wait for each other, so it is the wall
time of a quiet machine.
"""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import msgspec
import psutil

from protocol.common import Bid, BidRange
from protocol.messages import Answer
from rails_cli.core.luck import stream
from rails_cli.games import GAME_NAMES, load_game, standard_board
from rails_cli.games.game import bare
from tests.bench.measure import interleaved, show

PLAYERS = 4
GAMES_A_TURN = 40


class Told(msgspec.Struct):
    """What the policy needs of a message."""

    type: str
    number: int = 0
    legal: list[msgspec.Raw] = []


def in_library(name: str) -> Callable[[], int]:
    """Games by chance, of which every seat is given its view before it decides."""
    game, board = load_game(name), standard_board(name)
    options, chance = game.options_type(), stream(1)

    def run() -> int:
        decisions = 0
        for seed in range(GAMES_A_TURN):
            state = game.setup(board, PLAYERS, options, seed, None)
            while (question := state.pending) is not None:
                legal: list[Any] = game.legal_actions(state, board)
                game.view(state, board, question.seat)
                entry = legal[int(chance() * len(legal))]
                game.apply(state, board, Bid(entry.min) if type(entry) is BidRange else bare(entry), None)
                decisions += 1
        return decisions

    return run


def over_pipe(host: "subprocess.Popen[bytes]") -> Callable[[], int]:
    """The same over the pipe of a process that hosts match after match."""
    assert host.stdin is not None
    assert host.stdout is not None
    sink, read = host.stdin.fileno(), host.stdout.readline
    decode, encode, chance = msgspec.json.Decoder(Told).decode, msgspec.json.Encoder().encode, stream(1)

    def run() -> int:
        decisions = games = 0
        while games < GAMES_A_TURN:
            message = decode(read())
            if message.type == "request":
                choice = int(chance() * len(message.legal))
                os.write(sink, encode(Answer(message.number, choice=choice)) + b"\n")
                decisions += 1
            elif message.type == "end":
                games += 1
        return decisions

    return run


@contextmanager
def hosting(name: str) -> "Iterator[subprocess.Popen[bytes]]":
    words = ["host", name, "--players", str(PLAYERS), "--games", "0", "--clock", "none", "--seed", "0"]
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


def main() -> None:
    for name in GAME_NAMES:
        with hosting(name) as host:
            process = psutil.Process(host.pid)

            def used_s(process: psutil.Process = process) -> float:
                times = process.cpu_times()
                return time.process_time() + times.user + times.system

            contenders = {"library, with views": in_library(name), "host --games": over_pipe(host)}
            rates = interleaved(contenders, clock=used_s)
        show(f"{name}: decisions of one policy per CPU second", rates, "library, with views", at_least=0.5)
