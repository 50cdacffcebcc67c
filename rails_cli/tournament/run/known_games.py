"""The finished games of a tournament in the memory of a runner, and the speed of play."""

from collections import Counter, deque
from collections.abc import Iterable

import msgspec

from rails_cli.tournament.model import PlayedGame, SeedGroup
from rails_cli.tournament.rating.forfeits import NOBODYS_FAULT, is_valid
from rails_cli.tournament.rating.standings import by_group

WINDOW_S = 30.0
"""The current speed of play is measured over this number of seconds before now."""


class KnownGames:
    """The games of finished seed groups (games with one seed), without the fields that a runner does not need."""

    def __init__(self, games: Iterable[PlayedGame]) -> None:
        self.groups: dict[str, list[PlayedGame]] = {}
        self.faults: Counter[str] = Counter()
        self.void = 0
        """Number of games without a result."""
        self.games = 0
        for group, played in by_group(games).items():
            self.add(group, played)

    def add(self, group: str, games: list[PlayedGame]) -> list[PlayedGame]:
        """Add the games of the seed group with the id `group`.

        Return the games without fields that a runner does not need.
        """
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
    return sum(map(is_valid, games))


def _reduced(game: PlayedGame) -> PlayedGame:
    """Return the game without the fields that a runner does not need: economy, and path and hash of the log."""
    if not (game.economy or game.log):
        return game
    return msgspec.structs.replace(game, economy=[], log=None, head=None)


def is_given_up(games: list[PlayedGame]) -> bool:
    """Return whether `games`, the games with one seed, were given up because all workers playing them died."""
    return all(game.reason == NOBODYS_FAULT for game in games)


class Throughput:
    """The speed of play: average seconds per game for each game and number of players, and recent games per second."""

    def __init__(self) -> None:
        self.by_setting: dict[tuple[str, int], float] = {}
        self.noted: deque[tuple[float, int]] = deque()

    def add(self, group: SeedGroup, seconds: float) -> None:
        key = (group.setting.game, group.setting.players)
        each = seconds / len(group.seatings)
        self.by_setting[key] = 0.7 * self.by_setting.get(key, each) + 0.3 * each

    def expected_s(self, group: SeedGroup, unknown_s: float) -> float:
        """Return the expected duration of a seed group in seconds.

        `unknown_s` is the assumed duration of one game if there is no measurement for the game and number of players.
        """
        each = self.by_setting.get((group.setting.game, group.setting.players), unknown_s)
        return each * len(group.seatings)

    def note(self, now: float, games: int) -> None:
        self.noted.append((now, games))
        while len(self.noted) > 2 and now - self.noted[0][0] > WINDOW_S:
            self.noted.popleft()

    def games_per_s(self) -> float:
        if len(self.noted) < 2:
            return 0.0
        (since, before), (now, games) = self.noted[0], self.noted[-1]
        return (games - before) / (now - since) if now > since else 0.0
