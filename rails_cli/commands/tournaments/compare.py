"""`rails-cli tournament compare`: Find out whether a new version of a bot is better."""

import hashlib
import os
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Annotated, Any

import click
import msgspec

from rails_cli.basics.settings import setting
from rails_cli.commands import print_wrapped, reported, write_errors
from rails_cli.commands.options import Number, argument, cli_command
from rails_cli.commands.tournaments.plan_options import (
    GameOptions,
    PlanOptions,
    are_trusted,
    entrant_table,
    name_and_spec,
    plan_from,
)
from rails_cli.commands.tournaments.run import RunOptions, check_outputs, play
from rails_cli.games import load_game, whole_games
from rails_cli.match.match import unique_name
from rails_cli.programs.sandbox import NoSandbox, Sandbox, available_sandbox
from rails_cli.programs.starting import command_mistake
from rails_cli.tournament.plan.bots_folder import bot_in, folder_digest
from rails_cli.tournament.plan.git_versions import GIT, BuildFailed, GitVersion, NoVersion, cache_folder, git_version
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
        setting("An opponent of both, given like OLD and NEW; may be repeated.", "--opponent", "[NAME=]SPEC"),
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
    bot.toml, or "Build: `COMMAND`" in its README.md. With --sandbox or --set trust=false, the build runs in a sandbox
    without network. With --check, nothing is built.

    Without --opponent, the two play against each other in games for 2. With --opponent, each plays in the same seats
    with the same seeds against the opponents. The results are stored like those of a tournament, and the same command
    resumes.

    \b
    Exit codes:
      0    NEW is better
      1    failure, such as a failed build
      2    wrong usage, such as a version that does not exist
      4    NEW is not better
      5    undecided when the tournament ended
      6    NEW made faults, whatever the answer
      130  interrupted

    \b
    Examples:
      rails-cli tournament compare git:main mybot
      rails-cli tournament compare git:v1.2 git:HEAD --game last_spike --minutes 10
      rails-cli tournament compare 'python3 old.py' 'python3 new.py' --opponent builtin:medium --players 4
    """
    check_outputs(options.workers, how)
    games, players = (options.game_names, options.players) if opponents else _games_for_two(options)
    trust = are_trusted(options)
    bots = [_version(words, name, trust=trust, is_quiet=how.quiet) for words, name in ((old, OLD), (new, NEW))]
    for words in opponents:
        bots.append(_opponent(words, {bot.table["name"] for bot in bots}, trust=trust, is_quiet=how.quiet))
    _build(bots, trust=trust, is_check=how.check)
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
    plan = plan_from(PlanOptions(**given, versions=versions), [bot.table for bot in bots])
    written = [plan.folder, *(Path(file) for file in (how.events_file, how.junit_file) if file is not None)]
    plan = _with_folders(plan, bots, {file.resolve() for file in written})
    if options.output is None:
        if not how.check:
            with write_errors(plan.folder):  # all comparisons share this folder, and git must not track it
                plan.folder.mkdir(parents=True, exist_ok=True)
                (plan.folder / ".gitignore").write_text("*\n", encoding="utf-8")
        plan = msgspec.structs.replace(plan, output=f"{plan.output}/{_digest(plan)}")
    play(plan, how, f"{NEW}: {new}; {OLD}: {old}")


def _games_for_two(options: GameOptions) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """Return the games in which OLD and NEW play alone against each other, and the number of players, which is 2.

    Raise UsageError if the options ask for games with more than two players.
    """
    games = options.game_names or tuple(name for name in whole_games() if 2 in load_game(name).players)
    more = [name for name in games if 2 not in load_game(name).players]
    if more or set(options.players) - {2}:
        what = f"{more[0]} has at least {load_game(more[0]).players[0]} players" if more else "more than 2 players"
        raise click.UsageError(f"{what}: name who else plays, such as --opponent builtin:medium")
    return games, (2,)


class _Version(msgspec.Struct, frozen=True):
    """A bot in the comparison: OLD, NEW or one of their opponents.

    `words` is the argument with which the user has named the bot. `table` is the entry of the bot in a plan file. `git`
    is the commit of the bot, or None if the bot does not come from a git repository.
    """

    words: str
    table: dict[str, Any]
    folder: Path | None = None
    """Folder of the bot. None for a command line or a built-in player."""
    git: GitVersion | None = None


def _version(words: str, name: str, *, trust: bool, is_quiet: bool) -> _Version:
    """Return a bot that is not built yet. `words` is an argument such as OLD, and `name` the name of the entrant.

    If `trust` is false, the command in the folder of a bot may name only files in this folder.
    """
    here = Path.cwd()
    with reported(NoVersion, PlanError, kind=click.UsageError):
        if words.startswith(GIT):
            version = git_version(words.removeprefix(GIT), here, cache_folder(), trust=trust)
            if not is_quiet:
                print_wrapped(f"{name}: {words} is commit {version.commit}", err=True)
            return _Version(words, {**version.table, "name": name}, version.folder, version)
        if os.path.isdir(words):
            return _Version(words, {**bot_in(Path(words), here, trust=trust).table, "name": name}, Path(words))
    table = entrant_table(f"{name}={words}")
    mistake = command_mistake(table["command"], here) if "command" in table else None
    if mistake is not None:
        raise click.UsageError(f"{name}: {mistake}")
    return _Version(words, table)


def _opponent(words: str, taken: Collection[str], *, trust: bool, is_quiet: bool) -> _Version:
    """Return an opponent of OLD and NEW. `words` is [NAME=]SPEC.

    SPEC is a built-in player, a folder, a commit or a command line, like OLD and NEW. Without NAME, the opponent gets a
    name made from SPEC that is not in `taken`.
    """
    name, spec = name_and_spec(words)
    if not spec.startswith(GIT) and not os.path.isdir(spec):
        return _Version(words, entrant_table(words, taken))
    base = spec.replace("/", " ") if spec.startswith(GIT) else Path(spec).resolve().name
    return _version(spec, name or unique_name(base, taken), trust=trust, is_quiet=is_quiet)


def _build(versions: Sequence[_Version], *, trust: bool, is_check: bool) -> None:
    """Build those `versions` that come from a git repository and are not built yet.

    If `is_check`, only print the build commands. If not `trust`, builds run in a sandbox. Raise ClickException if a
    build fails.
    """
    commits = [(version, version.git) for version in versions if version.git is not None]
    needed = [(version, commit) for version, commit in commits if commit.needs_build]
    for version, commit in needed:
        name = version.table["name"]
        if is_check:
            print_wrapped(f"{name}: {version.words} is not built, as with --check; its build: {commit.build}", err=True)
        elif commit.needs_build:  # false if both are the same version
            where = "without a sandbox" if trust else "in a sandbox"
            print_wrapped(f"{name}: building {version.words} {where}: {commit.build}", err=True)
            with reported(BuildFailed, NoVersion, NoSandbox):
                level = available_sandbox("none" if trust else "auto")
                commit.make(None if level is None else Sandbox(level))
    for _, commit in commits if needed and not is_check else ():
        with reported(BuildFailed):
            commit.check()


def _with_folders(plan: TournamentPlan, bots: Sequence[_Version], written: Collection[Path]) -> TournamentPlan:
    """Return `plan` with digests of the folders of bots, so that a run is not resumed after a change of their files.

    All files in the folders count, except the paths in `written`, which this command writes. If the plan says that
    files may change, return `plan` unchanged.
    """
    if not plan.digests:
        return plan
    with reported(OSError, prefix="cannot read the folder of a bot: "):
        folders = {bot.table["name"]: folder_digest(bot.folder, written) for bot in bots if bot.folder is not None}
    return msgspec.structs.replace(plan, digests=plan.digests | folders)


def _digest(plan: TournamentPlan) -> str:
    """Return a digest of the compared bots and the games. It is the name of the folder of the results."""
    compared = [plan.entrants, plan.digests, plan.settings, plan.format, plan.seed, plan.openings, plan.clock]
    return hashlib.sha256(msgspec.json.encode(compared, order="sorted")).hexdigest()[:12]
