"""The base class of all tournament formats, and functions that several formats use."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import groupby
from typing import ClassVar, TypeVar

import msgspec

from rails_cli.games.shared.luck import derived_seed
from rails_cli.protocol.log import MAX_SEED, Seed
from rails_cli.tournament.model import PlayedGame, SeedGroup, Setting
from rails_cli.tournament.rating.forfeits import NOBODYS_FAULT
from rails_cli.tournament.rating.standings import ScopeTable
from rails_cli.tournament.schedule.answer import FinalAnswer, by_rating
from rails_cli.tournament.schedule.format_report import FormatReport
from rails_cli.tournament.schedule.seatings import MAX_PLAYERS, MOST_SEATINGS, SeatingChoice, fair_seatings

Results = Mapping[str, Sequence[PlayedGame]]
"""Mapping from the id of a seed group (games with one seed) to its finished games, in any order."""

WHOLE_POINT = 120  # points of a game are multiples of 1/120, so they are whole numbers for 2 to 6 players

Key = TypeVar("Key", Fraction, tuple[Fraction, Fraction])


class ScheduleLength(msgspec.Struct, frozen=True):
    """The minimum and maximum number of seed groups and games that a format will play."""

    groups_least: int
    groups_most: int | None
    """Maximum number of seed groups, or None if the format never ends."""
    games_least: int
    games_most: int | None

    @property
    def is_limit(self) -> bool:
        """Whether `games_most` is only an upper limit, because the number of games depends on results."""
        return self.games_most is not None and self.games_least < self.games_most


class Format(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A tournament format, which decides who plays against whom. The order in which results arrive does not matter.

    A subclass adds fields for its options in a plan.
    """

    title: ClassVar[str]
    """Name of the format, as shown to users."""
    decides: ClassVar[bool] = False
    """Whether a report shows the ranking by the format before the ratings."""
    has_members: ClassVar[bool] = False
    """Whether entrants may join and leave between runs of the tournament."""
    in_plans: ClassVar[bool] = True
    """Whether the plan of a user may name the format."""
    is_open: ClassVar[bool] = False
    """Whether the format is for a server that pairs waiting players.

    Games of such a format are not scheduled in advance, and its settings may change.
    """
    stops_games: ClassVar[bool] = False
    """Whether games that are running when the time is up are stopped, instead of played to their end."""

    entrants: tuple[str, ...]
    """Names of the entrants. If the format uses a seeding, the best entrant is first."""
    settings: tuple[Setting, ...]
    """Games with their number of players and options."""
    seed: Seed
    """Seed of the tournament, from which the seeds of the games are derived."""
    seatings: SeatingChoice = MOST_SEATINGS

    def __post_init__(self) -> None:
        """Raise ValueError if one of the common fields of all formats is invalid."""
        check_names("The entrants", self.entrants)
        if not self.settings:
            raise ValueError("There is no game to play.")
        for number, setting in enumerate(self.settings):
            if not 2 <= setting.players <= MAX_PLAYERS:
                raise ValueError(f"{setting.game} for {setting.players} players: a table has 2 to {MAX_PLAYERS}.")
            if setting in self.settings[:number]:
                raise ValueError(
                    f"{setting.game} for {setting.players} players with the same options and board is listed twice."
                )
            fair_seatings(range(setting.players), self.seatings)
        if isinstance(self.seed, int) and not 0 <= self.seed <= MAX_SEED:
            raise ValueError(f"The seed is a number from 0 to {MAX_SEED}, not {self.seed}.")

    def groups(self, played: Results) -> Iterator[SeedGroup]:
        """Yield the seed groups to play now, in schedule order.

        Seed groups that are complete in `played` are left out. When all seed groups of a call are complete, the next
        call may yield the next round. If it yields nothing, the tournament is over.
        """
        return missing(self.all_groups(), played)

    def all_groups(self) -> Iterator[SeedGroup]:
        """Yield all seed groups in schedule order.

        A format whose schedule depends on results does not support this method.
        """
        raise NotImplementedError

    def begun_groups(self, *, with_left: bool = False) -> Iterator[SeedGroup]:
        """Yield the seed groups of the rounds that had begun when entrants last joined or left.

        Rounds that were removed from the plan are left out. Seed groups of entrants that have left are included only if
        `with_left`.
        """
        return iter(())

    @property
    def first_round(self) -> int:
        """Index of the first round that had not begun when entrants last joined or left."""
        return 0

    def round_groups(self, number: int) -> Iterator[SeedGroup]:
        """Yield the seed groups of round `number`, counted from 0.

        Each round is fair. After it, all entrants in an inner list of `peers` have played every setting and seat
        equally often. A format whose schedule depends on results does not support this method.
        """
        raise NotImplementedError

    @property
    def peers(self) -> list[Sequence[str]]:
        """Lists of entrants that play equally often in the schedule of the format."""
        return [self.entrants]

    def uneven_words(self) -> list[str]:
        """Return sentences about differences between the numbers of games of entrants in the whole schedule."""
        return []

    def order(self, played: Results) -> list[list[str]]:
        """Return the names of the entrants as the format ranks them, best first. Equal entrants share an inner list."""
        return ranked(self.entrants, mean_points(all_games(played)))

    def length(self) -> ScheduleLength:
        """Return the minimum and maximum length of the schedule of the format."""
        raise NotImplementedError

    def winner(self, played: Results) -> str | None:
        """Return the name of the winner, or None if the format has not decided a winner."""
        return None

    def cycle(self) -> int:
        """Return the number of seed groups in a cycle, in which each setting and table is played equally often.

        A seed group has the games with one seed. The stopping rules `Better` and `TopSettled` are evaluated only after
        whole cycles, so that the order of seed groups has no influence.
        """
        return len(self.settings)

    def may_share_a_seed(self, one: str, other: str) -> bool:
        """Return whether the entrants `one` and `other` may ever play games with the same seed."""
        return True

    def answer(self, played: Results, table: ScopeTable) -> FinalAnswer:
        """Return the answer of the tournament to the question which entrant is best.

        `table` has the standings over all games.
        """
        return by_rating(table)

    def report(self, played: Results) -> FormatReport | None:
        """Return the section of the report about this format. Return None if it would add nothing to the standings."""
        return None


def seed_of(base: Seed, series: str, number: int) -> str:
    """Return seed `number` of the series of seeds named `series`, derived from `base`, the seed of the tournament."""
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
    """Return the seed group of the entrants in `table`. `frame` is the format.

    The seed depends only on the seed of the format, the setting, `series` and `number`. `turn` matters only if seatings
    are rotations: it selects the circular order of the players. If `turn` is None, the seed selects the order.
    """
    seed = seed_of(frame.seed, f"{setting.game} {setting.players} {series}", number)
    seatings = fair_seatings(table, frame.seatings, int(seed, 16) if turn is None else turn)
    return SeedGroup(setting=setting, seed=seed, seatings=seatings, stage=stage)


def is_complete(group: SeedGroup, played: Results) -> bool:
    """Return whether all games of a seed group are in `played`."""
    if not played:
        return False
    games = played.get(group.id)
    return games is not None and {game.number for game in games} >= set(range(len(group.seatings)))


def missing(groups: Iterable[SeedGroup], played: Results) -> Iterator[SeedGroup]:
    """Return the seed groups in `groups` that are not complete in `played`."""
    return (group for group in groups if not is_complete(group, played))


def counting_games(games: Iterable[PlayedGame]) -> Iterator[PlayedGame]:
    """Return the games that count for the ranking of a format: all games except interrupted games."""
    return (game for game in games if game.reason != NOBODYS_FAULT)


def rank_points(ranks: Sequence[int]) -> list[int]:
    """Return the points of each seat, as integers: WHOLE_POINT times the share of opponents beaten.

    A tie with an opponent counts as half a beaten opponent.
    """
    unit = WHOLE_POINT // 2 // (len(ranks) - 1)
    return [unit * sum((rank <= other) + (rank < other) for other in ranks) - unit for rank in ranks]


def mean_points(games: Iterable[PlayedGame]) -> dict[str, Fraction]:
    """Return a mapping from the name of an entrant to its mean points per game, from 0 to 1.

    Interrupted games do not count.
    """
    points: dict[str, int] = {}
    times: dict[str, int] = {}
    for game in counting_games(games):
        for name, gained in zip(game.seating, rank_points(game.ranks), strict=True):
            points[name] = points.get(name, 0) + gained
            times[name] = times.get(name, 0) + 1
    return {name: Fraction(points[name], times[name] * WHOLE_POINT) for name in points}


def all_games(played: Results) -> Iterator[PlayedGame]:
    return (game for games in played.values() for game in games)


def ranked(names: Iterable[str], worth: Mapping[str, Key]) -> list[list[str]]:
    """Return the names by descending value in `worth`. Names with equal values are in the same inner list.

    Names that are not in `worth` are in the last list.
    """
    listed = list(names)
    known = sorted((name for name in listed if name in worth), key=lambda name: worth[name], reverse=True)
    order: list[list[str]] = [list(equals) for _, equals in groupby(known, key=lambda name: worth[name])]
    unknown = [name for name in listed if name not in worth]
    return [*order, unknown] if unknown else order


def check_names(what: str, names: Sequence[str]) -> None:
    """Raise ValueError if `names` is empty, or contains an empty or repeated name. The message starts with `what`."""
    if not names:
        raise ValueError(f"{what}: none given.")
    for number, name in enumerate(names):
        if not name:
            raise ValueError(f"{what}: number {number + 1} has no name.")
        if name in names[:number]:
            raise ValueError(f"{what}: {name} appears twice.")


def check_known(what: str, names: Sequence[str], entrants: Sequence[str]) -> None:
    """Raise ValueError if one of `names` is not in `entrants`. The message starts with `what`."""
    for name in names:
        if name not in entrants:
            raise ValueError(f"{what}: {name} is not an entrant.")


def check_enough(entrants: int, settings: Iterable[Setting]) -> None:
    """Raise ValueError if a setting has more players than there are entrants."""
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
