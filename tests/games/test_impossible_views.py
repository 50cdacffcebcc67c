"""Tests of impossible views, which belong to no position.

A faulty server may send them. They are refused with an error message.
"""

from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from rails_cli.games import game_names, load_game, standard_board
from rails_cli.games.game import PUBLIC
from rails_cli.games.shared.luck import stream
from rails_cli.players.builtin import ThinkingPlayer
from rails_cli.players.chance import choose_busy

Chance = Callable[[], float]

NUMBERS = (0, -1, 1, 2, 7, 99, 10**6, 10**11, 10**18, -(10**18))
TEXTS = ("", "zzz", "X1")
PLAYERS = 3
POSITIONS = 12
EDITS = 20
ACCEPTED_PER_ANSWER = 4
"""Number of accepted views for each view in which a built-in player also chooses an action.

To choose an action in every accepted view would take too long.
"""


def positions(game: Any, board: Any, chance: Chance) -> Iterator[Any]:
    """Yield every seventh position of a random game."""
    state = game.setup(board, PLAYERS, game.options_type(), 4, None)
    count = 0
    while state.pending is not None:
        if count % 7 == 0:
            yield state
        count += 1
        game.apply(state, board, choose_busy(game.legal_actions(state, board), chance), None)


def paths(part: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path of each value inside the decoded JSON `part`. A path is a tuple of keys and indexes."""
    if path:
        yield path
    inner = part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ()
    for key, value in inner:
        yield from paths(value, (*path, key))


def edited(original: Any, chance: Chance) -> Any:
    """Return a copy of `original` with one or two random values changed."""
    original = msgspec.json.decode(msgspec.json.encode(original))
    for _ in range(1 + int(chance() * 2)):
        all_paths = list(paths(original))
        *path, last = all_paths[int(chance() * len(all_paths))]
        part = original
        for key in path:
            part = part[key]
        part[last] = other(part[last], chance)
    return original


def other(value: Any, chance: Chance) -> Any:
    """Return a random value that replaces `value`."""
    if isinstance(value, bool):
        return not value
    choices: tuple[Any, ...] = (0, 1, "D2", [])
    if isinstance(value, int):
        choices = NUMBERS
    elif isinstance(value, str):
        choices = (*TEXTS, None)
    elif isinstance(value, list):
        choices = ([], value + value, value[:-1], value[:1], None)
    elif isinstance(value, dict):
        choices = ({}, None)
    return choices[int(chance() * len(choices))]


@pytest.mark.parametrize("name", game_names())
def test_a_view_that_no_position_has_is_refused_with_a_message(name: str) -> None:
    game, board, chance = load_game(name), standard_board(name), stream(f"edits of {name}")
    found = [state.copy() for state in positions(game, board, chance)]
    refused = answers = imagined = 0
    for state in found[:: max(1, len(found) // POSITIONS)]:
        seat = state.pending.seat
        for number in range(EDITS):
            original = game.view(state, board, seat if number % 3 else PUBLIC)
            try:
                view: Any = msgspec.convert(edited(original, chance), game.view_type)
            except msgspec.ValidationError:
                continue
            try:
                guess = game.imagine(view, board, number)
            except ValueError as error:
                refused += bool(str(error))
                continue
            imagined += 1
            if imagined % ACCEPTED_PER_ANSWER == 0 and guess.pending is not None and view.seat == guess.pending.seat:
                player = ThinkingPlayer("hard", name, 1, seat)
                try:
                    player.answer(view, game.legal_actions(guess, board), board, None)
                except (ValueError, LookupError, ArithmeticError):
                    continue
                answers += 1
    assert refused > 50
    assert answers


def test_american_rails_checks_supplies_and_the_turn() -> None:
    game, board = load_game("american_rails"), standard_board("american_rails")
    views = [game.view(state, board, PUBLIC) for state in positions(game, board, stream(1))]
    view: Any = next(view for view in views if not view.is_opening and view.question.asks == "expand")
    for changes, words in (
        ({"companies": [replace(company, cubes_left=1) for company in view.companies]}, "cubes"),
        ({"developed": board.hex_ids[: board.markers + 1]}, "development markers"),
        ({"columns": [{} for _ in view.columns]}, "turn"),
    ):
        with pytest.raises(ValueError, match=words):
            game.imagine(replace(view, **changes), board, 0)
