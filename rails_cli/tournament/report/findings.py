"""Evaluation of the results of a tournament: computes everything that a report shows."""

from collections import Counter
from collections.abc import Callable, Sequence

import msgspec

from rails_cli.tournament.model import PlayedGame, Setting
from rails_cli.tournament.plan.membership import schedule_of
from rails_cli.tournament.plan.plan import TournamentPlan
from rails_cli.tournament.rating.copies import copied_groups, distinct
from rails_cli.tournament.rating.forfeits import Suspended, is_valid
from rails_cli.tournament.rating.rating_types import Rating
from rails_cli.tournament.rating.ratings import rate
from rails_cli.tournament.rating.standings import Standings, by_group, in_order, make_standings, name_of, rankings_of
from rails_cli.tournament.report.selection import Chosen, choose
from rails_cli.tournament.results.group_results import GameFault
from rails_cli.tournament.results.store import Ending, Listed, Store
from rails_cli.tournament.results.stored_evidence import stored_evidence
from rails_cli.tournament.schedule.answer import FinalAnswer, preliminary
from rails_cli.tournament.schedule.evidence import ShownEvidence
from rails_cli.tournament.schedule.format import Format, Results
from rails_cli.tournament.schedule.format_report import FormatReport

RATING_POINTS = 12
"""Maximum number of points of the rating history."""
Tell = Callable[[str], None]
"""A callback that is called before each step of the work, with a description of the step."""
_RESAMPLES = 300
"""Number of bootstrap samples for each point of the rating history."""


class RatingPoint(msgspec.Struct, frozen=True):
    """A point of the rating history: the ratings after the first `groups` seed groups.

    A seed group consists of the games with one seed. `ratings` maps the name of an entrant to its rating.
    """

    groups: int
    games: int
    ratings: dict[str, Rating]


class Findings(msgspec.Struct, frozen=True):
    """All results and figures that a report shows about a tournament."""

    plan: TournamentPlan
    ending: Ending | None
    games: list[Listed]
    """All games, including surplus games, which do not count because the tournament had already ended."""
    standings: Standings
    settings: dict[str, Setting]
    """Mapping from names to settings (game and number of players), for settings in which a game has a result."""
    course: list[RatingPoint]
    """The rating history."""
    faults: dict[str, Counter[str]]
    """Mapping from the name of an entrant to a counter, which maps the code of a fault to the number of such faults."""
    suspended: list[Suspended]
    game_faults: dict[str, list[GameFault]]
    chosen: list[Chosen]
    """The games that get a replay page."""
    used_s: float
    """Seconds used by all runs of the tournament."""
    anchor: str | None
    """Name of the entrant whose rating is 0. None if there is no such entrant, or if it has no rating."""
    left: list[str]
    """Names of the entrants that have left the tournament."""
    format_report: FormatReport | None
    """The section about the tournament format.

    None before the first game, or if the section would add nothing to the standings.
    """
    everybody: list[str]
    """Names of all entrants of the plan and all players of games. Rated entrants come first, best first."""
    answer: FinalAnswer
    evidence: list[ShownEvidence]
    """Evidence about each rule `[stop.better]` of the plan, which compares two entrants."""
    copied: set[str]
    """Ids of the seed groups (games with one seed) in which all games repeat games of another seed group."""

    @property
    def is_mixed(self) -> bool:
        return len(self.settings) > 1


def find(store: Store, replays: int | None, tell: Tell) -> Findings:
    """Evaluate the results in `store`.

    `replays` is the maximum number of games that get a replay page. None means all games. `tell` is called before each
    long computation.
    """
    tell("computing the standings")
    plan = store.plan()
    membership = store.membership()
    games = list(store.games(with_surplus=True))
    counting = [game.played for game in games if not game.group.surplus]
    standings = make_standings(counting, plan.anchor)
    ratings = {standing.name: standing.rating.rating for standing in standings.tables[0].standings}
    tell("computing the ratings over time")
    course = make_course(counting, plan.anchor)
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
        course=course,
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
        evidence=stored_evidence(store),
        copied=copied_groups(filter(is_valid, counting)),
    )


def _answer(schedule: Format, played: Results, standings: Standings, ending: Ending | None) -> FinalAnswer:
    answer = schedule.answer(played, standings.tables[0])
    return answer if ending is not None else preliminary(answer)


def make_course(games: Sequence[PlayedGame], anchor: str | None) -> list[RatingPoint]:
    """Return the ratings after up to RATING_POINTS evenly spaced numbers of seed groups.

    The last point includes all games. `games` must be in schedule order. The rating of `anchor` is 0.
    """
    played = list(by_group(distinct(filter(is_valid, games))).values())
    course = []
    for number in _spaced(len(played), RATING_POINTS):
        known = in_order(game for group in played[:number] for game in group)
        rated = rate(rankings_of(known), anchor, resamples=_RESAMPLES)
        course.append(RatingPoint(number, len(known), {rating.name: rating for rating in rated.entrants}))
    return course


def _spaced(last: int, stations: int) -> list[int]:
    """Return up to `stations` evenly spaced whole numbers from 2 to `last`, which is always included.

    The report shows the ratings after each of these numbers of seed groups.
    """
    steps = min(stations, last - 1)
    if steps < 1:
        return []
    return sorted({last - round((last - 2) * step / steps) for step in range(steps)})
