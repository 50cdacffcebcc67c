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
    """A position in a game that has ended, from which a new game may continue."""

    log: str
    """Id of the table of the ended game, or of a logged game."""
    number: Annotated[int, msgspec.Meta(ge=1)]
    """Number of the first action that the new game replaces."""


class SeatInfo(msgspec.Struct, frozen=True):
    """One seat of a table."""

    seat: int
    """Seat number, from 0."""
    kind: SeatKind
    """`open`: anybody may take the seat. `reserved`: by invitation only. `player`: taken. `builtin`, `bot`: played by
    the server.
    """
    name: str | None
    """Name of the player. Null if the seat is free."""
    connected: bool
    """Whether the player is connected. Always true for seats played by the server."""
    substitute: bool = False
    """Whether a substitute plays for the player at the moment."""


class TableInfo(msgspec.Struct, frozen=True):
    """Public data of a table."""

    table: str
    """Id of the table."""
    name: str
    """Name of the table, given by its owner."""
    game: str
    """Name of the game."""
    players: int
    """Number of players."""
    options: dict[str, Any]
    """All options of the game with their values."""
    clock: str
    """Time for each seat, such as `60+0.5`, `10/move` or `none`."""
    state: TableState
    """Whether the table waits for players (`open`), is being played, or has ended."""
    private: bool
    """Whether the table is not listed, so that clients need its id, and an invitation to sit down."""
    seats: list[SeatInfo]
    """All seats of the table, in order."""
    actions: int
    """Number of actions played so far."""
    scores: list[int] | None
    """Final scores by seat. Null until the game has ended."""
    board: str = "standard"
    """Name of the board: `standard`, or a board that the server's owner offers."""
    openings: OpeningKind | Literal["book"] = "none"
    """Start of the game: `none` for the usual start, `drawn` for an opening drawn from the seed, `book` for an opening
    from a book, in logged games only."""
    to_move: int | None = None
    """Seat to move. Null if there is none. At a table with a spectator delay, null for all but the players."""
    chat: bool = False
    """Whether people at the table can chat."""
    branch: BranchPoint | None = None
    """Position of another game that the table was continued from. Null for a usual start."""
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
    """Number of tables to leave out at the start of the list, because an earlier answer contained them."""
    ref: str | None = None
    """Text of the client's choice that the answer repeats."""


class CreateTable(msgspec.Struct, tag="create", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Create a table. The game starts automatically when the last seat is taken."""

    game: str
    """Name of the game."""
    players: int
    """Number of players."""
    options: dict[str, str] = {}
    """Values of options by name. Options left out have their default."""
    clock: str = "none"
    """Time for each seat: `60+0.5`, `10/move`, both separated by a comma, or `none`."""
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
    """Name of the board: `standard`, or a board that the server's owner offers."""
    openings: OpeningKind = "none"
    """Start of the game: `none` for the usual start, `drawn` for an opening drawn from the seed."""
    chat: bool = True
    """Whether people at the table can chat, if the server allows it."""
    branch: BranchPoint | None = None
    """Position of another game to continue from, with the options, board and opening of that game."""
    undo: bool = True
    """Whether a move can be taken back if all people at the table agree. Not possible if a `bot:NAME` plays."""
    ref: str | None = None
    """Text of the client's choice that the answer repeats."""


class TakeSeat(msgspec.Struct, tag="sit", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Take a seat. A connection holds one seat at a time."""

    table: str
    """Id of the table."""
    seat: int | None = None
    """Seat number. Null for the first free seat."""
    name: str | None = None
    """Your name at the table. By default the name in your `join` message."""
    invite: str | None = None
    """Token of an invitation, for a reserved seat or a private table."""
    ref: str | None = None
    """Text of the client's choice that the answer repeats."""


class ResumeSeat(msgspec.Struct, tag="resume", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Return to a seat, from any connection. An older connection to the same seat is notified and closed."""

    token: str
    """Token that you received when you took the seat."""
    ref: str | None = None
    """Text of the client's choice that the answer repeats."""


class ListHeld(msgspec.Struct, tag="held", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Ask about the tables where you hold seats, without returning to them."""

    tokens: Annotated[list[str], msgspec.Meta(max_length=50)]
    """The tokens of the seats, at most 50."""
    ref: str | None = None
    """Text of the client's choice that the answer repeats."""


class InviteTo(msgspec.Struct, tag="invite", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Ask for an invitation to an open or reserved seat. Only the owner of the table may ask."""

    table: str
    """Id of the table."""
    owner: str
    """Token of the table's owner."""
    seat: int | None = None
    """Seat number. Null for the first seat without an invitation, where reserved seats come before open ones."""
    ref: str | None = None
    """Text of the client's choice that the answer repeats."""


class StartTable(msgspec.Struct, tag="start_table", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Start a game now, and fill the free seats of the table with the player named by `fill`. Only the owner of the
    table may start it.
    """

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
    """Ask for another game at the same table after the end. The game starts when all remaining players have asked."""

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
    """For `ban`, duration of the ban in minutes. Null for a permanent ban."""
    ref: str | None = None
    """Text of the client's choice that the answer repeats."""


class Tables(msgspec.Struct, tag="tables", tag_field="type", frozen=True):
    """Answer to `list`."""

    tables: list[TableInfo]
    """The tables, newest first."""
    ref: str | None = None
    """The `ref` of the request."""
    total: int = 0
    """Number of tables found, including those that the answer leaves out."""


class TableCreated(msgspec.Struct, tag="created", tag_field="type", frozen=True):
    """Answer to `create`."""

    table: TableInfo
    """The new table."""
    owner: str
    """Token of the table's owner. Keep it secret."""
    ref: str | None = None
    """The `ref` of the request."""


class TableChanged(msgspec.Struct, tag="table", tag_field="type", frozen=True):
    """Notice that somebody joined, left, disconnected or returned. Also the answer to `start_table`."""

    table: TableInfo
    """Current data of the table."""
    ref: str | None = None
    """The `ref` of the request."""


class Seated(msgspec.Struct, tag="seated", tag_field="type", frozen=True):
    """Answer to `sit` and `resume`. Also announces your seat in a rematch."""

    table: TableInfo
    """The table with its seats."""
    seat: int
    """Your seat."""
    token: str
    """Token with which you `resume` the seat after a disconnection. Anyone who has the token can play the seat, so keep
    it secret.
    """
    ref: str | None = None
    """The `ref` of the request."""
    substituted_from: int | None = None
    """Number of the first action that a substitute played for you since you were last connected, or null."""


class HeldSeat(msgspec.Struct, frozen=True):
    """A seat that belongs to a token."""

    seat: int
    """Seat number, from 0."""
    table: TableInfo
    """Data of the table, including what spectators see with a delay."""
    ranks: list[int] | None
    """Rank by seat, where 1 has won. Null until the game has ended."""


class Held(msgspec.Struct, tag="held_seats", tag_field="type", frozen=True):
    """Answer to `held`."""

    seats: list[HeldSeat | None]
    """Held seats, in the order of the tokens in the request. Null for a token to which no seat belongs any more."""
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
    """Token to give to the guest. The token works once, for this seat only."""
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
    """Seat of the player who wrote the line. Null for a spectator."""
    name: str
    """Name of the writer."""
    text: str
    """One line of plain text, to be shown unchanged."""


class ChatLines(msgspec.Struct, tag="said", tag_field="type", frozen=True):
    """Chat lines at a table. Sent when somebody writes, and as the answer to `chat`."""

    table: str
    """Id of the table. Empty if you are not at a table."""
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
    """Seat that has just asked, agreed or refused. For a returning player, the seat that asks, or the own seat of the
    player if it has agreed.
    """
    ref: str | None = None
    """The `ref` of the request, for the client that sent it."""


class SupposedLine(msgspec.Struct, frozen=True):
    """Result of one line of a `suppose` request, as far as your seat can foresee it."""

    events: list[Any]
    """Events that the action would cause, up to the first random event."""
    view: Any
    """Your view after the actions of the line. Null if it depends on random events or hidden information."""
    legal: list[Any]
    """Legal answers after the actions of the line, for you or, in a game without hidden information, for the seat in
    `view.question`.
    """
    error: str | None = None
    """Reason why the line cannot be played, with the number of the step. Null if it can. Otherwise the other fields are
    empty.
    """


class Supposed(msgspec.Struct, tag="supposed", tag_field="type", frozen=True):
    """Answer to `suppose`."""

    number: int
    """Number of the open request."""
    results: list[SupposedLine]
    """Results, one for each line of the request, in order."""
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
    | ChatLines
    | UndoAsked
    | Supposed
    | Shown
    | AdviceShown
    | Status
)
