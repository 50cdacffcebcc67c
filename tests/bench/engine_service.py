"""Positions per second through `rails-cli engine`, compared with python-chess and with `rails_cli.library`."""

import json
import time
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

import msgspec

from rails_cli.games import game_names
from rails_cli.library import Engine, Position
from tests.bench.engines import chess_plies
from tests.bench.measure import interleaved, show
from tests.support.line_process import LineProcess

PLAYERS = 4
MOVES_BEFORE = 50
POSITIONS = 500
"""Number of positions in one request line. To reach each position, the service plays one move."""
GAMES = 30
TIMES = 20
GOAL = 20_000


def middle_of(name: str) -> Position:
    """Return a position of the game `name` after `MOVES_BEFORE` moves, built from the view of the seat to move.

    The built-in player `busy` chooses these moves for all seats.
    """
    engine = Engine(name)
    position = engine.new(PLAYERS, 3).playout("busy", 3, MOVES_BEFORE)
    assert position.seat is not None
    return engine.position(position.view(position.seat))


def request_sender(service: LineProcess, requests: Any) -> Callable[[], Any]:
    """Return a function that sends `requests` to `service` in one line and returns the decoded answer."""
    line = msgspec.json.encode(requests)
    assert b'"error"' not in json.dumps(service.ask(line)).encode()
    return lambda: service.ask(line)


def positions(service: LineProcess, position: Position) -> Callable[[], int]:
    """Return a function that asks the service for `POSITIONS` positions in one line, and returns their number.

    For each of them, the service plays one move from `position` and lists the legal moves in the new position.
    """
    moves = position.moves()
    requests: list[dict[str, Any]] = []
    for place in range(1, POSITIONS + 1):
        requests.append({"type": "play", "moves": [moves[place % len(moves)]], "to": place})
        requests.append({"type": "legal", "at": place})
    ask = request_sender(service, requests)
    return lambda: len(ask()) // 2


def one_a_line(service: LineProcess, position: Position) -> Callable[[], int]:
    ask = request_sender(service, {"type": "play", "moves": position.moves()[-1:], "to": 1})

    def run() -> int:
        for _ in range(POSITIONS):
            ask()
        return POSITIONS

    return run


def playouts(service: LineProcess, position: Position) -> Callable[[], int]:
    """Return a function that lets the service play random games to the end and returns the number of moves played."""
    ask = request_sender(service, {"type": "playouts", "count": GAMES})
    return lambda: int(ask()["moves"])


def children(service: LineProcess, position: Position) -> Callable[[], int]:
    """Return a function that asks the service for the values of positions.

    These are the positions after each candidate move in `position`. The function returns their number.
    """
    ask = request_sender(service, [{"type": "children"}] * TIMES)
    return lambda: sum(len(answer["runs"]) for answer in ask())


def children_here(position: Position) -> Callable[[], int]:
    """Return a function that evaluates, in this process, the position after each candidate move in `position`.

    The function returns the number of positions evaluated.
    """

    def run() -> int:
        done = 0
        for _ in range(TIMES):
            runs = position.runs()
            for one in runs:
                position.after(one).outlook()
            done += len(runs)
        return done

    return run


def main() -> None:
    yardstick = "python-chess"
    kinds = {"played and listed": positions, "played one a line": one_a_line, "in playouts": playouts}
    with ExitStack() as stack:
        services = {}
        for name in game_names():
            position, service = middle_of(name), stack.enter_context(LineProcess("engine"))
            service.ask({"type": "start", "game": name})
            view = json.loads(msgspec.json.encode(position.view(position.seat or 0)))
            service.ask({"type": "request", "view": view})
            services[name] = service, position
        for kind, made in kinds.items():
            contenders = {name: made(service, position) for name, (service, position) in services.items()}
            rates = interleaved({yardstick: chess_plies, **contenders}, clock=time.perf_counter)
            goal = None if made is one_a_line else GOAL
            show(f"Positions {kind} by rails-cli engine, per second", rates, yardstick, at_least_a_second=goal)
        for name, (service, position) in services.items():
            here = f"{name} in this process"
            both = {here: children_here(position), f"{name} by the service": children(service, position)}
            title = "Positions evaluated after every candidate, per second"
            show(title, interleaved(both, clock=time.perf_counter), here, at_least=0.5)
