"""`rails-cli tournament games`: List the games."""

from itertools import islice
from typing import Annotated

import click
import msgspec

from rails_cli.basics.settings import setting
from rails_cli.commands import print_json, print_wrapped
from rails_cli.commands.options import cli_command
from rails_cli.commands.tournaments.results import ResultsArgument, open_results, print_fault
from rails_cli.tournament.rating.forfeits import is_valid
from rails_cli.tournament.rating.standings import name_of
from rails_cli.tournament.results.store import Listed, ask_commands
from rails_cli.tournament.words import listed as in_a_row


@cli_command
def command(
    results: ResultsArgument,
    entrants: Annotated[tuple[str, ...], setting("Only games in which all of these played.", "--entrant")] = (),
    only_faulty: Annotated[bool, setting("Only games with faults, and show the faults.", "--faults")] = False,
    only_void: Annotated[bool, setting("Only void games.", "--void")] = False,
    limit: Annotated[int | None, setting("Show at most this many.", least=1)] = None,
    as_json: Annotated[bool, setting("Print one JSON object a line for programs.", "--json")] = False,
) -> None:
    """List the games of the tournament in FOLDER (or of the plan FILE.toml), in the order of the schedule.

    Each line shows the players by seat, their ranks and scores, and the log, which `rails-cli replay` steps through. A
    fault comes with the end of the bot's stderr, and with the command that asks the bot the same question again.

    \b
    Examples:
      rails-cli tournament games league-results --entrant mine --limit 20
      rails-cli tournament games league-results --faults
      rails-cli tournament games league-results --json | jq .scores
    """
    with open_results(results) as store:
        for name in entrants:
            known = store.seen()
            if name not in known:
                words = f"there is no entrant {name!r}; the entrants are {in_a_row(list(known))}"
                raise click.BadParameter(words, param_hint="--entrant")
        faults, ask = store.faults_by_game(), ask_commands(store)
        chosen = (
            listed
            for listed in store.games(with_surplus=True)
            if set(entrants) <= set(listed.played.seating)
            and not (only_faulty and not any(listed.played.faults))
            and not (only_void and is_valid(listed.played))
        )
        for listed in islice(chosen, limit):
            own = faults.get(listed.id, [])
            if as_json:
                about = {"id": listed.id, "stage": listed.group.stage, "place": listed.group.number}
                fault_fields = {"fault_words": [str(fault) for fault in own], "stderr": [fault.stderr for fault in own]}
                asks = [ask(listed.group.id, fault) for fault in own]
                surplus = {"surplus": listed.group.surplus, **fault_fields, "ask": asks}
                print_json({**about, **msgspec.to_builtins(listed.played), **surplus})
                continue
            print_wrapped(_in_words(listed))
            if only_faulty:
                for fault in own:
                    print_fault(f"    ! {fault}", fault, ask(listed.group.id, fault), indent="      ")


def _in_words(listed: Listed) -> str:
    game = listed.played
    players = ", ".join(
        f"{name} absent" if seat in game.absent else f"{name} {rank}. ({score:,})"
        for seat, (name, rank, score) in enumerate(zip(game.seating, game.ranks, game.scores, strict=True))
    )
    words = f"{listed.id}  {name_of(game.setting)}  {listed.group.stage}  {players}"
    if not is_valid(game):
        words += f"  void: {game.reason}"
    elif game.is_tainted:
        words += "  tainted"
    if game.absent:
        words += f"  without {in_a_row([game.seating[seat] for seat in game.absent])}"
    if listed.group.surplus:
        words += "  surplus"
    return words if game.log is None else f"{words}  {game.log}"
