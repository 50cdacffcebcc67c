"""The content to display: position, events, question and choices. The display decides how to show it."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Protocol

from rails_cli.games.decision import Preview
from rails_cli.games.faces.choices import Choice
from rails_cli.games.faces.interface import Face, Snapshot
from rails_cli.games.game import WireBoard
from rails_cli.terminal.signs import is_unicode, legible

START_S = 0.35
CHARACTERS_PER_S = 55
LEAST_S = 0.5
MOST_S = 4.0


class Suggestion(NamedTuple):
    """A completion of the text being typed."""

    text: str
    start: int
    """Start of the completed text relative to the end of the typed text. 0 or negative."""
    note: str


@dataclass
class Frame:
    """The content of one screen. An `overlay` replaces everything else."""

    title: str
    names: list[str]
    wire_board: WireBoard
    view: Any
    seer: int | None
    story: list[str] = field(default_factory=list)
    """Event descriptions, oldest first."""
    fresh: int = 0
    """Number of new lines at the end of the story."""
    marked: frozenset[str] = frozenset()
    """Hexes and pieces that changed since the last turn."""
    events: list[Any] = field(default_factory=list)
    """All events so far that the viewer may know."""
    plan: str = ""
    """Unsent steps and their effect, as text."""
    question: str = ""
    message: list[str] = field(default_factory=list)
    choices: list[Choice] = field(default_factory=list)
    lesson: list[str] = field(default_factory=list)
    """Text to read before the question, with the map beside it if there is space."""
    rules: list[str] = field(default_factory=list)
    """The rules that the lesson refers to."""
    overlay: list[Any] | Callable[[int, int], list[Any]] | None = None
    """Lines, plain or styled, or a function that makes them for a width and a height."""
    overlay_at_end: bool = False
    """Whether to show the end of the overlay first."""
    is_private: bool = False
    """Whether everything shown before must be cleared from sight."""
    prompt: str = "> "
    face: Face | None = None
    """The game's presentation. None while the game is unknown."""
    goes_on: bool = False
    """Whether the game continues while the person looks at something."""
    waits_for: str = ""
    """Name of the player to move while the person only watches."""
    aside: Callable[[str], bool] | None = None
    """Called with each line first. Returns whether it handled the line, such as a chat message."""
    seconds_left: Callable[[], int] | None = None
    """Returns the seconds until an answer is due, if there is a clock."""
    complete: Callable[[str], Iterable[Suggestion]] | None = None
    foresee: Callable[[str], str] | None = None
    """Returns what the typed line would do. Empty if it cannot be played as it is."""

    @property
    def game_face(self) -> Face:
        assert self.face is not None
        return self.face

    @property
    def snapshot(self) -> Snapshot:
        return Snapshot(self.wire_board, self.view, self.names, self.seer, self.events)


def with_known_signs(frame: Frame) -> Frame:
    """Return the frame with only characters that the terminal supports.

    Call it before the layout, because replacements may be longer.
    """
    if is_unicode():
        return frame
    overlay = frame.overlay if frame.overlay is None or callable(frame.overlay) else _legible(frame.overlay)
    return replace(
        frame,
        title=legible(frame.title),
        names=_legible(frame.names),
        story=_legible(frame.story),
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


def reading_time_s(lines: Iterable[str]) -> float:
    """Return the seconds needed to read new lines, most of which are of a familiar kind."""
    return min(MOST_S, sum(max(LEAST_S, START_S + len(line) / CHARACTERS_PER_S) for line in lines))


class Quit(Exception):
    """The person has left: by `quit`, by the end of input, or by Ctrl-C."""

    def __init__(self, how: str) -> None:
        super().__init__(how)
        self.how = how


class Interrupted(Exception):
    """The question is no longer open."""


class Display(Protocol):
    """Where a person looks and types: a full screen, or lines."""

    def ask(self, frame: Frame) -> str:
        """Show a frame and wait for a line. Raises Quit or Interrupted."""

    def tell(self, frame: Frame, lines: int) -> None:
        """Show a frame with `lines` new lines of the story, long enough to read them."""

    def close(self, frame: Frame) -> None:
        """Show the last frame. With an overlay, wait until it has been read."""

    def call(self, title: str, *, is_loud: bool) -> None:
        """Set the title of the window, if it has one. With `is_loud`, ring the bell too."""

    def interrupt(self) -> None:
        """Stop waiting for a line, from another thread, if possible. The typed text stays."""
