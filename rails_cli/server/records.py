"""What a server keeps of its tables, besides their logs."""

from typing import Annotated, Any

import msgspec

from protocol.lobby import BranchPoint, OpeningKind, SeatKind
from protocol.messages import EndReason
from rails_cli.pool.model import PoolGame


class Spec(msgspec.Struct, frozen=True):
    """How a table was made."""

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
    """Which game of the pool it is."""
    branch: BranchPoint | None = None
    undo: bool = True


class Outcome(msgspec.Struct, frozen=True):
    """How a game ended."""

    scores: list[int]
    ranks: list[int]
    reason: EndReason
    faults: list[int]
    actions: int
    at: float = 0.0
    """By the wall's clock."""


class SavedSeat(msgspec.Struct, frozen=True):
    """A seat as it is kept."""

    kind: SeatKind
    name: str | None
    server_side: str | None
    token_seal: str | None
    invite_seal: str | None


class SavedTable(msgspec.Struct, tag="table", tag_field="type", frozen=True):
    """A table as it is kept."""

    spec: Spec
    seats: list[SavedSeat]
    outcome: Outcome | None = None


class ForgottenTable(msgspec.Struct, tag="forgotten", tag_field="type", frozen=True):
    """Nobody will come back to this table."""

    table: str


class OpenRequest(msgspec.Struct, frozen=True):
    """How long an open request has been waiting for its answer."""

    moves: int
    """How many its log had, with those taken back, and how often one was."""
    used_s: Annotated[float, msgspec.Meta(ge=0)]
