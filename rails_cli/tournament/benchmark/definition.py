"""The published openings and ratings of the benchmark, and the plan of the tournament that uses them."""

from collections.abc import Sequence
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import msgspec

from rails_cli.match.seat_specs import BUILTIN
from rails_cli.programs.limits import BotLimits
from rails_cli.tournament.plan.plan import TournamentPlan, make_format
from rails_cli.tournament.plan.reading import make_plan
from rails_cli.tournament.schedule.formats.benchmark import Benchmark

AGENT = "agent"
"""Name of the rated entrant in all games. Random set-ups depend on names, so all bots play under the same name."""
PLAYERS = (3, 4)
"""Numbers of players with which each game of a benchmark is played."""


class Openings(msgspec.Struct, frozen=True):
    """The content of `openings_1.json`: the seeds of all games of the benchmark."""

    version: int
    about: str
    settings: dict[str, list[tuple[int, str]]]
    """Mapping from the name of a setting, such as `toy/3` (game and number of players), to its seeds.

    Each seed comes with the digest of the position after the opening.
    """


class Levels(msgspec.Struct, frozen=True):
    """The content of `levels_1.json`: the fixed ratings of the built-in players."""

    version: int
    source: str
    """Text about the games from which the ratings were computed."""
    levels: list[str]
    """Names of the levels, weakest first.

    A level is a built-in player, such as `easy`, with which the agent is compared.
    """
    opponents: dict[str, str]
    """Mapping from the name of an opponent, as shown in games, to the built-in player that plays under this name."""
    slow: dict[str, float]
    """Mapping from the name of a slow opponent to a penalty in rating points, so that it is chosen less often.

    The penalty is added to the distance between the ratings of opponent and agent.
    """
    ratings: dict[str, dict[str, float]]
    """Mapping from the name of a setting, such as `toy/3`, to a mapping from the name of an opponent to its rating."""


class Budget(msgspec.Struct, frozen=True):
    """The limits of a benchmark, over all its runs. A limit that is None does not apply."""

    games: int | None = None
    seconds: float | None = None
    tokens: int | None = None


@cache
def openings() -> Openings:
    return msgspec.json.decode(_read("openings_1.json"), type=Openings)


@cache
def levels() -> Levels:
    return msgspec.json.decode(_read("levels_1.json"), type=Levels)


def _read(name: str) -> bytes:
    return resources.files("rails_cli.tournament.benchmark").joinpath(name).read_bytes()


def benchmark_games() -> list[str]:
    return list(dict.fromkeys(name.partition("/")[0] for name in openings().settings))


def benchmark_plan(
    name: str,
    command: Sequence[str],
    folder: Path,
    *,
    games: Sequence[str],
    opponents: Sequence[str],
    budget: Budget,
    limits: BotLimits,
    clock: str,
    start_up_s: float,
    half_width: float,
    workers: int | None,
) -> TournamentPlan:
    """Return the plan of a benchmark. Raise PlanError if a value is invalid.

    `command` is the command line of the bot, which runs in the current folder, or `builtin:NAME` for a built-in player.
    `opponents` are keys of `Levels.opponents`. Results are written to `folder`. A rating is known when its 95%
    interval reaches at most `half_width` points to either side. Games are played until all ratings are known, or a
    limit of `budget` is met.
    """
    known, seeds = levels(), openings().settings
    settings = [f"{game}/{players}" for game in games for players in PLAYERS]
    is_builtin = len(command) == 1 and command[0].startswith(BUILTIN)
    agent: dict[str, Any] = {"builtin": command[0].removeprefix(BUILTIN)} if is_builtin else {"command": list(command)}
    field = [{"name": one, "builtin": known.opponents[one], "clock": "none"} for one in opponents]
    stop = {
        "games": budget.games,
        "minutes": None if budget.seconds is None else budget.seconds / 60,
        "tokens": budget.tokens,
    }
    plan = make_plan(
        {
            "name": name,
            "output": str(folder.resolve()),
            "seed": openings().version,
            "openings": "drawn",
            "clock": clock,
            "start_up_s": start_up_s,
            "economy": False,
            "games": [{"game": game, "players": list(PLAYERS)} for game in games],
            "entrants": [{"name": AGENT, **agent}, *field],
            "format": {"kind": "gauntlet", "challengers": [AGENT], "seatings": "rotations"},
            "stop": {key: value for key, value in stop.items() if value is not None},
            **({} if workers is None else {"workers": workers}),
        },
        name,
        Path(),
    )
    own, *others = plan.entrants
    limited = msgspec.structs.replace(own, **{**msgspec.structs.asdict(limits), "reads": list(limits.reads)})
    chosen = {one: {other: known.ratings[one][other] for other in opponents} for one in settings}
    form = {
        "kind": "benchmark",
        "agent": AGENT,
        "seeds": {one: [seed for seed, _ in seeds[one]] for one in settings},
        "ratings": chosen,
        "slow": {one: points for one, points in known.slow.items() if one in opponents},
        "half_width": half_width,
    }
    return msgspec.structs.replace(plan, format=form, entrants=(limited, *others), game_limit_s=None)


def format_of(plan: TournamentPlan) -> Benchmark:
    form = make_format(plan)
    assert isinstance(form, Benchmark)
    return form
