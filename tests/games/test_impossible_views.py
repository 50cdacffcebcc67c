"""Views of positions that cannot be, as a server may send them: refused in words, at once."""

from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import pytest

from rails_cli.games import GAME_NAMES, load_game, standard_board
from rails_cli.games.game import PUBLIC
from rails_cli.games.shared.luck import stream
from rails_cli.players.builtin import ThinkingPlayer
from rails_cli.players.chance import choose_busy

Chance = Callable[[], float]

NUMBERS = (0, -1, 1, 2, 7, 99, 10**6, 10**11, 10**18, -(10**18))
TEXTS = ("", "zzz", "X1")
PLAYERS = 3
POSITIONS = 12
EDITS = 40
THOUGHTS = 4
"""Of one in so many views that are not refused a player is asked what it would do."""


def positions(game: Any, board: Any, chance: Chance) -> Iterator[Any]:
    """Some of a game of busy players."""
    state = game.setup(board, PLAYERS, game.options_type(), 4, None)
    count = 0
    while state.pending is not None:
        if count % 7 == 0:
            yield state
        count += 1
        game.apply(state, board, choose_busy(game.legal_actions(state, board), chance), None)


def leaves(part: Any, way: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The ways to all that can be changed in what was read from JSON."""
    if way:
        yield way
    inner = part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ()
    for key, value in inner:
        yield from leaves(value, (*way, key))


def edited(told: Any, chance: Chance) -> Any:
    """The same with one thing changed, or two."""
    told = msgspec.json.decode(msgspec.json.encode(told))
    for _ in range(1 + int(chance() * 2)):
        ways = list(leaves(told))
        *way, last = ways[int(chance() * len(ways))]
        part = told
        for key in way:
            part = part[key]
        part[last] = other(part[last], chance)
    return told


def other(value: Any, chance: Chance) -> Any:
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


@pytest.mark.parametrize("name", GAME_NAMES)
def test_a_view_of_no_position_is_refused(name: str) -> None:
    game, board, chance = load_game(name), standard_board(name), stream(f"edits of {name}")
    found = [state.copy() for state in positions(game, board, chance)]
    refused = thoughts = imagined = 0
    for state in found[:: max(1, len(found) // POSITIONS)]:
        seat = state.pending.seat
        for number in range(EDITS):
            told = game.view(state, board, seat if number % 3 else PUBLIC)
            try:
                view: Any = msgspec.convert(edited(told, chance), game.view_type)
            except msgspec.ValidationError:
                continue
            try:
                guess = game.imagine(view, board, number)
            except ValueError as error:
                refused += bool(str(error))
                continue
            imagined += 1
            if imagined % THOUGHTS == 0 and guess.pending is not None and view.seat == guess.pending.seat:
                player = ThinkingPlayer("hard", name, 1, seat)
                try:
                    player.answer(view, game.legal_actions(guess, board), board, None)
                except (ValueError, LookupError, ArithmeticError):
                    continue
                thoughts += 1
    assert refused > 50
    assert thoughts
