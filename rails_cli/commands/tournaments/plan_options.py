"""The plan of a tournament from the command line: from a file, from options, or from a folder of bots."""

import re
import shlex
import tomllib
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Annotated, Any

import click
import msgspec

from rails_cli.basics.settings import setting
from rails_cli.commands import print_wrapped
from rails_cli.commands.options import POSITIVE, ParsedType, argument, given_parameters
from rails_cli.commands.parameters import EXISTING_FILE, GAME_NAME, SeedOption, option_pairs
from rails_cli.commands.seating import name_of, seat_spec
from rails_cli.games import whole_games
from rails_cli.match.match import unique_name
from rails_cli.match.seat_specs import BUILTIN
from rails_cli.programs.limits import SANDBOX
from rails_cli.programs.sandbox import SandboxChoice
from rails_cli.programs.starting import command_mistake
from rails_cli.tournament.model import FaultPolicy
from rails_cli.tournament.plan.bots_folder import bots_in
from rails_cli.tournament.plan.openings import repetition_warning
from rails_cli.tournament.plan.plan import TournamentPlan, in_words
from rails_cli.tournament.plan.reading import Mistake, PlanError, change, make_plan, read_plan
from rails_cli.tournament.schedule.formats import planned
from rails_cli.tournament.words import listed

PLAYERS = 3
"""Number of players of a game if neither the plan nor an option names it."""
_VALUES = {
    **{
        name: name
        for name in ("name", "seed", "openings", "clock", "on_faults", "workers", "anchor", "output", "logs", "sandbox")
    },
    "kind": "format.kind",
    "versions": "format.versions",
    "challengers": "format.challengers",
    "repeatable": "format.repeatable",
    "rounds": "format.rounds",
    "games": "stop.games",
    "minutes": "stop.minutes",
}
"""Mapping from fields of `PlanOptions` to the paths of the values in a plan that they set, such as `stop.games`."""
_MAKES = {
    "versions": ("duel", "a duel compares two entrants: name them with --versions OLD NEW"),
    "challengers": (
        "gauntlet",
        "a gauntlet has challengers who play against all others: name them with --challengers NAME",
    ),
}
"""Mapping from a field of `PlanOptions` to the format of tournament that the option implies, and an error message.

The message is shown if the user chooses this format without giving the option.
"""


def plan_value(words: str) -> tuple[str, Any]:
    """Parse PATH=VALUE, such as stop.settled_top=3. Return the path and the value, parsed as TOML or else as text.

    Raise ValueError if `words` does not have this form.
    """
    path, equals, value = words.partition("=")
    if not equals or not path.strip():
        raise ValueError(f"{words!r} is not of the form PATH=VALUE, such as stop.settled_top=3")
    try:
        return path.strip(), tomllib.loads(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError:
        return path.strip(), value.strip()


class GameOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Command-line options for a plan that do not depend on its format: games, limits and the folder of the results."""

    game_names: Annotated[
        tuple[str, ...],
        setting("Game to play: one in the plan, or any without a plan. [default: all]", "--game", type=GAME_NAME),
    ] = ()
    players: Annotated[tuple[int, ...], setting(f"Players per game.  [default: the plan's, or {PLAYERS}]")] = ()
    game_options: Annotated[tuple[str, ...], setting("An option of the games.", "--option", "NAME=VALUE")] = ()
    games: Annotated[int | None, setting("Stop after this many games.", least=1)] = None
    minutes: Annotated[float | None, setting("Stop after this time.", type=POSITIVE)] = None
    seed: SeedOption = None
    openings: Annotated[str | None, setting("How games without luck start.", metavar="drawn|none")] = None
    clock: Annotated[str | None, setting("Time for each seat: 60+0.5, 10/move, 60+0.5,10/move or none.")] = None
    on_faults: Annotated[FaultPolicy | None, setting("What to do with a game after too many faults.")] = None
    sandbox: Annotated[SandboxChoice | None, SANDBOX] = None
    workers: Annotated[int | None, setting("Games to play at once.  [default: all cores]", least=1, most=1024)] = None
    name: Annotated[str | None, setting("Name of the tournament.")] = None
    output: Annotated[str | None, setting("Folder for the results.  [default: NAME-results]")] = None
    logs: Annotated[bool | None, setting("Whether to keep a log of each game.", "--logs/--no-logs")] = None
    settings: Annotated[
        tuple[tuple[str, Any], ...],
        setting(
            "Set any other value of a plan, such as stop.settled_top=3.",
            "--set",
            type=ParsedType("path=value", plan_value),
        ),
    ] = ()


class PlanOptions(GameOptions, frozen=True, kw_only=True):
    """Command-line options that describe the plan of a tournament. Options override the values of a plan file."""

    file: Annotated[Path | None, argument("[FILE.toml]", type=EXISTING_FILE)] = None
    bots: Annotated[
        Path | None,
        setting(
            "Enter all bots in this folder: source files, executables, folders with a bot.toml or a README.md.",
            metavar="DIR",
            type=click.Path(exists=True, file_okay=False, path_type=Path),
        ),
    ] = None
    entrants: Annotated[tuple[str, ...], setting("builtin:NAME or a command line.", "--entrant", "[NAME=]SPEC")] = ()
    kind: Annotated[str | None, setting("Who plays whom.", "--format", type=click.Choice(planned()))] = None
    versions: Annotated[
        tuple[str, str] | None, setting("The two entrants that a duel compares.", metavar="OLD NEW", type=(str, str))
    ] = None
    challengers: Annotated[
        tuple[str, ...], setting("An entrant who plays against all others; may be repeated.", metavar="NAME")
    ] = ()
    repeatable: Annotated[
        tuple[str, ...],
        setting(
            "An opponent who may sit more than once at a table where there are too few; may be repeated.  "
            "[default: the built-in ones]",
            metavar="NAME",
        ),
    ] = ()
    rounds: Annotated[int | None, setting("Rounds, each with new seeds.", least=1)] = None
    anchor: Annotated[str | None, setting("The entrant whose rating is 0.")] = None


def plan_from(options: PlanOptions, entrants: Sequence[dict[str, Any]] = ()) -> TournamentPlan:
    """Return the plan that options and further `entrants` describe. Raise one UsageError with all mistakes."""
    file = options.file
    tables: dict[str, Any] = {}
    chosen = {path: getattr(options, name) for name, path in _VALUES.items() if _is_given(options, name)}
    changes = {path: list(value) if isinstance(value, tuple) else value for path, value in chosen.items()}
    changes.update(dict(options.settings))
    if file is None:
        _check_kind(changes)
    try:
        if file is not None:
            if lists := [option for option in given_parameters() if option in ("--bots", "--entrant", "--option")]:
                words = f"{', '.join(lists)} is for tournaments without a plan file; here, set it in {file}"
                raise click.UsageError(words)
            return _part(read_plan(file, changes), options)
        if not options.bots and not options.entrants and not entrants:
            raise click.UsageError("name a FILE.toml, a folder of --bots, or at least two of --entrant")
        tables = _tables(options, entrants)
        for path, value in changes.items():
            change(tables, path, value)
        _fill_up(tables, max(options.players or [PLAYERS]))
        name = options.bots.resolve().name if options.bots else "tournament"
        return make_plan(tables, name, Path.cwd())
    except PlanError as error:
        where = "the plan" if file is None else str(file)
        mistakes = "\n".join(f"  {_with_flag(mistake, options)}" for mistake in error.mistakes)
        is_format = file is None and [mistake.path for mistake in error.mistakes] == ["format"]
        hint = _gauntlet_hint(tables) if is_format else ""
        raise click.UsageError(f"{where} cannot be played:\n{mistakes}{hint}") from None


def are_trusted(options: GameOptions) -> bool:
    """Return whether the options let all bots run without a sandbox."""
    chosen = dict(options.settings)
    chosen.setdefault("sandbox", options.sandbox or "none")
    sandboxes = [value for path, value in chosen.items() if re.search(r"(^|\.)(sandbox|image)$", path)]
    return chosen.get("trust", True) is not False and set(sandboxes) <= {"none", ""}


def _is_given(options: PlanOptions, name: str) -> bool:
    return getattr(options, name) not in (None, ())


def _part(plan: TournamentPlan, options: PlanOptions) -> TournamentPlan:
    """Return `plan` with only the games and numbers of players that the user has chosen with --game and --players.

    If this leaves out a part of the plan, the results are stored in a separate folder. Raise UsageError if nothing
    remains.
    """
    games, players = options.game_names, options.players
    part = [
        one for one in plan.settings if (not games or one.game in games) and (not players or one.players in players)
    ]
    if not part:
        raise click.UsageError(f"the plan has none of these; it has {listed([in_words(one) for one in plan.settings])}")
    if len(part) == len(plan.settings):
        return plan
    output = options.output or "-".join([plan.output, *games, *map(str, players)])
    return msgspec.structs.replace(plan, settings=tuple(part), output=output)


def _check_kind(changes: dict[str, Any]) -> None:
    """Add the format that --versions or --challengers implies to `changes`, a mapping from paths in a plan to values.

    Raise UsageError if the user has chosen another format, or has chosen this format without its option.
    """
    for key, (kind, wanted) in _MAKES.items():
        if f"format.{key}" in changes:
            found = changes.setdefault("format.kind", kind)
            if found != kind:
                raise click.UsageError(f"--{key} is for --format {kind}, not for {found}")
        elif changes.get("format.kind") == kind:
            raise click.UsageError(wanted)


def _fill_up(tables: dict[str, Any], players: int) -> None:
    """Let built-in opponents take several seats in a game if there are too few opponents for `players` seats.

    Change `tables`, the content of a plan file as dictionaries. The file is not changed.
    """
    form, entrants = tables["format"], tables["entrants"]
    key = next((key for key in _MAKES if key in form), None)
    if key is not None and "repeatable" not in form and isinstance(form[key], list):
        field = [table for table in entrants if table["name"] not in form[key]]
        ours = [table["name"] for table in field if "builtin" in table]
        if ours and len(field) < players - 1:
            form["repeatable"] = ours


def _gauntlet_hint(tables: dict[str, Any]) -> str:
    """Return a hint on options for tournaments that need fewer entrants: games of two, or a gauntlet.

    In a gauntlet, one or more challengers play against all other entrants. `tables` is the content of a plan file. The
    hint is empty if a gauntlet is not possible, or if the plan names another format.
    """
    entrants = tables.get("entrants", [])
    if len(entrants) < 2 or "kind" in tables["format"]:
        return ""
    mine = next((table for table in entrants if "builtin" not in table), entrants[0])
    others = [table for table in entrants if table is not mine]
    words = ["--challengers", mine["name"]]
    if not any("builtin" in table for table in others):
        words += ["--repeatable", others[0]["name"]]
    hint = f"\nto play one against the others, who then may sit more than once, add: {shlex.join(words)}"
    return f"\nto play games of two, add: --players 2{hint}" if len(entrants) == 2 else hint


def warn_of_copies(plan: TournamentPlan) -> None:
    words = repetition_warning(plan)
    if words is not None:
        print_wrapped(f"warning: {words}", err=True)


def _with_flag(mistake: Mistake, options: PlanOptions) -> str:
    """Return the message of a mistake in the plan. If an option caused the mistake, the message names the option."""
    flags = {path: f"--set {path}" for path, _ in options.settings}
    for name, path in _VALUES.items():
        if _is_given(options, name):
            flags[path] = "--format" if name == "kind" else "--" + name.replace("_", "-")
    near = [path for path in flags if f"{mistake.path}.".startswith(f"{path}.")]
    return f"{flags[max(near, key=len)]}: {mistake.words}" if near else str(mistake)


def _tables(options: PlanOptions, entrants: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the content of a plan file that describes the same plan as `options`, as dictionaries for TOML tables.

    `entrants` are further entrants.
    """
    game_options = option_pairs(options.game_options)
    games = options.game_names or whole_games()
    tables: dict[str, Any] = {
        "games": [
            {"game": game, "players": list(options.players) or PLAYERS, "options": game_options} for game in games
        ],
        "entrants": [*entrants],
        "format": {},
    }
    if options.bots:
        found, passed_over = bots_in(options.bots, Path.cwd(), trust=are_trusted(options))
        tables["entrants"] += found
        for words in passed_over:
            print_wrapped(f"skipped: {words}", err=True)
        if not found:
            raise click.UsageError(f"no bot found in {options.bots}")
    for word in options.entrants:
        tables["entrants"].append(entrant_table(word, {table["name"] for table in tables["entrants"]}))
    return tables


def name_and_spec(word: str) -> tuple[str, str]:
    """Split [NAME=]SPEC and return both parts. SPEC is `builtin:NAME` or a command line.

    If there is no name, or if it contains a space or a slash, return an empty name and the whole `word`.
    """
    before, equals, after = word.partition("=")
    has_name = bool(equals) and before.strip() != "" and not any(letter in before for letter in "/ ")
    return (before.strip(), after) if has_name else ("", word)


def _check_unnamed(word: str) -> None:
    """Raise ValueError if `word` looks like NAME=COMMAND, but NAME is not a valid name of a bot.

    A `word` looks like this if COMMAND can be started, but the whole of `word` cannot be started.
    """
    before, _, after = word.partition("=")
    before = before.strip()
    if _can_start(word) or not _can_start(after):
        return
    if not before:
        raise ValueError(f"{word!r} has no name before its =; try NAME=SPEC, or SPEC alone")
    raise ValueError(f"{before!r} cannot be a name: names given like this have no spaces or slashes")


def _can_start(words: str) -> bool:
    """Return whether `words` is `builtin:NAME`, or a command line whose program exists."""
    try:
        spec = seat_spec(words)
    except ValueError:
        return False
    return spec.startswith(BUILTIN) or command_mistake(shlex.split(spec)[:1], Path()) is None


def entrant_table(word: str, taken: Collection[str] = ()) -> dict[str, Any]:
    """Return the TOML table of an entrant in a plan file. `word` is NAME=SPEC or SPEC.

    SPEC is `builtin:NAME` or a command line. Without a name, a name that is not in `taken` is made from SPEC.
    """
    name, written = name_and_spec(word)
    try:
        if not name and "=" in word:
            _check_unnamed(word)
        spec = seat_spec(written)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--entrant") from None
    name = name or unique_name(name_of(spec), taken)
    if spec.startswith(BUILTIN):
        return {"name": name, "builtin": spec}
    return {"name": name, "command": shlex.split(spec)}
