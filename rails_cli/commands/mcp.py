"""`rails-cli mcp`: Let a language model play, as a server of the Model Context Protocol."""

import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import click

from rails_cli.agents.client import SEAT_VARIABLE, play_as_bot
from rails_cli.agents.seat import AgentError
from rails_cli.basics.extras import install_command
from rails_cli.basics.settings import setting
from rails_cli.commands import reported
from rails_cli.commands.check_bot import check_command
from rails_cli.commands.options import POSITIVE, argument, with_options
from rails_cli.commands.parameters import FOLDER, server_link
from rails_cli.commands.servers import CertificateOption
from rails_cli.programs.limits import BotLimits
from rails_cli.terminal.saving import games_folder

WAIT_S = 50.0
"""Seconds that a tool waits for other players. Many programs that use MCP tools give up after 60 seconds."""
INSTALL = install_command("mcp")


@click.command(context_settings={"allow_interspersed_args": False})
@with_options
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
    seat: Annotated[
        Path | None,
        setting("Play the seat that a bot made of this command gives to its client.", envvar=SEAT_VARIABLE),
    ] = None,
    client: Annotated[tuple[str, ...], argument("[-- COMMAND [ARGS]...]", type=click.UNPROCESSED)] = (),
) -> None:
    """Let a language model play, as a server of the Model Context Protocol (MCP) on standard input and output.

    A host, such as a chat program or an editor, starts this command and offers its tools to the model. The tools start
    a game against built-in players, join a game at a server, show the rules and the position, and make moves. The
    manual is docs/AGENTS.md. Games are logged with your saved games. Needs the package mcp: pip install
    'rails-cli[mcp]'.

    With COMMAND, this is a bot instead, for `bench-agent`, tournaments and `run`. It starts COMMAND, an MCP client, for
    each game. The client plays with the tools of `rails-cli mcp --seat PATH`. PATH is in its environment as
    RAILS_CLI_SEAT, and replaces {seat} in COMMAND.

    \b
    Examples:
      rails-cli mcp
      rails-cli mcp --hints --log-dir agent-games
      rails-cli bench-agent -- rails-cli mcp -- python3 agent.py
    """
    if client:
        check_command(client, "mcp", BotLimits())
        with reported(AgentError):
            play_as_bot(client)
        return
    if find_spec("mcp") is None:
        raise click.ClickException(f"the package mcp is not installed; install it: {INSTALL}")
    if sys.stdin is None or sys.stdout is None:
        raise click.ClickException("there is no standard input or output to talk to a host")
    if seat is not None and not seat.is_socket():
        raise click.UsageError(f"there is no seat at {seat}; expected the path that `rails-cli mcp -- COMMAND` gives")
    from rails_cli.agents.server import mcp_server
    from rails_cli.agents.tools import Tools

    tools = Tools(log_folder or games_folder(), wait_s, hints, certificate, parse_address, seat)
    try:
        mcp_server(tools).run("stdio")
    except* BrokenPipeError:
        pass  # the host has ended while a tool was waiting, and there is nobody to report it to


def parse_address(words: str) -> tuple[str, str | None, str | None]:
    """Return the URL, table and invitation in `words`, the address of a server. Raise ValueError if it is invalid."""
    try:
        link = server_link(words)
    except click.UsageError as error:
        raise ValueError(error.message) from None
    return link.url, link.table, link.invite
