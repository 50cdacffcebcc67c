"""Tests of lessons at a server: private games with fixed seeds.

The learner answers the questions that the lesson explains. The server answers the others for the learner.
"""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from rails_cli.games import game_names, load_face
from rails_cli.games.faces.lessons import Tutorial
from rails_cli.games.rulebook import uncited
from rails_cli.logs.verify import verify
from rails_cli.server.tables.table import SLICE_S
from rails_cli.server.workers.thinking import HintTask, Thought, position_of
from tests.support.rigged_lobby import Notes, Rigged, hints_briefly
from tests.support.ws_client import Json


class Learner:
    """A connection at the table of a lesson."""

    def __init__(self, rigged: Rigged, game: str) -> None:
        self.rigged = rigged
        self.notes = Notes()
        rigged.lobby.connections.add(self.notes)
        created = self.asked(type="create", game=game, players=3, lesson=True)
        self.table = rigged.registry.tables[created["table"]["table"]]
        invited = self.asked(type="invite", table=self.table.id, owner=created["owner"])
        self.say(type="show")
        self.token = self.asked(type="sit", table=self.table.id, name="Ada", invite=invited["invite"])["token"]

    def say(self, **message: Any) -> None:
        """Send a message, and let the server do all that it has scheduled."""
        self.rigged.say(self.notes, **message)
        while self.rigged.soon:
            self.rigged.soon.pop(0)()
        self.rigged.turn.process_queues()

    def asked(self, **message: Any) -> Json:
        """Send a request and return its answer."""
        self.say(**message, ref="r")
        return next(one for one in reversed(self.notes.received) if one.get("ref") == "r")

    @property
    def shown(self) -> Json:
        return next(one for one in reversed(self.notes.received) if one["type"] == "shown")

    def play(self, most: int = 6) -> list[Json]:
        """Answer up to `most` questions as the lesson suggests. Return the field `lesson` of each question."""
        found: list[Json] = []
        while len(found) < most and (question := self.shown["question"]):
            found.append(self.shown["lesson"])
            action = found[-1]["steps"][0]["action"]
            self.say(type="action", number=question["number"], action=action)
        return found

    def lines(self) -> list[Json]:
        self.rigged.turn.files.flush()
        log = self.rigged.registry.storage.read_log(self.table.id)
        assert verify(log).mistake is None
        return [json.loads(line) for line in log.splitlines()]


def quick(folder: Path) -> Rigged:
    """Return a lobby whose lessons suggest moves after a very short search, so that whole games can be played."""
    return Rigged(folder, think=hints_briefly)


@pytest.mark.parametrize("game", game_names())
def test_a_lesson_explains_each_rule_once_and_plays_all_other_turns(tmp_path: Path, game: str) -> None:
    ada = Learner(quick(tmp_path), game)
    lessons = ada.play()
    tutorial = load_face(game).tutorial
    welcome = uncited(tutorial.welcome.text)
    assert [text["words"] for text in lessons[0]["earlier"]] == [welcome]
    texts = [text["words"] for text in lessons[-1]["earlier"]]
    texts += [text["words"] for step in lessons[-1]["steps"] for text in step["texts"]]
    assert len(set(texts)) == len(texts) <= lessons[0]["total"]
    first = {uncited(lesson.text) for lesson in tutorial.questions.values()}
    assert len(first & set(texts)) >= 2
    own = [line for line in ada.lines() if line["type"] == "action" and line["seat"] == 0]
    assert len(own) > len(lessons)


class SlowRigged(Rigged):
    """A lobby whose clock advances at each reading, so that the server pauses after one or two actions."""

    @property
    def time(self) -> float:
        self._time += SLICE_S * 0.6
        return self._time

    @time.setter
    def time(self, now: float) -> None:
        self._time = now


def test_a_learner_is_shown_only_questions_that_are_asked(tmp_path: Path) -> None:
    """A position is shown with a question and an explanation only if the learner must answer this question.

    Before each answer of the learner, the server plays other actions for the learner. Their positions are shown without
    a question and without an explanation.
    """
    ada = Learner(SlowRigged(tmp_path, think=hints_briefly), "chicago_express")
    ada.play(5)
    is_asked, shown = set(), set()
    for message in ada.notes.received:
        if message["type"] == "request":
            is_asked.add(message["number"])
        if message["type"] == "shown" and message["question"]:
            shown.add(message["question"]["number"])
            assert shown <= is_asked
    assert shown == is_asked
    assert all(
        (one["question"] is None) is (one["lesson"] is None) for one in ada.notes.received if one["type"] == "shown"
    )
    assert [line["number"] for line in ada.lines() if line["type"] == "fault"] == []


def test_a_lesson_suggests_the_moves_that_a_hint_suggests(tmp_path: Path) -> None:
    """A hint for the same position suggests the same move. It may suggest more actions, after the turn has changed."""
    ada = Learner(quick(tmp_path), "last_spike")
    number = -1
    for _ in range(3):
        match = ada.table.match
        assert match is not None
        steps = [step["action"] for step in ada.shown["lesson"]["steps"]]
        if match.number != number + 1:  # not in the middle of a move
            hints: list[Thought] = []
            hints_briefly(HintTask(position_of(match), []), hints.append)
            assert steps == msgspec.to_builtins(hints[0].steps)[: len(steps)]
        number = match.number
        if not ada.play(1) or not ada.shown["question"]:
            break


def test_a_lesson_is_private_and_survives_a_lost_connection(tmp_path: Path) -> None:
    rigged = quick(tmp_path)
    ada = Learner(rigged, "last_spike")
    info = ada.table.info()
    assert (info.private, info.clock, info.lesson, info.hints, info.undo) == (True, "none", True, False, False)
    assert ada.asked(type="list")["tables"] == []
    ada.play(3)
    before = ada.shown
    rigged.lobby.disconnected(ada.notes)
    rigged.time += 1_000_000
    rigged.lobby.tick(rigged.time)
    ada.notes = Notes()
    rigged.lobby.connections.add(ada.notes)
    ada.say(type="show")
    ada.say(type="resume", token=ada.token)
    assert ada.shown["lesson"] == before["lesson"] is not None
    assert ada.shown["question"] == before["question"]
    ada.play(1000)
    assert ada.shown["result"]
    assert ada.shown["lesson"] is None
    assert ada.asked(type="rematch")["code"] == "bad_request"


def test_all_learners_play_the_same_game(tmp_path: Path) -> None:
    rigged = quick(tmp_path)
    games = []
    for learner in (Learner(rigged, "last_spike"), Learner(rigged, "last_spike")):
        learner.play()
        games.append([line["action"] for line in learner.lines() if line["type"] == "action"])
    assert games[0] == games[1]


def test_another_answer_than_the_suggested_one_is_played_too(tmp_path: Path) -> None:
    """The learner may give another answer than the lesson suggests. The server plays it.

    The lesson continues from the new position. Clients decide whether to offer such answers.
    """
    ada = Learner(quick(tmp_path), "last_spike")
    shown = ada.shown
    wanted = shown["lesson"]["steps"][0]["action"]
    other = next(choice["action"] for choice in shown["question"]["choices"] if choice["action"] != wanted)
    ada.say(type="action", number=shown["question"]["number"], action=other)
    assert ada.play(1)


@pytest.mark.parametrize("more", [{"clock": "60+1"}, {"seats": [None]}, {"private": True}, {"name": "Mine"}])
def test_the_settings_of_a_lesson_are_fixed(tmp_path: Path, more: Json) -> None:
    rigged, notes = Rigged(tmp_path), Notes()
    rigged.say(notes, type="create", game="last_spike", players=3, lesson=True, **more)
    assert (notes.received[-1]["type"], notes.received[-1]["code"]) == ("error", "bad_request")
    assert rigged.registry.tables == {}


def test_a_game_that_explains_no_question_has_no_lessons() -> None:
    tutorial = load_face("last_spike").tutorial
    assert tutorial.has_lessons
    assert not Tutorial(tutorial.welcome).has_lessons
