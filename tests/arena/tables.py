"""Plays tables of players from many beginnings, every player in every seat, and counts who wins."""

from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import lru_cache
from math import sqrt
from typing import Any, NamedTuple

import msgspec

from rails_cli.games import load_evaluation, load_game, load_players, standard_board
from rails_cli.games.openings import drawn_opening
from rails_cli.games.shared.luck import stream
from rails_cli.players.chance import POLICIES
from rails_cli.players.levels import LEVELS, SEARCH, level_player

Choose = Callable[[Any], Any]
"""What a player does in a position."""


class Table(NamedTuple):
    """Who plays, by the names of players that come with the program."""

    game: str
    players: tuple[str, ...]
    weights: tuple[tuple[str, bytes], ...] = ()
    """By a player's name that ends with `/KEY`, other weights than the fitted ones, as JSON."""


class Outcome(NamedTuple):
    """How one game ended, by place in the table's list of players."""

    won: tuple[float, ...]
    money: tuple[float, ...]
    moves: int


def play_seed(table: Table, seed: int) -> list[Outcome]:
    """All rotations of a table from one beginning."""
    return [_play(table, seed, turn) for turn in range(len(table.players))]


def _play(table: Table, seed: int, turn: int) -> Outcome:
    game, board = load_game(table.game), standard_board(table.game)
    seats = len(table.players)
    options = game.options_type()
    state = game.setup(board, seats, options, seed, None)
    opening = _opening(table.game, seats, seed) if game.is_luckless(board, seats, options) else None
    for action in [] if opening is None else opening.actions:
        game.apply(state, board, action, None)
    sitting = [(seat + turn) % seats for seat in range(seats)]
    choosers = [_chooser(table, table.players[sitting[seat]], seat, seed) for seat in range(seats)]
    moves = 0
    while state.pending is not None:
        game.apply(state, board, choosers[state.pending.seat](state), None)
        moves += 1
    ranks, scores = game.ranks(state, board), game.scores(state)
    won = {sitting[seat]: (rank == 1) / ranks.count(1) for seat, rank in enumerate(ranks)}
    money = {sitting[seat]: scores[seat] / max(1, sum(scores)) for seat in range(seats)}
    return Outcome(tuple(won[place] for place in range(seats)), tuple(money[place] for place in range(seats)), moves)


@lru_cache(maxsize=64)
def _opening(name: str, seats: int, seed: int) -> Any:
    game = load_game(name)
    return drawn_opening(game, standard_board(name), seats, game.options_type(), seed)


def _chooser(table: Table, name: str, seat: int, seed: int) -> Choose:
    game, board = load_game(table.game), standard_board(table.game)
    kind, _, key = name.partition("/")
    if kind in POLICIES:
        policy, chance = POLICIES[kind], stream(f"{name}/{seed}/{seat}")
        return lambda state: policy(game.legal_actions(state, board), chance)
    if kind in LEVELS or kind.startswith(SEARCH):
        evaluation = load_evaluation(table.game)
        assert evaluation is not None
        if key:
            given = msgspec.json.decode(dict(table.weights)[key], type=type(evaluation.weights))
            evaluation = evaluation.weighing(given)
        think = level_player(kind, table.game, seed, seat, lambda: None, evaluation)
    else:
        think = load_players(table.game)[kind]
    return lambda state: think(game.view(state, board, seat), game.legal_actions(state, board), board)


def play_seeds(table: Table, seeds: Sequence[int], workers: int = 1) -> list[list[Outcome]]:
    """By seed, the games of all rotations."""
    if workers == 1:
        return [play_seed(table, seed) for seed in seeds]
    with ProcessPoolExecutor(workers) as pool:
        return list(pool.map(play_seed, [table] * len(seeds), seeds, chunksize=1))


class Share(NamedTuple):
    """A part of games won, with its interval (95 %), by seeds that are independent."""

    mean: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.mean:6.1%} ({self.low:.1%} to {self.high:.1%})"


def shares(table: Table, played: Sequence[Sequence[Outcome]]) -> dict[str, Share]:
    """By name, what part of the games each player won; of a name that sits twice, what one of them won."""
    found = {}
    for name in dict.fromkeys(table.players):
        places = [place for place, one in enumerate(table.players) if one == name]
        means = [
            sum(outcome.won[place] for outcome in group for place in places) / len(group) / len(places)
            for group in played
        ]
        mean = sum(means) / len(means)
        error = sqrt(sum((one - mean) ** 2 for one in means) / max(1, len(means) - 1) / len(means))
        found[name] = Share(mean, mean - 1.96 * error, mean + 1.96 * error)
    return found
