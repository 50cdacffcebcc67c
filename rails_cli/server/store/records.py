"""The data about tables that a server stores in addition to their logs."""

from typing import Annotated, Any

import msgspec

from rails_cli.games.game import final_ranks, ranked_last
from rails_cli.games.shared.luck import opaque_id
from rails_cli.protocol.lobby import BranchPoint, OpeningKind, Order, SeatKind
from rails_cli.protocol.log import Seed
from rails_cli.protocol.messages import EndReason
from rails_cli.tournament.model import POOL, SeedGroup


class PoolGame(msgspec.Struct, frozen=True):
    """A game of the rated pool: the players of its seats, and the following games with the same seed and players."""

    group: SeedGroup
    """Seed group (games with the same seed and players) of this game. Its `seatings` contain only the seating of this
    game.
    """
    specs: list[str]
    """Player of each seat: `pool:OWNER` for a registered bot or person, or `builtin:LEVEL` for a built-in player."""
    deal: Seed
    """Random seed with which the game is set up."""
    rated: bool = True
    """Whether the game is rated. A game is not rated if it has two entrants of one owner, or if it is a check.

    A check tests an entrant that is barred from rated games after faults.
    """
    next_seatings: list[list[str]] = []
    """Seatings (names of entrants by seat) of further games with the same seed. They are played if all players stay."""

    @property
    def seating(self) -> list[str]:
        """Names of the entrants by seat."""
        return self.group.seatings[0]

    @property
    def is_check(self) -> bool:
        """Whether the game tests an entrant that may not play rated games because of faults.

        Such a game is not rated, and all other players are built-in players.
        """
        return not self.rated and sum(spec.startswith(POOL) for spec in self.specs) == 1

    @property
    def next_group(self) -> SeedGroup | None:
        """The next game with the same seed and players, as a `SeedGroup` with one seating. None if no game follows."""
        return msgspec.structs.replace(self.group, seatings=self.next_seatings[:1]) if self.next_seatings else None

    @property
    def table(self) -> str:
        """Id of the table at which the game is played. The log of the game contains the same id."""
        return pool_table_id(self.group.seed, self.group.id)


def pool_table_id(seed: Seed, group: str) -> str:
    """Return the id of the table for a game of the pool.

    `group` is the id of the game's `SeedGroup`, and `seed` the random seed of the game.
    """
    return opaque_id(seed, group, 0)


class Spec(msgspec.Struct, frozen=True):
    """The settings with which a table was created. `owner_seal` is the hash of the token of the table's owner."""

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
    """The game of the rated pool that is played at this table. None if the table does not belong to the pool."""
    branch: BranchPoint | None = None
    """Position of a finished game from which the game at this table continues. None for a game from the start."""
    undo: bool = True
    hints: bool = True
    lesson: bool = False


class GameOutcome(msgspec.Struct, frozen=True):
    """The result of a game. `scores`, `ranks` and `faults` (numbers of faults) have one value for each seat.

    `actions` is the number of actions in the game.
    """

    scores: list[int]
    ranks: list[int]
    reason: EndReason
    faults: list[int]
    actions: int
    at: float = 0.0
    """Unix timestamp at which the game ended."""
    substituted: list[int] = []
    """Seats that a substitute played at the end of the game."""
    fault_codes: list[dict[str, int]] = []
    """For each seat, a mapping from fault code to the number of faults."""
    voided_by: list[int] = []
    """Seats whose players failed so often that the game is void."""

    @property
    def final_ranks(self) -> list[int]:
        """Rank of each seat in the game. Seats that a substitute played at the end are ranked last.

        In a void game, the seats in `voided_by` are ranked last, and all others share the first rank.
        """
        if self.voided_by:
            return final_ranks(self.ranks, self.voided_by, self.reason)
        return ranked_last(self.ranks, self.substituted)


class SeatOrder(msgspec.Struct, frozen=True):
    """A standing order of a player: the server bids or passes for the seat until a condition ends the order.

    `auction` and `choices` are used to find out that the order has ended.
    """

    order: Order
    auction: int = 0
    """Number of the auction to which the order applies, counted from 1 in the game. 0 for other orders."""
    choices: str = ""
    """Hash of the legal actions when the order was given. Used for an order that ends when these actions change."""


class SavedSeat(msgspec.Struct, frozen=True):
    """The data of a seat in the server's file with the seats of all tables.

    `server_side` is the player that the server runs for this seat, or None. `token_seal` and `invite_seal` are hashes
    of the token of the seat and of an invitation to it.
    """

    kind: SeatKind
    name: str | None
    server_side: str | None
    token_seal: str | None
    invite_seal: str | None
    order: SeatOrder | None = None


class SavedTable(msgspec.Struct, tag="table", tag_field="type", frozen=True):
    """One game table in the file in which the server stores the seats of all tables."""

    spec: Spec
    seats: list[SavedSeat]
    outcome: GameOutcome | None = None


class ForgottenTable(msgspec.Struct, tag="forgotten", tag_field="type", frozen=True):
    """A line in the server's file of seats. It means that the table with this id was removed."""

    table: str


class OpenRequest(msgspec.Struct, frozen=True):
    """Time that a player has used to answer the open request of a table. It is stored for a restart after a crash."""

    moves: int
    """Number of action and undo lines in the table's log when the time was stored (see `count_moves`).

    If the log has another number of these lines after a restart, the time is not used.
    """
    used_s: Annotated[float, msgspec.Meta(ge=0)]
