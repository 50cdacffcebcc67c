"""Speed of random playouts (games played to the end), copies and evaluations of the three games.

The speed is compared with that of python-chess.
"""

import gc
from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import replace
from itertools import repeat
from typing import Any

import chess

from rails_cli.games import game_names, load_evaluation, load_game, load_players, standard_board
from rails_cli.games.shared import auction
from rails_cli.games.shared.luck import stream
from rails_cli.players.chance import choose_random
from rails_cli.players.search.look_ahead import look_ahead
from rails_cli.study.simulate import playout
from tests.bench.measure import REPETITIONS, interleaved, show

PLAYERS = 4
GAMES_A_TURN = 60
PLIES_A_TURN = 3_000
COPIES_A_TURN = 20_000
KNOWN = 2_000
"""Number of positions that the benchmark "known" evaluates repeatedly. The caches already contain all values needed."""
LOOKS = 200
SEARCHED_EVERY = 8
"""In `searched_positions`, seat 0 runs a search at every `SEARCHED_EVERY`-th of its decisions.

Each search makes `LOOKS` iterations.
"""
IN_NUMBERS = 15
IN_NUMBERS_COMPILED = 25
"""Required speed of random games with moves given as numbers, with compiled code. `IN_NUMBERS` is for interpreted code.

Both are multiples of the speed of random chess games in python-chess.
"""
EVALUATIONS_COMPILED = 40_000
"""Required number of evaluations of Chicago Express positions per CPU second, with compiled code."""


def chess_plies() -> int:
    """Play random chess games of at most 300 plies, ignoring claimable draws. Return the number of plies."""
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
    """Return a function that plays random games with action objects and returns the number of decisions."""
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
    """Return a function that plays random games with moves given as numbers and returns the number of decisions."""
    game, board = load_game(name), standard_board(name)
    options, legal_moves, apply_move = game.options_type(), game.moves.legal, game.moves.apply

    def run() -> int:
        chance = stream(1)
        decisions = 0
        for seed in range(GAMES_A_TURN):
            state = game.setup(board, PLAYERS, options, seed, None)
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
    """Return the position in the middle of a random game, after half of its actions."""
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


def searched_positions(name: str) -> list[Any]:
    """Return all positions that searches evaluate during a game, in order.

    The game is played by greedy players. At some decisions of seat 0 a search is run as well, and its choice is
    ignored.
    """
    game, board, evaluation = load_game(name), standard_board(name), load_evaluation(name)
    assert evaluation is not None
    worth, think = evaluation.worth, load_players(name)["greedy"]
    positions: list[Any] = []

    def recorded(state: Any, board: Any) -> list[float]:
        positions.append(state.copy())
        return worth(state, board)

    state = game.setup(board, PLAYERS, game.options_type(), 3, None)
    decisions = 0
    while state.pending is not None:
        view = game.view(state, board, state.pending.seat)
        decisions += state.pending.seat == 0
        if state.pending.seat == 0 and decisions % SEARCHED_EVERY == 0:
            look_ahead(game, board, replace(evaluation, worth=recorded), view, stream(3), lambda looks: looks < LOOKS)
        game.apply(state, board, think(view, game.legal_actions(state, board), board), None)
    return positions


def evaluations(name: str, positions: list[Any], boards: Iterator[Any]) -> Callable[[], int]:
    """Return a function that evaluates all `positions` and returns their number.

    Each call of the function uses the next board of `boards`.
    """
    evaluation = load_evaluation(name)
    assert evaluation is not None
    worth = evaluation.worth

    def run() -> int:
        board = next(boards)
        for position in positions:
            worth(position, board)
        return len(positions)

    return run


def judging() -> dict[str, Callable[[], int]]:
    """Return two functions for each game, by title. They evaluate positions that searches evaluated during a game.

    - The function "GAME as met" evaluates all these positions with empty caches, like a new search.
    - The function "GAME known" evaluates only the last `KNOWN` positions, on a board whose caches are filled.

    The positions are excluded from garbage collection, which would otherwise take time to scan them. A real search does
    not hold that many positions.
    """
    contenders = {}
    for name in game_names():
        board, positions = standard_board(name), searched_positions(name)
        new_boards = [copy(board) for _ in range(REPETITIONS + 1)]
        contenders[f"{name} as met"] = evaluations(name, positions, iter(new_boards))
        contenders[f"{name} known"] = evaluations(name, positions[-KNOWN:], repeat(board))
    gc.collect()
    gc.freeze()
    return contenders


def chess_middle() -> chess.Board:
    """Return a chess position after 40 random plies."""
    board = chess.Board()
    chance = stream(1)
    for _ in range(40):
        moves = list(board.legal_moves)
        board.push(moves[int(chance() * len(moves))])
    return board


def main() -> None:
    yardstick = "python-chess"
    typed = {name: game_decisions(name) for name in game_names()}
    numbers = {f"{name} in numbers": number_decisions(name) for name in game_names()}
    rates = interleaved({yardstick: chess_plies, **typed, **numbers})
    title = "Random playouts, decisions per CPU second (legal list and apply for each)"
    show(title, {name: rates[name] for name in (yardstick, *typed)}, yardstick, at_least=10)
    is_pure = auction.__file__.endswith(".py")
    goal = IN_NUMBERS if is_pure else IN_NUMBERS_COMPILED
    show(f"{title}, in numbers", {name: rates[name] for name in (yardstick, *numbers)}, yardstick, at_least=goal)
    contenders = {f"{yardstick} copy(stack=False)": copies(chess_middle(), lambda board: board.copy(stack=False))}
    for name in game_names():
        contenders[f"{name} copy()"] = copies(middle_of(name), lambda state: state.copy())
    rates = interleaved({yardstick: chess_plies, **judging()})
    gc.unfreeze()
    title = f"Evaluations per CPU second, of what searches with {LOOKS} looks judge: as they met it, and on known maps"
    goals: dict[str, float] = {} if is_pure else {"chicago_express as met": EVALUATIONS_COMPILED}
    show(title, rates, yardstick, at_least_a_second=goals)
    rates = interleaved(contenders)
    show("Copies of a position in mid-game per CPU second", rates, f"{yardstick} copy(stack=False)", at_least=1)
