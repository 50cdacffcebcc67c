"""The contract of all faces: a Face is a record of functions that show one game to people.

The functions of a face know their own game's events, entries and views; nobody else does.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from rails_cli.games.decision import Advice, Decision, Lookahead, Preview, Prompt, Spot, WireBoard
from rails_cli.games.lessons import Tutorial
from rails_cli.games.vocabulary import Vocabulary


class NumberedMap(NamedTuple):
    """What to draw so that the map shows numbers, and what they mean."""

    wire_board: WireBoard
    view: Any
    words: str


@dataclass(frozen=True, slots=True)
class Face:
    """One game as people see it."""

    about: str
    """In a line: what it is about, and how long it takes."""
    difficulty: int
    """From 1, for a first game, to 5."""

    # Words: what happened, and the position as text

    # Decisions: what is asked, the choices, what each would do, and why others are not allowed
    prompt: Callable[[Decision], Prompt]
    words: Callable[[Decision, Any], str]
    """An action or an entry of the legal list, other than a bid or a pass, in plain words."""
    preview: Callable[[Decision, Lookahead, Sequence[Any]], Preview]
    """What some actions, one after another, would do."""
    why: Callable[[Decision, Sequence[str]], str | None]
    """Why what some words name cannot be chosen now, or that it can; None if they name nothing."""
    describe: Callable[[Decision, Sequence[str]], Spot | None]
    """The place that some words name, if they name one."""
    advice: Callable[[Decision], Advice] | None
    vocabulary: Vocabulary
    tutorial: Tutorial
    new_turn: frozenset[str]
    """Questions that begin something new: what comes before them is finished."""
    places: Callable[[WireBoard, Any], list[str]]
    """Where on the map an action takes place."""
    network: Callable[[WireBoard, Any, str], tuple[frozenset[str], str] | None]
    """What a word picks out on the map: the places, and a line about them."""
    numbers: Callable[[WireBoard, Any, str], NumberedMap | list[str] | None]
    """The map with numbers of a kind (`costs`, `income`), or lines that tell them; None if there is no such kind."""

    # Pages: the board as a picture, tables, charts

    # Results: where the money came from
