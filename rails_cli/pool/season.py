"""Seasons of the pool: what each state allows, arenas that end at a time, and the final, whose pairings are fixed.

A season is plain data; `advanced` says what becomes of it, from the time and the results and nothing else.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence

import msgspec

from protocol.log import Seed
from protocol.pool import SeasonState
from rails_cli.tournament.designs import run_length
from rails_cli.tournament.formats.round_robin import RoundRobin
from rails_cli.tournament.model import SeedGroup, Setting

FINAL = "final"
"""What the stages of its games begin with."""


class Allowed(msgspec.Struct, frozen=True):
    """What is done in a state of the season."""

    registering: bool
    """Whether newcomers may register."""
    entering: bool
    """Whether entrants may connect and wait."""
    pairing: bool
    """Whether those who wait are paired."""
    final: bool
    """Whether the games of the final are played."""
    words: str


ALLOWED: dict[SeasonState, Allowed] = {
    "open": Allowed(True, True, True, False, "games are made of those who wait"),
    "paused": Allowed(True, True, False, False, "no games are made for now"),
    "closing": Allowed(False, True, False, True, "the games of the final are played, and no others"),
    "frozen": Allowed(False, True, False, False, "no more games are made, and the standings stay as they are"),
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


class Final(msgspec.Struct, frozen=True):
    """A closing phase, with all that its pairings follow from."""

    entrants: tuple[str, ...]
    settings: tuple[Setting, ...]
    seed: Seed
    rounds: int
    most_games: int
    until: float

    def games(self) -> list[SeedGroup]:
        """All games in order, each a group of one seating; games of one deal have the same seed.

        A round robin in which everybody sits equally often, in all rotations.
        """
        found = []
        for setting in self.settings:
            if len(self.entrants) < setting.players:
                continue
            fewest = run_length(len(self.entrants), setting.players)
            tables = max(fewest, self.most_games // (setting.players * len(self.settings)))
            schedule = RoundRobin(
                entrants=self.entrants,
                settings=(setting,),
                seed=self.seed,
                seatings="rotations",
                rounds=self.rounds,
                tables=tables,
            )
            for group in schedule.all_groups():
                stage = f"{FINAL} {group.stage}"
                found += [SeedGroup(setting, group.seed, [seating], stage) for seating in group.seatings]
        return found


class Season(msgspec.Struct, frozen=True):
    """A season as it stands."""

    state: SeasonState = "open"
    ends_at: float | None = None
    """When pairing ends by itself, in seconds of the epoch: an arena."""
    final_rules: FinalRules | None = None
    """What follows then; without it the standings are final."""
    final: Final | None = None
    """Since it has begun."""


def advanced(
    season: Season,
    now: float,
    best: Sequence[str],
    settings: Sequence[Setting],
    seed: Seed,
    played: Collection[str] = (),
) -> Season:
    """The season at a time. `best` are the entrants with a place, in order; `played` the groups that have ended."""
    if season.state == "open" and season.ends_at is not None and now >= season.ends_at:
        return closing(season, now, best, settings, seed)
    if season.state == "closing" and (
        season.final is None or now >= season.final.until or not unplayed(season.final, played)
    ):
        return msgspec.structs.replace(season, state="frozen")
    return season


def closing(season: Season, now: float, best: Sequence[str], settings: Sequence[Setting], seed: Seed) -> Season:
    """The season with its final begun, or frozen where there is none, or too few have a place."""
    rules = season.final_rules
    chosen = () if rules is None else tuple(best[: rules.entrants])
    if rules is None or len(chosen) < min((setting.players for setting in settings), default=2):
        return msgspec.structs.replace(season, state="frozen", ends_at=None)
    final = Final(chosen, tuple(settings), seed, rules.rounds, rules.most_games, now + rules.limit_s)
    return msgspec.structs.replace(season, state="closing", ends_at=None, final=final)


def unplayed(final: Final, played: Collection[str]) -> list[SeedGroup]:
    return [game for game in final.games() if game.id not in played]


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
