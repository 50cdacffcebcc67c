"""The formats of a tournament, and those of them whose games are known beforehand: round robin, gauntlet and duel."""

from collections.abc import Iterator, Sequence
from itertools import product

from rails_cli.tournament.knockout import Knockout
from rails_cli.tournament.league import League
from rails_cli.tournament.model import Played, SeedGroup, Setting
from rails_cli.tournament.schedule import (
    Frame,
    Results,
    ScheduleLength,
    all_games,
    check_enough,
    check_frame,
    check_known,
    check_names,
    check_positive,
    counted,
    mean_points,
    missing,
    ranked,
    seed_group,
)
from rails_cli.tournament.seatings import fair_seatings, seating_count
from rails_cli.tournament.swiss import Swiss
from rails_cli.tournament.tables import sample_size, tables_of

MOST_TABLES = 252  # all tables of up to ten entrants

_SOMEBODY = ""  # stands for the version that is tried; no entrant has this name


class RoundRobin(Frame, frozen=True, kw_only=True, tag="round_robin", tag_field="kind"):
    """Every table of n entrants, or a balanced sample of them, in each round with new seeds."""

    rounds: int = 1
    tables: int = MOST_TABLES
    """The most tables of a setting in a round; if there are more, a sample in which all sit equally often is played."""

    def __post_init__(self) -> None:
        check_frame(self)
        check_positive("rounds", self.rounds)
        check_enough(len(self.entrants), self.settings)
        for setting in self.settings:
            sample_size(len(self.entrants), setting.players, self.tables)

    def groups(self, played: Results) -> Iterator[SeedGroup]:
        return missing(self._groups(), played)

    def order(self, played: Results) -> list[list[str]]:
        return ranked(self.entrants, mean_points(all_games(played)))

    def length(self) -> ScheduleLength:
        sizes = [setting.players for setting in self.settings]
        tables = [sample_size(len(self.entrants), size, self.tables) for size in sizes]
        games = [number * seating_count(size, self.seatings) for number, size in zip(tables, sizes, strict=True)]
        return _fixed_length(self.rounds * sum(tables), self.rounds * sum(games))

    def _groups(self) -> Iterator[SeedGroup]:
        for round_number, setting in product(range(self.rounds), self.settings):
            tables = tables_of(len(self.entrants), setting.players, self.tables, round_number)
            for number, table in enumerate(tables, round_number * len(tables)):
                names = [self.entrants[player] for player in table]
                yield seed_group(self, setting, names, f"round {round_number + 1}", number)


class Gauntlet(Frame, frozen=True, kw_only=True, tag="gauntlet", tag_field="kind"):
    """Each challenger against every company from the field of the other entrants, or a balanced sample of companies.

    All challengers meet the same companies with the same seeds.
    """

    challengers: tuple[str, ...]
    rounds: int = 1
    tables: int = MOST_TABLES
    """The most companies of a setting in a round."""
    repeatable: tuple[str, ...] = ()
    """Entrants of the field who may sit more than once at a table, used when the field is too small."""

    def __post_init__(self) -> None:
        check_frame(self)
        check_positive("rounds", self.rounds)
        check_names("The challengers", self.challengers)
        check_known("The challengers", self.challengers, self.entrants)
        _check_companies(self.field, self.settings, self.tables, self.repeatable)

    @property
    def field(self) -> tuple[str, ...]:
        return tuple(name for name in self.entrants if name not in self.challengers)

    def groups(self, played: Results) -> Iterator[SeedGroup]:
        return missing(self._groups(), played)

    def order(self, played: Results) -> list[list[str]]:
        """The challengers only: the field has played against nobody else."""
        return ranked(self.challengers, mean_points(all_games(played)))

    def length(self) -> ScheduleLength:
        groups, games = _company_length(self.field, self, self.tables, self.repeatable)
        return _fixed_length(groups * self.rounds * len(self.challengers), games * self.rounds * len(self.challengers))

    def _groups(self) -> Iterator[SeedGroup]:
        for round_number, setting in product(range(self.rounds), self.settings):
            companies = companies_of(self.field, setting.players - 1, self.tables, self.repeatable, round_number)
            for number, company in enumerate(companies, round_number * len(companies)):
                for challenger in self.challengers:
                    stage = f"round {round_number + 1}: {challenger}"
                    yield seed_group(self, setting, [challenger, *company], stage, number)


class Duel(Frame, frozen=True, kw_only=True, tag="duel", tag_field="kind"):
    """Two versions of a bot in the same seats, with the same seeds, in the company of the same opponents.

    A group holds both: game 2i with the first version, game 2i + 1 with the second, alike in all else.
    """

    versions: tuple[str, str]
    rounds: int = 1
    tables: int = MOST_TABLES
    """The most companies of a setting in a round."""
    repeatable: tuple[str, ...] = ()
    """Opponents who may sit more than once at a table, used when there are too few."""

    def __post_init__(self) -> None:
        check_frame(self)
        check_positive("rounds", self.rounds)
        check_names("The versions", self.versions)
        check_known("The versions", self.versions, self.entrants)
        _check_companies(self.opponents, self.settings, self.tables, self.repeatable)

    @property
    def opponents(self) -> tuple[str, ...]:
        return tuple(name for name in self.entrants if name not in self.versions)

    def groups(self, played: Results) -> Iterator[SeedGroup]:
        return missing(self._groups(), played)

    def order(self, played: Results) -> list[list[str]]:
        """The two versions, by the games that both have played."""
        games = [game for group in played.values() for pair in paired(group) for game in pair]
        return ranked(self.versions, mean_points(games))

    def length(self) -> ScheduleLength:
        groups, games = _company_length(self.opponents, self, self.tables, self.repeatable)
        return _fixed_length(groups * self.rounds, games * self.rounds * 2)

    def _groups(self) -> Iterator[SeedGroup]:
        for round_number, setting in product(range(self.rounds), self.settings):
            companies = companies_of(self.opponents, setting.players - 1, self.tables, self.repeatable, round_number)
            for number, company in enumerate(companies, round_number * len(companies)):
                group = seed_group(self, setting, [_SOMEBODY, *company], f"round {round_number + 1}", number)
                yield SeedGroup(
                    setting=setting,
                    seed=group.seed,
                    seatings=[
                        [version if name == _SOMEBODY else name for name in seating]
                        for seating in group.seatings
                        for version in self.versions
                    ],
                    stage=group.stage,
                )


AnyFormat = RoundRobin | Gauntlet | Swiss | Knockout | League | Duel
"""Told apart by `kind`: `round_robin`, `gauntlet`, `swiss`, `knockout`, `league`, `duel`."""


def paired(games: Sequence[Played]) -> list[tuple[Played, Played]]:
    """The games of a group of a duel that differ only in the version that played; none of which the other is void."""
    by_number = {game.number: game for game in counted(games)}
    firsts = sorted(number for number in by_number if number % 2 == 0 and number + 1 in by_number)
    return [(by_number[number], by_number[number + 1]) for number in firsts]


def may_share_a_seed(schedule: AnyFormat, one: str, other: str) -> bool:
    """Whether two may ever play in the same seed group."""
    if not isinstance(schedule, Gauntlet | Duel):
        return True
    if isinstance(schedule, Gauntlet) and one in schedule.challengers and other in schedule.challengers:
        return False
    company = schedule.field if isinstance(schedule, Gauntlet) else schedule.opponents
    return not (one in company and other in company) or any(setting.players > 2 for setting in schedule.settings)


def companies_of(
    field: Sequence[str], size: int, most: int, repeatable: Sequence[str], number: int = 0
) -> list[list[str]]:
    """The companies of round `number`, balanced; a field that is too small is filled up with the repeatable in turn."""
    short = size - len(field)
    if short <= 0:
        return [[field[player] for player in company] for company in tables_of(len(field), size, most, number)]
    turns = 1 if short % len(repeatable) == 0 else len(repeatable)
    return [[*field, *(repeatable[(turn + step) % len(repeatable)] for step in range(short))] for turn in range(turns)]


def _company_length(field: Sequence[str], frame: Frame, most: int, repeatable: Sequence[str]) -> tuple[int, int]:
    """Groups and games of one round of one challenger."""
    groups = games = 0
    for setting in frame.settings:
        if len(field) >= setting.players - 1:
            number = sample_size(len(field), setting.players - 1, most)
            groups += number
            games += number * seating_count(setting.players, frame.seatings)
        else:
            companies = companies_of(field, setting.players - 1, most, repeatable)
            groups += len(companies)
            games += sum(len(fair_seatings([_SOMEBODY, *company], frame.seatings)) for company in companies)
    return groups, games


def _check_companies(field: Sequence[str], settings: Sequence[Setting], most: int, repeatable: Sequence[str]) -> None:
    if not field:
        raise ValueError("There is nobody to play against.")
    if repeatable:
        check_names("repeatable", repeatable)
        check_known("repeatable", repeatable, field)
    for setting in settings:
        size = setting.players - 1
        if len(field) >= size:
            sample_size(len(field), size, most)
        elif not repeatable:
            raise ValueError(
                f"{setting.game} for {setting.players} players needs {size} opponents; there are {len(field)}, "
                "and none may sit more than once (repeatable)."
            )


def _fixed_length(groups: int, games: int) -> ScheduleLength:
    return ScheduleLength(groups_least=groups, groups_most=groups, games_least=games, games_most=games)
