"""The example analyses in docs/ANALYSIS.md: commands and their output.

A block below a line `<!-- analysis: GAME -->` contains commands, each followed by its output. The first command plays
the game, the others analyse it. `python -m tests.support.analyses --write` runs all commands and updates the page.
"""

import re
import shlex
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import click
from click.testing import CliRunner

from rails_cli.cli import main as rails_cli
from tests.support.tools import ROOT

MANUAL = ROOT / "docs" / "ANALYSIS.md"
_BLOCK = re.compile(r"(<!-- analysis: (\w+) -->\n+```console\n)(.*?)(^```$)", re.MULTILINE | re.DOTALL)


def blocks() -> dict[str, list[str]]:
    return {found[2]: found[3].splitlines() for found in _BLOCK.finditer(MANUAL.read_text(encoding="utf-8"))}


def commands_in(block: list[str]) -> list[str]:
    return [line for line in block if line.startswith("$ ")]


def run(commands: list[str], folder: Path) -> list[str]:
    """Run `commands`, which write their files to `folder`. Return each command line followed by its output."""
    lines: list[str] = []
    for command in commands:
        words = [
            str(folder / word) if word.endswith(".jsonl") else word
            for word in shlex.split(command.removeprefix("$ rails-cli "))
        ]
        if words[0] == "analyse":
            words += ["--workers", "1"]  # gives the same result without starting processes
        result = CliRunner().invoke(rails_cli, words)
        assert result.exit_code == 0, result.output
        lines += [command, *(line.replace(f"{folder}/", "") for line in result.stdout.splitlines())]
    return lines


@click.command
@click.option("--write", is_flag=True, help="Write what is printed into the page instead of naming what differs.")
def main(write: bool) -> None:
    """Compare the examples on the page with the output of their commands. Exit with code 1 if any example differs.

    With `write`, update the page instead.
    """
    page = MANUAL.read_text(encoding="utf-8")
    printed: dict[str, list[str]] = {}
    for game, block in blocks().items():
        with TemporaryDirectory() as folder:
            printed[game] = run(commands_in(block), Path(folder))
    differing = [game for game, block in blocks().items() if printed[game] != block]
    wanted = _BLOCK.sub(lambda found: "".join([found[1], *(f"{line}\n" for line in printed[found[2]]), found[4]]), page)
    if write:
        MANUAL.write_text(wanted, encoding="utf-8")
    for game in differing:
        click.echo(f"{game}: {'written' if write else 'differs'}")
    sys.exit(0 if write or not differing else 1)


if __name__ == "__main__":
    main()
