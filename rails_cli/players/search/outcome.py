"""Results of a search: the expected payoff, chance of winning and money of each seat after a sequence of moves."""

from collections.abc import Sequence
from math import sqrt
from typing import Any, Final, NamedTuple

from rails_cli.games.evaluation import Evaluation, Run
from rails_cli.games.game import Game, win_share
from rails_cli.games.payoff import payoffs_of, winning_chances
from rails_cli.games.shared.money import added

CAUTION: Final = 1.0
"""Number of standard errors subtracted from the payoff of a sequence of moves, to allow for random errors."""


class Tried(NamedTuple):
    """A sequence of moves that a search has tried, with the expected result of each seat.

    - `run`: the sequence of moves.
    - `payoffs`: the expected payoff of each seat.
    - `chances`: the chance of winning of each seat, from 0 to 1.
    - `money`: the estimated value of everything that each seat owns, in current dollars.
    - `visits`: the number of times that the run was tried.
    - `doubt`: the standard error of the difference in payoff between this run and the run that seemed best at first,
      for the seat to move. 0 if the search does not estimate errors.
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
    """The part of a search that one process does: part `number`, counted from 0, of `of` parts."""

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
    """Combine the results of several processes that each did a part of a search. Each run of moves occurs once."""
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
    """Return the results that are based on enough visits, best for `seat` first.

    Runs with less than half of the visits of the most visited run are left out.
    """
    most = max((one.visits for one in found), default=0)
    return sorted((one for one in found if 2 * one.visits >= most), key=lambda one: -one.payoffs[seat])
