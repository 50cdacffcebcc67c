"""The tournament formats by kind. Each defines its options, its schedule and its texts."""

from rails_cli.tournament.schedule.format import Format
from rails_cli.tournament.schedule.formats.duel import Duel
from rails_cli.tournament.schedule.formats.gauntlet import Gauntlet
from rails_cli.tournament.schedule.formats.knockout import Knockout
from rails_cli.tournament.schedule.formats.league import League
from rails_cli.tournament.schedule.formats.pool import PoolFormat
from rails_cli.tournament.schedule.formats.round_robin import RoundRobin
from rails_cli.tournament.schedule.formats.swiss import Swiss

FORMATS: dict[str, type[Format]] = {
    str(kind.__struct_config__.tag): kind for kind in (RoundRobin, Gauntlet, Swiss, Knockout, League, Duel, PoolFormat)
}
USUAL = "round_robin"
"""The default format of a plan."""


def planned() -> list[str]:
    """Return the formats that a plan may name."""
    return [kind for kind, made in FORMATS.items() if not made.is_open]
