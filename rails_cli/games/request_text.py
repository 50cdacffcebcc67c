"""A pending question as text, for players that read text instead of JSON, such as language models.

Players are called `seat 1`, `seat 2` and so on. The names of the players are left out, because a name could contain
instructions for the reader.
"""

import re
from collections.abc import Sequence
from functools import partial
from typing import Any

from rails_cli.games import load_face
from rails_cli.games.decision import Decision, LocalLookahead, decision_at
from rails_cli.games.faces.choices import abbreviated, command_of, preview_of, words_of
from rails_cli.games.game import Game
from rails_cli.games.rulebook import cited
from rails_cli.protocol.common import BidRange

MANY_CHOICES = 12
"""Number of choices above which a short text shows commands, such as `build PRR N5`, instead of descriptions."""
MOST_EVENTS_IN_LONG, LONGEST_EVENTS = 60, 300
"""Limits for events.

A long text has at most MOST_EVENTS_IN_LONG events. In a short text, the events have at most LONGEST_EVENTS characters.
Earlier events are left out.
"""
_SPACES = re.compile(r" {2,}")
_EMPTY_LINES = re.compile(r"\n{2,}")


def seat_names(players: int) -> list[str]:
    """Return the names that texts use for seats, from `seat 1` on."""
    return [f"seat {seat + 1}" for seat in range(players)]


def request_text(
    game: Game[Any, Any], board: Any, state: Any, seat: int, players: int, events: Sequence[Any], *, is_long: bool
) -> str:
    """Return the events since the last request, the position, the question and its choices as text for `seat`.

    `events` contains what the seat sees. Choices are numbered from 0, as in `choice` of an answer.

    If `is_long`, the text has the complete tables, all effects of each choice, and the rules that apply to the
    question. Otherwise it has only the last events, each up to the first semicolon of its sentence. The effects of
    events that are left out can be seen in the position.
    """
    names, face, wire_board = seat_names(players), load_face(game.name), game.wire_board(board)
    decision = decision_at(LocalLookahead(game, board, state, seat), game, face, wire_board, board, names)
    prompt = face.prompt(decision)
    tables = partial(face.position_text, wire_board, decision.view, names)
    sentences = [words for event in events if (words := face.tell(wire_board, event, names))]
    lines = [f"You are {names[seat]} of {players}."]
    last = sentences[-MOST_EVENTS_IN_LONG:] if is_long else _last_events(sentences)
    if last:
        earlier = f" ({len(sentences) - len(last)} earlier events left out)" if len(sentences) > len(last) else ""
        lines += [f"Since your last request{earlier}:", *last]
    if is_long:
        lines += ["Position:", tables().rstrip("\n"), "", f"Question: {prompt.asks}"]
        lines += [prompt.explained, "Choices:", *_long_choices(decision)]
        rules = cited(game.name, prompt.rules)
        return "\n".join([*lines, *(["Rules:", *rules] if rules else [])])
    if face.brief is not None:
        position = face.brief(wire_board, decision.view)
    else:
        position = _SPACES.sub(" ", _EMPTY_LINES.sub("\n", tables().strip()))
    lines = [*(abbreviated(line, face.shorter) for line in lines), "Position:", position]
    choices = [abbreviated(line, face.shorter) for line in _short_choices(decision)]
    return "\n".join([*lines, f"Question: {prompt.asks}", "Choices:", *choices]).replace("→", "->")


def _last_events(sentences: Sequence[str]) -> list[str]:
    """Return as many of the last sentences as LONGEST_EVENTS allows, each only up to its first semicolon."""
    last: list[str] = []
    left = LONGEST_EVENTS
    for sentence in reversed(sentences):
        event, _, consequence = sentence.partition(";")
        last.insert(0, f"{event}." if consequence else event)
        left -= len(last[0])
        if left < 0:
            return last[1:]
    return last


def _short_choices(decision: Decision) -> list[str]:
    """Return one line for each legal action, as short as possible."""
    words = _words if len(decision.legal) <= MANY_CHOICES else _command
    return [
        _line(number, words(decision, entry), preview_of(decision, [entry]).effect)
        for number, entry in enumerate(decision.legal)
    ]


def _long_choices(decision: Decision) -> list[str]:
    """Return one line for each legal action, with all known effects."""
    return [
        _line(number, _words(decision, entry), preview_of(decision, [entry]).words)
        for number, entry in enumerate(decision.legal)
    ]


def _words(decision: Decision, entry: Any) -> str:
    return _command(decision, entry) if type(entry) is BidRange else words_of(decision, entry)


def _command(_: Decision, entry: Any) -> str:
    """Return a legal action as a command. A range of bids shows its limits."""
    return f"bid ${entry.min} to ${entry.max}" if type(entry) is BidRange else command_of(entry)


def _line(number: int, words: str, effect: str) -> str:
    return f"{number} {words}: {effect}" if effect else f"{number} {words}"
