"""Decisions at a glance: every choice with its numbers, and nothing that a larger window hides."""

from collections.abc import Iterator
from itertools import cycle, islice

import pytest

from rails_cli.games import GAME_NAMES
from rails_cli.games.canvas import plain
from rails_cli.terminal.frame import Frame
from rails_cli.terminal.layout import ScreenLayout, tight
from tests.support.frames import golden_frames
from tests.support.tools import GOLDEN

SIZES = [(80, 24), (100, 35), (160, 50), (110, 40), (90, 30), (120, 40), (130, 30), (200, 60), (80, 60), (200, 24)]


def packed(text: str) -> str:
    return "".join(text.split())


def screen(layout: ScreenLayout, frame: Frame, width: int, height: int) -> list[str]:
    return [line.plain for line in layout.lines(frame, width, height - 1)]


def dialogue(lines: list[str], frame: Frame) -> list[str]:
    """What stands below the question, without what stands beside it."""
    first = " ".join(frame.question.split()[:4])
    top = next(row for row, line in enumerate(lines) if first in line)
    left = lines[top].index(first)
    beside = next(line.index("player ") for line in lines if "player " in line) - 3
    shown = [line[left : beside if left < beside else None] for line in lines[top:]]
    while not shown[-1].strip():
        shown.pop()
    return shown


def scrolled_through(frame: Frame, width: int, height: int) -> Iterator[str]:
    """All lines of the dialogue, page by page; the last page begins where it is full."""
    layout = ScreenLayout()
    above = None
    while True:
        shown = dialogue(screen(layout, frame, width, height), frame)
        if above is None:
            above = next(row for row, line in enumerate(shown) if line.lstrip().startswith("1 "))
        has_more = shown[-1].startswith("... ")
        yield from shown[above : -1 if has_more else None]
        if not has_more:
            return
        layout.scrolled += len(shown) - 1 - above


@pytest.mark.parametrize("game", GAME_NAMES)
def test_choices_and_facts_are_whole_at_any_size(game: str) -> None:
    """Each choice up to its last number; and of each player and company all that any window shows."""
    sizes = cycle(SIZES)
    checked = 0
    for file in islice(sorted((GOLDEN / game).glob("*.jsonl"), reverse=True), 2):
        for _, frame in golden_frames(file, every=9 if game == "last_spike" else 43):
            checked += 1
            for size in islice(sizes, 3):
                lines = screen(ScreenLayout(), frame, *size)
                facts = list(face_lines(frame))
                missing = [fact for fact in facts if not any(packed(fact) in packed(line) for line in lines)]
                assert not missing, (size, "\n".join(lines))
                text = packed("".join(scrolled_through(frame, *size)))
                for number, choice in enumerate(frame.choices, 1):
                    told = f"{number} {choice.words}{': ' if choice.preview.notes else ''}{choice.preview.words}"
                    short = tight(told, frame.game_face.shorter)
                    assert packed(told) in text or packed(short) in text, (size, told, "\n".join(lines))
    assert checked > 8


def face_lines(frame: Frame) -> Iterator[str]:
    """Cash, what is due, where that leads, shares; treasuries, incomes, what a share pays, what is left to build."""
    face, view = frame.game_face, frame.view
    for line in (*face.players(frame.snapshot, 200), *face.companies(frame.wire_board, view, 200)):
        yield plain(line)
    yield face.end(frame.wire_board, view)
