"""The plan of a tournament, prepared for playing."""

from typing import Any, Literal

import msgspec

from rails_cli.match.clock import clock_line, read_clock
from rails_cli.match.session import MatchPolicy
from rails_cli.players.chance import POLICIES, Choose
from rails_cli.tournament.model import BUILTIN, Setting
from rails_cli.tournament.plan.openings import Table, table_of
from rails_cli.tournament.run.conditions import Conditions


class PreparedPlan:
    """The plan of a tournament with everything that all games of a worker share."""

    def __init__(self, conditions: Conditions) -> None:
        self.conditions = conditions
        self.plan = plan = conditions.plan
        self.entrants = {entrant.name: entrant for entrant in plan.entrants}
        self.policies: dict[str, Choose | None] = {
            entrant.name: POLICIES.get(entrant.spec.removeprefix(BUILTIN))
            for entrant in plan.entrants
            if entrant.spec.startswith(BUILTIN)
        }
        clock = read_clock(plan.clock)
        self.clock_line = clock_line(clock)
        on_faults: Literal["void", "substitute"] = "void" if plan.on_faults == "void_and_replay" else "substitute"
        self.rules = MatchPolicy(clock, plan.start_up_s, plan.max_faults, on_faults)
        self.tables: dict[bytes, Table] = {}
        self.board_lines: dict[str, Any] = {
            "standard": "standard",
            **{name: msgspec.json.decode(content) for name, content in plan.boards.items()},
        }
        """Boards as log headers contain them."""

    def table(self, setting: Setting) -> Table:
        """Return the game, board and options of a setting, from a cache."""
        key = msgspec.msgpack.encode(setting)
        if key not in self.tables:
            self.tables[key] = table_of(setting, self.plan.boards)
        return self.tables[key]
