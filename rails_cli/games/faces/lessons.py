"""Tutorial texts for people who play a game for the first time."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from rails_cli.games.decision import Decision


class Lesson(NamedTuple):
    """A tutorial text, and the ids of the rules that it cites."""

    text: str
    rules: str


@dataclass(frozen=True, slots=True)
class Tutorial:
    """The lessons of one game. Each lesson is shown once, when it first applies."""

    welcome: Lesson
    questions: Mapping[str, Lesson] = field(default_factory=dict)
    """Lessons for questions, by keyword of the question (its field `asks`)."""
    events: Mapping[type[Any], Lesson] = field(default_factory=dict)
    """Lessons for events, by the type of the event."""
    positions: Mapping[Callable[[Decision], bool], Lesson] = field(default_factory=dict)
    """Lessons for positions. A key is a function that returns whether its lesson applies to a decision."""
