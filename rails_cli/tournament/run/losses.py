"""Decisions after a worker process died: whether to play its seed groups (the games with one seed) again."""

from collections import Counter
from collections.abc import Collection, Sequence
from typing import NamedTuple

from rails_cli.games.game import ranked_last
from rails_cli.tournament.model import PlayedGame
from rails_cli.tournament.rating.forfeits import NOBODYS_FAULT, TOO_FEW, WORKER_DIED
from rails_cli.tournament.results.group_results import GameFault, GroupPlayed
from rails_cli.tournament.run.turns import WorkerTurn
from rails_cli.tournament.schedule.sequence import ScheduledGroup

ALONE_AFTER = 3  # a group that has lost this many workers is tried once more with nothing else running
WORKER_DIED_WORDS = "the worker died in this seed group at every attempt; the game is not played"


class LostGroups(NamedTuple):
    """The seed groups (games with one seed) of a task whose worker died, sorted into lists by what happens to them."""

    unaffected: list[ScheduledGroup]
    """Seed groups that were not in progress when the worker died. They are played again."""
    retried: list[ScheduledGroup]
    """Seed groups that were or may have been in progress. They are played again."""
    charged: list[tuple[ScheduledGroup, str]]
    """Seed groups that are given up and lost by one entrant, with its name."""
    void: list[ScheduledGroup]
    """Seed groups that are given up without a result."""


class WorkerLosses:
    """Decisions about the seed groups of workers that died during a run.

    - The first time that a worker dies while an entrant is to move, the seed group is played again.
    - If another worker dies while the same entrant is to move, the entrant loses that seed group.
    - If the entrant to move is not known, the seed group is tried `ALONE_AFTER` + 1 times, then given up without a
      result.
    """

    def __init__(self) -> None:
        self._losses: Counter[str] = Counter()
        """Mapping from the id of a seed group to the number of workers that died during it."""
        self._excused: set[str] = set()

    def is_known(self, given: ScheduledGroup) -> bool:
        return given.id in self._losses

    def is_alone(self, given: ScheduledGroup) -> bool:
        """Return whether `given`, the games with one seed, must be played while no other task is running."""
        return self._losses[given.id] >= ALONE_AFTER

    def sort(self, groups: Sequence[ScheduledGroup], turns: Sequence[WorkerTurn]) -> LostGroups:
        """Decide how to continue with `groups`, the seed groups of a task whose worker died.

        `turns` says which seed groups were in progress, and which entrants were to move. If `turns` is empty, all seed
        groups may have been in progress.
        """
        by_group = {turn.group: turn.entrant for turn in turns}
        lost = LostGroups([], [], [], [])
        for given in groups:
            entrant = by_group.get(given.id)
            if by_group and given.id not in by_group:
                lost.unaffected.append(given)
            elif entrant is not None and entrant in self._excused:
                lost.charged.append((given, entrant))
            elif entrant is None and self.is_alone(given):
                lost.void.append(given)
            else:
                if entrant is not None:
                    self._excused.add(entrant)
                self._losses[given.id] += 1
                lost.retried.append(given)
        return lost


def unplayed(given: ScheduledGroup, suspended: Collection[str], loser: str | None) -> GroupPlayed:
    """Return the results of a seed group that is given up. The entrant `loser` loses the games.

    If `loser` is None, the games have no result. Entrants in `suspended` are absent.
    """
    games: list[PlayedGame] = []
    faults: list[GameFault] = []
    for number, seating in enumerate(given.group.seatings):
        absent = [seat for seat, name in enumerate(seating) if name in suspended]
        lost = [seat for seat, name in enumerate(seating) if name == loser]
        reason = WORKER_DIED if lost else NOBODYS_FAULT
        if len(seating) - len(absent) < 2:
            lost, reason = [], TOO_FEW
        faults += [GameFault(number, 0, seat, seating[seat], "disconnect", WORKER_DIED_WORDS) for seat in lost]
        nothing, ranks = [0] * len(seating), [1] * len(seating)
        if reason != NOBODYS_FAULT:
            ranks = ranked_last(ranks, {*lost, *absent})
        charged = [int(seat in lost) for seat in range(len(seating))]
        came = nothing, ranks, reason, charged, True, nothing, 0
        setting, seed = given.group.setting, given.group.seed
        games.append(PlayedGame(given.id, number, setting, seed, seating, *came, lost=lost, absent=absent))
    return GroupPlayed(given.id, games, faults, 0.0)
