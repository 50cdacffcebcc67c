"""Random playouts and copies of the three games against python-chess."""

from collections.abc import Callable
from typing import Any

import chess

from rails_cli.core.luck import stream
from rails_cli.games import GAME_NAMES, load_game, standard_board
from rails_cli.players.chance import choose_random
from rails_cli.simulate import playout
from tests.bench.measure import interleaved, show

PLAYERS = 4
GAMES_A_TURN = 12
PLIES_A_TURN = 3_000
COPIES_A_TURN = 20_000


def chess_plies() -> int:
    """Random legal games of at most 300 plies, without asking whether a draw can be claimed."""
    chance = stream(1)
    plies = 0
    while plies < PLIES_A_TURN:
        board = chess.Board()
        for _ in range(300):
            moves = list(board.legal_moves)
            if not moves:
                break
            board.push(moves[int(chance() * len(moves))])
            plies += 1
    return plies


def game_decisions(name: str) -> Callable[[], int]:
    game, board = load_game(name), standard_board(name)
    options = game.options_type()

    def run() -> int:
        decisions = 0
        for seed in range(GAMES_A_TURN):
            state = game.setup(board, PLAYERS, options, seed, None)
            decisions += playout(game, board, state, choose_random, stream(seed)).total()
        return decisions

    return run


def copies(position: Any, copy: Callable[[Any], Any]) -> Callable[[], int]:
    def run() -> int:
        for _ in range(COPIES_A_TURN):
            copy(position)
        return COPIES_A_TURN

    return run


def middle_of(name: str) -> Any:
    """A position half-way through a random game."""
    game, board = load_game(name), standard_board(name)
    length = 0
    for stop in (None, 1):
        state = game.setup(board, PLAYERS, game.options_type(), 3, None)
        chance = stream(3)
        played = 0
        while state.pending is not None and (stop is None or played < length // 2):
            game.apply(state, board, choose_random(game.legal_actions(state, board), chance), None)
            played += 1
        length = played
    return state


def chess_middle() -> chess.Board:
    board = chess.Board()
    chance = stream(1)
    for _ in range(40):
        moves = list(board.legal_moves)
        board.push(moves[int(chance() * len(moves))])
    return board


def main() -> None:
    yardstick = "python-chess"
    rates = interleaved({yardstick: chess_plies, **{name: game_decisions(name) for name in GAME_NAMES}})
    show("Random playouts, decisions per CPU second (legal list and apply for each)", rates, yardstick, at_least=10)
    contenders = {f"{yardstick} copy(stack=False)": copies(chess_middle(), lambda board: board.copy(stack=False))}
    for name in GAME_NAMES:
        contenders[f"{name} copy()"] = copies(middle_of(name), lambda state: state.copy())
    rates = interleaved(contenders)
    show("Copies of a position in mid-game per CPU second", rates, f"{yardstick} copy(stack=False)", at_least=1)
