"""`rails-cli tournament compare`: Find out whether a new version of a bot is better."""

import hashlib
from pathlib import Path
from typing import Annotated, Any

import click
import msgspec

from rails_cli.basics.settings import setting
from rails_cli.commands import reported
from rails_cli.commands.options import Number, argument, cli_command
from rails_cli.commands.tournaments.plan_options import GameOptions, PlanOptions, entrant_table, plan_from
from rails_cli.commands.tournaments.run import RunOptions, check_outputs, play
from rails_cli.games import load_game, whole_games
from rails_cli.tournament.plan.bots_folder import bot_in
from rails_cli.tournament.plan.git_versions import GIT, NoVersion, cache_folder, git_version
from rails_cli.tournament.plan.plan import TournamentPlan
from rails_cli.tournament.plan.reading import PlanError

OLD, NEW = "old", "new"


@cli_command
def command(
    old: Annotated[str, argument("OLD")],
    new: Annotated[str, argument("NEW")],
    options: GameOptions,
    how: RunOptions,
    opponents: Annotated[
        tuple[str, ...],
        setting("An opponent of both: builtin:NAME or a command line; may be repeated.", "--opponent", "[NAME=]SPEC"),
    ] = (),
    by: Annotated[
        float,
        setting("A difference that must not be missed, as a share.", type=Number(0, 0.5, min_open=True, max_open=True)),
    ] = 0.05,
) -> None:
    """Play until it is known whether the bot NEW is better than the bot OLD.

    OLD and NEW are each a command line, builtin:NAME, a folder with a bot (see `tournament run --bots`), or git:REF or
    git:REF:PATH. REF is a commit, branch or tag of the repository of the current folder, and PATH a folder in it, by
    default the current one. The commit is checked out into ~/.cache/rails-cli and built with the command `build` in its
    bot.toml, or "Build: `COMMAND`" in its README.md.

    Without --opponent, the two play against each other in games for 2. With it, each plays in the same seats with the
    same seeds against the opponents. The results are those of a tournament, and the same command resumes.

    \b
    Examples:
      rails-cli tournament compare git:main mybot
      rails-cli tournament compare git:v1.2 git:HEAD --game last_spike --minutes 10
      rails-cli tournament compare 'python3 old.py' 'python3 new.py' --opponent builtin:medium --players 4
    """
    check_outputs(options.workers, how)
    games, players = (options.game_names, options.players) if opponents else _games_for_two(options)
    tables = [_version(words, name, is_quiet=how.quiet) for words, name in ((old, OLD), (new, NEW))]
    asked = {"entrant": NEW, "than": OLD, "by": by}
    settings = (("format.seatings", "rotations"), *((f"stop.better.{key}", value) for key, value in asked.items()))
    given = {
        **msgspec.structs.asdict(options),
        "name": options.name or "compare",
        "game_names": games,
        "players": players,
        "settings": (*settings, *options.settings),
    }
    versions = (OLD, NEW) if opponents else None
    plan = plan_from(PlanOptions(**given, entrants=opponents, versions=versions), tables)
    if options.output is None:
        plan = msgspec.structs.replace(plan, output=f"{plan.output}/{_digest(plan)}")
    play(plan, how)


def _games_for_two(options: GameOptions) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """Return the games and the numbers of players for two versions that play against each other.

    Raise UsageError if the user wants games for more than two.
    """
    games = options.game_names or tuple(name for name in whole_games() if 2 in load_game(name).players)
    more = [name for name in games if 2 not in load_game(name).players]
    if more or set(options.players) - {2}:
        what = f"{more[0]} has at least {load_game(more[0]).players[0]} players" if more else "more than 2 players"
        raise click.UsageError(f"{what}: name who else plays, such as --opponent builtin:medium")
    return games, (2,)


def _version(words: str, name: str, *, is_quiet: bool) -> dict[str, Any]:
    """Return the entrant table of OLD or NEW. `words` is the argument, and `name` is the name of the entrant."""
    here = Path.cwd()
    try:
        with reported(NoVersion):
            if words.startswith(GIT):
                table, commit = git_version(words.removeprefix(GIT), here, cache_folder())
                if not is_quiet:
                    click.echo(f"{name}: {words} is commit {commit}", err=True)
                return {**table, "name": name}
            if Path(words).is_dir():
                return {**bot_in(Path(words), here)[0], "name": name}
    except PlanError as error:
        raise click.UsageError(str(error)) from None
    return entrant_table(f"{name}={words}")


def _digest(plan: TournamentPlan) -> str:
    """Return a digest of what is compared, so that other bots or games have another folder for their results."""
    compared = [plan.entrants, plan.digests, plan.settings, plan.format, plan.seed, plan.openings, plan.clock]
    return hashlib.sha256(msgspec.json.encode(compared, order="sorted")).hexdigest()[:12]
