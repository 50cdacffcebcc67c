"""What is explained to somebody who plays a game for the first time."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from rails_cli.games.decision import Decision


class Lesson(NamedTuple):
    """What to say, and the rules to cite."""

    text: str
    rules: str


@dataclass(frozen=True, slots=True)
class Tutorial:
    """The lessons of a game; each is given once, when it first matters."""

    welcome: Lesson
    questions: Mapping[str, Lesson] = field(default_factory=dict)
    """By what is asked."""
    events: Mapping[type[Any], Lesson] = field(default_factory=dict)
    """By what has happened."""
    positions: Mapping[Callable[[Decision], bool], Lesson] = field(default_factory=dict)
    """By what is so when one is asked."""
