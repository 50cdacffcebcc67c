"""Seasons of the pool: what each state allows, arenas with an end time, and the final with its fixed pairings.

A season is plain data. `advanced` computes the next state from the time and the results only.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from math import comb

import msgspec

from protocol.log import Seed
from protocol.pool import SeasonState
from rails_cli.tournament.model import SeedGroup, Setting
from rails_cli.tournament.schedule.designs import run_length
from rails_cli.tournament.schedule.formats.round_robin import RoundRobin

FINAL = "final"
"""Prefix of the stage of the final's games."""
MOST_GAMES = 10_000
"""Most games of a final over all rounds."""


class Allowed(msgspec.Struct, frozen=True):
    """What is allowed in a state of the season."""

    registering: bool
    """Whether new entrants may register."""
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
    """The rules of a final, as announced."""

    entrants: int
    """Number of entrants: the best that are not provisional."""
    rounds: int = 1
    most_games: int = 1000
    """Most games in a round. If a full round robin has more, a balanced sample is played."""
    limit_s: float = 3600.0
    """Seconds after which the remaining games are cancelled, because an entrant may be gone for good."""

    def longest(self, settings: Sequence[Setting]) -> int:
        """Return the most games that the final can have with up to `entrants` participants."""
        return self.rounds * sum(
            one.players * min(comb(self.entrants, one.players), max(self.entrants, _tables(one, self, settings)))
            for one in settings
        )


class Final(msgspec.Struct, frozen=True):
    """A final that has started, with everything that determines its pairings."""

    entrants: tuple[str, ...]
    settings: tuple[Setting, ...]
    seed: Seed
    rounds: int
    most_games: int
    until: float

    def games(self) -> dict[str, SeedGroup]:
        """Return all games in order, by id, each as a group of one seating. Games of one deal have the same seed.

        It is a round robin in which everyone plays equally often, in all rotations. This may take seconds.
        """
        found = {}
        for schedule in self._schedules():
            for group in schedule.all_groups():
                for seating in group.seatings:
                    game = SeedGroup(group.setting, group.seed, [seating], f"{FINAL} {group.stage}")
                    found[game.id] = game
        return found

    def length(self) -> int:
        """Return the number of games."""
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
    """Return how many tables of a setting fit in a round if all settings get equally many games."""
    return final.most_games // (setting.players * len(settings))


class Season(msgspec.Struct, frozen=True):
    """The current state of a season."""

    state: SeasonState = "open"
    ends_at: float | None = None
    """Unix time in seconds at which pairing ends automatically (an arena), or None."""
    final_rules: FinalRules | None = None
    """Rules of the final that follows. Without it, the standings at the end are final."""
    final: Final | None = None
    """The final, once it has started."""
    left_s: float | None = None
    """Seconds left of a paused arena."""


def advanced(
    season: Season,
    now: float,
    best: Callable[[], Sequence[str]],
    settings: Sequence[Setting],
    seed: Seed,
    *,
    is_played: bool = False,
) -> Season:
    """Return the season at time `now`.

    `best` returns the entrants with a place, best first. `is_played` says whether all games of the final are played.
    """
    if season.state == "open" and season.ends_at is not None and now >= season.ends_at:
        return closing(season, now, best(), settings, seed)
    if season.state == "closing" and (season.final is None or now >= season.final.until or is_played):
        return msgspec.structs.replace(season, state="frozen")
    return season


def paused(season: Season, now: float) -> Season:
    """Return the paused season. The remaining time of an arena is kept."""
    if season.state != "open" or season.ends_at is None:
        return msgspec.structs.replace(season, state="paused")
    return msgspec.structs.replace(season, state="paused", ends_at=None, left_s=max(0.0, season.ends_at - now))


def closing(season: Season, now: float, best: Sequence[str], settings: Sequence[Setting], seed: Seed) -> Season:
    """Return the season with its final started, or frozen if there is no final or too few have a place."""
    rules = season.final_rules
    chosen = () if rules is None else tuple(best[: rules.entrants])
    if rules is None or len(chosen) < min((setting.players for setting in settings), default=2):
        return msgspec.structs.replace(season, state="frozen", ends_at=None)
    final = Final(chosen, tuple(settings), seed, rules.rounds, rules.most_games, now + rules.limit_s)
    return msgspec.structs.replace(season, state="closing", ends_at=None, final=final)


def next_games(games: Iterable[SeedGroup], waiting: Sequence[str]) -> list[SeedGroup]:
    """Return the games that can start now, in order. `waiting` has a name once per waiting connection."""
    free = Counter(waiting)
    begun = []
    for game in games:
        names = game.seatings[0]
        if all(free[name] > 0 for name in names):
            free.subtract(names)
            begun.append(game)
    return begun
