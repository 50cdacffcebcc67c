"""`rails-cli tables`: the tables of a server, for people and scripts."""

import asyncio
from pathlib import Path
from typing import Any

import click
import msgspec

from rails_cli.client import Denied, Unreachable, ask, lobby
from rails_cli.commands.parameters import GameName


@click.command
@click.argument("url")
@click.option("--search", default="", help="Only tables whose name, game, id or player contains this.")
@click.option("--state", type=click.Choice(["open", "playing", "ended"]), help="Only tables in this state.")
@click.option("--create", "game", type=GameName(), help="Make a table of this game.")
@click.option("--players", type=int, help="For --create: how many play.")
@click.option("--name", default="", help="For --create: what to call it.")
@click.option("--clock", default="none", show_default=True, help="For --create: 60+0.5, 10/move or none.")
@click.option("--option", "options", multiple=True, metavar="NAME=VALUE", help="For --create: an option of the game.")
@click.option(
    "--seat", "seats", multiple=True, help="For --create: the next seat: open, reserved, builtin:NAME, bot:NAME."
)
@click.option("--private", is_flag=True, help="For --create: by invitation only.")
@click.option("--watch-delay", "watch_delay_s", type=float, default=0, help="For --create: seconds that watchers lag.")
@click.option(
    "--invite", "invites", is_flag=True, help="For --create: also print an invitation for each reserved seat."
)
@click.option("--tls-ca", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="Certificates to trust.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object for programs.")
def command(
    url: str,
    search: str,
    state: str | None,
    game: str | None,
    players: int | None,
    name: str,
    clock: str,
    options: tuple[str, ...],
    seats: tuple[str, ...],
    private: bool,
    watch_delay_s: float,
    invites: bool,
    tls_ca: Path | None,
    as_json: bool,
) -> None:
    """List the tables of the server at URL, or make one.

    \b
    Examples:
      rails-cli tables ws://127.0.0.1:8765 --state open
      rails-cli tables ws://127.0.0.1:8765 --create last_spike --players 3 --seat open --seat builtin:greedy --json
    """
    if game is not None and players is None:
        raise click.UsageError("--create needs --players")
    wish: dict[str, Any] = {"type": "list", "search": search, "state": state}
    if game is not None:
        wish = {
            "type": "create",
            "game": game,
            "players": players,
            "options": dict(_pair(word) for word in options),
            "clock": clock,
            "name": name,
            "private": private,
            "seats": [None if seat == "open" else seat for seat in seats],
            "watch_delay_s": watch_delay_s,
        }
    try:
        answer = asyncio.run(_asked(url, wish, invites, tls_ca))
    except (Denied, Unreachable) as error:
        raise click.ClickException(str(error)) from None
    if as_json:
        click.echo(msgspec.json.encode(answer))
        return
    for table in answer["tables"] if "tables" in answer else [answer["table"]]:
        click.echo(_in_words(table))
    if game is not None:
        click.echo(f"owner token: {answer['owner']}")
        for invited in answer.get("invites", []):
            click.echo(f"invitation to seat {invited['seat']}: {invited['invite']}")
    elif not answer["tables"]:
        click.echo("no tables")


async def _asked(url: str, wish: dict[str, Any], invites: bool, certificate: Path | None) -> dict[str, Any]:
    async with lobby(url, certificate) as connection:
        answer = await ask(connection, **wish)
        del answer["type"], answer["ref"]
        if invites and "owner" in answer:
            table = answer["table"]
            answer["invites"] = []
            for seat in table["seats"]:
                if seat["kind"] == "reserved":
                    invited = await ask(
                        connection, type="invite", table=table["table"], owner=answer["owner"], seat=seat["seat"]
                    )
                    answer["invites"].append({"seat": invited["seat"], "invite": invited["invite"]})
        return answer


def _pair(word: str) -> tuple[str, str]:
    name, equals, value = word.partition("=")
    if not equals:
        raise click.BadParameter(f"{word!r} is not of the form NAME=VALUE", param_hint="--option")
    return name, value


def _in_words(table: dict[str, Any]) -> str:
    seats = ", ".join(seat["name"] or seat["kind"] for seat in table["seats"])
    return f"{table['table']}  {table['game']}  {table['state']:<8} clock {table['clock']}  {table['name']}: {seats}"
