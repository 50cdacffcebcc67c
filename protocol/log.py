"""The lines of a game log, each a JSON object. They come in this order: log, setup, actions and faults, result."""

from typing import Annotated, Any, Generic, Literal, TypeVar

import msgspec
from msgspec import Meta

LOG_FORMAT = 1
MAX_SEED = 2**53 - 1  # largest integer that every JSON parser reads exactly

# Some validators let `$` match before a final newline. The length limit excludes it.
Seed = Annotated[int, Meta(ge=0, le=MAX_SEED)] | Annotated[str, Meta(pattern="^[0-9a-f]{32}$", max_length=32)]
"""Random seed of a game: a chosen number, or 128 random bits as hexadecimal text."""

Key = Annotated[str, Meta(pattern="^[0-9a-f]{64}$", max_length=64)]
"""A public key (Ed25519), as hex digits."""
SignatureText = Annotated[str, Meta(pattern="^[0-9a-f]{128}$", max_length=128)]
"""A signature by such a key, as hex digits."""

ActionT = TypeVar("ActionT")
EventsT = TypeVar("EventsT")
"""A list of events of the game, or their JSON if they are not decoded."""


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
    """For a drawn opening, the version of the drawing algorithm. Another version draws other openings from the same
    seed."""
    book: str | None = None
    """If it comes from a book, the name of the book."""
    entry: int | None = None
    """The number of the entry in that book."""


class Branch(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """The origin of a game that was continued from a position of another one."""

    log: str
    """File name of the log of the original game."""
    head: str
    """SHA-256 of that file, as hex digits."""
    number: int
    """Number of the first action that was replaced. All lines before it are copied from that log."""


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
    """The game's options. Those left out have their default."""
    seed: Seed | None
    """Random seed: a number, or 32 hexadecimal digits. Null if the game was not dealt from a seed."""
    board: Any
    """`standard`, or the content of the board file if another board was used."""
    players: list[PlayerLine]
    """Players by seat."""
    clock: dict[str, Any] | None
    """Time allowed to each seat. Null without a clock."""
    server: str
    """Name and version of the program that wrote the log."""
    opening: Opening | None = None
    """Opening that was played before the players' first decision, if any."""
    match: str | None = None
    """Name of the match in the messages to the players, if it is not derived from the seed."""
    anonymous: bool = False
    """True if the players did not see each other's names: they were called `player 0`, `player 1` and so on."""
    branch: Branch | None = None
    """The game that this one was continued from, if any."""
    key: Key | None = None
    """The public key (Ed25519, 64 hex digits) that the log is signed with. If present, all other lines have a
    `chain`."""


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
    """The first 16 hex digits of sha256 over the state as JSON with sorted keys, options at their default left out."""
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
    """Events that followed, including those that some seats may not see."""
    digest: str
    """Digest of the state after the action."""
    ms: int | None = None
    """Milliseconds that the player took, at a table with a clock."""
    default: bool = False
    """True if the action was played for the seat, because of a fault."""
    info: Any = None
    """The note that the player sent with the answer."""
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
    """Number of the next action at that point."""
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
    """Number of the next action at that point."""
    players: list[PlayerLine]
    """Players from now on, by seat."""
    clock: dict[str, Any] | None
    """Time allowed to each seat from now on. Null without a clock."""
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
    """A player took a move back, and all others agreed: the game continues as it stood before action `to`."""

    number: int
    """Number of the next action at that point."""
    seat: int
    """The seat that took back a move."""
    to: int
    """Number of the first action taken back, which is the last action of that seat. Everything after it is taken back,
    too."""
    ms: int | None = None
    """Milliseconds that the seat to move had used, at a table with a clock. They still count."""
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
    """Final cash by seat."""
    ranks: list[int]
    """Rank by seat, 1 for the winner. Players with equal scores share a rank unless the rules break the tie."""
    reason: str
    """How the game ended: normal, timeout, disconnect, illegal or interrupted."""
    digest: str
    """Digest of the final state."""
    chain: str | None = None
    """SHA-256 of all bytes of the log before this line, as hex digits."""
    signature: SignatureText | None = None
    """Signature, by the key of the header, of the SHA-256 of all bytes of the log before this field, as 128 hex
    digits."""
