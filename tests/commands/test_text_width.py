"""Tests that text for people fits the width of the terminal. Without a terminal, the width has no effect."""

import io
import re
from pathlib import Path

import pytest
from click.testing import CliRunner
from rich.console import Console

from rails_cli.cli import main
from rails_cli.commands.tournaments.results import SHORT_HEADS, fitted_table
from rails_cli.games.shared.text import wrap
from rails_cli.study.analysis.comparing import AfterAction, Compared, table
from tests.support.terminal import Terminal


@pytest.mark.parametrize(("words", "width"), [(("rules",), 40), (("run", "--help"), 60), (("games",), 50)])
def test_lines_are_wrapped_between_words(words: tuple[str, ...], width: int, tmp_path: Path) -> None:
    printed = CliRunner().invoke(main, list(words), prog_name="rails-cli", env={"COLUMNS": "100"}).stdout
    with Terminal(*words, width=width, height=500, XDG_STATE_HOME=str(tmp_path), LC_ALL="C.UTF-8") as terminal:
        assert terminal.wait_for_end() == 0
        shown = [terminal.rows.get(row, "") for row in range(max(terminal.rows) + 1)]
    assert max(map(len, shown)) <= width
    assert max(map(len, printed.splitlines())) > width
    assert words_before_options("\n".join(shown)) == words_before_options(printed)


def words_before_options(text: str) -> list[str]:
    """Return the words of `text` without backslashes. If `text` has a list of options, stop before this list."""
    return re.findall(r"[^\s\\]+", text.partition("Options:")[0])


def test_error_messages_are_wrapped_between_words(tmp_path: Path) -> None:
    words = ("replay", "no-such-game-anywhere")
    printed = CliRunner().invoke(main, list(words), prog_name="rails-cli", env={"XDG_STATE_HOME": str(tmp_path)}).stderr
    with Terminal(*words, width=45, XDG_STATE_HOME=str(tmp_path)) as terminal:
        assert terminal.wait_for_end() == 2
        shown = [terminal.rows.get(row, "") for row in range(max(terminal.rows) + 1)]
    assert max(map(len, shown)) <= 45
    assert " ".join(shown).split() == printed.split()


def test_words_with_hyphens_stay_whole() -> None:
    assert wrap("PRR to P1, two hexes south-south-east of Rochester", 28) == [
        "PRR to P1, two hexes",
        "south-south-east of",
        "Rochester",
    ]


def test_a_comparison_has_as_many_games_beside_each_other_as_fit() -> None:
    now = AfterAction(7, [90_000, 120_000], [100_000, 120_000], [0.4, 0.6])
    game = Compared("game", "game.jsonl", None, ["hard"] * 2, 9, True, [2, 1], now, now)
    branches = [Compared(f"b{at}", "b.jsonl", 5, ["hard"] * 2, 9, True, [2, 1], now, now) for at in range(5)]
    heads = {
        width: [re.findall(r"Branch \d", line) for line in table([game, *branches], ["Anna", "Ben"], width)]
        for width in (79, 60, 40)
    }
    assert {width: max(map(len, lines)) for width, lines in heads.items()} == {79: 3, 60: 1, 40: 1}
    for width in heads:
        assert max(map(len, table([game, *branches], ["Anna", "Ben"], width))) <= width


def test_a_table_with_short_names_leaves_its_other_columns_whole() -> None:
    row = ["", "greedy", "355", "-1238 to 1948", "12", "1.08", "91.7%", "0"]
    written = io.StringIO()
    Console(file=written, width=65).print(fitted_table(SHORT_HEADS, [row], 65, is_ascii=True))
    head, shown = written.getvalue().splitlines()
    assert head.split() == " ".join(SHORT_HEADS).split()
    assert shown.split() == " ".join(row).split()
