"""The lines of a game log. Each line is a JSON object. The lines are, in this order: the header, the setup, the actions
and faults, and the result.
"""

from typing import Annotated, Any, Generic, Literal, TypeVar

import msgspec
from msgspec import Meta

LOG_FORMAT = 1
"""Version of the format of logs."""
MAX_SEED = 2**53 - 1  # largest integer that every JSON parser reads exactly

# Some validators let `$` match before a final newline. The length limits below exclude such a newline.
Seed = Annotated[int, Meta(ge=0, le=MAX_SEED)] | Annotated[str, Meta(pattern="^[0-9a-f]{32}$", max_length=32)]
"""Random seed of a game: a chosen number, or 128 random bits as hexadecimal text."""

Key = Annotated[str, Meta(pattern="^[0-9a-f]{64}$", max_length=64)]
"""A public Ed25519 key, as 64 hex digits."""
SignatureText = Annotated[str, Meta(pattern="^[0-9a-f]{128}$", max_length=128)]
"""An Ed25519 signature, as 128 hex digits."""

ActionT = TypeVar("ActionT")
EventsT = TypeVar("EventsT")
"""Type of the events in a log line: a list of events of the game, or undecoded JSON."""


class PlayerLine(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """The player in one seat, as listed in a log."""

    name: str
    """Name shown to other players."""
    seat: str | None = None
    """Kind of player: `builtin:NAME`, `bot:NAME`, a command line, or `person`. Null if the kind is not recorded."""
    sandbox: str | None = None
    """Sandbox in which a bot runs: `bubblewrap` or `podman`. Older logs may also have `namespaces` or `landlock`. Null
    without a sandbox.
    """
    holder: str | None = None
    """Hash of the player's token for the seat, in a game at a server: the first 32 hex digits of the token's SHA-256.
    Null in other games.
    """
    clock: dict[str, Any] | None = None
    """Time allowed to this seat, in the form of `clock` in a `start` message. Null if the `clock` of the same log line
    applies to this seat.
    """


class Opening(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False, omit_defaults=True):
    """First actions of a game, chosen by the program instead of the players. The actions are played automatically
    before the first decision of a player.
    """

    source: Literal["drawn", "book"]
    """Source of the actions. `drawn`: chosen at random with the seed. `book`: taken from a book of openings."""
    actions: list[Any]
    """The first actions of the game."""
    version: int | None = None
    """Version of the algorithm that chooses the actions at random. With the same seed, another version chooses other
    actions. Null for an opening from a book.
    """
    book: str | None = None
    """Name of the book that the opening was taken from. Null for an opening chosen at random."""
    entry: int | None = None
    """Number of the opening in its book. Null for an opening chosen at random."""


class Branch(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """The origin of a branch: a game that continues from a position of another game, its original game."""

    log: str
    """File name of the log of the original game."""
    head: str
    """SHA-256 of the log file of the original game, as hex digits."""
    number: int
    """Number of the first action of the original game that is replaced in the branch. All lines before that action are
    copied from the log of the original game.
    """


class LogRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False, omit_defaults=True):
    """Base class of the lines of a log. It sets how the lines are encoded. The field `type` names the kind of line."""


class Header(LogRecord, tag="log", frozen=True, rename={"log_format": "format"}):
    """The first line of a log, with everything needed to play the same game again."""

    log_format: int
    """Version of the log format."""
    game: str
    """Name of the game."""
    rules_version: int
    """Version of the rules of the game. A program with another version of the rules refuses the log."""
    options: dict[str, Any]
    """Mapping from the name of an option to its value. Options left out have their default."""
    seed: Seed | None
    """Random seed: a number, or 32 hexadecimal digits. Null if the game was not set up from a seed."""
    board: Any
    """The board: `standard`, or the content of the board file of another board."""
    players: list[PlayerLine]
    """Players by seat."""
    clock: dict[str, Any] | None
    """Time allowed to each seat, in the form of `clock` in a `start` message. Null for a game without a clock."""
    server: str
    """Name and version of the program that wrote the log."""
    opening: Opening | None = None
    """Opening that was played before the players' first decision. Null for the usual start."""
    match: str | None = None
    """Name of the match in messages to the players. Null if this name is derived from the seed."""
    anonymous: bool = False
    """True if players saw each other as `player 0`, `player 1` and so on, instead of by name."""
    branch: Branch | None = None
    """The earlier game from which this game was continued. Null for a game from the start."""
    key: Key | None = None
    """Public Ed25519 key that verifies the signatures in the log, as 64 hex digits. With a key, all lines after the
    header have a `chain`. Null for a log without signatures.
    """


class SetupLine(LogRecord, Generic[EventsT], tag="setup", frozen=True):
    """The line of a log for the setup of the game, before the first action."""

    events: EventsT
    """Events of the setup. They include random results that seats do not see."""
    digest: str
    """Digest of the state: the first 16 hex digits of the SHA-256 of the state as JSON. Keys are sorted, and options at
    their default are left out.
    """
    chain: str | None = None
    """First 16 hex digits of the SHA-256 of all bytes of the log before this line. Null in a log without a `key`."""


class ActionLine(LogRecord, Generic[ActionT, EventsT], tag="action", frozen=True):
    """The line of a log for one action and its events."""

    number: int
    """Number of the action in the game, from 1."""
    seat: int
    """The seat that acted."""
    action: ActionT
    """The action played."""
    events: EventsT
    """Events that the action caused. They include events that some seats do not see."""
    digest: str
    """Digest of the state after the action: the first 16 hex digits of the SHA-256 of the state as JSON. Keys are
    sorted, and options at their default are left out.
    """
    ms: int | None = None
    """Milliseconds that the player took for the action. Null if the seat has no clock."""
    default: bool = False
    """True if the default action was played for the seat because of a fault."""
    info: Any = None
    """The `info` that the player sent with the answer. Null if the player sent none."""
    opening: bool = False
    """True if the action belongs to the opening, so that no player chose it."""
    chain: str | None = None
    """First 16 hex digits of the SHA-256 of all bytes of the log before this line. Null in a log without a `key`."""


class FaultLine(LogRecord, tag="fault", frozen=True):
    """The line of a log for a fault of a player, such as a late or illegal answer."""

    number: int
    """Number of the action that was next when the fault occurred."""
    seat: int
    """The seat that made the fault."""
    code: str
    """Code for the kind of fault."""
    message: str
    """Description of the fault and its consequence."""
    chain: str | None = None
    """First 16 hex digits of the SHA-256 of all bytes of the log before this line. Null in a log without a `key`."""


class ResumedLine(LogRecord, tag="resumed", frozen=True):
    """The line of a log that marks where the game was interrupted and later resumed."""

    number: int
    """Number of the action that was next when the game was interrupted."""
    players: list[PlayerLine]
    """Players after the interruption, by seat."""
    clock: dict[str, Any] | None
    """Time allowed to each seat after the interruption, in the form of `clock` in a `start` message. Null for a game
    without a clock.
    """
    chain: str | None = None
    """First 16 hex digits of the SHA-256 of all bytes of the log before this line. Null in a log without a `key`."""


class UndoLine(LogRecord, tag="undo", frozen=True):
    """The line of a log for a move that was taken back with the consent of all players. The game continues from the
    position before action `to`.
    """

    number: int
    """Number of the action that was next before the move was taken back."""
    seat: int
    """The seat whose move was taken back."""
    to: int
    """Number of the first action that was taken back. All later actions were taken back, too."""
    ms: int | None = None
    """Milliseconds that the seat to move had already used when the move was taken back. They still count against its
    clock. Null if this seat has no clock.
    """
    chain: str | None = None
    """First 16 hex digits of the SHA-256 of all bytes of the log before this line. Null in a log without a `key`."""


class SignedLine(LogRecord, tag="signed", frozen=True):
    """A line of a log with a signature of all lines before it."""

    chain: str
    """First 16 hex digits of the SHA-256 of all bytes of the log before this line."""
    signature: SignatureText
    """Ed25519 signature, as 128 hex digits. It signs the text `rails log ` followed by 32 bytes. These bytes are the
    SHA-256 of the log up to this field, without the comma before this field. The `key` in the header verifies the
    signature.
    """


class ResultLine(LogRecord, tag="result", frozen=True):
    """The last line of the log of a finished game."""

    scores: list[int]
    """Final cash in dollars, by seat."""
    ranks: list[int]
    """Rank of each seat, by seat. The winner has rank 1. Players with equal scores share a rank unless the rules break
    the tie.
    """
    reason: str
    """Reason for the end of the game: `normal`, `timeout`, `disconnect`, `illegal` or `interrupted`."""
    digest: str
    """Digest of the final state: the first 16 hex digits of the SHA-256 of the state as JSON. Keys are sorted, and
    options at their default are left out.
    """
    chain: str | None = None
    """The whole SHA-256 of all bytes of the log before this line, as 64 hex digits. This field is also present in a log
    without a `key`.
    """
    signature: SignatureText | None = None
    """Ed25519 signature, as 128 hex digits. It signs the text `rails log ` followed by 32 bytes. These bytes are the
    SHA-256 of the log up to this field, without the comma before this field. The `key` in the header verifies the
    signature. Null if the line is not signed.
    """
