"""Seasons of the pool: what each state allows, arenas that end at a time, and the final, whose pairings are fixed.

A season is plain data; `advanced` says what becomes of it, from the time and the results and nothing else.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache

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

    def games(self) -> dict[str, SeedGroup]:
        """All games in order, by their ids, each a group of one seating; games of one deal have the same seed.

        A round robin in which everybody sits equally often, in all rotations.
        """
        return _games(msgspec.json.encode(self))


@lru_cache(maxsize=4)
def _games(content: bytes) -> dict[str, SeedGroup]:
    """Asked for again and again, by a server that looks what is left."""
    final = msgspec.json.decode(content, type=Final)
    found = {}
    for setting in final.settings:
        if len(final.entrants) < setting.players:
            continue
        fewest = run_length(len(final.entrants), setting.players)
        schedule = RoundRobin(
            entrants=final.entrants,
            settings=(setting,),
            seed=final.seed,
            seatings="rotations",
            rounds=final.rounds,
            tables=max(fewest, final.most_games // (setting.players * len(final.settings))),
        )
        for group in schedule.all_groups():
            for seating in group.seatings:
                game = SeedGroup(setting, group.seed, [seating], f"{FINAL} {group.stage}")
                found[game.id] = game
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
    return [game for id, game in final.games().items() if id not in played]


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
