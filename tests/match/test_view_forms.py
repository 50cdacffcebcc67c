"""Tests of the field `view` of the messages `join` and `again`.

This field selects the form in which requests show the position.
"""

import re
from collections.abc import Callable, Sequence
from itertools import pairwise
from statistics import median
from typing import Any

import pytest

from rails_cli.games import game_names, load_game
from tests.support.tools import ROOT
from tests.support.transcripts import Json, MatchRecord, Reply, Script, answer, example, joined, play, takes_first

BYTES_PER_TOKEN = 4
"""Bytes of text per token of a language model, by the common estimate in the manual."""
MOST_TOKENS = 500
"""Largest median number of tokens that a request with the view form `text` may have, as the manual promises."""
TOKENS_OF_REST = 60
"""Number of tokens in a request with the view form `text`, without the text itself. The manual states this number."""


def played_with(game: str, view: str, players: int = 3) -> MatchRecord:
    return play(game, joined(view=view), players=players)


def requests(played: MatchRecord) -> list[Json]:
    return [spoken.message for spoken in played.spoken if spoken.is_a("request")]


def measured_tokens(game: str) -> float:
    """Return the factor by which the measured number of tokens in texts of a game exceeds the estimated number.

    Both numbers are medians in the manual, for a game of four players.
    """
    manual = (ROOT / "protocol" / "VIEWS.md").read_text(encoding="utf-8")
    measured = re.search(rf"^\| {load_game(game).title} \| 4 \|.*?\|.*?\| (\d+) \((\d+)\)", manual, re.MULTILINE)
    assert measured is not None
    return int(measured[1]) / int(measured[2])


def with_changes() -> Callable[[Json, Json], Json]:
    """Return the function in the manual that rebuilds a view from the previous view and the changes."""
    names: dict[str, Any] = {}
    exec(example("with_changes.py"), names)
    rebuild: Callable[[Json, Json], Json] = names["with_changes"]
    return rebuild


@pytest.mark.parametrize("game", game_names())
def test_the_changes_rebuild_every_view(game: str) -> None:
    full, changed, rebuild = played_with(game, "full"), played_with(game, "delta"), with_changes()
    assert changed.log == full.log
    views = [request["view"] for request in requests(full)]
    told = requests(changed)
    assert [request["number"] for request in told if request["view"] is not None] == [
        request["number"] for request in told[:2]
    ]  # the first request comes before `join`, and the second one has no view to refer to
    for before, after, request in zip(views[1:], views[2:], told[2:], strict=False):
        assert rebuild(before, request["delta"]) == after
    assert any(request["delta"] for request in told[2:])


@pytest.mark.parametrize("game", game_names())
def test_a_text_replaces_the_request_and_is_short(game: str) -> None:
    """With the view form `text`, a request contains a short text instead of events, view and legal actions.

    The text has no names of players, because a name could contain an instruction to a language model.
    """
    full, told = (played_with(game, view, players=4) for view in ("full", "text"))
    assert told.log == full.log
    pairs = list(zip(requests(full)[1:], requests(told)[1:], strict=True))
    for request, shown in pairs:
        assert (shown["events"], shown["view"], shown["legal"]) == ([], None, [])
        lines = shown["text"].splitlines()
        choices = lines[lines.index("Choices:") + 1 :]
        assert [line.split()[0] for line in choices] == [str(number) for number in range(len(request["legal"]))]
        assert "rival" not in shown["text"]
    estimated = median(len(shown["text"].encode()) / BYTES_PER_TOKEN for _, shown in pairs)
    assert estimated * measured_tokens(game) + TOKENS_OF_REST <= MOST_TOKENS


def test_again_repeats_a_request_in_another_form_once() -> None:
    forms = ["long_text", "full", "delta", "none", None]

    def script(message: Json) -> Sequence[Reply]:
        if message["type"] == "request" and message["number"] > 1 and forms:
            return [{"type": "again", "view": forms.pop(0)}]
        return joined(view="text")(message)

    played = play("last_spike", script)
    short, long, full, delta, none, again, following = requests(played)[1:8]
    assert short == again
    assert "Rules:\nLS-" in long["text"]
    assert "Rules:" not in short["text"]
    assert full["view"] == delta["view"] != none["view"]
    assert full["events"] == none["events"] != []
    assert following["number"] > again["number"]
    assert following["text"] != again["text"]


def test_a_new_process_gets_a_whole_view() -> None:
    """With the view form `delta`, a new process of a bot gets a whole view, not only the changes.

    The bot does not answer one request in time, so it is started again as a new process.
    """
    is_late = [True]

    def script(message: Json) -> Sequence[Reply]:
        if message["type"] == "request" and message["number"] > 8 and is_late:
            is_late.clear()
            return []
        return joined(view="delta")(message)

    told = requests(play("chicago_express", script))
    late = next(place for place, (one, two) in enumerate(pairwise(told)) if one["view"] is None and two["view"])
    assert [request["view"] is None for request in told[late : late + 4]] == [True, False, False, True]


def test_the_end_counts_unreadable_answers_apart_from_illegal_ones() -> None:
    mistakes: list[Script] = [
        lambda request: ["{"],
        lambda request: [answer(request, choice=99)],
        lambda request: [answer(request, choice=98)],
    ]

    def script(message: Json) -> Sequence[Reply]:
        if message["type"] in ("request", "rejected") and mistakes:
            return mistakes.pop(0)(message)
        return takes_first(message)

    played = play("last_spike", script)
    end = played.spoken[-1].message
    assert (end["faults"], end["fault_codes"]) == ([3, 0], [{"bad_line": 1, "illegal_action": 2}, {}])
    assert [line["code"] for line in played.log if line["type"] == "fault"] == [
        "bad_line",
        "illegal_action",
        "illegal_action",
    ]
