"""A pool in simulated time: bots are paired, and the results of their games are chosen at random by known strengths."""

import heapq
import random
from collections import Counter
from collections.abc import Sequence
from itertools import combinations

import msgspec

from rails_cli.server.pool.matchmaking import rotations
from rails_cli.server.pool.pairing import History, Pairing, Waiting, pair
from rails_cli.server.store.records import PoolGame
from rails_cli.tournament.model import PlayedGame, SeedGroup
from rails_cli.tournament.rating.standings import name_of
from tests.support.plackett_luce_games import game_result, ranked

POINTS = 400 / 2.302585  # rating points for a difference in strength of 1 (natural logarithm)


class SimulatedPool:
    """A pool in simulated time. After each game a bot waits for its next game. Games take `duration_s` s on average."""

    def __init__(
        self,
        waiting: Sequence[Waiting],
        strengths: dict[str, float],
        *,
        seed: int = 0,
        step_s: float = 0.25,
        duration_s: float = 1.0,
        in_groups: bool = False,
    ) -> None:
        """Create a pool in which the entrants `waiting` wait for their first game.

        `strengths` holds their Plackett-Luce strengths by name. Entrants are paired every `step_s` simulated seconds.
        With `in_groups`, the same players repeat each game in every rotation of seats.
        """
        self.anchors = [one for one in waiting if one.is_anchor]
        self.by_name = {one.entrant: one for one in waiting}
        self.strengths = strengths
        self.waiting = [one for one in waiting if not one.is_anchor]
        self.history = History()
        self.chance = random.Random(seed)
        self.seed, self.step_s, self.duration_s = seed, step_s, duration_s
        self.in_groups = in_groups
        self.now = 0.0
        self.playing: list[tuple[float, int, Pairing, PoolGame]] = []
        self.pairings: list[Pairing] = []
        self.played: list[PlayedGame] = []
        self.waits: list[tuple[float, Waiting]] = []
        """For each bot in each game, the seconds that the bot waited before the game, and the bot."""
        self.met: Counter[tuple[str, str]] = Counter()
        self.seats: Counter[tuple[str, str, int]] = Counter()
        """Number of games by entrant, setting (game and number of players) and seat."""

    def play(self, games: int) -> None:
        """Advance the simulated time until `games` games have been started."""
        while len(self.pairings) < games:
            self.step()

    def rate(self, ratings: dict[str, float]) -> None:
        """Set the rating of every bot. A bot without an entry in `ratings` becomes unrated."""
        for name, one in self.by_name.items():
            self.by_name[name] = msgspec.structs.replace(one, rating=ratings.get(name))
        self.anchors = [self.by_name[one.entrant] for one in self.anchors]
        self.waiting = [msgspec.structs.replace(one, rating=ratings.get(one.entrant)) for one in self.waiting]

    def step(self) -> None:
        """End the games that are due, pair waiting bots, and advance the time by `step_s`."""
        while self.playing and self.playing[0][0] <= self.now:
            self._end(*heapq.heappop(self.playing)[2:])
        for made in pair([*self.waiting, *self.anchors], self.history, now=self.now, seed=len(self.pairings)):
            seed = f"{len(self.pairings):032x}"
            group = SeedGroup(made.setting, seed, [list(made.seating)])
            following = rotations(made.seating)[1:] if self.in_groups else []
            self._begin(made, PoolGame(group, [], seed, next_seatings=following))
        self.now += self.step_s

    def _begin(self, made: Pairing, game: PoolGame) -> None:
        for name in made.seating:
            sitting = next((one for one in self.waiting if one.entrant == name), None)
            if sitting is not None:
                self.waiting.remove(sitting)
                self.waits.append((self.now - sitting.since, sitting))
        self.history.add(made.setting, made.seating)
        self.pairings.append(made)
        ends = self.now + self.duration_s * self.chance.uniform(0.5, 1.5)
        heapq.heappush(self.playing, (ends, len(self.pairings), made, game))
        for one, other in combinations(sorted(made.seating), 2):
            self.met[one, other] += 1
        self.seats.update((name, name_of(made.setting), seat) for seat, name in enumerate(made.seating))

    def _end(self, made: Pairing, game: PoolGame) -> None:
        ranks = ranked([self.strengths[name] for name in made.seating], self.chance.random)
        number = len(self.played)
        self.played.append(msgspec.structs.replace(played(f"{number:016x}", made, ranks), seed=game.group.seed))
        if (group := game.next_group) is not None:
            following = Pairing(made.setting, tuple(group.seatings[0]))
            self._begin(following, PoolGame(group, [], group.seed, next_seatings=game.next_seatings[1:]))
            return
        for name in made.seating:
            if not self.by_name[name].is_anchor:
                self.waiting.append(msgspec.structs.replace(self.by_name[name], since=self.now))


def played(group: str, made: Pairing, ranks: list[int]) -> PlayedGame:
    """Return the result of a game of the pairing `made` that ended normally with the ranks `ranks`."""
    return game_result(group, 0, made.setting, f"{int(group, 16):032x}", made.seating, ranks, actions=1)
