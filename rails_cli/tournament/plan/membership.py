"""Membership of a league over all its runs: entrants new in the plan join, those missing from it leave."""

from collections.abc import Mapping

import msgspec

from rails_cli.tournament.model import PlayedGame
from rails_cli.tournament.plan.plan import TournamentPlan, make_format
from rails_cli.tournament.schedule.format import Format
from rails_cli.tournament.schedule.formats import FORMATS
from rails_cli.tournament.schedule.formats.league import League, Stay

History = list[tuple[str, list[PlayedGame]]]
"""Group ids with their games."""


class Membership(msgspec.Struct, frozen=True):
    """The current and former members of a league."""

    entrants: tuple[str, ...]
    stays: tuple[Stay, ...] = ()
    settled: tuple[str, ...] = ()
    """Groups that counted when an entrant last joined or left, in their order at that time."""


def membership_of(
    plan: TournamentPlan, before: Membership | None, counting_games: Mapping[str, list[PlayedGame]]
) -> Membership:
    """Return the membership of the plan's league from now on, given the one `before` and the games that count."""
    if before is None or not counting_games:
        return Membership(plan.names)
    present = _present(before)
    came = [name for name in plan.names if name not in present]
    went = [name for name in before.entrants if name in present and name not in plan.names]
    if not came and not went:
        return before
    league = make_format(plan, before.entrants, before.stays)
    assert isinstance(league, League)
    number = league.next_number(counting_games)
    stays = [
        msgspec.structs.replace(stay, until=number) if stay.name in went and stay.until is None else stay
        for stay in before.stays
    ]
    stays += [Stay(name, 0, number) for name in went if name not in {stay.name for stay in before.stays}]
    stays += [Stay(name, number) for name in came]
    new = [name for name in came if name not in before.entrants]
    settled = dict.fromkeys((*before.settled, *counting_games))
    return Membership((*before.entrants, *new), tuple(stays), tuple(settled))


def league_of(
    plan: TournamentPlan, members: Membership, known: Mapping[str, list[PlayedGame]]
) -> tuple[Format, History, History]:
    """Return the league, the games it will not ask for again, and the groups fixed at the last change of members."""
    left = set(members.entrants) - set(plan.names)
    history = [(group, games) for group, games in known.items() if not left.isdisjoint(games[0].seating)]
    settled = [(group, known[group]) for group in members.settled if group in known]
    return make_format(plan, members.entrants, members.stays), history, settled


def _present(membership: Membership) -> set[str]:
    """Return the members whose last stay has no end, or who have been members from the start."""
    bound = {stay.name for stay in membership.stays}
    there = {stay.name for stay in membership.stays if stay.until is None}
    return {name for name in membership.entrants if name not in bound or name in there}


def schedule_of(plan: TournamentPlan, membership: Membership | None) -> Format:
    """Return the format with all entrants that ever took part, for evaluating what was played."""
    if membership is None or not FORMATS[plan.kind].has_members:
        return make_format(plan)
    return make_format(plan, membership.entrants, membership.stays)
