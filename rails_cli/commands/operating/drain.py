"""`rails-cli server drain`: Stop a server: no new games, moves are finished, clients return later."""

import time
from pathlib import Path
from typing import Annotated

import click

from rails_cli.basics.settings import setting
from rails_cli.commands import reported
from rails_cli.commands.options import cli_command
from rails_cli.commands.parameters import DataFolder
from rails_cli.server.draining import RETURN_S, DrainRequest, NoServer, request_drain, server_process

POLL_S = 0.1
"""Seconds between two checks of the state of the server."""


@cli_command
def command(
    folder: DataFolder = Path("rails-data"),
    wait_s: Annotated[float, setting("Seconds to wait for the end of running games.", "--wait", least=0)] = 0,
    return_s: Annotated[
        float, setting("Seconds after which clients connect again.", "--return-after", least=0)
    ] = RETURN_S,
) -> None:
    """Stop the server that uses a data folder on this machine, and wait until it has stopped.

    No game begins from now on. With --wait, running games continue until they end or the time is over. Then the moves
    that the server itself is computing are finished and logged, clients learn when to connect again, and the server
    exits with 0. The next server with the same folder resumes the games.

    SIGTERM does the same without waiting for games. A second `drain` or SIGTERM ends the waiting.

    \b
    Examples:
      rails-cli server drain
      rails-cli server drain --data /var/lib/rails-cli --wait 600 --return-after 30
    """
    with reported(NoServer):
        process = request_drain(folder, DrainRequest(wait_s, return_s))
        while server_process(folder) == process:
            time.sleep(POLL_S)
    click.echo("stopped")
