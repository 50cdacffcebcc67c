"""Tests of README.md: its transcript is the real output, and the commands, make targets and links in it exist."""

import re
import shlex
from functools import cache

import pytest
from click.testing import CliRunner

from rails_cli.cli import main
from tests.support.tools import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_transcript_is_what_the_command_prints() -> None:
    block = README.split("```console\n", 1)[1].split("```", 1)[0]
    command, *shown = block.strip().splitlines()
    printed = CliRunner().invoke(main, shlex.split(command)[2:]).stdout.splitlines()
    start, end = shown[: shown.index("...")], shown[shown.index("...") + 1 :]
    assert printed[: len(start)] == start
    assert printed[-len(end) :] == end


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
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in [*targets, *re.findall(r"`make (\w+)`", README)]:
        assert re.search(rf"^{target}:", makefile, flags=re.MULTILINE), target
    assert "demo-output/report.html" in makefile


@pytest.mark.parametrize("target", re.findall(r"\]\((?!http)([^)#]+)\)", README))
def test_the_links_lead_to_existing_files(target: str) -> None:
    assert (ROOT / target).exists()
