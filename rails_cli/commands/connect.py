"""`rails-cli connect`: Connect a bot to a server table."""

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import click

from rails_cli.basics.settings import setting
from rails_cli.client.bridge import Bridge
from rails_cli.client.connection import ANSWER_S, PATIENCE_S, RetryPolicy
from rails_cli.client.local_bot import ProcessBot
from rails_cli.commands.options import cli_command
from rails_cli.commands.parameters import GAME_NAME
from rails_cli.commands.sandbox import check_sandbox, warn_without_sandbox
from rails_cli.commands.servers import (
    BotArgument,
    CertificateOption,
    EndsJson,
    PatienceOption,
    TimeoutOption,
    UrlArgument,
    print_status,
    run_bridges,
)
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


@cli_command
def command(
    *,
    url: UrlArgument,
    table: Annotated[str | None, setting("The table to join.")] = None,
    seat: Annotated[int | None, setting("Which seat, counted from 1.  [default: the first free one]", least=1)] = None,
    invite: Annotated[str | None, setting("The token of an invitation.")] = None,
    token: Annotated[
        str | None,
        setting(
            "The token of a seat you held before: return to it.",
            "--seat-token",
            envvar="RAILS_SEAT_TOKEN",
            show_envvar=True,
        ),
    ] = None,
    name: Annotated[
        str | None,
        setting("The bot's name.  [default: what it calls itself in `join`, or the name of its program or script]"),
    ] = None,
    stay: Annotated[
        bool, setting("Play at one table after another until interrupted; --table is the first, if given.")
    ] = False,
    games: Annotated[int | None, setting("With --stay: stop after this many games.", least=1)] = None,
    game: Annotated[str | None, setting("With --stay: only tables of this game.", type=GAME_NAME)] = None,
    patience_s: PatienceOption = PATIENCE_S,
    timeout_s: TimeoutOption = ANSWER_S,
    certificate: CertificateOption = None,
    limits: BotLimits,
    as_json: EndsJson = False,
    bot: BotArgument,
) -> None:
    """Connect a bot that uses standard input and output to the server at URL. Reconnects automatically.

    The token of the seat is printed on standard error. With --seat-token, the bot can return to its seat after this
    program was stopped. The `join` message of the bot is sent again on every connection. To apply from the start of the
    game, this message must arrive within half a second after the bot was started.

    With --stay the bot joins any public table with a free seat, and another one after each game. The bot waits while
    there is no such table. Interrupt this program once to stop after the current game, twice to leave at once.

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
    check_bot(bot, limits)
    sit: dict[str, Any] | None = None
    if table is not None:
        index = None if seat is None else seat - 1
        sit = {"type": "sit", "table": table, "seat": index, "invite": invite, "name": name}
    bridge = Bridge(
        url,
        lambda: ProcessBot.start(bot, limits),
        sit,
        token,
        on_status=print_status,
        nickname=program_name(bot),
        retry_policy=RetryPolicy(patience_s),
        games=games if stay else 1,
        game=game,
        name=name,
        certificate=certificate,
        timeout_s=timeout_s,
    )
    run_bridges([bridge], as_json=as_json)


def check_bot(bot: Sequence[str], limits: BotLimits) -> None:
    """Raise UsageError if the program of a bot does not exist. Raise ClickException if the sandbox does not work."""
    if not limits.image and shutil.which(bot[0]) is None:
        raise click.UsageError(f"no such command: {bot[0]}")
    if check_sandbox(limits) is None:
        warn_without_sandbox()


def program_name(command: Sequence[str]) -> str:
    """Return a name for a bot: the name of its program, or of the script or module if the program is an interpreter."""
    name = Path(command[0]).stem
    if name.lower().rstrip("0123456789.") in INTERPRETERS:
        at = next((at for at, word in enumerate(command) if at > 0 and not word.startswith("-")), 0)
        script = Path(command[at])
        if command[at - 1] == "-m":
            name = command[at]
        elif at == 1 or (script.suffix.lower() in SCRIPTS and script.is_file()):
            name = script.stem
    return name.encode(errors="replace").decode()
