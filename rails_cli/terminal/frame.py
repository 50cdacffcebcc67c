"""What is to be shown: the position, what happened, the question and its choices; how is left to the display."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Protocol

from rails_cli.games.choices import Choice
from rails_cli.games.decision import Preview
from rails_cli.games.face import Face, Snapshot
from rails_cli.games.game import WireBoard
from rails_cli.terminal.signs import is_unicode, legible

START_S = 0.35
CHARACTERS_PER_S = 55
LEAST_S = 0.5
MOST_S = 4.0


class Suggestion(NamedTuple):
    """A way to go on with what is being typed."""

    text: str
    start: int
    """Where it begins, counted back from the end of what is typed; 0 or less."""
    note: str


@dataclass
class Frame:
    """A screenful. `overlay` takes the place of everything else while it is there."""

    title: str
    names: list[str]
    wire_board: WireBoard
    view: Any
    seer: int | None
    story: list[str] = field(default_factory=list)
    """What happened, the oldest first."""
    fresh: int = 0
    """How many of the last lines of the story are new."""
    marked: frozenset[str] = frozenset()
    """Hexes and pieces that changed since the last turn."""
    events: list[Any] = field(default_factory=list)
    """Everything that happened so far, as far as the seer may know."""
    plan: str = ""
    """Steps that wait to be sent, and what they would bring."""
    question: str = ""
    message: list[str] = field(default_factory=list)
    choices: list[Choice] = field(default_factory=list)
    lesson: list[str] = field(default_factory=list)
    """What to read before the question, with the map beside it where there is room."""
    rules: list[str] = field(default_factory=list)
    """The rules behind the lesson."""
    overlay: list[Any] | Callable[[int, int], list[Any]] | None = None
    """Lines, plain or styled; or what makes them for a width and a height."""
    overlay_at_end: bool = False
    """Whether the last lines of the overlay are to be seen first."""
    is_private: bool = False
    """Whether nothing of what was shown before may stay in sight."""
    prompt: str = "> "
    face: Face | None = None
    """How the game is shown; None while it is not known."""
    goes_on: bool = False
    """Whether what happens goes on while the person looks at something."""
    waits_for: str = ""
    """Who is to move, while the person only looks."""
    aside: Callable[[str], bool] | None = None
    """Given each line first: whether it was for others, as what is said to them, and no answer."""
    seconds_left: Callable[[], int] | None = None
    """The seconds until an answer is due, where a clock runs."""
    complete: Callable[[str], Iterable[Suggestion]] | None = None
    foresee: Callable[[str], str] | None = None
    """What a line would do, while it is being typed; empty if it cannot be played as it stands."""

    @property
    def game_face(self) -> Face:
        assert self.face is not None
        return self.face

    @property
    def snapshot(self) -> Snapshot:
        return Snapshot(self.wire_board, self.view, self.names, self.seer, self.events)


def with_known_signs(frame: Frame) -> Frame:
    """The same frame in signs that the terminal has; before it is laid out, for what is spelled out is longer."""
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
    """Long enough to read the new lines, given that most of them are of a kind known already."""
    return min(MOST_S, sum(max(LEAST_S, START_S + len(line) / CHARACTERS_PER_S) for line in lines))


class Quit(Exception):
    """The person has gone: by `quit`, by the end of input, or by Ctrl-C."""

    def __init__(self, how: str) -> None:
        super().__init__(how)
        self.how = how


class Interrupted(Exception):
    """The question is not open any more."""


class Display(Protocol):
    """Where a person looks and types: a full screen, or lines."""

    def ask(self, frame: Frame) -> str:
        """Shows a frame and waits for a line; raises Quit, or Interrupted."""

    def tell(self, frame: Frame, lines: int) -> None:
        """Shows a frame on which so many lines of the story are new, for as long as it takes to read them."""

    def close(self, frame: Frame) -> None:
        """Shows the last frame; with an overlay, waits until it has been read."""

    def call(self, title: str, *, is_loud: bool) -> None:
        """Names what goes on in the title of the window, where it has one; `is_loud` rings a bell, too."""

    def interrupt(self) -> None:
        """Ends the waiting for a line from another thread, where that is possible; what is typed stays."""
