"""Seats given on the command line, and the options for clocks, faults and limits of bots."""

import os
import shlex
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

import click
import msgspec

from rails_cli.basics.seeds import new_seed
from rails_cli.basics.settings import setting
from rails_cli.commands import leave_on_signals, print_lines, reported, write_errors
from rails_cli.commands.options import ParsedType
from rails_cli.commands.parameters import (
    BoardFile,
    GameOptions,
    Openings,
    SeedOption,
    board_and_content,
    check_players,
    game_options,
    openings_of,
)
from rails_cli.commands.sandbox import check_sandbox, warn_without_sandbox
from rails_cli.games import load_game
from rails_cli.games.faces.phrases import count_phrase
from rails_cli.games.shared.luck import derived_seed
from rails_cli.games.shared.text import printable
from rails_cli.logs.chain import Signer
from rails_cli.logs.log_file import LogFile
from rails_cli.logs.reading import Log, last_players
from rails_cli.logs.signing import BadKey, NoSigning, SigningKey, read_key
from rails_cli.match.clock import SeatClock, clock_line, read_clock
from rails_cli.match.match import Match, ResumePoint, header_of, unique_name
from rails_cli.match.seat_specs import BUILTIN, PERSON
from rails_cli.match.session import MatchPolicy, Player
from rails_cli.players.builtin import BUILTIN_PLAYERS, builtin_player, check_player, player_name
from rails_cli.programs.failures import Failure, failure_of
from rails_cli.programs.limits import BotLimits
from rails_cli.programs.process import BotProcess, close_all
from rails_cli.programs.sandbox.own_files import paths_of_others
from rails_cli.programs.starting import command_mistake
from rails_cli.protocol.log import FaultLine, PlayerLine, Seed
from rails_cli.protocol.messages import Clock
from rails_cli.referee.seats import LineSeat

BUILTIN_SPECS = [f"{BUILTIN}{name}" for name in BUILTIN_PLAYERS]
LEVEL_TYPE = ParsedType("level", player_name)
CLOCK_HELP = "Time for each seat: 60+0.5 (bank+increment, seconds), 10/move, 60+0.5,10/move or none."
BOT_CLOCK_HELP = "Time for the bot: 60+0.5, 10/move or both."


def clock_setting(help_text: str = CLOCK_HELP, **more: Any) -> msgspec.Meta:
    """Return the metadata of an option `--clock`. `more` is passed to `click.option`."""
    return setting(help_text, "--clock", type=ParsedType("clock", read_clock), default="10/move", **more)


ClockOption = Annotated[Clock | None, clock_setting()]
StartUp = Annotated[
    float, setting("Extra seconds a new bot process has for its first answer.", "--start-up", least=0, most=86_400)
]
STDIO = "stdio"
"""Value of --seat for a seat that a client plays over standard input and output."""


def is_person(spec: str) -> bool:
    return spec == PERSON or spec.startswith(f"{PERSON}:")


def seat_spec(words: str) -> str:
    """Return a value of --seat without spaces around it.

    Raise ValueError if the value is neither `builtin:NAME` nor a command line.
    """
    words = words.strip()
    if words.startswith(BUILTIN):
        check_player(words.removeprefix(BUILTIN))
        return words
    try:
        parts = shlex.split(words)
    except ValueError as error:
        raise ValueError(f"{words!r} is not a command line: {error}") from None
    if not parts:
        raise ValueError("an empty command line; try builtin:random or 'python3 bot.py'")
    return words


def existing_spec(words: str) -> str:
    """Return the value of --seat in `words` without spaces around it.

    Raise ValueError if the value is neither `builtin:NAME` nor a command line, or if the program of a command line does
    not exist.
    """
    spec = seat_spec(words)
    mistake = None if spec.startswith(BUILTIN) else command_mistake(shlex.split(spec), Path())
    if mistake is not None:
        if is_person(spec):
            hint = "people play with `rails-cli play`, and resume their games with `rails-cli play --resume`"
        elif f"{BUILTIN}{spec}" in BUILTIN_SPECS:
            hint = f"did you mean builtin:{spec}?"
        elif len(shlex.split(spec)) > 1:
            raise ValueError(mistake)
        else:
            hint = f"try {', '.join(BUILTIN_SPECS)} or 'python3 bot.py'"
        raise ValueError(f"{mistake}; {hint}")
    return spec


class SeatSpec(ParsedType[str]):
    """A type of command-line parameters that are `builtin:NAME` or the command line of a bot.

    The program of the bot must exist on this machine, unless bots run in a container image.
    """

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        self.read = seat_spec if ctx is not None and ctx.params.get("sandbox_image") else existing_spec
        return super().convert(value, param, ctx)


SEAT_SPEC = SeatSpec("spec", existing_spec)


def check_level(level: str, game: str) -> None:
    with reported(ValueError, option="--bots"):
        check_player(level, game)


class BotSettings(msgspec.Struct, frozen=True):
    """Command-line options about bots, except the option for their clock."""

    cpu_clock: Annotated[bool, setting("Count CPU time of the bot and its child processes instead of wall time.")] = (
        False
    )
    freeze: Annotated[bool, setting("Stop bots while others are to move.")] = False
    start_up_s: StartUp = 20
    max_faults: Annotated[
        int, setting("Default actions (late, lost, out of strikes) after which a bot loses its seat.", least=1)
    ] = 3
    on_faults: Annotated[Literal["substitute", "void"], setting("What to do after too many faults.")] = "substitute"
    limits: BotLimits = BotLimits()


def signing_key(words: str) -> SigningKey:
    """Return the signing key in the file whose path is `words`.

    Raise ValueError if the file cannot be read or is not a key.
    """
    try:
        with reported(NoSigning):
            return read_key(Path(words))
    except (OSError, BadKey) as error:
        raise ValueError(f"{words}: {getattr(error, 'strerror', None) or error}") from None


SignOption = Annotated[
    SigningKey | None, setting("Sign the log (rails-cli key new).", "--sign", type=ParsedType("keyfile", signing_key))
]


class MatchOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Command-line options of new matches, except the options for seats and logs."""

    names: Annotated[tuple[str, ...], setting("A name for the next seat.", "--name")] = ()
    seed: SeedOption = None
    game_options: GameOptions = ()
    board_file: BoardFile = None
    openings: Openings = "none"
    clock: ClockOption
    bots: BotSettings = BotSettings()


@dataclass
class Seating:
    """The players of one or several matches, and the log of the current match, if there is one.

    `specs` has a text for each player: `builtin:NAME`, `stdio` or a command line. The number of a player is its index
    in `specs`. The number of its seat differs if players change seats between matches.
    """

    specs: Sequence[str]
    game: str
    seed: Seed
    clock: Clock | None
    settings: BotSettings
    notes: Path | None
    """Path prefix of the files that collect the stderr of bots. None to collect nothing."""
    log: LogFile | None = None
    log_file: Path | None = None
    turn: int = 0
    """Number of seats by which each player has moved up. At 0, each player has the seat with its own number."""
    mark: str = ""
    """Heading that is written to the stderr files when the bots start."""
    is_alone: bool = True
    """Whether no other match is played at the same time."""
    is_series: bool = False
    """Whether bots play several matches, so that a stderr file belongs to a player instead of a seat."""
    warned: set[int] = field(default_factory=set)
    """Numbers of the players whose unexpected output on stdout has been reported."""
    failures: list[Failure] = field(default_factory=list)
    processes: dict[int, BotProcess] = field(default_factory=dict)
    stdio_seat: Any = None
    """Object that plays all seats given as `stdio`. None if no seat is given as `stdio`."""
    signer: SigningKey | None = None

    def __post_init__(self) -> None:
        settings = self.settings
        with reported(ValueError, kind=click.UsageError):
            for spec in self.specs:
                if spec.startswith(BUILTIN):
                    check_player(spec.removeprefix(BUILTIN), self.game, is_alone=self.is_alone)
        self.level = check_sandbox(settings.limits)
        if self.level is None and any(map(is_program, self.specs)):
            warn_without_sandbox()
        self.policy = MatchPolicy(self.clock, settings.start_up_s, settings.max_faults, settings.on_faults)
        leave_on_signals()

    def players(self, names: Sequence[str] = ()) -> list[PlayerLine]:
        """Return the players for the header of a log. The first players get `names`, the others are named after bots.

        Raise BadParameter if a name is not printable, or UsageError if there are too many names.
        """
        for name in names:
            if not name.isprintable() or not name.strip():
                raise click.BadParameter(f"{name!r} cannot be shown", param_hint="--name")
        if len(names) > len(self.specs):
            raise click.UsageError(f"{len(names)} names for {len(self.specs)} seats")
        lines: list[PlayerLine] = []
        for seat, spec in enumerate(self.specs):
            name = names[seat] if seat < len(names) else name_of(spec)
            lines.append(self.line(unique_name(name, [line.name for line in lines]), spec))
        return lines

    def line(self, name: str, spec: str) -> PlayerLine:
        return PlayerLine(name, spec, None if spec.startswith(BUILTIN) or spec == STDIO else self.level)

    def sit(self) -> list[LineSeat | Player]:
        """Return the players of the next match. Bot processes are reused, and built-in players are created again."""
        return [self._player(player, spec) for player, spec in enumerate(self.specs)]

    def begin(self, turn: int) -> None:
        """Prepare the next match, in which each player sits `turn` seats further than in the first match."""
        self.turn = turn
        self.failures = []
        if self.log_file is not None and self.is_series:
            for player, process in self.processes.items():
                process.notes.heading = f"=== {self.log_file.name}, seat {self._seat_of(player) + 1}\n".encode()

    def open_log(self, file: Path, match: Match) -> None:
        self.log, self.log_file = new_log(file, self.signer), file
        self.log.write_all([match.header, match.setup_line])

    def close(self) -> None:
        close_all(list(self.processes.values()))
        self.close_log()

    def close_log(self) -> None:
        if self.log is not None:
            self.log.close()
            self.log = None

    @contextmanager
    def seated(self) -> Iterator[list[LineSeat | Player]]:
        """Provide the players for a `with` block, then stop bots and close the log.

        Raise ClickException if a file cannot be written.
        """
        try:
            yield self.sit()
        except OSError as error:
            raise click.ClickException(
                f"cannot write {error.filename or self.notes or 'to standard output'}: {error.strerror}"
            ) from None
        finally:
            self.close()
            for player in self.not_started:
                self._print_note(player, self.processes[player].cannot_start)

    def write(self, line: Any) -> None:
        if self.log is not None:
            self.log.write(line)
        if type(line) is FaultLine:
            player = (line.seat - self.turn) % len(self.specs)
            log = None if self.log_file is None else str(self.log_file)
            self.failures.append(failure_of(line, self.processes.get(player), self.specs[player], log))

    def new_stderr_lines(self, line: Any) -> list[str]:
        """Return the last stderr lines of a bot if the log line `line` is a fault of the bot."""
        if not isinstance(line, FaultLine):
            return []
        *earlier, last = [failure.stderr for failure in self.failures if failure.seat == line.seat]
        return last if earlier[-1:] != [last] else []

    def print_failures(self, lost: Sequence[int], names: Sequence[str], *, only_lost: bool) -> None:
        """Print the last fault of each seat, and how to investigate the fault.

        `lost` has the seats whose player was replaced. With `only_lost`, print only the faults of these seats. `names`
        are the players in the order of the seats.
        """
        last = {failure.seat: failure for failure in self.failures}
        for seat, failure in sorted(last.items()):
            name = names[seat]
            if seat in lost:
                print_lines(f"seat {seat + 1} ({name}) lost its seat: {failure.message}", err=True)
            elif only_lost:
                continue
            else:
                many = count_phrase(sum(one.seat == seat for one in self.failures), "fault")
                words = f"{many}, the last at action {failure.number}: {failure.code}: {failure.message}"
                print_lines(f"seat {seat + 1} ({name}) made {words}", err=True)
            print_lines(*failure.stderr_lines(), *failure.ask_lines(), err=True)

    @property
    def not_started(self) -> list[int]:
        """Numbers of the players whose bots could not be started."""
        return [player for player, process in self.processes.items() if process.cannot_start]

    def _player(self, player: int, spec: str) -> LineSeat | Player:
        if spec.startswith(BUILTIN):
            return builtin_player(spec.removeprefix(BUILTIN), self.game, self.seed, player)
        if spec == STDIO and self.stdio_seat is not None:
            seat: LineSeat = self.stdio_seat
            return seat
        if player not in self.processes:
            who = f"{'player' if self.is_series else 'seat'}{player + 1}"
            process = self.processes[player] = BotProcess(
                shlex.split(spec),
                stderr=None if self.notes is None else Path(f"{self.notes}.{who}.stderr"),
                limits=self.settings.limits,
                hides=self._hidden(spec),
                cpu_clock=self.settings.cpu_clock,
                freeze=self.settings.freeze,
                on_print=lambda line: self._warn(player, line),
            )
            if self.mark:
                process.notes.heading = f"=== {self.mark}\n".encode()
        return self.processes[player]

    def _hidden(self, spec: str) -> list[Path]:
        """Return the files that a sandbox hides from the bot with the command `spec`.

        These are the key, the log, the files with the stderr of bots, and files of other bots.
        """
        bots = {one: (shlex.split(one), os.curdir) for one in self.specs if is_program(one)}
        others = map(Path, paths_of_others(bots[spec], bots.values()))
        hidden = [*others, *([] if self.signer is None else [self.signer.file])]
        if self.notes is None:
            return hidden
        kept = [
            Path(f"{self.notes}.{who}{player}.stderr")
            for who in ("player", "seat")
            for player in range(1, len(self.specs) + 1)
        ]
        return [*hidden, self.notes, *kept]

    def _seat_of(self, player: int) -> int:
        return (player + self.turn) % len(self.specs)

    def _warn(self, player: int, line: bytes) -> None:
        """Print a warning that a bot has printed `line`, which is not an answer, on stdout. Warn once per player."""
        if player not in self.warned:
            self.warned.add(player)
            printed = line[:60].decode(errors="replace")
            self._print_note(player, f"prints lines on its stdout that are not answers, such as {printed!r}")

    def _print_note(self, player: int, words: str) -> None:
        print_lines(f"seat {self._seat_of(player) + 1} ({name_of(self.specs[player])}) {words}", err=True)


class Series:
    """Settings of one match, or of several matches whose seeds are derived from the seed of the series."""

    def __init__(self, game_name: str, players: int, options: MatchOptions, *, is_single: bool = True) -> None:
        self.game = game = load_game(game_name)
        check_players(game, players, "--seat")
        self.options = game_options(game, options.game_options)
        self.board, content = board_and_content(game, options.board_file)
        self.written_board = "standard" if content is None else msgspec.json.decode(content)
        self.seed = new_seed() if options.seed is None else options.seed
        self.clock = options.clock
        self.is_single = is_single
        self._opening = openings_of(game, self.board, players, self.options, options.openings)

    def match(self, number: int, players: Sequence[PlayerLine]) -> Match:
        """Return a new match, which is match `number` of the series, counted from 0, with these `players`."""
        seed = self.seed if self.is_single else derived_seed(self.seed, "game", number)
        header = header_of(
            self.game,
            self.options,
            seed,
            players,
            board=self.written_board,
            clock=clock_line(self.clock),
            opening=self._opening(seed),
        )
        return Match(self.game, self.board, header)


def check_signer(signer: Signer | None, log: Path | None) -> None:
    if signer is not None and log is None:
        raise click.UsageError("--sign signs a log; name its file with --log")


def new_log(log_file: Path, signer: Signer | None) -> LogFile:
    """Create and return a log file. Raise UsageError if the file exists, and ClickException if it cannot be written."""
    with write_errors(log_file):
        try:
            log_file.parent.mkdir(parents=True, exist_ok=True)
            return LogFile(log_file, signer=signer)
        except FileExistsError:
            words = f"{log_file} already exists; choose another name, or resume it: rails-cli resume {log_file}"
            raise click.UsageError(words) from None


def seats_of_log(log: Log, left: ResumePoint, given: Mapping[int, str], *, in_order: bool) -> list[str]:
    """Return the player of each seat for a game that continues from a log. Players are `builtin:NAME` or command lines.

    `given` maps indices of seats to players. The log decides the players of other seats. Ask the user to confirm
    commands that only the log contains. Change `left`, the state of the game: new players get a full clock, and faults
    are reset. `in_order` says that the command expects `--seat SPEC` for each seat, not `--seat SEAT SPEC`. Messages
    then show this form. Raise UsageError if a player is not valid.
    """
    seats = [seat or "" for seat in last_players(log)]
    for seat, spec in given.items():
        if spec != seats[seat]:
            seats[seat], left.defaults[seat] = spec, 0
            left.clocks[seat] = SeatClock(left.clocks[seat].clock)
    left.faults[:] = [Counter() for _ in seats]
    for seat, spec in enumerate(seats):
        say_who = (
            "name the players, one --seat SPEC for each" if in_order else f"name its player: --seat {seat + 1} SPEC"
        )
        who = f"seat {seat + 1} ({printable(log.header.players[seat].name)})"
        if not spec or spec in (STDIO, PERSON, "player"):
            people = "; a person's game is resumed with `rails-cli play --resume FILE`" if spec == PERSON else ""
            raise click.UsageError(f"{who} was not played by a bot; {say_who}{people}")
        try:
            existing_spec(spec)
        except ValueError as error:
            raise click.UsageError(f"{who}: {error}; {say_who}") from None
    named = {seat: spec for seat, spec in enumerate(seats) if seat not in given}
    commands = {seat: spec for seat, spec in named.items() if not spec.startswith(BUILTIN)}
    if commands:
        again = " ".join(
            f"--seat {'' if in_order else f'{seat + 1} '}{shlex.quote(printable(spec))}"
            for seat, spec in (named if in_order else commands).items()
        )
        confirm(commands, f"if you trust them, name them yourself: {again}")
    return seats


def confirm(commands: Mapping[int, str], otherwise: str) -> None:
    """Ask the user whether to run `commands`, a mapping from seats to command lines in a log.

    Raise UsageError if the user refuses. The message ends with `otherwise`, a hint on how to run the commands.
    """
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise click.UsageError(f"the log names commands to run, and a log may come from anyone; {otherwise}")
    for seat, spec in commands.items():
        click.echo(f"seat {seat + 1}: {printable(spec)}", err=True)
    if not click.confirm("The log names these commands. Run them?", err=True):
        raise click.UsageError(f"nothing was run; {otherwise}")


def is_program(spec: str) -> bool:
    """Return whether `spec`, a value of --seat, is the command line of a program that is started on this machine."""
    return not spec.startswith(BUILTIN) and spec not in (STDIO, PERSON)


def name_of(spec: str) -> str:
    """Return a short name for the player `spec`, which is `builtin:NAME` or a command line."""
    if spec.startswith(BUILTIN):
        return spec.removeprefix(BUILTIN)
    return Path(shlex.split(spec)[-1]).stem
