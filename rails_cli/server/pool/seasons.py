"""Seasons of the pool: permissions in each state, arenas (seasons with an end time), and finals with fixed pairings.

A season is plain data. `advanced` computes the season at a later time. `requested` computes the season that the
operator asks for.
"""

from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from functools import partial
from math import comb

import msgspec

from rails_cli.protocol.log import Seed
from rails_cli.protocol.pool import SeasonState, SetSeason
from rails_cli.server.refused import Refused
from rails_cli.tournament.model import SeedGroup, Setting
from rails_cli.tournament.schedule.designs import run_length
from rails_cli.tournament.schedule.formats.round_robin import RoundRobin

FINAL = "final"
"""First word of the stage name (`SeedGroup.stage`) of each game in a final."""
MOST_GAMES = 10_000
"""Maximum number of games of a final, in all its rounds together."""
MOST_IN_A_ROUND = 1000
"""Maximum number of games in a round of a final. If a full round robin is larger, a balanced sample is played."""
FINAL_LIMIT_S = 3600.0
"""Seconds from the start of a final after which its unplayed games are cancelled, such as games of absent entrants."""


class Allowed(msgspec.Struct, frozen=True):
    """The actions that one state of a season allows. `final` says whether games of the final may start."""

    registering: bool
    entering: bool
    pairing: bool
    final: bool
    groups: bool
    """Whether the next game of a seed group (games with one seed and the same players) may start."""
    words: str
    """Description of the state for users."""


ALLOWED: dict[SeasonState, Allowed] = {
    "open": Allowed(True, True, True, False, True, "waiting entrants are paired"),
    "paused": Allowed(True, True, False, False, True, "no games are started for now"),
    "closing": Allowed(False, True, False, True, False, "only the games of the final are played"),
    "frozen": Allowed(
        False, True, False, False, False, "no more games are started, and the standings stay as they are"
    ),
    "closed": Allowed(False, False, False, False, False, "the season is over"),
}


class FinalRules(msgspec.Struct, frozen=True):
    """The announced rules of a future final."""

    entrants: int
    """Number of participants. These are the best entrants whose ratings are not provisional."""
    rounds: int = 1

    def longest(self, settings: Sequence[Setting]) -> int:
        """Return the highest number of games that the final can have. `settings` are its games and numbers of
        players."""
        return self.rounds * sum(
            one.players * min(comb(self.entrants, one.players), max(self.entrants, _tables(one, settings)))
            for one in settings
        )


class Final(msgspec.Struct, frozen=True):
    """A final that has started. Its fields determine all pairings."""

    entrants: tuple[str, ...]
    settings: tuple[Setting, ...]
    seed: Seed
    rounds: int
    until: float
    """Unix timestamp at which the unplayed games are cancelled."""

    def games(self) -> dict[str, SeedGroup]:
        """Return a mapping from id to game, in playing order. Each game is a `SeedGroup` with one seating.

        The final is a round robin in which all entrants play equally often. The same players meet once in each rotation
        of their seats. Computing the games may take seconds.
        """
        found = {}
        for schedule in self._schedules():
            for group in schedule.all_groups():
                for seating in group.seatings:
                    game = SeedGroup(group.setting, group.seed, [seating], f"{FINAL} {group.stage}")
                    found[game.id] = game
        return found

    def length(self) -> int:
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
                tables=max(fewest, _tables(setting, self.settings)),
            )


def _tables(setting: Setting, settings: Sequence[Setting]) -> int:
    """Return the maximum number of tables with `setting` in a round of a final.

    The MOST_IN_A_ROUND games of a round are divided equally among `settings`. Each table plays one game for each of its
    seats.
    """
    return MOST_IN_A_ROUND // (setting.players * len(settings))


class Season(msgspec.Struct, frozen=True):
    """The state of a season of the pool, its end time, and its final."""

    state: SeasonState = "open"
    ends_at: float | None = None
    """Unix timestamp at which pairing ends automatically. None if the season has no end time."""
    final_rules: FinalRules | None = None
    """Rules of the final at the end of the season. None if there is no final, so that the last standings count."""
    final: Final | None = None
    left_s: float | None = None
    """Seconds from the pause of the season to its planned end time. None if it had no end time or is not paused."""

    @property
    def allowed(self) -> Allowed:
        return ALLOWED[self.state]


def advanced(
    season: Season,
    now: float,
    best: Callable[[], Sequence[str]],
    settings: Sequence[Setting],
    seed: Seed,
    *,
    is_played: bool = False,
) -> Season:
    """Return the season at the Unix timestamp `now`. Its state changes at its end time and after the final.

    `best` returns the names of the ranked entrants, best first. `settings` and `seed` are used for a final that starts.
    `is_played` says whether all games of the final are played.
    """
    if season.state == "open" and season.ends_at is not None and now >= season.ends_at:
        return closing(season, now, best(), settings, seed)
    if season.state == "closing" and (season.final is None or now >= season.final.until or is_played):
        return msgspec.structs.replace(season, state="frozen")
    return season


def paused(season: Season, now: float) -> Season:
    """Return `season` in the state `paused` from the Unix timestamp `now`. `left_s` stores the time until its end."""
    if season.state != "open" or season.ends_at is None:
        return msgspec.structs.replace(season, state="paused")
    return msgspec.structs.replace(season, state="paused", ends_at=None, left_s=max(0.0, season.ends_at - now))


def closing(season: Season, now: float, best: Sequence[str], settings: Sequence[Setting], seed: Seed) -> Season:
    """Return the season with its final started, or in the state `frozen` if no final is possible.

    A final needs rules and enough ranked entrants. `best` has the names of the ranked entrants, best first. `settings`
    are the games and numbers of players of the final, and `seed` determines its pairings.
    """
    rules = season.final_rules
    chosen = () if rules is None else tuple(best[: rules.entrants])
    if rules is None or len(chosen) < min((setting.players for setting in settings), default=2):
        return msgspec.structs.replace(season, state="frozen", ends_at=None)
    final = Final(chosen, tuple(settings), seed, rules.rounds, now + FINAL_LIMIT_S)
    return msgspec.structs.replace(season, state="closing", ends_at=None, final=final)


def requested(
    before: Season,
    request: SetSeason,
    now: float,
    best: Callable[[], Sequence[str]],
    settings: Sequence[Setting],
    seed: Seed,
) -> Season:
    """Return the season after the `request` of the operator. Raise Refused if the request is not possible.

    `before` is the season before the request. `best` returns the names of the ranked entrants, best first. `settings`
    and `seed` are used for a final that starts.
    """
    if request.minutes is not None and request.state != "open":
        raise Refused("bad_request", "only an open season ends after some minutes")
    if request.finalists is not None and request.state not in ("open", "closing"):
        raise Refused("bad_request", "a final is announced with open, or begins with closing")
    if request.rounds is not None and not request.finalists:
        raise Refused("bad_request", "rounds are for a final: also set the number of finalists")
    if request.state is None or request.state == before.state == "closing":
        return before
    rules = before.final_rules
    if request.finalists is not None:
        rules = _final_rules(request.finalists, request.rounds or 1, settings)
    left_s = before.left_s if request.minutes is None else 60 * request.minutes
    season = Season(request.state, None if request.state != "open" or left_s is None else now + left_s, rules)
    if request.state == "closing":
        return closing(season, now, best(), settings, seed)
    if request.state == "paused" and before.state in ("open", "paused"):
        return paused(before, now)
    return season


def _final_rules(finalists: int, rounds: int, settings: Sequence[Setting]) -> FinalRules | None:
    if finalists == 0:
        return None
    if finalists == 1:
        raise Refused("bad_request", "a final needs two or more; 0 is for none")
    rules = FinalRules(finalists, rounds)
    if (games := rules.longest(settings)) > MOST_GAMES:
        words = f"a final of {finalists} in {rounds} rounds may have {games:,} games, and {MOST_GAMES:,} are allowed"
        raise Refused("bad_request", f"{words}; choose fewer rounds, or fewer finalists")
    return rules


def next_games(games: Iterable[SeedGroup], waiting: Sequence[str]) -> list[SeedGroup]:
    """Return those of `games` that can start now, because all their players wait. The order of `games` is kept.

    `waiting` has the names of entrants. A name occurs once for each waiting connection of the entrant.
    """
    free = Counter(waiting)
    begun = []
    for game in games:
        names = game.seatings[0]
        if all(free[name] > 0 for name in names):
            free.subtract(names)
            begun.append(game)
    return begun


ComputeFinal = Callable[[Final, Callable[[dict[str, SeedGroup]], None]], None]
"""Function that computes the games of a final outside the event loop and passes the games to a callback."""


class FinalGames:
    """The games of the current final, which are computed once, outside the event loop."""

    def __init__(self, compute: ComputeFinal) -> None:
        self._compute = compute
        self._final: Final | None = None
        self._games: dict[str, SeedGroup] | None = None

    def unfinished(self, final: Final, stored: Container[str]) -> list[SeedGroup] | None:
        """Return the games of `final` that are not stored yet, in playing order.

        `stored` has the ids of the stored games. None if the server has not finished computing which games the final
        has. The first call for a final starts this computation.
        """
        if final != self._final:
            self._final, self._games = final, None
            self._compute(final, partial(self._set_games, final))
        return None if self._games is None else [game for id, game in self._games.items() if id not in stored]

    def _set_games(self, final: Final, games: dict[str, SeedGroup]) -> None:
        if final is self._final:
            self._games = games
