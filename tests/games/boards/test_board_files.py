"""Tests of malformed and randomly changed board files of all games."""

import json
from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from rails_cli.games import board_file, game_names, load_game
from rails_cli.games.game import BoardError
from rails_cli.games.shared.luck import stream
from rails_cli.players.chance import choose_busy
from tests.games.audits import american_rails, chicago_express
from tests.games.boards.board_files import mistakes
from tests.support.fuzzing import with_other_value

CASES = 50
LONGEST = 60
CHECKS: dict[str, Callable[[Any, Any], None]] = {
    "american_rails": american_rails.check_caches,
    "chicago_express": chicago_express.audit,
}
"""By game, a function that checks a position on any board.

Games that are not listed have only checks that require the standard board.
"""

every_game = pytest.mark.parametrize("name", game_names())


@every_game
@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"\xff\xfe",
        b"[" * 100_000,
        b"1e999",
        b'{"a": "\\ud800"}',
        b"\xef\xbb\xbf{}",
    ],
)
def test_a_file_that_is_not_a_json_object_is_refused(name: str, data: bytes) -> None:
    assert mistakes(name, data)[0].startswith("board")


@every_game
def test_arbitrary_bytes_are_refused(name: str) -> None:
    chance = Random(name)
    for size in range(1, 200, 10):
        assert mistakes(name, chance.randbytes(size))


@every_game
def test_a_randomly_changed_board_is_playable_or_refused_with_messages(name: str) -> None:
    changes, game = Random(name), load_game(name)
    refusals: list[BoardError] = []
    for _ in range(CASES):
        content = json.dumps(json.loads(board_file(name))).encode()
        for _ in range(changes.choice((1, 1, 3))):
            content = with_other_value(content, changes)
        try:
            board = game.read_board(content)
        except BoardError as error:
            refusals.append(error)
        else:
            play_and_check(name, board)
    assert 0 < len(refusals) < CASES
    assert all(error.mistakes for error in refusals)
    assert all(line and line.isprintable() for error in refusals for line in error.mistakes)


def play_and_check(name: str, board: Any) -> None:
    """Play a random game on `board`, at most `LONGEST` actions, and check its positions."""
    game, chance = load_game(name), stream(1)
    state = game.setup(board, 3, game.options_type(), 1, [])
    for count in range(LONGEST):
        if state.pending is None:
            break
        if count % 10 == 0:
            CHECKS.get(name, lambda state, board: None)(state, board)
            assert game.dump(game.load(game.dump(state), board)) == game.dump(state)
        game.apply(state, board, choose_busy(game.legal_actions(state, board), chance), [])
        assert sum(state.money) == 0
