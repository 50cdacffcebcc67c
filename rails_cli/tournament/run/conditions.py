"""What a worker needs to know to play the games of a tournament."""

import os

import msgspec

from rails_cli.logs.signing import SigningKey
from rails_cli.tournament.model import Entrant
from rails_cli.tournament.plan.plan import TournamentPlan


class Conditions(msgspec.Struct, frozen=True):
    """What a worker needs to play any group of a tournament."""

    mark: str
    """Value in the environment of bots by which leftover processes are found."""
    plan: TournamentPlan
    """The plan, with the folders of entrants as absolute paths on the worker."""
    has_folder: bool = True
    """Whether the worker can access the folder of the tournament."""
    key_file: str | None = None
    """Path of the key that signs logs, or None."""

    @property
    def sends_logs(self) -> bool:
        """Whether the worker returns logs instead of writing them. Workers have no key, because they start bots."""
        return not self.has_folder or self.key_file is not None


def conditions_of(
    plan: TournamentPlan,
    mark: str,
    *,
    entrants: tuple[Entrant, ...] | None = None,
    has_folder: bool = True,
    signer: SigningKey | None = None,
) -> Conditions:
    """Return the conditions of a tournament that are sent to workers.

    `entrants` have the folders as on the workers. None means as on this machine.
    """
    seen = entrants or tuple(
        msgspec.structs.replace(entrant, folder=os.path.normpath(os.path.join(plan.base, entrant.folder)))
        for entrant in plan.entrants
    )
    seen_plan = msgspec.structs.replace(plan, entrants=seen)
    key_file = None if signer is None else str(signer.file.resolve())
    return Conditions(mark, seen_plan, has_folder, key_file)
