"""Tests of the live display of a tournament on a terminal: window sizes, colours, encodings and interruption."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.support.terminal import Terminal
from tests.support.tools import bot

RUN = ["tournament", "run", "--rounds", "1000", "--game", "last_spike", "--workers", "2", "--clock", "none"]
RUN += ["--seed", "2", "--set", "format.seatings=rotations"]  # both of the first seed groups are finished
WAITS: dict[str, Any] = {"WAITS_AFTER": "3", "WAITS_FOR": "/nowhere"}
"""Environment variables that make the bot `waits` stop answering after three games.

The workers then wait for this bot. So the run does not end, but uses no CPU time.
"""


def tournament(output: Path, *more: str) -> list[str]:
    entrants = ["builtin:greedy", "Ünïcödé=builtin:busy", f"a-name-that-needs-much-room={bot('crashes')}"]
    entrants += [f"waits={bot('waits')}"]
    given = [word for entrant in entrants for word in ("--entrant", entrant)]
    return [*RUN, *given, "--output", str(output), *more]


def standings_are_there(terminal: Terminal) -> Callable[[], bool]:
    return lambda: bool(re.search(r"[1234] +greedy +-?\d+ +(-?\d+|[?…]) to (-?\d+|[?…])", terminal.text))


def test_the_display_fits_any_window_and_the_table_stays_after_ctrl_c(tmp_path: Path) -> None:
    words = tournament(tmp_path / "out", "--name", "live")
    with Terminal(*words, LC_ALL="C.UTF-8", **WAITS) as terminal:
        terminal.wait_for(standings_are_there(terminal))
        assert terminal.is_other_screen
        for shown in ("live  round_robin of 4, 2 workers", "games/s", "faults: a-name-that-needs-much-room"):
            terminal.wait_for(shown)
        terminal.wait_for("last_spike for 3")
        terminal.wait_for("Ünïcödé")
        terminal.resize(50, 14)
        terminal.wait_for(lambda: "now playing" not in terminal.text and standings_are_there(terminal)())
        terminal.spilled.clear()  # output that was written for the old size
        before = terminal.text
        terminal.wait_for(lambda: terminal.text != before)
        assert terminal.spilled == []
        terminal.resize(100, 40)
        terminal.wait_for("now playing")
        assert b"\x1b[1;3" in terminal.bytes or b"\x1b[31m" in terminal.bytes
        terminal.press("\x03")
        assert terminal.wait_for_end() == 130
        assert terminal.is_as_before()
        assert standings_are_there(terminal)()
        assert "interrupted; finished games are kept. To resume: __main__.py" in terminal.text


def test_the_display_works_without_colours_and_in_ascii(tmp_path: Path) -> None:
    words = tournament(tmp_path / "out", "--workers", "1")
    with Terminal(*words, height=80, LC_ALL="C", PYTHONIOENCODING="ascii", NO_COLOR="1", **WAITS) as terminal:
        terminal.wait_for(standings_are_there(terminal))
        terminal.wait_for("?n?c?d?")
        terminal.press("\x03")
        assert terminal.wait_for_end() == 130
        page, _, after = terminal.bytes.partition(b"\x1b[?1049l")
        assert page.isascii()
        assert b"?n?c?d?" in after
        assert not re.search(rb"\x1b\[[0-9;]*3[0-9][;m]", terminal.bytes)
        assert "rails_cli/commands" not in terminal.text, "no traceback of our own may be shown, only that of a bot"
        assert "To resume:" in terminal.text


def test_a_dumb_terminal_and_event_output_get_plain_lines(tmp_path: Path) -> None:
    games, waits = ["--games", "6"], {**WAITS, "WAITS_AFTER": "1000"}
    with Terminal(*tournament(tmp_path / "out"), *games, TERM="dumb", **waits) as terminal:
        assert terminal.wait_for_end() == 0
        assert "round_robin of 4, 6 games; 2 workers" in terminal.text
        assert "?1049" not in terminal.bytes.decode()
    with Terminal(*tournament(tmp_path / "out"), *games, "--events", "-", width=400, **waits) as terminal:
        assert terminal.wait_for_end() == 0
        assert '{"event":"tournament_start"' in terminal.text
        assert "?1049" not in terminal.bytes.decode()
