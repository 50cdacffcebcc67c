"""`rails-cli new-game`: Create a package with a small working game, to be changed into your own."""

from importlib.util import find_spec
from keyword import iskeyword
from pathlib import Path
from typing import Annotated

import click

from rails_cli.commands.new_bot import template_folder, write_new_files
from rails_cli.commands.options import ParsedType, argument, cli_command
from rails_cli.commands.parameters import FOLDER
from rails_cli.games import game_called, is_game_name

TEMPLATE = "freight_yard"
"""Name of the game in the template. Names of files in the template contain this name, too."""


def new_name(words: str) -> str:
    """Return `words` as the name of a new game and its package.

    Raise ValueError if the name is invalid, or is the name of a game or of an importable module.
    """
    name = words.lower().replace("-", "_")
    if not is_game_name(name):
        raise ValueError(f"{words!r} is not a name for a game; use lower-case letters, digits and single underscores")
    game = game_called(name)
    if game is not None:
        raise ValueError(f"there is already a game {game!r}; choose another name than {name!r}")
    if iskeyword(name) or find_spec(name) is not None:
        raise ValueError(f"{name!r} is a keyword or an installed module of Python; choose another name")
    return name


@cli_command
def command(
    name: Annotated[str, argument(type=ParsedType("name", new_name))],
    folder: Annotated[Path | None, argument("[DIR]", type=FOLDER)] = None,
) -> None:
    """Create the package of a small working game called NAME in the folder DIR, by default a folder called NAME.

    The package has rules, texts for questions, actions and events, a table that shows a position, and tests with the
    conformance suite. Its README.md lists the next steps. Nothing is overwritten.

    \b
    Examples:
      rails-cli new-game my_game
      rails-cli new-game my_game ~/games/first
    """
    folder = folder or Path(name)
    prefix = "".join(word[0] for word in name.split("_") if word[0].isalpha())
    replaced = {
        TEMPLATE: name,
        "Freight Yard": name.replace("_", " ").title(),
        "FY-": f"{prefix.upper()}-",  # ids of rules
        "test_fy_": f"test_{prefix}_",
    }
    template = template_folder("game_template", "docs/game_template")
    contents = {}
    for source in sorted(template.rglob("*")):
        if source.is_file() and "__pycache__" not in source.parts:
            content = source.read_text(encoding="utf-8")
            for old, new in replaced.items():
                content = content.replace(old, new)
            contents[folder / str(source.relative_to(template)).replace(TEMPLATE, name)] = content.encode()
    write_new_files(contents)
    click.echo(f"Next steps: {folder / 'README.md'}")
