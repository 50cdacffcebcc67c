"""Messages of a server's lobby, to list, create, join and watch tables.

Requests may carry a `ref` chosen by the client. The answer or error repeats it.
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
"""Chat phrases that clients offer for quick selection."""


class BranchPoint(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A position of a game that has ended."""

    log: str
    """Id of its table, or of a logged game."""
    number: Annotated[int, msgspec.Meta(ge=1)]
    """Number of the first action that is replaced."""


class SeatInfo(msgspec.Struct, frozen=True):
    """One seat of a table."""

    seat: int
    """Seat number, from 0."""
    kind: SeatKind
    """`open`: anybody may take it. `reserved`: by invitation only. `player`: taken. `builtin`, `bot`: played by the
    server."""
    name: str | None
    """Name of the player. Null if the seat is free."""
    connected: bool
    """Whether the player is connected. Always true for seats played by the server."""
    substitute: bool = False
    """Whether a substitute plays for the player at the moment."""


class TableInfo(msgspec.Struct, frozen=True):
    """A table as everyone may see it."""

    table: str
    """Id of the table."""
    name: str
    """Name of the table, given by its owner."""
    game: str
    """Name of the game."""
    players: int
    """Number of players."""
    options: dict[str, Any]
    """The game's options, all of them."""
    clock: str
    """The time for each seat, such as `60+0.5`, `10/move` or `none`."""
    state: TableState
    """Whether the table waits for players (`open`), is being played, or has ended."""
    private: bool
    """Whether the table is not listed, so that clients need its id, and an invitation to sit down."""
    seats: list[SeatInfo]
    """All seats in order."""
    actions: int
    """Number of actions played so far."""
    scores: list[int] | None
    """Final scores by seat. Null until the game has ended."""
    board: str = "standard"
    """Name of the board: `standard`, or one that the server's owner offers."""
    openings: OpeningKind | Literal["book"] = "none"
    """Start of the game: `none` for the usual start, `drawn` for an opening drawn from the seed, `book` for an opening
    from a book, in logged games only."""
    to_move: int | None = None
    """The seat to move. Null if there is none, and for all but the players at a table with a spectator delay."""
    chat: bool = False
    """Whether people at the table can chat."""
    branch: BranchPoint | None = None
    """The position it was continued from, if any."""
    undo: bool = False
    """Whether a move can be taken back if all people at the table agree."""


class ListTables(msgspec.Struct, tag="list", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Ask for the public tables."""

    search: str = ""
    """Only tables whose name, game, id or player names contain this text, ignoring case."""
    game: str | None = None
    """Only tables of this game."""
    state: TableState | None = None
    """Only tables in this state."""
    skip: Annotated[int, msgspec.Meta(ge=0)] = 0
    """Number of tables to leave out at the start, because an earlier answer listed them."""
    ref: str | None = None
    """Text of the client's choice that the answer repeats."""


class CreateTable(msgspec.Struct, tag="create", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Create a table. The game starts automatically when the last seat is taken."""

    game: str
    """Name of the game."""
    players: int
    """Number of players."""
    options: dict[str, str] = {}
    """Options of the game. Those left out have their default."""
    clock: str = "none"
    """The time for each seat: `60+0.5`, `10/move`, both separated by a comma, or `none`."""
    name: str = ""
    """Name of the table."""
    private: bool = False
    """Whether to leave the table out of lists and allow seats by invitation only."""
    seats: list[str | None] = []
    """Kind of each seat: null for open, `builtin:NAME` or `bot:NAME` for a player run by the server, `reserved` for a
    seat by invitation."""
    watch_delay_s: float = 0.0
    """Seconds by which everything is delayed for spectators."""
    board: str = "standard"
    """The board to play on: `standard`, or one that the server's owner offers."""
    openings: OpeningKind = "none"
    """Start of the game: `none` for the usual start, `drawn` for an opening drawn from the seed."""
    chat: bool = True
    """Whether people at the table can chat, if the server allows it."""
    branch: BranchPoint | None = None
    """Continue from this position of another game, with its options, board and opening."""
    undo: bool = True
    """Whether a move can be taken back if all people agree. Not possible if a `bot:NAME` plays."""
    ref: str | None = None
    """Text of the client's choice that the answer repeats."""


class TakeSeat(msgspec.Struct, tag="sit", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Take a seat. A connection holds one seat at a time."""

    table: str
    """Id of the table."""
    seat: int | None = None
    """Seat number. Null for the first free seat."""
    name: str | None = None
    """Your name at the table. By default the one in `join`."""
    invite: str | None = None
    """The token of an invitation, for a reserved seat or a private table."""
    ref: str | None = None
    """Text of the client's choice that the answer repeats."""


class ResumeSeat(msgspec.Struct, tag="resume", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Return to a seat, from any connection. An older connection to the same seat is notified and closed."""

    token: str
    """The token you received when you took the seat."""
    ref: str | None = None
    """Text of the client's choice that the answer repeats."""


class ListHeld(msgspec.Struct, tag="held", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Ask about the tables where you hold seats, without returning to them."""

    tokens: Annotated[list[str], msgspec.Meta(max_length=50)]
    """The tokens of the seats, at most 50."""
    ref: str | None = None
    """Text of the client's choice that the answer repeats."""


class InviteTo(msgspec.Struct, tag="invite", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Ask for an invitation to an open or reserved seat. Only the owner of the table may send it."""

    table: str
    """Id of the table."""
    owner: str
    """Token of the table's owner."""
    seat: int | None = None
    """Seat number. Null for the first seat without an invitation, where reserved seats come before open ones."""
    ref: str | None = None
    """Text of the client's choice that the answer repeats."""


class StartTable(msgspec.Struct, tag="start_table", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Start a table now, and fill its free seats with a player named by `fill`. Only the owner of the table may send
    it."""

    table: str
    """Id of the table."""
    owner: str
    """Token of the table's owner."""
    fill: str = "builtin:greedy"
    """Player for the free seats: `builtin:NAME` or `bot:NAME`."""
    ref: str | None = None
    """Text of the client's choice that the answer repeats."""


class LeaveSeat(msgspec.Struct, tag="leave", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Give up your seat, or stop watching. If the game is running, a substitute takes over."""

    ref: str | None = None
    """Text of the client's choice that the answer repeats."""


class Rematch(msgspec.Struct, tag="rematch", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Ask for another game at the same table after the end. It starts when all remaining players have asked for it."""

    ref: str | None = None
    """Text of the client's choice that the answer repeats."""


class Undo(msgspec.Struct, tag="undo", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Ask to take back your last move and everything after it, or answer such a request. All people at the table have
    to agree, and all must have sent `undo` in their `join`. Built-in players and substitutes always agree. A move
    cannot be taken back if a random event followed it or it revealed hidden information. The request lapses with the
    next move, or after 60 seconds."""

    say: Literal["ask", "agree", "refuse"]
    """Whether you ask, agree or refuse."""
    ref: str | None = None
    """Text of the client's choice that the answer repeats."""


class WatchTable(msgspec.Struct, tag="watch", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Watch a table: the public view during the game, all seats once it has ended."""

    table: str
    """Id of the table, or of a logged game."""
    pace_s: float = 0.0
    """For a game that has ended, seconds between two actions. 0 sends everything at once."""
    ref: str | None = None
    """Text of the client's choice that the answer repeats."""


class Chat(msgspec.Struct, tag="chat", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Send a chat line to the others at the table, or ask to receive their lines."""

    text: str | None = None
    """Text to send, at most 300 characters. Null asks to receive the lines of others, here and at later tables."""
    on: bool = True
    """False, without a text, to stop receiving chat lines."""
    ref: str | None = None
    """Text of the client's choice that the answer repeats."""


class Suppose(msgspec.Struct, tag="suppose", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Ask what answers to the open request would lead to, without playing them. Only the seat to move may ask."""

    number: int
    """Number of the open request."""
    lines: list[list[Any]]
    """At most 100 lines of at most 30 actions each. The actions of a line follow each other. An empty line stands for
    the current position."""
    ref: str | None = None
    """Text of the client's choice that the answer repeats."""


class AdminCommand(msgspec.Struct, tag="admin", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """A command of the server's owner, which needs the admin token."""

    token: str
    """The admin token."""
    command: Literal["status", "end_table", "shutdown", "ban", "unban", "bans"]
    """Name of the command. `bans` lists the banned addresses."""
    table: str | None = None
    """For `end_table`, the id of the table."""
    address: str | None = None
    """For `ban` and `unban`, an address or a network such as `203.0.113.0/24`."""
    minutes: Annotated[float, msgspec.Meta(gt=0)] | None = None
    """For `ban`, its duration in minutes. Null for a permanent ban."""
    ref: str | None = None
    """Text of the client's choice that the answer repeats."""


class Tables(msgspec.Struct, tag="tables", tag_field="type", frozen=True):
    """Answer to `list`."""

    tables: list[TableInfo]
    """The tables, newest first."""
    ref: str | None = None
    """The `ref` of the request."""
    total: int = 0
    """Number of tables found, including those left out."""


class TableCreated(msgspec.Struct, tag="created", tag_field="type", frozen=True):
    """Answer to `create`."""

    table: TableInfo
    """The new table."""
    owner: str
    """Token of the table's owner. Keep it secret."""
    ref: str | None = None
    """The `ref` of the request."""


class TableChanged(msgspec.Struct, tag="table", tag_field="type", frozen=True):
    """Notice to everyone at a table that somebody joined, left, disconnected or returned. Also the answer to
    `start_table`."""

    table: TableInfo
    """The table as it is now."""
    ref: str | None = None
    """The `ref` of the request."""


class Seated(msgspec.Struct, tag="seated", tag_field="type", frozen=True):
    """Answer to `sit` and `resume`. Also announces your seat in a rematch."""

    table: TableInfo
    """The table with its seats."""
    seat: int
    """Your seat."""
    token: str
    """Your token, to `resume` the seat after a disconnection. Anyone who has it can play this seat, so keep it
    secret."""
    ref: str | None = None
    """The `ref` of the request."""
    substituted_from: int | None = None
    """The number of the first action that a substitute has played for you since you were last here, if any."""


class HeldSeat(msgspec.Struct, frozen=True):
    """A seat that belongs to a token."""

    seat: int
    """Seat number, from 0."""
    table: TableInfo
    """The table, including what spectators see with a delay."""
    ranks: list[int] | None
    """Rank by seat, once the game has ended: 1 has won."""


class Held(msgspec.Struct, tag="held_seats", tag_field="type", frozen=True):
    """Answer to `held`."""

    seats: list[HeldSeat | None]
    """Held seats, in the order of the tokens in the request. Null if no seat belongs to a token any more."""
    ref: str | None = None
    """The `ref` of the request."""


class Watching(msgspec.Struct, tag="watching", tag_field="type", frozen=True):
    """Answer to `watch`. If the game has started, a `start` and an `update` with the current position follow."""

    table: TableInfo
    """The table with its seats."""
    ref: str | None = None
    """The `ref` of the request."""


class Invited(msgspec.Struct, tag="invited", tag_field="type", frozen=True):
    """Answer to `invite`."""

    table: str
    """Id of the table."""
    seat: int
    """Number of the reserved seat."""
    invite: str
    """Token to give to the guest. It works once, for this seat only."""
    ref: str | None = None
    """The `ref` of the request."""


class Left(msgspec.Struct, tag="left", tag_field="type", frozen=True):
    """Answer to `leave`."""

    table: str
    """Id of the table that was left."""
    ref: str | None = None
    """The `ref` of the request."""


class ChatLine(msgspec.Struct, frozen=True):
    """A chat line at a table."""

    number: int
    """Number of the line at its table, from 1. A line that is sent twice has the same number."""
    seat: int | None
    """The seat of the player who wrote it. Null for a spectator."""
    name: str
    """Name of the writer."""
    text: str
    """One line of plain text, to be shown unchanged."""


class Said(msgspec.Struct, tag="said", tag_field="type", frozen=True):
    """Chat lines at a table. Also the answer to `chat`."""

    table: str
    """Id of the table. Empty if you are not at one."""
    lines: list[ChatLine]
    """The lines, oldest first."""
    ref: str | None = None
    """The `ref` of the request."""


class UndoAsked(msgspec.Struct, tag="undo_asked", tag_field="type", frozen=True):
    """Notice about a request to take back a move, for clients that sent `undo` in their `join`."""

    table: str
    """Id of the table."""
    seat: int
    """The seat that wants to take back a move."""
    name: str
    """Name of the player in that seat."""
    state: UndoState
    """`asked`: all others are asked to agree. `refused`: a player refused. `over`: not all answered in time, or
    somebody moved. `done`: the move is taken back, and a `start` and the events before it follow."""
    by: int
    """The seat that has just asked, agreed or refused. For a returning player, the seat that asks, or the player's own
    seat if it has agreed."""
    ref: str | None = None
    """The `ref` of the request, for the client that sent it."""


class SupposedLine(msgspec.Struct, frozen=True):
    """Result of one line of a `suppose` request, as far as your seat can foresee it."""

    events: list[Any]
    """Events that the action would cause, up to the first random event."""
    view: Any
    """Your view afterwards. Null if it depends on random events or hidden information."""
    legal: list[Any]
    """Legal answers afterwards, for you or, in a game without hidden information, for the seat in `view.question`."""
    error: str | None = None
    """Reason why the line cannot be played, with the number of the step. The other fields are then empty."""


class Supposed(msgspec.Struct, tag="supposed", tag_field="type", frozen=True):
    """Answer to `suppose`."""

    number: int
    """Number of the open request."""
    results: list[SupposedLine]
    """Results, one for each line, in order."""
    ref: str | None = None
    """The `ref` of the request."""


class Status(msgspec.Struct, tag="status", tag_field="type", frozen=True):
    """Answer to `admin`."""

    connections: int
    """Number of open connections."""
    tables: dict[str, int]
    """Number of tables by state."""
    moves: int
    """Number of actions played since the server started."""
    ref: str | None = None
    """The `ref` of the request."""
    bans: dict[str, float | None] = {}
    """Banned addresses and networks, each with the minutes left. Null for a permanent ban."""


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
