"""`rails-cli completion`: shell completion of commands, options and games."""

import click
from click.shell_completion import get_completion_class

PROGRAM = "rails-cli"
SET_UP = {
    "bash": """add this line to ~/.bashrc: eval "$(rails-cli completion bash)\"""",
    "zsh": """add this line to ~/.zshrc: eval "$(rails-cli completion zsh)\"""",
    "fish": "run: rails-cli completion fish > ~/.config/fish/completions/rails-cli.fish",
}


@click.command
@click.argument("shell", type=click.Choice(tuple(SET_UP)), required=False)
@click.pass_context
def command(ctx: click.Context, shell: str | None) -> None:
    """Print the script that completes commands, options and games in SHELL; without SHELL, explain how to set it up.

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
    click.echo(script(ctx.find_root().command, {}, PROGRAM, "_RAILS_CLI_COMPLETE").source())
