"""Seasons of the pool: what each state allows, arenas that end at a time, and the final, whose pairings are fixed.

A season is plain data; `advanced` says what becomes of it, from the time and the results and nothing else.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from math import comb

import msgspec

from protocol.log import Seed
from protocol.pool import SeasonState
from rails_cli.tournament.designs import run_length
from rails_cli.tournament.formats.round_robin import RoundRobin
from rails_cli.tournament.model import SeedGroup, Setting

FINAL = "final"
"""What the stages of its games begin with."""
MOST_GAMES = 10_000
"""Of a final, in all rounds."""


class Allowed(msgspec.Struct, frozen=True):
    """What is done in a state of the season."""

    registering: bool
    """Whether newcomers may register."""
    entering: bool
    """Whether entrants may connect and wait."""
    pairing: bool
    """Whether waiting entrants are paired."""
    final: bool
    """Whether the games of the final are played."""
    words: str


ALLOWED: dict[SeasonState, Allowed] = {
    "open": Allowed(True, True, True, False, "waiting entrants are paired"),
    "paused": Allowed(True, True, False, False, "no games are started for now"),
    "closing": Allowed(False, True, False, True, "only the games of the final are played"),
    "frozen": Allowed(False, True, False, False, "no more games are started, and the standings stay as they are"),
    "closed": Allowed(False, False, False, False, "the season is over"),
}


class FinalRules(msgspec.Struct, frozen=True):
    """A closing phase, as it is announced."""

    entrants: int
    """The best so many who are not provisional."""
    rounds: int = 1
    most_games: int = 1000
    """In a round; if everybody meeting everybody takes more, a balanced sample is played."""
    limit_s: float = 3600.0
    """After this the rest is not played: somebody may be gone for good."""

    def longest(self, settings: Sequence[Setting]) -> int:
        """How many games it has at most, if so many or fewer have a place."""
        return self.rounds * sum(
            one.players * min(comb(self.entrants, one.players), max(self.entrants, _tables(one, self, settings)))
            for one in settings
        )


class Final(msgspec.Struct, frozen=True):
    """A closing phase, with all that its pairings follow from."""

    entrants: tuple[str, ...]
    settings: tuple[Setting, ...]
    seed: Seed
    rounds: int
    most_games: int
    until: float

    def games(self) -> dict[str, SeedGroup]:
        """All games in order, by their ids, each a group of one seating; games of one deal have the same seed.

        A round robin in which everybody sits equally often, in all rotations. This may take seconds.
        """
        found = {}
        for schedule in self._schedules():
            for group in schedule.all_groups():
                for seating in group.seatings:
                    game = SeedGroup(group.setting, group.seed, [seating], f"{FINAL} {group.stage}")
                    found[game.id] = game
        return found

    def length(self) -> int:
        """How many games there are."""
        return sum(schedule.length().games_least for schedule in self._schedules())

    def _schedules(self) -> Iterator[RoundRobin]:
        for setting in self.settings:
            if len(self.entrants) < setting.players:
                continue
            fewest = run_length(len(self.entrants), setting.players)
            yield RoundRobin(
                entrants=self.entrants,
                settings=(setting,),
                seed=self.seed,
                seatings="rotations",
                rounds=self.rounds,
                tables=max(fewest, _tables(setting, self, self.settings)),
            )


def _tables(setting: Setting, final: FinalRules | Final, settings: Sequence[Setting]) -> int:
    """The share of a setting in the games of a round."""
    return final.most_games // (setting.players * len(settings))


class Season(msgspec.Struct, frozen=True):
    """A season as it stands."""

    state: SeasonState = "open"
    ends_at: float | None = None
    """When pairing ends by itself, as Unix time in seconds: an arena."""
    final_rules: FinalRules | None = None
    """What follows then; without it the standings are final."""
    final: Final | None = None
    """Since it has begun."""
    left_s: float | None = None
    """What is left of an arena that is paused."""


def advanced(
    season: Season,
    now: float,
    best: Callable[[], Sequence[str]],
    settings: Sequence[Setting],
    seed: Seed,
    *,
    is_played: bool = False,
) -> Season:
    """The season at a time. `best` tells the entrants with a place, in order; `is_played` is said of the final."""
    if season.state == "open" and season.ends_at is not None and now >= season.ends_at:
        return closing(season, now, best(), settings, seed)
    if season.state == "closing" and (season.final is None or now >= season.final.until or is_played):
        return msgspec.structs.replace(season, state="frozen")
    return season


def paused(season: Season, now: float) -> Season:
    """The season while it is paused: the time of an arena stands still."""
    if season.state != "open" or season.ends_at is None:
        return msgspec.structs.replace(season, state="paused")
    return msgspec.structs.replace(season, state="paused", ends_at=None, left_s=max(0.0, season.ends_at - now))


def closing(season: Season, now: float, best: Sequence[str], settings: Sequence[Setting], seed: Seed) -> Season:
    """The season with its final begun, or frozen where there is none, or too few have a place."""
    rules = season.final_rules
    chosen = () if rules is None else tuple(best[: rules.entrants])
    if rules is None or len(chosen) < min((setting.players for setting in settings), default=2):
        return msgspec.structs.replace(season, state="frozen", ends_at=None)
    final = Final(chosen, tuple(settings), seed, rules.rounds, rules.most_games, now + rules.limit_s)
    return msgspec.structs.replace(season, state="closing", ends_at=None, final=final)


def next_games(games: Iterable[SeedGroup], waiting: Sequence[str]) -> list[SeedGroup]:
    """Those of the games to be played that can begin now, in order; a name waits once for each connection."""
    free = Counter(waiting)
    begun = []
    for game in games:
        names = game.seatings[0]
        if all(free[name] > 0 for name in names):
            free.subtract(names)
            begun.append(game)
    return begun
