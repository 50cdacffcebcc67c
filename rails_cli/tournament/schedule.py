"""What all formats share: a format says, from all results so far and from nothing else, what may be played now."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import groupby
from typing import ClassVar, TypeVar

import msgspec

from protocol.log import MAX_SEED, Seed
from rails_cli.core.luck import derived_seed
from rails_cli.tournament.answer import FinalAnswer, by_rating
from rails_cli.tournament.forfeits import NOBODYS_FAULT
from rails_cli.tournament.format_report import FormatReport
from rails_cli.tournament.model import Played, SeedGroup, Setting
from rails_cli.tournament.seatings import MAX_PLAYERS, MOST_SEATINGS, SeatingChoice, fair_seatings
from rails_cli.tournament.standings import ScopeTable

Results = Mapping[str, Sequence[Played]]
"""The finished games by the id of their group, in any order; a void game that is to be replayed is left out."""

WHOLE_POINT = 120  # points of a game are counted in parts of this, so that they are whole numbers for 2 to 6 players

Key = TypeVar("Key", Fraction, tuple[Fraction, Fraction])


class ScheduleLength(msgspec.Struct, frozen=True):
    """How much a format will play."""

    groups_least: int
    groups_most: int | None
    """None if it never ends by itself."""
    games_least: int
    games_most: int | None


class Format(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A format: who plays whom. The same results give the same answers, in whatever order they came in.

    These fields are given to every format; those of its own are its options in a plan. ValueError says what cannot be.
    """

    title: ClassVar[str]
    """What people call it."""
    decides: ClassVar[bool] = False
    """Whether its own result comes before the ratings."""
    has_members: ClassVar[bool] = False
    """Whether entrants may come and go."""
    is_open: ClassVar[bool] = False
    """Whether nothing is scheduled: a server plays whoever is there, and settings may change as well."""

    entrants: tuple[str, ...]
    """Names; formats with a seeding take them as best first."""
    settings: tuple[Setting, ...]
    """Each is played by all."""
    seed: Seed
    """Of the tournament; the seeds of the games follow from it."""
    seatings: SeatingChoice = MOST_SEATINGS

    def groups(self, played: Results) -> Iterator[SeedGroup]:
        """What may be played now and is not complete, in order; a group that was begun is given again.

        To be asked again when all of it is played: there may be a next round. If nothing comes, the tournament is over.
        """
        return missing(self.all_groups(), played)

    def all_groups(self) -> Iterator[SeedGroup]:
        """All groups in order, of a format that knows them beforehand."""
        raise NotImplementedError

    def order(self, played: Results) -> list[list[str]]:
        """The entrants, best first, as the format itself ranks them by what was played; equals stand together."""
        raise NotImplementedError

    def length(self) -> ScheduleLength:
        """How many groups and games there will be."""
        raise NotImplementedError

    def winner(self, played: Results) -> str | None:
        """Who has won, where the format says so."""
        return None

    def cycle(self) -> int:
        """After so many groups, and each time so many more, every setting and every table was played equally often.

        Stopping rules look then, so that nothing depends on what the schedule brings first.
        """
        return len(self.settings)

    def may_share_a_seed(self, one: str, other: str) -> bool:
        """Whether two may ever play in the same seed group."""
        return True

    def answer(self, played: Results, table: ScopeTable) -> FinalAnswer:
        """What came of it in a sentence; `table` has the standings in all games."""
        return by_rating(table)

    def report(self, played: Results) -> FormatReport | None:
        """What it says of its results; None where the standings say it all."""
        return None


def seed_of(base: Seed, series: str, number: int) -> str:
    """Seed `number` of a series. It depends on no names, so that other entrants meet the same luck."""
    return derived_seed(base, series, number)


def seed_group(
    frame: Format,
    setting: Setting,
    table: Sequence[str],
    stage: str,
    number: int,
    series: str = "",
    turn: int | None = None,
) -> SeedGroup:
    """The group of a table; groups of the same series, number, game and size of table have the same seed.

    `turn` says how often the table was played before, so that rotations turn; if nobody counts, it is drawn.
    """
    seed = seed_of(frame.seed, f"{setting.game} {setting.players} {series}", number)
    seatings = fair_seatings(table, frame.seatings, int(seed, 16) if turn is None else turn)
    return SeedGroup(setting=setting, seed=seed, seatings=seatings, stage=stage)


def is_complete(group: SeedGroup, played: Results) -> bool:
    """Whether each game of the group has ended."""
    if not played:
        return False
    games = played.get(group.id)
    return games is not None and {game.number for game in games} >= set(range(len(group.seatings)))


def missing(groups: Iterable[SeedGroup], played: Results) -> Iterator[SeedGroup]:
    """The groups that are not complete."""
    return (group for group in groups if not is_complete(group, played))


def counted(games: Iterable[Played]) -> Iterator[Played]:
    """The games that are somebody's result; who was absent has lost."""
    return (game for game in games if game.reason != NOBODYS_FAULT)


def rank_points(ranks: Sequence[int]) -> list[int]:
    """By seat, the part of the others that were beaten, a tie as half, in parts of WHOLE_POINT."""
    return [*_rank_points(tuple(ranks))]


@lru_cache(maxsize=1024)
def _rank_points(ranks: tuple[int, ...]) -> list[int]:
    """Kept: there are few outcomes, and many games."""
    unit = WHOLE_POINT // 2 // (len(ranks) - 1)
    return [unit * sum((rank <= other) + (rank < other) for other in ranks) - unit for rank in ranks]


def mean_points(games: Iterable[Played]) -> dict[str, Fraction]:
    """Mean points of a game, from 0 to 1, of each who has played one that is not void."""
    points: dict[str, int] = {}
    times: dict[str, int] = {}
    for game in counted(games):
        for name, gained in zip(game.seating, rank_points(game.ranks), strict=True):
            points[name] = points.get(name, 0) + gained
            times[name] = times.get(name, 0) + 1
    return {name: Fraction(points[name], times[name] * WHOLE_POINT) for name in points}


def all_games(played: Results) -> Iterator[Played]:
    return (game for games in played.values() for game in games)


def ranked(names: Iterable[str], worth: Mapping[str, Key]) -> list[list[str]]:
    """The names that have a worth, best first, equals together; the rest together at the end."""
    listed = list(names)
    known = sorted((name for name in listed if name in worth), key=lambda name: worth[name], reverse=True)
    order: list[list[str]] = [list(equals) for _, equals in groupby(known, key=lambda name: worth[name])]
    unknown = [name for name in listed if name not in worth]
    return [*order, unknown] if unknown else order


def check_frame(frame: Format) -> None:
    """Raises ValueError if what every format is given cannot be."""
    check_names("The entrants", frame.entrants)
    if not frame.settings:
        raise ValueError("There is no game to play.")
    for number, setting in enumerate(frame.settings):
        if not 2 <= setting.players <= MAX_PLAYERS:
            raise ValueError(f"{setting.game} for {setting.players} players: a table has 2 to {MAX_PLAYERS}.")
        if setting in frame.settings[:number]:
            raise ValueError(
                f"{setting.game} for {setting.players} players with the same options and board is listed twice."
            )
        fair_seatings(range(setting.players), frame.seatings)
    if isinstance(frame.seed, int) and not 0 <= frame.seed <= MAX_SEED:
        raise ValueError(f"The seed is a number from 0 to {MAX_SEED}, not {frame.seed}.")


def check_names(what: str, names: Sequence[str]) -> None:
    """Raises ValueError if there are none, an empty one, or the same twice."""
    if not names:
        raise ValueError(f"{what}: none given.")
    for number, name in enumerate(names):
        if not name:
            raise ValueError(f"{what}: number {number + 1} has no name.")
        if name in names[:number]:
            raise ValueError(f"{what}: {name} appears twice.")


def check_known(what: str, names: Sequence[str], entrants: Sequence[str]) -> None:
    """Raises ValueError if a name is not an entrant's."""
    for name in names:
        if name not in entrants:
            raise ValueError(f"{what}: {name} is not an entrant.")


def check_enough(entrants: int, settings: Iterable[Setting]) -> None:
    """Raises ValueError if a table cannot be filled."""
    for setting in settings:
        if entrants < setting.players:
            raise ValueError(
                f"{setting.game} for {setting.players} players needs {setting.players} entrants; there are {entrants}."
            )


def check_positive(what: str, number: int) -> None:
    if number < 1:
        raise ValueError(f"{what} must be at least 1, not {number}.")


def fixed_length(groups: int, games: int) -> ScheduleLength:
    return ScheduleLength(groups_least=groups, groups_most=groups, games_least=games, games_most=games)
