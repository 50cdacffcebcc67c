"""How fast games are played."""

from collections import deque

from rails_cli.tournament.model import SeedGroup
from rails_cli.tournament.run.workers import TASK_S

WINDOW_S = 30.0
"""Seconds over which the recent speed is measured."""


class Throughput:
    """Seconds per game by setting, and recent games per second over all workers."""

    def __init__(self) -> None:
        self.by_setting: dict[tuple[str, int], float] = {}
        self.noted: deque[tuple[float, int]] = deque()

    def add(self, group: SeedGroup, seconds: float) -> None:
        key = (group.setting.game, group.setting.players)
        each = seconds / len(group.seatings)
        self.by_setting[key] = 0.7 * self.by_setting.get(key, each) + 0.3 * each

    def known_s(self, group: SeedGroup) -> float:
        """Return the expected seconds of a group, or 0 if no such game was played."""
        return self.by_setting.get((group.setting.game, group.setting.players), 0.0) * len(group.seatings)

    def expected_s(self, group: SeedGroup) -> float:
        each = self.by_setting.get((group.setting.game, group.setting.players), TASK_S)
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
