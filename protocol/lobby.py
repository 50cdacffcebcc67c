"""The lobby of a websocket server: tables are listed, made, joined and watched with these messages.

Requests may carry a `ref` of the client's choice; the answer, or the error, repeats it.
"""

from typing import Annotated, Any, Literal

import msgspec

from rails_cli.protocol.live_view import AdviceShown, Show, Shown

TableState = Literal["open", "playing", "ended"]
SeatKind = Literal["open", "reserved", "player", "builtin", "bot"]
OpeningKind = Literal["none", "drawn"]
UndoState = Literal["asked", "refused", "over", "done"]
QUICK_PHRASES = (
    "Hello, good luck!",
    "Your turn.",
    "One moment, please.",
    "Well played!",
    "Good game!",
    "Thank you!",
    "Rematch?",
)
"""What people at a table often say; clients offer it."""


class BranchPoint(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A position of a game that has ended."""

    log: str
    """Id of its table, or of a logged game."""
    number: Annotated[int, msgspec.Meta(ge=1)]
    """The first action that is replaced."""


class SeatInfo(msgspec.Struct, frozen=True):
    """One seat of a table."""

    seat: int
    """Its number."""
    kind: SeatKind
    """`open`: anybody may take it; `reserved`: by invitation; `player`: taken; `builtin`, `bot`: played by the
    server."""
    name: str | None
    """Who sits there."""
    connected: bool
    """Whether a player is there right now; always true for seats played by the server."""
    substitute: bool = False
    """Whether a substitute plays for the player at the moment."""


class TableInfo(msgspec.Struct, frozen=True):
    """A table as everyone may see it."""

    table: str
    """Its id."""
    name: str
    """The name its owner gave it."""
    game: str
    """Name of the game."""
    players: int
    """Number of players."""
    options: dict[str, Any]
    """The game's options, all of them."""
    clock: str
    """The time for each seat, such as `60+0.5`, `10/move` or `none`."""
    state: TableState
    """Whether it waits for players, is being played, or has ended."""
    private: bool
    """Private tables are not listed: you need their id, and an invitation to sit down."""
    seats: list[SeatInfo]
    """All seats in order."""
    actions: int
    """Actions played so far."""
    scores: list[int] | None
    """The final scores, once it has ended."""
    board: str = "standard"
    """The board it is played on: `standard`, or one that the server's owner offers."""
    openings: OpeningKind | Literal["book"] = "none"
    """What it starts from: `none` for the beginning of the game, `drawn` for an opening drawn from the seed; logged
    games may start from an opening of a `book`."""
    to_move: int | None = None
    """The seat to move; null if there is none, and for everyone but the players at a table with a spectator delay."""
    chat: bool = False
    """Whether people at the table can chat."""
    branch: BranchPoint | None = None
    """The position it was continued from, if any."""
    undo: bool = False
    """Whether a move can be taken back if all people at the table agree."""


class ListTables(msgspec.Struct, tag="list", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Asks for the public tables."""

    search: str = ""
    """Only those whose name, game, id or players contain this, in upper or lower case."""
    game: str | None = None
    """Only those of this game."""
    state: TableState | None = None
    """Only those in this state."""
    skip: Annotated[int, msgspec.Meta(ge=0)] = 0
    """Skips this many from the start: those that an earlier answer listed."""
    ref: str | None = None
    """Repeated in the answer."""


class CreateTable(msgspec.Struct, tag="create", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Creates a table. It starts automatically when its last seat is taken."""

    game: str
    """Name of the game."""
    players: int
    """Number of players."""
    options: dict[str, str] = {}
    """Options of the game; those left out have their default."""
    clock: str = "none"
    """The time for each seat: `60+0.5`, `10/move`, both separated by a comma, or `none`."""
    name: str = ""
    """What to call the table."""
    private: bool = False
    """Keep it out of lists; seats are by invitation only."""
    seats: list[str | None] = []
    """By seat: null for an open seat; `builtin:NAME` or `bot:NAME` for a player run by the server; `reserved` for a
    seat by invitation."""
    watch_delay_s: float = 0.0
    """Spectator delay: spectators see everything this many seconds late."""
    board: str = "standard"
    """The board to play on: `standard`, or one that the server's owner offers."""
    openings: OpeningKind = "none"
    """What to start from: `none` for the beginning of the game, `drawn` for an opening drawn from the seed."""
    chat: bool = True
    """Whether people at the table can chat, if the server allows it."""
    branch: BranchPoint | None = None
    """Continue from this position instead; options, board and opening are then those of that game."""
    undo: bool = True
    """Whether a move can be taken back if all people agree; never where a `bot:NAME` plays."""
    ref: str | None = None
    """Repeated in the answer."""


class TakeSeat(msgspec.Struct, tag="sit", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Takes a seat. A connection holds one seat at a time."""

    table: str
    """Id of the table."""
    seat: int | None = None
    """Which seat; null for the first free one."""
    name: str | None = None
    """Your name at the table; by default the one in `join`."""
    invite: str | None = None
    """The token of an invitation, for a reserved seat or a private table."""
    ref: str | None = None
    """Repeated in the answer."""


class ResumeSeat(msgspec.Struct, tag="resume", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Returns to a seat, from anywhere. An older connection to the same seat is notified and closed."""

    token: str
    """The token you received when you took the seat."""
    ref: str | None = None
    """Repeated in the answer."""


class ListHeld(msgspec.Struct, tag="held", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Asks about the tables where you hold seats, without returning to them."""

    tokens: Annotated[list[str], msgspec.Meta(max_length=50)]
    """The tokens of the seats, at most 50."""
    ref: str | None = None
    """Repeated in the answer."""


class InviteTo(msgspec.Struct, tag="invite", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Asks for an invitation to a seat that is open or reserved. For the owner of the table."""

    table: str
    """Id of the table."""
    owner: str
    """The owner's token."""
    seat: int | None = None
    """Which seat; null for the first without an invitation, reserved ones before open ones."""
    ref: str | None = None
    """Repeated in the answer."""


class StartTable(msgspec.Struct, tag="start_table", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Starts a table now; `fill` names who plays the seats that are still free. For the owner of the table."""

    table: str
    """Id of the table."""
    owner: str
    """The owner's token."""
    fill: str = "builtin:greedy"
    """`builtin:NAME` or `bot:NAME`."""
    ref: str | None = None
    """Repeated in the answer."""


class LeaveSeat(msgspec.Struct, tag="leave", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Gives up the seat, or stops watching. If the game is running, a substitute takes over."""

    ref: str | None = None
    """Repeated in the answer."""


class Rematch(msgspec.Struct, tag="rematch", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """After the end: asks for the same again. It starts when all players who are still there have asked for it."""

    ref: str | None = None
    """Repeated in the answer."""


class Undo(msgspec.Struct, tag="undo", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Asks to take back your last move and everything after it, or answers someone who asks. All people at the table
    have to agree, and all must have sent `undo` in their `join`; built-in players and substitutes agree. A move that
    chance followed, or that revealed something, cannot be taken back. The request lapses with the next move, or after
    60 seconds."""

    say: Literal["ask", "agree", "refuse"]
    """What you want."""
    ref: str | None = None
    """Repeated in the answer."""


class WatchTable(msgspec.Struct, tag="watch", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Watches a table: the public view during the game, all seats once it has ended."""

    table: str
    """Id of the table, or of a logged game."""
    pace_s: float = 0.0
    """For a game that has ended: seconds between two actions; 0 sends everything at once."""
    ref: str | None = None
    """Repeated in the answer."""


class Chat(msgspec.Struct, tag="chat", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Says something to the others at the table, or asks to receive what they say."""

    text: str | None = None
    """What to say, at most 300 characters; null asks to receive what others say, here and at later tables."""
    on: bool = True
    """False, without a text: stop receiving."""
    ref: str | None = None
    """Repeated in the answer."""


class Suppose(msgspec.Struct, tag="suppose", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Asks what answers to the open request would lead to, without giving them. For the seat to move."""

    number: int
    """Number of the open request."""
    lines: list[list[Any]]
    """At most 100 lines of at most 30 actions each, played in order; an empty line is the position as it is."""
    ref: str | None = None
    """Repeated in the answer."""


class AdminCommand(msgspec.Struct, tag="admin", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """A command of the server's owner."""

    token: str
    """The admin token."""
    command: Literal["status", "end_table", "shutdown", "ban", "unban", "bans"]
    """What to do; `bans` only lists who is banned."""
    table: str | None = None
    """For `end_table`: which."""
    address: str | None = None
    """For `ban` and `unban`: an address, or a network such as `203.0.113.0/24`."""
    minutes: Annotated[float, msgspec.Meta(gt=0)] | None = None
    """For `ban`: for how long; null is for good."""
    ref: str | None = None
    """Repeated in the answer."""


class Tables(msgspec.Struct, tag="tables", tag_field="type", frozen=True):
    """Answers `list`."""

    tables: list[TableInfo]
    """Newest first."""
    ref: str | None = None
    """The `ref` of the request."""
    total: int = 0
    """How many there are, including those left out."""


class TableCreated(msgspec.Struct, tag="created", tag_field="type", frozen=True):
    """Answers `create`."""

    table: TableInfo
    """The new table."""
    owner: str
    """The owner's token: keep it secret."""
    ref: str | None = None
    """The `ref` of the request."""


class TableChanged(msgspec.Struct, tag="table", tag_field="type", frozen=True):
    """Tells everyone at a table who came, left, was lost or came back, and answers `start_table`."""

    table: TableInfo
    """The table as it is now."""
    ref: str | None = None
    """The `ref` of the request."""


class Seated(msgspec.Struct, tag="seated", tag_field="type", frozen=True):
    """Answers `sit` and `resume`, and announces the seat in a rematch."""

    table: TableInfo
    """The table."""
    seat: int
    """Your seat."""
    token: str
    """Your token: anyone who has it can play this seat, so keep it secret; use it to `resume` after a disconnection."""
    ref: str | None = None
    """The `ref` of the request."""
    substituted_from: int | None = None
    """The number of the first action that a substitute has played for you since you were last here, if any."""


class HeldSeat(msgspec.Struct, frozen=True):
    """A seat that belongs to a token."""

    seat: int
    """Its number."""
    table: TableInfo
    """The table, including what spectators see with a delay."""
    ranks: list[int] | None
    """Rank by seat, once the game has ended: 1 has won."""


class Held(msgspec.Struct, tag="held_seats", tag_field="type", frozen=True):
    """Answers `held`."""

    seats: list[HeldSeat | None]
    """By token, in the order of the request; null if no seat belongs to it any more."""
    ref: str | None = None
    """The `ref` of the request."""


class Watching(msgspec.Struct, tag="watching", tag_field="type", frozen=True):
    """Answers `watch`; a `start` and an `update` with the position so far follow if the game has started."""

    table: TableInfo
    """The table."""
    ref: str | None = None
    """The `ref` of the request."""


class Invited(msgspec.Struct, tag="invited", tag_field="type", frozen=True):
    """Answers `invite`."""

    table: str
    """Id of the table."""
    seat: int
    """The seat that is kept."""
    invite: str
    """The token to give to the guest; it works for this seat, once."""
    ref: str | None = None
    """The `ref` of the request."""


class Left(msgspec.Struct, tag="left", tag_field="type", frozen=True):
    """Answers `leave`."""

    table: str
    """Id of the table that was left."""
    ref: str | None = None
    """The `ref` of the request."""


class ChatLine(msgspec.Struct, frozen=True):
    """A chat line at a table."""

    number: int
    """Counted from 1 at each table; if a line is sent twice, it has the same number."""
    seat: int | None
    """The seat of the player who said it; null for a spectator."""
    name: str
    """Who said it."""
    text: str
    """What was said: one line of plain text, to be shown as it is."""


class Said(msgspec.Struct, tag="said", tag_field="type", frozen=True):
    """Reports what was said at a table, and answers `chat`."""

    table: str
    """Id of the table; empty if you are not at one."""
    lines: list[ChatLine]
    """The oldest first."""
    ref: str | None = None
    """The `ref` of the request."""


class UndoAsked(msgspec.Struct, tag="undo_asked", tag_field="type", frozen=True):
    """Tells those at a table who sent `undo` in their `join` that somebody wants to take a move back."""

    table: str
    """Id of the table."""
    seat: int
    """Who wants to take a move back."""
    name: str
    """The name of that player."""
    state: UndoState
    """`asked`: all others are asked to agree; `refused`: somebody did not; `over`: nobody answered in time, or somebody
    moved; `done`: the move is taken back, and a `start` and the story up to it follow."""
    by: int
    """The seat that has just asked, agreed or refused. For a player who returns: the seat that asks, or the player's
    own if it has agreed."""
    ref: str | None = None
    """The `ref` of the request, for whoever made it."""


class SupposedLine(msgspec.Struct, frozen=True):
    """What one line of actions would lead to, as far as your seat can foresee it."""

    events: list[Any]
    """What would happen, up to the point where chance decides."""
    view: Any
    """Your view afterwards; null if it depends on chance or on what others hide."""
    legal: list[Any]
    """What could be answered next, by you or, in a game without secrets, by the seat that `view.question` names."""
    error: str | None = None
    """Why the line cannot be played, naming the step; the other fields are then empty."""


class Supposed(msgspec.Struct, tag="supposed", tag_field="type", frozen=True):
    """Answers `suppose`."""

    number: int
    """Number of the request."""
    results: list[SupposedLine]
    """One for each line, in order."""
    ref: str | None = None
    """The `ref` of the request."""


class Status(msgspec.Struct, tag="status", tag_field="type", frozen=True):
    """Answers `admin`."""

    connections: int
    """Open connections."""
    tables: dict[str, int]
    """Tables by state."""
    moves: int
    """Actions played since the server started."""
    ref: str | None = None
    """The `ref` of the request."""
    bans: dict[str, float | None] = {}
    """Who is banned, and for how many more minutes; null means for good."""


LobbyRequest = (
    ListTables
    | CreateTable
    | TakeSeat
    | ResumeSeat
    | ListHeld
    | InviteTo
    | StartTable
    | LeaveSeat
    | Rematch
    | Undo
    | WatchTable
    | Chat
    | Suppose
    | Show
    | AdminCommand
)
LobbyAnswer = (
    Tables
    | TableCreated
    | TableChanged
    | Seated
    | Held
    | Watching
    | Invited
    | Left
    | Said
    | UndoAsked
    | Supposed
    | Shown
    | AdviceShown
    | Status
)
