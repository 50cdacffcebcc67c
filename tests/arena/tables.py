"""Play games between given players with many seeds, with every player in every seat, and count the wins."""

from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import lru_cache
from time import process_time
from typing import Any, Final, NamedTuple

import msgspec

from rails_cli.games import load_evaluation, load_game, load_players, standard_board
from rails_cli.games.openings import drawn_opening
from rails_cli.games.shared.luck import stream
from rails_cli.players.chance import POLICIES
from rails_cli.players.levels import LEVELS, SEARCH, level_player
from rails_cli.tournament.rating.estimates import Estimate, Sums

BY_HAND: Final = "by_hand"
"""Key that selects a player without the value network of the game, as in `hard/by_hand`."""

Choose = Callable[[Any], Any]
"""A function that returns a player's action in a position."""


class Table(NamedTuple):
    """A game and the names of the built-in players at the table."""

    game: str
    players: tuple[str, ...]
    weights: tuple[tuple[str, bytes], ...] = ()
    """Pairs of a key and weights as JSON. A player named NAME/KEY uses these weights instead of the standard ones."""


class Outcome(NamedTuple):
    """Result of one game. Tuples have one value for each player, in the order of `Table.players`."""

    won: tuple[float, ...]
    """1 for the winner, a fraction for each of several winners, 0 for the others."""
    money: tuple[float, ...]
    """Score of each player, divided by the sum of all scores."""
    moves: int


def play_seed(table: Table, seed: int) -> list[Outcome]:
    return [_play(table, seed, turn) for turn in range(len(table.players))]


def _play(table: Table, seed: int, turn: int) -> Outcome:
    """Play one game of `table` with the random seed `seed`, and return its result.

    Seat 0 has the player with the index `turn`, seat 1 the next player, and so on. After the last player comes the
    first.
    """
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
    """Return the function that chooses actions for the player `name` in `seat`.

    A budget in seconds, as in `search@1s`, is CPU time of this process.
    """
    game, board = load_game(table.game), standard_board(table.game)
    kind, _, key = name.partition("/")
    if kind in POLICIES:
        policy, chance = POLICIES[kind], stream(f"{name}/{seed}/{seat}")
        return lambda state: policy(game.legal_actions(state, board), chance)
    if kind in LEVELS or kind.startswith(SEARCH):
        evaluation = load_evaluation(table.game)
        assert evaluation is not None
        if key == BY_HAND:
            evaluation = evaluation.by_hand()
        elif key:
            given = msgspec.json.decode(dict(table.weights)[key], type=type(evaluation.weights))
            evaluation = evaluation.weighing(given)
        think = level_player(kind, table.game, seed, seat, lambda: None, evaluation, process_time)
    else:
        think = load_players(table.game)[kind]
    return lambda state: think(game.view(state, board, seat), game.legal_actions(state, board), board)


def play_seeds(table: Table, seeds: Sequence[int], workers: int = 1) -> list[list[Outcome]]:
    if workers == 1:
        return [play_seed(table, seed) for seed in seeds]
    with ProcessPoolExecutor(workers) as pool:
        return list(pool.map(play_seed, [table] * len(seeds), seeds, chunksize=1))


def shares(table: Table, played: Sequence[Sequence[Outcome]]) -> dict[str, Estimate]:
    """Return the share of games that each player of `table` won, by player name.

    `played` has a list of results for each seed. The confidence interval of a share treats the games of one seed as one
    sample.
    """
    sums = {name: Sums() for name in table.players}
    for seed, group in enumerate(played):
        for outcome in group:
            for name, won in zip(table.players, outcome.won, strict=True):
                sums[name].add(f"{seed}", won)
    return {name: own.share() for name, own in sums.items()}
