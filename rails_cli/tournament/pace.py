"""How long the games of a tournament take, and how fast they are done."""

from collections import deque

from rails_cli.tournament.model import SeedGroup

TASK_S = 0.25
"""What a task should take: long against the cost of handing it out, short against the patience of who watches."""

_WINDOW_S = 30.0


class Pace:
    """By setting the seconds of a game in a worker; for all together the games a second, over the last while."""

    def __init__(self) -> None:
        self.by_setting: dict[tuple[str, int], float] = {}
        self.noted: deque[tuple[float, int]] = deque()

    def add(self, group: SeedGroup, seconds: float) -> None:
        key = (group.setting.game, group.setting.players)
        each = seconds / len(group.seatings)
        self.by_setting[key] = 0.7 * self.by_setting.get(key, each) + 0.3 * each

    def expected_s(self, group: SeedGroup) -> float:
        each = self.by_setting.get((group.setting.game, group.setting.players), TASK_S)
        return each * len(group.seatings)

    def note(self, now: float, games: int) -> None:
        self.noted.append((now, games))
        while len(self.noted) > 2 and now - self.noted[0][0] > _WINDOW_S:
            self.noted.popleft()

    def games_per_s(self) -> float:
        if len(self.noted) < 2:
            return 0.0
        (since, before), (now, games) = self.noted[0], self.noted[-1]
        return (games - before) / (now - since) if now > since else 0.0
