"""All that a report tells, found out from the results of a tournament before a word of it is written."""

from collections import Counter
from collections.abc import Sequence

import msgspec

from rails_cli.report.selection import Chosen, choose
from rails_cli.tournament.answer import FinalAnswer, so_far
from rails_cli.tournament.copies import copied_groups, distinct
from rails_cli.tournament.forfeits import Suspended, is_valid
from rails_cli.tournament.format_report import FormatReport
from rails_cli.tournament.membership import schedule_of
from rails_cli.tournament.model import Played, Setting
from rails_cli.tournament.plackett_luce import fit
from rails_cli.tournament.plan import TournamentPlan
from rails_cli.tournament.play import GameFault
from rails_cli.tournament.ratings import Rating, rate
from rails_cli.tournament.schedule import Format, Results
from rails_cli.tournament.standings import Standings, by_group, in_order, make_standings, name_of, rankings_of
from rails_cli.tournament.store import Ending, Listed, Store

STATIONS = 12
_RESAMPLES = 300


class Station(msgspec.Struct, frozen=True):
    """The ratings after so many seed groups."""

    groups: int
    games: int
    ratings: dict[str, Rating]


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
    suspended: list[Suspended]
    """Who failed from the start."""
    game_faults: dict[str, list[GameFault]]
    """By game."""
    chosen: list[Chosen]
    """The games that are replayed."""
    used_s: float
    anchor: str | None
    left: list[str]
    """Those who were in a league and are not any more."""
    format_report: FormatReport | None
    """What the format itself says, once something is played."""
    everybody: list[str]
    """All who are in the plan or have played, the best first."""
    answer: FinalAnswer
    copied: set[str]
    """The groups that are copies of others."""

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
    for _, fault in store.faults():
        faults.setdefault(fault.entrant, Counter())[fault.code] += 1
    ending = store.ending()
    schedule = schedule_of(plan, membership)
    played = by_group(counting)
    return Findings(
        plan=plan,
        ending=ending,
        games=games,
        standings=standings,
        settings={name_of(game.setting): game.setting for game in counting if is_valid(game)},
        course=make_course(counting, plan.anchor),
        faults=faults,
        suspended=list(store.suspended().values()),
        game_faults=store.faults_by_game(),
        chosen=choose(games, replays, ratings),
        used_s=store.used_s(),
        anchor=plan.anchor if plan.anchor in ratings else None,
        left=[] if membership is None else [name for name in membership.entrants if name not in plan.names],
        format_report=schedule.report(played) if played else None,
        everybody=list(
            dict.fromkeys([*ratings, *plan.names, *(name for game in games for name in game.played.seating)])
        ),
        answer=_answer(schedule, played, standings, ending),
        copied=copied_groups(filter(is_valid, counting)),
    )


def _answer(schedule: Format, played: Results, standings: Standings, ending: Ending | None) -> FinalAnswer:
    answer = schedule.answer(played, standings.tables[0])
    return answer if ending is not None else so_far(answer)


def make_course(games: Sequence[Played], anchor: str | None, stations: int = STATIONS) -> list[Station]:
    """The ratings at evenly spaced stations, the last of them after all groups; `games` come as in the schedule."""
    played = list(by_group(distinct(filter(is_valid, games))).values())
    course = []
    for number in _spaced(len(played), stations):
        known = in_order(game for group in played[:number] for game in group)
        rated = rate(fit(rankings_of(known)), anchor, resamples=_RESAMPLES)
        course.append(Station(number, len(known), {rating.name: rating for rating in rated.entrants}))
    return course


def _spaced(last: int, stations: int) -> list[int]:
    """Up to so many numbers, evenly spaced, from the second to the last: one group says nothing of the spread."""
    steps = min(stations, last - 1)
    if steps < 1:
        return []
    return sorted({last - round((last - 2) * step / steps) for step in range(steps)})
