"""A bot that looks ahead with the library of rails-cli.

The bot tries promising runs, which are sequences of its own moves. It lets the other players answer, and compares the
resulting positions. `python3 bot.py 0.5` thinks at most half a second about a decision. With more time the bot plays
better.
"""

import sys
import time
from typing import Any

from rails_cli.library import BoardError, Engine, NoSuchGame, Position, Run
from rails_cli.protocol.bot import Decision, run
from rails_cli.protocol.messages import Request, Start

SECONDS = float(sys.argv[1]) if len(sys.argv) > 1 else 0.02
PROMISING = 5
"""Maximum number of runs (sequences of moves) that are compared by looking ahead."""
MOST_LOOKS = 20
"""Maximum number of looks (playouts) of one decision."""
OF_A_MOVE, OF_THE_BANK = 0.3, 0.02
"""Fractions of the time limit per move, and of the time left in the bank, that one decision may use."""


class Searcher:
    """A bot that plays one match after another."""

    def __init__(self) -> None:
        self.engine: Engine | None = None

    def start(self, start: Start) -> None:
        try:
            self.engine = Engine.of(start)
        except (NoSuchGame, BoardError) as error:
            self.engine = None
            print(f"{start.game}: playing the defaults: {error}")

    def decide(self, request: Request[Any, Any, Any], start: Start) -> Decision:
        if self.engine is None or self.engine.evaluation is None or request.view is None:
            return request.default
        best = search(self.engine, request, start.seed or 0, time.monotonic() + seconds_for(request))
        action: Decision = self.engine.action(best[0])
        return action


def seconds_for(request: Request[Any, Any, Any]) -> float:
    """Return the maximum number of seconds to think about a decision."""
    clock = request.clock
    if clock is None:
        return SECONDS
    move = SECONDS if clock.move_s is None else clock.move_s * OF_A_MOVE
    bank = SECONDS if clock.bank_s is None else clock.bank_s * OF_THE_BANK
    return min(SECONDS, move, bank)


def search(engine: Engine, request: Request[Any, Any, Any], seed: int, until: float) -> Run:
    """Return the run (sequence of moves) with the best expected result for the seat. Stop when the monotonic clock
    reaches `until`.

    If nothing is hidden, each iteration looks further ahead. Otherwise each iteration replaces the hidden information
    by random values drawn from `seed`, and the results are added.
    """
    seat, is_open = request.seat, not engine.game.has_secrets
    runs = promising(engine.position(request), seat)
    best, totals = runs[0], dict.fromkeys(runs, 0.0)
    for look in range(MOST_LOOKS if len(runs) > 1 else 0):
        position = engine.position(request, seed=seed + look)
        for moves in runs:
            if time.monotonic() > until:
                return best
            worth = settled(position.after(moves), seat, rounds=look + 1 if is_open else 1).outlook().payoffs[seat]
            totals[moves] = worth if is_open else totals[moves] + worth
        best = max(runs, key=lambda moves: totals[moves])
    return best


def promising(position: Position, seat: int) -> list[Run]:
    """Return the runs (sequences of moves) after which the position is estimated best for `seat`, best first."""
    worth = {moves: position.after(moves).outlook().payoffs[seat] for moves in position.runs()}
    return sorted(worth, key=lambda moves: -worth[moves])[:PROMISING]


def settled(position: Position, seat: int, rounds: int) -> Position:
    """Return a later position, reached if each seat plays the run of moves that is estimated best for this seat.

    Stop when `seat` is to move for the `rounds`-th time, or when the game is over.
    """
    while position.seat is not None:
        if position.seat == seat:
            rounds -= 1
            if not rounds:
                break
        position = position.after(promising(position, position.seat)[0])
    return position


searcher = Searcher()
run(searcher.decide, on_start=searcher.start)
