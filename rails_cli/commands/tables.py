"""`rails-cli tables`: List a server's tables, or create one."""

from pathlib import Path
from typing import Annotated, Any, Literal

import click
import msgspec

from rails_cli.basics.settings import flag_of, setting
from rails_cli.client.connection import ANSWER_S, Denied, Unreachable, list_tables
from rails_cli.commands import print_json, print_lines, print_wrapped
from rails_cli.commands.options import argument, cli_command, given_parameters
from rails_cli.commands.parameters import GAME_NAME, SERVER_URL, Json, game_options
from rails_cli.commands.servers import CertificateOption, ServerOptions, TimeoutOption, server_errors
from rails_cli.commands.visiting import seat_state, who_sits
from rails_cli.games import load_game
from rails_cli.games.faces.phrases import count_phrase


class NewTable(msgspec.Struct, frozen=True):
    """Command-line options that describe a table to be created."""

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
    no_hints: Annotated[bool, setting("For --create: players cannot ask the server for hints.")] = False
    invites: Annotated[bool, setting("For --create: also print an invitation for each reserved seat.", "--invite")] = (
        False
    )

    def check(self) -> None:
        if self.players is None:
            raise click.UsageError("--create needs --players")
        filled = sum(seat not in ("open", "reserved") for seat in self.seats)
        if self.invites and "reserved" not in self.seats and not (self.private and filled < self.players):
            raise click.UsageError(
                "--invite needs a reserved seat: add --seat reserved, or --private for all free seats"
            )

    def request(self, game: str) -> dict[str, Any]:
        request = msgspec.structs.asdict(self)
        del request["invites"]
        chosen = msgspec.to_builtins(game_options(load_game(game), self.options))
        request |= {"type": "create", "game": game, "options": chosen}
        request |= {what: not request.pop(f"no_{what}") for what in ("chat", "undo", "hints")}
        return request | {"seats": [None if seat == "open" else seat for seat in self.seats]}


@cli_command
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

    With --mine: the tables where you took a seat with `rails-cli play --server`, whose turn it is there and how they
    ended.

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
    if game is None:
        with server_errors():
            tables = list_tables(url, certificate, timeout_s, search=search or "", state=state)
        answer: dict[str, Any] = {"tables": tables, "total": len(tables)}
    else:
        table.check()
        answer = created(ServerOptions(url, timeout_s, certificate), game, table)
    if as_json:
        print_json(answer)
        return
    if game is None:
        print_wrapped(*_in_words(answer["tables"]))
        if not answer["tables"]:
            click.echo("no tables")
        return
    print_wrapped(*_in_words([answer["table"]]), f"owner token: {answer['owner']}")
    for invited in answer.get("invites", []):
        print_lines(f"invitation to seat {invited['seat'] + 1}: {invited['invite']}")


def _check_given(*, is_creating: bool) -> None:
    """Raise UsageError if the user has given an option that has no effect.

    `is_creating` says that the command creates a table. Otherwise it lists tables.
    """
    for_creating = [flag_of(field) for field in msgspec.structs.fields(NewTable)]
    for option in given_parameters():
        if is_creating and option in ("--search", "--state"):
            raise click.UsageError(f"{option} filters existing tables; it cannot be combined with --create")
        if not is_creating and option in for_creating:
            raise click.UsageError(f"{option} works only with --create")


def created(server: ServerOptions, game: str, new: NewTable) -> dict[str, Any]:
    """Create the table `new` for `game`. Return the answer of the server.

    If `new` requests invitations to reserved seats, create them, and add them to the answer.
    """
    answer = server.ask(**new.request(game))
    if new.invites:
        about = {"table": answer["table"]["table"], "owner": answer["owner"]}
        reserved = [seat["seat"] for seat in answer["table"]["seats"] if seat["kind"] == "reserved"]
        invited = [server.ask(type="invite", **about, seat=seat) for seat in reserved]
        answer["invites"] = [{"seat": one["seat"], "invite": one["invite"]} for one in invited]
    return answer


def _in_words(tables: list[dict[str, Any]], states: list[str] | None = None) -> list[str]:
    """Return a line for each of `tables`, in aligned columns. `states` has a text about the state of each table.

    By default, this text is the state and the clock of the table.
    """
    states = states or [f"{table['state']:<8} clock {table['clock']}" for table in tables]
    cells = [(table["table"], table["game"], state) for table, state in zip(tables, states, strict=True)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return [
        "  ".join((*map(str.ljust, row, widths), f"{table['name']}: {who_sits(table)}"))
        for table, row in zip(tables, cells, strict=True)
    ]


def list_mine(url: str | None, certificate: Path | None, timeout_s: float, *, as_json: bool) -> None:
    """Print the tables at which the user has a seat: at the server `url`, or at all servers if `url` is None.

    Also print the servers that could not be reached, and the number of the user's seats there.
    """
    from rails_cli.terminal.held_seats import held_tables, kept_seats

    seats = kept_seats(url)
    rows: list[dict[str, Any]] = []
    unreachable: list[dict[str, Any]] = []
    for at in dict.fromkeys(seat.url for seat in seats):
        here = [seat for seat in seats if seat.url == at]
        try:
            held = held_tables(at, [seat.token for seat in here], certificate, timeout_s)
        except (Denied, Unreachable) as error:
            unreachable.append({"url": at, "tables": [seat.table for seat in here], "error": str(error)})
            continue
        rows += [
            {"url": at, "table": one["table"], "seat": one["seat"], "standing": seat_state(one), "ranks": one["ranks"]}
            for one in held
            if one is not None
        ]
    print_wrapped(*(server["error"] for server in unreachable), err=True)
    if as_json:
        print_json({"seats": rows, "unreachable": unreachable})
    else:
        tables = [row["table"] for row in rows]
        for row, line in zip(rows, _in_words(tables, [row["standing"] for row in rows]), strict=True):
            print_wrapped(line)
            if row["table"]["state"] != "ended":
                print_wrapped(f"  return: rails-cli play --server {row['url']} --table {row['table']['table']}")
        for server in unreachable:
            print_wrapped(
                f"{count_phrase(len(server['tables']), 'seat')} at {server['url']}, which cannot be asked now"
            )
        if not (rows or unreachable):
            click.echo("you have no seat at any table")
    if unreachable and not rows:
        raise SystemExit(1)
