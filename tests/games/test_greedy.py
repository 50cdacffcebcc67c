"""Tests of the built-in player `greedy`: it beats the player `busy`, answers legally, and uses only its view."""

from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import pytest

from rails_cli.games import board_file, game_names, load_game, load_players
from rails_cli.games.game import check_listed
from rails_cli.games.shared.luck import stream
from rails_cli.players.chance import choose_busy
from tests.support.positions import PlayedStep, Setting, all_settings, selection_number, some_seeds, walk

GAMES = 40 if len(some_seeds()) > 1 else 16
LEAST_SHARE = {"chicago_express": 0.7, "american_rails": 0.8}
USUAL_SHARE = 0.65
SETTINGS = all_settings()
"""Settings (game, players and options) of all games.

One test plays whole games with half of the settings. Another test plays games of random moves with the other half.
"""


def think_of(name: str) -> Callable[[Any, list[Any], Any], Any]:
    """Return the function that chooses actions for the greedy player of a game."""
    return load_players(name)["greedy"]


def game_steps(setting: Setting, seed: int, greedy_seats: list[int], board: Any = None) -> Iterator[PlayedStep]:
    """Yield the steps of a game between the players `greedy` and `busy`. `greedy` has the seats `greedy_seats`.

    A step has a position, the legal actions, the seat to move and its action. The last step has the final position and
    no action.
    """
    game, board = setting.game, board or setting.board
    think = think_of(setting.name)
    chance = stream(f"busy/{seed}")
    state = game.setup(board, setting.players, setting.options, seed, None)
    while state.pending is not None:
        seat = state.pending.seat
        legal = game.legal_actions(state, board)
        if seat in greedy_seats:
            action = think(game.view(state, board, seat), legal, board)
        else:
            action = choose_busy(legal, chance)
        yield PlayedStep(state, legal, seat, action)
        game.apply(state, board, action, None)
    yield PlayedStep(state, [], -1, None)


def final_state(setting: Setting, seed: int, greedy_seats: list[int], board: Any = None) -> Any:
    """Return the last position of the game that `game_steps` plays with the same arguments."""
    return list(game_steps(setting, seed, greedy_seats, board))[-1].state


@pytest.mark.parametrize("name", game_names())
def test_greedy_beats_three_busy_players(name: str) -> None:
    """`greedy` wins far more than a quarter of the games against three players `busy`.

    It plays in each seat equally often. A win shared by N players counts as 1/N of a win.
    """
    setting = Setting(name, 4, load_game(name).options_type())
    won = 0.0
    for number in range(GAMES):
        seat = number % setting.players
        ranks = setting.game.ranks(final_state(setting, number // setting.players, [seat]), setting.board)
        won += (ranks[seat] == 1) / ranks.count(1)
    assert won / GAMES >= LEAST_SHARE.get(name, USUAL_SHARE)


@pytest.mark.parametrize("setting", [one for one in SETTINGS if selection_number(one) % 2 == 0], ids=str)
def test_every_answer_is_legal_and_depends_only_on_the_view(setting: Setting) -> None:
    """Every answer of `greedy` is legal and depends only on the view and the list of legal actions.

    The answer is the same if both are converted to JSON and back.
    """
    game, board = setting.game, setting.board
    think = think_of(setting.name)
    sides = ([0, 1], list(range(setting.players)))
    for seed in some_seeds():
        greedy_seats = sides[(seed + SETTINGS.index(setting) // 2) % 2]
        for state, legal, seat, action in game_steps(setting, seed, greedy_seats):
            if seat in greedy_seats:
                check_listed(legal, action)
                view = json_round_trip(game.view(state, board, seat), game.view_type)
                assert think(view, [json_round_trip(entry, game.entry_type) for entry in legal], board) == action


@pytest.mark.parametrize("setting", [one for one in SETTINGS if selection_number(one) % 2], ids=str)
def test_greedy_answers_legally_in_random_positions(setting: Setting) -> None:
    """`greedy` answers legally in games of random moves, even in positions that greedy players would not reach."""
    think = think_of(setting.name)
    for state, legal, seat, _ in walk(setting, 7, "random"):
        check_listed(legal, think(setting.game.view(state, setting.board, seat), legal, setting.board))


def json_round_trip(value: Any, kind: Any) -> Any:
    return msgspec.json.decode(msgspec.json.encode(value), type=kind)


@pytest.mark.parametrize("name", game_names())
def test_names_on_the_board_do_not_change_a_game(name: str) -> None:
    """If all ids on a board are replaced, games with the same seed still have the same scores."""
    game = load_game(name)
    written = msgspec.json.decode(board_file(name))
    other_board = game.read_board(msgspec.json.encode(renamed(written, ids_in(written))))
    setting = Setting(name, game.players[-1], game.options_type())
    for seed in some_seeds():
        assert game.scores(final_state(setting, seed, [0], other_board)) == game.scores(final_state(setting, seed, [0]))


def ids_in(written: Any) -> set[str]:
    if isinstance(written, list):
        return {id for entry in written for id in ids_in(entry)}
    if isinstance(written, dict):
        own = {written["id"]} if "id" in written else set()
        return own.union(*(ids_in(entry) for entry in written.values()))
    return set()


def renamed(written: Any, ids: set[str]) -> Any:
    """Return the decoded board file `written` with a new id in place of each id in `ids`."""
    if isinstance(written, list):
        return [renamed(entry, ids) for entry in written]
    if isinstance(written, dict):
        return {key: renamed(entry, ids) for key, entry in written.items()}
    return f"Z{written}" if isinstance(written, str) and written in ids else written
