"""Tutorial texts for people who play a game for the first time."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from rails_cli.games.decision import Decision


class Lesson(NamedTuple):
    """A text of the tutorial. `rules` has the ids of the rules that the text cites.

    `more` is one more sentence, which is shown only at a terminal.
    """

    text: str
    rules: str
    more: str = ""

    @property
    def at_terminal(self) -> str:
        """The whole text for a learner at a terminal."""
        return f"{self.text} {self.more}".rstrip()


@dataclass(frozen=True, slots=True)
class Tutorial:
    """The lessons of one game. Each lesson is shown once, when it first applies."""

    welcome: Lesson
    questions: Mapping[str, Lesson] = field(default_factory=dict)
    """Mapping from the keyword of a question (its field `asks`) to the lesson for the question."""
    events: Mapping[type[Any], Lesson] = field(default_factory=dict)
    """Mapping from a type of events to the lesson for these events."""
    positions: Mapping[Callable[[Decision], bool], Lesson] = field(default_factory=dict)
    """Mapping from a function to a lesson.

    The function takes a decision and returns whether the lesson applies to it.
    """
    seed: int = 1
    """Random seed of the guided game on web pages, so that every learner plays the same game."""

    @property
    def has_lessons(self) -> bool:
        """Whether the tutorial explains questions of the game. A tutorial that only welcomes players has no lessons."""
        return bool(self.questions)

    def due(self, decision: Decision, events: Iterable[Any]) -> dict[Any, Lesson]:
        """Return the lessons that apply to a decision after `events`.

        Lessons that were already shown are included. The keys of the result are the keys of the lessons in `questions`,
        `events` and `positions`.
        """
        asks = decision.view.question.asks
        due: dict[Any, Lesson] = {kind: self.events[kind] for kind in map(type, events) if kind in self.events}
        due |= {is_so: lesson for is_so, lesson in self.positions.items() if is_so(decision)}
        return due | ({asks: self.questions[asks]} if asks in self.questions else {})
