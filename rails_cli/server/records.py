"""The data about tables that a server stores in addition to their logs."""

from typing import Annotated, Any

import msgspec

from rails_cli.pool.model import PoolGame
from rails_cli.protocol.lobby import BranchPoint, OpeningKind, SeatKind
from rails_cli.protocol.messages import EndReason


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
