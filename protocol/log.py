"""The lines of a game log. Each is a JSON object. Their order is: log, setup, actions and faults, result."""

from typing import Annotated, Any, Generic, Literal, TypeVar

import msgspec
from msgspec import Meta

LOG_FORMAT = 1
MAX_SEED = 2**53 - 1  # largest integer that every JSON parser reads exactly

# Some validators let `$` match before a final newline. The length limit excludes it.
Seed = Annotated[int, Meta(ge=0, le=MAX_SEED)] | Annotated[str, Meta(pattern="^[0-9a-f]{32}$", max_length=32)]
"""Random seed of a game: a chosen number, or 128 random bits as hexadecimal text."""

Key = Annotated[str, Meta(pattern="^[0-9a-f]{64}$", max_length=64)]
"""A public Ed25519 key, as 64 hex digits."""
SignatureText = Annotated[str, Meta(pattern="^[0-9a-f]{128}$", max_length=128)]
"""An Ed25519 signature, as 128 hex digits."""

ActionT = TypeVar("ActionT")
EventsT = TypeVar("EventsT")
"""A list of events of the game, or the JSON of the events if they are not decoded."""


class PlayerLine(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """The player in one seat."""

    name: str
    """Name shown to other players."""
    seat: str | None = None
    """Kind of player: `builtin:NAME`, `bot:NAME`, a command line, or `person`."""
    sandbox: str | None = None
    """Sandbox of a bot, if any: `bubblewrap` or `podman`. Older logs may also have `namespaces` or `landlock`."""
    holder: str | None = None
    """At a server, the first 32 hex digits of the SHA-256 of the player's token for the seat."""


class Opening(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False, omit_defaults=True):
    """An opening: first actions that were played before the players had to decide."""

    source: Literal["drawn", "book"]
    """Source of the opening: `drawn` from the seed, or taken from a `book` of openings."""
    actions: list[Any]
    """The first actions of the game."""
    version: int | None = None
    """For a drawn opening, the version of the drawing algorithm. Each version draws other openings."""
    book: str | None = None
    """Name of the book that the opening was taken from. Null for a drawn opening."""
    entry: int | None = None
    """Number of the opening in its book. Null for a drawn opening."""


class Branch(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """The origin of a game that was continued from a position of another game."""

    log: str
    """File name of the other game's log."""
    head: str
    """SHA-256 of the other game's log file, as hex digits."""
    number: int
    """Number of the first action that was replaced. All lines before that action are copied from the other log."""


class Header(
    msgspec.Struct,
    tag="log",
    tag_field="type",
    frozen=True,
    forbid_unknown_fields=True,
    gc=False,
    omit_defaults=True,
    rename={"log_format": "format"},
):
    """The first line: everything needed to play the same game again."""

    log_format: int
    """Version of the log format."""
    game: str
    """Name of the game."""
    rules_version: int
    """Version of the rules. A log of another version is refused."""
    options: dict[str, Any]
    """Options of the game by name. Options left out have their default."""
    seed: Seed | None
    """Random seed: a number, or 32 hexadecimal digits. Null if the game was not dealt from a seed."""
    board: Any
    """`standard`, or the content of the board file if another board was used."""
    players: list[PlayerLine]
    """Players by seat."""
    clock: dict[str, Any] | None
    """Time allowed to each seat. Null for a game without a clock."""
    server: str
    """Name and version of the program that wrote the log."""
    opening: Opening | None = None
    """Opening that was played before the players' first decision. Null if there was none."""
    match: str | None = None
    """Name of the match in the messages to the players. Null if the name is derived from the seed."""
    anonymous: bool = False
    """True if the players did not see the names of the others but `player 0`, `player 1` and so on."""
    branch: Branch | None = None
    """Game from which this game was continued. Null for a game from the start."""
    key: Key | None = None
    """Public key (Ed25519, 64 hex digits) with which the log is signed. If present, all other lines have a `chain`."""


class SetupLine(
    msgspec.Struct,
    Generic[EventsT],
    tag="setup",
    tag_field="type",
    frozen=True,
    forbid_unknown_fields=True,
    gc=False,
    omit_defaults=True,
):
    """The setup of the game, before the first action."""

    events: EventsT
    """Events of the setup, including random draws that are hidden from seats."""
    digest: str
    """First 16 hex digits of the SHA-256 of the state as JSON with sorted keys, without options at their default."""
    chain: str | None = None
    """In a log with a `key`: the first 16 hex digits of the SHA-256 of all bytes of the log before this line."""


class ActionLine(
    msgspec.Struct,
    Generic[ActionT, EventsT],
    tag="action",
    tag_field="type",
    frozen=True,
    forbid_unknown_fields=True,
    gc=False,
    omit_defaults=True,
):
    """One action and its events."""

    number: int
    """Number of the action in the game, from 1."""
    seat: int
    """The seat that acted."""
    action: ActionT
    """The action played."""
    events: EventsT
    """Events that the action caused, including those that some seats may not see."""
    digest: str
    """Digest of the state after the action, as in the setup line."""
    ms: int | None = None
    """Milliseconds that the player took, at a table with a clock."""
    default: bool = False
    """True if the default action was played for the seat because of a fault."""
    info: Any = None
    """The `info` that the player sent with the answer."""
    opening: bool = False
    """True if the action belongs to the opening, so that no player chose it."""
    chain: str | None = None
    """In a log with a `key`: the first 16 hex digits of the SHA-256 of all bytes of the log before this line."""


class FaultLine(
    msgspec.Struct,
    tag="fault",
    tag_field="type",
    frozen=True,
    forbid_unknown_fields=True,
    gc=False,
    omit_defaults=True,
):
    """A fault of a player."""

    number: int
    """Number of the action that was next when the fault occurred."""
    seat: int
    """The seat that made the fault."""
    code: str
    """Code of the fault."""
    message: str
    """Description of the fault and its consequence."""
    chain: str | None = None
    """In a log with a `key`: the first 16 hex digits of the SHA-256 of all bytes of the log before this line."""


class ResumedLine(
    msgspec.Struct,
    tag="resumed",
    tag_field="type",
    frozen=True,
    forbid_unknown_fields=True,
    gc=False,
    omit_defaults=True,
):
    """The game was interrupted here and resumed."""

    number: int
    """Number of the action that was next when the game was interrupted."""
    players: list[PlayerLine]
    """Players from now on, by seat."""
    clock: dict[str, Any] | None
    """Time allowed to each seat from now on. Null for a game without a clock."""
    chain: str | None = None
    """In a log with a `key`: the first 16 hex digits of the SHA-256 of all bytes of the log before this line."""


class UndoLine(
    msgspec.Struct,
    tag="undo",
    tag_field="type",
    frozen=True,
    forbid_unknown_fields=True,
    gc=False,
    omit_defaults=True,
):
    """A move was taken back with the consent of all players. The game continues as it was before action `to`."""

    number: int
    """Number of the action that was next when the move was taken back."""
    seat: int
    """Seat whose move was taken back."""
    to: int
    """Number of the first action taken back: the seat's last action. All later actions were taken back, too."""
    ms: int | None = None
    """Milliseconds that the seat to move had used, at a table with a clock. This time still counts."""
    chain: str | None = None
    """In a log with a `key`: the first 16 hex digits of the SHA-256 of all bytes of the log before this line."""


class SignedLine(msgspec.Struct, tag="signed", tag_field="type", frozen=True, forbid_unknown_fields=True, gc=False):
    """Signature of all lines up to this one."""

    chain: str
    """The first 16 hex digits of the SHA-256 of all bytes of the log before this line."""
    signature: SignatureText
    """Signature, by the key of the header, of the SHA-256 of all bytes of the log before this field, as 128 hex
    digits."""


class ResultLine(
    msgspec.Struct,
    tag="result",
    tag_field="type",
    frozen=True,
    forbid_unknown_fields=True,
    gc=False,
    omit_defaults=True,
):
    """The last line of a finished game."""

    scores: list[int]
    """Final cash in dollars, by seat."""
    ranks: list[int]
    """Rank by seat, 1 for the winner. Players with equal scores share a rank unless the rules break the tie."""
    reason: str
    """How the game ended: normal, timeout, disconnect, illegal or interrupted."""
    digest: str
    """Digest of the final state, as in the setup line."""
    chain: str | None = None
    """SHA-256 of all bytes of the log before this line, as hex digits."""
    signature: SignatureText | None = None
    """Signature, by the key of the header, of the SHA-256 of all bytes of the log before this field, as 128 hex
    digits."""
