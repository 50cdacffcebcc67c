"""All that a report tells, found out from the results of a tournament before a word of it is written."""

from collections import Counter

import msgspec

from rails_cli.report.course import Station, make_course
from rails_cli.report.selection import Chosen, choose
from rails_cli.tournament.format_report import FormatReport
from rails_cli.tournament.formats import FORMATS
from rails_cli.tournament.membership import Membership
from rails_cli.tournament.model import Played, Setting
from rails_cli.tournament.plan import TournamentPlan, make_format
from rails_cli.tournament.schedule import Format
from rails_cli.tournament.standings import Standings, is_valid, make_standings, name_of
from rails_cli.tournament.store import Ending, Listed, Store


class Findings(msgspec.Struct, frozen=True):
    """What is known of a tournament."""

    plan: TournamentPlan
    ending: Ending | None
    games: list[Listed]
    """All of them, also those that do not count because the tournament had stopped before."""
    standings: Standings
    settings: dict[str, Setting]
    """Those of which a game was played, by name."""
    course: list[Station]
    faults: dict[str, Counter[str]]
    """By entrant the number of each kind."""
    fault_words: dict[str, list[str]]
    """By game."""
    chosen: list[Chosen]
    """The games that are replayed."""
    used_s: float
    anchor: str | None
    left: list[str]
    """Those who were in a league and are not any more."""
    format_report: FormatReport | None
    """What the format itself says, once something is played."""

    @property
    def is_mixed(self) -> bool:
        """Whether several games, or one in several ways, were played."""
        return len(self.settings) > 1


def find(store: Store, replays: int | None) -> Findings:
    """What the results show; `replays` is the most games to be chosen for a replay, None for all."""
    plan = store.plan()
    membership = store.membership()
    games = list(store.games(with_surplus=True))
    counting = [game.played for game in games if not game.group.surplus]
    standings = make_standings(counting, plan.anchor)
    ratings = {standing.name: standing.rating.rating for standing in standings.tables[0].standings}
    faults: dict[str, Counter[str]] = {}
    words: dict[str, list[str]] = {}
    for group, fault in store.faults():
        faults.setdefault(fault.entrant, Counter())[fault.code] += 1
        told = f"{fault.entrant} (seat {fault.seat}, action {fault.action}): {fault.code}: {fault.message}"
        words.setdefault(f"{group}-{fault.number}", []).append(told)
    schedule = _schedule(plan, membership)
    by_group: dict[str, list[Played]] = {}
    for game in counting:
        by_group.setdefault(game.group, []).append(game)
    return Findings(
        plan=plan,
        ending=store.ending(),
        games=games,
        standings=standings,
        settings={name_of(game.setting): game.setting for game in counting if is_valid(game)},
        course=make_course(counting, plan.anchor),
        faults=faults,
        fault_words=words,
        chosen=choose(games, replays, ratings),
        used_s=store.used_s(),
        anchor=plan.anchor if plan.anchor in ratings else None,
        left=[] if membership is None else [name for name in membership.entrants if name not in plan.names],
        format_report=schedule.report(by_group) if by_group else None,
    )


def _schedule(plan: TournamentPlan, membership: Membership | None) -> Format:
    if membership is None or not FORMATS[plan.kind].has_members:
        return make_format(plan)
    return make_format(plan, membership.entrants, membership.stays)
