"""`rails-cli run`: one match between bots."""

import sys
from typing import Any

import click
import msgspec

from protocol.log import ActionLine, FaultLine, ResultLine, SetupLine
from rails_cli.commands.parameters import game_argument
from rails_cli.commands.seating import SEAT_SPEC, Seating, match_options, new_log_option, set_up
from rails_cli.games import load_face
from rails_cli.games.phrases import printable
from rails_cli.match.match import Match
from rails_cli.match.replay import Unfinished
from rails_cli.players.builtin import SUBSTITUTE, remind
from rails_cli.referee import Referee
from rails_cli.tournament.forfeits import ranked_last


@click.command
@game_argument
@click.option(
    "--seat",
    "specs",
    type=SEAT_SPEC,
    multiple=True,
    required=True,
    metavar="SPEC",
    help="Who plays the next seat: builtin:medium (or easy, hard, expert, …), or a command line. One for each seat.",
)
@match_options
@new_log_option
@click.option("--quiet", is_flag=True, help="Do not tell the game, only its result.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as one JSON object for programs.")
def command(
    game_name: str, specs: tuple[str, ...], names: tuple[str, ...], quiet: bool, as_json: bool, **values: Any
) -> None:
    """Play one match of GAME between bots and tell it.

    Bots are programs that read requests from their standard input and write answers to their standard output, one JSON
    object a line. What they write to standard error is kept beside the log.

    \b
    Examples:
      rails-cli run chicago_express --seat builtin:greedy --seat builtin:busy --seat builtin:random
      rails-cli run last_spike --seat 'python3 mybot.py' --seat builtin:greedy --clock 60+0.5 --log game.jsonl
      rails-cli run american_rails --seat ./bot --seat ./bot --seat ./bot --seed 7 --json
    """
    for name in names:
        if not name.isprintable() or not name.strip():
            raise click.BadParameter(f"{name!r} cannot be shown", param_hint="--name")
    if len(names) > len(specs):
        raise click.UsageError(f"{len(names)} names for {len(specs)} seats")
    match, table = set_up(game_name, specs, names, **values)
    play_out(match, table, quiet=quiet, as_json=as_json)


def tell(match: Match, names: list[str], line: Any) -> None:
    """Says what a line of the log means."""
    if isinstance(line, ActionLine | SetupLine):
        if isinstance(line, ActionLine) and match.opening and line.number == 1:
            click.echo("Opening:")
        if isinstance(line, ActionLine) and match.opening and line.number == len(match.opening) + 1:
            click.echo("End of the opening.")
        face = load_face(match.game.name)
        for event in line.events:
            click.echo(printable(face.tell(event, names)))
    elif isinstance(line, FaultLine):
        click.echo(printable(f"  ! {names[line.seat]}: {line.code}: {line.message}"))


def conclude(match: Match, names: list[str], result: ResultLine, referee: Referee) -> None:
    """The final table; whoever lost a seat comes last, whatever a substitute has made of it."""
    click.echo(f"Result after {match.number} actions, seed {match.header.seed}:")
    ranks = ranked_last(result.ranks, referee.lost)
    for seat in sorted(referee.seats, key=lambda seat: (seat.is_lost, ranks[seat.index])):
        name, score = names[seat.index], f"${result.scores[seat.index]:,}"
        faults = f" ({seat.faults} fault{'s' if seat.faults > 1 else ''})" if seat.faults else ""
        if not seat.is_lost:
            click.echo(f"  {ranks[seat.index]}. {name}: {score}{faults}")
        elif seat.has_substitute:
            click.echo(f"  {name}: lost its seat{faults}; {SUBSTITUTE} played on to {score}")
        else:
            click.echo(f"  {name}: lost its seat{faults}")


def play_out(match: Match, table: Seating, *, quiet: bool, as_json: bool, left: Unfinished | None = None) -> None:
    """Plays a match to its end, writes its log, and shows what happened."""
    names = [printable(player.name) for player in match.header.players]

    def write(line: Any) -> None:
        table.write(line)
        if not quiet and not as_json:
            tell(match, names, line)

    with table.seated() as sitting:
        if left is not None:
            remind(sitting, left)
        referee = Referee(match, sitting, table.rules, write=write, left=left)
        if not quiet and not as_json:
            tell(match, names, match.setup_line)
        result = referee.play()
    if as_json:
        shown = {
            "game": match.game.name,
            "seed": match.header.seed,
            "players": names,
            "scores": result.scores,
            "ranks": result.ranks,
            "reason": result.reason,
            "faults": referee.faults,
            "lost": referee.lost,
            "actions": match.number,
            "opening": len(match.opening),
            "digest": result.digest,
            "log": None if table.log is None else str(table.notes),
        }
        click.echo(msgspec.json.encode(shown))
    else:
        conclude(match, names, result, referee)
    table.say_lost(referee.lost, names)
    if result.reason != "normal":
        click.echo(f"the match is void: {result.reason}", err=True)
    if result.reason != "normal" or referee.lost or table.not_started:
        sys.exit(1)
