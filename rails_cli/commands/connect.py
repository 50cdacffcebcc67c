"""`rails-cli connect`: brings a bot to a table of a server."""

import asyncio
import shutil
from pathlib import Path
from typing import Any

import click
import msgspec

from rails_cli.client import BotLost, Bridge, Denied, Unreachable


@click.command
@click.argument("url")
@click.option("--table", help="The table to sit down at.")
@click.option("--seat", type=int, help="Which seat.  [default: the first that is free]")
@click.option("--invite", help="The token of an invitation.")
@click.option(
    "--seat-token",
    "token",
    envvar="RAILS_SEAT_TOKEN",
    show_envvar=True,
    help="The token of a seat held before: carry on there.",
)
@click.option("--name", help="What the bot is called.")
@click.option(
    "--patience",
    "patience_s",
    type=click.FloatRange(0),
    default=120,
    show_default=True,
    help="Seconds to go on trying when the server is gone.",
)
@click.option("--tls-ca", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="Certificates to trust.")
@click.option("--json", "as_json", is_flag=True, help="Print the end of the game as one JSON object.")
@click.argument("bot", nargs=-1, required=True, metavar="-- COMMAND [ARGS]...")
def command(
    url: str,
    table: str | None,
    seat: int | None,
    invite: str | None,
    token: str | None,
    name: str | None,
    patience_s: float,
    tls_ca: Path | None,
    as_json: bool,
    bot: tuple[str, ...],
) -> None:
    """Let a bot that speaks on standard input and output play at the server at URL; reconnects by itself.

    The token of the seat is told on standard error: with --seat-token the bot carries on after both were stopped.

    \b
    Examples:
      rails-cli connect ws://127.0.0.1:8765 --table 3f2a91bc -- python3 mybot.py
      rails-cli connect wss://rails.example.org --seat-token TOKEN -- ./mybot --fast
    """
    if (table is None) == (token is None):
        raise click.UsageError("say where to sit: --table ID, or --seat-token TOKEN for a seat held before")
    if shutil.which(bot[0]) is None:
        raise click.UsageError(f"no such command: {bot[0]}")
    sit: dict[str, Any] | None = None
    if table is not None:
        sit = {"type": "sit", "table": table, "seat": seat, "invite": invite, "name": name or Path(bot[-1]).stem}
    bridge = Bridge(
        url,
        bot,
        sit=sit,
        token=token,
        say=lambda words: click.echo(words, err=True),
        certificate=tls_ca,
        patience_s=patience_s,
    )
    try:
        end = asyncio.run(bridge.run())
    except (BotLost, Denied, Unreachable) as error:
        raise click.ClickException(str(error)) from None
    if as_json:
        click.echo(msgspec.json.encode(end))
    else:
        click.echo(f"ended: {end['reason']}, scores {end['scores']}, ranks {end['ranks']}")
