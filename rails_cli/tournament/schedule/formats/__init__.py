"""The tournament formats, by name. A plan names its format as `kind`."""

from rails_cli.games.plain import tag_of
from rails_cli.tournament.schedule.format import Format
from rails_cli.tournament.schedule.formats.benchmark import Benchmark
from rails_cli.tournament.schedule.formats.challenge import Duel, Gauntlet
from rails_cli.tournament.schedule.formats.knockout import Knockout
from rails_cli.tournament.schedule.formats.pool import PoolFormat
from rails_cli.tournament.schedule.formats.round_robin import RoundRobin
from rails_cli.tournament.schedule.formats.swiss import Swiss

FORMATS: dict[str, type[Format]] = {
    tag_of(kind): kind for kind in (RoundRobin, Gauntlet, Swiss, Knockout, Duel, PoolFormat, Benchmark)
}
USUAL = "round_robin"
"""Name of the format that is used if a plan does not name one."""


def planned() -> list[str]:
    return [kind for kind, made in FORMATS.items() if made.in_plans]
