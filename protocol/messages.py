"""Messages between server and client during a match, and the protocol version."""

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
    """The time allowed to each seat. A limit that is null does not apply."""

    bank_s: float | None = None
    """Seconds for all answers of a game together, called the bank."""
    increment_s: float = 0
    """Seconds added to the bank after each answer."""
    move_s: float | None = None
    """Seconds for one answer."""


class ClockLeft(msgspec.Struct, frozen=True):
    """The time that a seat has left when it is asked to move. The smaller of the two limits applies."""

    bank_s: float | None = None
    """Seconds left in the bank. Null without a bank."""
    move_s: float | None = None
    """Seconds for this answer. Null without a limit for one answer."""


class Hello(msgspec.Struct, tag="hello", tag_field="type", frozen=True, omit_defaults=True):
    """The server's first message on any connection."""

    protocol: int
    """Version of the protocol."""
    server: str
    """Name and version of the server."""
    max_line: int
    """The longest line, in bytes, that either side may send."""
    at_once: int = 1
    """Number of matches played at the same time over this connection. If it is more than 1, every answer must name its
    `match`.
    """


class Start(msgspec.Struct, tag="start", tag_field="type", frozen=True):
    """A match begins, or a client joins a running match."""

    match: str
    """Name of the match, which all messages about the match repeat."""
    game: str
    """Name of the game."""
    rules_version: int
    """Version of the game's rules."""
    players: list[str]
    """Names of the players, by seat."""
    seat: int | None
    """The seat that this client plays. Null for a spectator, and for a client that plays several seats."""
    options: dict[str, Any]
    """All options of the game with their values."""
    clock: Clock | None
    """Time allowed to each seat. Null for a match without a clock."""
    board: Any
    """Geometry, names and costs of the board. Null if the client asked to leave the board out."""


class Request(msgspec.Struct, Generic[EntryT, EventT, ViewT], tag="request", tag_field="type", frozen=True):
    """A seat is asked for a decision."""

    match: str
    """Name of the match."""
    number: int
    """Number of the question in the match, from 1. Forced passes are counted, too. The answer repeats the number."""
    seat: int
    """The seat that has to decide."""
    events: list[EventT]
    """Events since the seat's last message, as far as the seat may see them."""
    view: ViewT | None
    """The position as the seat may see it. Null if the client asked to leave views out."""
    legal: list[EntryT]
    """All legal actions. The least committing one, such as a pass, is last. A bid is one entry with `min` and `max`."""
    default: int
    """Index in `legal` of the action that is played if time or strikes run out."""
    clock: ClockLeft | None
    """Time that the seat has left. Null without a clock."""


class Update(msgspec.Struct, Generic[EventT], tag="update", tag_field="type", frozen=True):
    """New events, sent to spectators and to clients that asked for `push`."""

    match: str
    """Name of the match."""
    events: list[EventT]
    """The events, as far as the receiver may see them."""
    view: Any = None
    """The position as the receiver may see it. Sent with `push_view`, to a client that joins late or returns, and at
    the end. Otherwise null.
    """


class Rejected(msgspec.Struct, tag="rejected", tag_field="type", frozen=True):
    """A rejected answer. The request stays open, and its clock keeps running."""

    match: str
    """Name of the match."""
    number: int
    """Number of the open request."""
    code: RejectionCode
    """Code of the mistake."""
    message: str
    """Description of what was received and what was expected."""
    strikes: int
    """Number of mistakes made with this request so far."""
    strikes_left: int
    """Number of further mistakes after which the default is played. The last mistake gets no reply."""


class End(msgspec.Struct, Generic[EventT], tag="end", tag_field="type", frozen=True):
    """A match is over."""

    match: str
    """Name of the match."""
    scores: list[int]
    """Final cash in dollars, by seat."""
    ranks: list[int]
    """Rank by seat, 1 for the winner. Players with equal scores share a rank unless the rules break the tie."""
    reason: EndReason
    """Reason for the end of the match. `normal` if the game was played to its end."""
    faults: list[int]
    """Number of faults by seat."""
    events: list[EventT] = []
    """Events since the receiver's last message."""


class Error(msgspec.Struct, tag="error", tag_field="type", frozen=True):
    """An error that does not concern an open request."""

    code: str
    """Code of the error."""
    message: str
    """Description of what was received and what was expected."""
    fatal: bool
    """True if the server ends the connection."""
    ref: str | None = None
    """The `ref` of the message that was wrong, if it had one."""


class Join(msgspec.Struct, tag="join", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """The client's name and settings. A client may leave it out if the defaults suit it."""

    protocol: int = PROTOCOL
    """Version of the protocol that the client uses."""
    name: str | None = None
    """Name to show to others, if the server does not name the seat itself."""
    view: Literal["full", "none"] = "full"
    """`none` leaves `view` out of requests, for a client that derives the position from events."""
    push: bool = False
    """Whether to send an `update` after every event."""
    push_view: bool = False
    """With `push`, whether every `update` contains your view. At a table of a server an `update` is then also sent at
    the start.
    """
    board: bool = True
    """Whether `start` contains the board. A client that has the board already may set it to false."""
    undo: bool = False
    """Whether the client supports moves that are taken back at a table of a server. It then gets another `start` and
    the events before the move.
    """


class Answer(
    msgspec.Struct,
    Generic[ActionT],
    tag="action",
    tag_field="type",
    frozen=True,
    forbid_unknown_fields=True,
    omit_defaults=True,
):
    """Answer to a request: an `action`, or a `choice` from the legal list of the request."""

    number: int
    """Number of the request that is answered."""
    action: ActionT | None = None
    """The action to play."""
    choice: int | None = None
    """Index in the request's `legal`. For a bid entry this bids its minimum."""
    info: Any = None
    """Any JSON of at most 16 KiB. It is written to the log and never sent to other seats."""
    match: str | None = None
    """Name of the match. Needed only if several matches are played over one connection at once."""


class Again(msgspec.Struct, tag="again", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Ask for the open request again."""


class _Head(msgspec.Struct):
    """Decoder type for the one field that all messages have."""

    type: str = ""
    """Type of the message."""


_HEAD = msgspec.json.Decoder(_Head)


def type_of(content: bytes) -> str:
    """Return the `type` of the JSON message `content`, or an empty string if it has none."""
    try:
        return _HEAD.decode(content).type
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        return ""
