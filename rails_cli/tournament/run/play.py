"""The task of a worker process: playing seed groups (games with one seed). The task can run on any machine."""

import os
import time
import traceback
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import NoReturn

import msgspec

from rails_cli.games.shared.luck import stream
from rails_cli.tournament.model import SeedGroup
from rails_cli.tournament.results.group_results import GroupPlayed
from rails_cli.tournament.run.bots import BOTS
from rails_cli.tournament.run.conditions import Conditions, PreparedPlan
from rails_cli.tournament.run.group_games import GroupGames
from rails_cli.tournament.run.turns import TURN, TURNS
from rails_cli.tournament.schedule.formats import FORMATS
from rails_cli.tournament.words import listed


class GameFailed(Exception):
    """Raised if a bug in this program ended a game. The message has the traceback."""


@lru_cache(maxsize=2)
def _unpack(packed: bytes) -> "_Worker":
    return _Worker(msgspec.msgpack.decode(packed, type=Conditions))


def play_groups(
    packed: bytes,
    groups: Sequence[SeedGroup],
    suspended: Collection[str] = (),
    until: float | None = None,
    starts_apart: bool = False,
    now: Callable[[], float] = time.perf_counter,
    unix_time: Callable[[], float] = time.time,
) -> list[GroupPlayed]:
    """Play seed groups one after another, and return their results.

    - `packed` is an encoded `Conditions` object.
    - `suspended` has the names of suspended entrants.
    - `until` is a Unix timestamp. A seed group that cannot be finished before this time is left out.
    - If `starts_apart`, each bot starts only at its first request. So it is clear which bot killed the worker process.
    - `now` is the clock of the games.
    """
    worker = _unpack(packed)
    played = (worker.play(group, suspended, until, starts_apart, now, unix_time) for group in groups)
    return [group for group in played if group is not None]


class _Worker:
    """The part of a worker process that plays seed groups of one tournament."""

    def __init__(self, conditions: Conditions) -> None:
        self.prepared = PreparedPlan(conditions)
        TURN.folder = conditions.plan.folder / TURNS if TURN.is_watched and conditions.has_folder else None
        self.game_s: dict[tuple[str, int], float] = {}
        """Mapping from the name of a game and the number of players to the seconds that the last such game took."""

    def play(
        self,
        group: SeedGroup,
        suspended: Collection[str],
        until: float | None,
        starts_apart: bool,
        now: Callable[[], float],
        unix_time: Callable[[], float],
    ) -> GroupPlayed | None:
        """Play all games of a seed group. Return None if the games cannot end before `until`, a Unix timestamp.

        All games of a seed group have one seed. The random numbers of the built-in players depend only on this seed and
        on how often the same entrants have already played in the group. So different sets of entrants play with the
        same random numbers. The parameters are those of `play_groups`.
        """
        kind = (group.setting.game, group.setting.players)
        if until is not None and unix_time() + len(group.seatings) * self.game_s.get(kind, 0.0) > until:
            return None
        started = now()
        stops_games = FORMATS[self.prepared.plan.kind].stops_games
        left_s = until - unix_time() if until is not None and stops_games else None
        number = 0
        try:
            sitting = GroupGames(self.prepared, group, suspended, starts_apart, now, left_s)
            series: Counter[tuple[str, ...]] = Counter()
            for number, seating in enumerate(group.seatings):
                if until is not None and unix_time() + self.game_s.get(kind, 0.0) > until:
                    return None
                began = now()
                lineup = tuple(sorted(seating))
                sitting.play(number, seating, stream(f"{group.seed}/{series[lineup]}"))
                if left_s is not None and now() - started >= left_s:  # the game may have been stopped
                    return None
                series[lineup] += 1
                self.game_s[kind] = now() - began
        except OSError:  # a full disk, say
            raise
        except Exception:
            raise GameFailed(failure_words(group, number, traceback.format_exc())) from None
        BOTS.close_unused()
        TURN.clear()
        seconds = now() - started
        kept = sitting.logs, BOTS.sent_notes(), sitting.last_words
        return GroupPlayed(sitting.id, sitting.games, sitting.faults, seconds, *kept)


def failure_words(group: SeedGroup, number: int, trace: str) -> str:
    """Return the error message for a game that ended because of a bug.

    It is game `number` of a seed group. `trace` is the traceback.
    """
    players = listed(group.seatings[number])
    return (
        f"a bug in rails-cli, or in the package of the game, ended game {group.id}-{number} "
        f"({group.setting.game}: {players}):\n\n{trace}\n"
        "Please report this. Finished games are kept, and the same command resumes."
    )


def end_worker() -> NoReturn:
    """Kill the bots and exit this process, even in the middle of a game."""
    BOTS.are_over = True
    try:
        with suppress(OSError):
            TURN.end()
        BOTS.end()
    finally:
        os._exit(1)
