"""A table drawn and put into words by the server, for a client that only has to show it: a web page, for instance."""

from typing import Any, Literal

import msgspec

from rails_cli.protocol.messages import ClockLeft


class Show(msgspec.Struct, tag="show", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Asks to be shown the tables where you sit or watch, from now on. With `steps`, `hint` or `why` it is about the
    open request and gives its `number`. Nothing is played.
    """

    on: bool = True
    """False to stop."""
    number: int | None = None
    """Number of the open request."""
    steps: list[Any] | None = None
    """Shows the position after these actions (at most 30), and what could be answered then."""
    preview: bool = False
    """With `steps`: describes in words what they would do, and shows nothing."""
    hint: bool = False
    """Asks what a strong player would do; with `steps`, what they are worth and what it would do after them."""
    why: str | None = None
    """Asks why a place, a piece or a company cannot be chosen, such as `R2`."""
    ref: str | None = None
    """Repeated in the answer."""


class TableShown(msgspec.Struct, frozen=True, gc=False):
    """Values by row and column."""

    title: str
    """What it is about."""
    corner: str
    """What the rows are."""
    columns: list[tuple[str, str, str, str]]
    """Name, kind (`money`, `count`, `text`, or `gauge` for `3/5`), paint and letter of each column."""
    rows: list[tuple[str, str, str]]
    """Name, paint and letter of each row."""
    cells: list[list[int | str | None]]
    """The values; null if a value is hidden or there is none."""


class ChoiceShown(msgspec.Struct, frozen=True, gc=False):
    """One answer to the open question."""

    words: str
    """In plain words."""
    command: str
    """As you would type it at a terminal."""
    preview: str
    """What it would do; empty if that is obvious."""
    places: list[str]
    """Where on the board it happens."""
    action: Any
    """What to send; for a bid, the lowest."""
    more: bool
    """Whether you would be asked again at once, as part of the same turn."""
    min: int | None = None
    """For a bid: the lowest."""
    max: int | None = None
    """For a bid: the highest."""
    group: str = ""
    """What it has in common with other answers, such as the company that builds; empty if nothing."""
    short: str = ""
    """Shorter words, without the group, for where there is little room."""
    short_preview: str = ""
    """A shorter preview."""


class QuestionShown(msgspec.Struct, frozen=True, gc=False):
    """What you are asked."""

    number: int
    """Number of the request."""
    words: str
    """The question."""
    explained: str
    """How to go about it."""
    rules: list[str]
    """The rules that apply."""
    choices: list[ChoiceShown]
    """All answers; empty once the `steps` leave nothing to decide."""


class StepShown(msgspec.Struct, frozen=True, gc=False):
    """An action that has not been sent."""

    words: str
    """In plain words."""
    action: Any
    """What to send."""
    short: str = ""
    """The words where there is little room."""


class SupposedShown(msgspec.Struct, frozen=True, gc=False):
    """A position that is only imagined."""

    steps: list[StepShown]
    """The actions that lead to it."""
    total: str
    """What they would do, taken together."""
    events: list[str]
    """What would happen, up to the point where chance decides."""
    done: bool
    """Whether they leave you nothing else to decide."""


class AuctionShown(msgspec.Struct, frozen=True, gc=False):
    """The auction in progress."""

    company: str
    """Whose share is sold."""
    what: str
    """What kind of share."""
    paint: str
    """The company's colour."""
    letter: str
    """The company's letter."""
    minimum: int
    """The lowest bid allowed now."""
    bids: list[tuple[int, int | None]]
    """Seat and amount of each bid so far; null is a pass."""
    leader: int | None
    """Who made the standing bid."""
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
    """Why it ended."""


class BoardShown(msgspec.Struct, frozen=True, gc=False):
    """The parts of a board that never change."""

    svg: str
    """The empty board, as SVG; groups with a `data-place` are its places."""
    legend: str
    """What its symbols mean."""


class Shown(msgspec.Struct, tag="shown", tag_field="type", frozen=True, gc=False):
    """A table as it stands now, with everything that has happened since it was last shown."""

    table: str
    """Id of the table."""
    title: str
    """The game."""
    seat: int | None
    """Your seat; null if you are a spectator."""
    names: list[tuple[str, str, str]]
    """Name, paint and letter of each player."""
    board: BoardShown | None
    """In the first message about a table and after `show`; otherwise null."""
    put: list[tuple[int, str, Literal["path", "text", "use"], list[tuple[str, str]], str]]
    """What has been added to the board: number, layer, SVG element, its attributes and its text."""
    taken: list[int]
    """The numbers of what has been removed from the board."""
    tables: list[TableShown]
    """Who has what."""
    told: int
    """How many sentences of the story came before those in `story`."""
    story: list[str]
    """What has happened since, in sentences."""
    fresh: int
    """How many sentences at the end of the whole story are new since your last request."""
    stage: list[str]
    """How the game stands, and who has to decide what."""
    asked: int | None
    """The seat to move; null at the end."""
    auction: AuctionShown | None
    """The auction in progress."""
    clocks: list[ClockLeft | None]
    """The time each seat has left."""
    question: QuestionShown | None
    """What you are asked; null if you are not."""
    supposed: SupposedShown | None
    """Set if the position is only imagined, in answer to `steps`."""
    result: ResultShown | None
    """The result, once the game has ended."""
    ref: str | None = None
    """The `ref` of the request."""


class AdviceShown(msgspec.Struct, tag="advice", tag_field="type", frozen=True, gc=False):
    """Answers `hint`, `why` and `preview`."""

    words: list[str]
    """The answer, in sentences."""
    ref: str | None = None
    """The `ref` of the request."""
