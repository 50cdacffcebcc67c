"""Transcripts for the manual of `rails-cli engine`, from a real service and a real game."""

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


def transcript(*lines: Any) -> list[str]:
    """Send `lines` to an engine in this process. Return requests and answers, shortened and with rounded numbers."""
    service, shown = Service(), []
    for line in lines:
        answer = json.loads(service.answer_line(json.dumps(line).encode()))
        for sign, message in (("<", line), (">", answer)):
            shown += folded(written(_rounded(short(_shortened(message)))), f"{sign} ", "    ")
    return shown


def _shortened(message: Any) -> Any:
    """Return the JSON value `message` without boards and views."""
    if isinstance(message, list):
        return [_shortened(part) for part in message]
    if message.get("type") == "start":
        return (
            only({**message, "board": {Cut(): None}}, "type", "game", "players", "board")
            if "board" in message
            else message
        )
    if message.get("type") == "request":
        return only({**message, "view": {Cut(): None}}, "type", "number", "seat", "view")
    return {key: {Cut(): None} if key == "view" and part else part for key, part in message.items()}


def _rounded(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _rounded(part) for key, part in value.items()}
    if isinstance(value, list):
        return [_rounded(part) for part in value]
    return round(value, DIGITS) if isinstance(value, float) else value


def start() -> Json:
    board = json.loads(msgspec.json.encode(load_game(GAME).wire_board(standard_board(GAME))))
    message = {
        "type": "start",
        "match": "m-1",
        "game": GAME,
        "rules_version": load_game(GAME).rules_version,
        "players": PLAYERS,
        "seat": 1,
    }
    return {**message, "options": {}, "clock": None, "board": board}


def request() -> Json:
    position = Engine(GAME).new(len(PLAYERS), 7).playout("greedy", 7, 22)
    assert position.seat is not None
    view = json.loads(msgspec.json.encode(position.view(position.seat)))
    message = {"type": "request", "match": "m-1", "number": 23, "seat": position.seat, "events": []}
    return {**message, "view": view, "legal": [], "default": 0, "clock": None}


def runs() -> list[list[int]]:
    """Return a list with one element for each legal move in the position of `request()`, the best move first.

    Each element is a list that contains only the number of the move.
    """
    position = Engine(GAME).position(request())
    seat = position.seat
    assert seat is not None
    moves = sorted(position.moves(), key=lambda move: -position.play(move).outlook().payoffs[seat])
    return [[move] for move in moves]


def session() -> list[str]:
    return transcript(start(), [request(), {"type": "children"}], {"type": "actions", "moves": runs()[0]})


def asking(*lines: Json | list[Json]) -> list[str]:
    """Send `lines` about the position of `request()` to an engine.

    Return the transcript without the first two messages, which set the position, and their answers.
    """
    before = transcript(start(), request())
    return transcript(start(), request(), *lines)[len(before) :]


ENGINE_TRANSCRIPTS: dict[str, Callable[[], list[str]]] = {
    "engine.session": session,
    "engine.new": lambda: transcript({"type": "start", "game": GAME, "players": PLAYERS}, {"type": "new", "seed": 5}),
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
    "engine.search": lambda: asking({"type": "search", "looks": 50}),
    "engine.errors": lambda: asking([{"type": "legal", "at": 3}, {"type": "play", "moves": [999]}, {"type": "fly"}]),
}
