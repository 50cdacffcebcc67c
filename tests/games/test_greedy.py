"""The greedy built-in player: it beats the busy one, always answers from the legal list, and knows only its view."""

from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import pytest

from rails_cli.games import GAME_NAMES, board_file, load_game, load_players
from rails_cli.games.game import check_listed
from rails_cli.games.shared.luck import stream
from rails_cli.players.chance import choose_busy
from tests.support.positions import Setting, Step, all_settings, some_seeds, turn_of, walk

GAMES = 40
LEAST_SHARE = {"chicago_express": 0.8, "american_rails": 0.8}
USUAL_SHARE = 0.65
SETTINGS = all_settings()
"""Every other one is for games of greedy players, the others for games of chance."""


def think_of(name: str) -> Callable[[Any, list[Any], Any], Any]:
    return load_players(name)["greedy"]


def turns(setting: Setting, seed: int, greedy_seats: list[int], board: Any = None) -> Iterator[Step]:
    """A game between greedy and busy players; the last step is the end, with no action."""
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
        yield Step(state, legal, seat, action)
        game.apply(state, board, action, None)
    yield Step(state, [], -1, None)


def final(setting: Setting, seed: int, greedy_seats: list[int], board: Any = None) -> Any:
    return list(turns(setting, seed, greedy_seats, board))[-1].state


@pytest.mark.parametrize("name", GAME_NAMES)
def test_greedy_beats_three_busy_players(name: str) -> None:
    """Far above the fair quarter; the seats rotate and ties count in parts."""
    setting = Setting(name, 4, load_game(name).options_type())
    won = 0.0
    for number in range(GAMES):
        seat = number % setting.players
        ranks = setting.game.ranks(final(setting, number // setting.players, [seat]), setting.board)
        won += (ranks[seat] == 1) / ranks.count(1)
    assert won / GAMES >= LEAST_SHARE.get(name, USUAL_SHARE)


@pytest.mark.parametrize("setting", [one for one in SETTINGS if turn_of(one) % 2 == 0], ids=str)
def test_every_answer_is_legal_and_known_from_the_view(setting: Setting) -> None:
    """The same answer is given to a view and a legal list that went through JSON."""
    game, board = setting.game, setting.board
    think = think_of(setting.name)
    sides = ([0, 1], list(range(setting.players)))
    for seed in some_seeds():
        greedy_seats = sides[(seed + SETTINGS.index(setting) // 2) % 2]
        for state, legal, seat, action in turns(setting, seed, greedy_seats):
            if seat in greedy_seats:
                check_listed(legal, action)
                view = reread(game.view(state, board, seat), game.view_type)
                assert think(view, [reread(entry, game.entry_type) for entry in legal], board) == action


@pytest.mark.parametrize("setting", [one for one in SETTINGS if turn_of(one) % 2], ids=str)
def test_it_has_an_answer_in_any_position(setting: Setting) -> None:
    """Also in positions that it would not have got into itself."""
    think = think_of(setting.name)
    for state, legal, seat, _ in walk(setting, 7, "random"):
        check_listed(legal, think(setting.game.view(state, setting.board, seat), legal, setting.board))


def reread(told: Any, kind: Any) -> Any:
    return msgspec.json.decode(msgspec.json.encode(told), type=kind)


@pytest.mark.parametrize("name", GAME_NAMES)
def test_names_on_the_board_do_not_matter(name: str) -> None:
    """On a board with other ids the same games are played."""
    game = load_game(name)
    written = msgspec.json.decode(board_file(name))
    other_board = game.read_board(msgspec.json.encode(renamed(written, ids_in(written))))
    for players in game.players:
        setting = Setting(name, players, game.options_type())
        for seed in range(2):
            assert game.scores(final(setting, seed, [0], other_board)) == game.scores(final(setting, seed, [0]))


def ids_in(written: Any) -> set[str]:
    """Every id given in a board file."""
    if isinstance(written, list):
        return {id for entry in written for id in ids_in(entry)}
    if isinstance(written, dict):
        own = {written["id"]} if "id" in written else set()
        return own.union(*(ids_in(entry) for entry in written.values()))
    return set()


def renamed(written: Any, ids: set[str]) -> Any:
    """A board file with another name for each id."""
    if isinstance(written, list):
        return [renamed(entry, ids) for entry in written]
    if isinstance(written, dict):
        return {key: renamed(entry, ids) for key, entry in written.items()}
    return f"Z{written}" if isinstance(written, str) and written in ids else written
