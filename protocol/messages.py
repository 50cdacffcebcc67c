"""Messages between server and client during a match, and the protocol version."""

from typing import Any, Generic, Literal, TypeVar

import msgspec

PROTOCOL = 1
"""Version of the protocol between a server and its clients."""
MAX_LINE = 1_048_576
"""Maximum number of bytes of a line."""
MAX_INFO = 16_384
"""Maximum number of bytes of the `info` of an answer."""

ActionT = TypeVar("ActionT")
EntryT = TypeVar("EntryT")
EventT = TypeVar("EventT")
ViewT = TypeVar("ViewT")

RejectionCode = Literal["bad_line", "not_your_turn", "stale_request", "illegal_action", "too_slow", "too_long"]
EndReason = Literal["normal", "timeout", "disconnect", "illegal", "interrupted"]
ViewForm = Literal["full", "none", "delta", "text", "long_text"]
"""Form in which a request shows the position."""


class Clock(msgspec.Struct, frozen=True):
    """The time allowed to each seat. Null stands for a limit that does not apply."""

    bank_s: float | None = None
    """Seconds that a seat has for all its answers in a game together. Increments are not included. Null if this time is
    not limited.
    """
    increment_s: float = 0
    """Seconds added to the total time of a seat after each of its answers."""
    move_s: float | None = None
    """Seconds that a seat has for one answer. Null if this time is not limited."""


class ClockLeft(msgspec.Struct, frozen=True):
    """The time that a seat has left for its next answer. If `bank_s` and `move_s` are given, the smaller applies."""

    bank_s: float | None = None
    """Seconds left of the total time of the seat for all its answers. Null if the total time is not limited."""
    move_s: float | None = None
    """Seconds left for one answer. Null if the clock has no limit for one answer."""


class Hello(msgspec.Struct, tag="hello", tag_field="type", frozen=True, omit_defaults=True):
    """The server's first message on any connection."""

    protocol: int
    """Version of the protocol."""
    server: str
    """Name and version of the server."""
    max_line: int
    """Largest number of bytes in a line that the server or the client may send."""
    at_once: int = 1
    """Number of matches that are played at the same time over this connection. With more than 1, every answer must
    contain the name of its `match`.
    """


class Start(msgspec.Struct, tag="start", tag_field="type", frozen=True):
    """Notice that a match begins. Also sent to a client that joins a running match."""

    match: str
    """Name of the match. All messages about the match contain this name."""
    game: str
    """Name of the game."""
    rules_version: int
    """Version of the game's rules."""
    players: list[str]
    """Names of the players, by seat."""
    seat: int | None
    """The seat that this client plays. Null for a spectator, and for a client that plays several seats."""
    options: dict[str, Any]
    """Mapping from the name of each option of the game to its value."""
    clock: Clock | None
    """Time allowed to each seat. Null for a match without a clock."""
    board: Any
    """Geometry, names and costs of the board. Null if the client asked to leave the board out."""
    seed: int | None = None
    """Random seed for the choices of this client, a whole number below 2^31. It is derived from the match and the seat.
    It does not reveal the seed of the match. Null for a spectator.
    """


class Request(
    msgspec.Struct, Generic[EntryT, EventT, ViewT], tag="request", tag_field="type", frozen=True, omit_defaults=True
):
    """Message that asks a seat for a decision."""

    match: str
    """Name of the match."""
    number: int
    """Number of the request in the match, from 1. The answer must contain the same number. Forced passes are also
    counted, although nobody is asked.
    """
    seat: int
    """The seat that has to decide."""
    events: list[EventT]
    """Events since the last message to the seat, without hidden information. Empty in a request with a `text`, because
    the text describes the events.
    """
    view: ViewT | None
    """The position as the seat sees it. Null if the client chose another form with `view` in its `join`."""
    legal: list[EntryT]
    """All legal actions. All bids together are one entry with `min` and `max`. The last entry is the action that
    commits the player least, such as a pass. Empty in a request with a `text`, because the text lists the actions.
    """
    default: int
    """Index in `legal` of the default action. It is played for the seat if time runs out or too many answers are
    rejected.
    """
    clock: ClockLeft | None
    """Time that the seat has left. Null for a match without a clock."""
    delta: dict[str, Any] | None = None
    """Changes of the view since the last request to the seat. Each JSON Pointer (RFC 6901) to a changed value is mapped
    to the new value. Only sent to a client that set `view` to `delta`.
    """
    text: str | None = None
    """Recent events, position, question and choices, as one text. The number of a choice is the `choice` in an answer.
    Only sent to a client that set `view` to `text` or `long_text`.
    """


class Update(msgspec.Struct, Generic[EventT], tag="update", tag_field="type", frozen=True):
    """Notice of new events, sent to spectators and to clients that set `push` in their `join`."""

    match: str
    """Name of the match."""
    events: list[EventT]
    """The new events, without what is hidden from the receiver."""
    view: Any = None
    """The position as the receiver sees it. Sent to a client that set `push_view` in its `join`, to a client that joins
    late or returns, and at the end of the match. Otherwise null.
    """


class Rejected(msgspec.Struct, tag="rejected", tag_field="type", frozen=True):
    """Notice that the server rejected an answer. The request stays open, and the clock of the seat keeps running."""

    match: str
    """Name of the match."""
    number: int
    """Number of the open request."""
    code: RejectionCode
    """Code for the kind of mistake in the answer."""
    message: str
    """Description of what was received and what was expected."""
    strikes: int
    """Number of mistakes in answers to this request so far."""
    strikes_left: int
    """Number of further mistakes until the default action is played. No `rejected` message is sent for the last of
    these mistakes.
    """


class End(msgspec.Struct, Generic[EventT], tag="end", tag_field="type", frozen=True):
    """Notice that a match is over. A match is one game."""

    match: str
    """Name of the match."""
    scores: list[int]
    """Final cash in dollars, by seat."""
    ranks: list[int]
    """Rank of each seat, by seat. The winner has rank 1. Players with equal scores share a rank unless the rules break
    the tie.
    """
    reason: EndReason
    """Reason for the end of the match. `normal` if the game was played to its end."""
    faults: list[int]
    """Number of faults of each seat, such as late or rejected answers, by seat."""
    events: list[EventT] = []
    """Events since the last message to the receiver."""
    fault_codes: list[dict[str, int]] = []
    """For each seat, a mapping from fault code to the number of faults. For example, `bad_line` counts answers that
    could not be read, and `illegal_action` answers that could be read but were not allowed.
    """


class Error(msgspec.Struct, tag="error", tag_field="type", frozen=True):
    """Notice of an error. A rejected answer to the open request has the message `rejected` instead."""

    code: str
    """Code for the kind of error."""
    message: str
    """Description of what was received and what was expected."""
    fatal: bool
    """True if the server closes the connection because of the error."""
    ref: str | None = None
    """The `ref` of the message that caused the error. Null if that message had no `ref`."""
    retry_s: float | msgspec.UnsetType = msgspec.UNSET
    """With the code `shutdown`, the seconds to wait before connecting again. Absent from other errors."""


class Join(msgspec.Struct, tag="join", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """The client's name and settings. A client that uses the defaults need not send this message."""

    protocol: int = PROTOCOL
    """Version of the protocol that the client uses."""
    name: str | None = None
    """Name of the client, for display to other players. The server may use another name. Null for no name."""
    view: ViewForm = "full"
    """Form in which requests show the position.
    `full`: requests contain a view.
    `none`: requests contain no view, for a client that derives the position from events.
    `delta`: requests contain the changes of the view.
    `text`: requests contain a short text instead of events, view and legal actions.
    `long_text`: requests contain a longer text with explanations.
    """
    push: bool = False
    """Whether the server sends the client an `update` after every event."""
    push_view: bool = False
    """With `push`, whether every `update` contains the client's view. At a table of a server, the client then also gets
    an `update` at the start of the game.
    """
    board: bool = True
    """Whether the `start` message contains the board. A client that has the board already may set this to false."""
    undo: bool = False
    """Whether the client supports taking back moves. Moves can be taken back only at tables of a server. After a move
    is taken back, the client gets another `start`, and the events before the move.
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
    """Answer to a request. It contains either an `action`, or a `choice`: the index of a legal action."""

    number: int
    """Number of the request that is answered."""
    action: ActionT | None = None
    """The action to play. Null if `choice` is given."""
    choice: int | None = None
    """Index of the chosen entry in `legal` of the request. A bid entry stands for its lowest bid. Null if `action` is
    given.
    """
    info: Any = None
    """Note for the log: any JSON value of at most 16 KiB. Other seats never see it. A bot that uses a language model
    can report the tokens of this answer as `{"tokens": 1234}`.
    """
    match: str | None = None
    """Name of the match. Needed only if several matches are played over one connection at once."""


class Again(msgspec.Struct, tag="again", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Ask the server to send the open request again."""

    view: ViewForm | None = None
    """Form in which the repeated request shows the position. Null for the form that `join` has set."""


class _Head(msgspec.Struct):
    """Struct to decode only the `type` field of a message. All messages have this field."""

    type: str = ""
    """Type of the message."""


_HEAD = msgspec.json.Decoder(_Head)


def type_of(content: bytes) -> str:
    """Return the `type` of the JSON message `content`, or an empty string if `content` is invalid or has no type."""
    try:
        return _HEAD.decode(content).type
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        return ""
