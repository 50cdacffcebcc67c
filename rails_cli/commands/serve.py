"""`rails-cli serve`: a websocket server for people and bots."""

import ipaddress
import re
import shlex
import shutil
import ssl
from pathlib import Path
from typing import Literal

import click
import msgspec

from rails_cli.commands.parameters import Number, Text, game_board
from rails_cli.games import GAME_NAMES, load_game
from rails_cli.server.address import exact
from rails_cli.server.limits import ConnectionLimits, Limits
from rails_cli.server.lobby import COSTS
from rails_cli.server.lookahead import LINE_COST, LINES, STEP_COST, STEPS_IN_ALL
from rails_cli.server.origins import DEFAULT_PORTS
from rails_cli.server.running import Settings, serve
from rails_cli.server.storage import FolderInUse
from rails_cli.server.table_registry import OfferedBoard

STANDARD = "standard"
DEAREST = max(*COSTS.values(), 1 + LINE_COST * LINES + STEP_COST * STEPS_IN_ALL)
"""What the dearest request of the lobby costs: an address with a smaller reserve could never ask for it."""
ORIGIN = re.compile(r"([a-z][a-z0-9+.-]*)://([a-z0-9._-]+|\[[0-9a-f:.]+\])(?::([0-9]{1,5}))?")


@click.command
@click.option(
    "--host", type=Text(), default="127.0.0.1", show_default=True, help="Address to listen on; 0.0.0.0 for all."
)
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8765, show_default=True, help="Port; 0 picks a free one."
)
@click.option(
    "--data",
    "folder",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("rails-data"),
    show_default=True,
    help="Folder for tables, logs and the admin token.",
)
@click.option("--bot", "bots", multiple=True, metavar="NAME=COMMAND", help="A bot that may be seated as bot:NAME.")
@click.option("--board", "boards", multiple=True, metavar="NAME=FILE", help="A board that tables may be played on.")
@click.option("--logs", type=click.Path(exists=True, file_okay=False, path_type=Path), help="Logged games to watch.")
@click.option(
    "--tls-cert", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="Certificate chain (PEM)."
)
@click.option("--tls-key", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="Its private key (PEM).")
@click.option(
    "--origin",
    "origins",
    multiple=True,
    metavar="SCHEME://HOST[:PORT]",
    help="Web pages from here may connect, such as https://example.org.",
)
@click.option(
    "--proxy", "proxies", multiple=True, metavar="ADDRESS", help="A reverse proxy, believed about who its clients are."
)
@click.option(
    "--absence",
    "absence_s",
    type=Number(0),
    default=60,
    show_default=True,
    help="Seconds a player may be disconnected before a substitute takes over.",
)
@click.option(
    "--on-faults",
    type=click.Choice(["substitute", "void"]),
    default="substitute",
    show_default=True,
    help="What becomes of the seat of a player who is lost.",
)
@click.option("--max-connections", type=click.IntRange(1), default=2000, show_default=True)
@click.option("--max-connections-each", type=click.IntRange(1), default=64, show_default=True, help="From one address.")
@click.option("--max-tables", type=click.IntRange(1), default=1000, show_default=True)
@click.option("--max-bots", type=click.IntRange(0), default=100, show_default=True, help="Processes of bots at once.")
@click.option("--max-tables-each", type=click.IntRange(1), default=20, show_default=True, help="From one address.")
@click.option("--messages-per-second", type=Number(0.1), default=100, show_default=True, help="From one client.")
@click.option(
    "--requests-per-second",
    type=Number(0.1),
    default=50,
    show_default=True,
    help="Of the lobby, from one address.",
)
@click.option(
    "--silence",
    "silence_s",
    type=Number(1),
    default=60,
    show_default=True,
    help="Seconds without a sign of life.",
)
@click.option(
    "--idle",
    "idle_s",
    type=Number(1),
    default=900,
    show_default=True,
    help="Seconds that one may be at no table and say nothing.",
)
@click.option(
    "--open-table",
    "open_table_s",
    type=Number(1),
    default=3600,
    show_default=True,
    help="Seconds that an empty table is kept.",
)
def command(
    host: str,
    port: int,
    folder: Path,
    bots: tuple[str, ...],
    boards: tuple[str, ...],
    logs: Path | None,
    tls_cert: Path | None,
    tls_key: Path | None,
    origins: tuple[str, ...],
    proxies: tuple[str, ...],
    absence_s: float,
    on_faults: Literal["substitute", "void"],
    max_connections: int,
    max_connections_each: int,
    max_tables: int,
    max_tables_each: int,
    max_bots: int,
    messages_per_second: float,
    requests_per_second: float,
    silence_s: float,
    idle_s: float,
    open_table_s: float,
) -> None:
    """Run a server: tables, people, bots and watchers over websockets, until SIGTERM or Ctrl-C.

    People play at its page in a browser. Every table is its log: after a crash the same command brings all unfinished
    games back. Health is at /healthz, numbers at /metrics. The messages are in protocol/LOBBY.md, how to serve
    others is in docs/SERVER.md.

    \b
    Examples:
      rails-cli serve
      rails-cli serve --host 0.0.0.0 --tls-cert cert.pem --tls-key key.pem --bot 'deep=python3 deep.py'
      rails-cli serve --port 9000 --data /var/lib/rails --logs old-games
    """
    if (tls_cert is None) != (tls_key is None):
        raise click.UsageError("--tls-cert and --tls-key go together")
    settings = Settings(
        host=_checked_host(host),
        port=port,
        folder=folder,
        bots=_read_bots(bots),
        boards=_read_boards(boards),
        absence_s=absence_s,
        open_table_s=open_table_s,
        on_faults=on_faults,
        certificate=tls_cert,
        key=tls_key,
        origins=[_read_origin(word) for word in origins],
        proxies=[_read_proxy(word) for word in proxies],
        logs=logs,
        limits=Limits(
            tables=max_tables,
            tables_each=max_tables_each,
            bots=max_bots,
            requests_per_s=requests_per_second,
            burst=max(DEAREST, 10 * requests_per_second),
        ),
        connections=ConnectionLimits(
            connections=max_connections,
            connections_each=max_connections_each,
            messages_per_s=messages_per_second,
            burst=max(20.0, 4 * messages_per_second),
            silence_s=silence_s,
            idle_s=idle_s,
        ),
    )

    def started(scheme: str, real_port: int, going_on: int) -> None:
        shown = f"[{host}]" if ":" in host else host
        say(f"serving on {scheme}://{shown}:{real_port}; {going_on} games go on; admin token in {folder}/admin-token")
        near = "localhost" if host in ("0.0.0.0", "::") else shown
        say(f"the page for people is http{'s' if scheme == 'wss' else ''}://{near}:{real_port}/")

    def say(words: str) -> None:
        click.echo(words, err=True)

    try:
        serve(settings, started, say)
    except FolderInUse as error:
        raise click.ClickException(str(error)) from None
    except ssl.SSLError as error:
        raise click.ClickException(f"the certificate or its key cannot be used: {error.reason or error}") from None
    except OSError as error:
        raise click.ClickException(
            f"cannot serve on {host} port {port} with {folder}: {error.strerror or error}"
        ) from None
    say("stopped")


def _checked_host(host: str) -> str:
    try:
        is_name = bool(host.encode("idna"))
    except UnicodeError:
        is_name = False
    if not is_name:
        words = f"{host!r} is neither an address nor a name; 0.0.0.0 stands for all addresses, :: with those of IPv6"
        raise click.BadParameter(words, param_hint="--host")
    return host


def _read_proxy(word: str) -> str:
    try:
        ipaddress.ip_address(word)
    except ValueError:
        words = f"{word!r} is not an address, such as 127.0.0.1; a proxy is known by its address"
        raise click.BadParameter(words, param_hint="--proxy") from None
    return exact(word)


def _read_origin(word: str) -> str:
    """An origin as browsers write it: in small letters, and without the port that goes without saying."""
    found = ORIGIN.fullmatch(word.lower())
    if found is None or int(found[3] or 0) > 65535:
        words = f"{word!r} is not of the form SCHEME://HOST[:PORT], such as https://example.org"
        raise click.BadParameter(words, param_hint="--origin")
    scheme, host, port = found.groups()
    is_said = port is not None and int(port) != DEFAULT_PORTS.get(scheme)
    return f"{scheme}://{host}:{int(port)}" if is_said else f"{scheme}://{host}"


def _read_boards(words: tuple[str, ...]) -> dict[str, OfferedBoard]:
    boards = {}
    for word in words:
        name, equals, file = word.partition("=")
        if not equals or not name or not name.isprintable() or name == STANDARD or not file:
            raise click.BadParameter(f"{word!r} is not of the form NAME=FILE", param_hint="--board")
        try:
            written = msgspec.json.decode(Path(file).read_bytes())
        except OSError as error:
            raise click.BadParameter(f"{file}: {error.strerror}", param_hint="--board") from None
        except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
            raise click.BadParameter(f"{file}: {error}", param_hint="--board") from None
        of = written.get("game") if isinstance(written, dict) else None
        if of not in GAME_NAMES:
            told = f"{file} does not say of which game it is a board; its `game` is one of {', '.join(GAME_NAMES)}"
            raise click.BadParameter(told, param_hint="--board")
        boards[name] = OfferedBoard(of, game_board(load_game(of), Path(file)), written)
    return boards


def _read_bots(words: tuple[str, ...]) -> dict[str, list[str]]:
    bots = {}
    for word in words:
        name, equals, line = word.partition("=")
        try:
            parts = shlex.split(line)
        except ValueError as error:
            raise click.BadParameter(f"{word!r}: {error}", param_hint="--bot") from None
        if not equals or not name.isidentifier() or not parts:
            raise click.BadParameter(f"{word!r} is not of the form NAME=COMMAND", param_hint="--bot")
        if shutil.which(parts[0]) is None:
            raise click.BadParameter(f"{word!r}: {parts[0]} is no program that can be run", param_hint="--bot")
        bots[name] = parts
    return bots
