"""Lessons for a first game: explain each rule when it first matters, and suggest moves with reasons."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from rails_cli.games import load_face
from rails_cli.games.decision import Decision
from rails_cli.games.faces.lessons import Lesson
from rails_cli.games.rulebook import cited, uncited


class LessonText(NamedTuple):
    """The lines of a lesson, and lines with the rules that the lesson refers to."""

    lines: list[str]
    rules: list[str]


class Lessons:
    """The lessons of one game, including which lessons have already been given."""

    def __init__(self, game: str, *, has_rules: bool = False) -> None:
        """Start the lessons of the game called `game`. With `has_rules`, lessons cite the numbered rules."""
        self._game = game
        self._tutorial = load_face(game).tutorial
        self._has_rules = has_rules
        self._given: set[Any] = set()
        """Keys of lessons already given. A key is a kind of question, an event type, or a condition on the position."""
        self._is_back = False

    @classmethod
    def after(cls, game: str, events: Sequence[Any], asked: Sequence[str]) -> "Lessons":
        """Return the lessons of a resumed game, without lessons that were already given.

        `events` are the events so far, and `asked` are the kinds of questions that the person has answered.
        """
        lessons = cls(game)
        lessons._is_back = True
        lessons._given = {*map(type, events), *asked}
        return lessons

    def welcome(self) -> LessonText:
        if self._is_back:
            return LessonText(["Welcome back. The lessons continue where you left off."], [])
        return self._in_words([self._tutorial.welcome])

    def before(self, decision: Decision, events: Sequence[Any]) -> LessonText | None:
        """Return the lesson to show before a decision, or None if there is nothing new to explain.

        `events` are all events of the game so far.
        """
        due = self._tutorial.due(decision, events)
        new = [lesson for key, lesson in due.items() if key not in self._given]
        self._given |= due.keys()
        return self._in_words(new) if new else None

    def _in_words(self, lessons: Sequence[Lesson]) -> LessonText:
        numbers = " ".join(dict.fromkeys(number for lesson in lessons for number in lesson.rules.split()))
        rules = cited(self._game, numbers)
        lines: list[str] = []
        for lesson in lessons:
            lines += ["", lesson.at_terminal if self._has_rules else uncited(lesson.at_terminal)]
        return LessonText(lines[1:] + (["", *rules] if self._has_rules and rules else []), rules)
