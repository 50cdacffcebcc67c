"""A game of the pool as its table remembers it. Plain data."""

from collections.abc import Sequence

import msgspec

from protocol.log import Seed
from rails_cli.core.luck import opaque_id
from rails_cli.tournament.model import POOL, SeedGroup


def rotations(seating: Sequence[str]) -> list[list[str]]:
    """The seatings of a seed group: once in each seat, this one first."""
    return [[*seating[turn:], *seating[:turn]] for turn in range(len(seating))]


class PoolGame(msgspec.Struct, frozen=True):
    """Which game of the pool a table plays."""

    group: SeedGroup
    """Of one game."""
    specs: list[str]
    """By seat: `pool:OWNER`, or `builtin:LEVEL` for an anchor."""
    deal: Seed
    """What the game is dealt from."""
    rated: bool = True
    """False for the check of a quarantined entrant, and for a game among entrants of one owner."""
    rest: list[list[str]] = []
    """The seatings of its seed group that are still to be played, if all stay."""

    @property
    def seating(self) -> list[str]:
        """Entrants by seat."""
        return self.group.seatings[0]

    @property
    def is_check(self) -> bool:
        """Whether it decides if a quarantined entrant may play again: nobody else but built-in players is there."""
        return not self.rated and sum(spec.startswith(POOL) for spec in self.specs) == 1

    @property
    def next_group(self) -> SeedGroup | None:
        """The next game of its seed group: it has the same seed, so that ratings take all of them as one."""
        return msgspec.structs.replace(self.group, seatings=self.rest[:1]) if self.rest else None

    @property
    def table(self) -> str:
        """The id of its table; its log says so, too."""
        return opaque_id(self.group.seed, self.group.id, 0)
