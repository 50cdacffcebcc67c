"""The result of a run of a tournament, and functions that return the fields of its events."""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from rails_cli.tournament.model import SeedGroup
from rails_cli.tournament.plan.plan import TournamentPlan
from rails_cli.tournament.rating.forfeits import Suspended
from rails_cli.tournament.results.group_results import GroupPlayed
from rails_cli.tournament.results.store import Ending
from rails_cli.tournament.run.known_games import KnownGames
from rails_cli.tournament.schedule.evidence import ShownEvidence
from rails_cli.tournament.schedule.sequence import ScheduledGroup

Event = dict[str, Any]
Content = dict[str, Any]
"""The fields of an event, such as the end of a game, except its name and time."""


class RunResult(msgspec.Struct, frozen=True):
    """The result of one run of a tournament. A tournament that is interrupted needs several runs."""

    ending: Ending | None
    """The end of the tournament and its reason, or None if the run was interrupted."""
    games: int
    seconds: float
    tainted: int = 0
    """Number of games that faults affected."""
    void: int = 0
    """Number of games without a result.

    No entrant is to blame for their end, or fewer than two entrants were present.
    """
    suspended: list[Suspended] = []
    copies: int = 0
    """Number of games that do not count because they are copies of other games."""
    died: dict[str, int] = {}
    """Mapping from the name of an entrant with a bot to the number of its seed groups that were given up.

    A seed group has the games with one seed. It is given up, without a result, if all workers that tried to play it
    died.
    """
    idle: list[str] = []
    """Names of the entrants that have played no game in any run."""
    absent: int = 0
    """Number of games without a result that were not played, because fewer than two entrants were present."""
    evidence: list[ShownEvidence] = []
    """Evidence about each rule `[stop.better]` of the plan, which compares two entrants."""


def entrants_of(group: SeedGroup) -> list[str]:
    return list(dict.fromkeys(name for seating in group.seatings for name in seating))


def tournament_start(plan: TournamentPlan) -> Content:
    return {
        "name": plan.name,
        "format": plan.kind,
        "entrants": list(plan.names),
        "games": [msgspec.to_builtins(setting) for setting in plan.settings],
    }


def group_lost(given: ScheduledGroup, *, is_void: bool, lost_by: str | None) -> Content:
    return {"group": given.id, "entrants": entrants_of(given.group), "is_void": is_void, "lost_by": lost_by}


def game_events(given: ScheduledGroup, result: GroupPlayed) -> Iterator[tuple[str, Content]]:
    """Yield the name and fields of an event for each fault and each game of a seed group (games with one seed)."""
    for fault in result.faults:
        yield "fault", {"game": f"{given.id}-{fault.number}", **_without(fault, "number")}
    for game in result.games:
        about = {"id": f"{given.id}-{game.number}", "stage": given.group.stage, "place": given.number}
        yield "game_end", {**about, **_without(game, "economy")}


def progress(
    known: KnownGames, total: int | None, seconds: float, games_per_s: float, time_left_s: float | None
) -> Content:
    """Return the fields of an `eta` event: counts of games and faults, and the expected number of seconds left.

    `total` is the number of games of the tournament, or None if it is unknown. `time_left_s` is the number of seconds
    until a time limit, or None if there is no limit.
    """
    left_s = None if total is None or not games_per_s else max(0, total - known.games) / games_per_s
    if time_left_s is not None:
        left_s = min(max(0.0, time_left_s), float("inf") if left_s is None else left_s)
    return {
        "games": known.games,
        "total": total,
        "seconds": round(seconds, 1),
        "seconds_left": None if left_s is None else round(left_s),
        "games_per_s": round(games_per_s, 2),
        "faults": known.faults.total(),
        "faults_by": dict(known.faults.most_common()),
        "void": known.void,
    }


def running_task(groups: Sequence[ScheduledGroup]) -> Content:
    """Return a description of a running task.

    It has the first seed group of the task, and the number of further seed groups.
    """
    first = groups[0].group
    return {
        "group": groups[0].id,
        "stage": first.stage,
        "game": first.setting.game,
        "players": first.setting.players,
        "entrants": entrants_of(first),
        "games": len(first.seatings),
        "groups_after": len(groups) - 1,
    }


def tournament_end(ending: Ending | None, games: int, seconds: float) -> Content:
    """Return the fields of the last event of a run. `ending` is None if the run was interrupted."""
    why, words, count, head = "interrupted", "interrupted", None, None
    if ending is not None:
        why, words, count, head = ending.why, ending.words, ending.groups, ending.head
    return {"why": why, "words": words, "groups": count, "games": games, "seconds": round(seconds, 3), "head": head}


def _without(record: msgspec.Struct, name: str) -> Content:
    made: Content = msgspec.to_builtins(record)
    del made[name]
    return made
