"""Changes of the entrants between runs. Entrants that are new in the plan join, and entrants no longer in it leave."""

import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping

import msgspec

from rails_cli.tournament.model import PlayedGame, SeedGroup, Setting
from rails_cli.tournament.plan.plan import ROUNDS_TO_COME, TournamentPlan, has_open_rounds, in_words, make_format
from rails_cli.tournament.rating.forfeits import SuspensionTracker, is_valid
from rails_cli.tournament.schedule.format import Format
from rails_cli.tournament.schedule.formats import FORMATS
from rails_cli.tournament.schedule.formats.round_robin import Roster, RoundRobin, names_in
from rails_cli.tournament.schedule.sequence import StoppingCheck
from rails_cli.tournament.schedule.stopping_rules import FixedGames, TimeBudget
from rails_cli.tournament.words import listed

History = list[tuple[str, list[PlayedGame]]]
"""Pairs of the id of a seed group (games with one seed) and its games, in schedule order."""


class Membership(msgspec.Struct, frozen=True):
    """All entrants that a tournament has had, and when they joined or left. Stored with the results."""

    rosters: tuple[Roster, ...]
    """The entrants at the start, then the entrants after the first change, and so on. The last roster is current."""
    settled: tuple[str, ...] = ()
    """Ids of the seed groups that were played and counted before the last change of entrants.

    They come first in the schedule, in this order.
    """

    @property
    def entrants(self) -> list[str]:
        """Names of all entrants that ever took part, in the order in which they joined."""
        return list(names_in(self.rosters))


def membership_of(
    plan: TournamentPlan, before: Membership | None, counting_games: Mapping[str, list[PlayedGame]]
) -> Membership:
    """Return the current membership: `before`, with a new roster if the entrants of `plan` have changed.

    `before` is None before the first run. `counting_games` maps the id of each seed group that counts to its games. If
    it is empty, return a new membership with the entrants of `plan`.

    After a change, `settled` of the new membership has the ids in `counting_games`, so that these seed groups keep
    their place in the schedule. However, `settled` excludes seed groups in which an already suspended entrant played.
    The results of an interrupted run may contain them.
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
    """Return the `Format` object that makes the schedule of `plan` for all entrants in `membership`.

    If `membership` is None, or if entrants cannot join and leave in this format, use the entrants of `plan`.
    """
    if membership is None or not FORMATS[plan.kind].has_members:
        return make_format(plan)
    return make_format(plan, membership.rosters)


def settled_games(schedule: Format, membership: Membership | None, known: Mapping[str, list[PlayedGame]]) -> History:
    """Return the seed groups that keep their place in the schedule, each with its games.

    These are the seed groups in `membership.settled`. Seed groups without games in `known`, or of rounds that
    `schedule` does not contain, are left out. `known` maps the id of a seed group to its games. Return an empty history
    if `membership` is None.
    """
    if membership is None or not membership.settled:
        return []
    begun = {group.id for group in schedule.begun_groups(with_left=True)}
    return [(group, known[group]) for group in membership.settled if group in known and group in begun]


def stopping_check(plan: TournamentPlan, schedule: Format, history: History) -> StoppingCheck:
    """Return an object that evaluates the stopping rules of `plan` as games finish.

    `history` has the seed groups at the start of the schedule.
    """
    settled = {group for group, _ in history}
    begun = sum(group.id not in settled for group in schedule.begun_groups())
    return StoppingCheck(plan.stop, plan.names, schedule.cycle(), len(history) + begun)


def games_planned(plan: TournamentPlan, schedule: Format, history: History) -> int | None:
    """Return the number of games of the whole tournament, or None if a stopping rule decides the number.

    Games of entrants that have left count too. `schedule` does not contain them, so they are taken from `history`.
    """
    most = None if plan.stop else schedule.length().games_most
    if most is None:
        return None
    present = {group.id for group in schedule.begun_groups()} if history else set()
    return most + sum(len(games) for group, games in history if group not in present)


def surplus_to_keep(
    plan: TournamentPlan, before: Membership, members: Membership, surplus: Collection[str]
) -> set[str]:
    """Return the ids in `surplus` whose results are kept when the entrants change from `before` to `members`.

    `surplus` has the ids of seed groups that were played but did not count, because a stopping rule was met before. The
    results of a seed group are kept if the new schedule contains it.
    """
    old, new = schedule_of(plan, before), schedule_of(plan, members)
    assert isinstance(old, RoundRobin)
    try:
        rounds = old.rounds_begun(surplus)
    except ValueError:
        return set()
    return {group.id for number in range(rounds) for group in new.round_groups(number)}.intersection(surplus)


def limit_words(games: int) -> str:
    """Return text that names the limit of `games` games, and the command-line option and plan key for this limit."""
    return f"the limit of {games:,} games (--games, or stop.games in a plan)"


def uneven_words(
    plan: TournamentPlan, schedule: Format, history: History, suspended: Collection[str] = ()
) -> list[str]:
    """Return sentences about entrants that will play no game, and about entrants that will play less than others.

    Games are counted up to the end of the rounds that have begun, or up to the limit `stop.games`. The games in
    `history` are included. Entrants in `suspended` are left out.
    """
    limit = min((rule.games for rule in plan.stop if isinstance(rule, FixedGames)), default=None)
    if not has_open_rounds(plan.kind):
        is_cut = limit is not None and limit < (schedule.length().games_most or 0)
        said = list(schedule.uneven_words())
        if limit is not None and is_cut:
            said.append(f"{limit_words(limit)} may end a round early, so that some will have played more than others")
        return said
    settled = {group for group, _ in history}
    seeds: list[_Seed] = [
        (games[0].setting, [game.seating for game in games if is_valid(game)]) for _, games in history
    ]
    before = _games_in(seeds)
    seeds += [_seed_of(group) for group in schedule.begun_groups() if group.id not in settled]
    cause, advice = "entrants have joined or left", ", when the rounds that have begun are over"
    whole: list[_Seed] = []
    rounds = 0
    if limit is not None:
        whole = list(map(_seed_of, schedule.round_groups(schedule.first_round)))
        rounds, rest = divmod(limit - _games_in(seeds), _games_in(whole))
        last = schedule.first_round + rounds
        is_cut = rounds < 0
        if is_cut:
            rounds, seeds = 0, _up_to(limit, seeds)
        elif rest and last < plan.format.get("rounds", ROUNDS_TO_COME):
            part = _up_to(rest, map(_seed_of, schedule.round_groups(last)))
            is_cut = len(part) < len(whole)
            seeds += part
        if is_cut:
            cause, advice = (
                f"{limit_words(limit)} ends a round early",
                f"; a whole round has {_games_in(whole):,} games",
            )
    parts = []
    total: Counter[str] = Counter()
    for setting in plan.settings:
        times = Counter(_names_in(setting, seeds))
        for name, number in Counter(_names_in(setting, whole)).items():
            times[name] += rounds * number
        total += times
        for peers in schedule.peers:
            names = [name for name in peers if name not in suspended]
            if len({times[name] for name in names}) > 1:
                ends = [end(names, key=lambda name: times[name]) for end in (min, max)]
                parts.append(f"{in_words(setting)}: {' and '.join(f'{name} {times[name]:,}' for name in ends)}")
    said = []
    idle = [name for name in plan.names if name not in suspended and not total[name]]
    if limit is not None and before and idle:
        said.append(
            f"{listed(idle)} will play no game: of the {limit:,} games of stop.games {before:,} are already "
            "played; raise it (--games)"
        )
    if parts:
        said.append(f"because {cause}, entrants will have played unequally many games{advice}: {'; '.join(parts)}")
    return said


def used_up_words(plan: TournamentPlan, used_s: float) -> list[str]:
    """Return a list with a sentence if `used_s`, the seconds of all earlier runs, has reached the limit `stop.minutes`.

    The sentence says that no game can be played. The list is empty if there is time left.
    """
    most_s = min((rule.seconds for rule in plan.stop if isinstance(rule, TimeBudget)), default=math.inf)
    if used_s < most_s:
        return []
    return [
        f"no game will be played: earlier runs took all {most_s / 60:g} minutes of stop.minutes; raise it (--minutes)"
    ]


_Seed = tuple[Setting, list[list[str]]]
"""The setting and the seatings of a seed group."""


def _seed_of(group: SeedGroup) -> _Seed:
    return group.setting, group.seatings


def _games_in(seeds: Iterable[_Seed]) -> int:
    return sum(len(seatings) for _, seatings in seeds)


def _names_in(setting: Setting, seeds: Iterable[_Seed]) -> Iterator[str]:
    """Yield the name of the entrant in each seat of all games of `setting` in `seeds`."""
    return (name for other, seatings in seeds if other == setting for seating in seatings for name in seating)


def _up_to(games: int, seeds: Iterable[_Seed]) -> list[_Seed]:
    """Return the first of `seeds` that together have at least `games` games, or all if they have fewer games."""
    found: list[_Seed] = []
    for seed in seeds:
        if games <= 0:
            break
        found.append(seed)
        games -= len(seed[1])
    return found
