"""Self-play: games from which a value network learns, and games that compare evaluations.

In the first decisions of a game, the seats use different kinds of players, so that many kinds of positions occur. From
a random decision on, all seats use players that are about equally strong. Only positions after that decision are kept.
Otherwise a network would learn to recognise weak players instead of weak positions.

This module does not import numpy itself, so that worker processes can first limit numpy to one thread.
"""

import math
import random
from array import array
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, NamedTuple

from rails_cli.basics.numpy_import import import_numpy
from rails_cli.games import load_evaluation, load_game, standard_board
from rails_cli.games.evaluation import Evaluation, Run
from rails_cli.games.game import Game, pass_entry, win_share
from rails_cli.games.moves import number_of
from rails_cli.games.openings import drawn_opening
from rails_cli.players.levels import Think, level_player
from rails_cli.players.search.one_ply import NEARLY, Judged, judged_runs, nearly_best
from rails_cli.players.search.outcome import described_row
from rails_cli.protocol.common import Bid, BidRange

EARLY: Final = {"best": 0.4, "explorer": 0.3, "soft": 0.15, "medium": 0.15}
"""Probabilities of the kinds of players that make the first decisions of a game."""


class LaterPart(NamedTuple):
    """How the games of self-play differ after their first decisions. Each dictionary has fractions of the games."""

    networks: dict[float, float]
    """Dictionary from the probability that a seat uses the best network so far, if there is one."""
    random_moves: dict[float, float]
    """Dictionary from the probability of a random move of any seat. A random move is one of the candidate moves."""


ONE_LOOK: Final = LaterPart({1.0: 0.7, 0.0: 0.3}, {0.0: 0.45, 0.04: 0.35, 0.1: 0.2})
SEARCHES: Final = LaterPart({1.0: 0.4, 0.4: 0.25, 0.0: 0.35}, {0.0: 0.75, 0.03: 0.25})
MORE_LOOKS: Final = 2
"""Looks of a search with the hand-made evaluation, divided by those of a search with a network, which takes longer."""
WITHOUT_EARLY: Final = 0.3
"""Fraction of the games in which all seats use the same kind of player from the start."""
MOST_EARLY: Final = 60
"""Largest number of decisions at the start of a game for which the seats use different kinds of players."""
WITHOUT_OPENING: Final = 0.25
"""Fraction of the games that start from the set-up instead of a random opening."""
BIDS_KEPT: Final = 0.4
"""Fraction of the positions in auctions that are kept.

The other such positions are dropped, because many of them are similar.
"""
ODD_BIDDING: Final = 2.5
"""Probability of a random bid limit in an auction, divided by the probability of a random move."""
LIMIT_ERROR: Final = 0.35
"""Standard deviation of the logarithm of a random factor.

A random bid limit is the limit from the evaluation times this factor.
"""
IMAGINED: Final = 4
"""Number of random positions in which a player evaluates its moves in a game with hidden information."""


class Plan(NamedTuple):
    """Parameters of the games that a worker process plays: the game, the possible numbers of players, a seed and files
    of weights.
    """

    game: str
    players: tuple[int, ...]
    seed: str
    network: Path | None = None
    """Weights of the best network so far. None for the hand-made evaluation."""
    candidate: Path | None = None
    """Weights of a new network that plays against the best network so far."""
    looks: int | None = None
    """Looks of the searches that play the later part of each game. None if these players look one move ahead."""


class TrainingGame(NamedTuple):
    """A finished game: its number and the inputs of each kept position.

    `won` has each seat's part of the win, and `money` its fraction of all money at the end.
    """

    number: int
    rows: list[bytes]
    won: list[float]
    money: list[float]


@lru_cache(maxsize=4)
def evaluation_with(game: str, network: Path | None) -> Evaluation[Any, Any]:
    """Return the evaluation of a game with the network in the file `network`. None stands for no network."""
    evaluation = load_evaluation(game)
    assert evaluation is not None
    if network is None:
        return evaluation.by_hand()
    import_numpy()
    from rails_cli.games.network import read_network

    loaded = read_network(network.read_bytes())
    return replace(evaluation, network=lambda: loaded)


class Learner:
    """A player of self-play games.

    `kind` is a key of `EARLY`. Two numbers apply only to players of the kind `explorer`:

    - `randomness`: probability of a random candidate move.
    - `oddness`: probability of a random limit for the bids in an auction.

    If `level` is given, the built-in player of this name chooses all moves that are not random.
    """

    def __init__(
        self,
        plan: Plan,
        evaluation: Evaluation[Any, Any],
        kind: str,
        rng: random.Random,
        seat: int,
        level: str | None = None,
    ) -> None:
        self.game: Game[Any, Any] = load_game(plan.game)
        self.board = standard_board(plan.game)
        self.evaluation = evaluation
        self.kind, self.rng, self.seat = kind, rng, seat
        self.randomness = rng.choice((0.03, 0.1, 0.25))
        self.oddness = 0.5
        self.softness = rng.choice((0.01, 0.03))
        self.think: Think | None = None
        if level is not None:
            self.think = level_player(level, plan.game, rng.getrandbits(53), seat, lambda: None, evaluation)
        self.last_minimum, self.factor = 0, 0.0

    def choose(self, state: Any) -> Run:
        game, board, rng = self.game, self.board, self.rng
        if self.kind == "explorer":
            run = self.odd_bid(state)
            if run is None and rng.random() < self.randomness:
                run = rng.choice(self.evaluation.candidates(state, board))
            if run is not None:
                return run
        if self.think is not None:
            action = self.think(game.view(state, board, self.seat), game.legal_actions(state, board), board)
            return (number_of(game.moves, board, action),)
        judged = self.judged(state)
        if self.kind == "soft":
            weights = [math.exp((payoff - judged[0][0]) / self.softness) for payoff, _ in judged]
            return rng.choices([run for _, run in judged], weights)[0]
        return nearly_best(judged, NEARLY, rng.random)

    def judged(self, state: Any) -> list[Judged]:
        positions = [state]
        if self.game.has_secrets:
            view = self.game.view(state, self.board, self.seat)
            positions = [self.game.imagine(view, self.board, self.rng.getrandbits(53)) for _ in range(IMAGINED)]
        return judged_runs(self.game, self.board, self.evaluation, positions)

    def odd_bid(self, state: Any) -> Run | None:
        """Return a bid for this auction, or a pass if the lowest bid is above the random limit.

        Return None if there is no random limit.
        """
        game, board, rng = self.game, self.board, self.rng
        if self.evaluation.limits is None:
            return None
        legal = game.legal_actions(state, board)
        entry = next((entry for entry in legal if type(entry) is BidRange), None)
        if entry is None:
            self.last_minimum = 0
            return None
        if entry.min <= self.last_minimum or not self.last_minimum:  # another auction
            self.factor = math.exp(rng.gauss(0.0, LIMIT_ERROR)) if rng.random() < self.oddness else 0.0
        self.last_minimum = entry.min
        if not self.factor:
            return None
        limit = int(self.evaluation.limits(state, board)[self.seat] * self.factor + rng.random())
        passes = pass_entry(legal)
        if limit < entry.min and passes is not None:
            return (number_of(game.moves, board, passes),)
        amount = entry.min if rng.random() < 0.6 else rng.randint(entry.min, max(entry.min, min(limit, entry.max)))
        return (number_of(game.moves, board, Bid(amount)),)


def first_position(plan: Plan, players: int, seed: int, *, is_drawn: bool) -> Any:
    game, board = load_game(plan.game), standard_board(plan.game)
    options = game.options_type()
    state = game.setup(board, players, options, seed, None)
    opening = drawn_opening(game, board, players, options, seed) if is_drawn else None
    for action in opening.actions if opening is not None else ():
        game.apply(state, board, action, None)
    return state


def later_players(plan: Plan, rng: random.Random, players: int) -> list[Learner]:
    """Return the players for the later part of a game. All seats make random moves with the same probability."""
    part = ONE_LOOK if plan.looks is None else SEARCHES
    with_network = rng.choices(list(part.networks), list(part.networks.values()))[0]
    randomness = rng.choices(list(part.random_moves), list(part.random_moves.values()))[0]
    found = []
    for seat in range(players):
        network = plan.network if rng.random() < with_network else None
        level = None
        if plan.looks is not None:
            level = f"search@{plan.looks * (MORE_LOOKS if network is None else 1)}"
        kind = "explorer" if randomness else "best"
        player = Learner(plan, evaluation_with(plan.game, network), kind, rng, seat, level)
        player.randomness, player.oddness = randomness, ODD_BIDDING * randomness
        found.append(player)
    return found


def play_games(plan: Plan, numbers: Sequence[int]) -> list[TrainingGame]:
    return [play_game(plan, number) for number in numbers]


def play_game(plan: Plan, number: int) -> TrainingGame:
    """Play a game of self-play. The seed of the plan and `number` determine the game."""
    game, board = load_game(plan.game), standard_board(plan.game)
    by_hand = evaluation_with(plan.game, None)
    assert by_hand.inputs is not None
    rng = random.Random(f"self-play/{plan.seed}/{number}")
    players = rng.choice(plan.players)
    state = first_position(plan, players, rng.getrandbits(53), is_drawn=rng.random() >= WITHOUT_OPENING)
    kinds = rng.choices(list(EARLY), list(EARLY.values()), k=players)
    early = [
        Learner(plan, by_hand, kind, rng, seat, kind if kind == "medium" else None) for seat, kind in enumerate(kinds)
    ]
    later = later_players(plan, rng, players)
    switch = 0 if rng.random() < WITHOUT_EARLY else rng.randint(1, MOST_EARLY)
    rows: list[bytes] = []
    decisions = 0
    while state.pending is not None:
        chooser = (later if decisions >= switch else early)[state.pending.seat]
        for move in chooser.choose(state):
            game.moves.apply(state, board, move)
        decisions += 1
        if decisions <= switch or state.pending is None:
            continue
        is_auction = any(type(entry) is BidRange for entry in game.legal_actions(state, board))
        if not is_auction or rng.random() < BIDS_KEPT:
            rows.append(array("h", described_row(board, by_hand, state)[0]).tobytes())
    ranks, scores = game.ranks(state, board), [max(0, score) for score in game.scores(state)]
    won = [win_share(ranks, seat) for seat in range(players)]
    return TrainingGame(number, rows, won, [score / sum(scores) if any(scores) else 1 / players for score in scores])


def compare(plan: Plan, number: int) -> list[float]:
    """Compare the candidate network with the best network so far.

    Return the candidate's share of the win in each game, multiplied by the number of players. The mean is 1 for equal
    players.

    One game is played for each seat. In this game, the player `hard` has the candidate network in this seat, and the
    best network so far in all other seats. All games start from the same random opening, or from the same deal.
    """
    game, board = load_game(plan.game), standard_board(plan.game)
    rng = random.Random(f"comparison/{plan.seed}/{number}")
    players, seed = rng.choice(plan.players), rng.getrandbits(53)
    found = []
    for own in range(players):
        state = first_position(plan, players, seed, is_drawn=True)
        choosers = [
            level_player(
                "hard",
                plan.game,
                seed,
                seat,
                lambda: None,
                evaluation_with(plan.game, plan.candidate if seat == own else plan.network),
            )
            for seat in range(players)
        ]
        while state.pending is not None:
            seat = state.pending.seat
            action = choosers[seat](game.view(state, board, seat), game.legal_actions(state, board), board)
            game.apply(state, board, action, None)
        found.append(players * win_share(game.ranks(state, board), own))
    return found
