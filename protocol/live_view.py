"""Display messages: drawings and descriptions of a table, sent by the server to clients such as the web page."""

from typing import Any, Literal

import msgspec

from rails_cli.protocol.messages import ClockLeft, EndReason


class Show(msgspec.Struct, tag="show", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Ask for display messages about the table where you play or watch.

    With `steps`, `hint` or `why`, the message asks about your open request. Nothing is played. The `number` of the open
    request is then needed.
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
    """Whether to ask for a good move. Without `steps`, the answer suggests a whole move. With `steps`, it rates these
    actions if they are a whole move, and otherwise suggests how to continue. The server refuses hints at tables without
    hints.
    """
    why: str | None = None
    """Ask why something cannot be chosen: the name of a place on the board, a piece or a company, such as `R2`. The
    answer gives the reason in the position after the actions `steps`. Null to ask nothing.
    """
    ratio: float | None = None
    """Width of the client's space for the board, divided by its height. Some boards are drawn to fill this space. Null
    for the usual drawing.
    """
    since: bool = False
    """Whether to ask what happened since you were last to move. The answer shows the events one by one. Allowed only if
    you have a seat and `others_moved` was true in the last `shown` message.
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
    """Name, kind, colour and symbol of each column. The kind is `money`, `count`, `text`, `gauge` for values such as
    `3/5`, or `owners` for values such as `01-`: for each share the index of the seat that holds it, or `-`. The symbol
    is a short text that is shown on the colour. Without a colour or symbol, the text is empty.
    """
    rows: list[tuple[str, str, str]]
    """Name, colour and symbol of each row. The symbol is a short text that is shown on the colour. Without a colour or
    symbol, the text is empty.
    """
    cells: list[list[int | str | None]]
    """Values by row and column. Null if a value is hidden or does not exist."""


class PlayerShown(msgspec.Struct, frozen=True, gc=False):
    """The main possessions of a player, to display beside the player's name."""

    cash: int | None
    """Cash or score, in the `unit` of the `shown` message. Null if it is hidden."""
    due: int | None = None
    """Total dollars that the player would get from dividends if every company paid one now. Null in games without
    dividends.
    """
    shares: list[tuple[str, str, str, int]] = []
    """Name, colour and symbol of each company in which the player holds shares, and the number of these shares."""
    note: str = ""
    """Other possessions in words, such as `9 properties, 4 pieces`."""


class TileShown(msgspec.Struct, frozen=True, gc=False):
    """A tile: a picture of something that you can play, such as a piece of track in your hand."""

    title: str
    """Short name of the tile, such as the id of a piece."""
    price: str
    """Price that you pay if you play the tile, such as `$4k`."""
    picture: str
    """Id of a shape in the definitions of the board's SVG drawing. The shape is 150 units wide and 34 units high. The
    middle of the shape is at the origin.
    """
    places: list[tuple[str, str]]
    """Name and colour of each place that the tile connects."""
    effect: str
    """Effect of playing the tile in words, including payments to other players. Empty if it has no effect on the game.
    """
    gain: str = ""
    """What you gain by playing the tile, in words. Empty if you gain nothing."""


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
    """Whether another question in the same turn follows this answer."""
    min: int | None = None
    """Lowest bid in dollars. Null if the answer is not a bid."""
    max: int | None = None
    """Highest bid in dollars. Null if the answer is not a bid."""
    group: str = ""
    """Heading under which the answer is listed, such as the company that builds. Empty for no heading."""
    short: str = ""
    """Short form of `words`, for use under the heading in `group`. It leaves out what the heading says."""
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
    """Tiles that you hold but cannot choose now. The `effect` of each tile is the reason."""
    repeats_pass: bool = False
    """Whether a client should offer to pass until your choices change. True if you may want to pass several times in a
    row.
    """


class StepShown(msgspec.Struct, frozen=True, gc=False):
    """One of the `steps` in a `show` request. A step is an action that is tried out, but not played."""

    words: str
    """The action of the step in plain words."""
    action: Any
    """The action of the step as JSON. Send it to play the step."""
    short: str = ""
    """Short form of `words`."""


class SupposedShown(msgspec.Struct, frozen=True, gc=False):
    """Result of the `steps` in a `show` request. The steps are actions that are tried out, but not played."""

    steps: list[StepShown]
    """The steps, in order."""
    total: str
    """Total effect of all steps together, in words."""
    events: list[str]
    """Events that the steps would cause, in words. The list ends before the first event that is random or reveals
    hidden information.
    """
    done: bool
    """Whether the steps complete your turn."""
    revocable: bool = True
    """Whether the steps can still be taken back after you play them. False if they cause a random event or reveal
    hidden information.
    """


class LessonTextShown(msgspec.Struct, frozen=True, gc=False):
    """A text to read in a lesson. Each text explains one idea of the game."""

    words: str
    """The text to read."""
    rules: list[str]
    """Texts of the rules behind the idea."""


class LessonStepShown(msgspec.Struct, frozen=True, gc=False):
    """One action that the learner has to play in a lesson."""

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
    """Your open question in a lesson. It has texts to read and the actions to play."""

    earlier: list[LessonTextShown]
    """The texts that were shown with earlier questions, beginning with the welcome text."""
    steps: list[LessonStepShown]
    """The actions of this turn, in order. There is at least one."""
    total: int
    """Number of all texts in the lessons of the game. A single game may not show all of them."""


class AuctionShown(msgspec.Struct, frozen=True, gc=False):
    """The auction in progress."""

    company: str
    """Name of the company whose share is sold."""
    what: str
    """Word for what is sold, such as `share`."""
    paint: str
    """Colour of the company whose share is sold."""
    symbol: str
    """Short text, such as a letter, that stands for the company on the board."""
    minimum: int
    """Lowest bid allowed now, in dollars."""
    bids: list[tuple[int, int | None]]
    """Bids and passes so far, in order. Each is a pair of a seat and an amount in dollars. The amount of a pass is
    null.
    """
    leader: int | None
    """Seat that made the highest bid. Null before the first bid."""
    bid: int | None
    """Highest bid so far, in dollars. Null before the first bid."""
    still_in: list[int]
    """The seats that have not passed in this auction."""


class SpaceShown(msgspec.Struct, frozen=True, gc=False):
    """One of the spaces of an action track. A player who moves to it takes the action of the space."""

    name: str
    """Name of the space."""
    note: str
    """Effect of the space, in few words."""
    command: str
    """The `command` of the answer with which a player takes the space."""
    taken: list[int | None]
    """Which seat has taken the space, for each column of the track. Null if nobody has taken it."""


class ActionTrackShown(msgspec.Struct, frozen=True, gc=False):
    """A grid of spaces on which players choose actions. In each column, every space can be taken once."""

    about: str
    """Sentence that explains why the order of the spaces matters. Empty if the order does not matter."""
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


class GoalShown(msgspec.Struct, frozen=True, gc=False):
    """What ends the game, and how far it is."""

    title: str
    """What ends the game, such as `To the last spike`."""
    state: str
    """How far it is, in a few words."""
    words: str
    """What completes it, as sentences."""


class ResultShown(msgspec.Struct, frozen=True, gc=False):
    """The result of a game that has ended."""

    scores: list[int]
    """Final scores, by seat, in the `unit` of the `shown` message."""
    ranks: list[int]
    """Rank of each seat, by seat. The winner has rank 1. Seats in `substituted` are ranked last."""
    words: list[str]
    """Reasons for the end of the game, as sentences."""
    substituted: list[int] = []
    """Seats that a substitute played at the end of the game. The results of these seats do not count for their players.
    """
    actions: int = 0
    """Number of actions in the game."""
    reason: EndReason = "normal"
    """Reason for the end of the game. `normal` if the game was played to its end."""
    sources: list[list[tuple[str, int]]] = []
    """Where the score of each seat comes from, by seat. Each entry is a list of pairs of a name and an amount in
    dollars: the cash at the start, and the total of each kind of income, such as `dividends`. Expenses are negative.
    The amounts add up to the score. Empty if the scores of the game are not money.
    """


class BoardShown(msgspec.Struct, frozen=True, gc=False):
    """Drawing of an empty board, which does not change during a game."""

    svg: str
    """The empty board as an SVG image. Each SVG group with a `data-place` attribute is a place on the board."""
    legend: str
    """Explanation of the symbols on the board."""
    flexible: bool = False
    """Whether the drawing changes with the `ratio` of the `show` request."""


MarkShown = tuple[int, str, Literal["path", "text", "use"], tuple[tuple[str, str], ...], str]
"""One mark on the drawing of a board, such as a piece.

A mark is a list of five values:
- the number of the mark
- the name of the layer on which the mark is drawn
- the name of an SVG element
- the attributes of the element
- the text in the element
"""


EventKind = Literal["build", "sale", "payment", "finale", "other"]


class EventShown(msgspec.Struct, frozen=True, gc=False):
    """Everything that one event of the game changed. A client can show the events one after another."""

    seat: int | None
    """Seat whose action caused the event. Null if the event names no seat."""
    kind: EventKind
    """`build`: something was placed on the board. `sale`: a player bought something. `payment`: players received money.
    `finale`: the event belongs to the end of the game. `other`: none of these.
    """
    places: list[str]
    """Ids of the places on the board that the event changed."""
    money: list[tuple[int, int]]
    """Seats whose money changed, each with the change in dollars. Changes that are hidden from you are left out."""
    put: list[MarkShown]
    """Marks to add to the drawing of the board when this event is shown."""
    taken: list[int]
    """Numbers of the marks to remove from the drawing of the board when this event is shown."""
    auction: AuctionShown | None
    """The auction in progress after this event. Null if there is no auction."""
    cells: list[tuple[int, int, int, int | str | None]] = []
    """Cells of `tables` that change with this event. Each entry has the index of the table, the row, the column and the
    new value.
    """
    players: list[tuple[int, PlayerShown]] = []
    """Seats whose possessions change with this event. Each entry has the seat and all its possessions after the event.
    """


class Shown(msgspec.Struct, tag="shown", tag_field="type", frozen=True, gc=False):
    """Display message: the current state of the table, and the events after the last display message."""

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
    """Number of sentences about the game in earlier messages. The sentences in `story` continue after them."""
    story: list[str]
    """New sentences about events of the game."""
    events: list[EventShown]
    """Changes made by the new events, one entry for each sentence of `story`. Applying the `put` and `taken` of all
    entries in order gives the same drawing as applying those of this message. Empty in the first message about a table,
    and if there are too many new events to list.
    """
    fresh: int
    """Number of latest sentences to mark as new for you. These sentences describe the events since you were last to
    move, and some of them may be in earlier messages. Events before you first saw the table are not counted. For a
    spectator, the length of the last `story` that was not empty.
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
    """Result of the `steps` in a `show` request. Null in other messages."""
    result: ResultShown | None
    """Result of the game. Null until the game has ended."""
    lesson: LessonShown | None = None
    """Texts to read and actions to play, in a lesson. Null if the table has no lesson or it is not your turn. Also null
    in an answer to a `show` request with `steps`.
    """
    others_moved: bool = False
    """Whether a `show` request with `since` is allowed. True if something other than your own moves happened since you
    were last to move. False for a spectator, in an answer to a `show` request with `steps`, and if there are too many
    events to list.
    """
    track: ActionTrackShown | None = None
    """The action track. Null for a game without an action track. Also null while no spaces are taken, as in an opening.
    """
    calendar: CalendarShown | None = None
    """The years or rounds of the game. Null for a game without a fixed number of rounds."""
    goal: GoalShown | None = None
    """What ends the game. Null after the end, and for a game without a single goal."""
    revocable: bool = False
    """Whether your last move can still be taken back, at a table that allows it. False if you have not moved yet. Also
    false if a random event followed the move, or the move revealed hidden information.
    """
    unit: str = "$"
    """Unit of scores and cash. `$` stands before the number. A word such as `points` stands after it."""
    ref: str | None = None
    """The `ref` of the request that this message answers. Null if the request had none, or if the message is not an
    answer.
    """


class SinceShown(msgspec.Struct, tag="since", tag_field="type", frozen=True, gc=False):
    """Answer to a `show` request with `since`: the events since you were last to move, and the state before these
    events.
    """

    put: list[MarkShown]
    """Marks on the drawing of the board before the events."""
    story: list[str]
    """Sentences about the events."""
    events: list[EventShown]
    """Changes made by the events, one entry for each sentence of `story`. Applying all entries in order to a drawing
    with the marks in `put` gives the current drawing.
    """
    tables: list[TableShown] = []
    """The tables of values before the events."""
    players: list[PlayerShown] = []
    """The possessions of each player before the events, by seat."""
    ref: str | None = None
    """The `ref` of the request that this message answers. Null if the request had none."""


class AdviceShown(msgspec.Struct, tag="advice", tag_field="type", frozen=True, gc=False):
    """Advice in words: the answer to a `show` request with `hint`, `why` or `preview`."""

    words: list[str]
    """Sentences of the advice."""
    command: str | None = None
    """For a hint, the `command` of the answer that the server suggests. Null if it suggests none."""
    steps: list[Any] = []
    """For a hint, the actions of the suggested move that come after the `steps` of the request. For `why`, actions of
    this turn after which the named place, piece or company can be chosen. Empty if there are none.
    """
    limit: int | None = None
    """For a suggested bid, the highest amount worth bidding, in dollars. Null if only the lowest bid is worth making,
    or if no bid is suggested.
    """
    ref: str | None = None
    """The `ref` of the request that this message answers. Null if the request had none."""
