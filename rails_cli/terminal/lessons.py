"""Lessons for a first game: each rule is explained when it first matters, and a move is suggested."""

from collections.abc import Sequence
from typing import Any

from rails_cli.games import load_face
from rails_cli.games.choices import suggestion
from rails_cli.games.decision import Decision
from rails_cli.games.lessons import Lesson
from rails_cli.games.rulebook import rules_of


class Lessons:
    """Gives the lessons of one game, and remembers which ones were given."""

    def __init__(self, game: str) -> None:
        self._game = game
        self._tutorial = load_face(game).tutorial
        self._told: set[Any] = set()
        """Questions, types of events and conditions."""
        self._is_back = False

    @classmethod
    def after(cls, game: str, events: Sequence[Any], asked: Sequence[str]) -> "Lessons":
        """The lessons that are left when these things have happened and been asked."""
        lessons = cls(game)
        lessons._is_back = True
        lessons._told = {*map(type, events), *asked}
        return lessons

    def welcome(self) -> list[str]:
        """What to read before anything else."""
        if self._is_back:
            return ["Welcome back. The lessons continue where you left off.", "", "Press enter to continue."]
        return [*self._lines(self._tutorial.welcome), "Press enter to begin."]

    def before(self, decision: Decision, events: Sequence[Any]) -> tuple[list[str], list[str]]:
        """What to read before a question, and the suggestion that stands beside it."""
        tutorial, asks = self._tutorial, decision.view.question.asks
        due: dict[Any, Lesson] = {kind: tutorial.events[kind] for kind in map(type, events) if kind in tutorial.events}
        due |= {is_so: lesson for is_so, lesson in tutorial.positions.items() if is_so(decision)}
        due |= {asks: tutorial.questions[asks]} if asks in tutorial.questions else {}
        lines = [line for key, lesson in due.items() if key not in self._told for line in self._lines(lesson)]
        self._told |= due.keys()
        best = suggestion(decision)
        word = [f"A good move may be: {best}  (hint says why, ? explains)"] if best else []
        return ([*lines, "Press enter to continue."] if lines else []), word

    def _lines(self, lesson: Lesson) -> list[str]:
        rules = rules_of(self._game)
        return [lesson.text, "", *(f"  {number} {rules[number]}" for number in lesson.rules.split()), ""]
