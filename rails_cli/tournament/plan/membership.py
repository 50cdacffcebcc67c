"""Changes of the entrants of a tournament between its runs.

Entrants that are new in the plan join. Entrants that are no longer in the plan leave.
"""

from collections import Counter
from collections.abc import Iterable, Mapping

import msgspec

from rails_cli.tournament.model import PlayedGame
from rails_cli.tournament.plan.plan import TournamentPlan, in_words, make_format
from rails_cli.tournament.rating.forfeits import SuspensionTracker
from rails_cli.tournament.schedule.format import Format
from rails_cli.tournament.schedule.formats import FORMATS
from rails_cli.tournament.schedule.formats.round_robin import Roster, RoundRobin, names_in

History = list[tuple[str, list[PlayedGame]]]
"""Pairs of the id of a seed group and its games, in schedule order."""


class Membership(msgspec.Struct, frozen=True):
    """All entrants that a tournament has had, and when they joined or left. Stored with the results."""

    rosters: tuple[Roster, ...]
    """Lists of entrants in the order of time: one for the start, then one for each time that entrants joined or left.
    """
    settled: tuple[str, ...] = ()
    """Ids, in schedule order, of the seed groups whose games counted when entrants last joined or left.

    These seed groups stay at the start of the schedule.
    """

    @property
    def entrants(self) -> list[str]:
        """Names of all entrants that ever took part, in the order in which they joined."""
        return list(names_in(self.rosters))


def membership_of(
    plan: TournamentPlan, before: Membership | None, counting_games: Mapping[str, list[PlayedGame]]
) -> Membership:
    """Return the membership `before`, updated if the entrants of `plan` differ from the last roster.

    `before` is None before the first run. `counting_games` maps the ids of the seed groups that count to their
    games. If it is empty, the membership starts again with the entrants of `plan`. A seed group is not added to
    `settled` if an entrant played in it that was suspended by then. An interrupted run can leave such seed groups.
    """
    if before is None or not counting_games:
        return Membership((Roster(plan.names),))
    if set(before.rosters[-1].names) == set(plan.names):
        return before
    schedule = make_format(plan, before.rosters)
    assert isinstance(schedule, RoundRobin)
    joined = [name for name in dict.fromkeys([*before.entrants, *plan.names]) if name in plan.names]
    roster = Roster(tuple(joined), schedule.rounds_begun(counting_games))
    settled = []
    suspensions = SuspensionTracker()
    for group in dict.fromkeys((*before.settled, *counting_games)):
        games = counting_games.get(group)
        if games is not None and not suspensions.is_stale(games):
            suspensions.add_games(games)
            settled.append(group)
    return Membership((*before.rosters, roster), tuple(settled))


def schedule_of(plan: TournamentPlan, membership: Membership | None) -> Format:
    """Return the format of `plan`, which makes the schedule, for all entrants in `membership`.

    Without a membership (None), or if entrants cannot join and leave in this format, use the entrants of `plan`.
    """
    if membership is None or not FORMATS[plan.kind].has_members:
        return make_format(plan)
    return make_format(plan, membership.rosters)


def settled_games(membership: Membership | None, known: Mapping[str, list[PlayedGame]]) -> History:
    """Return the finished seed groups whose ids are in `membership.settled`, each with its games.

    `known` has the games by id of the seed group. Return an empty history if `membership` is None.
    """
    return [] if membership is None else [(group, known[group]) for group in membership.settled if group in known]


def games_planned(
    plan: TournamentPlan, schedule: Format, membership: Membership | None, games: Iterable[PlayedGame]
) -> int | None:
    """Return the number of games of the whole tournament, or None if a stopping rule decides the number.

    `games` are the games played so far. Games in `membership.settled` that `schedule` no longer contains are added to
    the number: games with entrants that have left, and games of rounds that the plan no longer has.
    """
    most = None if plan.stop else schedule.length().games_most
    if most is None:
        return None
    settled = () if membership is None else membership.settled
    outside = set(settled).difference(group.id for group in schedule.begun_groups())
    return most + sum(game.group in outside for game in games)


def uneven_words(plan: TournamentPlan, schedule: Format, history: History) -> list[str]:
    """Return a sentence for each setting for which entrants will have played different numbers of seeds.

    The numbers include the seeds in `history`, and all other seeds of the rounds that have begun. Without a history,
    the list is empty.
    """
    settled = {group for group, _ in history}
    lineups = [(games[0].setting, games[0].seating) for _, games in history]
    lineups += [(group.setting, group.seatings[0]) for group in schedule.begun_groups() if group.id not in settled]
    said = []
    for setting in plan.settings if history else ():
        times = Counter(name for other, names in lineups if other == setting for name in names)
        fewest, most = (end(plan.names, key=lambda name: times[name]) for end in (min, max))
        if times[fewest] != times[most]:
            said.append(
                f"because entrants have joined or left, {fewest} will have played {times[fewest]:,} seeds of "
                f"{in_words(setting)} and {most} {times[most]:,}, when the rounds that have begun are over"
            )
    return said
