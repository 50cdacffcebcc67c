"""`rails-cli tables`: lists the tables of a server or creates one."""

import asyncio
from pathlib import Path
from typing import Any

import click
import msgspec
from click.core import ParameterSource

from rails_cli.client.connection import Denied, Unreachable, all_tables, ask, lobby
from rails_cli.commands.connect import timeout_option, tls_ca_option
from rails_cli.commands.parameters import GAME_NAME, SERVER_URL, TEXT, Number, option_pairs
from rails_cli.commands.visiting import standing, who_sits
from rails_cli.games.shared.text import printable

FOR_LISTING = ("search", "state")
FOR_CREATING = (
    *("players", "name", "clock", "options", "seats", "private", "watch_delay_s", "board", "openings", "no_chat"),
    "no_undo",
    "invites",
)


@click.command
@click.argument("url", type=SERVER_URL, required=False)
@click.option("--mine", is_flag=True, help="Only tables where you hold a seat; without URL, at all servers.")
@click.option("--search", type=TEXT, help="Only tables whose name, game, id or player contains this.")
@click.option("--state", type=click.Choice(["open", "playing", "ended"]), help="Only tables with this status.")
@click.option("--create", "game", type=GAME_NAME, help="Create a table for this game.")
@click.option("--players", type=int, help="For --create: number of players.")
@click.option("--name", type=TEXT, default="", show_default=False, help="For --create: its name.")
@click.option("--clock", type=TEXT, default="none", help="For --create: 60+0.5, 10/move or none.")
@click.option(
    "--option", "options", type=TEXT, multiple=True, metavar="NAME=VALUE", help="For --create: an option of the game."
)
@click.option(
    "--seat",
    "seats",
    type=TEXT,
    multiple=True,
    help="For --create: who may take the next seat: open, reserved, builtin:NAME or bot:NAME.",
)
@click.option("--private", is_flag=True, help="For --create: unlisted, by invitation only.")
@click.option(
    "--watch-delay",
    "watch_delay_s",
    type=Number(0),
    default=0,
    show_default=False,
    help="For --create: spectator delay in seconds.",
)
@click.option("--board", type=TEXT, default="standard", help="For --create: one of the server's boards.")
@click.option(
    "--openings",
    type=click.Choice(["none", "drawn"]),
    default="none",
    help="For --create: start at the beginning, or from a random opening.",
)
@click.option("--no-chat", is_flag=True, help="For --create: no chat at the table.")
@click.option("--no-undo", is_flag=True, help="For --create: no move is taken back, even if all agree.")
@click.option(
    "--invite", "invites", is_flag=True, help="For --create: also print an invitation for each reserved seat."
)
@tls_ca_option
@timeout_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object for programs.")
def command(
    url: str | None,
    mine: bool,
    search: str | None,
    state: str | None,
    game: str | None,
    options: tuple[str, ...],
    seats: tuple[str, ...],
    no_chat: bool,
    no_undo: bool,
    invites: bool,
    certificate: Path | None,
    timeout_s: float,
    as_json: bool,
    **table: Any,
) -> None:
    """List the tables of the server at URL, or create one.

    With --mine: the tables where you took a seat with `rails-cli play --at`, whose turn it is there and how they ended.

    \b
    Examples:
      rails-cli tables --mine
      rails-cli tables ws://127.0.0.1:8765 --state open
      rails-cli tables ws://127.0.0.1:8765 --create last_spike --players 3 --seat open --seat builtin:greedy --json
    """
    if mine:
        if game is not None or search is not None or state is not None:
            raise click.UsageError("--mine lists your own tables; it cannot be combined with --create or filters")
        list_mine(url, certificate, timeout_s, as_json=as_json)
        return
    if url is None:
        raise click.UsageError("Missing argument 'URL'; `rails-cli tables --mine` lists your tables at all servers")
    _check_given(is_creating=game is not None)
    if game is not None and table["players"] is None:
        raise click.UsageError("--create needs --players")
    filled = sum(seat not in ("open", "reserved") for seat in seats)
    if invites and "reserved" not in seats and not (table["private"] and filled < table["players"]):
        raise click.UsageError("--invite needs a reserved seat: add --seat reserved, or --private for all free seats")
    wish: dict[str, Any] = {"type": "list", "search": search or "", "state": state}
    if game is not None:
        places = [None if seat == "open" else seat for seat in seats]
        wish = {"type": "create", "game": game, "options": option_pairs(options), "seats": places, **table}
        wish["chat"] = not no_chat
        wish["undo"] = not no_undo
    try:
        answer = asyncio.run(_asked(url, wish, invites, certificate, timeout_s))
    except (Denied, Unreachable) as error:
        raise click.ClickException(printable(str(error))) from None
    if as_json:
        click.echo(msgspec.json.encode(answer))
        return
    for shown in answer["tables"] if game is None else [answer["table"]]:
        click.echo(printable(_in_words(shown)))
    if game is not None:
        click.echo(printable(f"owner token: {answer['owner']}"))
        for invited in answer.get("invites", []):
            click.echo(printable(f"invitation to seat {invited['seat'] + 1}: {invited['invite']}"))
    elif not answer["tables"]:
        click.echo("no tables")


def _check_given(*, is_creating: bool) -> None:
    """Raise UsageError for an option that would have no effect."""
    ctx = click.get_current_context()
    idle = FOR_LISTING if is_creating else FOR_CREATING
    for option in ctx.command.params:
        if option.name in idle and ctx.get_parameter_source(option.name) is ParameterSource.COMMANDLINE:
            words = "filters existing tables; it cannot be combined with --create"
            raise click.UsageError(f"{option.opts[0]} {words if is_creating else 'works only with --create'}")


async def _asked(
    url: str, wish: dict[str, Any], invites: bool, certificate: Path | None, timeout_s: float
) -> dict[str, Any]:
    async with lobby(url, certificate, timeout_s=timeout_s) as connection:
        if wish["type"] == "list":
            filters = {name: value for name, value in wish.items() if name != "type"}
            tables = await all_tables(connection, timeout_s=timeout_s, **filters)
            return {"tables": tables, "total": len(tables)}
        answer = await ask(connection, timeout_s=timeout_s, **wish)
        del answer["type"], answer["ref"]
        if invites:
            table = answer["table"]
            answer["invites"] = []
            for seat in table["seats"]:
                if seat["kind"] == "reserved":
                    invite = {"type": "invite", "table": table["table"], "owner": answer["owner"], "seat": seat["seat"]}
                    invited = await ask(connection, timeout_s=timeout_s, **invite)
                    answer["invites"].append({"seat": invited["seat"], "invite": invited["invite"]})
        return answer


def _in_words(table: dict[str, Any]) -> str:
    seats = ", ".join(seat["name"] or seat["kind"] for seat in table["seats"])
    return f"{table['table']}  {table['game']}  {table['state']:<8} clock {table['clock']}  {table['name']}: {seats}"


def list_mine(url: str | None, certificate: Path | None, timeout_s: float, *, as_json: bool) -> None:
    """Print the tables where the user holds seats. Servers that do not answer are reported."""
    from rails_cli.terminal.held_seats import kept_seats
    from rails_cli.terminal.remote import held_at

    seats = kept_seats(url)
    rows: list[dict[str, Any]] = []
    failures = []
    for at in dict.fromkeys(seat.url for seat in seats):
        here = [seat for seat in seats if seat.url == at]
        try:
            held = asyncio.run(held_at(at, [seat.token for seat in here], certificate, timeout_s))
        except (Denied, Unreachable) as error:
            failures.append(printable(str(error)))
            continue
        rows += [
            {"url": at, "table": one["table"], "seat": one["seat"], "standing": standing(one), "ranks": one["ranks"]}
            for one in held
            if one is not None
        ]
    for failure in failures:
        click.echo(failure, err=True)
    if as_json:
        click.echo(msgspec.json.encode({"seats": rows}))
    elif not rows:
        click.echo("you have no seat at any table")
    for row in () if as_json else rows:
        table = row["table"]
        words = f"{table['table']}  {table['game']}  {row['standing']}  {table['name']}: {who_sits(table)}"
        click.echo(printable(words))
        if table["state"] != "ended":
            click.echo(f"  return: rails-cli play --at {row['url']} --table {printable(table['table'])}")
    if failures and not rows:
        raise SystemExit(1)
