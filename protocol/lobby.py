"""The lobby of a websocket server: tables are listed, made, joined and watched with these messages.

Requests may carry a `ref` of the client's choice; the answer, or the error, repeats it.
"""

from typing import Annotated, Any, Literal

import msgspec

from protocol.live_view import AdviceShown, Show, Shown

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
    """The first action that is played again."""


class SeatInfo(msgspec.Struct, frozen=True):
    """One seat of a table."""

    seat: int
    """Its number."""
    kind: SeatKind
    """`open`: anybody may take it; `reserved`: by invitation; `player`: taken; `builtin`, `bot`: the server's."""
    name: str | None
    """Who sits there."""
    connected: bool
    """Whether a player is there right now; always true for those played by the server."""
    substitute: bool = False
    """Whether a substitute plays for the player at the moment."""


class TableInfo(msgspec.Struct, frozen=True):
    """A table as everybody may see it."""

    table: str
    """Its id."""
    name: str
    """What its maker called it."""
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
    """Private tables are in no list; one needs their id, and an invitation to sit down."""
    seats: list[SeatInfo]
    """All seats in order."""
    actions: int
    """Actions played so far."""
    scores: list[int] | None
    """The final scores, once it has ended."""
    board: str = "standard"
    """The board it is played on: `standard`, or one of those that the server's owner offers."""
    openings: OpeningKind | Literal["book"] = "none"
    """What it starts from: `none` is the beginning of the game, `drawn` an opening that is drawn from the seed; logged
    games may start from one of a `book`."""
    to_move: int | None = None
    """The seat that is to move; null if none is, and for everybody but its players at a table with a spectator
    delay."""
    chat: bool = False
    """Whether those at the table can chat."""
    branch: BranchPoint | None = None
    """The position that it was played on from, if any."""
    undo: bool = False
    """Whether a move can be taken back here when all people agree."""


class ListTables(msgspec.Struct, tag="list", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Asks for the public tables."""

    search: str = ""
    """Only those whose name, game, id or player contains this, whatever the case."""
    game: str | None = None
    """Only those of this game."""
    state: TableState | None = None
    """Only those in this state."""
    skip: Annotated[int, msgspec.Meta(ge=0)] = 0
    """Leaves out this many, from the first: those that an earlier answer had."""
    ref: str | None = None
    """Repeated in the answer."""


class CreateTable(msgspec.Struct, tag="create", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Creates a table. It starts by itself when its last seat is taken."""

    game: str
    """Name of the game."""
    players: int
    """Number of players."""
    options: dict[str, str] = {}
    """Options of the game; what is left out has its default."""
    clock: str = "none"
    """The time for each seat: `60+0.5`, `10/move`, both with a comma between them, or `none`."""
    name: str = ""
    """What to call the table."""
    private: bool = False
    """Leave it out of lists; seats are taken by invitation only."""
    seats: list[str | None] = []
    """By seat: null is open; `builtin:NAME` or `bot:NAME` is played by the server; `reserved` is by invitation."""
    watch_delay_s: float = 0.0
    """Spectator delay: spectators see everything this many seconds late."""
    board: str = "standard"
    """The board to play on: `standard`, or one of those that the server's owner offers."""
    openings: OpeningKind = "none"
    """What to start from: `none` is the beginning of the game, `drawn` an opening that is drawn from the seed."""
    chat: bool = True
    """Whether those at the table can chat, if the server allows it."""
    branch: BranchPoint | None = None
    """Play on from this position instead; then options, board and opening are those of that game."""
    undo: bool = True
    """Whether a move can be taken back when all people agree; never where a `bot:NAME` plays."""
    ref: str | None = None
    """Repeated in the answer."""


class TakeSeat(msgspec.Struct, tag="sit", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Takes a seat. A connection holds one seat at a time."""

    table: str
    """Id of the table."""
    seat: int | None = None
    """Which seat; null for the first that is free."""
    name: str | None = None
    """What to be called; else the name of `join`."""
    invite: str | None = None
    """The token of an invitation, for a reserved seat or a private table."""
    ref: str | None = None
    """Repeated in the answer."""


class ResumeSeat(msgspec.Struct, tag="resume", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Comes back to a seat, from anywhere. An older connection to the same seat is told and closed."""

    token: str
    """The token that was handed out when the seat was taken."""
    ref: str | None = None
    """Repeated in the answer."""


class ListHeld(msgspec.Struct, tag="held", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Asks how the tables stand where one holds seats, without going there."""

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
    """Starts a table now; who plays the seats that are still free is said with `fill`. For the owner of the table."""

    table: str
    """Id of the table."""
    owner: str
    """The owner's token."""
    fill: str = "builtin:greedy"
    """`builtin:NAME` or `bot:NAME`."""
    ref: str | None = None
    """Repeated in the answer."""


class LeaveSeat(msgspec.Struct, tag="leave", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Gives the seat up, or stops watching. In a running game a substitute takes over."""

    ref: str | None = None
    """Repeated in the answer."""


class Rematch(msgspec.Struct, tag="rematch", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """After the end: the same again. It starts when all players who are still there have asked for it."""

    ref: str | None = None
    """Repeated in the answer."""


class Undo(msgspec.Struct, tag="undo", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Asks to take back one's last move and all after it, or answers somebody who does. All people at the table have to
    agree, and all have to have said `undo` with their `join`; players of the server and substitutes agree. What chance
    or a reveal brought to light is not taken back. The wish ends with the next move, or after 60 seconds."""

    say: Literal["ask", "agree", "refuse"]
    """What you want."""
    ref: str | None = None
    """Repeated in the answer."""


class WatchTable(msgspec.Struct, tag="watch", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Watches a table: the public view while it is played, all seats once it has ended."""

    table: str
    """Id of the table, or of a logged game."""
    pace_s: float = 0.0
    """For a game that has ended: seconds between two actions; 0 tells it all at once."""
    ref: str | None = None
    """Repeated in the answer."""


class Chat(msgspec.Struct, tag="chat", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Says something to the others at the table, or asks to hear what is said there."""

    text: str | None = None
    """What to say, at most 300 characters; null asks to hear what others say, here and at later tables."""
    on: bool = True
    """False, without a text: no more."""
    ref: str | None = None
    """Repeated in the answer."""


class Suppose(msgspec.Struct, tag="suppose", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Asks what answers to the open request would bring, without giving them. For the seat that is to move."""

    number: int
    """Number of the open request."""
    lines: list[list[Any]]
    """At most 100 lines, each of at most 30 actions one after another; an empty line is the position as it is."""
    ref: str | None = None
    """Repeated in the answer."""


class AdminCommand(msgspec.Struct, tag="admin", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """A command of the server's owner."""

    token: str
    """The admin token."""
    command: Literal["status", "end_table", "shutdown", "ban", "unban", "bans"]
    """What to do; `bans` only tells who is banned."""
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
    """That of the request."""
    total: int = 0
    """How many there are, with those that are left out."""


class TableCreated(msgspec.Struct, tag="created", tag_field="type", frozen=True):
    """Answers `create`."""

    table: TableInfo
    """The new table."""
    owner: str
    """The owner's token: keep it secret."""
    ref: str | None = None
    """That of the request."""


class TableChanged(msgspec.Struct, tag="table", tag_field="type", frozen=True):
    """Tells those at a table who came, left, was lost or came back, and answers `start_table`."""

    table: TableInfo
    """The table as it is now."""
    ref: str | None = None
    """That of the request."""


class Seated(msgspec.Struct, tag="seated", tag_field="type", frozen=True):
    """Answers `sit` and `resume`, and tells of the seat in a rematch."""

    table: TableInfo
    """The table."""
    seat: int
    """Your seat."""
    token: str
    """Your token: whoever has it plays this seat, so keep it secret; `resume` with it after a disconnection."""
    ref: str | None = None
    """That of the request."""
    substituted_from: int | None = None
    """The number of the first action that a substitute played for you, if one did since you were last here."""


class HeldSeat(msgspec.Struct, frozen=True):
    """A seat that belongs to a token."""

    seat: int
    """Its number."""
    table: TableInfo
    """The table, also with what spectators see late."""
    ranks: list[int] | None
    """Rank by seat, once the game has ended: 1 has won."""


class Held(msgspec.Struct, tag="held_seats", tag_field="type", frozen=True):
    """Answers `held`."""

    seats: list[HeldSeat | None]
    """By token, in the order of the request; null where no seat belongs to it any more."""
    ref: str | None = None
    """That of the request."""


class Watching(msgspec.Struct, tag="watching", tag_field="type", frozen=True):
    """Answers `watch`; a `start` and an `update` with the position so far follow if the game has started."""

    table: TableInfo
    """The table."""
    ref: str | None = None
    """That of the request."""


class Invited(msgspec.Struct, tag="invited", tag_field="type", frozen=True):
    """Answers `invite`."""

    table: str
    """Id of the table."""
    seat: int
    """The seat that is kept."""
    invite: str
    """The token to hand to the guest: good for this seat, once."""
    ref: str | None = None
    """That of the request."""


class Left(msgspec.Struct, tag="left", tag_field="type", frozen=True):
    """Answers `leave`."""

    table: str
    """Id of the table that was left."""
    ref: str | None = None
    """That of the request."""


class ChatLine(msgspec.Struct, frozen=True):
    """Something that was said at a table."""

    number: int
    """Counted from 1 at each table; a line that comes twice has the same number."""
    seat: int | None
    """The seat of the player who said it; null for a spectator."""
    name: str
    """Who said it."""
    text: str
    """What was said: one line of plain text, to be shown as it is."""


class Said(msgspec.Struct, tag="said", tag_field="type", frozen=True):
    """Tells what was said at a table, and answers `chat`."""

    table: str
    """Id of the table; empty if you are at none."""
    lines: list[ChatLine]
    """The oldest first."""
    ref: str | None = None
    """That of the request."""


class UndoAsked(msgspec.Struct, tag="undo_asked", tag_field="type", frozen=True):
    """Tells those at a table who said `undo` with their `join` of a wish to take a move back."""

    table: str
    """Id of the table."""
    seat: int
    """Who wants to take a move back."""
    name: str
    """The name of that player."""
    state: UndoState
    """`asked`: all others are asked to agree; `refused`: one did not; `over`: it was left without an answer, or
    somebody moved; `done`: it is taken back, and a `start` and the story from before the move follow."""
    by: int
    """The seat that has just asked, agreed or refused; to one who comes back, who asks, or that seat itself if it has
    agreed."""
    ref: str | None = None
    """That of the request, for the one who made it."""


class SupposedLine(msgspec.Struct, frozen=True):
    """What one line of actions would bring, as far as your seat can foresee it."""

    events: list[Any]
    """What would happen, until chance has a say."""
    view: Any
    """Your view thereafter; null if chance, or what others hide, has a say in it."""
    legal: list[Any]
    """What could be answered then, by you or, in a game without secrets, by the seat that `view.question` names."""
    error: str | None = None
    """Why the line cannot be played, naming the step; the other fields are then empty."""


class Supposed(msgspec.Struct, tag="supposed", tag_field="type", frozen=True):
    """Answers `suppose`."""

    number: int
    """Number of the request."""
    results: list[SupposedLine]
    """One for each line, in order."""
    ref: str | None = None
    """That of the request."""


class Status(msgspec.Struct, tag="status", tag_field="type", frozen=True):
    """Answers `admin`."""

    connections: int
    """Open connections."""
    tables: dict[str, int]
    """Tables by state."""
    moves: int
    """Actions played since the server started."""
    ref: str | None = None
    """That of the request."""
    bans: dict[str, float | None] = {}
    """Who is banned, and for how many minutes more; null is for good."""


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
