"""Random playouts and copies of the three games against python-chess."""

from collections.abc import Callable
from typing import Any

import chess

from rails_cli.core import auction
from rails_cli.core.luck import stream
from rails_cli.games import GAME_NAMES, load_evaluation, load_game, load_players, standard_board
from rails_cli.players.chance import choose_random
from rails_cli.simulate import playout
from tests.bench.measure import interleaved, show

PLAYERS = 4
GAMES_A_TURN = 12
PLIES_A_TURN = 3_000
COPIES_A_TURN = 20_000
EVALUATED = 2_000
IN_NUMBERS = 15
IN_NUMBERS_COMPILED = 25
"""Goals for playouts in numbers, as multiples of the yardstick."""


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


def number_decisions(name: str) -> Callable[[], int]:
    """The same in numbers, as a search plays: any legal move with equal chance."""
    game, board = load_game(name), standard_board(name)
    options, legal_moves, apply_move = game.options_type(), game.moves.legal, game.moves.apply

    def run() -> int:
        decisions = 0
        for seed in range(GAMES_A_TURN):
            state = game.setup(board, PLAYERS, options, seed, None)
            chance = stream(seed)
            while legal := legal_moves(state, board):
                apply_move(state, board, legal[int(chance() * len(legal))])
                decisions += 1
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


def evaluations(name: str) -> Callable[[], int]:
    """What every third position of a game between greedy players is worth."""
    game, board, evaluation = load_game(name), standard_board(name), load_evaluation(name)
    assert evaluation is not None
    think = load_players(name)["greedy"]
    state = game.setup(board, PLAYERS, game.options_type(), 3, None)
    positions = []
    while state.pending is not None:
        positions.append(state.copy())
        view = game.view(state, board, state.pending.seat)
        game.apply(state, board, think(view, game.legal_actions(state, board), board), None)
    positions = positions[::3]

    def run() -> int:
        for _ in range(EVALUATED // len(positions)):
            for position in positions:
                evaluation.worth(position, board)
        return EVALUATED // len(positions) * len(positions)

    return run


def chess_middle() -> chess.Board:
    board = chess.Board()
    chance = stream(1)
    for _ in range(40):
        moves = list(board.legal_moves)
        board.push(moves[int(chance() * len(moves))])
    return board


def main() -> None:
    yardstick = "python-chess"
    typed = {name: game_decisions(name) for name in GAME_NAMES}
    numbers = {f"{name} in numbers": number_decisions(name) for name in GAME_NAMES}
    rates = interleaved({yardstick: chess_plies, **typed, **numbers})
    title = "Random playouts, decisions per CPU second (legal list and apply for each)"
    show(title, {name: rates[name] for name in (yardstick, *typed)}, yardstick, at_least=10)
    goal = IN_NUMBERS if auction.__file__.endswith(".py") else IN_NUMBERS_COMPILED
    show(f"{title}, in numbers", {name: rates[name] for name in (yardstick, *numbers)}, yardstick, at_least=goal)
    contenders = {f"{yardstick} copy(stack=False)": copies(chess_middle(), lambda board: board.copy(stack=False))}
    for name in GAME_NAMES:
        contenders[f"{name} copy()"] = copies(middle_of(name), lambda state: state.copy())
    rates = interleaved({yardstick: chess_plies, **{name: evaluations(name) for name in GAME_NAMES}})
    show("Evaluations of a position per CPU second; 40,000 is the goal when compiled", rates, yardstick)
    rates = interleaved(contenders)
    show("Copies of a position in mid-game per CPU second", rates, f"{yardstick} copy(stack=False)", at_least=1)
