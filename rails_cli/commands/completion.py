"""`rails-cli completion`: Set up completion of commands, options and games in your shell."""

from typing import Annotated

import click
from click.shell_completion import get_completion_class

from rails_cli.commands.options import argument, cli_command

PROGRAM = "rails-cli"
SET_UP = {
    "bash": """add this line to ~/.bashrc: eval "$(rails-cli completion bash)\"""",
    "zsh": """add this line to ~/.zshrc: eval "$(rails-cli completion zsh)\"""",
    "fish": "run: rails-cli completion fish > ~/.config/fish/completions/rails-cli.fish",
}


@cli_command
def command(shell: Annotated[str | None, argument(type=click.Choice(tuple(SET_UP)))] = None) -> None:
    """Print the script that completes commands, options and games in SHELL. Without SHELL, explain the set-up.

    \b
    Examples:
      rails-cli completion
      eval "$(rails-cli completion bash)"
    """
    if shell is None:
        click.echo("Press tab to complete commands, options and games:")
        for name, words in SET_UP.items():
            click.echo(f"  {name}: {words}")
        return
    script = get_completion_class(shell)
    assert script is not None, shell
    click.echo(script(click.get_current_context().find_root().command, {}, PROGRAM, "_RAILS_CLI_COMPLETE").source())
