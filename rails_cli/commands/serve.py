"""`rails-cli serve`: a websocket server for people and bots."""

import shlex
import ssl
from pathlib import Path

import click

from rails_cli.server.address import counted
from rails_cli.server.connection import ConnectionLimits
from rails_cli.server.register import Limits
from rails_cli.server.running import Settings, serve
from rails_cli.server.storage import FolderInUse


@click.command
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on; 0.0.0.0 for all.")
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
@click.option("--logs", type=click.Path(exists=True, file_okay=False, path_type=Path), help="Logged games to watch.")
@click.option(
    "--tls-cert", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="Certificate chain (PEM)."
)
@click.option("--tls-key", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="Its private key (PEM).")
@click.option(
    "--origin", "origins", multiple=True, help="Web pages from here may connect, such as https://example.org."
)
@click.option(
    "--proxy", "proxies", multiple=True, metavar="ADDRESS", help="A reverse proxy, believed about who its clients are."
)
@click.option(
    "--absence",
    "absence_s",
    type=click.FloatRange(0),
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
@click.option("--max-tables-each", type=click.IntRange(1), default=20, show_default=True, help="From one address.")
@click.option(
    "--messages-per-second", type=click.FloatRange(0.1), default=100, show_default=True, help="From one client."
)
@click.option(
    "--requests-per-second",
    type=click.FloatRange(0.1),
    default=50,
    show_default=True,
    help="Of the lobby, from one address.",
)
@click.option(
    "--silence",
    "silence_s",
    type=click.FloatRange(1),
    default=60,
    show_default=True,
    help="Seconds without a sign of life.",
)
@click.option(
    "--idle",
    "idle_s",
    type=click.FloatRange(1),
    default=900,
    show_default=True,
    help="Seconds that one may be at no table and say nothing.",
)
@click.option(
    "--open-table",
    "open_table_s",
    type=click.FloatRange(1),
    default=3600,
    show_default=True,
    help="Seconds that an empty table is kept.",
)
def command(
    host: str,
    port: int,
    folder: Path,
    bots: tuple[str, ...],
    logs: Path | None,
    tls_cert: Path | None,
    tls_key: Path | None,
    origins: tuple[str, ...],
    proxies: tuple[str, ...],
    absence_s: float,
    on_faults: str,
    max_connections: int,
    max_connections_each: int,
    max_tables: int,
    max_tables_each: int,
    messages_per_second: float,
    requests_per_second: float,
    silence_s: float,
    idle_s: float,
    open_table_s: float,
) -> None:
    """Run a server: tables, people, bots and watchers over websockets, until SIGTERM or Ctrl-C.

    Every table is its log: after a crash the same command brings all unfinished games back. Health is at /healthz,
    numbers at /metrics. The messages are in protocol/PROTOCOL.md; how to serve others is in protocol/SERVER.md.

    \b
    Examples:
      rails-cli serve
      rails-cli serve --host 0.0.0.0 --tls-cert cert.pem --tls-key key.pem --bot 'deep=python3 deep.py'
      rails-cli serve --port 9000 --data /var/lib/rails --logs old-games
    """
    if (tls_cert is None) != (tls_key is None):
        raise click.UsageError("--tls-cert and --tls-key go together")
    settings = Settings(
        host=host,
        port=port,
        folder=folder,
        bots=_read_bots(bots),
        absence_s=absence_s,
        open_table_s=open_table_s,
        on_faults=on_faults,
        certificate=tls_cert,
        key=tls_key,
        origins=list(origins),
        proxies=[counted(proxy) for proxy in proxies],
        logs=logs,
        limits=Limits(
            tables=max_tables,
            tables_each=max_tables_each,
            requests_per_s=requests_per_second,
            burst=10 * requests_per_second,
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
        bots[name] = parts
    return bots
