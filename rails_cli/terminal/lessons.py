"""Lessons for a first game: explain each rule when it first matters, and suggest moves with reasons."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from rails_cli.games import load_face
from rails_cli.games.decision import Decision
from rails_cli.games.faces.lessons import Lesson
from rails_cli.games.rulebook import cited, uncited
from rails_cli.study.analysis.hints import suggest_move

LOOKS = 8
"""Number of search iterations for each decision in the analysis after a game. A small number keeps it short."""


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
        self._told: set[Any] = set()
        """Keys of lessons already given: questions, event types and conditions."""
        self._is_back = False

    @classmethod
    def after(cls, game: str, events: Sequence[Any], asked: Sequence[str]) -> "Lessons":
        """Return the lessons of a resumed game, without lessons that were already given.

        `events` are the events so far, and `asked` are the kinds of questions that the person has answered.
        """
        lessons = cls(game)
        lessons._is_back = True
        lessons._told = {*map(type, events), *asked}
        return lessons

    def welcome(self) -> LessonText:
        """Return the lesson to show before the first question."""
        if self._is_back:
            return LessonText(["Welcome back. The lessons continue where you left off."], [])
        return self._in_words([self._tutorial.welcome])

    def before(self, decision: Decision, events: Sequence[Any]) -> tuple[LessonText | None, list[str]]:
        """Return the lesson to show before a decision, and lines that suggest a move.

        The lesson is None if there is nothing new to explain. `events` are all events of the game so far.
        """
        due = self._tutorial.due(decision, events)
        new = [lesson for key, lesson in due.items() if key not in self._told]
        self._told |= due.keys()
        best = suggest_move(decision)
        word = [] if best is None else [f"A good move may be: {best.words}", " ".join(best.why)]
        return (self._in_words(new) if new else None), [line for line in word if line]

    def _in_words(self, lessons: Sequence[Lesson]) -> LessonText:
        numbers = " ".join(dict.fromkeys(number for lesson in lessons for number in lesson.rules.split()))
        rules = cited(self._game, numbers)
        lines: list[str] = []
        for lesson in lessons:
            lines += ["", lesson.at_terminal if self._has_rules else uncited(lesson.at_terminal)]
        return LessonText(lines[1:] + (["", *rules] if self._has_rules and rules else []), rules)


def review_lines(log: bytes, seat: int, progress: Callable[[float], None]) -> list[str]:
    """Return lines about the turning points of a finished game and the best move of a seat.

    Return an empty list if the game cannot be analysed. `progress` is called with the fraction of the analysis that was
    done since the last call.
    """
    from rails_cli.study.analysis.judging import NoEvaluation
    from rails_cli.study.analysis.running import CannotJudge, analyse, study_of
    from rails_cli.study.playback.recorded import read_recorded

    try:
        study = study_of("", log, read_recorded(log), seat)
    except NoEvaluation:
        return []
    ((_, found),) = analyse([study], LOOKS, 1, progress)
    if isinstance(found, CannotJudge):
        return []
    moments = [f"Action {moment.first}. {moment.words}" for moment in found.moments]
    best = found.players[seat].best
    own = [f"Your best move, at action {best.first}: {best.words}."] if best is not None else []
    return [*(["What decided it:", "", *moments, ""] if moments else []), *own]
