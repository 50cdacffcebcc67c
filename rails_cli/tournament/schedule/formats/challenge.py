"""The formats gauntlet and duel, in which a few contenders play against the field: all other entrants.

Each game has one contender. All contenders meet the same opponents with the same seeds.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, pairwise
from typing import ClassVar

import msgspec

from rails_cli.games.game import win_share
from rails_cli.tournament.model import PlayedGame, SeedGroup
from rails_cli.tournament.rating.copies import distinct
from rails_cli.tournament.rating.estimates import Estimate, Sums
from rails_cli.tournament.rating.standings import ScopeTable, Standing, beaten_share, by_group, score_share, seed_key
from rails_cli.tournament.schedule.answer import (
    NO_GAME,
    FinalAnswer,
    answer_of,
    games_words,
    may_swap,
    per_cent,
    placed,
    share_words,
)
from rails_cli.tournament.schedule.designs import sample_size
from rails_cli.tournament.schedule.format import (
    Format,
    Results,
    ScheduleLength,
    all_games,
    check_known,
    check_names,
    check_positive,
    counting_games,
    fixed_length,
    mean_points,
    ranked,
)
from rails_cli.tournament.schedule.format_report import Cell, Figures, FormatReport, Words
from rails_cli.tournament.schedule.formats.lineups import MOST_TABLES, lineup_group, round_of, tables_among
from rails_cli.tournament.words import between, listed, signed

SOMEBODY = ""  # placeholder for the seat of the contender at a table, never the name of an entrant
_LARGE = 100
"""Absolute value from which numbers are shown without decimals."""


class AgainstField(Format, frozen=True, kw_only=True):
    """Base class of formats in which contenders play against every set of opponents, or against a sample of sets."""

    rounds: int = 1
    tables: int = MOST_TABLES
    """Maximum number of sets of opponents for a setting (game and number of players) in one round."""
    repeatable: tuple[str, ...] = ()
    """Names of the opponents that may take several seats at a table if there are too few opponents."""

    def __post_init__(self) -> None:
        super().__post_init__()
        check_positive("rounds", self.rounds)
        option = self.__struct_fields__[-1]
        check_names(f"The {option}", self.contenders)
        check_known(f"The {option}", self.contenders, self.entrants)
        field = self.field
        if not field:
            raise ValueError(
                "There are no opponents. Add an entrant, such as builtin:medium (--entrant builtin:medium). "
                "Two versions play against each other with `rails-cli tournament compare`."
            )
        if self.repeatable:
            check_names("repeatable", self.repeatable)
            check_known("repeatable", self.repeatable, field)
        for setting in self.settings:
            size = setting.players - 1
            if len(field) >= size:
                sample_size(len(field), size, self.tables)
            elif not self.repeatable:
                raise ValueError(
                    f"{setting.game} for {setting.players} players needs {size} opponents; there are {len(field)}, "
                    "and none may sit more than once. Name who may (repeatable, or --repeatable NAME), or add entrants."
                )

    @property
    def contenders(self) -> tuple[str, ...]:
        """Names of the contenders: entrants that are compared by their games against all other entrants."""
        raise NotImplementedError

    @property
    def field(self) -> tuple[str, ...]:
        """Names of the opponents, which are all entrants except the contenders."""
        return tuple(name for name in self.entrants if name not in self.contenders)

    def length(self) -> ScheduleLength:
        groups = list(msgspec.structs.replace(self, rounds=1).all_groups())
        return fixed_length(self.rounds * len(groups), self.rounds * sum(len(group.seatings) for group in groups))

    def cycle(self) -> int:
        return (self.length().groups_most or 0) // self.rounds

    def all_groups(self) -> Iterator[SeedGroup]:
        return chain.from_iterable(map(self.round_groups, range(self.rounds)))

    def round_groups(self, number: int) -> Iterator[SeedGroup]:
        tables = [self._tables_in(number, setting.players) for setting in self.settings]
        for lineup in round_of(self, number, tables):
            yield from self.contender_groups(lineup_group(self, lineup, f"round {number + 1}"))

    @property
    def peers(self) -> list[Sequence[str]]:
        field = self.field
        is_short = any(setting.players - 1 > len(field) for setting in self.settings)
        again = self.repeatable if is_short else ()
        return [self.contenders, [name for name in field if name not in again], again]

    def contender_groups(self, group: SeedGroup) -> Iterator[SeedGroup]:
        """Yield seed groups (games with one seed) made from `group`, with contenders in place of `SOMEBODY`.

        The seatings of `group` contain the placeholder `SOMEBODY` where a contender is to play.
        """
        raise NotImplementedError

    def _tables_in(self, number: int, size: int) -> list[list[str]]:
        """Return the tables of `size` players in round `number`, each with the names of opponents and one `SOMEBODY`.

        The placeholder `SOMEBODY` stands for a contender. If there are too few opponents, the `repeatable` opponents
        take the remaining seats in turn.
        """
        field, again = self.field, self.repeatable
        short = size - 1 - len(field)
        if short <= 0:
            return [[SOMEBODY, *names] for names in tables_among(self, field, size - 1, self.tables, number)]
        turns = 1 if short % len(again) == 0 else len(again)
        return [
            [SOMEBODY, *field, *(again[(turn + step) % len(again)] for step in range(short))] for turn in range(turns)
        ]

    def may_share_a_seed(self, one: str, other: str) -> bool:
        """Return whether the entrants `one` and `other` may ever play in games with the same seed."""
        return not {one, other} <= set(self.field) or any(setting.players > 2 for setting in self.settings)


def _seated(group: SeedGroup, names: Sequence[str]) -> list[list[str]]:
    """Return copies of the seatings of `group`, one for each seating and each name in `names`.

    In each copy, the name replaces the placeholder `SOMEBODY`.
    """
    return [
        [contender if name == SOMEBODY else name for name in seating]
        for seating in group.seatings
        for contender in names
    ]


class Gauntlet(AgainstField, frozen=True, kw_only=True, tag="gauntlet", tag_field="kind"):
    """A format in which challengers play against the field (all other entrants), but never against each other.

    No game has two challengers. Each challenger has its own seed groups.
    """

    title: ClassVar = "Gauntlet"

    challengers: tuple[str, ...]

    @property
    def contenders(self) -> tuple[str, ...]:
        return self.challengers

    def order(self, played: Results) -> list[list[str]]:
        """Return the challengers, best first. Equal challengers share an inner list.

        Their opponents are not ranked, because they have played only against challengers.
        """
        return ranked(self.challengers, mean_points(all_games(played)))

    def contender_groups(self, group: SeedGroup) -> Iterator[SeedGroup]:
        for challenger in self.challengers:
            seatings = _seated(group, [challenger])
            yield msgspec.structs.replace(group, seatings=seatings, stage=f"{group.stage}: {challenger}")

    def answer(self, played: Results, table: ScopeTable) -> FinalAnswer:
        """State the result of each challenger against the opponents, and which challengers do not clearly differ."""
        rows = [row for row in table.standings if row.name in self.challengers]
        if not rows:
            return answer_of(table, NO_GAME, None, None, is_sure=False)
        said = [_against_the_field(row) for row in rows]
        known = {one.row.name: one for one in placed(table.standings)}
        pairs = [(one.name, other.name) for one, other in pairwise(rows)]
        open_pairs = [
            f"{one} and {other}"
            for one, other in pairs
            if not {one, other} <= known.keys() or may_swap(known[one], known[other])
        ]
        text = f"{'; '.join(said)}; {games_words(table.games)}"
        if open_pairs:
            text += f"; {listed(open_pairs)} cannot be told apart"
        is_sure = not pairs or " and ".join(pairs[0]) not in open_pairs
        return answer_of(table, f"{text}.", rows[0].name, rows[0].beaten, is_sure=is_sure)

    def report(self, played: Results) -> FormatReport:
        order = [f"{place}. {listed(names)}" for place, names in enumerate(self.order(played), 1)]
        return FormatReport(
            "Challengers and field",
            [
                Words(
                    f"{listed(self.challengers)} played, with the same seeds, against the field: {listed(self.field)}."
                ),
                Words(f"By mean points: {'; '.join(order)}."),
                Words(
                    "Challengers do not meet each other; their ratings compare through the opponents that they have in "
                    "common.",
                    is_aside=True,
                ),
            ],
        )


class Duel(AgainstField, frozen=True, kw_only=True, tag="duel", tag_field="kind"):
    """A format that compares two versions of a bot in the same seats, with the same seeds and opponents.

    The games of a seed group form pairs. The first version plays in game 2i. The second version plays in game 2i + 1,
    in the same seat against the same opponents.
    """

    title: ClassVar = "Duel of two versions"
    decides: ClassVar = True

    versions: tuple[str, str]

    @property
    def contenders(self) -> tuple[str, ...]:
        return self.versions

    def order(self, played: Results) -> list[list[str]]:
        """Return the two versions, best first, or in one inner list if they are equal.

        They are compared by their mean points in games that both played with the same seed and seats.
        """
        games = [game for group in played.values() for pair in paired(group) for game in pair]
        return ranked(self.versions, mean_points(games))

    def contender_groups(self, group: SeedGroup) -> Iterator[SeedGroup]:
        yield msgspec.structs.replace(group, seatings=_seated(group, self.versions))

    def answer(self, played: Results, table: ScopeTable) -> FinalAnswer:
        """Return a sentence that says which version beats more opponents, by how much, and with what certainty."""
        compared = _compared(self.versions[0], self._pairs(played))
        if not compared:
            return answer_of(table, NO_GAME, None, None, is_sure=False)
        beaten, names, difference = compared[0], self.versions, compared[0].difference
        shares = beaten.first, beaten.second
        if difference.mean < 0:
            names, shares = names[::-1], shares[::-1]
            ends = (difference.high, difference.low)
            difference = Estimate(-difference.mean, *(None if end is None else -end for end in ends))
        text = f"{names[0]} beats {per_cent(shares[0])}% of its opponents, {names[1]} {per_cent(shares[1])}%"
        is_sure = difference.low is not None and difference.low > 0
        how = f"{100 * difference.mean:.0f} percentage points"
        if difference.low is None or difference.high is None:
            text += f", {games_words(table.games)}: too few seed groups to say how certain"
        else:
            sure = between(100 * difference.low, 100 * difference.high)
            known = f"{names[0]} is better by {how} ({sure})"
            unknown = f"the two cannot be told apart (a difference of {sure} percentage points)"
            text += f": {known if is_sure else unknown}, {games_words(table.games)}"
        return answer_of(table, f"{text}.", names[0], difference, is_sure=is_sure)

    def _pairs(self, played: Results) -> list[tuple[PlayedGame, PlayedGame]]:
        groups = by_group(distinct(all_games(played)))
        return [pair for group in groups.values() for pair in paired(group)]

    def report(self, played: Results) -> FormatReport:
        first, second = self.versions
        pairs = self._pairs(played)
        compared = _compared(first, pairs)
        rows: list[list[Cell]] = []
        for one in compared:
            form = ".1%" if one.is_share else ",.0f" if abs(one.first) >= _LARGE else ",.2f"
            difference = one.difference
            rows.append(
                [
                    one.words,
                    (signed(one.first, form), one.first),
                    (signed(one.second, form), one.second),
                    (signed(difference.mean, "+" + form), difference.mean),
                    (between(difference.low, difference.high, form), difference.mean),
                ]
            )
        return FormatReport(
            f"{first} against {second}",
            [
                Words(_verdict(compared, first, second)),
                Figures(
                    "The same games with each version", ["Mean", first, second, "Difference", "95% interval"], rows
                ),
                Words(
                    f"{len(pairs):,} pair{'' if len(pairs) == 1 else 's'} of games, alike in seats and opponents,"
                    " and in luck where nobody has secrets. The intervals are of the difference, by seed groups: what"
                    " both versions owe to the same luck cancels out."
                    " A lower rank is better.",
                    is_aside=True,
                ),
            ],
        )


def _against_the_field(row: Standing) -> str:
    mean, sure = share_words(row.beaten)
    than = ""
    if row.beaten.low is not None and row.beaten.high is not None:
        than = "no different from"
        if row.beaten.low > 0.5 or row.beaten.high < 0.5:
            than = "better than" if row.beaten.mean > 0.5 else "worse than"
        than = f", {than} the field"
    return f"{row.name} is ahead of its opponents in {mean} of all cases ({sure}){than}"


class _Compared(msgspec.Struct, frozen=True):
    """A measure of success, and its mean for each of the two versions in a duel."""

    words: str
    first: float
    second: float
    difference: Estimate
    """Mean difference between the first and the second version, over pairs of games that differ only in the version."""
    is_share: bool


def paired(games: Sequence[PlayedGame]) -> list[tuple[PlayedGame, PlayedGame]]:
    """Return the pairs of games of a seed group that differ only in the version.

    Leave out interrupted games.
    """
    by_number = {game.number: game for game in counting_games(games)}
    firsts = sorted(number for number in by_number if number % 2 == 0 and number + 1 in by_number)
    return [(by_number[number], by_number[number + 1]) for number in firsts]


def _compared(first: str, pairs: Sequence[tuple[PlayedGame, PlayedGame]]) -> list[_Compared]:
    if not pairs:
        return []
    measures: dict[str, tuple[Callable[[PlayedGame, int], float], bool]] = {
        "opponents beaten": (lambda game, seat: beaten_share(game.ranks, seat), True),
        "wins": (lambda game, seat: win_share(game.ranks, seat), True),
        "share of the points": (lambda game, seat: score_share(game.scores, seat), True),
        "score": (lambda game, seat: float(game.scores[seat]), False),
        "rank": (lambda game, seat: float(game.ranks[seat]), False),
    }
    if len({one.setting.game for one, _ in pairs}) > 1:
        del measures["score"]  # scores of different games are not comparable
    found = []
    for words, (value, is_share) in measures.items():
        firsts, seconds, differences = Sums(), Sums(), Sums()
        for one, other in pairs:
            seat, seed = one.seating.index(first), seed_key(one)
            firsts.add(seed, value(one, seat))
            seconds.add(seed, value(other, seat))
            differences.add(seed, value(one, seat) - value(other, seat))
        most = 1 if is_share else math.inf
        difference = differences.mean(-most, most)
        found.append(_Compared(words, firsts.mean().mean, seconds.mean().mean, difference, is_share))
    return found


def _verdict(compared: list[_Compared], first: str, second: str) -> str:
    if not compared:
        return "No pair of games is complete yet."
    difference = compared[0].difference
    if difference.low is None or difference.high is None:
        return "One seed group does not show the spread yet."
    if difference.low > 0:
        return f"{first} beats more opponents than {second}, with 95% confidence."
    if difference.high < 0:
        return f"{second} beats more opponents than {first}, with 95% confidence."
    return f"At 95%, no difference between {first} and {second} shows in the share of opponents beaten."
