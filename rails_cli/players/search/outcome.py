"""Results of a search: the expected payoff, chance of winning and money of each seat after a sequence of moves."""

from collections.abc import Sequence
from math import log, sqrt
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from rails_cli.basics.numpy_import import import_numpy
from rails_cli.games.evaluation import Evaluation, Run
from rails_cli.games.game import Game, win_share
from rails_cli.games.payoff import WIN, payoffs_of, winning_chances
from rails_cli.games.shared.money import added

if TYPE_CHECKING:
    from rails_cli.games.network import Network

HAND_MADE: Final = 3
"""Number of inputs of each seat that are computed from the hand-made evaluation."""
LARGEST_INPUT: Final = 30_000
"""Largest absolute value of an input of a network. Values outside this range are replaced by the nearest limit.

Only unusual boards have such values.
"""
UNITS: Final = 100
"""Factor by which logarithms are multiplied before they are rounded to whole numbers."""
LEAST_CHANCE: Final = 0.003
"""Lowest chance of winning of which the logarithm is taken."""
LEAST_SHARE: Final = 0.02
"""Lowest fraction of the money of which the logarithm is taken."""
CAUTION: Final = 1.0
"""Number of standard errors subtracted from the payoff of a sequence of moves, to allow for random errors."""


class Tried(NamedTuple):
    """A sequence of moves that a search has tried, with the expected result of each seat.

    - `run`: the sequence of moves.
    - `payoffs`: the expected payoff of each seat.
    - `chances`: the chance of winning of each seat, from 0 to 1.
    - `money`: the estimated value of everything that each seat owns, in current dollars.
    - `visits`: the number of times that the run was tried.
    - `doubt`: the standard error of the difference in payoff, for the seat to move, between this run and the reference
      run. The reference run is the run that was best at the start of the search. `doubt` is 0 if the search does not
      estimate errors.
    """

    run: Run
    payoffs: list[float]
    chances: list[float]
    money: list[float]
    visits: int
    doubt: float = 0.0

    def assured(self, seat: int) -> float:
        """Return the payoff of a seat minus a safety margin of CAUTION standard errors."""
        return self.payoffs[seat] - CAUTION * self.doubt


class Share(NamedTuple):
    """The part of a search that one process does.

    The search has `of` parts, and this is part `number`, counted from 0.
    """

    number: int = 0
    of: int = 1

    def part_of(self, looks: float) -> float:
        return looks * (self.number + 1) // self.of - looks * self.number // self.of


WHOLE: Final = Share()


class Candidate:
    """A sequence of moves (run) in a search, with its number of visits and the sums of its outcomes (see `outcome`)."""

    __slots__ = ("run", "total", "visits")

    def __init__(self, run: Run) -> None:
        self.run = run
        self.total: list[float] = []
        self.visits = 0

    def add(self, came: list[float]) -> None:
        if self.visits:
            for place, part in enumerate(came):
                self.total[place] += part
        else:
            self.total = came.copy()
        self.visits += 1

    def mean(self, seat: int) -> float:
        return self.total[seat] / self.visits

    def tried(self, doubt: float = 0.0) -> Tried:
        means = [part / self.visits for part in self.total]
        seats = len(means) // 3
        return Tried(self.run, means[:seats], means[seats : 2 * seats], means[2 * seats :], self.visits, doubt)


def outcome(game: Game[Any, Any], board: Any, evaluation: Evaluation[Any, Any], state: Any) -> list[float]:
    """Return one list with the payoffs of all seats, their chances of winning, and the values of what they own."""
    worth = evaluation.worth(state, board)
    chances = chances_in(game, board, evaluation, state, worth)
    return [*payoffs_of(worth, chances), *chances, *worth]


def outcomes(
    game: Game[Any, Any], board: Any, evaluation: Evaluation[Any, Any], states: Sequence[Any]
) -> list[list[float]]:
    """Return the outcome (see `outcome`) of each of several positions with the same number of seats.

    If the evaluation has a network for the board, one call of the network predicts the results of all
    unfinished positions.
    """
    network = network_for(evaluation, board)
    if network is None:
        return [outcome(game, board, evaluation, state) for state in states]
    found: list[list[float]] = []
    rows: list[list[int]] = []
    numbers: list[int] = []
    for number, state in enumerate(states):
        if state.pending is None:
            found.append(outcome(game, board, evaluation, state))
        else:
            row, worth = described_row(board, evaluation, state)
            found.append(worth)
            rows.append(row)
            numbers.append(number)
    if rows:
        wins, shares = network.predict(rows, len(found[numbers[0]]))
        for number, chances, parts in zip(numbers, wins.tolist(), shares.tolist(), strict=True):
            payoffs = [WIN * chance + (1 - WIN) * part for chance, part in zip(chances, parts, strict=True)]
            found[number] = [*payoffs, *chances, *found[number]]
    return found


def network_for(evaluation: Evaluation[Any, Any], board: Any) -> "Network | None":
    """Return the network of an evaluation.

    Return None if it has no network, or the network does not fit positions on `board`. A board with another number of
    companies, cities or routes needs a network with other inputs.
    """
    inputs = evaluation.inputs
    if inputs is None or evaluation.network is None:
        return None
    import_numpy()
    network = evaluation.network()
    is_fitting = (inputs.shared(board), inputs.own(board) + HAND_MADE) == (network.shared_inputs, network.own_inputs)
    return network if is_fitting else None


def described_row(board: Any, evaluation: Evaluation[Any, Any], state: Any) -> tuple[list[int], list[float]]:
    """Return the inputs of a network for a position, and the hand-made value in dollars of what each seat owns.

    The last HAND_MADE inputs of each seat come from the hand-made evaluation:

    - the value in dollars of what the seat owns, minus the mean of all seats
    - the logarithm of its chance of winning
    - the logarithm of its share of all money
    """
    inputs = evaluation.inputs
    assert inputs is not None
    numbers, worth, spread = inputs.describe(state, board)
    seats = len(worth)
    chances = winning_chances(worth, spread)
    payoffs = payoffs_of(worth, chances)
    mean = added(worth) / seats
    place = inputs.shared(board)
    own = inputs.own(board)
    row = numbers[:place]
    for seat in range(seats):
        row += numbers[place : place + own]
        place += own
        share = (payoffs[seat] - WIN * chances[seat]) / (1 - WIN)
        row.append(int(worth[seat] - mean))
        row.append(int(UNITS * log(max(chances[seat], LEAST_CHANCE))))
        row.append(int(UNITS * log(max(share, LEAST_SHARE))))
    if max(row) > LARGEST_INPUT or min(row) < -LARGEST_INPUT:
        row = [max(-LARGEST_INPUT, min(LARGEST_INPUT, number)) for number in row]
    return row, worth


def chances_in(
    game: Game[Any, Any], board: Any, evaluation: Evaluation[Any, Any], state: Any, worth: Sequence[float]
) -> list[float]:
    """Return the chance of winning of each seat. `worth` is the estimated value in dollars of what each seat owns.

    After the end of the game, the winner has the chance 1, and tied winners share it equally.
    """
    if state.pending is not None:
        return winning_chances(worth, evaluation.spread(state, board))
    ranks = game.ranks(state, board)
    return [win_share(ranks, seat) for seat in range(len(ranks))]


def merged(shares: Sequence[Sequence[Tried]]) -> list[Tried]:
    """Combine the results of several processes that each did a part of a search.

    Each run of moves occurs once in the result.
    """
    by_run: dict[Run, list[Tried]] = {}
    for found in shares:
        for tried in found:
            by_run.setdefault(tried.run, []).append(tried)
    return [_together(found) for found in by_run.values()]


def _together(found: Sequence[Tried]) -> Tried:
    visits = sum(tried.visits for tried in found)
    parts = [[tried.visits * part for part in (*tried.payoffs, *tried.chances, *tried.money)] for tried in found]
    together = Candidate(found[0].run)
    together.total, together.visits = [added(column) for column in zip(*parts, strict=True)], visits
    return together.tried(sqrt(added([(tried.visits * tried.doubt) ** 2 for tried in found])) / visits)


def best_first(found: Sequence[Tried], seat: int) -> list[Tried]:
    """Return the results with enough visits, best for `seat` first.

    A result is left out if it has less than half of the visits of the most visited one.
    """
    most = max((one.visits for one in found), default=0)
    return sorted((one for one in found if 2 * one.visits >= most), key=lambda one: -one.payoffs[seat])
