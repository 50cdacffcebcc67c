"""The games of a tournament that are known during a run, with their counts."""

from collections import Counter
from collections.abc import Iterable

import msgspec

from rails_cli.tournament.model import PlayedGame
from rails_cli.tournament.rating.forfeits import NOBODYS_FAULT, is_valid
from rails_cli.tournament.rating.standings import by_group


class KnownGames:
    """The games of finished groups, without the fields that are not needed during a run."""

    def __init__(self, games: Iterable[PlayedGame]) -> None:
        self.groups: dict[str, list[PlayedGame]] = {}
        """Games by group."""
        self.faults: Counter[str] = Counter()
        """Number of faults by entrant."""
        self.void = 0
        """Number of games without a result."""
        self.games = 0
        for group, played in by_group(games).items():
            self.add(group, played)

    def add(self, group: str, games: list[PlayedGame]) -> list[PlayedGame]:
        """Add the games of a group. Return them without the fields that are not needed during a run."""
        kept = self.groups[group] = [_reduced(game) for game in games]
        self._count(kept, 1)
        return kept

    def remove(self, group: str) -> None:
        self._count(self.groups.pop(group), -1)

    def _count(self, games: list[PlayedGame], times: int) -> None:
        self.games += times * len(games)
        self.void += times * (len(games) - valid_games(games))
        for game in games:
            for name, faults in zip(game.seating, game.faults, strict=True):
                if faults:
                    self.faults[name] += times * faults


def valid_games(games: list[PlayedGame]) -> int:
    """Return the number of games with a result."""
    return sum(map(is_valid, games))


def _reduced(game: PlayedGame) -> PlayedGame:
    """Return the game without the fields that are not needed during a run."""
    if not (game.economy or game.log):
        return game
    return msgspec.structs.replace(game, economy=[], log=None, head=None)


def is_given_up(games: list[PlayedGame]) -> bool:
    """Return whether a group killed every worker for an unknown reason."""
    return all(game.reason == NOBODYS_FAULT for game in games)
