"""Pictures of games at the terminal: `python -m tests.support.pictures [FOLDER]` draws real screens as SVG.

A simulated person in a pseudo-terminal plays by following the hints. A screen in the middle of each game is drawn. The
same games give the same pictures.
"""

import io
import re
import sys
import tempfile
from itertools import groupby
from pathlib import Path

from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

from rails_cli.games import game_names, load_game
from tests.support.person import Person
from tests.support.tools import ROOT

FOLDER = ROOT / "docs" / "pictures"
WIDTH, HEIGHT = 120, 40
SEEDS = {"chicago_express": 5, "american_rails": 5, "last_spike": 8}
MOMENTS = {"chicago_express": 12, "american_rails": 34, "last_spike": 9}
"""For each game, the number of questions to answer before its picture is drawn.

The picture is drawn at the next question of an interesting kind. This is about the middle of the game.
"""
LIMIT_BYTES = 100_000
"""Maximum number of bytes of a picture."""
SETTLED_S = 0.3
"""Seconds without output after which the screen is complete."""
FONTS = re.compile(r"\s*@font-face \{\{.*?\}\}", re.DOTALL)
FORMAT = FONTS.sub("", CONSOLE_SVG_FORMAT).replace("Fira Code", "ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas")
NORMAL = "000000 e06c75 85be6e e5c07b 61afef c678dd 56b6c2 c8ccd4"
BRIGHT = "6e7480 ff868e a0dc87 ffd78c 82c8ff de96f5 78d7e1 ffffff"
GROUND, INK = "181a1f", "dee0e5"


def shades(written: str) -> list[tuple[int, int, int]]:
    """Return the red, green and blue values of hexadecimal colours separated by spaces."""
    return [(int(word[:2], 16), int(word[2:4], 16), int(word[4:], 16)) for word in written.split()]


THEME = TerminalTheme(shades(GROUND)[0], shades(INK)[0], shades(NORMAL), shades(BRIGHT))


class Camera(Person):
    """A simulated person at a terminal that also records colours, so that `picture` can draw the screen as SVG."""

    def __init__(self, *words: str, folder: Path) -> None:
        self.pen = ""
        self.pens: dict[tuple[int, int], str] = {}
        super().__init__(*words, folder=folder, width=WIDTH, height=HEIGHT)

    def __enter__(self) -> "Camera":
        return self

    def _control(self, numbers: str, letter: str) -> None:
        if letter == "m":
            is_reset = numbers in ("", "0") or numbers.startswith("0;")
            self.pen = numbers if is_reset else f"{self.pen};{numbers}"
        else:
            super()._control(numbers, letter)

    def _put(self, text: str) -> None:
        if text.isprintable():
            self.pens.update({(self.column + at, self.row): self.pen for at in range(len(text))})
        super()._put(text)

    def picture(self, title: str) -> str:
        """Wait until no more output arrives. Return the screen as SVG."""
        while self._read(SETTLED_S):
            pass
        console = Console(record=True, width=self.width, file=io.StringIO(), force_terminal=True, color_system="256")
        for row in range(self.height):
            cells = [(column, row) for column in range(self.width)]
            written, line = self.line(row).ljust(self.width), ""
            for pen, run in groupby(cells, lambda cell: self.pens.get(cell, "") if self.is_written(*cell) else ""):
                line += f"\x1b[0;{pen}m" + "".join(written[column] for column, _ in run)
            console.print(Text.from_ansi(line.rstrip(), no_wrap=True, end=""), soft_wrap=True)
        return console.export_svg(title=title, theme=THEME, code_format=FORMAT, unique_id="screen")


def screen(game: str, folder: Path) -> str:
    """Play the first half of a game. Return the screen as SVG."""
    words = ("--players", "4", "--bots", "greedy", "--name", "Anna", "--seed", str(SEEDS[game]), "--fast")
    with Camera("play", game, *words, folder=folder) as person:
        person.wait_until_asked()
        answers = 0
        while answers < MOMENTS[game] or not is_worth_a_picture(person):
            person.say("hint")
            person.say("yes")
            answers += 1
        return person.picture(f"rails-cli play {game}")


def is_worth_a_picture(person: Person) -> bool:
    """Return whether the screen shows a kind of question that is interesting in a picture."""
    return any(word in person.text for word in ("build", "Which piece", "Where does"))


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for game in game_names():
        with tempfile.TemporaryDirectory() as home:
            drawn = screen(game, Path(home))
        content = "\n".join(line.rstrip() for line in drawn.splitlines()).encode() + b"\n"
        assert len(content) < LIMIT_BYTES, f"{game} has {len(content)} bytes"
        (folder / f"{game}-middle.svg").write_bytes(content)
        print(f"{game}-middle.svg: {len(content):,} bytes, {load_game(game).title}")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER)
