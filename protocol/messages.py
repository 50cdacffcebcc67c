"""The messages between server and client, and the version of the protocol they make up."""

from typing import Any, Generic, Literal, TypeVar

import msgspec

PROTOCOL = 1
MAX_LINE = 1_048_576
MAX_INFO = 16_384

ActionT = TypeVar("ActionT")
EntryT = TypeVar("EntryT")
EventT = TypeVar("EventT")
ViewT = TypeVar("ViewT")

RejectionCode = Literal["bad_line", "not_your_turn", "stale_request", "illegal_action", "too_slow", "too_long"]
EndReason = Literal["normal", "timeout", "disconnect", "illegal", "interrupted"]


class Clock(msgspec.Struct, frozen=True):
    """The time allowed to each seat. Null means no limit."""

    bank_s: float | None = None
    """Seconds for the whole game."""
    increment_s: float = 0
    """Seconds added to the bank after each answer."""
    move_s: float | None = None
    """Seconds for one answer."""


class ClockLeft(msgspec.Struct, frozen=True):
    """The time a seat has left when it is asked to move."""

    bank_s: float | None = None
    """Seconds left in the bank."""
    move_s: float | None = None
    """Seconds for this answer. The smaller of the two limits applies."""


class Hello(msgspec.Struct, tag="hello", tag_field="type", frozen=True, omit_defaults=True):
    """The server's first message on any connection."""

    protocol: int
    """Version of the protocol."""
    server: str
    """Name and version of the server."""
    max_line: int
    """The longest line, in bytes, that either side may send."""
    at_once: int = 1
    """How many matches are played over this connection at once; if several, an answer names its `match`."""


class Start(msgspec.Struct, tag="start", tag_field="type", frozen=True):
    """A match begins, or a client joins it later."""

    match: str
    """Name of the match, which other messages repeat."""
    game: str
    """Name of the game."""
    rules_version: int
    """Version of the game's rules."""
    players: list[str]
    """Names by seat."""
    seat: int | None
    """The seat this client plays; null for a spectator, and for a client that plays several."""
    options: dict[str, Any]
    """The game's options, all of them."""
    clock: Clock | None
    """The time allowed to each seat, or null."""
    board: Any
    """Geometry, names and costs; null if the client asked to leave it out."""


class Request(msgspec.Struct, Generic[EntryT, EventT, ViewT], tag="request", tag_field="type", frozen=True):
    """A seat is asked for a decision."""

    match: str
    """Name of the match."""
    number: int
    """Counts the questions of a match from 1, including those that the rules answer with a pass. The answer repeats
    it."""
    seat: int
    """The seat that has to decide."""
    events: list[EventT]
    """What has happened since this seat's last message, as far as it may know."""
    view: ViewT | None
    """Everything the seat may see; null if the client asked to leave it out."""
    legal: list[EntryT]
    """All actions that may be played now, the mildest last; a bid is one entry with `min` and `max`."""
    default: int
    """Index in `legal` of the action that is played if time or strikes run out."""
    clock: ClockLeft | None
    """The time left, or null without a clock."""


class Update(msgspec.Struct, Generic[EventT], tag="update", tag_field="type", frozen=True):
    """What just happened, for spectators and for clients that asked for `push`."""

    match: str
    """Name of the match."""
    events: list[EventT]
    """The events, as far as the receiver may know them."""
    view: Any = None
    """The position, as far as the receiver may see it: sent with `push_view`, to a client that joins late or returns,
    and at the end."""


class Rejected(msgspec.Struct, tag="rejected", tag_field="type", frozen=True):
    """An answer was refused. The request stays open, and its clock keeps running."""

    match: str
    """Name of the match."""
    number: int
    """Number of the open request."""
    code: RejectionCode
    """What kind of mistake."""
    message: str
    """What was received, and what was expected."""
    strikes: int
    """Mistakes made with this request so far."""
    strikes_left: int
    """Mistakes left before the default is played; the last one gets no reply."""


class End(msgspec.Struct, Generic[EventT], tag="end", tag_field="type", frozen=True):
    """A match is over."""

    match: str
    """Name of the match."""
    scores: list[int]
    """Final cash by seat."""
    ranks: list[int]
    """Rank by seat: 1 has won. Equal scores may differ in rank where the rules break ties; otherwise they share it."""
    reason: EndReason
    """How it ended."""
    faults: list[int]
    """Faults by seat."""
    events: list[EventT] = []
    """What has happened since the receiver's last message."""


class Error(msgspec.Struct, tag="error", tag_field="type", frozen=True):
    """Something went wrong outside any request."""

    code: str
    """What kind of error."""
    message: str
    """What was received, and what was expected."""
    fatal: bool
    """True if the server ends the connection."""
    ref: str | None = None
    """The `ref` of the message that was wrong, if it had one."""


class Join(msgspec.Struct, tag="join", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Introduces a client. You can leave it out if the defaults suit you."""

    protocol: int = PROTOCOL
    """The version of the protocol that the client speaks."""
    name: str | None = None
    """A name to show to others, if the server does not name the seat itself."""
    view: Literal["full", "none"] = "full"
    """`none`: leave `view` out of requests; the client keeps its own position from events."""
    push: bool = False
    """True: also send an `update` whenever something happens."""
    push_view: bool = False
    """True: with `push`, every `update` carries your view; at a server's table you also get one at the start."""
    board: bool = True
    """False: leave `board` out of `start`; the client knows it."""
    undo: bool = False
    """True: at a server's table, the client can handle moves being taken back: another `start` then replays the match
    up to the move."""


class Answer(
    msgspec.Struct,
    Generic[ActionT],
    tag="action",
    tag_field="type",
    frozen=True,
    forbid_unknown_fields=True,
    omit_defaults=True,
):
    """Answers a request: with an `action`, or with a `choice` from its legal list."""

    number: int
    """Number of the request that is answered."""
    action: ActionT | None = None
    """The action to play."""
    choice: int | None = None
    """Index in `legal`; for a bid entry this bids its minimum."""
    info: Any = None
    """Anything worth noting, at most 16 KiB of JSON: kept in the log, never shown to other seats."""
    match: str | None = None
    """Name of the match, if several are played over one connection at once."""


class Again(msgspec.Struct, tag="again", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Asks for the open request again."""


class _Head(msgspec.Struct):
    """What all messages have."""

    type: str = ""
    """Which kind of message it is."""


_HEAD = msgspec.json.Decoder(_Head)


def type_of(content: bytes) -> str:
    """What kind of message it says it is; empty if it says nothing of the kind."""
    try:
        return _HEAD.decode(content).type
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        return ""
