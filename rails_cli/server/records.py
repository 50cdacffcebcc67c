"""The data about tables that a server stores in addition to their logs."""

from typing import Annotated, Any

import msgspec

from rails_cli.games.shared.luck import opaque_id
from rails_cli.protocol.lobby import BranchPoint, OpeningKind, SeatKind
from rails_cli.protocol.log import Seed
from rails_cli.protocol.messages import EndReason
from rails_cli.tournament.model import POOL, SeedGroup


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
    next_seatings: list[list[str]] = []
    """Seatings of its seed group that are still to be played, if all players stay."""

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
        return msgspec.structs.replace(self.group, seatings=self.next_seatings[:1]) if self.next_seatings else None

    @property
    def table(self) -> str:
        """Id of its table, which its log contains too."""
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
    """The game of the pool played at this table, if any."""
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
    """The stored form of a seat."""

    kind: SeatKind
    name: str | None
    server_side: str | None
    token_seal: str | None
    invite_seal: str | None


class SavedTable(msgspec.Struct, tag="table", tag_field="type", frozen=True):
    """The stored form of a table."""

    spec: Spec
    seats: list[SavedSeat]
    outcome: Outcome | None = None


class ForgottenTable(msgspec.Struct, tag="forgotten", tag_field="type", frozen=True):
    """Marks a table that the server has forgotten."""

    table: str


class OpenRequest(msgspec.Struct, frozen=True):
    """The time used for the open request of a table."""

    moves: int
    """Number of action and undo lines in its log, see `count_moves`."""
    used_s: Annotated[float, msgspec.Meta(ge=0)]
