"""All that a report tells, found out from the results of a tournament before a word of it is written."""

from collections import Counter
from collections.abc import Callable, Sequence

import msgspec

from rails_cli.report.course import Station, make_course
from rails_cli.report.selection import Chosen, choose
from rails_cli.tournament.estimates import Estimate, Sums
from rails_cli.tournament.formats import AnyFormat, Duel, paired
from rails_cli.tournament.knockout import Knockout, Tie
from rails_cli.tournament.membership import Membership
from rails_cli.tournament.model import Played, Setting
from rails_cli.tournament.plan import TournamentPlan, make_format
from rails_cli.tournament.schedule import Results, mean_points
from rails_cli.tournament.standings import (
    Standings,
    beaten_share,
    is_valid,
    make_standings,
    name_of,
    score_share,
    win_share,
)
from rails_cli.tournament.store import Ending, Listed, Store
from rails_cli.tournament.swiss import Swiss


class Paired(msgspec.Struct, frozen=True):
    """A measure of the two versions of a duel."""

    words: str
    first: float
    second: float
    difference: Estimate
    """The first less the second, by pairs of games that are alike in all else."""
    is_share: bool


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
    rounds: list[list[Tie]]
    """Of a knockout."""
    points: list[dict[str, float]]
    """Of a Swiss tournament: the mean points in each round."""
    order: list[list[str]]
    """The entrants as the format ranks them, best first; equals stand together."""
    pairs: int
    """The pairs of games of a duel."""
    paired: list[Paired]

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
    pairs = [pair for group in by_group.values() for pair in paired(group)] if isinstance(schedule, Duel) else []
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
        rounds=schedule.bracket(by_group) if isinstance(schedule, Knockout) else [],
        points=_points(schedule, by_group) if isinstance(schedule, Swiss) else [],
        order=schedule.order(by_group) if by_group else [],
        pairs=len(pairs),
        paired=_compared(schedule, pairs) if isinstance(schedule, Duel) else [],
    )


def _schedule(plan: TournamentPlan, membership: Membership | None) -> AnyFormat:
    if membership is None or plan.kind != "league":
        return make_format(plan)
    return make_format(plan, membership.entrants, membership.stays)


def _points(schedule: Swiss, played: Results) -> list[dict[str, float]]:
    rounds = [
        mean_points(game for group in made for game in played.get(group.id, ()))
        for made in schedule.groups_made(played)
    ]
    return [{name: float(points) for name, points in gained.items()} for gained in rounds if gained]


def _compared(schedule: Duel, pairs: Sequence[tuple[Played, Played]]) -> list[Paired]:
    if not pairs:
        return []
    measures: dict[str, tuple[Callable[[Played, int], float], bool]] = {
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
            seat = one.seating.index(schedule.versions[0])
            firsts.add(one.group, value(one, seat))
            seconds.add(one.group, value(other, seat))
            differences.add(one.group, value(one, seat) - value(other, seat))
        found.append(Paired(words, firsts.mean().mean, seconds.mean().mean, differences.mean(), is_share))
    return found
