"""League: it never ends, entrants may join and leave, and those with the fewest games play next."""

from collections.abc import Iterator
from itertools import count, pairwise, permutations
from typing import ClassVar

import msgspec

from rails_cli.tournament.model import SeedGroup
from rails_cli.tournament.rating.standings import ScopeTable
from rails_cli.tournament.schedule.answer import FinalAnswer, by_rating
from rails_cli.tournament.schedule.format import (
    Format,
    Results,
    ScheduleLength,
    all_games,
    check_frame,
    check_known,
    is_complete,
    mean_points,
    ranked,
    seed_group,
)
from rails_cli.tournament.schedule.format_report import FormatReport, Words
from rails_cli.tournament.words import listed


class Stay(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The period, in group numbers, for which an entrant is in the league."""

    name: str
    since: int = 0
    """Number of the first group that may seat the entrant. See `League.next_number`."""
    until: int | None = None
    """Number of the first group that may no longer seat the entrant, or None.

    Once it is set, unfinished groups with the entrant are dropped too.
    """


class League(Format, frozen=True, kw_only=True, tag="league", tag_field="kind"):
    """An endless sequence of groups.

    The entrants of a group depend on the members at that time and on the groups before it, not on results. So the
    sequence is reproducible.
    """

    title: ClassVar = "League"
    has_members: ClassVar = True

    stays: tuple[Stay, ...] = ()
    """Periods of membership. Entrants without one are members from the start. An entrant that returns has several."""

    def __post_init__(self) -> None:
        check_frame(self)
        check_known("stays", [stay.name for stay in self.stays], self.entrants)
        for stay in self.stays:
            if stay.since < 0 or (stay.until is not None and stay.until < stay.since):
                raise ValueError(f"{stay.name} cannot be in the league from group {stay.since} until {stay.until}.")
        for name in self.entrants:
            stays = sorted((stay for stay in self.stays if stay.name == name), key=lambda stay: stay.since)
            for stay, following in pairwise(stays):
                if stay.until is None or stay.until > following.since:
                    raise ValueError(f"{name} is in the league twice from group {following.since} on.")
        fewest = min(setting.players for setting in self.settings)
        if max(len(self._present(number)) for number in self._changes()) < fewest:
            raise ValueError(f"The league never has the {fewest} entrants that a table needs.")

    def groups(self, played: Results) -> Iterator[SeedGroup]:
        left = {stay.name for stay in self.stays} - set(self._present(max(self._changes())))
        for _, group in self._numbered():
            if left.isdisjoint(group.seatings[0]) and not is_complete(group, played):
                yield group

    def order(self, played: Results) -> list[list[str]]:
        """Rank the current members."""
        return ranked(self._present(max(self._changes())), mean_points(all_games(played)))

    def length(self) -> ScheduleLength:
        return ScheduleLength(groups_least=0, groups_most=None, games_least=0, games_most=None)

    def cycle(self) -> int:
        """Return the number of groups after which all have played about equally often.

        Those with the fewest games always play next.
        """
        return len(self.settings) * len(self.entrants)

    def answer(self, played: Results, table: ScopeTable) -> FinalAnswer:
        return by_rating(table, leads="leads the league")

    def report(self, played: Results) -> FormatReport:
        present = self._present(max(self._changes()))
        parts = [Words(f"In the league: {listed(present)}.")]
        left = [name for name in self.entrants if name not in present]
        if left:
            parts.append(
                Words(f"Left the league: {listed(left)}; their games still count, and the tables mark them (left).")
            )
        return FormatReport("Members", [*parts])

    def next_number(self, played: Results) -> int:
        """Return the number after the last group of which a game was played. Entrants may join or leave from there on.

        Raises ValueError if a group in `played` does not belong to this league.
        """
        unseen = set(played)
        if not unseen:
            return 0
        for number, group in self._numbered():
            unseen.discard(group.id)
            if not unseen:
                return number + 1
            if number > 1000 + 10 * len(played):
                break
        raise ValueError(f"Group {min(unseen)} was played, but not in this league.")

    def _numbered(self) -> Iterator[tuple[int, SeedGroup]]:
        games = dict.fromkeys(self.entrants, 0)
        met = {name: dict.fromkeys(self.entrants, 0) for name in self.entrants}
        changes = self._changes()
        present: list[str] = []
        for number in count():
            if number in changes:
                present = self._present(number)
            playable = [setting for setting in self.settings if setting.players <= len(present)]
            if not playable:
                if number >= max(changes):
                    return
                continue
            setting = playable[number % len(playable)]
            table = _next_table(present, setting.players, games, met)
            for name in table:
                games[name] += 1
            for one, other in permutations(table, 2):
                met[one][other] += 1
            yield number, seed_group(self, setting, table, f"group {number + 1}", number)

    def _changes(self) -> set[int]:
        """Return the group numbers at which someone joins or leaves."""
        ends = {stay.until for stay in self.stays if stay.until is not None}
        return {0, *(stay.since for stay in self.stays), *ends}

    def _present(self, number: int) -> list[str]:
        bound = {stay.name for stay in self.stays}
        there = {
            stay.name for stay in self.stays if stay.since <= number and (stay.until is None or number < stay.until)
        }
        return [name for name in self.entrants if name not in bound or name in there]


def _next_table(present: list[str], size: int, games: dict[str, int], met: dict[str, dict[str, int]]) -> list[str]:
    """Return the entrant with fewest games and those whom the table has met least, in the order of the entrants."""
    table = [min(present, key=games.__getitem__)]
    while len(table) < size:
        others = [name for name in present if name not in table]
        table.append(min(others, key=lambda name: (sum(met[name][other] for other in table), games[name])))
    return [name for name in present if name in table]
