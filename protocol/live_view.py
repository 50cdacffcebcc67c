"""Display messages: drawings and descriptions of a game table, made by the server for clients such as the web page."""

from typing import Any, Literal

import msgspec

from rails_cli.protocol.messages import ClockLeft, EndReason


class Show(msgspec.Struct, tag="show", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Ask for display messages about the table where you play or watch. With `steps`, `hint` or `why`, ask about your
    open request without playing anything. The `number` of that request is then needed.
    """

    on: bool = True
    """Whether display messages are sent to you. False stops them."""
    number: int | None = None
    """Number of your open request. Needed only with `steps`, `hint` or `why`."""
    steps: list[Any] | None = None
    """Actions to try out, at most 30. The answer shows the position after these actions and your possible next answers.
    Null to try out nothing.
    """
    preview: bool = False
    """With `steps`, whether to describe the effect of these actions in words instead of showing the position."""
    hint: bool = False
    """Whether to ask for a good move. With `steps`, the answer rates these actions if they complete a move. Otherwise
    it suggests how to complete the move. The server refuses hints at tables without hints.
    """
    why: str | None = None
    """Name of a place on the board, a piece or a company, such as `R2`. The answer explains why this place, piece or
    company cannot be chosen, after the actions `steps`. Null to ask nothing.
    """
    ratio: float | None = None
    """Width divided by height of the space in which the client shows the board. Some boards are drawn to fill this
    space. Null for the usual drawing.
    """
    since: bool = False
    """Whether to ask for what happened since you were last to move, event by event. Allowed only if you have a seat and
    `others_moved` was true in the last `shown` message.
    """
    ref: str | None = None
    """A text chosen by the client. The answer to this request has the same `ref`."""


class TableShown(msgspec.Struct, frozen=True, gc=False):
    """A table of values with rows and columns, to display."""

    title: str
    """Heading of the table of values."""
    corner: str
    """Heading of the first column, which contains the names of the rows."""
    columns: list[tuple[str, str, str, str]]
    """Name, kind, colour and symbol of each column. The kind is `money`, `count`, `text`, or `gauge` for values such as
    `3/5`. The symbol is a short text to show on the colour. Colour and symbol are empty if the column has none.
    """
    rows: list[tuple[str, str, str]]
    """Name, colour and symbol of each row. The symbol is a short text to show on the colour. Colour and symbol are
    empty if the row has none.
    """
    cells: list[list[int | str | None]]
    """Values by row and column. Null if a value is hidden or does not exist."""


class PlayerShown(msgspec.Struct, frozen=True, gc=False):
    """The main possessions of a player, to display beside the name."""

    cash: int | None
    """Cash or score, in the `unit` of the `shown` message. Null if it is hidden."""
    due: int | None = None
    """Dollars that the player would receive if all companies paid a dividend now. Null in games without dividends."""
    shares: list[tuple[str, str, str, int]] = []
    """Name, colour and symbol of each company in which the player holds shares, and the number of these shares."""
    note: str = ""
    """Other possessions in words, such as `9 properties, 4 pieces`."""


class TileShown(msgspec.Struct, frozen=True, gc=False):
    """A tile that stands for an answer, such as a piece of track in your hand."""

    title: str
    """Short name of the tile, such as the id of a piece."""
    price: str
    """Price of the answer, such as `$4k`."""
    picture: str
    """Id of a shape in the definitions of the board's drawing. The shape is 150 units wide, 34 high, and its middle is
    at the origin.
    """
    places: list[tuple[str, str]]
    """Name and colour of each place that the tile connects."""
    effect: str
    """Effect of the answer in words, including payments to other players. Empty if the answer has no effect on the
    game.
    """
    gain: str = ""
    """Your gain from the answer in words. Empty if you gain nothing."""


class ChoiceShown(msgspec.Struct, frozen=True, gc=False):
    """A possible answer to the open question."""

    words: str
    """The answer in plain words."""
    command: str
    """Command that a player enters at a terminal to give this answer."""
    preview: str
    """Effect of the answer in words. Empty if the effect is obvious."""
    places: list[str]
    """Ids of the places on the board that the answer concerns."""
    action: Any
    """Action to send for this answer. For a bid, the lowest bid."""
    more: bool
    """Whether you are asked another question in the same turn after this answer."""
    min: int | None = None
    """Lowest bid in dollars. Null if the answer is not a bid."""
    max: int | None = None
    """Highest bid in dollars. Null if the answer is not a bid."""
    group: str = ""
    """Heading under which to list the answer, such as the company that builds. Empty for no heading."""
    short: str = ""
    """Short form of `words` that does not repeat the heading in `group`."""
    short_preview: str = ""
    """Short form of `preview`."""
    act: str = ""
    """Text for a button that gives this answer, such as `Buy in Yuma for $3,000`."""
    paint: str = ""
    """For an answer that builds on the board, the colour of the company that builds. Empty for other answers."""
    price: int | None = None
    """For an answer that builds on the board, the dollars that the company pays. Null for other answers."""
    tile: TileShown | None = None
    """The answer as a tile, to show instead of its words. Null if the game has no tile for the answer."""


class QuestionShown(msgspec.Struct, frozen=True, gc=False):
    """The open question that you have to answer, and its possible answers."""

    number: int
    """Number of the open request."""
    words: str
    """The question in plain words."""
    explained: str
    """Advice on how to answer the question."""
    rules: list[str]
    """Texts of the rules that apply to the question."""
    choices: list[ChoiceShown]
    """All possible answers. Empty if your turn is complete after the `steps` of a `show` request."""
    barred: list[TileShown] = []
    """Tiles that you hold but cannot choose now. The `effect` of each tile contains the reason."""
    repeats_pass: bool = False
    """Whether a pass may be worth repeating, so that clients can offer to pass until your choices change."""


class StepShown(msgspec.Struct, frozen=True, gc=False):
    """One of the actions that a `show` request tries out in `steps`. The tried action has not been played."""

    words: str
    """The action in plain words."""
    action: Any
    """The action in JSON, to send if you play the step."""
    short: str = ""
    """Short form of `words`."""


class SupposedShown(msgspec.Struct, frozen=True, gc=False):
    """Result of the actions that a `show` request tries out in `steps`. The actions have not been played."""

    steps: list[StepShown]
    """The actions that were tried out, in order."""
    total: str
    """Combined effect of the actions, in words."""
    events: list[str]
    """Events that the actions would cause, in words, up to the first random event."""
    done: bool
    """Whether the actions complete your turn."""
    revocable: bool = True
    """Whether the actions can still be taken back after you send them. False if they cause a random event or reveal
    hidden information.
    """


class LessonTextShown(msgspec.Struct, frozen=True, gc=False):
    """A text of a lesson that explains one idea."""

    words: str
    """The text to read."""
    rules: list[str]
    """Texts of the rules that the idea is based on."""


class LessonStepShown(msgspec.Struct, frozen=True, gc=False):
    """One action that a lesson asks for."""

    texts: list[LessonTextShown]
    """Texts to read before the action. Empty if the action needs no new explanation."""
    action: Any
    """The action to send."""
    command: str
    """Command that a player enters at a terminal to play the action."""
    words: str
    """The action in plain words."""
    why: list[str]
    """Sentences with reasons for the action."""


class LessonShown(msgspec.Struct, frozen=True, gc=False):
    """Your open question in a lesson: the texts to read and the actions to play."""

    earlier: list[LessonTextShown]
    """The texts that were shown with earlier questions, beginning with the welcome text."""
    steps: list[LessonStepShown]
    """The actions of this turn, in order. There is at least one."""
    total: int
    """Number of all texts of the game's lessons. Some of them may not be shown in this game."""


class AuctionShown(msgspec.Struct, frozen=True, gc=False):
    """The auction in progress."""

    company: str
    """Name of the company whose share is sold."""
    what: str
    """Word for what is sold, such as `share`."""
    paint: str
    """Colour of the company."""
    symbol: str
    """Short text, such as a letter, that stands for the company on the board."""
    minimum: int
    """Lowest bid allowed now, in dollars."""
    bids: list[tuple[int, int | None]]
    """Bids and passes so far, in order, each with its seat and amount in dollars. The amount of a pass is null."""
    leader: int | None
    """Seat that made the highest bid. Null before the first bid."""
    bid: int | None
    """Highest bid so far, in dollars. Null before the first bid."""
    still_in: list[int]
    """The seats that have not passed in this auction."""


class SpaceShown(msgspec.Struct, frozen=True, gc=False):
    """A space of an action track."""

    name: str
    """Name of the space."""
    note: str
    """Effect of the space, in few words."""
    command: str
    """The `command` of the answer that takes the space."""
    taken: list[int | None]
    """Seat on the space in each column of the track. Null for a free space."""


class ActionTrackShown(msgspec.Struct, frozen=True, gc=False):
    """A track of actions that players take by moving to a space, in one column after another."""

    about: str
    """Sentence about the order of the spaces. Empty if the order does not matter."""
    columns: list[str]
    """Heading of each column."""
    now: int
    """Index of the column in which players take spaces now."""
    spaces: list[SpaceShown]
    """The spaces, from top to bottom."""


class CalendarShown(msgspec.Struct, frozen=True, gc=False):
    """The years or rounds of a game."""

    names: list[str]
    """Name of each year or round, such as `1851`."""
    now: int
    """Index in `names` of the current year or round, from 0."""


class ResultShown(msgspec.Struct, frozen=True, gc=False):
    """The result of a game that has ended."""

    scores: list[int]
    """Final scores, by seat, in the `unit` of the `shown` message."""
    ranks: list[int]
    """Rank of each seat, by seat. The winner has rank 1. Seats in `substituted` are ranked last."""
    words: list[str]
    """Reasons for the end of the game, in words."""
    substituted: list[int] = []
    """Seats that a substitute played at the end of the game. Their results do not count as results of their players."""
    actions: int = 0
    """Number of actions in the game."""
    reason: EndReason = "normal"
    """Reason for the end of the game. `normal` if the game was played to its end."""
    sources: list[list[tuple[str, int]]] = []
    """For each seat, pairs of a name and an amount in dollars: the cash at the start, and the total of each kind of
    income, such as `dividends`. Expenses are negative. The sum of the amounts is the score of the seat. Empty if
    scores of the game are not money.
    """


class BoardShown(msgspec.Struct, frozen=True, gc=False):
    """Drawing of an empty board, which does not change during a game."""

    svg: str
    """The empty board as an SVG image. Each SVG group with a `data-place` attribute is a place on the board."""
    legend: str
    """Explanation of the symbols on the board."""
    flexible: bool = False
    """Whether the drawing depends on the `ratio` of the `show` request."""


MarkShown = tuple[int, str, Literal["path", "text", "use"], tuple[tuple[str, str], ...], str]
"""A mark on the drawing of a board: its number, the name of a layer of the drawing, and the name, attributes and text
of an SVG element.
"""


EventKind = Literal["build", "sale", "payment", "finale", "other"]


class EventShown(msgspec.Struct, frozen=True, gc=False):
    """Changes that one event of the game made. A client can show the events one after another."""

    seat: int | None
    """Seat whose action caused the event. Null if the event names no seat."""
    kind: EventKind
    """`build`: something was placed on the board. `sale`: a player bought something. `payment`: players received money.
    `finale`: the event belongs to the end of the game.
    """
    places: list[str]
    """Ids of the places on the board that the event changed."""
    money: list[tuple[int, int]]
    """Seats whose money changed, each with the change in dollars. Changes that you may not see are left out."""
    put: list[MarkShown]
    """Marks to add to the drawing of the board when this event is shown."""
    taken: list[int]
    """Numbers of the marks to remove from the drawing of the board when this event is shown."""
    auction: AuctionShown | None
    """The auction in progress after this event. Null if there is no auction."""
    cells: list[tuple[int, int, int, int | str | None]] = []
    """Cells of `tables` with new values after this event: index of the table, row, column, and the value."""
    players: list[tuple[int, PlayerShown]] = []
    """Seats whose possessions are different after this event, each with all its possessions."""


class Shown(msgspec.Struct, tag="shown", tag_field="type", frozen=True, gc=False):
    """Display message: the current state of the table, and the events since the last display message."""

    table: str
    """Id of the table."""
    title: str
    """Title of the game."""
    seat: int | None
    """Your seat. Null if you are a spectator."""
    names: list[tuple[str, str, str]]
    """Name, colour and symbol of each player, by seat. The symbol is the number of the seat as text, from 1."""
    board: BoardShown | None
    """Drawing of the empty board. Sent in the first message about a table and after `show`, otherwise null."""
    put: list[MarkShown]
    """Marks to add to the drawing of the board. Each mark has a number, the name of a layer of the drawing, and the
    name, attributes and text of an SVG element.
    """
    taken: list[int]
    """Numbers of the marks to remove from the drawing of the board."""
    tables: list[TableShown]
    """Tables of values, such as the holdings of the players."""
    players: list[PlayerShown]
    """Main possessions of each player, by seat. Empty for a game that does not provide them."""
    sent_before: int
    """Number of sentences about the game that were sent in earlier messages. The sentences in `story` follow them."""
    story: list[str]
    """New sentences about events of the game."""
    events: list[EventShown]
    """Changes that the new events made, one entry for each sentence of `story`. If the `put` and `taken` of all entries
    are applied in order, the drawing is the same as with `put` and `taken` of this message. Empty in the first message
    about a table, and if there are too many new events to list.
    """
    fresh: int
    """Number of the latest sentences that describe events since you were last to move. Earlier messages may contain
    some of these sentences. For a spectator, the length of the last `story` that was not empty. Events before you first
    saw the table are not counted.
    """
    moved: bool
    """Whether you have made a move at this table that was not taken back. Moves before a restart of the server do not
    count. False for a spectator.
    """
    stage: list[str]
    """Sentences about the state of the game and the open decision."""
    asked: int | None
    """Seat to move. Null when the game has ended."""
    auction: AuctionShown | None
    """The auction in progress. Null if there is no auction."""
    clocks: list[ClockLeft | None]
    """Time that each seat has left, by seat. Null for a seat without a clock."""
    question: QuestionShown | None
    """The open question that you have to answer. Null if it is not your turn."""
    supposed: SupposedShown | None
    """Result of the `steps` in a `show` request, if the message shows the position after these steps. Otherwise null.
    """
    result: ResultShown | None
    """Result of the game. Null until the game has ended."""
    lesson: LessonShown | None = None
    """Texts to read and actions to play at a table with a lesson. Null at other tables, if it is not your turn, and in
    an answer about `steps`.
    """
    others_moved: bool = False
    """Whether a `show` request with `since` is allowed, because something except your own moves has happened since you
    were last to move. False for a spectator, in an answer about `steps`, and if there are too many events to list.
    """
    track: ActionTrackShown | None = None
    """The action track. Null for a game without an action track, and while players take no spaces, as in an opening."""
    calendar: CalendarShown | None = None
    """The years or rounds of the game. Null for a game without a fixed number of rounds."""
    revocable: bool = False
    """Whether your last move can be taken back if the table allows it. False if you have not moved, or if a random
    event or hidden information followed the move.
    """
    unit: str = "$"
    """Unit of scores and cash: `$`, which stands before the number, or a word after it, such as `points`."""
    ref: str | None = None
    """The `ref` of the request that this message answers. Null if the request had none, or if the message is not an
    answer.
    """


class SinceShown(msgspec.Struct, tag="since", tag_field="type", frozen=True, gc=False):
    """Answer to a `show` request with `since`: the events since you were last to move."""

    put: list[MarkShown]
    """Marks on the drawing of the board when you were last to move."""
    story: list[str]
    """Sentences about the events since you were last to move."""
    events: list[EventShown]
    """Changes that the events made, one entry for each sentence of `story`. If all entries are applied in order to a
    drawing with the marks in `put`, the result is the current drawing.
    """
    tables: list[TableShown] = []
    """The tables of values when you were last to move."""
    players: list[PlayerShown] = []
    """The possessions of each player when you were last to move, by seat."""
    ref: str | None = None
    """The `ref` of the request that this message answers. Null if the request had none."""


class AdviceShown(msgspec.Struct, tag="advice", tag_field="type", frozen=True, gc=False):
    """Advice in words: the answer to a `show` request with `hint`, `why` or `preview`."""

    words: list[str]
    """Sentences of the advice."""
    command: str | None = None
    """For a hint, the `command` of the suggested answer to the open question. Null if no answer is suggested."""
    steps: list[Any] = []
    """For a hint, the actions of the whole suggested move that follow the `steps` of the request. For `why`, actions of
    this turn that lead to the named place. Empty if there are no such actions.
    """
    limit: int | None = None
    """For a hint whose suggested answer is a bid, the highest amount worth bidding, in dollars. Null if only the lowest
    bid is worth making, or if no bid is suggested.
    """
    ref: str | None = None
    """The `ref` of the request that this message answers. Null if the request had none."""
