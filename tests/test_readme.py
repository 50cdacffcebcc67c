"""The README tells the truth: its transcript is what the program prints, and its commands exist."""

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from rails_cli.cli import COMMANDS, main

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_transcript_is_real() -> None:
    block = README.split("```console\n", 1)[1].split("```", 1)[0]
    command, *shown = block.strip().splitlines()
    printed = CliRunner().invoke(main, shlex.split(command)[2:]).stdout.splitlines()
    start, end = shown[: shown.index("...")], shown[shown.index("...") + 1 :]
    assert printed[: len(start)] == start
    assert printed[-len(end) :] == end


@pytest.mark.parametrize("line", re.findall(r"^\$ (rails-cli .+?)(?:\s+#.*)?$", README, flags=re.MULTILINE))
def test_commands_exist(line: str) -> None:
    words = shlex.split(line)
    assert words[1] in COMMANDS
    described = CliRunner().invoke(main, [words[1], "--help"]).output
    for option in [word for word in words if word.startswith("--") and word != "--"]:
        assert option in described or words[1] == "tournament", line


@pytest.mark.parametrize("target", re.findall(r"\]\((?!http)([^)#]+)\)", README))
def test_links_lead_somewhere(target: str) -> None:
    assert (ROOT / target).exists()
