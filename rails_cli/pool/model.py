"""A game of the pool as its table remembers it. Plain data."""

import msgspec

from protocol.log import Seed
from rails_cli.core.luck import opaque_id
from rails_cli.tournament.model import POOL, SeedGroup


class PoolGame(msgspec.Struct, frozen=True):
    """Which game of the pool a table plays."""

    group: SeedGroup
    """Of one game."""
    specs: list[str]
    """By seat: `pool:OWNER`, or `builtin:LEVEL` for an anchor."""
    deal: Seed
    """What the game is dealt from."""
    rated: bool = True
    """False for the check of one who is quarantined, and for a game among entrants of one owner."""

    @property
    def seating(self) -> list[str]:
        """Entrants by seat."""
        return self.group.seatings[0]

    @property
    def is_check(self) -> bool:
        """Whether one who is quarantined plays with built-in players alone."""
        return not self.rated and sum(spec.startswith(POOL) for spec in self.specs) == 1

    @property
    def table(self) -> str:
        """The id of its table; its log says so, too."""
        return opaque_id(self.group.seed, self.group.id, 0)
