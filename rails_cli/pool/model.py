"""Data about a game of the pool, as stored with its table."""

from collections.abc import Sequence

import msgspec

from rails_cli.games.shared.luck import opaque_id
from rails_cli.protocol.log import Seed
from rails_cli.tournament.model import POOL, SeedGroup


def rotations(seating: Sequence[str]) -> list[list[str]]:
    """Return the rotations of a seating, this one first, so that each entrant has each seat once."""
    return [[*seating[turn:], *seating[:turn]] for turn in range(len(seating))]


class PoolGame(msgspec.Struct, frozen=True):
    """The pool game that a table plays."""

    group: SeedGroup
    """Seed group with a single seating."""
    specs: list[str]
    """Specs by seat: `pool:OWNER`, or `builtin:LEVEL` for an anchor."""
    deal: Seed
    """Seed of the deal."""
    rated: bool = True
    """False for the check of a quarantined entrant, and for a game between entrants of one owner."""
    rest: list[list[str]] = []
    """Seatings of its seed group that are played next, if all players stay."""

    @property
    def seating(self) -> list[str]:
        """Names of the entrants by seat."""
        return self.group.seatings[0]

    @property
    def is_check(self) -> bool:
        """Whether the game checks a quarantined entrant: an unrated game in which all others are built-in players."""
        return not self.rated and sum(spec.startswith(POOL) for spec in self.specs) == 1

    @property
    def next_group(self) -> SeedGroup | None:
        """The group of the next game, or None. It has the same seed, so that ratings treat both as one unit."""
        return msgspec.structs.replace(self.group, seatings=self.rest[:1]) if self.rest else None

    @property
    def table(self) -> str:
        """Id of its table, which its log contains too."""
        return opaque_id(self.group.seed, self.group.id, 0)
