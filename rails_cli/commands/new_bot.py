"""`rails-cli new-bot`: Create a starter bot in the language of your choice."""

from pathlib import Path
from typing import Annotated

import click

from rails_cli.commands import write_errors
from rails_cli.commands.options import ParsedType, argument, cli_command
from rails_cli.commands.parameters import FOLDER


def template_folder(installed: str, in_checkout: str) -> Path:
    """Return the path of the folder with templates.

    This is the folder `installed` in the package if it exists, otherwise the folder `in_checkout` next to the package.
    """
    package = Path(__file__).parent.parent
    return package / installed if (package / installed).is_dir() else package.parent / in_checkout


TEMPLATES = template_folder("bot_templates", "bots")
EXAMPLES = sorted(file.parent.name for file in TEMPLATES.glob("*/README.md"))
"""Names of all example bots: programming languages, or subjects such as `learning`."""


def example_named(words: str) -> str:
    """Return the name of the example that `words` name. Hyphens in `words` may replace underscores.

    Raise ValueError if there is no such example.
    """
    name = words.lower().replace("-", "_")
    if name not in EXAMPLES:
        raise ValueError(f"no bot in {words!r}; expected one of {', '.join(EXAMPLES)}")
    return name


def write_new_files(contents: dict[Path, bytes]) -> None:
    """Write files and print their names. `contents` maps paths to contents. Raise UsageError if a file exists."""
    with write_errors():
        existing = [str(file) for file in contents if file.exists()]
        if existing:
            raise click.UsageError(f"nothing is overwritten; already there: {', '.join(existing)}")
        for file, content in contents.items():
            file.parent.mkdir(parents=True, exist_ok=True)
            with file.open("xb") as written:
                written.write(content)
            click.echo(f"{file}: written")


@cli_command
def command(
    language: Annotated[str, argument(type=ParsedType("language", example_named))],
    folder: Annotated[Path, argument("DIR", type=FOLDER)],
) -> None:
    """Create a bot in LANGUAGE in the folder DIR: one short source file that plays all games, and a README.md.

    Languages: python, python_protocol (with the kit of this package: typed messages, unit tests), javascript, c, java,
    rust, go, perl, bash. The bot javascript_websocket connects to a server on its own, and python_search and c_search
    look ahead.

    Examples in Python with more files: learning trains a neural network, tuning has a parameter to tune, and mcp_client
    plays through the Model Context Protocol. Nothing is overwritten.

    \b
    Examples:
      rails-cli new-bot python mybot
      rails-cli new-bot rust ~/bots/first
      rails-cli new-bot learning learner
    """
    sources = [file for file in sorted((TEMPLATES / language).iterdir()) if file.is_file()]
    write_new_files({folder / file.name: file.read_bytes() for file in sources})
    click.echo(f"How to build it, run it and play with it: {folder / 'README.md'}")
    click.echo(
        "To check it in a sandbox, as other people's servers run it: rails-cli check-bot --sandbox auto -- COMMAND"
    )
    if (kit := f"{language}_protocol") in EXAMPLES:
        click.echo(
            f"The same with the Python kit, if rails-cli is installed for that Python: rails-cli new-bot {kit} DIR"
        )
