"""Tests with games recorded by an independent implementation. Every recorded line must agree with our rules."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from rails_cli.games import load_game, standard_board
from rails_cli.games.game import check

FOLDER = Path(__file__).parent / "recorded"
FILES = sorted(FOLDER.glob("*/*.jsonl"))


def test_all_recorded_games_are_found() -> None:
    assert len(FILES) == 62


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}-{file.stem}")
def test_a_recorded_game_is_replayed_with_the_same_figures(file: Path) -> None:
    header, setup, *actions, result = (msgspec.json.decode(line) for line in file.read_bytes().splitlines())
    game = load_game(header["game"])
    board = standard_board(header["game"])
    options = msgspec.convert(header["options"], game.options_type)
    state = game.setup_from_events(board, len(header["players"]), options, _events(game, setup, 0))
    assert game.figures(state, board) == setup["check"]
    for line in actions:
        where = f"{file.name} action {line['number']}"
        assert state.pending is not None, where
        assert state.pending.seat == line["seat"], where
        assert len(game.legal_actions(state, board)) == line["legal"], where
        action = msgspec.convert(line["action"], game.action_type)
        check(game, board, state, line["seat"], action)
        game.preload_chance(state, board, _events(game, line, line["seat"]))
        game.apply(state, board, action, None)
        assert game.figures(state, board) == line["check"], where
    assert state.pending is None
    assert game.scores(state) == result["scores"]
    assert [seat for seat, rank in enumerate(game.ranks(state, board)) if rank == 1] == result["winners"]


def _events(game: Any, line: dict[str, Any], seat: int) -> list[Any]:
    """Return the random events in a recorded line.

    The records omit the seat that draws a piece, so `seat` is filled in.
    """
    completed = [{"seat": seat, **event} if event["type"] == "drew" else event for event in line.get("events", [])]
    return [msgspec.convert(event, game.event_type) for event in completed]
