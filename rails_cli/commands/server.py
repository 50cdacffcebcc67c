"""`rails-cli server`: Stop a running server without losing a game."""

import click

from rails_cli.commands import LazyGroup


@click.group(cls=LazyGroup, package="rails_cli.commands.operating", order=("drain",))
def command() -> None:
    """Operate the server that uses a data folder. `rails-cli serve` starts a server.

    \b
    Examples:
      rails-cli server drain
      rails-cli server drain --data /var/lib/rails-cli --wait 600
    """
