"""`rails-cli connect`: connects a bot to a server table."""

import asyncio
import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click
import msgspec

from rails_cli.client.bridge import Bridge, run_politely
from rails_cli.client.connection import ANSWER_S, PATIENCE_S, Denied, Patience, Unreachable
from rails_cli.client.local_bot import BotLost, ProcessEnd
from rails_cli.commands.parameters import (
    EXISTING_FILE,
    GAME_NAME,
    SERVER_URL,
    TEXT,
    Number,
    setting_options,
    settings_of,
)
from rails_cli.commands.sandbox import check_sandbox
from rails_cli.games.shared.text import printable
from rails_cli.programs.limits import BotLimits

INTERPRETERS = {
    *("sh", "bash", "dash", "ksh", "zsh", "fish"),
    *("python", "pypy", "node", "nodejs", "bun", "java", "perl", "ruby", "php"),
    *("lua", "luajit", "julia", "rscript", "mono", "dotnet"),
}
SCRIPTS = {
    *(".py", ".pyz", ".js", ".mjs", ".cjs", ".ts", ".jar", ".java", ".sh", ".pl", ".rb", ".php"),
    *(".lua", ".jl", ".r", ".exe", ".dll"),
}

timeout_option = click.option(
    "--timeout", "timeout_s", type=Number(0.1), default=ANSWER_S, help="Seconds to wait for the server to answer."
)
tls_ca_option = click.option("--tls-ca", "certificate", type=EXISTING_FILE, help="Certificates to trust.")


@click.command
@click.argument("url", type=SERVER_URL)
@click.option("--table", type=TEXT, help="The table to join.")
@click.option("--seat", type=int, help="Which seat, counted from 0. [default: the first free one]")
@click.option("--invite", type=TEXT, help="The token of an invitation.")
@click.option(
    "--seat-token",
    "token",
    type=TEXT,
    envvar="RAILS_SEAT_TOKEN",
    show_envvar=True,
    help="The token of a seat you held before: return to it.",
)
@click.option(
    "--name",
    type=TEXT,
    help="The bot's name.  [default: what it calls itself in `join`, or the name of its program or script]",
)
@click.option(
    "--stay", is_flag=True, help="Play at one table after another until interrupted; --table is the first, if given."
)
@click.option("--games", type=click.IntRange(1), help="With --stay: stop after this many games.")
@click.option("--game", type=GAME_NAME, help="With --stay: only tables of this game.")
@click.option(
    "--patience",
    "patience_s",
    type=Number(0),
    default=PATIENCE_S,
    help="Seconds to keep trying when the server is gone.",
)
@timeout_option
@tls_ca_option
@setting_options(BotLimits)
@click.option("--json", "as_json", is_flag=True, help="Print the end of each game as one JSON object.")
@click.argument("bot", nargs=-1, required=True, metavar="-- COMMAND [ARGS]...")
def command(
    url: str,
    table: str | None,
    seat: int | None,
    invite: str | None,
    name: str | None,
    stay: bool,
    games: int | None,
    game: str | None,
    patience_s: float,
    as_json: bool,
    bot: tuple[str, ...],
    token: str | None,
    certificate: Path | None,
    timeout_s: float,
    **values: Any,
) -> None:
    """Connect a bot that uses standard input and output to the server at URL; reconnects automatically.

    The token of the seat is printed on standard error: with --seat-token the bot can return to its seat after both were
    stopped. The bot's `join` is repeated on every connection; if it is sent within half a second, it applies from the
    start.

    With --stay the bot joins any public table with a free seat, and another one after each game; while there is none,
    it waits. Interrupt it once to stop after the current game, twice to leave at once.

    \b
    Examples:
      rails-cli connect ws://127.0.0.1:8765 --table 3f2a91bc -- python3 mybot.py
      rails-cli connect ws://127.0.0.1:8765 --stay --games 20 -- python3 mybot.py
      rails-cli connect wss://rails.example.org --seat-token TOKEN -- ./mybot --fast
      rails-cli connect wss://rails.example.org --stay --sandbox auto -- python3 theirs.py
    """
    is_told = (table is not None) + (token is not None)
    if is_told == 2 or (not is_told and not stay):
        raise click.UsageError(
            "choose where to sit: --table ID, --seat-token TOKEN for a seat you held before, or --stay for any table"
        )
    if not stay and (games is not None or game is not None):
        raise click.UsageError(f"{'--game' if games is None else '--games'} works only with --stay")
    limits = limits_for(bot, values)
    sit: dict[str, Any] | None = None
    if table is not None:
        sit = {"type": "sit", "table": table, "seat": seat, "invite": invite, "name": name}

    def say(words: str) -> None:
        click.echo(printable(words), err=True)

    def ended(end: dict[str, Any], words: str) -> None:
        click.echo(msgspec.json.encode(end) if as_json else printable(words))

    bridge = Bridge(
        url,
        lambda: ProcessEnd.start(bot, limits),
        sit,
        token,
        say=say,
        nickname=program_name(bot),
        patience=Patience(patience_s),
        games=games if stay else 1,
        game=game,
        name=name,
        certificate=certificate,
        timeout_s=timeout_s,
    )
    try:
        asyncio.run(run_politely([bridge], ended))
    except (BotLost, Denied, Unreachable) as error:
        raise click.ClickException(printable(str(error))) from None


def limits_for(bot: Sequence[str], values: Mapping[str, Any]) -> BotLimits:
    """Return the limits of a bot from the options. Raise ClickException if the bot cannot be started."""
    limits = settings_of(BotLimits, values)
    if not limits.image and shutil.which(bot[0]) is None:
        raise click.UsageError(f"no such command: {bot[0]}")
    check_sandbox(limits)
    return limits


def program_name(command: Sequence[str]) -> str:
    """Return a name for a bot from its command line: the program, or the script of an interpreter.

    The name is public, so it contains nothing else of the command line.
    """
    name = Path(command[0]).stem
    if name.lower().rstrip("0123456789.") in INTERPRETERS:
        name = _script(command[1:]) or name
    return name.encode(errors="replace").decode()


def _script(arguments: Sequence[str]) -> str | None:
    """Return the script among the arguments of an interpreter. None if it cannot be determined."""
    places = [place for place, word in enumerate(arguments) if not word.startswith("-")]
    if not places:
        return None
    place, word = places[0], arguments[places[0]]
    if place > 0 and arguments[place - 1] == "-m":
        return word
    is_script = place == 0 or (Path(word).suffix.lower() in SCRIPTS and os.path.isfile(word))
    return Path(word).stem if is_script else None
