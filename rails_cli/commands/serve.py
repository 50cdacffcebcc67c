"""`rails-cli serve`: Run a websocket server for people and bots."""

import errno
import ipaddress
import os
import re
import shlex
import shutil
import ssl
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click
import msgspec

from rails_cli.basics.files import read_file
from rails_cli.commands import reported
from rails_cli.commands.options import cli_command, given_parameters
from rails_cli.commands.parameters import board_and_content
from rails_cli.commands.sandbox import check_sandbox, warn_without_sandbox
from rails_cli.games import load_game, problems, whole_games
from rails_cli.games.faces.phrases import count_phrase
from rails_cli.logs.signing import INSTALL, NoSigning, can_sign
from rails_cli.programs.sandbox.own_files import own_folder_mistake, paths_of_others
from rails_cli.server.lobby import BRANCH_COST, COSTS
from rails_cli.server.net.address import DEFAULT_PORTS, exact
from rails_cli.server.reporting import OperatorLog
from rails_cli.server.server import BadPool, Server, serve
from rails_cli.server.settings import OfferedBoard, PoolSettings, Settings
from rails_cli.server.store.storage import FolderInUse
from rails_cli.server.tables.lookahead import LINE_COST, LINES, STEP_COST, STEPS_IN_ALL

STANDARD = "standard"
HIGHEST_REQUEST_COST = max(COSTS.values()) + max(BRANCH_COST, LINE_COST * LINES + STEP_COST * STEPS_IN_ALL)
"""Rate limit cost of the most expensive request. The burst size of a client's rate limit is at least this."""
ORIGIN = re.compile(r"([a-z][a-z0-9+.-]*)://([a-z0-9._-]+|\[[0-9a-f:.]+\])(?::([0-9]{1,5}))?")


def _checked_host(host: str) -> str:
    try:
        is_name = bool(host.encode("idna"))
    except UnicodeError:
        is_name = False
    if not is_name:
        words = f"{host!r} is neither an address nor a host name; 0.0.0.0 means all addresses, :: includes IPv6"
        raise click.BadParameter(words, param_hint="--host")
    return host


def _read_proxy(word: str) -> str:
    try:
        ipaddress.ip_address(word)
    except ValueError:
        words = f"{word!r} is not an address such as 127.0.0.1; name a proxy by its address"
        raise click.BadParameter(words, param_hint="--proxy") from None
    return exact(word)


def _read_origin(word: str) -> str:
    """Return a web origin as browsers write it: lower case, without the default port.

    Raise BadParameter if `word` is not an origin.
    """
    found = ORIGIN.fullmatch(word.lower())
    if found is None or int(found[3] or 0) > 65535:
        words = f"{word!r} is not of the form SCHEME://HOST[:PORT], such as https://example.org"
        raise click.BadParameter(words, param_hint="--origin")
    scheme, host, port = found.groups()
    is_said = port is not None and int(port) != DEFAULT_PORTS.get(scheme)
    return f"{scheme}://{host}:{int(port)}" if is_said else f"{scheme}://{host}"


def _read_boards(words: Sequence[str]) -> dict[str, OfferedBoard]:
    boards = {}
    for word in words:
        name, equals, file = word.partition("=")
        if not equals or not name or not name.isprintable() or name == STANDARD or not file:
            raise click.BadParameter(f"{word!r} is not of the form NAME=FILE", param_hint="--board")
        errors = (OSError, msgspec.DecodeError, UnicodeError, RecursionError)
        with reported(*errors, prefix=f"{file}: ", option="--board"):
            written = msgspec.json.decode(read_file(Path(file)))
        of = written.get("game") if isinstance(written, dict) else None
        if of not in whole_games():
            problem = f"{file} does not say which game it is for; `game` must be one of {', '.join(whole_games())}"
            raise click.BadParameter(problem, param_hint="--board")
        boards[name] = OfferedBoard(of, board_and_content(load_game(of), Path(file))[0], written)
    return boards


def _read_bots(words: Sequence[str], image: str) -> dict[str, list[str]]:
    """Parse texts of the form NAME=COMMAND. Return a mapping from the name of each bot to its command line.

    Raise BadParameter if a text is invalid or a program does not exist. Programs in a container image `image` are not
    checked.
    """
    bots = {}
    for word in words:
        name, equals, line = word.partition("=")
        try:
            parts = shlex.split(line)
        except ValueError as error:
            raise click.BadParameter(f"{word!r}: {error}", param_hint="--bot") from None
        if not equals or not name.isidentifier() or not parts:
            raise click.BadParameter(f"{word!r} is not of the form NAME=COMMAND", param_hint="--bot")
        if shutil.which(parts[0]) is None and not image:
            raise click.BadParameter(f"{word!r}: {parts[0]} is not a program that can be run", param_hint="--bot")
        bots[name] = parts
    return bots


def _check_own_folders(settings: Settings) -> None:
    """Raise BadParameter if the folder of a bot contains files of other bots or of the server.

    The bot could read such files in its sandbox.
    """
    bots = {name: (command, os.curdir) for name, command in settings.bots.items()}
    for name, bot in bots.items():
        mistake = own_folder_mistake(bot, [*paths_of_others(bot, bots.values()), str(settings.folder)])
        if mistake is not None:
            raise click.BadParameter(f"{name}: {mistake}", param_hint="--bot")


def _check_pool(pool: PoolSettings, max_faults: int) -> None:
    """Raise UsageError if the settings of the pool are invalid, or if pool options are given without --pool.

    `max_faults` is the number of faults after which a bot loses its seat.
    """
    for option in given_parameters():
        if option.startswith("--pool-") and not pool.is_on:
            raise click.UsageError(f"{option} works only with --pool")
    if pool.is_on:
        from rails_cli.server.pool.terms import pool_terms

        with reported(ValueError, prefix="the pool: ", kind=click.UsageError):
            pool_terms(pool, max_faults)


@cli_command
def command(settings: Settings) -> None:
    """Run a server: tables, people, bots and spectators over websockets, until SIGTERM or Ctrl-C.

    People play on its web page. Every table is kept as a log: after a crash the same command resumes all unfinished
    games. Health is at /healthz, readiness at /readyz, metrics at /metrics, the key that logs are signed with at /key.
    `rails-cli server drain` stops it, `rails-cli backup` copies its data. The messages are described in
    protocol/LOBBY.md. docs/SERVER.md and docs/OPERATING.md explain how to run a server for others.

    \b
    Examples:
      rails-cli serve
      rails-cli serve --host 0.0.0.0 --tls-cert cert.pem --tls-key key.pem --bot 'deep=python3 deep.py'
      rails-cli serve --port 9000 --data /var/lib/rails --logs old-games
    """
    run(checked(settings))


def checked(settings: Settings) -> Settings:
    """Return `settings` after parsing options that are still text. Raise UsageError if a setting is invalid."""
    words: Any = settings  # `bots` and `boards` are still the words of the command line
    settings = msgspec.structs.replace(
        settings,
        host=_checked_host(settings.host),
        bots=_read_bots(words.bots, settings.bot_limits.image),
        boards=_read_boards(words.boards),
        origins=[_read_origin(word) for word in settings.origins],
        proxies=[_read_proxy(word) for word in settings.proxies],
    )
    if (settings.certificate is None) != (settings.key is None):
        raise click.UsageError("--tls-cert and --tls-key must be given together")
    if settings.pool.is_on and settings.on_faults != "substitute":
        raise click.UsageError("--pool needs --on-faults substitute: games of the pool are played to their end")
    _check_pool(settings.pool, settings.max_faults)
    if check_sandbox(settings.bot_limits) is not None:
        _check_own_folders(settings)
    elif settings.bots:
        warn_without_sandbox(_operator_log(settings))
    if settings.sign == "always" and not can_sign():
        raise click.ClickException(str(NoSigning()))
    limits, connections = settings.limits, settings.connections
    if (connections.reserved or 0) >= connections.connections:
        reserved = f"{connections.reserved} of {connections.connections} connections"
        raise click.BadParameter(f"{reserved} would let nobody new in; reserve fewer", param_hint="--reserved")
    return msgspec.structs.replace(
        settings,
        limits=msgspec.structs.replace(limits, burst=max(HIGHEST_REQUEST_COST, 10 * limits.requests_per_s)),
        connections=msgspec.structs.replace(connections, burst=max(20.0, 4 * connections.messages_per_s)),
    )


def _operator_log(settings: Settings) -> OperatorLog:
    return OperatorLog(lambda line: click.echo(line, err=True), time.time, as_json=settings.log_format == "json")


def run(settings: Settings, make: Callable[[Settings, OperatorLog], Server] = Server) -> None:
    """Run the server that `make` creates, and print its messages on stderr.

    `make` is called with the settings and the log that prints messages. Raise ClickException if the server cannot run.
    """
    say = _operator_log(settings)
    say.include_logging()
    try:
        _run(settings, make, say)
    except click.ClickException as error:
        if settings.log_format == "text":
            raise
        say(f"Error: {error.message}")
        raise SystemExit(error.exit_code) from None


def _run(settings: Settings, make: Callable[[Settings, OperatorLog], Server], say: OperatorLog) -> None:
    host, port, folder = settings.host, settings.port, settings.folder
    for problem in problems():
        say(f"not offered: {problem}")

    is_serving = False

    def started(scheme: str, real_port: int, resumed_games: int) -> None:
        nonlocal is_serving
        is_serving = True
        shown = f"[{host}]" if ":" in host else host
        say.note("serving", url=f"{scheme}://{shown}:{real_port}", resumed=resumed_games)
        resumed = f"{count_phrase(resumed_games, 'game')} resumed"
        say(f"serving on {scheme}://{shown}:{real_port}; {resumed}; admin token in {folder}/admin-token")
        near = "localhost" if host in ("0.0.0.0", "::") else shown
        say(f"web interface: http{'s' if scheme == 'wss' else ''}://{near}:{real_port}/")
        if settings.sign == "auto" and not can_sign():
            say(f"logs are not signed; to sign them: {INSTALL}")

    try:
        with reported(FolderInUse), reported(BadPool, prefix="the pool cannot be run: "):
            serve(settings, started, say, make)
    except ssl.SSLError as error:
        raise click.ClickException(f"cannot use the certificate or its key: {error}") from None
    except OSError as error:
        reason = error.strerror or error
        if is_serving:
            raise click.ClickException(
                f"stopped: cannot write {error.filename or folder}: {reason}; a new start resumes the games"
            ) from None
        if error.errno == errno.EADDRINUSE:
            raise click.ClickException(f"port {port} of {host} is in use; choose another with --port") from None
        raise click.ClickException(
            f"cannot serve on {host} port {port} with {error.filename or folder}: {reason}"
        ) from None
    say("stopped")
