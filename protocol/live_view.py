"""Display messages: the server draws a table and describes it in words, for clients such as the web page."""

from typing import Any, Literal

import msgspec

from rails_cli.protocol.messages import ClockLeft


class Show(msgspec.Struct, tag="show", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Ask for display messages about the tables where you sit or watch. With `steps`, `hint` or `why`, ask about the
    open request without playing anything. Such a request needs the `number` of the open request.
    """

    on: bool = True
    """False to stop display messages."""
    number: int | None = None
    """Number of the open request."""
    steps: list[Any] | None = None
    """Actions, at most 30. The answer shows the position after these actions and the possible answers in it."""
    preview: bool = False
    """With `steps`, whether to describe the effect of the steps in words instead of showing the position."""
    hint: bool = False
    """Whether to ask for the move of a strong player, or with `steps` for their value and the best move after them."""
    why: str | None = None
    """Name of a place, a piece or a company, such as `R2`, to ask why it cannot be chosen."""
    ref: str | None = None
    """Text of the client's choice that the answer repeats."""


class TableShown(msgspec.Struct, frozen=True, gc=False):
    """A table of values to display."""

    title: str
    """Title of the table."""
    corner: str
    """Heading of the column of row names."""
    columns: list[tuple[str, str, str, str]]
    """Name, kind (`money`, `count`, `text`, or `gauge` for `3/5`), colour and letter of each column."""
    rows: list[tuple[str, str, str]]
    """Name, colour and letter of each row."""
    cells: list[list[int | str | None]]
    """Values by row and column. Null if a value is hidden or does not exist."""


class ChoiceShown(msgspec.Struct, frozen=True, gc=False):
    """One answer to the open question."""

    words: str
    """The answer in plain words."""
    command: str
    """Command that gives this answer at a terminal."""
    preview: str
    """Effect of the answer in words. Empty if the effect is obvious."""
    places: list[str]
    """Ids of the places on the board that the answer concerns."""
    action: Any
    """Action to send for this answer. For a bid, the lowest bid."""
    more: bool
    """Whether another question of the same turn follows at once."""
    min: int | None = None
    """Lowest bid in dollars. Null for other answers."""
    max: int | None = None
    """Highest bid in dollars. Null for other answers."""
    group: str = ""
    """Name of the group in which to list the answer, such as the company that builds. Empty for no group."""
    short: str = ""
    """Short form of `words` that does not repeat the group."""
    short_preview: str = ""
    """Short form of `preview`."""


class QuestionShown(msgspec.Struct, frozen=True, gc=False):
    """The open question to you and its possible answers."""

    number: int
    """Number of the open request."""
    words: str
    """The question in plain words."""
    explained: str
    """Advice on how to answer."""
    rules: list[str]
    """Texts of the rules that apply to the question."""
    choices: list[ChoiceShown]
    """All possible answers. Empty if nothing is left to decide after the `steps`."""


class StepShown(msgspec.Struct, frozen=True, gc=False):
    """One action of the `steps` in a `show` request. It has not been played."""

    words: str
    """The action in plain words."""
    action: Any
    """Action to send to play the step."""
    short: str = ""
    """Short form of `words`."""


class SupposedShown(msgspec.Struct, frozen=True, gc=False):
    """The position after the `steps` of a `show` request. The steps have not been played."""

    steps: list[StepShown]
    """Actions that lead to the position."""
    total: str
    """Combined effect of the steps, in words."""
    events: list[str]
    """Events that the steps would cause, in words, up to the first random event."""
    done: bool
    """Whether the steps complete your turn."""


class AuctionShown(msgspec.Struct, frozen=True, gc=False):
    """The auction in progress."""

    company: str
    """Name of the company whose share is sold."""
    what: str
    """Description of what is sold, such as `share`."""
    paint: str
    """Colour of the company."""
    letter: str
    """Letter that stands for the company on the board."""
    minimum: int
    """Lowest bid allowed now, in dollars."""
    bids: list[tuple[int, int | None]]
    """Seat and amount in dollars of each bid so far. The amount of a pass is null."""
    leader: int | None
    """Seat that made the highest bid. Null before the first bid."""
    bid: int | None
    """Highest bid so far, in dollars. Null before the first bid."""
    still_in: list[int]
    """The seats that have not passed."""


class ResultShown(msgspec.Struct, frozen=True, gc=False):
    """The result of a game that has ended."""

    scores: list[int]
    """Final cash in dollars, by seat."""
    ranks: list[int]
    """Rank by seat: 1 has won."""
    words: list[str]
    """Reasons for the end of the game, in words."""


class BoardShown(msgspec.Struct, frozen=True, gc=False):
    """The parts of a board that never change."""

    svg: str
    """Empty board as SVG. A group with a `data-place` attribute is a place on the board."""
    legend: str
    """Legend of the symbols on the map."""


class Shown(msgspec.Struct, tag="shown", tag_field="type", frozen=True, gc=False):
    """Display message: the state of the table, and everything that has happened since the last display message."""

    table: str
    """Id of the table."""
    title: str
    """Title of the game."""
    seat: int | None
    """Your seat. Null if you are a spectator."""
    names: list[tuple[str, str, str]]
    """Name, colour and letter of each player."""
    board: BoardShown | None
    """Empty board. Sent in the first message about a table and after `show`, otherwise null."""
    put: list[tuple[int, str, Literal["path", "text", "use"], list[tuple[str, str]], str]]
    """Marks added to the board: number, layer, SVG element, its attributes and its text."""
    taken: list[int]
    """Numbers of the marks removed from the board."""
    tables: list[TableShown]
    """Tables of values, such as the holdings of the players."""
    told: int
    """Number of sentences that earlier messages contained. Those in `story` follow them."""
    story: list[str]
    """New sentences about what has happened in the game."""
    fresh: int
    """Number of sentences, counted from the last one, that are new since your last request."""
    stage: list[str]
    """Sentences on the state of the game and the open decision."""
    asked: int | None
    """Seat to move. Null when the game has ended."""
    auction: AuctionShown | None
    """Auction in progress. Null if there is none."""
    clocks: list[ClockLeft | None]
    """Time that each seat has left, by seat. Null for a seat without a clock."""
    question: QuestionShown | None
    """Open question to you. Null if it is not your turn."""
    supposed: SupposedShown | None
    """Steps that were not played, if the message shows the position after `steps`. Otherwise null."""
    result: ResultShown | None
    """Result of the game. Null until the game has ended."""
    ref: str | None = None
    """The `ref` of the request."""


class AdviceShown(msgspec.Struct, tag="advice", tag_field="type", frozen=True, gc=False):
    """Answer to a `show` request with `hint`, `why` or `preview`."""

    words: list[str]
    """The answer, in sentences."""
    ref: str | None = None
    """The `ref` of the request."""
