"""Tests of README.md: its picture is current, and the commands, make targets and links in it exist."""

import re
import shlex
from functools import cache

import pytest
from click.testing import CliRunner

from rails_cli.cli import main
from tests.support.tools import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")


def test_it_is_short_and_begins_with_a_picture_of_a_game() -> None:
    assert len(README.splitlines()) <= 120
    assert README.index("docs/pictures/board.svg") < README.index("```console") < README.index("\n## ")


def test_the_picture_is_current() -> None:
    """Check that docs/pictures/board.svg is what the program draws now. `make pictures` updates the file."""
    [words] = re.findall(r"rails-cli (export .+ --svg .+) --output docs/pictures/board\.svg", MAKEFILE)
    game, log, *rest = shlex.split(words)
    drawn = CliRunner().invoke(main, [game, str(ROOT / log), *rest])
    assert drawn.stdout == (ROOT / "docs/pictures/board.svg").read_text(encoding="utf-8")


@pytest.mark.parametrize("line", re.findall(r"^\$ (rails-cli .+?)(?:\s+#.*)?$", README, flags=re.MULTILINE))
def test_the_commands_and_their_options_exist(line: str) -> None:
    words = shlex.split(line)
    assert words[1] in main.summaries
    command = words[1:3] if words[1] == "tournament" else words[1:2]
    for option in [word for word in words if word.startswith("--") and word != "--"]:
        assert option in help_of(*command), line


@cache
def help_of(*command: str) -> str:
    described = CliRunner().invoke(main, [*command, "--help"])
    assert described.exit_code == 0, command
    return described.output


def test_the_make_targets_exist() -> None:
    targets = re.findall(r"^\$ make (\w+)", README, flags=re.MULTILINE)
    assert targets == ["demo", "test"]
    for target in [*targets, *re.findall(r"`make (\w+)`", README)]:
        assert re.search(rf"^{target}:", MAKEFILE, flags=re.MULTILINE), target
    assert "demo-output/report.html" in MAKEFILE


@pytest.mark.parametrize("target", re.findall(r"\]\((?!http)([^)#]+)\)", README))
def test_the_links_lead_to_existing_files(target: str) -> None:
    assert (ROOT / target).exists()
