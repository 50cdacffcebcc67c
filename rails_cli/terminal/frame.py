"""The content of a screen during a game: position, events, question and choices. A display shows the content."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Protocol

from rails_cli.games.decision import Preview
from rails_cli.games.faces.choices import Choice
from rails_cli.games.faces.interface import Face, Snapshot
from rails_cli.games.game import WireBoard
from rails_cli.terminal.signs import is_unicode, legible

START_S = 0.35
"""Seconds to start to read a line."""
CHARACTERS_PER_S = 55
"""Number of characters that a person reads per second."""
LEAST_S = 0.5
"""Minimum number of seconds that a display pauses for one new line."""
MOST_S = 4.0
"""Maximum number of seconds that a display pauses for all new lines of a frame."""


class Suggestion(NamedTuple):
    """A completion of the text that the user is typing. `text` is inserted, and `note` describes the completion."""

    text: str
    start: int
    """Where the completion begins in the typed text, counted from the end of the text: 0, or a negative number."""
    note: str


class Proposal(NamedTuple):
    """The position after steps that are proposed but not played, and the ids of the places that the steps affect."""

    view: Any
    places: frozenset[str]


class StoryLine(NamedTuple):
    """A line of the story of a game."""

    text: str
    is_event: bool = True
    """Whether the line describes an event of the game. False for chat and notices about players or the connection."""


@dataclass
class Frame:
    """The content of one screen. If there is an `overlay`, only the overlay is shown.

    `names` are the players, by seat. `view` and `wire_board` are the view and the board as a client gets them.
    `message` has lines such as an explanation or an error. `choices` are the possible answers.
    """

    title: str
    names: list[str]
    wire_board: WireBoard
    view: Any
    seer: int | None
    """The seat whose view is shown. None for the public view."""
    story: list[StoryLine] = field(default_factory=list)
    """Descriptions of the events so far, chat and notices, oldest first."""
    fresh: int = 0
    """Number of lines at the end of `story` that are new."""
    marked: frozenset[str] = frozenset()
    """Ids of hexes and pieces on the map that have changed since the last turn of the person."""
    events: list[Any] = field(default_factory=list)
    """All events so far, without information that is hidden from `seer`."""
    turn: int = 0
    """Number of the turn. At the first question of a turn, text that was typed before the question is deleted."""
    plan: str = ""
    """Description of the steps that are not sent to the server yet, and of their effect."""
    question: str = ""
    message: list[str] = field(default_factory=list)
    choices: list[Choice] = field(default_factory=list)
    other_bids: str = ""
    """Sentence with bids that are not among the numbered choices. Empty if there are none."""
    lesson: list[str] = field(default_factory=list)
    """Lines of a lesson, which the person reads before the question."""
    rules: list[str] = field(default_factory=list)
    overlay: list[Any] | Callable[[int, int], list[Any]] | None = None
    """Lines to show instead of the game, or a function that makes lines for a width and a height. None for the game."""
    overlay_at_end: bool = False
    """Whether the end of a long overlay is shown first."""
    is_private: bool = False
    """Whether the display must clear everything shown before, because another person is at the keyboard now."""
    prompt: str = "> "
    face: Face | None = None
    """The functions and texts with which the game is shown. None while the game is unknown."""
    goes_on: bool = False
    """Whether the game continues while the person looks at an overlay."""
    is_watching: bool = False
    """Whether the person at this terminal only watches the game."""
    waits_for: str = ""
    """Name of the player whom the game waits for. Empty if unknown."""
    aside: Callable[[str], bool] | None = None
    """Function that handles typed lines that are not answers, such as chat. It returns whether it handled the line."""
    is_action: Callable[[str], bool] = lambda line: False
    """Function that returns whether a typed line begins with a verb of the open question. If so, `aside` is skipped."""
    seconds_left: Callable[[], int] | None = None
    """Function that returns the seconds until an answer is due. None if there is no clock."""
    complete: Callable[[str], Iterable[Suggestion]] | None = None
    """Function that returns completions of the typed text. None if there are no completions."""
    foresee: Callable[[str], str] | None = None
    """Function that describes the effect of the typed text. It returns an empty text if the text cannot be played."""

    proposal: Proposal | None = None
    """The position after proposed steps, such as those of a hint. The map shows it. None if nothing is proposed."""
    propose: Callable[[str], Proposal | None] | None = None
    """Function that returns the position after the typed text. It returns None if the text does not change the map."""
    keys: Mapping[str, str] = field(default_factory=dict)
    """Mapping from a key to the line that it enters immediately. Keys have this effect only in an empty input line."""

    @property
    def game_face(self) -> Face:
        assert self.face is not None
        return self.face

    @property
    def snapshot(self) -> Snapshot:
        return Snapshot(self.wire_board, self.view, self.names, self.seer, self.events)


def with_known_signs(frame: Frame) -> Frame:
    """Return `frame`, or a copy with only ASCII characters if the terminal does not support Unicode."""
    if is_unicode():
        return frame
    overlay = frame.overlay if frame.overlay is None or callable(frame.overlay) else _legible(frame.overlay)
    return replace(
        frame,
        title=legible(frame.title),
        names=_legible(frame.names),
        story=[line._replace(text=legible(line.text)) for line in frame.story],
        plan=legible(frame.plan),
        question=legible(frame.question),
        message=_legible(frame.message),
        lesson=_legible(frame.lesson),
        choices=[
            choice._replace(
                words=legible(choice.words), preview=Preview(_legible(choice.preview.notes), choice.preview.gain)
            )
            for choice in frame.choices
        ],
        overlay=overlay,
    )


def _legible(lines: list[Any]) -> list[Any]:
    return [legible(line) if isinstance(line, str) else line for line in lines]


def reading_time_s(lines: Iterable[StoryLine]) -> float:
    """Return the number of seconds that a display pauses so that a person can read `lines`."""
    return min(MOST_S, sum(max(LEAST_S, START_S + len(line.text) / CHARACTERS_PER_S) for line in lines))


class Quit(Exception):
    """Raised if the person leaves the game. `how` is `quit`, `end of input` or `interrupt`."""

    def __init__(self, how: str) -> None:
        super().__init__(how)
        self.how = how


class Interrupted(Exception):
    """Raised by `Display.ask` if the question to the person is no longer open."""


class Display(Protocol):
    """The interface to the screen and keyboard of a person. A display uses the whole window, or prints lines."""

    has_keys: bool
    """Whether single keys are read, so that the keys in `Frame.keys` have an effect."""
    is_interactive: bool
    """Whether a person looks at the display, so that it is worth computing a long explanation."""

    def ask(self, frame: Frame) -> str:
        """Show a frame and return the next typed line.

        Raise Quit if the person leaves, or Interrupted if another thread calls `interrupt`.
        """

    def tell(self, frame: Frame, lines: int) -> None:
        """Show a frame with `lines` new lines about events. Pause long enough to read the new lines."""

    def close(self, frame: Frame) -> str:
        """Show `frame`, the last frame of the game.

        A full-screen display then waits for a typed line and returns this line. Other displays return an empty text.
        """

    def call(self, title: str, *, is_loud: bool) -> None:
        """Show `title` as the title of the window, if the display has a window. With `is_loud`, also ring the bell."""

    def interrupt(self) -> None:
        """If `ask` waits for a line in another thread, let `ask` raise Interrupted. The text typed so far is kept."""
