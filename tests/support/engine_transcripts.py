"""The transcripts of the page on `rails-cli engine`: a real service is asked about a real game."""

import json
from collections.abc import Callable
from functools import partial
from typing import Any

import msgspec

from rails_cli.games import load_game, standard_board
from rails_cli.library import Engine
from rails_cli.library.service import Service
from tests.support.transcripts import Cut, Json, folded, only, short, written

GAME = "last_spike"
PLAYERS = ["ann", "bob", "cid"]
DIGITS = 3


def told(*lines: Any) -> list[str]:
    """What is said both ways, made short; numbers are rounded."""
    service, shown = Service(), []
    for line in lines:
        answer = json.loads(service.answered(json.dumps(line).encode()))
        for sign, said in (("<", line), (">", answer)):
            shown += folded(written(_rounded(short(_shortened(said)))), f"{sign} ", "    ")
    return shown


def _shortened(said: Any) -> Any:
    if isinstance(said, list):
        return [_shortened(part) for part in said]
    if said.get("type") == "start":
        return only({**said, "board": {Cut(): None}}, "type", "game", "players", "board") if "board" in said else said
    if said.get("type") == "request":
        return only({**said, "view": {Cut(): None}}, "type", "number", "seat", "view")
    return {key: {Cut(): None} if key == "view" and part else part for key, part in said.items()}


def _rounded(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _rounded(part) for key, part in value.items()}
    if isinstance(value, list):
        return [_rounded(part) for part in value]
    return round(value, DIGITS) if isinstance(value, float) else value


def start() -> Json:
    """As a bot gets it."""
    board = json.loads(msgspec.json.encode(load_game(GAME).wire_board(standard_board(GAME))))
    told = {"type": "start", "match": "m-1", "game": GAME, "rules_version": 3, "players": PLAYERS, "seat": 1}
    return {**told, "options": {}, "clock": None, "board": board}


def request() -> Json:
    """One from the middle of a game."""
    position = Engine(GAME).new(len(PLAYERS), 7).playout("greedy", 7, 22)
    assert position.seat is not None
    view = json.loads(msgspec.json.encode(position.view(position.seat)))
    told = {"type": "request", "match": "m-1", "number": 23, "seat": position.seat, "events": []}
    return {**told, "view": view, "legal": [], "default": 0, "clock": None}


def runs() -> list[list[int]]:
    """What the seat could do there, one move each, the best first."""
    position = Engine(GAME).position(request())
    seat = position.seat
    assert seat is not None
    moves = sorted(position.moves(), key=lambda move: -position.play(move).outlook().payoffs[seat])
    return [[move] for move in moves]


def session() -> list[str]:
    return told(start(), [request(), {"type": "children"}], {"type": "actions", "moves": runs()[0]})


def asking(*lines: Json | list[Json]) -> list[str]:
    """What is said about that position, without the lines that bring it."""
    before = told(start(), request())
    return told(start(), request(), *lines)[len(before) :]


def new_game() -> list[str]:
    return told({"type": "start", "game": GAME, "players": PLAYERS}, {"type": "new", "seed": 5})


ENGINE_TRANSCRIPTS: dict[str, Callable[[], list[str]]] = {
    "engine.session": session,
    "engine.new": new_game,
    "engine.imagine": lambda: asking(
        {"type": "imagine", "count": 4, "seed": 1, "at": 100}, {"type": "children", "at": [100, 101, 102, 103]}
    ),
    "engine.legal": lambda: asking({"type": "legal"}, {"type": "actions", "moves": runs()[0]}),
    "engine.play": lambda: asking(
        [
            {"type": "play", "moves": runs()[0], "to": 1},
            {"type": "legal", "at": 1},
            {"type": "play", "moves": runs()[0]},
            {"type": "undo"},
        ]
    ),
    "engine.free": lambda: asking({"type": "free"}),
    "engine.view": lambda: asking({"type": "view"}),
    "engine.evaluate": partial(asking, {"type": "evaluate"}),
    "engine.playouts": lambda: asking({"type": "playouts", "runs": runs(), "count": 20, "policy": "busy"}),
    "engine.errors": lambda: asking([{"type": "legal", "at": 3}, {"type": "play", "moves": [999]}, {"type": "fly"}]),
}
