"""Display messages: the server draws a table and describes it in words, for clients such as the web page that only show
it."""

from typing import Any, Literal

import msgspec

from rails_cli.protocol.messages import ClockLeft


class Show(msgspec.Struct, tag="show", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Ask for display messages about the tables where you sit or watch. With `steps`, `hint` or `why`, ask about the
    open request, whose `number` is needed. Nothing is played."""

    on: bool = True
    """False to stop display messages."""
    number: int | None = None
    """Number of the open request."""
    steps: list[Any] | None = None
    """Show the position after these actions (at most 30), and the possible answers there."""
    preview: bool = False
    """With `steps`, describe their effect in words instead of showing the position."""
    hint: bool = False
    """Ask for the move of a strong player. With `steps`, ask for their value and the best move after them."""
    why: str | None = None
    """Ask why a place, a piece or a company, such as `R2`, cannot be chosen."""
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
    """The values. Null if a value is hidden or there is none."""


class ChoiceShown(msgspec.Struct, frozen=True, gc=False):
    """One answer to the open question."""

    words: str
    """The answer in plain words."""
    command: str
    """Command for this answer at a terminal."""
    preview: str
    """Effect of the answer in words. Empty if it is obvious."""
    places: list[str]
    """Places on the board that the answer concerns."""
    action: Any
    """Action to send. For a bid, the lowest bid."""
    more: bool
    """Whether another question follows at once, as part of the same turn."""
    min: int | None = None
    """Lowest bid. Null for other answers."""
    max: int | None = None
    """Highest bid. Null for other answers."""
    group: str = ""
    """Name of a group of answers, such as the company that builds. Empty for none."""
    short: str = ""
    """Short form of `words` without the group."""
    short_preview: str = ""
    """Short form of `preview`."""


class QuestionShown(msgspec.Struct, frozen=True, gc=False):
    """A question to you and its possible answers."""

    number: int
    """Number of the open request."""
    words: str
    """The question in plain words."""
    explained: str
    """Advice on how to answer."""
    rules: list[str]
    """Texts of the rules that apply."""
    choices: list[ChoiceShown]
    """All possible answers. Empty once the `steps` leave nothing to decide."""


class StepShown(msgspec.Struct, frozen=True, gc=False):
    """An action in `steps`, which has not been played."""

    words: str
    """The action in plain words."""
    action: Any
    """Action to send."""
    short: str = ""
    """Short form of `words`."""


class SupposedShown(msgspec.Struct, frozen=True, gc=False):
    """An imagined position, after `steps` that have not been played."""

    steps: list[StepShown]
    """Actions that lead to this position."""
    total: str
    """Combined effect of these actions, in words."""
    events: list[str]
    """Events that would follow, up to the first random event."""
    done: bool
    """Whether these actions complete your turn."""


class AuctionShown(msgspec.Struct, frozen=True, gc=False):
    """The auction in progress."""

    company: str
    """Name of the company whose share is sold."""
    what: str
    """Description of the share."""
    paint: str
    """Colour of the company."""
    letter: str
    """Letter of the company."""
    minimum: int
    """The lowest bid allowed now."""
    bids: list[tuple[int, int | None]]
    """Seat and amount of each bid so far. Null is a pass."""
    leader: int | None
    """The seat that made the standing bid. Null if there is none."""
    bid: int | None
    """The standing bid."""
    still_in: list[int]
    """The seats that have not passed."""


class ResultShown(msgspec.Struct, frozen=True, gc=False):
    """How the game ended."""

    scores: list[int]
    """Final cash by seat."""
    ranks: list[int]
    """Rank by seat: 1 has won."""
    words: list[str]
    """Reasons for the end, in words."""


class BoardShown(msgspec.Struct, frozen=True, gc=False):
    """The parts of a board that never change."""

    svg: str
    """The empty board as SVG. Groups with a `data-place` attribute are its places."""
    legend: str
    """Legend of the symbols on the map."""


class Shown(msgspec.Struct, tag="shown", tag_field="type", frozen=True, gc=False):
    """Display message: the table now, and everything that has happened since the last such message."""

    table: str
    """Id of the table."""
    title: str
    """Title of the game."""
    seat: int | None
    """Your seat. Null if you are a spectator."""
    names: list[tuple[str, str, str]]
    """Name, colour and letter of each player."""
    board: BoardShown | None
    """The board, in the first message about a table and after `show`. Otherwise null."""
    put: list[tuple[int, str, Literal["path", "text", "use"], list[tuple[str, str]], str]]
    """Marks added to the board: number, layer, SVG element, its attributes and its text."""
    taken: list[int]
    """Numbers of the marks removed from the board."""
    tables: list[TableShown]
    """Tables of values, such as the holdings of the players."""
    told: int
    """Number of sentences sent before those in `story`."""
    story: list[str]
    """New sentences about what has happened."""
    fresh: int
    """Number of sentences at the end of the whole story that are new since your last request."""
    stage: list[str]
    """Sentences on the state of the game and the open decision."""
    asked: int | None
    """The seat to move. Null at the end."""
    auction: AuctionShown | None
    """The auction in progress."""
    clocks: list[ClockLeft | None]
    """The time each seat has left."""
    question: QuestionShown | None
    """The question to you. Null if it is not your turn."""
    supposed: SupposedShown | None
    """Set if the position is imagined, in answer to `steps`."""
    result: ResultShown | None
    """The result, once the game has ended."""
    ref: str | None = None
    """The `ref` of the request."""


class AdviceShown(msgspec.Struct, tag="advice", tag_field="type", frozen=True, gc=False):
    """Answer to a `show` request with `hint`, `why` or `preview`."""

    words: list[str]
    """The answer, in sentences."""
    ref: str | None = None
    """The `ref` of the request."""
