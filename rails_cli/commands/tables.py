"""`rails-cli tables`: List a server's tables, or create one."""

import asyncio
from pathlib import Path
from typing import Annotated, Any, Literal

import click
import msgspec

from rails_cli.basics.settings import flag_of, setting
from rails_cli.client.connection import ANSWER_S, Denied, Unreachable, all_tables, ask
from rails_cli.commands.options import argument, given_parameters, with_options
from rails_cli.commands.parameters import GAME_NAME, SERVER_URL, Json, option_pairs
from rails_cli.commands.servers import CertificateOption, ServerOptions, TimeoutOption
from rails_cli.commands.visiting import seat_state, who_sits
from rails_cli.games.shared.text import printable


class NewTable(msgspec.Struct, frozen=True):
    """The options of a table to be created."""

    players: Annotated[int | None, setting("For --create: number of players.")] = None
    name: Annotated[str, setting("For --create: its name.")] = ""
    clock: Annotated[str, setting("For --create: 60+0.5, 10/move or none.")] = "none"
    options: Annotated[tuple[str, ...], setting("For --create: an option of the game.", "--option", "NAME=VALUE")] = ()
    seats: Annotated[
        tuple[str, ...],
        setting("For --create: who may take the next seat: open, reserved, builtin:NAME or bot:NAME.", "--seat"),
    ] = ()
    private: Annotated[bool, setting("For --create: unlisted, by invitation only.")] = False
    watch_delay_s: Annotated[
        float, setting("For --create: spectator delay in seconds.", least=0, show_default=False)
    ] = 0
    board: Annotated[str, setting("For --create: one of the server's boards.")] = "standard"
    openings: Annotated[
        Literal["none", "drawn"], setting("For --create: start at the beginning, or from a random opening.")
    ] = "none"
    no_chat: Annotated[bool, setting("For --create: no chat at the table.")] = False
    no_undo: Annotated[bool, setting("For --create: no move is taken back, even if all agree.")] = False
    invites: Annotated[bool, setting("For --create: also print an invitation for each reserved seat.", "--invite")] = (
        False
    )

    def check(self) -> None:
        """Raise UsageError if such a table cannot be created."""
        if self.players is None:
            raise click.UsageError("--create needs --players")
        filled = sum(seat not in ("open", "reserved") for seat in self.seats)
        if self.invites and "reserved" not in self.seats and not (self.private and filled < self.players):
            raise click.UsageError(
                "--invite needs a reserved seat: add --seat reserved, or --private for all free seats"
            )

    def request(self, game: str) -> dict[str, Any]:
        """Return the request that creates the table."""
        request = msgspec.structs.asdict(self)
        del request["invites"]
        request |= {"type": "create", "game": game, "options": option_pairs(self.options)}
        request |= {"chat": not request.pop("no_chat"), "undo": not request.pop("no_undo")}
        return request | {"seats": [None if seat == "open" else seat for seat in self.seats]}


@click.command
@with_options
def command(
    *,
    url: Annotated[str | None, argument(type=SERVER_URL)] = None,
    mine: Annotated[bool, setting("Only tables where you hold a seat; without URL, at all servers.")] = False,
    search: Annotated[str | None, setting("Only tables whose name, game, id or player contains this.")] = None,
    state: Annotated[Literal["open", "playing", "ended"] | None, setting("Only tables with this status.")] = None,
    game: Annotated[str | None, setting("Create a table for this game.", "--create", type=GAME_NAME)] = None,
    table: NewTable,
    certificate: CertificateOption = None,
    timeout_s: TimeoutOption = ANSWER_S,
    as_json: Json = False,
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
    server = ServerOptions(url, timeout_s, certificate)
    if game is None:
        answer = asyncio.run(listed(server, search=search or "", state=state))
    else:
        table.check()
        answer = asyncio.run(created(server, game, table))
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
    for_creating = [flag_of(field) for field in msgspec.structs.fields(NewTable)]
    for option in given_parameters():
        if is_creating and option in ("--search", "--state"):
            raise click.UsageError(f"{option} filters existing tables; it cannot be combined with --create")
        if not is_creating and option in for_creating:
            raise click.UsageError(f"{option} works only with --create")


async def listed(server: ServerOptions, **filters: Any) -> dict[str, Any]:
    async with server.lobby() as connection:
        tables = await all_tables(connection, timeout_s=server.timeout_s, **filters)
    return {"tables": tables, "total": len(tables)}


async def created(server: ServerOptions, game: str, new: NewTable) -> dict[str, Any]:
    """Create a table, and invitations to its reserved seats if they are wanted. Return what the server answers."""
    async with server.lobby() as connection:
        answer = await ask(connection, timeout_s=server.timeout_s, **new.request(game))
        del answer["type"], answer["ref"]
        if new.invites:
            table = answer["table"]
            answer["invites"] = []
            for seat in table["seats"]:
                if seat["kind"] == "reserved":
                    invite = {"type": "invite", "table": table["table"], "owner": answer["owner"], "seat": seat["seat"]}
                    invited = await ask(connection, timeout_s=server.timeout_s, **invite)
                    answer["invites"].append({"seat": invited["seat"], "invite": invited["invite"]})
    return answer


def _in_words(table: dict[str, Any]) -> str:
    seats = ", ".join(seat["name"] or seat["kind"] for seat in table["seats"])
    return f"{table['table']}  {table['game']}  {table['state']:<8} clock {table['clock']}  {table['name']}: {seats}"


def list_mine(url: str | None, certificate: Path | None, timeout_s: float, *, as_json: bool) -> None:
    """Print the tables where the user holds seats. Servers that do not answer are reported."""
    from rails_cli.terminal.held_seats import kept_seats
    from rails_cli.terminal.remote import held_tables

    seats = kept_seats(url)
    rows: list[dict[str, Any]] = []
    failures = []
    for at in dict.fromkeys(seat.url for seat in seats):
        here = [seat for seat in seats if seat.url == at]
        try:
            held = asyncio.run(held_tables(at, [seat.token for seat in here], certificate, timeout_s))
        except (Denied, Unreachable) as error:
            failures.append(printable(str(error)))
            continue
        rows += [
            {"url": at, "table": one["table"], "seat": one["seat"], "standing": seat_state(one), "ranks": one["ranks"]}
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
