"""The data about tables that a server stores in addition to their logs."""

from typing import Annotated, Any

import msgspec

from rails_cli.games.shared.luck import opaque_id
from rails_cli.protocol.lobby import BranchPoint, OpeningKind, SeatKind
from rails_cli.protocol.log import Seed
from rails_cli.protocol.messages import EndReason
from rails_cli.tournament.model import POOL, SeedGroup


class PoolGame(msgspec.Struct, frozen=True):
    """A game of the rated pool, which a table plays."""

    group: SeedGroup
    """The seed group of the game, with the seating of this game only."""
    specs: list[str]
    """Player of each seat: `pool:OWNER`, or `builtin:LEVEL` for an anchor."""
    deal: Seed
    """Seed of the deal."""
    rated: bool = True
    """Whether the game is rated. A check of a quarantined entrant and a game between entrants of one owner are not."""
    next_seatings: list[list[str]] = []
    """Seatings of the seed group that are still to be played if all players stay."""

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
        """The seed group of the next game, which has the same seed. None if there is no next game."""
        return msgspec.structs.replace(self.group, seatings=self.next_seatings[:1]) if self.next_seatings else None

    @property
    def table(self) -> str:
        """Id of the table, which the log of the game contains, too."""
        return opaque_id(self.group.seed, self.group.id, 0)


class Spec(msgspec.Struct, frozen=True):
    """The settings with which a table was created."""

    table: str
    name: str
    game: str
    players: int
    options: dict[str, Any]
    clock: str
    private: bool
    watch_delay_s: float
    owner_seal: str
    made_at: float
    board: str = "standard"
    openings: OpeningKind = "none"
    chat: bool = True
    pool: PoolGame | None = None
    """The game of the pool played at this table. None for other tables."""
    branch: BranchPoint | None = None
    undo: bool = True


class Outcome(msgspec.Struct, frozen=True):
    """The result of a game."""

    scores: list[int]
    ranks: list[int]
    reason: EndReason
    faults: list[int]
    actions: int
    at: float = 0.0
    """Unix timestamp of the end of the game."""


class SavedSeat(msgspec.Struct, frozen=True):
    """A seat as stored in the file of seats."""

    kind: SeatKind
    name: str | None
    server_side: str | None
    token_seal: str | None
    invite_seal: str | None


class SavedTable(msgspec.Struct, tag="table", tag_field="type", frozen=True):
    """A table as stored in the file of seats."""

    spec: Spec
    seats: list[SavedSeat]
    outcome: Outcome | None = None


class ForgottenTable(msgspec.Struct, tag="forgotten", tag_field="type", frozen=True):
    """An entry in the file of seats for a table that the server has forgotten."""

    table: str


class OpenRequest(msgspec.Struct, frozen=True):
    """The time used for the open request of a table when the file was written."""

    moves: int
    """Number of action and undo lines in the log of the table (see `count_moves`)."""
    used_s: Annotated[float, msgspec.Meta(ge=0)]
