"""Playing or watching at a server from a terminal: the user chooses or creates a table."""

import asyncio
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import click

from rails_cli.client.connection import list_tables, request_once
from rails_cli.commands import is_at_terminal, print_lines, print_wrapped
from rails_cli.commands.after_game import after_game
from rails_cli.commands.pool import keep_tokens, kept_tokens
from rails_cli.commands.questions import (
    DEFAULT_PLAYERS,
    PlayCancelled,
    ask_choice,
    ask_game,
    ask_line,
    ask_number,
    opponents,
    own_name,
    with_display,
)
from rails_cli.commands.servers import server_errors
from rails_cli.commands.what_if import PlayBranch
from rails_cli.games import load_game, title_of
from rails_cli.games.faces.phrases import count_phrase
from rails_cli.games.shared.text import printable
from rails_cli.match.clock import clock_in_words, read_clock
from rails_cli.match.seat_specs import BUILTIN
from rails_cli.players.builtin import usual_level
from rails_cli.terminal.frame import Quit
from rails_cli.terminal.held_seats import held_tables, kept_seats
from rails_cli.terminal.remote import RemotePlayer, Spectator

NEW = "new"
WHICH = "Which table?"
MOST_ENDED = 10
"""Maximum number of finished games that are offered for watching."""
STATES = {"playing": "being played", "open": "waiting for players", "ended": "over"}
"""Mapping from the state of a table to its description. Tables are listed in this order of states."""


class TableChoice(NamedTuple):
    """The table with the id `table`, which the user has chosen, and whether to play or to watch there."""

    what: str
    """`sit` to take a free seat, `return` to take a seat held before, or `watch`."""
    table: str
    token: str | None = None
    """Token of the seat to return to, or token of the owner of a new table. None in other cases."""


def choose_table(url: str, certificate: Path | None, game: str | None) -> TableChoice:
    """Ask the user for a table to play at, to return to or to watch, or to create a table. Return the choice.

    If `game` is not None, offer only tables of this game.

    Without a terminal, offer only tables with a free seat. Raise ClickException if there is no such table, and Denied
    or Unreachable if the server fails.
    """
    tables = [table for table in sorted_tables(url, certificate) if game in (None, table["game"])]
    free = [table for table in tables if any(seat["kind"] == "open" for seat in table["seats"])]
    is_asking = is_at_terminal()
    if not free and not is_asking:
        raise click.ClickException(
            f"no open table; create one: rails-cli tables {url} --create GAME --players 3 --seat open "
            "--seat builtin:greedy --seat builtin:greedy"
        )
    ways = {table["table"]: TableChoice("sit", table["table"]) for table in free}
    known = [(table["table"], f"{title_of(table['game'])}: {who_sits(table)}") for table in free]
    question = WHICH
    if is_asking:
        seats = kept_seats(url)
        held = held_tables(url, [seat.token for seat in seats], certificate) if seats else []
        mine = [
            (seat, one)
            for seat, one in zip(seats, held, strict=True)
            if one and one["table"]["state"] != "ended" and game in (None, one["table"]["game"])
        ]
        known = [(seat.table, f"your seat; {seat_state(one)}: {who_sits(one['table'])}") for seat, one in mine] + known
        ways |= {seat.table: TableChoice("return", seat.table, seat.token) for seat, _ in mine}
        gone = held.count(None)
        if gone:
            what = "a seat here: it was" if gone == 1 else f"{gone} seats here: they were"
            click.echo(f"You have lost {what} given away while you were gone, or the table was closed.")
        live = [table for table in tables if table["state"] == "playing" and table["table"] not in ways]
        known += [(table["table"], f"watch {title_of(table['game'])}: {who_sits(table)}") for table in live]
        ways |= {table["table"]: TableChoice("watch", table["table"]) for table in live}
        known.append((NEW, "create a table of your own"))
        if not (free or mine):
            question = _nothing_to_join(len(tables), len(live), game)
    click.echo(question)
    usual = known[0][0] if question == WHICH else NEW
    chosen = ask_choice("Table", [(name, printable(words)) for name, words in known], usual)
    return ways[chosen] if chosen in ways else created(url, certificate, game)


def _nothing_to_join(tables: int, playing: int, game: str | None) -> str:
    if not tables:
        return f"There are no tables{'' if game is None else f' of {title_of(game)}'} yet."
    live = {0: "", 1: "; 1 is being played"}.get(playing, f"; {playing} are being played")
    return f"No table to join now{live}."


def created(url: str, certificate: Path | None, game_name: str | None) -> TableChoice:
    """Ask the user for the settings of a new table, and create the table. Return the choice to sit at the table.

    If `game_name` is None, also ask for the game.
    """
    game = load_game(game_name or ask_game())
    usual = DEFAULT_PLAYERS if DEFAULT_PLAYERS in game.players else game.players[0]
    players = ask_number("How many seats", game.players, usual)
    people = ask_number("How many of them stay open for other people", range(players), 0)
    seats: list[str | None] = [None] * (people + 1)
    if people + 1 < players:
        click.echo("Who plays the others?")
        bots = ask_choice("Opponents", opponents(game.name), usual_level(game.name))
        seats += [f"{BUILTIN}{bots}"] * (players - people - 1)
    answer = request_once(url, certificate, type="create", game=game.name, players=players, seats=seats)
    table = str(answer["table"]["table"])
    if people:
        print_wrapped(f"Others join with: rails-cli play --server {url} --table {shlex.quote(table)}")
    return TableChoice("sit", table, str(answer["owner"]))


def who_sits(table: dict[str, Any]) -> str:
    """Return the names of the players, with the level of each built-in player that has a name of its own."""
    names = []
    for seat in table["seats"]:
        name, level = str(seat["name"] or seat["kind"]), (seat.get("player") or "").partition(BUILTIN)[2]
        names.append(name if name.startswith(level) else f"{name} ({level})")
    return ", ".join(names)


def seat_state(held: dict[str, Any]) -> str:
    """Return the state of a game for the holder of the seat that `held` describes, such as `your turn`."""
    table, seat = held["table"], int(held["seat"])
    if table["state"] != "playing":
        ranks: Sequence[int] = held["ranks"] or []
        if table["seats"][seat].get("substitute"):
            return "over, a bot finished this game for you"
        return f"over, rank {ranks[seat]} of {len(ranks)}" if ranks else STATES[table["state"]]
    if table["seats"][seat].get("substitute"):
        return "a bot plays for you until you return"
    asked = table.get("to_move")
    if asked is None:
        return STATES["playing"]
    return "your turn" if asked == seat else f"waiting for {table['seats'][asked]['name']}"


def visit(
    url: str,
    sit: dict[str, Any],
    token: str | None,
    game: str | None,
    certificate: Path | None,
    play_branch: PlayBranch,
    *,
    is_fast: bool,
    bell: bool | None,
) -> None:
    """Play at a table of the server `url`, then print the result or how to return.

    `sit` is the request that takes a seat or enters the rated pool. `token` is the token of a seat held before, or
    None. If `game` is not None, only tables of this game are offered. `play_branch` continues a game from a position,
    in a replay after the game. With `is_fast`, the display does not pause between moves. `bell` says whether a bell
    rings at each turn of the user. If `bell` is None, the bell rings only after a long wait.
    """
    how, is_screen, owner, pool = "normal", False, None, ""
    with server_errors():
        if sit["type"] == "enter":
            pool = str(sit["name"])
            sit = enter_pool(url, certificate, sit)
        elif sit["invite"] is not None and sit["table"] is None:
            raise click.UsageError("--invite needs --table, the table it is for")
        elif sit["table"] is None and token is None:
            chosen = choose_table(url, certificate, game)
            if chosen.what == "watch":
                watch_table(url, chosen.table, certificate)
                return
            sit["table"] = chosen.table
            owner = chosen.token if chosen.what == "sit" else None
            token = chosen.token if chosen.what == "return" else None
        elif token is None and sit["invite"] is None:
            token = next((seat.token for seat in kept_seats(url) if seat.table == sit["table"]), None)
        if sit["type"] == "sit" and sit["name"] is None:
            usual = next((seat.name for seat in kept_seats() if seat.name), "") or own_name()
            sit["name"] = ask_line("Your name", usual) if token is None and is_at_terminal() else usual
        is_going = sit["type"] == "enter" or sit["table"] is not None
        guest = RemotePlayer(url, sit=sit if is_going else None, token=token, certificate=certificate)
        kept_owner = next((seat.owner for seat in kept_seats(url) if token and seat.token == token), "")
        guest.owner, guest.bell = owner or kept_owner or None, bell
        try:
            is_screen = with_display(lambda display: asyncio.run(guest.play(display)), is_fast=is_fast)
        except Quit as left:
            how = left.how
        except KeyboardInterrupt:
            how = "interrupt"
    if how == "normal":
        assert guest.last_screen is not None
        after_game(guest.last_screen, guest.kept, guest.match.game.name, play_branch, is_screen=is_screen)
        return
    if guest.is_rated and guest.token is not None:
        back = f"rails-cli play --server {url} --pool {shlex.quote(pool)}"
        print_wrapped(f"This game is rated: if you do not return in time, you are ranked last. To return: {back}")
    elif guest.token is not None:
        is_known = is_at_terminal() and any(seat.token == guest.token for seat in kept_seats(url))
        by_token = "" if is_known else f" --seat-token {shlex.quote(guest.token)}"
        print_wrapped(f"Your seat is kept for a while; to return: rails-cli play --server {url}{by_token}")
    if guest.token is not None:
        print_wrapped("Your games, and whose turn it is: rails-cli tables --mine")
    if how != "quit":
        sys.exit(1)


def enter_pool(url: str, certificate: Path | None, entry: dict[str, Any]) -> dict[str, Any]:
    """Show the clock of the rated pool, and return the request to enter the pool. Raise Denied or Unreachable.

    `entry` has the name of the user and the wanted games. A name without a stored token is registered, and the token is
    stored.
    """
    pool = request_once(url, certificate, type="standings")
    print_lines(f"Rated pool, {', '.join(pool['settings'])}. {_clock_sentence(str(pool['clock']))}")
    if is_at_terminal():
        ways = [("enter", "wait for opponents; the game starts automatically"), ("leave", "")]
        if ask_choice("What now", ways, "enter") == "leave":
            raise PlayCancelled(0)
    kept = kept_tokens(url)
    token = kept.token_of(entry["name"])
    if token is None:
        named = {"name": entry["name"], "invite": entry["invite"], "owner_token": kept.owner_token}
        made = request_once(url, certificate, type="register", person=True, **named)
        token = made["token"]
        print_lines(f"{made['entrant']} is registered, owner {made['owner']}.")
        keep_tokens(kept, made)
    return {"type": "enter", "token": token, "games": entry["games"]}


def _clock_sentence(words: str) -> str:
    try:
        clock = read_clock(words)
    except ValueError:
        return f"Clock: {words}."
    return "There is no clock." if clock is None else f"You have {clock_in_words(clock)}."


def watch_table(url: str, table: str | None, certificate: Path | None) -> None:
    """Show a table of a server until its game is over or the user leaves.

    `table` is the id of the table. If it is None, ask the user for a table.
    """
    try:
        with server_errors():
            if table is None:
                tables = tables_at(url, certificate)
                click.echo(WHICH)
                table = ask_choice("Table", tables, tables[0][0])
            spectator = Spectator(url, table=table, certificate=certificate)
            is_screen = with_display(lambda display: asyncio.run(spectator.play(display)), is_fast=False)
    except Quit as left:
        if left.how != "quit":
            raise SystemExit(1) from None
        return
    except KeyboardInterrupt:
        raise SystemExit(1) from None
    if is_screen and spectator.last_screen is not None:
        print_wrapped(*spectator.last_screen.final)


def sorted_tables(url: str, certificate: Path | None) -> list[dict[str, Any]]:
    return sorted(list_tables(url, certificate), key=lambda table: list(STATES).index(table["state"]))


def tables_at(url: str, certificate: Path | None) -> list[tuple[str, str]]:
    """Return the id and a description of each table of the server `url`, with at most MOST_ENDED finished games.

    Raise ClickException if the server cannot be used or has no tables.
    """
    with server_errors():
        tables = sorted_tables(url, certificate)
    if not tables:
        raise click.ClickException(f"no table at {url}; create one: rails-cli tables {url} --create GAME --players 3")
    ended = [table for table in tables if table["state"] == "ended"]
    if len(ended) > MOST_ENDED:
        tables = tables[: MOST_ENDED - len(ended)]
        older = count_phrase(len(ended) - MOST_ENDED, "older game")
        print_wrapped(f"Not listed: {older}; `rails-cli tables {url}` lists all.", err=True)
    return [
        (
            str(table["table"]),
            printable(f"{table['name'] or title_of(table['game'])}, {STATES[table['state']]}: {who_sits(table)}"),
        )
        for table in tables
    ]
