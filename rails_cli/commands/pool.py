"""`rails-cli pool`: the rated pool of a server, for its entrants and its operator."""

import asyncio
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

import click
import msgspec

from rails_cli.bot_process import BotLimits
from rails_cli.client import (
    BotLost,
    Denied,
    Patience,
    PoolBridge,
    ProcessEnd,
    Unreachable,
    ask,
    lobby,
    run_politely,
)
from rails_cli.commands.connect import limits_for, program_name, timeout_option, tls_ca_option
from rails_cli.commands.parameters import GAME_NAME, SERVER_URL, TEXT, Number, setting_options
from rails_cli.files import read_file, write_new
from rails_cli.games.phrases import counted, printable
from rails_cli.pool.roster import invitations_csv, owners_of, read_roster
from rails_cli.terminal.pool_tokens import PoolTokens, tokens_file
from rails_cli.tokens import POOL_VARIABLE

F = TypeVar("F", bound=Callable[..., Any])

MOST_AT_ONCE = 64
DAYS_S = 30 * 86_400.0


def _server(command: F) -> F:
    """Add the options for reaching the server."""
    for decorate in (
        click.option("--json", "as_json", is_flag=True, help="Print one JSON object for programs."),
        tls_ca_option,
        timeout_option,
        click.argument("url", type=SERVER_URL),
    ):
        command = decorate(command)
    return command


def _token_options(name: str, variable: str, words: str) -> Callable[[F], F]:
    """Return a decorator for a token given on the command line, in the environment or in a file."""

    def add(command: F) -> F:
        command = click.option(
            f"--{name}-file", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="A file with it."
        )(command)
        return click.option(f"--{name}", type=TEXT, envvar=variable, show_envvar=True, help=words)(command)

    return add


_admin_token_option = _token_options("admin-token", "RAILS_ADMIN_TOKEN", "The admin token of the server.")


def _read_token(token: str | None, file: Path | None) -> str | None:
    if file is None:
        return token
    try:
        return file.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        raise click.UsageError(f"{file} cannot be read as a token") from None


def _asked(url: str, certificate: Path | None, timeout_s: float, **request: Any) -> dict[str, Any]:
    """Send one request and return its answer. Raise ClickException with the server's message."""

    async def ask_once() -> dict[str, Any]:
        async with lobby(url, certificate, timeout_s=timeout_s) as connection:
            return await ask(connection, timeout_s=timeout_s, **request)

    try:
        answer = asyncio.run(ask_once())
    except (Denied, Unreachable) as error:
        raise click.ClickException(printable(str(error))) from None
    del answer["type"], answer["ref"]
    return answer


def _say(words: str) -> None:
    click.echo(printable(words), err=True)


def kept_tokens(url: str) -> PoolTokens:
    """Return the stored tokens for a server. Raise ClickException if the file exists but cannot be read."""
    try:
        return PoolTokens(url)
    except OSError as error:
        words = f"{tokens_file()}, with your tokens, cannot be read: {error.strerror}"
        raise click.ClickException(f"{words}; repair it, or move it away") from None


def keep_tokens(kept: PoolTokens, registered: dict[str, Any]) -> None:
    """Store the tokens from a registration. If that fails, print them so that the user can write them down."""
    try:
        kept.keep(registered["entrant"], registered["token"], registered["owner_token"])
    except OSError as error:
        tokens = ", owner token ".join(filter(None, (registered["token"], registered["owner_token"])))
        words = f"the tokens of {registered['entrant']} could not be kept in {kept.file}: {error.strerror}"
        _say(f"{words}; write them down: token {tokens}")


@click.group
def command() -> None:
    """The rated pool of a server (`rails-cli serve --pool`): bots and people stay connected, are paired and rated.

    Register once, then join; the manual is docs/POOL.md.

    \b
    Examples:
      rails-cli pool register ws://127.0.0.1:8765 Deep
      rails-cli pool join ws://127.0.0.1:8765 --name Deep --games 4 -- python3 mybot.py
      rails-cli pool standings ws://127.0.0.1:8765
    """


@command.command(short_help="Register a bot, a new version of one, or a person.")
@_server
@click.argument("name", type=TEXT)
@click.option("--owner", type=TEXT, help="What to call a new owner.  [default: that of the entrant]")
@_token_options("owner-token", "RAILS_POOL_OWNER_TOKEN", "The token of an owner who has registered before.")
@click.option("--new-owner", is_flag=True, help="Register as another owner than before at this server.")
@click.option("--invite", type=TEXT, help="An invitation, where the pool asks for one.")
@click.option("--follows", type=TEXT, metavar="NAME", help="The earlier version of this bot.")
@click.option("--person", is_flag=True, help="Register a person, not a bot.")
def register(
    url: str,
    name: str,
    owner: str | None,
    owner_token: str | None,
    owner_token_file: Path | None,
    new_owner: bool,
    invite: str | None,
    follows: str | None,
    person: bool,
    certificate: Path | None,
    timeout_s: float,
    as_json: bool,
) -> None:
    """Register a bot NAME, a new version of one, or a person, in the pool at URL.

    The tokens are kept in the folder `rails-cli` of $XDG_STATE_HOME (~/.local/state), where `pool join --name NAME`
    finds them, and printed once. With the owner's token you register more bots, and revoke them.
    """
    kept = kept_tokens(url)
    token = _read_token(owner_token, owner_token_file)
    if token is None and not new_owner and owner is None:
        token = kept.owner_token
    answer = _asked(
        url,
        certificate,
        timeout_s,
        type="register",
        name=name,
        owner=owner,
        owner_token=token,
        invite=invite,
        follows=follows,
        person=person,
    )
    if as_json:
        click.echo(msgspec.json.encode(answer))
    else:
        click.echo(printable(f"{answer['entrant']} is registered, owner {answer['owner']}"))
        click.echo(printable(f"token: {answer['token']}"))
        if answer["owner_token"] is not None:
            click.echo(printable(f"owner token: {answer['owner_token']}"))
    keep_tokens(kept, answer)


@command.command(short_help="Let a bot play in the pool.")
@click.argument("url", type=SERVER_URL)
@click.option("--name", type=TEXT, help="An entrant that you registered here; its token is kept.")
@_token_options("token", POOL_VARIABLE, "The entrant's token.")
@click.option("--games", "at_once", type=click.IntRange(1, MOST_AT_ONCE), default=1, help="Games at once.")
@click.option("--game", "only", type=GAME_NAME, multiple=True, help="Only this game; may be repeated.")
@click.option("--players", type=int, multiple=True, help="Only tables of this size; may be repeated.")
@click.option("--meets-own", is_flag=True, help="Also play other entrants of the same owner that allow it; not rated.")
@click.option("--single", is_flag=True, help="Only single games, no seed groups.")
@click.option("--stop-after", type=click.IntRange(1), help="Stop after this many games on each connection.")
@click.option(
    "--patience", "patience_s", type=Number(0), default=DAYS_S, help="Seconds to keep trying when the server is gone."
)
@timeout_option
@tls_ca_option
@setting_options(BotLimits)
@click.option("--json", "as_json", is_flag=True, help="Print the end of each game as one JSON object.")
@click.argument("bot", nargs=-1, required=True, metavar="-- COMMAND [ARGS]...")
def join(
    url: str,
    name: str | None,
    token: str | None,
    token_file: Path | None,
    at_once: int,
    only: tuple[str, ...],
    players: tuple[int, ...],
    meets_own: bool,
    single: bool,
    stop_after: int | None,
    patience_s: float,
    timeout_s: float,
    certificate: Path | None,
    as_json: bool,
    bot: tuple[str, ...],
    **values: Any,
) -> None:
    """Let a bot that speaks on standard input and output play in the pool at URL; reconnects automatically.

    It plays game after game until it is interrupted: once to finish the games that are running, twice to leave at once.
    With --games 4 the bot is started four times. Use --sandbox auto for a bot you do not trust (docs/SANDBOX.md).
    """
    limits = limits_for(bot, values)
    hides = [tokens_file(), *([] if token_file is None else [token_file])]
    key = _read_token(token, token_file)
    if key is None and name is not None:
        key = kept_tokens(url).token_of(name)
        if key is None:
            raise click.UsageError(f"no token of {name!r} at {url} is kept here; use --token-file or RAILS_POOL_TOKEN")
    if key is None:
        raise click.UsageError("say who plays: --name NAME, --token-file FILE, or RAILS_POOL_TOKEN in the environment")
    wish = {
        "token": key,
        "games": list(only),
        "players": list(players),
        "meets_own": meets_own,
        "single": single,
    }

    def ended(end: dict[str, Any], words: str) -> None:
        click.echo(msgspec.json.encode(end) if as_json else printable(words))

    bridges = [
        PoolBridge(
            url,
            lambda: ProcessEnd.start(bot, limits, hides),
            sit=None,
            token=None,
            say=_say,
            nickname=program_name(bot),
            certificate=certificate,
            timeout_s=timeout_s,
            patience=Patience(patience_s),
            games=stop_after,
            enter=wish,
        )
        for _ in range(at_once)
    ]
    try:
        asyncio.run(run_politely(bridges, ended))
    except (BotLost, Denied, Unreachable) as error:
        raise click.ClickException(printable(str(error))) from None


@command.command("list", short_help="List who is in the pool, and what they are doing.")
@_server
@click.option("--owner", type=TEXT, help="Only the entrants of this owner.")
def list_entrants(url: str, owner: str | None, certificate: Path | None, timeout_s: float, as_json: bool) -> None:
    """List who is in the pool at URL, and what they are doing."""
    answer = _asked(url, certificate, timeout_s, type="entrants", owner=owner)
    if as_json:
        click.echo(msgspec.json.encode(answer))
        return
    for one in answer["entrants"]:
        doing = f"{one['playing']} playing, {one['waiting']} waiting"
        follows = "" if one["follows"] is None else f", follows {one['follows']}"
        lag = "" if one["lag_ms"] is None else f", lag {one['lag_ms']} ms"
        what = f"{one['entrant']} ({one['owner']}{follows}): {one['state']}, {doing}, {one['games_today']} today{lag}"
        click.echo(printable(what))


@command.command(short_help="Show the standings.")
@_server
def standings(url: str, certificate: Path | None, timeout_s: float, as_json: bool) -> None:
    """Show the standings of the pool at URL."""
    answer = _asked(url, certificate, timeout_s, type="standings")
    if as_json:
        click.echo(msgspec.json.encode(answer))
        return
    settings = ", ".join(answer["settings"])
    head = f"season {answer['season']}, entry {answer['entry']}, {counted(answer['games'], 'game')}; {settings}"
    click.echo(printable(f"{head}; clock {answer['clock']}"))
    for row in answer["standings"]:
        click.echo(printable(_row(row)))


def _row(row: dict[str, Any]) -> str:
    from rails_cli.commands.tournaments.results import between

    place = "-" if row["place"] is None else f"{row['place']}."
    if row["rating"] is None:
        rating = "no rating yet"
    else:
        rating = f"{row['rating']:.0f} ({between(row['low'], row['high'])})"
        rating += ", provisional" if row["provisional"] and not row["anchor"] else ""
    return f"{place:>4} {row['entrant']} ({row['owner']}): {rating}, {counted(row['games'], 'game')}"


@command.command(short_help="Make the token of an entrant invalid.")
@_server
@click.argument("name", type=TEXT)
@_token_options("owner-token", "RAILS_POOL_OWNER_TOKEN", "The token of its owner.")
@_token_options("admin-token", "RAILS_ADMIN_TOKEN", "The admin token of the server, for any entrant.")
@click.option("--renew", is_flag=True, help="Give it a new token: it stays in the pool.")
def revoke(
    url: str,
    name: str,
    owner_token: str | None,
    owner_token_file: Path | None,
    admin_token: str | None,
    admin_token_file: Path | None,
    renew: bool,
    certificate: Path | None,
    timeout_s: float,
    as_json: bool,
) -> None:
    """Make the token of the entrant NAME invalid, at once; its seats in running games are forfeited.

    With --renew it gets a new token and keeps its seats. The client needs the new token from then on.
    """
    kept = kept_tokens(url)
    token = _read_token(admin_token, admin_token_file) or _read_token(owner_token, owner_token_file) or kept.owner_token
    if token is None:
        raise click.UsageError("this needs --owner-token-file, or --admin-token-file for any entrant")
    answer = _asked(url, certificate, timeout_s, type="revoke", entrant=name, token=token, renew=renew)
    if as_json:
        click.echo(msgspec.json.encode(answer))
    elif renew:
        click.echo(printable(f"{name} has a new token: {answer['token']}"))
    else:
        click.echo(printable(f"{name} is revoked"))
    if renew:
        keep_tokens(kept, answer)


@command.command(short_help="Ban an owner with all entrants.")
@_server
@click.argument("owner", type=TEXT)
@_admin_token_option
@click.option("--lift", is_flag=True, help="OWNER may register again; what was revoked stays so.")
def ban(
    url: str,
    owner: str,
    admin_token: str | None,
    admin_token_file: Path | None,
    lift: bool,
    certificate: Path | None,
    timeout_s: float,
    as_json: bool,
) -> None:
    """Ban OWNER from the pool at URL: all its entrants are revoked at once, and it can register no more.

    For the operator. Games that were played stay in the results.
    """
    token = _admin(admin_token, admin_token_file)
    answer = _asked(url, certificate, timeout_s, type="ban_owner", owner=owner, token=token, lift=lift)
    if as_json:
        click.echo(msgspec.json.encode(answer))
    elif lift:
        click.echo(printable(f"{owner} may register again; what was revoked stays so"))
    else:
        click.echo(printable(f"{owner} is banned, with {counted(len(answer['entrants']), 'entrant')}"))


@command.command(short_help="Print invitations, each for one new owner.")
@_server
@_admin_token_option
@click.option("--count", type=click.IntRange(1, 1000), default=1, help="Number of invitations.")
def invite(
    url: str,
    admin_token: str | None,
    admin_token_file: Path | None,
    count: int,
    certificate: Path | None,
    timeout_s: float,
    as_json: bool,
) -> None:
    """Print invitations to the pool at URL, each for one new owner. For the operator."""
    token = _admin(admin_token, admin_token_file)
    answer = _asked(url, certificate, timeout_s, type="invite_entrants", token=token, count=count)
    click.echo(msgspec.json.encode(answer) if as_json else "\n".join(map(printable, answer["invites"])))


@command.command(short_help="Open, pause, freeze or close the pool.")
@_server
@click.argument("state", type=click.Choice(["open", "paused", "closing", "frozen", "closed"]), required=False)
@_admin_token_option
@click.option("--minutes", type=Number(0.01), help="For open: an arena, which ends automatically after this long.")
@click.option(
    "--finalists", type=click.IntRange(2, 1000), help="For open and closing: this many entrants play a final."
)
@click.option("--rounds", type=click.IntRange(1, 1000), help="Rounds of the final.  [default: 1]")
@click.option("--no-final", is_flag=True, help="For open and closing: no final, even if one was announced.")
def season(
    url: str,
    state: str | None,
    minutes: float | None,
    finalists: int | None,
    rounds: int | None,
    no_final: bool,
    admin_token: str | None,
    admin_token_file: Path | None,
    certificate: Path | None,
    timeout_s: float,
    as_json: bool,
) -> None:
    """Open, pause, freeze or close the pool at URL, or show what it is doing. For the operator."""
    if no_final and finalists is not None:
        raise click.UsageError("choose one of --finalists and --no-final")
    if rounds is not None and finalists is None:
        raise click.UsageError("--rounds needs --finalists: it is about their final")
    token = _admin(admin_token, admin_token_file)
    wish = {"state": state, "minutes": minutes, "finalists": 0 if no_final else finalists, "rounds": rounds}
    answer = _asked(url, certificate, timeout_s, type="season", token=token, **wish)
    if as_json:
        click.echo(msgspec.json.encode(answer))
        return
    left = f", {counted(answer['final_games'], 'game')} of the final to come" if answer["final_games"] else ""
    ends_at = answer["ends_at"]
    until = "" if ends_at is None else f" until {datetime.fromtimestamp(ends_at):%Y-%m-%d %H:%M:%S}"
    click.echo(printable(f"the season is {answer['state']}{until}{left}"))


@command.command(short_help="Make an invitation for each owner in a CSV file.")
@_server
@click.argument("roster", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@_admin_token_option
@click.option("--output", type=click.Path(path_type=Path), help="The file to write.  [default: standard output]")
def roster(
    url: str,
    roster: Path,
    admin_token: str | None,
    admin_token_file: Path | None,
    output: Path | None,
    certificate: Path | None,
    timeout_s: float,
    as_json: bool,
) -> None:
    """Make an invitation for each owner in the CSV file ROSTER (owner,name), to hand out. For the operator.

    For a course: run the server with --pool-entry invitation. The file that is written has a line for each owner.
    """
    token = _admin(admin_token, admin_token_file)
    try:
        invited = read_roster(read_file(roster).decode())
    except (OSError, ValueError) as error:
        raise click.UsageError(f"{roster}: {printable(str(error))}") from None
    owners = owners_of(invited)
    answer = _asked(url, certificate, timeout_s, type="invite_entrants", token=token, count=len(owners))
    if as_json:
        click.echo(msgspec.json.encode(dict(zip(owners, answer["invites"], strict=True))))
        return
    written = invitations_csv(invited, answer["invites"])
    if output is None:
        click.echo(written, nl=False)
    else:
        try:
            write_new(output, written.encode())
        except OSError as error:
            raise click.ClickException(f"cannot write {output}: {error.strerror}") from None
        _say(f"{counted(len(owners), 'invitation')} in {output}; only you can read it")


@command.command(short_help="Bring the results of several pools together.")
@click.argument("folders", nargs=-1, required=True, type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--into", type=click.Path(file_okay=False, path_type=Path), required=True, help="The folder to add to.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object for programs.")
def results(folders: tuple[Path, ...], into: Path, as_json: bool) -> None:
    """Bring the results of several pools together in one folder, to rate them together. For the operator.

    FOLDERS are those of pools (DATA/pool) of servers that share one register. Games that are already there are left as
    they are, so you can run it again to add what was played since, even while the servers run. All commands for
    tournaments read the folder. The folders are trusted: `tournament audit FOLDER --key` checks that a server has
    signed what is there.

    \b
    Example:
      rails-cli pool results a/pool b/pool --into together
      rails-cli tournament standings together
    """
    from rails_cli.pool.gathering import gather
    from rails_cli.tournament.results.store import StoreError

    if into.resolve() in {folder.resolve() for folder in folders}:
        raise click.UsageError(f"{into} is one of the pools; choose another folder for --into")
    try:
        found = gather(folders, into)
    except (StoreError, OSError) as error:
        raise click.ClickException(printable(str(error))) from None
    if as_json:
        click.echo(msgspec.json.encode(found))
    else:
        click.echo(f"{into}: {counted(found.games, 'game')} of {counted(found.entrants, 'entrant')}, {found.new:,} new")


def _admin(token: str | None, file: Path | None) -> str:
    found = _read_token(token, file)
    if found is None:
        raise click.UsageError(
            "this needs --admin-token-file FILE, such as rails-data/admin-token, or RAILS_ADMIN_TOKEN"
        )
    return found
