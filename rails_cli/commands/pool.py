"""`rails-cli pool`: Enter a server's rated pool, or run one."""

from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Literal

import click
import msgspec

from rails_cli.basics.files import read_file, replace_file
from rails_cli.basics.settings import setting
from rails_cli.basics.tokens import POOL_VARIABLE
from rails_cli.client.connection import ANSWER_S, RetryPolicy
from rails_cli.client.local_bot import ProcessBot
from rails_cli.client.pool_bridge import PoolBridge
from rails_cli.commands import print_json, print_wrapped, write_errors
from rails_cli.commands.connect import check_bot, program_name
from rails_cli.commands.options import argument, with_options
from rails_cli.commands.parameters import EXISTING_FILE, FOLDER, GAME_NAME, Json
from rails_cli.commands.servers import (
    BotArgument,
    CertificateOption,
    EndsJson,
    PatienceOption,
    ServerOptions,
    TimeoutOption,
    UrlArgument,
    print_status,
    run_bridges,
)
from rails_cli.games.faces.phrases import count_phrase
from rails_cli.programs.limits import BotLimits
from rails_cli.server.pool.roster import invitations_csv, owners_of, read_roster
from rails_cli.terminal.pool_tokens import PoolTokens, tokens_file

MOST_AT_ONCE = 64
"""Maximum value of the option `--games`, the number of games at once."""
MONTH_S = 30 * 86_400.0
"""Number of seconds in 30 days."""

NameArgument = Annotated[str, argument()]


class Token(msgspec.Struct, frozen=True):
    """Command-line options for a token. The user gives the token directly, in an environment variable, or in a file."""

    value: str | None = None
    file: Path | None = None

    def read(self) -> str | None:
        if self.file is None:
            return self.value
        try:
            return self.file.read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError):
            raise click.UsageError(f"{self.file} cannot be read as a token") from None


class EntrantToken(Token, frozen=True):
    value: Annotated[str | None, setting("The entrant's token.", "--token", envvar=POOL_VARIABLE, show_envvar=True)] = (
        None
    )
    file: Annotated[Path | None, setting("A file with it.", "--token-file")] = None


class OwnerToken(Token, frozen=True):
    value: Annotated[
        str | None,
        setting(
            "The token of the owner, from an earlier registration.",
            "--owner-token",
            envvar="RAILS_POOL_OWNER_TOKEN",
            show_envvar=True,
        ),
    ] = None
    file: Annotated[Path | None, setting("A file with it.", "--owner-token-file")] = None


class AdminToken(Token, frozen=True):
    value: Annotated[
        str | None,
        setting("The admin token of the server.", "--admin-token", envvar="RAILS_ADMIN_TOKEN", show_envvar=True),
    ] = None
    file: Annotated[Path | None, setting("A file with it.", "--admin-token-file")] = None

    def needed(self) -> str:
        token = self.read()
        if token is None:
            raise click.UsageError(
                "this needs --admin-token-file FILE, such as rails-data/admin-token, or RAILS_ADMIN_TOKEN"
            )
        return token


def show(answer: Any, *lines: str, as_json: bool) -> None:
    """Print the answer of a server: as JSON with `as_json`, otherwise as the `lines` that describe the answer."""
    if as_json:
        print_json(answer)
    else:
        print_wrapped(*lines)


def kept_tokens(url: str) -> PoolTokens:
    """Return the stored tokens for the server `url`. Raise ClickException if the file exists but is unreadable."""
    try:
        return PoolTokens(url)
    except OSError as error:
        words = f"{tokens_file()}, with your tokens, cannot be read: {error.strerror}"
        raise click.ClickException(f"{words}; repair it, or move it away") from None


def keep_tokens(kept: PoolTokens, registered: dict[str, Any]) -> None:
    """Store the tokens of a new entrant (a player in a pool) and its owner in a file. If this fails, print the tokens.

    `registered` is the answer of the server to the registration, which has the tokens.
    """
    try:
        kept.keep(registered["entrant"], registered["token"], registered["owner_token"])
    except OSError as error:
        tokens = ", owner token ".join(filter(None, (registered["token"], registered["owner_token"])))
        words = f"the tokens of {registered['entrant']} could not be kept in {kept.file}: {error.strerror}"
        print_status(f"{words}; write them down: token {tokens}")


@click.group
def command() -> None:
    """The rated pool of a server (`rails-cli serve --pool`): bots and people stay connected, are paired and rated.

    Register once, then join. The manual is docs/POOL.md.

    \b
    Examples:
      rails-cli pool register ws://127.0.0.1:8765 Deep
      rails-cli pool join ws://127.0.0.1:8765 --name Deep --games 4 -- python3 mybot.py
      rails-cli pool standings ws://127.0.0.1:8765
    """


@command.command(short_help="Register a bot, a new version of one, or a person.")
@with_options
def register(
    *,
    server: ServerOptions,
    name: NameArgument,
    owner: Annotated[str | None, setting("What to call a new owner.  [default: that of the entrant]")] = None,
    owner_token: OwnerToken,
    new_owner: Annotated[bool, setting("Register as another owner than before at this server.")] = False,
    invite: Annotated[str | None, setting("An invitation, where the pool asks for one.")] = None,
    follows: Annotated[str | None, setting("The earlier version of this bot.", metavar="NAME")] = None,
    person: Annotated[bool, setting("Register a person, not a bot.")] = False,
    as_json: Json = False,
) -> None:
    """Register NAME in the pool at URL: a bot, a new version of a bot, or a person.

    The tokens are printed once, and kept in the folder `rails-cli` of $XDG_STATE_HOME (~/.local/state), where `pool
    join --name NAME` finds them. With the owner's token you register more bots, and revoke them.
    """
    kept = kept_tokens(server.url)
    token = owner_token.read()
    if token is None and not new_owner and owner is None:
        token = kept.owner_token
    about = {"name": name, "owner": owner, "invite": invite, "follows": follows, "person": person}
    answer = server.ask(type="register", owner_token=token, **about)
    lines = [f"{answer['entrant']} is registered, owner {answer['owner']}", f"token: {answer['token']}"]
    if answer["owner_token"] is not None:
        lines.append(f"owner token: {answer['owner_token']}")
    show(answer, *lines, as_json=as_json)
    keep_tokens(kept, answer)


@command.command(short_help="Let a bot play in the pool.")
@with_options
def join(
    *,
    url: UrlArgument,
    name: Annotated[str | None, setting("An entrant that you registered here; its token is kept.")] = None,
    token: EntrantToken,
    at_once: Annotated[int, setting("Games at once.", "--games", least=1, most=MOST_AT_ONCE)] = 1,
    games: Annotated[tuple[str, ...], setting("Only this game; may be repeated.", "--game", type=GAME_NAME)] = (),
    players: Annotated[tuple[int, ...], setting("Only tables of this size; may be repeated.")] = (),
    meets_own: Annotated[bool, setting("Also play other entrants of the same owner that allow it; not rated.")] = False,
    single: Annotated[bool, setting("Only single games, no seed groups.")] = False,
    stop_after: Annotated[int | None, setting("Stop after this many games on each connection.", least=1)] = None,
    patience_s: PatienceOption = MONTH_S,
    timeout_s: TimeoutOption = ANSWER_S,
    certificate: CertificateOption = None,
    limits: BotLimits,
    as_json: EndsJson = False,
    bot: BotArgument,
) -> None:
    """Let a bot that uses standard input and output play in the pool at URL. Reconnects automatically.

    The bot plays game after game until you interrupt it: once to finish the running games, twice to leave at once.
    With --games 4 the bot is started four times. Use --sandbox auto for a bot you do not trust (docs/SANDBOX.md).
    """
    check_bot(bot, limits)
    hides = [tokens_file(), *([] if token.file is None else [token.file])]
    key = token.read()
    if key is None and name is not None:
        key = kept_tokens(url).token_of(name)
        if key is None:
            raise click.UsageError(f"no token of {name!r} at {url} is kept here; use --token-file or RAILS_POOL_TOKEN")
    if key is None:
        raise click.UsageError("say who plays: --name NAME, --token-file FILE, or RAILS_POOL_TOKEN in the environment")
    bridges = [
        PoolBridge(
            url,
            lambda: ProcessBot.start(bot, limits, hides),
            seat_request=None,
            token=None,
            on_status=print_status,
            nickname=program_name(bot),
            certificate=certificate,
            timeout_s=timeout_s,
            retry_policy=RetryPolicy(patience_s),
            games=stop_after,
            enter={"token": key, "games": games, "players": players, "meets_own": meets_own, "single": single},
        )
        for _ in range(at_once)
    ]
    run_bridges(bridges, as_json=as_json)


@command.command("list", short_help="List who is in the pool, and what they are doing.")
@with_options
def list_entrants(
    server: ServerOptions,
    owner: Annotated[str | None, setting("Only the entrants of this owner.")] = None,
    as_json: Json = False,
) -> None:
    """List who is in the pool at URL, and what they are doing."""
    answer = server.ask(type="entrants", owner=owner)
    show(answer, *map(_entrant_words, answer["entrants"]), as_json=as_json)


def _entrant_words(entrant: dict[str, Any]) -> str:
    follows = "" if entrant["follows"] is None else f", follows {entrant['follows']}"
    lag = "" if entrant["lag_ms"] is None else f", lag {entrant['lag_ms']} ms"
    return (
        f"{entrant['entrant']} ({entrant['owner']}{follows}): {entrant['state']}, {entrant['playing']} playing, "
        f"{entrant['waiting']} waiting, {entrant['games_today']} today{lag}"
    )


@command.command(short_help="Show the standings.")
@with_options
def standings(server: ServerOptions, as_json: Json = False) -> None:
    """Show the standings of the pool at URL."""
    answer = server.ask(type="standings")
    settings = ", ".join(answer["settings"])
    head = f"season {answer['season']}, entry {answer['entry']}, {count_phrase(answer['games'], 'game')}; {settings}"
    if as_json:
        print_json(answer)
        return
    from rails_cli.commands.tournaments.results import show_table

    show_table(
        f"{head}; clock {answer['clock']}",
        ["", "entrant", "rating", "95%", "games", "owner", "note"],
        [_row(row) for row in answer["standings"]],
    )


def _row(row: dict[str, Any]) -> list[str]:
    from rails_cli.commands.tournaments.results import between, whole

    place = "-" if row["place"] is None else f"{row['place']}."
    has_rating = row["rating"] is not None
    rating = whole(row["rating"]) if has_rating else "-"
    interval = between(row["low"], row["high"]) if has_rating else "-"
    note = "anchor" if row["anchor"] else "no rating yet" if not has_rating else "provisional" * row["provisional"]
    return [place, row["entrant"], rating, interval, f"{row['games']:,}", row["owner"], note]


@command.command(short_help="Make the token of an entrant invalid.")
@with_options
def revoke(
    *,
    server: ServerOptions,
    name: NameArgument,
    owner_token: OwnerToken,
    admin_token: AdminToken,
    renew: Annotated[bool, setting("Give it a new token: it stays in the pool.")] = False,
    as_json: Json = False,
) -> None:
    """Make the token of the entrant NAME invalid at once. Its seats in running games are forfeited.

    The owner of the entrant and the operator can do this. With --renew the entrant gets a new token and keeps its
    seats. The client needs the new token from then on.
    """
    kept = kept_tokens(server.url)
    token = admin_token.read() or owner_token.read() or kept.owner_token
    if token is None:
        raise click.UsageError("this needs --owner-token-file, or --admin-token-file for any entrant")
    answer = server.ask(type="revoke", entrant=name, token=token, renew=renew)
    show(answer, f"{name} has a new token: {answer['token']}" if renew else f"{name} is revoked", as_json=as_json)
    if renew:
        keep_tokens(kept, answer)


@command.command(short_help="Ban an owner with all entrants.")
@with_options
def ban(
    *,
    server: ServerOptions,
    owner: Annotated[str, argument()],
    admin_token: AdminToken,
    lift: Annotated[bool, setting("OWNER may register again; what was revoked stays so.")] = False,
    as_json: Json = False,
) -> None:
    """Ban OWNER from the pool at URL: all entrants of OWNER are revoked at once, and OWNER can register no more.

    For the operator. Games that were played stay in the results.
    """
    answer = server.ask(type="ban_owner", owner=owner, token=admin_token.needed(), lift=lift)
    words = f"{owner} may register again; what was revoked stays so"
    if not lift:
        words = f"{owner} is banned, with {count_phrase(len(answer['entrants']), 'entrant')}"
    show(answer, words, as_json=as_json)


@command.command(short_help="Print invitations, each for one new owner.")
@with_options
def invite(
    *,
    server: ServerOptions,
    admin_token: AdminToken,
    count: Annotated[int, setting("Number of invitations.", least=1, most=1000)] = 1,
    as_json: Json = False,
) -> None:
    """Print invitations to the pool at URL, each for one new owner. For the operator."""
    answer = server.ask(type="invite_entrants", token=admin_token.needed(), count=count)
    show(answer, *answer["invites"], as_json=as_json)


@command.command(short_help="Open, pause, freeze or close the pool.")
@with_options
def season(
    *,
    server: ServerOptions,
    state: Annotated[Literal["open", "paused", "closing", "frozen", "closed"] | None, argument()] = None,
    admin_token: AdminToken,
    minutes: Annotated[
        float | None, setting("For open: an arena, which ends automatically after this long.", least=0.01)
    ] = None,
    finalists: Annotated[
        int | None, setting("For open and closing: this many entrants play a final.", least=2, most=1000)
    ] = None,
    rounds: Annotated[int | None, setting("Rounds of the final.  [default: 1]", least=1, most=1000)] = None,
    no_final: Annotated[bool, setting("For open and closing: no final, even if one was announced.")] = False,
    as_json: Json = False,
) -> None:
    """Open, pause, freeze or close the pool at URL, or show what it is doing. For the operator."""
    if no_final and finalists is not None:
        raise click.UsageError("choose one of --finalists and --no-final")
    if rounds is not None and finalists is None:
        raise click.UsageError("--rounds needs --finalists: it is about their final")
    change = {"state": state, "minutes": minutes, "finalists": 0 if no_final else finalists, "rounds": rounds}
    answer = server.ask(type="season", token=admin_token.needed(), **change)
    left = f", {count_phrase(answer['final_games'], 'game')} of the final to come" if answer["final_games"] else ""
    ends_at = answer["ends_at"]
    until = "" if ends_at is None else f" until {datetime.fromtimestamp(ends_at):%Y-%m-%d %H:%M:%S}"
    show(answer, f"the season is {answer['state']}{until}{left}", as_json=as_json)


@command.command(short_help="Make an invitation for each owner in a CSV file.")
@with_options
def roster(
    *,
    server: ServerOptions,
    roster: Annotated[Path, argument(type=EXISTING_FILE)],
    admin_token: AdminToken,
    output: Annotated[
        Path | None, setting("The file to write.  [default: standard output]", type=click.Path(path_type=Path))
    ] = None,
    as_json: Json = False,
) -> None:
    """Make an invitation for each owner in the CSV file ROSTER, which has the columns owner and name. For the operator.

    For a course: run the server with --pool-entry invitation. The file that is written has a line for each owner.
    """
    token = admin_token.needed()
    try:
        invited = read_roster(read_file(roster).decode())
    except (OSError, ValueError) as error:
        raise click.UsageError(f"{roster}: {error}") from None
    owners = owners_of(invited)
    answer = server.ask(type="invite_entrants", token=token, count=len(owners))
    if as_json:
        print_json(dict(zip(owners, answer["invites"], strict=True)))
        return
    written = invitations_csv(invited, answer["invites"])
    if output is None:
        click.echo(written, nl=False)
    else:
        with write_errors(output):
            replace_file(output, written.encode())
        print_status(f"{count_phrase(len(owners), 'invitation')} in {output}; only you can read it")


@command.command(short_help="Bring the results of several pools together.")
@with_options
def results(
    *,
    folders: Annotated[tuple[Path, ...], argument(type=click.Path(exists=True, file_okay=False, path_type=Path))],
    into: Annotated[Path, setting("The folder to add to.", type=FOLDER)],
    as_json: Json = False,
) -> None:
    """Bring the results of several pools together in one folder, to rate them together. For the operator.

    FOLDERS are the pool folders (DATA/pool) of servers with the same register of entrants (see docs/SCALING.md). Games
    that are already in the common folder are not changed. So you can run the command again to add newer games, even
    while the servers run. All commands for tournaments read the common folder. FOLDERS are trusted.
    `tournament audit FOLDER --key` checks that a server has signed the logs.

    \b
    Example:
      rails-cli pool results a/pool b/pool --into together
      rails-cli tournament standings together
    """
    from rails_cli.server.pool.merging import merge_results
    from rails_cli.tournament.results.store import StoreError

    if into.resolve() in {folder.resolve() for folder in folders}:
        raise click.UsageError(f"{into} is one of the pools; choose another folder for --into")
    try:
        found = merge_results(folders, into)
    except (StoreError, OSError) as error:
        raise click.ClickException(str(error)) from None
    games, entrants = count_phrase(found.games, "game"), count_phrase(found.entrants, "entrant")
    show(found, f"{into}: {games} of {entrants}, {found.new:,} new", as_json=as_json)
