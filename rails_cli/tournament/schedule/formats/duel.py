"""Duel: two versions of a bot, compared in games that are otherwise equal."""

import math
from collections.abc import Callable, Iterator, Sequence
from typing import ClassVar

import msgspec

from rails_cli.games.game import win_share
from rails_cli.tournament.model import PlayedGame, SeedGroup
from rails_cli.tournament.rating.copies import distinct
from rails_cli.tournament.rating.estimates import Estimate, Sums
from rails_cli.tournament.rating.standings import ScopeTable, beaten_share, by_group, score_share, seed_key
from rails_cli.tournament.schedule.answer import NO_GAME, FinalAnswer, answer_of, games_words, per_cent
from rails_cli.tournament.schedule.format import (
    Format,
    Results,
    ScheduleLength,
    all_games,
    check_frame,
    check_known,
    check_names,
    check_positive,
    counting_games,
    fixed_length,
    mean_points,
    ranked,
    seed_group,
)
from rails_cli.tournament.schedule.format_report import Cell, Figures, FormatReport, Words
from rails_cli.tournament.schedule.formats.lineups import (
    MOST_TABLES,
    SOMEBODY,
    check_lineups,
    lineup_length,
    may_meet_in_lineup,
    round_of,
)
from rails_cli.tournament.words import between, signed

_LARGE = 100


class Duel(Format, frozen=True, kw_only=True, tag="duel", tag_field="kind"):
    """Two versions of a bot in the same seats, with the same seeds, against the same opponents.

    A group holds both: game 2i with the first version, game 2i + 1 with the second. If seats have hidden information,
    each game has its own deal.
    """

    title: ClassVar = "Duel of two versions"
    decides: ClassVar = True

    versions: tuple[str, str]
    rounds: int = 1
    tables: int = MOST_TABLES
    """Maximum number of tables of a setting in a round."""
    repeatable: tuple[str, ...] = ()
    """Opponents that may take several seats at a table if there are too few opponents."""

    def __post_init__(self) -> None:
        check_frame(self)
        check_positive("rounds", self.rounds)
        check_names("The versions", self.versions)
        check_known("The versions", self.versions, self.entrants)
        check_lineups(self.opponents, self.settings, self.tables, self.repeatable)

    @property
    def opponents(self) -> tuple[str, ...]:
        return tuple(name for name in self.entrants if name not in self.versions)

    def order(self, played: Results) -> list[list[str]]:
        """Rank the two versions by the games that both have played."""
        games = [game for group in played.values() for pair in paired(group) for game in pair]
        return ranked(self.versions, mean_points(games))

    def length(self) -> ScheduleLength:
        groups, games = lineup_length(self.opponents, self, self.tables, self.repeatable)
        return fixed_length(groups * self.rounds, games * self.rounds * 2)

    def cycle(self) -> int:
        return lineup_length(self.opponents, self, self.tables, self.repeatable)[0]

    def all_groups(self) -> Iterator[SeedGroup]:
        for round_number in range(self.rounds):
            for setting, number, turn, lineup in round_of(
                self, self.opponents, self.tables, round_number, free=1, repeatable=self.repeatable
            ):
                stage = f"round {round_number + 1}"
                group = seed_group(self, setting, [SOMEBODY, *lineup], stage, number, turn=turn)
                both = [
                    [version if name == SOMEBODY else name for name in seating]
                    for seating in group.seatings
                    for version in self.versions
                ]
                yield msgspec.structs.replace(group, seatings=both)

    def may_share_a_seed(self, one: str, other: str) -> bool:
        return may_meet_in_lineup(self.opponents, self.settings, one, other)

    def answer(self, played: Results, table: ScopeTable) -> FinalAnswer:
        """Compare the shares of opponents that the two versions beat."""
        compared = _compared(self.versions[0], self._pairs(played))
        if not compared:
            return answer_of(table, NO_GAME, None, None, is_sure=False)
        beaten, names, difference = compared[0], self.versions, compared[0].difference
        shares = beaten.first, beaten.second
        if difference.mean < 0:
            names, shares = names[::-1], shares[::-1]
            ends = (difference.high, difference.low)
            difference = Estimate(-difference.mean, *(None if end is None else -end for end in ends))
        text = f"{names[0]} beats {per_cent(shares[0])} % of its opponents, {names[1]} {per_cent(shares[1])} %"
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
                    "The same games with each version",
                    ["Mean", first, second, "Difference", "95 % interval"],
                    rows,
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


class _Compared(msgspec.Struct, frozen=True):
    """A measure with its values for the two versions."""

    words: str
    first: float
    second: float
    difference: Estimate
    """The first less the second, from pairs of games that are otherwise equal."""
    is_share: bool


def paired(games: Sequence[PlayedGame]) -> list[tuple[PlayedGame, PlayedGame]]:
    """Return the pairs of games of a group that differ only in the version. Pairs with a void game are left out."""
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
        return f"{first} beats more opponents than {second}, with 95 % confidence."
    if difference.high < 0:
        return f"{second} beats more opponents than {first}, with 95 % confidence."
    return f"At 95 %, no difference between {first} and {second} shows in the share of opponents beaten."
