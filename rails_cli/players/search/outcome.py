"""Results of a search: the expected payoff, winning chance and money of each seat after a run of moves."""

from collections.abc import Sequence
from math import sqrt
from typing import Any, Final, NamedTuple

from rails_cli.games.evaluation import Evaluation, Run
from rails_cli.games.game import Game, win_share
from rails_cli.games.payoff import payoffs_of, winning_chances
from rails_cli.games.shared.money import added

CAUTION: Final = 1.0
"""Number of standard errors subtracted from the payoff of a run of moves, to discount random differences."""


class Tried(NamedTuple):
    """A run of moves that a search has tried, with the expected result of each seat and the number of visits."""

    run: Run
    payoffs: list[float]
    chances: list[float]
    """Chance of winning, by seat."""
    money: list[float]
    """Estimated worth of each seat in current dollars."""
    visits: int
    doubt: float = 0.0
    """Standard error of the difference in payoff to the run that seemed best at first, for the seat to move."""

    def assured(self, seat: int) -> float:
        """Return the payoff of a seat minus a margin for random error."""
        return self.payoffs[seat] - CAUTION * self.doubt


class Share(NamedTuple):
    """The part of a search that one process does. The search is divided among `of` processes."""

    number: int = 0
    of: int = 1

    def part_of(self, looks: float) -> float:
        return looks * (self.number + 1) // self.of - looks * self.number // self.of


WHOLE: Final = Share()


class Candidate:
    """A run of moves being searched, with the number of visits and the sums of its outcomes (see `outcome`)."""

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
    """Return one list with the payoff of every seat, then every winning chance, then every worth in dollars."""
    worth = evaluation.worth(state, board)
    chances = chances_in(game, board, evaluation, state, worth)
    return [*payoffs_of(worth, chances), *chances, *worth]


def chances_in(
    game: Game[Any, Any], board: Any, evaluation: Evaluation[Any, Any], state: Any, worth: Sequence[float]
) -> list[float]:
    """Return the winning chance of each seat. `worth` has the worth of each seat. After the end, ranks decide."""
    if state.pending is not None:
        return winning_chances(worth, evaluation.spread(state, board))
    ranks = game.ranks(state, board)
    return [win_share(ranks, seat) for seat in range(len(ranks))]


def merged(shares: Sequence[Sequence[Tried]]) -> list[Tried]:
    """Combine the results of the processes that shared a search."""
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
    """Return the runs of moves tried at least half as often as the most visited one, best for `seat` first."""
    most = max((one.visits for one in found), default=0)
    return sorted((one for one in found if 2 * one.visits >= most), key=lambda one: -one.payoffs[seat])
