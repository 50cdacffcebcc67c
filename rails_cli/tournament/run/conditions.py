"""The plan and other data that a worker needs to play games of a tournament."""

import os
from typing import Any, Literal

import msgspec

from rails_cli.logs.signing import SigningKey
from rails_cli.match.clock import clock_line, read_clock
from rails_cli.match.seat_specs import BUILTIN
from rails_cli.match.session import MatchPolicy
from rails_cli.players.chance import POLICIES, Choose
from rails_cli.tournament.model import Entrant, Setting
from rails_cli.tournament.plan.openings import Table, table_of
from rails_cli.tournament.plan.plan import TournamentPlan


class Conditions(msgspec.Struct, frozen=True):
    """The plan and all other data that a worker process receives to play games of a tournament."""

    mark: str
    """Value of an environment variable of all bots. It is used to find bots that an earlier run has left running."""
    plan: TournamentPlan
    """The plan, with the folders of entrants as absolute paths on the worker."""
    has_folder: bool = True
    """Whether the worker can access the results folder of the tournament."""
    key_file: str | None = None
    """Path of the file with the key that signs logs, or None if logs are not signed."""

    @property
    def sends_logs(self) -> bool:
        """Whether the worker returns logs instead of writing files."""
        return not self.has_folder or self.key_file is not None


def conditions_of(
    plan: TournamentPlan,
    mark: str,
    *,
    entrants: tuple[Entrant, ...] | None,
    has_folder: bool,
    signer: SigningKey | None,
) -> Conditions:
    """Return the data of a tournament that workers receive.

    - `mark` identifies the bots of this tournament.
    - `entrants` are the entrants with their folders on the workers. None means that the folders are the same as on this
      machine.
    - `signer` signs the logs.
    """
    seen = entrants or tuple(
        msgspec.structs.replace(entrant, folder=os.path.normpath(os.path.join(plan.base, entrant.folder)))
        for entrant in plan.entrants
    )
    seen_plan = msgspec.structs.replace(plan, entrants=seen)
    key_file = None if signer is None else str(signer.file.resolve())
    return Conditions(mark, seen_plan, has_folder, key_file)


class PreparedPlan:
    """A plan with the objects made from it. All games of a worker process share them."""

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
        self.clocks = {
            entrant.name: clock if entrant.clock is None else read_clock(entrant.clock) for entrant in plan.entrants
        }
        on_faults: Literal["void", "substitute"] = "void" if plan.on_faults == "void_and_replay" else "substitute"
        self.policy = MatchPolicy(clock, plan.start_up_s, plan.max_faults, on_faults)
        self.tables: dict[bytes, Table] = {}
        self.board_lines: dict[str, Any] = {
            "standard": "standard",
            **{name: msgspec.json.decode(content) for name, content in plan.boards.items()},
        }
        """Mapping from the value of `Setting.board` to the board in the form that log headers contain."""

    def table(self, setting: Setting) -> Table:
        """Return the game, board and options of `setting`. They are loaded at the first call for this setting."""
        key = msgspec.msgpack.encode(setting)
        if key not in self.tables:
            self.tables[key] = table_of(setting, self.plan.boards)
        return self.tables[key]
