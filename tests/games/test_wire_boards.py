"""Tests of boards as sent to clients: a client can play on them, and invalid boards are refused."""

import json
from typing import Any

import msgspec
import pytest

from rails_cli.games import board_file, board_from_wire, game_names, load_game, standard_board
from rails_cli.games.game import BoardError


def wire_of(name: str, board: Any) -> Any:
    return json.loads(msgspec.json.encode(load_game(name).wire_board(board)))


def another_board(name: str) -> Any:
    """Return a board with values that differ from those of the standard board."""
    file = json.loads(board_file(name))
    file["name"] = "mine"
    if name == "american_rails":
        file |= {"minimum_bid": 7, "low_supply": 2}
    elif name == "chicago_express":
        file |= {"expand_max": 5, "houses": 30}
    else:
        file["resale"] |= {"numerator": 1, "denominator": 3}
        file["set_aside"]["by_players"]["3"] = 1 - file["set_aside"]["by_players"]["3"]
    return load_game(name).read_board(json.dumps(file).encode())


@pytest.mark.parametrize("name", game_names())
def test_a_board_decoded_from_a_message_plays_like_the_original(name: str) -> None:
    """A client can play on a board that it has decoded from a message. The game is the same as on the original board.

    The message has unknown fields at all levels, which the client ignores.
    """
    game, board = load_game(name), another_board(name)
    wire = wire_of(name, board)
    assert (
        board_from_wire(name, None)
        is board_from_wire(name, wire_of(name, standard_board(name)))
        is standard_board(name)
    )
    decoded = board_from_wire(name, _with_unknown_fields(wire))
    assert wire_of(name, decoded) == wire
    for players in game.players[1:3]:
        ours, theirs = (game.setup(one, players, game.options_type(), 5, None) for one in (board, decoded))
        for step in range(400):
            assert game.dump(ours) == game.dump(theirs)
            legal = game.moves.legal(ours, board)
            assert legal == game.moves.legal(theirs, decoded)
            if not legal:
                break
            move = legal[step * 7919 % len(legal)]
            game.moves.apply(ours, board, move)
            game.moves.apply(theirs, decoded, move)


def _with_unknown_fields(value: Any) -> Any:
    """Return `value` with an unknown field added to every object whose keys are not numbers."""
    if isinstance(value, list):
        return [_with_unknown_fields(part) for part in value]
    if isinstance(value, dict) and not any(key.isdigit() for key in value):
        return {**{key: _with_unknown_fields(part) for key, part in value.items()}, "smell": 3}
    return value


@pytest.mark.parametrize("name", game_names())
def test_an_invalid_board_is_refused(name: str) -> None:
    wire = wire_of(name, another_board(name))
    rows = next(field for field in wire if isinstance(wire[field], list) and isinstance(wire[field][0], dict))
    wrong = [7, [], {}, "board", {**wire, rows: wire[rows] * 2}, {**wire, rows: 3}, {**wire, rows: [[]]}]
    wrong += [{key: value for key, value in wire.items() if key != left_out} for left_out in wire]
    wrong += [{**wire, key: None} for key in wire]
    for board in wrong:
        with pytest.raises(BoardError):
            board_from_wire(name, board)
