"""`rails-cli mcp`: Let a language model play, as a server of the Model Context Protocol."""

import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import click

from rails_cli.basics.settings import setting
from rails_cli.commands.options import POSITIVE, cli_command
from rails_cli.commands.parameters import FOLDER, server_link
from rails_cli.commands.servers import CertificateOption
from rails_cli.terminal.saving import games_folder

WAIT_S = 50.0
"""Seconds that a tool waits for other players. Many hosts give up on a tool after 60 seconds."""
INSTALL = "pip install 'rails-cli[mcp]'"


@cli_command
def command(
    *,
    hints: Annotated[bool, setting("Let the agent ask a strong player for moves in games in this process.")] = False,
    wait_s: Annotated[
        float, setting("Time that a tool waits for other players.", "--wait", metavar="SECONDS", type=POSITIVE)
    ] = WAIT_S,
    log_folder: Annotated[
        Path | None, setting("Write logs of games to this folder.  [default: saved games]", "--log-dir", type=FOLDER)
    ] = None,
    certificate: CertificateOption = None,
) -> None:
    """Let a language model play, as a server of the Model Context Protocol (MCP) on standard input and output.

    A host, such as a chat program or an editor, starts this command and offers its tools to the model: start a game
    against built-in players, join a game at a server, read the rules, see the position, move. The manual is
    docs/AGENTS.md. Games are logged with your saved games. Needs the package mcp: pip install 'rails-cli[mcp]'.

    \b
    Examples:
      rails-cli mcp
      rails-cli mcp --hints --log-dir agent-games
    """
    if find_spec("mcp") is None:
        raise click.ClickException(f"the package mcp is not installed; install it: {INSTALL}")
    if sys.stdin is None or sys.stdout is None:
        raise click.ClickException("there is no standard input or output to talk to a host")
    from rails_cli.agents.server import mcp_server
    from rails_cli.agents.tools import Tools

    mcp_server(Tools(log_folder or games_folder(), wait_s, hints, certificate, parse_address)).run("stdio")


def parse_address(words: str) -> tuple[str, str | None, str | None]:
    """Return the URL, the table and the invitation in the address of a server. Raise ValueError if it is invalid."""
    try:
        link = server_link(words)
    except click.UsageError as error:
        raise ValueError(error.message) from None
    return link.url, link.table, link.invite
