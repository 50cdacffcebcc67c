"""A guided first game: the learner makes the moves that a lesson explains. All other moves are made automatically."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from rails_cli.games import load_face, load_game
from rails_cli.games.decision import Decision, LocalLookahead, decision_at
from rails_cli.games.faces.choices import command_of, words_of
from rails_cli.games.faces.lessons import Lesson
from rails_cli.games.rulebook import cited, uncited
from rails_cli.match.match import Match
from rails_cli.players.builtin import players_of
from rails_cli.study.analysis.hints import reasons

PLAYERS = 3
"""Preferred number of players. If a game does not allow this number, the nearest allowed number is used."""
LEARNER = 0
"""Seat of the learner."""
OPPONENT = "greedy"


def usual_players(game: str) -> int:
    """Return the number of players in guided and daily games: PLAYERS, or the nearest number that the game allows."""
    return min(load_game(game).players, key=lambda number: abs(number - PLAYERS))


def has_lessons(game: str) -> bool:
    """Return whether a game has lessons and a built-in player that can choose the moves in them."""
    return load_face(game).tutorial.has_lessons and OPPONENT in players_of(game)


class LessonText(NamedTuple):
    """The text of a lesson without the numbers of rules, and the sentences of the rules that the lesson cites."""

    text: str
    rules: list[str]


class GuidedStep(NamedTuple):
    """One action that is suggested to the learner.

    `lessons` are new lessons to read before the action. `command` is what the learner types, `words` describe the
    action, and `why` has the reasons for it.
    """

    lessons: list[LessonText]
    action: Any
    command: str
    words: str
    why: list[str]


class GuidedGame:
    """The progress of a learner in a guided game. `answer` decides at each turn whether the learner is asked.

    The progress is not stored. So lessons may be given again after a restart of the server.
    """

    def __init__(self, game: str, seat: int) -> None:
        """Prepare the guided game called `game`, in which the learner plays `seat`."""
        self.game = game
        self.seat = seat
        self._tutorial = load_face(game).tutorial
        self._given: dict[Any, tuple[int, Lesson]] = {}
        """Mapping from the key of each given lesson to a pair: the value of `_turn` at that time, and the lesson."""
        self._turn = -1
        """Number of actions played before the current turn of the learner."""
        self._next = -1
        """Number of actions that are played when the learner gets the next question of the same turn.

        If a different number of actions is played at that time, the question begins a new turn.
        """
        self._is_asked = False
        """Whether the learner makes the moves of this turn."""
        self.steps: list[GuidedStep] = []
        """Actions suggested for the open request and for the following requests of the same turn."""
        self._views: list[Any] = []
        """For each action in `steps`, the learner's view of the position in which it is suggested."""

    def planned(self, match: Match) -> list[Any] | None:
        """Return the rest of the suggested move, if it leads through the position of `match`. Otherwise return None."""
        view = match.view_for(self.seat)
        at = next((at for at, planned in enumerate(self._views) if planned == view), None)
        return None if at is None else [step.action for step in self.steps[at:]]

    def answer(self, match: Match, move: Sequence[Any]) -> Any | None:
        """Return the action to play for the learner, who is to move. None if the learner has to answer.

        `move` has the actions of the move to suggest, at least one.
        """
        decision = self._decision(match)
        asks = decision.view.question.asks
        if match.number != self._next or asks in decision.face.new_turn:
            self._turn = match.number
            self._is_asked = False
        self._next = match.number + 1
        self.steps = self._steps(decision, match.history, move)
        self._is_asked = self._is_asked or any(step.lessons for step in self.steps)
        return None if self._is_asked else self.steps[0].action

    @property
    def earlier(self) -> list[LessonText]:
        """The welcome and the lessons of earlier turns, in the order in which they were given."""
        before = [lesson for at, lesson in self._given.values() if at < self._turn]
        return [self._in_words(lesson) for lesson in (self._tutorial.welcome, *before)]

    @property
    def total(self) -> int:
        """Number of all lessons of the game, with the welcome. Some lessons may never be given."""
        tutorial = self._tutorial
        return 1 + len(tutorial.questions) + len(tutorial.events) + len(tutorial.positions)

    def _decision(self, match: Match) -> Decision:
        game = match.game
        lookahead = LocalLookahead(game, match.board, match.state, self.seat)
        names = [player.name for player in match.header.players]
        return decision_at(lookahead, game, load_face(game.name), game.wire_board(match.board), match.board, names)

    def _steps(self, decision: Decision, events: Sequence[Any], move: Sequence[Any]) -> list[GuidedStep]:
        """Return the actions of `move` that belong to this turn, each with the new lessons to read before it.

        The list ends where chance or hidden information decides what follows. `events` are all events so far.
        """
        decisions, lessons = [decision], []
        shown: set[Any] = set()
        happened = [*events]
        for action in move:
            now = decisions[-1]
            due = self._tutorial.due(now, happened)
            new = [key for key in due if key not in shown and self._is_new(key, due[key])]
            shown |= due.keys()
            lessons.append([self._in_words(due[key]) for key in new])
            ahead, known = now.lookahead.after(action)
            happened += known
            if ahead.is_by_chance or ahead.asked != self.seat or ahead.view.question.asks in now.face.new_turn:
                break
            decisions.append(now.at(ahead))
        self._views = [now.view for now in decisions[: len(lessons)]]
        return [
            GuidedStep(texts, action, command_of(action), words_of(now, now.listed(action)), reasons(now, move[at:]))
            for at, (texts, action, now) in enumerate(zip(lessons, move, decisions, strict=False))
        ]

    def _is_new(self, key: Any, lesson: Lesson) -> bool:
        """Return whether a lesson was not given before this turn, and record that it is given in this turn.

        `key` identifies the lesson.
        """
        at, _ = self._given.setdefault(key, (self._turn, lesson))
        return at == self._turn

    def _in_words(self, lesson: Lesson) -> LessonText:
        return LessonText(uncited(lesson.text), cited(self.game, lesson.rules))
