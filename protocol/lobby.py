"""Messages of a server's lobby, to list, create, join and watch tables.

Requests may carry a `ref`, which is a text chosen by the client. The answer or error has the same `ref`.
"""

from typing import Annotated, Any, Literal

import msgspec

from rails_cli.protocol.live_view import AdviceShown, Show, Shown, SinceShown
from rails_cli.protocol.messages import EndReason

TableState = Literal["open", "playing", "ended"]
SeatKind = Literal["open", "reserved", "player", "builtin", "bot"]
OpeningKind = Literal["none", "drawn"]
UndoState = Literal["asked", "refused", "over", "done"]


class BidUpTo(msgspec.Struct, tag="bid_up_to", tag_field="type", frozen=True, gc=False, forbid_unknown_fields=True):
    """Standing order for the current auction: the server bids for you, up to a limit. Each time that you are asked to
    bid, it makes the lowest possible bid.
    """

    limit: Annotated[int, msgspec.Meta(ge=1, le=1_000_000_000)]
    """Highest bid in dollars that the server may make for you."""
    then: Literal["ask", "pass"] = "ask"
    """What happens when the lowest possible bid is above the limit. `ask`: you get a request. `pass`: the server passes
    for you.
    """


class PassUntil(msgspec.Struct, tag="pass_until", tag_field="type", frozen=True, gc=False, forbid_unknown_fields=True):
    """Standing order to pass. Until the order ends, the server passes for you whenever you may pass. You answer other
    requests yourself.
    """

    until: Literal["auction_ends", "choices_change"]
    """When the order ends. `auction_ends`: when the current auction ends. `choices_change`: at the first request in
    which you may pass and your legal actions are not those that you had when you gave the order.
    """


Order = BidUpTo | PassUntil
QUICK_PHRASES = (
    "Hello, good luck!",
    "Your turn.",
    "One moment, please.",
    "Well played!",
    "Good game!",
    "Thank you!",
    "Rematch?",
)
"""Chat messages that clients offer for quick selection."""


class BranchPoint(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A position in an ended game. A new game can continue from it."""

    log: str
    """The ended game: the id of its table, or the name of its log at the server."""
    number: Annotated[int, msgspec.Meta(ge=1)]
    """Number of the first action of the ended game that is replaced in the new game. All actions before it are kept."""


class SeatInfo(msgspec.Struct, frozen=True):
    """One seat of a table."""

    seat: int
    """Seat number, from 0."""
    kind: SeatKind
    """Kind of seat. `open`: anybody can take it. `reserved`: only an invited player can take
    it. `player`: a client has taken it. `builtin`, `bot`: the server plays it.
    """
    name: str | None
    """Name of the player in the seat. Null if the seat is free."""
    connected: bool
    """Whether the player is connected. Always true for seats played by the server."""
    substitute: bool = False
    """During the game: whether a built-in player, called a substitute, now plays for the player. After the end of the
    game: whether a substitute played the last moves. The result then does not count as the player's.
    """
    player: str | None = None
    """The player that the server uses for the seat: `builtin:NAME` or `bot:NAME`. Null for a seat of a client."""


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
    """Mapping from the name of each option of the game to its value."""
    clock: str
    """Time for each seat. `60+0.5`: 60 seconds for the whole game, and 0.5 more after each answer. `10/move`: 10
    seconds for each answer. Both limits can be given, separated by a comma. `none`: no limit.
    """
    state: TableState
    """`open`: the table waits for players. `playing`: the game is running. `ended`: the game is over."""
    private: bool
    """Whether the table is private: it is not listed, and only invited players can take a seat."""
    seats: list[SeatInfo]
    """All seats of the table, in order."""
    actions: int
    """Number of actions played in the game so far. While the game is running, forced passes are counted, too. At a
    table with a spectator delay, the number is delayed for clients that do not play there.
    """
    scores: list[int] | None
    """Final cash in dollars, by seat. Null until the game has ended."""
    board: str = "standard"
    """Name of the board: `standard`, or a board that the server's owner offers."""
    openings: OpeningKind | Literal["book"] = "none"
    """How the game begins.
    `none`: with the usual start.
    `drawn`: with first actions that are chosen at random with the seed.
    `book`: with first actions from a book of openings. Only a replay of a logged game can have `book`.
    """
    to_move: int | None = None
    """Seat to move. Null if no seat is to move. At a table with a spectator delay, always null for clients that do not
    play there.
    """
    chat: bool = False
    """Whether players and spectators can chat at the table."""
    branch: BranchPoint | None = None
    """Position of another game from which the game at this table was continued. Null for a usual start."""
    undo: bool = False
    """Whether a move can be taken back if all people at the table agree."""
    hints: bool = True
    """Whether players can ask the server for hints. Always false at tables of the rated pool."""
    rematch: list[int] = []
    """Seats whose players have asked for a rematch of the ended game."""
    pool: Literal["rated", "unrated"] | None = None
    """Kind of games at a table of the rated pool: `rated` or `unrated`. Null for all other tables. Tables of the pool
    have no rematch.
    """
    lesson: bool = False
    """Whether the table is a lesson. A lesson is a private game against bots in which the server explains the rules."""


class ListTables(msgspec.Struct, tag="list", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Ask for the list of public tables."""

    search: str = ""
    """Text to search for. Only tables that have it in their name, game, id or player names are listed. Case does not
    matter. Empty for all tables.
    """
    game: str | None = None
    """List only tables of this game. Null for all games."""
    state: TableState | None = None
    """List only tables in this state. Null for all states."""
    skip: Annotated[int, msgspec.Meta(ge=0)] = 0
    """Number of tables to leave out at the start of the list. Use it to get the next part after an earlier answer."""
    ref: str | None = None
    """A text chosen by the client. The answer to this request has the same `ref`."""


class CreateTable(msgspec.Struct, tag="create", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Create a table. The game starts automatically when the last seat is taken."""

    game: str
    """Name of the game."""
    players: int
    """Number of players."""
    options: dict[str, str] = {}
    """Mapping from the name of an option to its value. Options left out have their default."""
    clock: str = "none"
    """Time for each seat. `60+0.5`: 60 seconds for the whole game, and 0.5 more after each answer. `10/move`: 10
    seconds for each answer. Both limits can be given, separated by a comma. `none`: no limit.
    """
    name: str = ""
    """Name of the table."""
    private: bool = False
    """Whether the table is private. It is then not listed, and players need an invitation to take a seat."""
    seats: list[str | None] = []
    """Kind of each seat, by seat. Null: open to everybody. `reserved`: by invitation. `builtin:NAME`, `bot:NAME`:
    played by the server. Seats left out of the list are open.
    """
    watch_delay_s: float = 0.0
    """Spectator delay in seconds. Spectators see everything this much later than the players."""
    board: str = "standard"
    """Name of the board: `standard`, or a board that the server's owner offers."""
    openings: OpeningKind = "none"
    """How the game begins. `none`: with the usual start. `drawn`: with first actions that are chosen at random with the
    seed.
    """
    chat: bool = True
    """Whether players and spectators can chat at the table, if the server allows it."""
    branch: BranchPoint | None = None
    """Position of an ended game to continue from. The new game has the same options, board and opening. Null for a new
    game from the start.
    """
    undo: bool = True
    """Whether a move can be taken back if all people at the table agree. With a `bot:NAME` at the table, moves cannot
    be taken back.
    """
    hints: bool = True
    """Whether players can ask the server for hints with a `show` request."""
    lesson: bool = False
    """Whether the table is a lesson: a private game with a fixed seed against bots. The server explains the rules. It
    also plays those of your turns that explain nothing new. You take seat 0. All fields except `game` and `players`
    must be left out.
    """
    ref: str | None = None
    """A text chosen by the client. The answer to this request has the same `ref`."""


class TakeSeat(msgspec.Struct, tag="sit", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Take a seat. A connection holds one seat at a time."""

    table: str
    """Id of the table."""
    seat: int | None = None
    """Number of the seat to take. Null for the first free seat."""
    name: str | None = None
    """Your name at the table. By default the name in your `join` message."""
    invite: str | None = None
    """Token of an invitation, for a reserved seat or a private table. Null if you have no invitation."""
    ref: str | None = None
    """A text chosen by the client. The answer to this request has the same `ref`."""


class ResumeSeat(msgspec.Struct, tag="resume", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Return to a seat, from any connection. If another connection holds the seat, that connection is notified and
    closed.
    """

    token: str
    """Token that you received when you took the seat."""
    ref: str | None = None
    """A text chosen by the client. The answer to this request has the same `ref`."""


class ListHeld(msgspec.Struct, tag="held", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Ask for the data of your seats and their tables, without returning to the seats."""

    tokens: Annotated[list[str], msgspec.Meta(max_length=50)]
    """Tokens of the seats to ask about, at most 50."""
    ref: str | None = None
    """A text chosen by the client. The answer to this request has the same `ref`."""


class ShareSeats(msgspec.Struct, tag="share_seats", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Ask for a short code to fetch your seats on another device. The code works once, for 10 minutes."""

    tokens: Annotated[list[str], msgspec.Meta(min_length=1, max_length=50)]
    """Tokens of the seats to share, at most 50. Invalid tokens are ignored."""
    ref: str | None = None
    """A text chosen by the client. The answer to this request has the same `ref`."""


class FetchSeats(msgspec.Struct, tag="fetch_seats", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Fetch the seats that another device shared. Both devices then have the tokens of the seats."""

    code: Annotated[str, msgspec.Meta(max_length=40)]
    """Code from the answer to `share_seats`. Case, spaces and hyphens do not matter."""
    ref: str | None = None
    """A text chosen by the client. The answer to this request has the same `ref`."""


class InviteTo(msgspec.Struct, tag="invite", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Ask for an invitation to an open or reserved seat. Only the owner of the table may ask."""

    table: str
    """Id of the table."""
    owner: str
    """Token of the table's owner, from the answer to `create`."""
    seat: int | None = None
    """Number of the seat. Null for the first reserved seat without an invitation. If there is no such seat, the first
    open seat without an invitation is used.
    """
    ref: str | None = None
    """A text chosen by the client. The answer to this request has the same `ref`."""


class StartTable(msgspec.Struct, tag="start_table", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Start the game at a table now. The player in `fill` takes all free seats. Only the owner of the table may send
    this.
    """

    table: str
    """Id of the table."""
    owner: str
    """Token of the table's owner, from the answer to `create`."""
    fill: str = "builtin:greedy"
    """Player for the free seats: `builtin:NAME` or `bot:NAME`."""
    ref: str | None = None
    """A text chosen by the client. The answer to this request has the same `ref`."""


class LeaveSeat(msgspec.Struct, tag="leave", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Give up your seat, or stop watching. If the game is running, a substitute takes over your seat."""

    ref: str | None = None
    """A text chosen by the client. The answer to this request has the same `ref`."""


class Rematch(msgspec.Struct, tag="rematch", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Ask for another game at the same table after a game has ended. The new game starts when all remaining players
    have asked.
    """

    ref: str | None = None
    """A text chosen by the client. The answer to this request has the same `ref`."""


class Undo(msgspec.Struct, tag="undo", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Ask to take back your last move and everything after it, or answer such a request of another player.

    The move is taken back if all people at the table agree, and all of them have sent `undo` in their `join`. Built-in
    players and substitutes always agree. A move cannot be taken back if a random event followed it, or if it revealed
    hidden information. The request ends without effect at the next move, or after 60 seconds.
    """

    say: Literal["ask", "agree", "refuse"]
    """`ask`: ask to take back your move. `agree`, `refuse`: answer the request of another player."""
    ref: str | None = None
    """A text chosen by the client. The answer to this request has the same `ref`."""


class StandingOrder(msgspec.Struct, tag="standing_order", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Give a standing order. The server then answers for your seat until the order ends. The order also applies while
    you are not connected. Your seat has at most one order, and a new order replaces it. Other players do not see the
    order.
    """

    order: Order | None
    """The standing order. Null to cancel your order."""
    number: int | None = None
    """Number of the open request, as you know it. If another request is open by now, the order is refused with the code
    `stale_request`. Null to give the order without this check.
    """
    ref: str | None = None
    """A text chosen by the client. The answer to this request has the same `ref`."""


class WatchTable(msgspec.Struct, tag="watch", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Watch a table as a spectator. During the game you see only public information. After the end of the game you also
    see what was hidden.
    """

    table: str
    """Id of the table, or id of a game in the logs of the server."""
    pace_s: float = 0.0
    """For a game that has ended: seconds between two actions of the replay. 0 to receive all actions at once."""
    ref: str | None = None
    """A text chosen by the client. The answer to this request has the same `ref`."""


class Chat(msgspec.Struct, tag="chat", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Send a chat message to everybody at the table, or choose whether to receive chat messages."""

    text: str | None = None
    """Text to send, at most 300 characters. Null to send nothing and only set `on`."""
    on: bool = True
    """If `text` is null, whether to receive chat messages at this table and at later tables."""
    ref: str | None = None
    """A text chosen by the client. The answer to this request has the same `ref`."""


class Suppose(msgspec.Struct, tag="suppose", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Ask for the results of possible actions, without playing them. Only the seat to move may ask."""

    number: int
    """Number of the open request to your seat."""
    lines: list[list[Any]]
    """At most 100 sequences of actions to try out. Each has at most 30 actions. An empty sequence asks about the
    current position.
    """
    ref: str | None = None
    """A text chosen by the client. The answer to this request has the same `ref`."""


class AdminCommand(msgspec.Struct, tag="admin", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """A command of the server's owner, which needs the admin token."""

    token: str
    """The admin token."""
    command: Literal["status", "end_table", "shutdown", "ban", "unban", "bans"]
    """Name of the command. `status` and `bans` change nothing. Every command is answered with the status of the server,
    which includes all bans.
    """
    table: str | None = None
    """For `end_table`, the id of the table. Null for other commands."""
    address: str | None = None
    """For `ban` and `unban`, an address or a network such as `203.0.113.0/24`. Null for other commands."""
    minutes: Annotated[float, msgspec.Meta(gt=0)] | None = None
    """For `ban`, duration of the ban in minutes. Null for a permanent ban."""
    ref: str | None = None
    """A text chosen by the client. The answer to this request has the same `ref`."""


class Tables(msgspec.Struct, tag="tables", tag_field="type", frozen=True):
    """Answer to `list`: the tables that were found."""

    tables: list[TableInfo]
    """The tables, newest first."""
    ref: str | None = None
    """The `ref` of the request that this message answers. Null if the request had no `ref`."""
    total: int = 0
    """Number of all tables that were found, including tables that this answer leaves out."""


class TableCreated(msgspec.Struct, tag="created", tag_field="type", frozen=True):
    """Answer to `create`: the new table and the token of its owner."""

    table: TableInfo
    """The new table."""
    owner: str
    """Token of the table's owner. Keep it secret."""
    ref: str | None = None
    """The `ref` of the request that this message answers. Null if the request had no `ref`."""


class TableChanged(msgspec.Struct, tag="table", tag_field="type", frozen=True):
    """Notice that somebody joined the table, left it, disconnected or returned. Also the answer to `start_table`."""

    table: TableInfo
    """Current data of the table."""
    ref: str | None = None
    """The `ref` of the `start_table` request that this message answers. Null if the message is not an answer."""


class Seated(msgspec.Struct, tag="seated", tag_field="type", frozen=True):
    """Notice that you hold a seat. It is the answer to `sit` and `resume`, and is also sent when a rematch gives you a
    seat.
    """

    table: TableInfo
    """The table with its seats."""
    seat: int
    """Your seat."""
    token: str
    """Token of the seat. Use it to `resume` the seat after a disconnection. Anyone who has the token can play the seat,
    so keep it secret.
    """
    ref: str | None = None
    """The `ref` of the `sit` or `resume` request that this message answers. Null if the message is not an answer."""
    substituted_from: int | None = None
    """Number of the first action that a substitute played for you while you were not connected. Null if there was none.
    """


class HeldSeat(msgspec.Struct, frozen=True):
    """A seat that belongs to you because you have its token."""

    seat: int
    """Seat number, from 0."""
    table: TableInfo
    """Current data of the table. The spectator delay does not apply to this data."""
    ranks: list[int] | None
    """Rank of each seat, by seat. The winner has rank 1. A seat is ranked last if a substitute played its last moves.
    Null until the game has ended.
    """
    created_at: float = 0.0
    """Unix timestamp at which the table was created."""
    ended_at: float | None = None
    """Unix timestamp at which the game ended. Null until the game has ended."""
    reason: EndReason | None = None
    """Reason for the end of the game. Null until the game has ended. `interrupted`: the game was stopped, and its
    result does not count.
    """


class Held(msgspec.Struct, tag="held_seats", tag_field="type", frozen=True):
    """Answer to `held`: the seats that belong to the tokens in the request."""

    seats: list[HeldSeat | None]
    """The seat of each token in the request, in the same order. Null for a token that is not valid."""
    ref: str | None = None
    """The `ref` of the request that this message answers. Null if the request had no `ref`."""


class SeatsShared(msgspec.Struct, tag="seats_shared", tag_field="type", frozen=True):
    """Answer to `share_seats`: the code to enter on the other device."""

    code: str
    """The code. Anyone who enters it first gets the seats, so keep it secret."""
    valid_s: float
    """Seconds until the code expires."""
    seats: int
    """Number of seats that are shared."""
    ref: str | None = None
    """The `ref` of the request that this message answers. Null if the request had no `ref`."""


class SharedSeat(msgspec.Struct, frozen=True):
    """A seat that another device of the same person has shared with `share_seats`."""

    token: str
    """Token of the seat. Use it to `resume` the seat. Keep it secret."""
    held: HeldSeat
    """The seat and its table."""


class SeatsFetched(msgspec.Struct, tag="seats_fetched", tag_field="type", frozen=True):
    """Answer to `fetch_seats`: the seats that another device of the same person has shared."""

    seats: list[SharedSeat]
    """The shared seats, in the order of the tokens in `share_seats`. A seat that was lost after the sharing is left
    out.
    """
    ref: str | None = None
    """The `ref` of the request that this message answers. Null if the request had no `ref`."""


class Watching(msgspec.Struct, tag="watching", tag_field="type", frozen=True):
    """Answer to `watch`: the table that you now watch. If its game has started, a `start` and an `update` with the
    current position follow.
    """

    table: TableInfo
    """The table with its seats."""
    ref: str | None = None
    """The `ref` of the request that this message answers. Null if the request had no `ref`."""


class Invited(msgspec.Struct, tag="invited", tag_field="type", frozen=True):
    """Answer to `invite`: an invitation to a seat."""

    table: str
    """Id of the table."""
    seat: int
    """Number of the seat, which is now reserved."""
    invite: str
    """Token of the invitation, to give to the guest. The token works once, for this seat only."""
    ref: str | None = None
    """The `ref` of the request that this message answers. Null if the request had no `ref`."""


class Left(msgspec.Struct, tag="left", tag_field="type", frozen=True):
    """Answer to `leave`: confirmation that you left a table."""

    table: str
    """Id of the table that was left."""
    ref: str | None = None
    """The `ref` of the request that this message answers. Null if the request had no `ref`."""


class ChatLine(msgspec.Struct, frozen=True):
    """A chat message at a table."""

    number: int
    """Number of the chat message at its table, from 1. If the server sends a message again, its number is the same."""
    seat: int | None
    """Seat of the player who wrote the chat message. Null for a spectator."""
    name: str
    """Name of the player or spectator who wrote the chat message."""
    text: str
    """Text of the chat message. It is plain text on one line, to be shown unchanged."""


class ChatLines(msgspec.Struct, tag="said", tag_field="type", frozen=True):
    """Chat messages at a table. Sent when somebody writes, and as the answer to `chat`."""

    table: str
    """Id of the table. Empty if you are not at a table."""
    lines: list[ChatLine]
    """The chat messages, oldest first."""
    ref: str | None = None
    """The `ref` of the `chat` request that this message answers. Null if the message is not an answer."""


class UndoAsked(msgspec.Struct, tag="undo_asked", tag_field="type", frozen=True):
    """Notice about a request to take back a move, for clients that sent `undo` in their `join`."""

    table: str
    """Id of the table."""
    seat: int
    """The seat that wants to take back a move."""
    name: str
    """Name of the player in that seat."""
    state: UndoState
    """State of the request. `asked`: the other players are asked to agree. `refused`: a player refused. `over`: not all
    players answered in time, or somebody moved. `done`: the move is taken back. After `done`, a `start` and the events
    before the move follow.
    """
    by: int
    """Seat that caused this notice: it has just asked, agreed or refused. With `over`, the seat that asked. When a
    player returns, the notice is sent to this player again. `by` is then the player's own seat if the player has agreed
    already, and otherwise the seat that asked.
    """
    ref: str | None = None
    """The `ref` of the `undo` request that this message answers, if you sent the request. Otherwise null."""


class OrderNotice(msgspec.Struct, tag="order", tag_field="type", frozen=True):
    """Notice about the standing order of your seat. It is the answer to `standing_order`. It is sent again when the
    order ends, and when you return to your seat. Other players do not receive it.
    """

    table: str
    """Id of the table."""
    order: Order | None
    """Your standing order. Null if you have none, because it has ended or you cancelled it."""
    words: str
    """Sentence that describes the order, or the reason for its end. Empty if you cancelled the order."""
    ref: str | None = None
    """The `ref` of the `standing_order` request that this message answers. Null if the message is not an answer."""


class SupposedLine(msgspec.Struct, frozen=True):
    """Result of one sequence of actions in a `suppose` request. It contains what your seat can know in advance."""

    events: list[Any]
    """Events that the actions would cause. The list ends before the first event that is random or reveals hidden
    information.
    """
    view: Any
    """Your view of the position after the actions. Null if the position depends on random events or hidden information.
    """
    legal: list[Any]
    """Legal actions of the seat to move after the actions. Empty if they are not known in advance, or if the game has
    ended.
    """
    error: str | None = None
    """Reason why the actions cannot be played. It names the number of the wrong action. All other fields are then empty
    or null. Null if the actions can be played.
    """


class Supposed(msgspec.Struct, tag="supposed", tag_field="type", frozen=True):
    """Answer to `suppose`: the results of the sequences of actions in the request. None of these actions is played."""

    number: int
    """Number of the open request."""
    results: list[SupposedLine]
    """One result for each sequence of actions in `lines` of the request, in the same order."""
    ref: str | None = None
    """The `ref` of the request that this message answers. Null if the request had no `ref`."""


class Status(msgspec.Struct, tag="status", tag_field="type", frozen=True):
    """Status of the server: numbers of connections, tables and actions, and all bans. It is the answer to every `admin`
    command.
    """

    connections: int
    """Number of open connections."""
    tables: dict[str, int]
    """Mapping from the name of each state to the number of tables in this state."""
    moves: int
    """Number of actions and forced passes since the server started. Those at a table with a spectator delay are counted
    after the delay.
    """
    ref: str | None = None
    """The `ref` of the request that this message answers. Null if the request had no `ref`."""
    bans: dict[str, float | None] = {}
    """Mapping from each banned address or network to the minutes left of the ban. Null for a permanent ban."""


LobbyRequest = (
    ListTables
    | CreateTable
    | TakeSeat
    | ResumeSeat
    | ListHeld
    | ShareSeats
    | FetchSeats
    | InviteTo
    | StartTable
    | LeaveSeat
    | Rematch
    | Undo
    | StandingOrder
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
    | SeatsShared
    | SeatsFetched
    | Watching
    | Invited
    | Left
    | ChatLines
    | UndoAsked
    | OrderNotice
    | Supposed
    | Shown
    | SinceShown
    | AdviceShown
    | Status
)
