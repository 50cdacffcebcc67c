"""The lines of a game log: one JSON object a line, in this order: log, setup, then actions and faults, result."""

from typing import Annotated, Any, Generic, Literal, TypeVar

import msgspec
from msgspec import Meta

LOG_FORMAT = 1
MAX_SEED = 2**53 - 1  # the largest integer that every JSON reader keeps exact

# Some readers let a line end stand before the end of a pattern; the length forbids it.
Seed = Annotated[int, Meta(ge=0, le=MAX_SEED)] | Annotated[str, Meta(pattern="^[0-9a-f]{32}$", max_length=32)]
"""What chance is made from: a number somebody chose, or 128 bits as hexadecimal text, which nobody can guess."""

Key = Annotated[str, Meta(pattern="^[0-9a-f]{64}$", max_length=64)]
"""A public key (Ed25519), as hex digits."""
SignatureText = Annotated[str, Meta(pattern="^[0-9a-f]{128}$", max_length=128)]
"""A signature by such a key, as hex digits."""

ActionT = TypeVar("ActionT")
EventsT = TypeVar("EventsT")
"""A list of events of the game, or their JSON if they are not decoded."""


class PlayerLine(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """Who sat in a seat."""

    name: str
    """The name shown to others."""
    seat: str | None = None
    """What played there: `builtin:NAME`, a command line, or `person`."""
    sandbox: str | None = None
    """The sandbox a bot ran in, if any: `bubblewrap` or `podman`; in older logs also `namespaces` or `landlock`."""
    holder: str | None = None
    """At a server, the first 32 hex digits of the SHA-256 of the player's token for the seat."""


class Opening(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False, omit_defaults=True):
    """A beginning that was played for the seats before anyone had to decide."""

    source: Literal["drawn", "book"]
    """Where it comes from: drawn from the seed, or taken from a book of openings."""
    actions: list[Any]
    """The first actions of the game."""
    version: int | None = None
    """If it was drawn, the version of the draw; another version draws other openings from the same seed."""
    book: str | None = None
    """If it comes from a book, the name of the book."""
    entry: int | None = None
    """The number of the entry in that book."""


class Branch(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """The origin of a game that was continued from a position of another one."""

    log: str
    """The name of its log."""
    head: str
    """The SHA-256 of that file, as hex digits."""
    number: int
    """The first action that was replaced; all lines before it are those of that log."""


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
    """Version of the rules; a log of another version is refused."""
    options: dict[str, Any]
    """The game's options; those left out have their default."""
    seed: Seed | None
    """The random seed: a number, or 32 hexadecimal digits; null if the game was not dealt from a seed."""
    board: Any
    """`standard`, or a whole board file if another board was played on."""
    players: list[PlayerLine]
    """One for each seat."""
    clock: dict[str, Any] | None
    """The time allowed, or null."""
    server: str
    """Name and version of the program that wrote the log."""
    opening: Opening | None = None
    """The beginning that was given to the players, if any."""
    match: str | None = None
    """Name of the match that the players were given, if it does not follow from the seed."""
    anonymous: bool = False
    """True if the players did not see each other's names: they were called `player 0`, `player 1` and so on."""
    branch: Branch | None = None
    """The game that this one was continued from, if any."""
    key: Key | None = None
    """The public key (Ed25519, 64 hex digits) that the log is signed with; if present, all other lines have a
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
    """What happened before the first action."""

    events: EventsT
    """What chance decided, in full."""
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
    """One action and all that followed from it."""

    number: int
    """Counts the actions of a game from 1."""
    seat: int
    """Who acted."""
    action: ActionT
    """What was played."""
    events: EventsT
    """What followed from it, in full, including what some seats may not see."""
    digest: str
    """Digest of the state after the action."""
    ms: int | None = None
    """Milliseconds the player took, where a clock ran."""
    default: bool = False
    """True if the action was played for the seat, because of a fault."""
    info: Any = None
    """The note that the player sent with the answer."""
    opening: bool = False
    """True if the action belongs to the opening: no player chose it."""
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
    """Something a player did wrong."""

    number: int
    """Number of the action that was due."""
    seat: int
    """Whose fault."""
    code: str
    """What kind of fault."""
    message: str
    """The fault in words, and what was done about it."""
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
    """Number of the action that was due."""
    players: list[PlayerLine]
    """Who plays from now on, by seat."""
    clock: dict[str, Any] | None
    """The time allowed from now on, or null."""
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
    """Number of the action that was due."""
    seat: int
    """Who took a move back."""
    to: int
    """The first action that is taken back, which is that seat's last; everything after it is taken back too."""
    ms: int | None = None
    """Milliseconds that the seat to move had used, where a clock ran; they stay used."""
    chain: str | None = None
    """In a log with a `key`: the first 16 hex digits of the SHA-256 of all bytes of the log before this line."""


class SignedLine(msgspec.Struct, tag="signed", tag_field="type", frozen=True, forbid_unknown_fields=True, gc=False):
    """All lines up to this one are signed."""

    chain: str
    """The first 16 hex digits of the SHA-256 of all bytes of the log before this line."""
    signature: SignatureText
    """By the key of the header, over the SHA-256 of all bytes of the log before this field, as 128 hex digits."""


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
    """Rank by seat: 1 has won. Equal scores may differ in rank where the rules break ties; otherwise they share it."""
    reason: str
    """How it ended: normal, timeout, disconnect, illegal or interrupted."""
    digest: str
    """Digest of the final state."""
    chain: str | None = None
    """SHA-256 of all bytes of the log before this line, as hex digits: it seals them."""
    signature: SignatureText | None = None
    """By the key of the header, over the SHA-256 of all bytes of the log before this field, as 128 hex digits."""
