"""Reading and validation of the plan of a tournament, from a TOML file or from tables of the same structure.

All mistakes are reported at once, each with the path of the wrong value, such as `$.entrants[1].memory`.
"""

import difflib
import hashlib
import os
import re
import shlex
import tomllib
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Literal, NamedTuple, TypeVar, Union, get_args, get_origin

import msgspec
from msgspec import Meta
from msgspec.structs import FieldInfo

from rails_cli.basics.files import read_file
from rails_cli.basics.seeds import VALID_SEEDS
from rails_cli.basics.settings import parse_size
from rails_cli.games import game_names, load_game, problem_of
from rails_cli.games.game import BoardError, Game
from rails_cli.games.options import typed_value, value_of_typed
from rails_cli.match.clock import read_clock
from rails_cli.match.seat_specs import BUILTIN
from rails_cli.players.builtin import check_player
from rails_cli.programs.sandbox import SandboxChoice
from rails_cli.programs.sandbox.own_files import own_folder_mistake, paths_of_others
from rails_cli.programs.starting import command_mistake
from rails_cli.protocol.lines import decoding_problem
from rails_cli.tournament.model import Entrant, Setting
from rails_cli.tournament.plan.plan import (
    GIVEN,
    ROUNDS_TO_COME,
    Count,
    Terms,
    TournamentPlan,
    in_words,
    make_format,
    value_text,
)
from rails_cli.tournament.schedule.formats import FORMATS, USUAL, planned
from rails_cli.tournament.schedule.stopping_rules import (
    Better,
    Chance,
    FixedGames,
    Measure,
    Rule,
    TimeBudget,
    TokenBudget,
    TopSettled,
)

T = TypeVar("T")

FIELD = "field"

_NOT_UTF8 = re.compile("[\\ud800-\\udfff]")  # surrogates that Python makes of undecodable command-line bytes

MOST_MINUTES = 10_000_000
MOST_SHOWN = 60
"""Maximum number of characters of an invalid value that an error message shows."""

_SAME_KEYS = ("open_files", "folder", "processes", "freeze", "network", "image", "user", "clock")
"""Keys of `[[entrants]]` that are fields of `Entrant` with the same name and value."""

Name = Annotated[str, Meta(pattern=r"^[^\x00-\x1f/]{1,60}$")]


class GamesTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A table `[[games]]` of a plan file: one game with its numbers of players, options and board."""

    game: str
    players: int | list[int]
    """Number of players, or a list of several numbers of players."""
    options: dict[str, str | int | bool] = {}
    board: str | None = None
    """Path of a board file. None means the standard board."""


class EntrantTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A table `[[entrants]]` of a plan file: one participant of the tournament."""

    name: Name
    builtin: str | None = None
    """Name of a built-in player. A plan gives exactly one of `builtin` and `command`."""
    command: str | list[str] | None = None
    folder: str = ""
    environment: dict[str, str | int] = {}
    memory: int | str | None = None
    """Memory limit in bytes, or text such as 512M."""
    cpu_seconds: Count | None = None
    open_files: Annotated[int, Meta(ge=8, le=1_000_000)] | None = None
    file_size: int | str | None = None
    processes: Count | None = None
    freeze: bool = False
    """Whether the process of the bot is stopped while other seats are to move."""
    sandbox: SandboxChoice | None = None
    """The sandbox of the bot. None means the sandbox of the plan."""
    network: bool = False
    reads: list[str] = []
    image: str = ""
    """Container image for the sandbox `podman`. An image makes `podman` the default sandbox."""
    user: str = ""
    clock: str | None = None
    """Time control of this entrant. None means the time control of the plan."""


class BetterTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The table `[stop.better]` of a plan file.

    Its rule ends the tournament when it is known whether one entrant is better than another. `by`, `alpha` and `beta`
    are those of the rule (see `Better`).
    """

    entrant: str
    than: str = FIELD
    by: Annotated[float, Meta(gt=0, lt=0.5)] = 0.05
    measure: Measure | None = None
    """The quantity that is compared. None means `ahead`, or `beaten` if the two entrants never meet."""
    alpha: Chance = 0.05
    beta: Chance = 0.05


class StopTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The table `[stop]` of a plan file. Each key is a stopping rule. The tournament ends when one of them is met."""

    games: Count | None = None
    minutes: Annotated[float, Meta(gt=0, le=MOST_MINUTES)] | None = None
    tokens: Count | None = None
    """End the tournament when bots have reported this number of tokens in `info` of their answers."""
    better: dict[str, Any] | None = None
    settled_top: Count | None = None
    """End the tournament when the order of the best entrants is known. The value is the number of these entrants.

    None if there is no such rule.
    """
    settled_alpha: Chance = 0.05


class PlanTable(Terms, frozen=True, forbid_unknown_fields=True):
    """The top-level table of a plan file."""

    games: list[Any]
    entrants: list[Any]
    name: Name | None = None
    openings: Literal["drawn", "none"] = "drawn"
    """`drawn` if games without randomness start with random moves that depend on the seed, else `none`."""
    economy: bool | None = None
    """Whether to record economic figures for each seat. None means the value of `logs`."""
    trust: bool = True
    """Whether bots are trusted. Bots that are not trusted run in sandboxes."""
    sandbox: SandboxChoice | None = None
    """The sandbox of each bot whose table names no sandbox.

    None means `auto` if bots are not trusted, else no sandbox.
    """
    trust_bots: bool = False
    """Whether the files of bots may change between runs of the tournament."""
    output: str | None = None
    """Folder of the results. None means the name of the tournament followed by `-results`."""
    format: dict[str, Any] = msgspec.field(default_factory=dict)
    stop: dict[str, Any] = msgspec.field(default_factory=dict)


class Mistake(NamedTuple):
    """A mistake in a plan."""

    path: str
    """Path of the wrong value, such as `entrants[1].memory`. Empty if the mistake concerns the whole plan."""
    words: str

    def __str__(self) -> str:
        return f"$.{self.path}: {self.words}" if self.path else self.words


class PlanError(Exception):
    """Raised for a plan that cannot be played. `mistakes` lists all reasons."""

    def __init__(self, mistakes: Sequence[Mistake]) -> None:
        super().__init__("; ".join(map(str, mistakes)))
        self.mistakes = list(mistakes)


def read_plan(file: Path, changes: Mapping[str, Any] | None = None) -> TournamentPlan:
    """Return the plan in `file`. `changes` maps paths such as `format.rounds` to new values.

    Raise PlanError if the file cannot be read or the plan is invalid.
    """
    try:
        tables = tomllib.loads(read_file(file).decode())
    except OSError as error:
        raise PlanError([Mistake("", f"cannot read {file}: {error.strerror}")]) from None
    except UnicodeDecodeError:
        raise PlanError([Mistake("", "the file is not UTF-8")]) from None
    except tomllib.TOMLDecodeError as error:
        raise PlanError([Mistake("", f"not TOML: {error}")]) from None
    except (ValueError, RecursionError) as error:
        raise PlanError([Mistake("", f"cannot be read: {decoding_problem(error)}")]) from None
    for path, value in (changes or {}).items():
        change(tables, path, value)
    return make_plan(tables, file.stem, file.parent)


def make_plan(tables: dict[str, Any], name: str, base: Path) -> TournamentPlan:
    """Validate `tables`, which have the structure of a plan file, and return the plan.

    `name` is used if `tables` do not name the tournament. Paths in `tables` are relative to `base`. Raise PlanError if
    the plan is invalid.
    """
    reader = _Reader(base.resolve())
    plan = reader.plan(tables, name)
    if plan is None or reader.mistakes:
        raise PlanError(reader.mistakes)
    return plan


def change(tables: dict[str, Any], path: str, value: Any) -> None:
    """Set the value at `path`, such as `format.rounds`, in the tables of a plan. Raise PlanError for a wrong path."""
    *outer, last = [int(part) if part.isdigit() else part for part in re.findall(r"[^.\[\]]+", path)]
    inner: Any = tables
    try:
        for part in outer:
            inner = inner[part] if isinstance(part, int) else inner.setdefault(part, {})
        inner[last] = value
    except (IndexError, KeyError, TypeError, AttributeError):
        raise PlanError([Mistake(path, "a plan has no such key")]) from None


class _Reader:
    """Validator of the tables of a plan. It collects all mistakes."""

    def __init__(self, base: Path) -> None:
        self.base = base
        self.mistakes: list[Mistake] = []
        self.boards: dict[str, str] = {}

    def wrong(self, path: str, words: str) -> None:
        self.mistakes.append(Mistake(path, words))

    def plan(self, tables: Any, name: str) -> TournamentPlan | None:
        self._texts(tables, "")
        if self.mistakes:
            return None
        read = self._table(PlanTable, tables, "")
        for key, what in (("games", "game"), ("entrants", "entrant")):
            if read.get(key) == []:
                self.wrong(key, f"there is no {what}")
        settings = self._settings(read.get("games", []))
        trust = read.get("trust", True)
        usual: SandboxChoice = read.get("sandbox") or ("none" if trust else "auto")
        entrants = self._entrants(read.get("entrants", []), trust=trust, usual=usual)
        self._check_builtin(settings, entrants)
        names = list(dict.fromkeys(entrant.name for entrant in entrants if entrant.name))
        self._try(read_clock, read.get("clock", "none"), "clock")
        form = read.get("format", {})
        self._format(form)
        stop = self._stop(read.get("stop", {}), names, form)
        if read.get("anchor") is not None and read["anchor"] not in names:
            self.wrong("anchor", _unknown(read["anchor"], "entrant", names))
        called = read.get("name") or name
        output = read.get("output") or f"{called}-results"
        self._output(output)
        if self.mistakes:
            return None
        self._check_own_folders(entrants, output)
        plan = TournamentPlan(
            name=called,
            output=output,
            format={"kind": USUAL, **form},
            settings=tuple(settings),
            entrants=tuple(entrants),
            stop=tuple(stop),
            boards=self.boards,
            openings=read["openings"],
            digests={} if read["trust_bots"] else {one.name: self._digest(one) for one in entrants},
            base=str(self.base),
            economy=read["logs"] if read["economy"] is None else read["economy"],
            **{key: read[key] for key in Terms.__struct_fields__},
        )
        self._playable(plan)
        return plan

    def _playable(self, plan: TournamentPlan) -> None:
        """Record a mistake if the plan cannot be played although each of its values is valid."""
        try:
            schedule = make_format(plan)
        except ValueError as error:
            words = str(error)
            key = next((key for key in plan.format if re.search(rf"\b{key}\b", words)), None)
            self.wrong("format" if key is None else f"format.{key}", words)
            return
        for rule in plan.stop:
            if isinstance(rule, Better) and rule.than and not schedule.may_share_a_seed(rule.entrant, rule.than):
                self.wrong(
                    "stop.better",
                    f"{rule.entrant} and {rule.than} never play the same seed, so they cannot be compared; "
                    "let them meet, or play a duel between them",
                )

    def _texts(self, value: Any, place: str) -> None:
        """Record a mistake for each string in `value` with a NUL character or invalid UTF-8.

        `place` is the path of `value` in the plan.
        """
        if isinstance(value, str) and "\0" in value:
            self.wrong(place, f"{value!r} has a NUL character")
        elif isinstance(value, str) and _NOT_UTF8.search(value):
            self.wrong(place, f"{value!r} is not UTF-8")
        elif isinstance(value, dict):
            for key, inner in value.items():
                self._texts(key, place)
                self._texts(inner, _join(place, key))
        elif isinstance(value, list):
            for number, inner in enumerate(value):
                self._texts(inner, f"{place}[{number}]")

    def _table(self, kind: type[msgspec.Struct], table: Any, place: str) -> dict[str, Any]:
        """Return the valid values of a table, and the defaults of `kind` for missing values.

        Record a mistake for each invalid value. `place` is the path of the table in the plan.
        """
        if self._convert(dict[str, Any], table, place) is None:
            return {}
        fields = {field.name: field for field in msgspec.structs.fields(kind)}
        return self._values(fields, table, place, list(fields), "known here")

    def _values(
        self, fields: Mapping[str, FieldInfo], table: dict[str, Any], place: str, known: list[str], which: str
    ) -> dict[str, Any]:
        for key in table:
            if key not in known:
                self.wrong(_join(place, key), _unknown(key, "key", known, which))
        read = {}
        for name, field in fields.items():
            if name in table:
                count = len(self.mistakes)
                value = self._convert(field.type, table[name], _join(place, name))
                if len(self.mistakes) == count:
                    read[name] = value
            elif field.required:
                self.wrong(place, f"{name} is missing")
            else:
                read[name] = field.default if field.default is not msgspec.NODEFAULT else field.default_factory()
        return read

    def _convert(self, kind: Any, value: Any, path: str) -> Any:
        """Return `value` converted to the type `kind`. If this fails, record a mistake at `path` and return None."""
        try:
            return msgspec.convert(value, kind)
        except msgspec.ValidationError as error:
            words, _, inner = str(error).partition(" - at `$")
        choices = _choices(kind)
        if path == "seed":
            words = VALID_SEEDS
        elif "matching regex" in words:
            words = "expected a name: 1 to 60 characters without slashes or control characters"
        elif choices:
            words = f"expected {', '.join(choices)}"
        shown = f'"{value}"' if isinstance(value, str) else value_text(value)
        shown = shown if len(shown) <= MOST_SHOWN else f"{shown[: MOST_SHOWN - 1]}…"
        self.wrong(path + inner.rstrip("`"), f"{words[0].lower()}{words[1:]}; found {shown}")
        return None

    def _settings(self, tables: Sequence[Any]) -> list[Setting]:
        settings: list[Setting] = []
        for number, table in enumerate(tables):
            place = f"games[{number}]"
            read = self._table(GamesTable, table, place)
            if "game" not in read:
                continue
            name = read["game"].lower().replace("-", "_")
            if name not in game_names():
                self.wrong(f"{place}.game", _unknown(read["game"], "game", game_names()))
                continue
            problem = problem_of(name)
            if problem is not None:
                self.wrong(f"{place}.game", problem)
                continue
            game = load_game(name)
            options = self._options(game, read.get("options", {}), f"{place}.options")
            board = self._board(game, read.get("board"), f"{place}.board")
            for players in self._players(game, read.get("players"), f"{place}.players"):
                setting = Setting(name, players, options, board)
                if setting in settings:
                    self.wrong(place, f"{in_words(setting)} is listed twice")
                settings.append(setting)
        return settings

    def _players(self, game: Game[Any, Any], given: int | list[int] | None, place: str) -> list[int]:
        if given is None:
            return []
        counts = [given] if isinstance(given, int) else given
        if not counts:
            self.wrong(place, "the number of players is missing")
        good = []
        for number, count in enumerate(counts):
            if mistake := game.players_mistake(count):
                self.wrong(place if isinstance(given, int) else f"{place}[{number}]", mistake)
            else:
                good.append(count)
        return good

    def _options(self, game: Game[Any, Any], given: dict[str, Any], place: str) -> dict[str, str]:
        """Return the valid options in `given` that differ from the defaults of `game`.

        Record a mistake for each invalid option. `place` is the path of the options in the plan.
        """
        known = {field.name: field for field in msgspec.structs.fields(game.options_type)}
        options = {}
        for name, value in given.items():
            if name not in known:
                self.wrong(f"{place}.{name}", _unknown(name, "option", list(known)))
                continue
            choices = [str(choice) for choice in get_args(known[name].type)]
            chosen = value_of_typed(str(value))
            if chosen not in choices:
                expected = " or ".join(map(typed_value, choices))
                self.wrong(f"{place}.{name}", f"{value_text(value)} is not valid; expected {expected}")
            elif chosen != str(known[name].default):
                options[name] = chosen
        return dict(sorted(options.items()))

    def _board(self, game: Game[Any, Any], given: str | None, place: str) -> str:
        if given is None or given == "standard":
            return "standard"
        try:
            content = read_file(Path(self.base, given))
            game.read_board(content)
        except OSError as error:
            self.wrong(place, f"cannot read {given}: {error.strerror}")
        except BoardError as error:
            for mistake in error.mistakes:
                self.wrong(place, mistake)
        else:
            digest = hashlib.sha256(content).hexdigest()[:16]
            self.boards[digest] = content.decode()
            return digest
        return "standard"

    def _entrants(self, tables: Sequence[Any], *, trust: bool, usual: SandboxChoice) -> list[Entrant]:
        """Return the entrants in the tables `[[entrants]]`.

        `trust` says whether bots are trusted. `usual` is the sandbox of each bot whose table names no sandbox.
        """
        entrants: list[Entrant] = []
        for number, table in enumerate(tables):
            place = f"entrants[{number}]"
            read = self._table(EntrantTable, table, place)
            name = read.get("name", "")
            if name and not (name.isprintable() and name == name.strip()):
                self.wrong(f"{place}.name", f"{name!r} cannot be shown")
            if name == FIELD:
                self.wrong(f"{place}.name", f"{FIELD} means all others in stop.better; choose another name")
            if name and name in [entrant.name for entrant in entrants]:
                self.wrong(f"{place}.name", f"{name} appears twice")
            memory = self._try(parse_size, read.get("memory"), f"{place}.memory")
            self._try(read_clock, read.get("clock"), f"{place}.clock")
            file_size = self._try(parse_size, read.get("file_size"), f"{place}.file_size")
            environment: dict[str, str | int] = read.get("environment", {})
            for key in environment:
                if not key or "=" in key:
                    self.wrong(f"{place}.environment", f"{key!r} is not the name of a variable")
            spec = self._spec(read, place)
            image = read.get("image", "")
            is_program = not spec.startswith(BUILTIN)
            needed: SandboxChoice = "podman" if image else usual if is_program else "none"
            sandbox: SandboxChoice = read.get("sandbox") or needed
            if (sandbox == "podman") != bool(image):
                words = "podman needs an image" if sandbox == "podman" else f"{sandbox} has no image; podman has"
                self.wrong(f"{place}.image", words)
            if sandbox == "none" and not trust and is_program:
                self.wrong(
                    f"{place}.sandbox", "a bot that is not trusted needs a sandbox; auto picks the best there is"
                )
            entrants.append(
                Entrant(
                    name,
                    spec,
                    {key: str(value) for key, value in environment.items()},
                    memory_bytes=memory,
                    cpu_s=read.get("cpu_seconds"),
                    file_bytes=file_size,
                    sandbox=sandbox,
                    reads=[str(Path(self.base, path).expanduser()) for path in read.get("reads", [])],
                    **{key: read[key] for key in _SAME_KEYS if key in read},
                )
            )
        return entrants

    def _check_builtin(self, settings: Sequence[Setting], entrants: Sequence[Entrant]) -> None:
        """Record a mistake for each built-in player that does not support a game of the plan."""
        games = dict.fromkeys(setting.game for setting in settings)
        for number, entrant in enumerate(entrants):
            for game in games if entrant.spec.startswith(BUILTIN) and not self.mistakes else ():
                self._try(
                    partial(check_player, game=game), entrant.spec.removeprefix(BUILTIN), f"entrants[{number}].builtin"
                )

    def _check_own_folders(self, entrants: Sequence[Entrant], output: str) -> None:
        """Record a mistake for each sandboxed bot without a folder of its own.

        The folder must not contain files of other bots or the results folder `output`, because the bot could read them.
        """
        bots = {
            number: (shlex.split(entrant.spec), str(Path(self.base, entrant.folder)))
            for number, entrant in enumerate(entrants)
            if entrant.is_program
        }
        for number, bot in bots.items():
            if entrants[number].sandbox == "none":
                continue
            hides = [*paths_of_others(bot, bots.values()), str(Path(self.base, output))]
            mistake = own_folder_mistake(bot, hides)
            if mistake is not None:
                self.wrong(f"entrants[{number}].folder", mistake)

    def _spec(self, read: dict[str, Any], place: str) -> str:
        builtin: str | None = read.get("builtin")
        command: str | list[str] | None = read.get("command")
        if (builtin is None) == (command is None):
            if {"builtin", "command"} <= read.keys():
                self.wrong(place, "expected either builtin or command")
            return ""
        if command is None:
            assert builtin is not None
            name = builtin.removeprefix(BUILTIN)
            self._try(partial(check_player, is_alone=False), name, f"{place}.builtin")
            return BUILTIN + name
        folder = Path(self.base, read.get("folder", ""))
        if not os.path.isdir(folder):
            self.wrong(f"{place}.folder", f"there is no folder {folder}")
            return ""
        try:
            words = shlex.split(command) if isinstance(command, str) else list(command)
        except ValueError as error:
            self.wrong(f"{place}.command", f"{value_text(command)} is not a command line: {error}")
            return ""
        mistake = command_mistake(words, folder)
        if mistake is not None and not read.get("image"):  # the image contains the programs
            self.wrong(f"{place}.command", mistake)
        return shlex.join(words)

    def _digest(self, entrant: Entrant) -> str:
        """Return a digest of the contents of all files that the command of `entrant` names."""
        content = hashlib.sha256()
        for word in shlex.split(entrant.spec) if entrant.is_program else ():
            file = Path(self.base, entrant.folder, word)
            if os.path.isfile(file):
                content.update(file.read_bytes())
        return content.hexdigest()[:16]

    def _try(self, read: Callable[[Any], T], given: Any, place: str) -> T | None:
        """Return `read(given)`, or None if `given` is None or `read` raises ValueError.

        Record the error as a mistake at `place`, the path of `given` in the plan.
        """
        try:
            return None if given is None else read(given)
        except ValueError as error:
            self.wrong(place, str(error))
            return None

    def _stop(self, table: Any, names: Sequence[str], form: dict[str, Any]) -> list[Rule]:
        read = self._table(StopTable, table, "stop")
        rules: list[Rule] = []
        if read.get("games") is not None:
            rules.append(FixedGames(read["games"]))
        if read.get("better") is not None:
            rules += self._better(read["better"], names, form)
        if read.get("settled_top") is not None:
            if read["settled_top"] > len(names) > 0:
                self.wrong("stop.settled_top", f"there are only {len(names)} entrants")
            rules.append(TopSettled(read["settled_top"], read.get("settled_alpha", 0.05)))
        if read.get("minutes") is not None:
            rules.append(TimeBudget(60 * read["minutes"]))
        if read.get("tokens") is not None:
            rules.append(TokenBudget(read["tokens"]))
        return rules

    def _better(self, table: Any, names: Sequence[str], form: dict[str, Any]) -> list[Rule]:
        place = "stop.better"
        read = self._table(BetterTable, table, place)
        for key in ("entrant", "than"):
            name = read.get(key)
            if name is not None and name not in names and not (key == "than" and name == FIELD):
                self.wrong(f"{place}.{key}", _unknown(name, "entrant", names))
        if set(read) != set(BetterTable.__struct_fields__):
            return []
        entrant, than = read["entrant"], read["than"]
        if entrant == than:
            self.wrong(f"{place}.than", f"{entrant} cannot be compared with itself")
        apart = [form.get("versions", ()), form.get("challengers", ())]
        do_not_meet = any(isinstance(listed, list) and entrant in listed and than in listed for listed in apart)
        if do_not_meet and read["measure"] == "ahead":
            self.wrong(f"{place}.measure", f"{entrant} and {than} never meet; use beaten, wins or score")
        measure: Measure = read["measure"] or ("beaten" if do_not_meet else "ahead")
        return [Better(entrant, None if than == FIELD else than, read["by"], measure, read["alpha"], read["beta"])]

    def _format(self, given: dict[str, Any]) -> None:
        kind = given.get("kind", USUAL)
        if not isinstance(kind, str) or kind not in planned():
            self.wrong("format.kind", _unknown(str(kind), "format", planned()))
            return
        fields = {field.name: field for field in msgspec.structs.fields(FORMATS[kind]) if field.name not in GIVEN}
        read = self._values(fields, given, "format", ["kind", *fields], f"known of a {kind}")
        for key, value in given.items():
            if key in read and isinstance(value, int) and value > ROUNDS_TO_COME:
                self.wrong(f"format.{key}", f"{value} is too many; the maximum is {ROUNDS_TO_COME:,}")

    def _output(self, given: str) -> None:
        path = Path(self.base, given)
        place = next(folder for folder in (path, *path.parents) if os.path.exists(folder))
        if not os.path.isdir(place):
            self.wrong("output", f"{place} is not a folder")
        elif not os.access(place, os.W_OK):
            self.wrong("output", f"cannot write to {place}")


def _join(path: str, key: str) -> str:
    return f"{path}.{key}" if path else key


def _choices(kind: Any) -> list[str]:
    """Return the values that the type `kind` allows, for an error message.

    The strings of a `Literal` come first, then the names of the other types in the union. The list is empty if `kind`
    has no `Literal`.
    """
    if get_origin(kind) is Literal:
        return list(get_args(kind))
    members = get_args(kind) if get_origin(kind) in (Union, UnionType) else ()
    texts = [text for member in members for text in _choices(member)]
    others = [f"`{member.__name__}`" for member in members if member in (bool, int, float, str)]
    return [*texts, *others] if texts else []


def _unknown(word: str, what: str, known: Sequence[str], which: str = "") -> str:
    close = difflib.get_close_matches(word, known, 1)
    if close:
        return f"unknown {what} {word!r}; did you mean {close[0]}?"
    return f"unknown {what} {word!r}; {which or 'there are'}: {', '.join(known) or 'none'}"
