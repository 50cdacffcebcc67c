"""Simulated people who use `rails-cli play` in a pseudo-terminal, in local games or at a table on a server."""

import json
import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.support.terminal import Terminal
from tests.support.tools import rails
from tests.support.waiting import HANG_S
from tests.support.ws_client import ServerProcess

HELD_HINT = "enter again: send this"
DELETED_HINT = "deleted, because it was typed before"
GAME_ARGUMENTS = ("--players", "3", "--bots", "greedy", "--name", "Anna", "--seed", "5")


class Person(Terminal):
    """A simulated person at a terminal that runs rails-cli.

    `folder` is the folder in which the program saves games and settings.
    """

    def __init__(self, *words: str, folder: Path, width: int = 80, height: int = 24, **env: str) -> None:
        settings = {"XDG_STATE_HOME": str(folder), "LANG": "C.UTF-8", "LC_ALL": "", **env}
        super().__init__(*words, width=width, height=height, **settings)  # type: ignore[arg-type]

    def __enter__(self) -> "Person":
        return self

    def _control(self, numbers: str, letter: str) -> None:
        count = int(numbers) if numbers.isdecimal() else 1
        if letter in "ABCD":
            self.row += {"A": -count, "B": count}.get(letter, 0)
            self.column += {"C": count, "D": -count}.get(letter, 0)
        elif letter == "K":
            self._erase_line()
        elif letter == "J" and numbers in ("", "0"):
            self._erase_line()
            self.rows = {row: line for row, line in self.rows.items() if row <= self.row}
        else:
            super()._control(numbers, letter)

    def _erase_line(self) -> None:
        self.rows[self.row] = self.rows.get(self.row, "")[: self.column]

    def _put(self, text: str) -> None:
        if text == "\b":
            self.column -= 1
        else:
            super()._put(text)

    @property
    def last_line(self) -> str:
        return self.line(self.height - 1)

    def is_asked(self, name: str = "Anna") -> bool:
        """Return whether the prompt of the player `name` waits for input."""
        return self.last_line.startswith(f"{name}>")

    def is_over(self) -> bool:
        """Return whether the program waits for enter at the end of the game."""
        return self.last_line.startswith("press enter>")

    def is_idle(self, name: str) -> bool:
        """Return whether the program waits for input of the player `name` or for the final enter, or has ended."""
        return self.is_asked(name) or self.is_over() or self.process.poll() is not None

    def wait_until_asked(self, name: str = "Anna") -> None:
        """Wait until the program waits for input of the player `name`, or has ended."""
        self.wait_for(lambda: self.is_idle(name))

    def type(self, text: str) -> None:
        """Type `text` and wait until the text is shown after the prompt.

        If the program deletes the text, because it arrived just before a new question, type it again.
        """
        was_deleted = DELETED_HINT in self.last_line
        self.press(text)

        def is_typed() -> bool:
            nonlocal was_deleted
            is_deleted = DELETED_HINT in self.last_line
            if is_deleted and not was_deleted:
                self.press(text)
            was_deleted = is_deleted
            return re.match(rf"[^>]+> {re.escape(text)}", self.last_line) is not None

        self.wait_for(is_typed)

    def say(self, text: str, name: str = "Anna") -> None:
        """Type a line and wait until the line has been handled and the next prompt is shown."""
        self.say_and_wait(text, lambda: self.is_idle(name))

    def say_and_wait(self, text: str, is_ready: Callable[[], bool] = lambda: True) -> None:
        """Type the line `text` and wait until it has been handled and `is_ready` returns true.

        Press enter a second time if the program asks for it.
        """
        self.type(text)
        self.press("\r")
        was_held = False

        def is_taken() -> bool:
            nonlocal was_held
            is_held = HELD_HINT in self.last_line
            if is_held and not was_held:
                self.press("\r")
            was_held = is_held
            return re.match(rf"[^>]+> {re.escape(text)}", self.last_line) is None and is_ready()

        self.wait_for(is_taken)


def games_in(folder: Path) -> list[Path]:
    return sorted((folder / "rails-cli" / "games").glob("*.jsonl"))


def log_lines(folder: Path) -> list[dict[str, Any]]:
    """Return the lines of the log of the only saved game in the state folder `folder`."""
    (path,) = games_in(folder)
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def by_lines(folder: Path, *words: str, typed: str, **env: str) -> subprocess.CompletedProcess[str]:
    """Run rails-cli with the arguments `words` without a terminal. Standard input is `typed`.

    `folder` is the folder in which the program saves games and settings. `env` sets environment variables.
    """
    clean = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    settings = {**clean, "XDG_STATE_HOME": str(folder), "LC_ALL": "C.UTF-8", **env}
    return rails(*words, input=typed, env=settings, timeout=HANG_S)


def check_given_once(lessons: list[str], output: str) -> None:
    """Check that at least two of the texts `lessons` are in `output`, and that none of them occurs twice."""
    given = [" ".join(output.split()).count(lesson) for lesson in lessons]
    assert max(given) == 1
    assert sum(given) >= 2


def kept_tokens(folder: Path) -> list[str]:
    return [seat["token"] for seat in json.loads((folder / "rails-cli" / "seats.json").read_bytes())]


class Guest(Person):
    """A simulated person named Anna who plays at a table on a server."""

    def __init__(self, server: ServerProcess, *words: str, folder: Path, width: int = 100, height: int = 35) -> None:
        super().__init__(
            *("play", "--server", server.url, *words, "--name", "Anna", "--fast"),
            folder=folder,
            width=width,
            height=height,
        )

    def __enter__(self) -> "Guest":
        return self

    def enter(self) -> None:
        """Press enter and wait for the next question."""
        before = self.text
        self.press("\r")
        self.wait_for(lambda: self.text != before)
        self.wait_until_asked()

    def pass_until_turn(self) -> None:
        """Pass in all auctions of Chicago Express until Anna's next turn."""
        self.wait_until_asked()
        while "Your turn:" not in self.text:
            self.say("pass")

    @property
    def words(self) -> str:
        """Words on the screen in one line: first the part of each line left of the panels, then the rest of each."""
        at = next((line.index("   player ") for line in self.lines if "   player " in line), 0)
        return " ".join(
            word
            for line in (*(row[:at] for row in self.lines), *(row[at:] for row in self.lines))
            for word in line.split()
        )


def make_table(
    server: ServerProcess, game: str, *words: str, seats: tuple[str, ...] = ("open", "builtin:greedy", "builtin:greedy")
) -> Any:
    """Create a table with `rails-cli tables --create`. Return the `created` message of the server.

    `words` are further arguments of the command. `seats` says by seat who plays.
    """
    chairs = [word for seat in seats for word in ("--seat", seat)]
    made = rails("tables", server.url, "--create", game, "--players", str(len(seats)), *chairs, *words, "--json")
    assert made.returncode == 0, made.stderr
    return json.loads(made.stdout)


def actions_in(server: ServerProcess, table: str) -> list[Any]:
    return [line["action"] for line in server.lines(table) if line["type"] == "action"]
