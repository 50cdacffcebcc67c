"""Who sits where: seats from the command line, and the options that say how bots are treated."""

import shlex
import signal
from collections.abc import Callable, Sequence
from pathlib import Path
from types import FrameType
from typing import Annotated, Any, Literal, TypeVar

import click
import msgspec

from protocol.log import PlayerLine, Seed
from protocol.messages import Clock
from rails_cli.bot_process import BotLimits, BotProcess, close_all
from rails_cli.commands.parameters import (
    board_and_content,
    board_option,
    check_players,
    game_options,
    options_option,
    seed_option,
    setting_options,
    settings_of,
)
from rails_cli.games import load_game
from rails_cli.match.clock import read_clock
from rails_cli.match.match import Match, header_of, unique_name
from rails_cli.match.session import Player, Rules
from rails_cli.players.builtin import BUILTIN_PLAYERS, builtin_player
from rails_cli.seats import LineSeat
from rails_cli.seeds import new_seed
from rails_cli.settings import setting

F = TypeVar("F", bound=Callable[..., Any])


class ClockWords(click.ParamType[Clock | None]):
    """A clock such as 60+0.5."""

    name = "clock"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Clock | None:
        if not isinstance(value, str):
            return value  # type: ignore[no-any-return]
        try:
            return read_clock(value)
        except ValueError as error:
            self.fail(str(error), param, ctx)


class SeatSpec(click.ParamType[str]):
    """`builtin:NAME`, or the command line of a bot."""

    name = "spec"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        words = str(value).strip()
        if words.startswith("builtin:"):
            if words.removeprefix("builtin:") not in BUILTIN_PLAYERS:
                known = ", ".join(f"builtin:{name}" for name in BUILTIN_PLAYERS)
                self.fail(f"{words!r} is not known; there are {known}", param, ctx)
            return words
        try:
            if not shlex.split(words):
                self.fail("an empty command line; try builtin:random or 'python3 bot.py'", param, ctx)
        except ValueError as error:
            self.fail(f"{words!r} is not a command line: {error}", param, ctx)
        return words


class BotSettings(msgspec.Struct, frozen=True):
    """How bots are treated, but for their clock."""

    cpu_clock: Annotated[bool, setting("Count the CPU time of a bot and its children, not wall time.")] = False
    start_up_s: Annotated[
        float,
        setting("Seconds a new bot process has on top of its clock before its first answer.", least=0, most=86_400),
    ] = 20
    max_faults: Annotated[
        int, setting("How often a bot may be late, lost or out of strikes before its seat is given away.", least=1)
    ] = 3
    on_faults: Annotated[Literal["substitute", "void"], setting("What to do after too many faults.")] = "substitute"
    limits: BotLimits = BotLimits()


def bot_options(command: F) -> F:
    """The options about time, faults and limits."""
    clock = click.option(
        "--clock",
        type=ClockWords(),
        default="10/move",
        help="Time for each seat: 60+0.5 (bank+increment, seconds), 10/move, 60+0.5,10/move or none.",
    )
    return clock(setting_options(BotSettings)(command))


def match_options(command: F) -> F:
    """The options of a new match between given seats; `set_up` makes one of them."""
    file = click.Path(dir_okay=False, path_type=Path)
    log = click.option("--log", "log_file", type=file, help="Write the game to this new file.")
    name = click.option("--name", "names", multiple=True, help="A name for the next seat.")
    return name(seed_option(options_option(board_option(bot_options(log(command))))))


def leave_on_signals() -> None:
    """A request to end, or a lost terminal, ends the program in an orderly way: bots are ended, logs are whole."""

    def leave(number: int, frame: FrameType | None) -> None:
        raise SystemExit(128 + number)

    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:  # under nohup a lost terminal ends nothing
            signal.signal(number, leave)


class Seating:
    """The seats of a match: made from specs, closed together."""

    def __init__(
        self,
        specs: Sequence[str],
        game: str,
        seed: Seed,
        clock: Clock | None,
        settings: BotSettings,
        notes: Path | None,
    ) -> None:
        """`notes` names the files that keep what bots write to stderr."""
        self.game = game
        self.seed = seed
        self.specs = list(specs)
        self.rules = Rules(clock, settings.start_up_s, settings.max_faults, settings.on_faults)
        self.settings = settings
        leave_on_signals()
        self.notes = notes
        self.warned: set[int] = set()
        self.processes: list[BotProcess] = []

    def players(self, names: Sequence[str] = ()) -> list[PlayerLine]:
        """The players as a log names them."""
        lines: list[PlayerLine] = []
        for seat, spec in enumerate(self.specs):
            name = names[seat] if seat < len(names) else name_of(spec)
            lines.append(PlayerLine(unique_name(name, [line.name for line in lines]), spec))
        return lines

    def sit(self) -> list[LineSeat | Player]:
        return [self._seat(seat, spec) for seat, spec in enumerate(self.specs)]

    def close(self) -> None:
        close_all(self.processes)

    def _seat(self, seat: int, spec: str) -> LineSeat | Player:
        if spec.startswith("builtin:"):
            return builtin_player(spec.removeprefix("builtin:"), self.game, self.seed, seat)
        process = BotProcess(
            shlex.split(spec),
            stderr=None if self.notes is None else Path(f"{self.notes}.seat{seat}.stderr"),
            limits=self.settings.limits,
            cpu_clock=self.settings.cpu_clock,
            on_print=lambda line: self._warn(seat, line),
        )
        self.processes.append(process)
        return process

    def _warn(self, seat: int, line: bytes) -> None:
        """The first time a bot prints something where answers belong."""
        if seat not in self.warned:
            self.warned.add(seat)
            words = f"prints lines on its stdout that are no answers, such as {line[:60].decode(errors='replace')!r}"
            click.echo(f"seat {seat} ({name_of(self.specs[seat])}) {words}", err=True)


def set_up(
    game_name: str,
    specs: Sequence[str],
    names: Sequence[str],
    *,
    seed: Seed | None,
    options: Sequence[str],
    board_file: Path | None,
    clock: Clock | None,
    log_file: Path | None,
    **values: Any,
) -> tuple[Match, Seating]:
    """A match between given seats, and who sits there; the rest are values of `match_options`."""
    game = load_game(game_name)
    check_players(game, len(specs), "--seat")
    chosen = game_options(game, options)
    board, content = board_and_content(game, board_file)
    seed = new_seed() if seed is None else seed
    table = Seating(specs, game_name, seed, clock, settings_of(BotSettings, values), log_file)
    header = header_of(
        game,
        chosen,
        seed,
        table.players(names),
        board="standard" if content is None else msgspec.json.decode(content),
        clock=None if clock is None else msgspec.to_builtins(clock),
    )
    return Match(game, board, header), table


def name_of(spec: str) -> str:
    """A short name for who sits in a seat."""
    if spec.startswith("builtin:"):
        return spec.removeprefix("builtin:")
    return Path(shlex.split(spec)[-1]).stem
