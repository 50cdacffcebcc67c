"""`rails-cli simulate`: Play many games quickly and summarise them."""

import secrets
import shlex
import sys
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any

import click
import msgspec

from rails_cli.basics.cores import usable_cores
from rails_cli.basics.settings import setting
from rails_cli.commands import FAILED, print_json, print_lines, print_wrapped, reported, worker_errors
from rails_cli.commands.options import ParsedType, cli_command, given_parameters
from rails_cli.commands.parameters import (
    FOLDER,
    BoardFile,
    GameArgument,
    GameOptions,
    Json,
    Openings,
    Workers,
    board_and_content,
    check_players,
    game_options,
    no_openings,
)
from rails_cli.commands.seating import SEAT_SPEC, BotSettings, ClockOption, Seating
from rails_cli.games import load_game, load_openings
from rails_cli.games.faces.phrases import count_phrase
from rails_cli.games.game import ranked_last
from rails_cli.games.shared.text import printable
from rails_cli.match.faults import fault_words
from rails_cli.match.seat_specs import BUILTIN
from rails_cli.players.builtin import player_name
from rails_cli.players.chance import POLICIES
from rails_cli.programs.failures import Failure
from rails_cli.protocol.log import MAX_SEED
from rails_cli.protocol.messages import Clock
from rails_cli.study.simulate import Playout, Simulation, log_path, play_all
from rails_cli.study.summary import summarise


def simulated_player(words: str) -> str:
    """Check `words`, the name of a built-in player, and return it. Raise ValueError if there is no such player.

    The error message has a hint if `words` look like a command line.
    """
    try:
        return player_name(words)
    except ValueError as error:
        hint = f"; a bot takes a seat: --seat {shlex.quote(words)}" if " " in words.strip() or "/" in words else ""
        raise ValueError(f"{error}{hint}") from None


@cli_command
def command(
    *,
    game_name: GameArgument,
    players: Annotated[int | None, setting("Number of players.  [default: one for each --seat]")] = None,
    player: Annotated[
        str,
        setting(
            "Who plays the seats not filled by --seat: random, busy, greedy, easy, medium, hard, …",
            "--player --policy",
            type=ParsedType("player", simulated_player),
        ),
    ] = "random",
    specs: Annotated[
        tuple[str, ...],
        setting(
            "Who plays the next seat: builtin:medium (or easy, hard, …), or a command line.", "--seat", type=SEAT_SPEC
        ),
    ] = (),
    options: GameOptions = (),
    board_file: BoardFile = None,
    games: Annotated[int, setting("Number of games.", least=1, most=10_000_000)] = 100,
    first_seed: Annotated[
        int | None,
        setting(
            "Random seed of the first game: a whole number from 0.  [default: random]", "--seed", least=0, most=MAX_SEED
        ),
    ] = None,
    openings: Openings = "none",
    workers: Workers = None,
    log_dir: Annotated[Path | None, setting("Write a log of each game to this folder.", type=FOLDER)] = None,
    clock: ClockOption,
    settings: BotSettings,
    as_json: Json = False,
) -> None:
    """Play many games of GAME on all cores and summarise them. Game k has the random seed S + k, with --seed S.

    In games without luck, players who never vary would play the same game again and again. If all players are of this
    kind, these games start from random openings, unless --openings says otherwise. Bots are restarted every 25 games. A
    bot that loses its seat is ranked last in that game, and the exit code is then 3. The first fault of each bot is
    shown with the seed of its game. If there are logs, the command that asks the bot again is shown, too.

    \b
    Examples:
      rails-cli simulate chicago_express --players 4 --games 1000 --seed 7
      rails-cli simulate last_spike --players 2 --option non_adjacent=free_choice --policy busy
      rails-cli simulate american_rails --players 5 --log-dir logs --json
      rails-cli simulate chicago_express --players 3 --player medium --seat 'python3 mybot.py' --games 200
    """
    game = load_game(game_name)
    if players is None:
        if not specs:
            raise click.UsageError("give the number of players with --players, or name them with --seat")
        players = len(specs)
    check_players(game, players, "--players" if not specs else "--seat")
    if len(specs) > players:
        raise click.UsageError(f"{len(specs)} seats are given, but only {players} play")
    specs += (f"{BUILTIN}{player}",) * (players - len(specs))
    by_chance = player if all(spec == f"{BUILTIN}{player}" for spec in specs) and player in POLICIES else None
    seed = secrets.randbelow(MAX_SEED + 2 - games) if first_seed is None else first_seed  # bots must not guess it
    if seed + games - 1 > MAX_SEED:
        raise click.BadParameter(
            f"{seed} leaves no room for {games} games; the last seed is {MAX_SEED}", param_hint="--seed"
        )
    chosen = game_options(game, options)
    board, content = board_and_content(game, board_file)
    if (
        by_chance is None
        and "--openings" not in given_parameters()
        and game.is_luckless(board, players, chosen)
        and load_openings(game_name)
    ):
        openings = "drawn"
    if openings == "drawn" and load_openings(game_name) is None:
        raise no_openings(game)
    if log_dir is not None:
        make_folder(log_dir)
    logs = None if log_dir is None else str(log_dir)
    board_name = "" if board_file is None else board_file.stem
    policy = by_chance or player
    values = msgspec.to_builtins(chosen)
    plan = Simulation(game_name, players, values, seed, policy, content, logs, board_name, openings == "drawn")
    if by_chance is None:
        plan = seated(plan, specs, clock, settings)
    workers = workers or usable_cores()
    started = time.perf_counter()
    with click.progressbar(length=games, label="games", file=sys.stderr, hidden=not sys.stderr.isatty()) as bar:
        try:
            with worker_errors():
                played = play_all(plan, games, workers, bar.update)
        except OSError as error:
            raise click.ClickException(f"cannot write to {error.filename}: {error.strerror}") from None
    seconds = time.perf_counter() - started
    played = [
        msgspec.structs.replace(one, ranks=ranked_last(one.ranks, one.lost)) if one.lost else one for one in played
    ]
    summary = {
        "game": game_name,
        "players": players,
        "options": plan.options,
        "board": "standard" if board_file is None else board_file.name,
        "policy": by_chance,
        "openings": openings,
        "seed": seed,
        **summarise(played),
        "timing": {
            "seconds": round(seconds, 3),
            "workers": workers,
            "games_per_s": round(games / seconds, 1),
            "decisions_per_s": round(sum(game.decisions for game in played) / seconds, 1),
        },
    }
    for seat, line in enumerate(plan.players_lines):
        codes = sum((Counter(one.fault_codes[seat]) for one in played), Counter[str]())
        summary["seats"][seat].update(
            player=line.name,
            faults=codes.total(),
            fault_codes=dict(sorted(codes.items())),
            lost_seats=sum(seat in one.lost for one in played),
            first_fault=first_fault(plan, played, seat),
        )
    if as_json:
        print_json(summary)
    else:
        show(summary)
        if len(set(specs)) > 1:
            print_wrapped("\nSeats are the same in every game; to compare players fairly: rails-cli tournament run")
    for row in summary["seats"]:
        if row.get("first_fault") is not None:
            print_fault(row, games)
    if any(one.lost for one in played):
        sys.exit(FAILED)


def first_fault(plan: Simulation, played: Sequence[Playout], seat: int) -> dict[str, Any] | None:
    """Return the first fault of a seat in the games `played`, with the seed and log of the game.

    Return None if the seat has no fault.
    """
    for number, game in enumerate(played):
        for failure in game.failures:
            if failure.seat == seat:
                log = log_path(plan, plan.seed + number)
                where = {"seed": plan.seed + number, "log": None if log is None else str(log)}
                return {**where, **msgspec.structs.asdict(failure)}
    return None


def print_fault(row: dict[str, Any], games: int) -> None:
    """Print the number of faults of a seat, its first fault, and how to investigate the fault.

    `row` describes the seat in the summary. `games` is the number of games.
    """
    first = row["first_fault"]
    failure = msgspec.convert(first, Failure)
    faults = fault_words(row["fault_codes"])
    did = f"made faults in {count_phrase(games, 'game')}"
    if row["lost_seats"]:
        did = f"lost its seat in {row['lost_seats']} of {count_phrase(games, 'game')}"
    again = failure.ask_lines() or ["  to ask the bot again, write logs: --log-dir FOLDER"]
    print_lines(
        f"seat {row['seat'] + 1} ({row['player']}) {did} ({faults})",
        f"  the first fault, with seed {first['seed']} at action {failure.number}: {failure.code}: {failure.message}",
        *failure.stderr_lines(),
        *again,
        err=True,
    )


def seated(plan: Simulation, specs: Sequence[str], clock: Clock | None, settings: BotSettings) -> Simulation:
    """Return `plan` with the players that `specs` describe, and with the clock and settings of bots.

    Raise UsageError if `settings` make matches void after faults, because simulated games are always finished.
    """
    if settings.on_faults == "void":
        raise click.UsageError("simulated games are always finished: --on-faults void is for run and tournaments")
    table = Seating(specs, plan.game, plan.seed, clock, settings, None, is_alone=False)
    more = {
        "match_policy": table.policy,
        "limits": settings.limits,
        "cpu_clock": settings.cpu_clock,
        "freeze": settings.freeze,
    }
    return msgspec.structs.replace(plan, players_lines=tuple(table.players()), **more)


def make_folder(folder: Path) -> None:
    """Create a folder for output. Raise ClickException if the folder is not writable."""
    with reported(OSError, prefix=f"cannot write to {folder}: "):
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / ".rails-cli-probe"
        probe.write_bytes(b"")
        probe.unlink()


def show(summary: dict[str, Any]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False, width=None if sys.stdout.isatty() else 100)

    def show_table(title: str, heads: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
        looks: Any = {"title_justify": "left", "pad_edge": False, "show_edge": False, "padding": (0, 1, 0, 0)}
        table = Table(title=title, box=box.SIMPLE_HEAD, **looks)
        for index, head in enumerate(heads):
            table.add_column(head, justify="left" if index == 0 else "right", no_wrap=True)
        for row in rows:
            table.add_row(*row)
        console.print(table, "")

    games = summary["games"]
    who = "" if summary["policy"] is None else f", policy {summary['policy']}"
    console.print(
        f"{games} games of {summary['game']}, {summary['players']} players{who}\n"
        f"random seeds {summary['seed']} to {summary['seed'] + games - 1}\n"
    )
    marks = {"mean": "mean", "sd": "sd", "min": "min", "p10": "10%", "median": "median", "p90": "90%", "max": "max"}
    spreads = [[label, *(_number(row[key]) for key in marks)] for label, row in _spreads(summary)]
    show_table("Distributions at the end", ["", *marks.values()], spreads)
    forms = {"win_share": "{:.1%}", "mean_rank": "{:.2f}", "mean_cash": "{:,.1f}"}
    seats = [
        [seat_words(row), *(_with_error(row[key], row[f"{key}_95"], form) for key, form in forms.items())]
        for row in summary["seats"]
    ]
    show_table("Seats (with 95% intervals)", ("seat", "wins", "mean rank", "mean cash"), seats)
    ends = [[reason, str(count), f"{count / games:.1%}"] for reason, count in summary["end_reasons"].items()]
    show_table("How games ended", ("reason", "games", "share"), ends)
    actions = [[kind, f"{count:,}", f"{count / games:.1f}"] for kind, count in summary["actions"].items()]
    show_table("Actions", ("kind", "count", "a game"), actions)
    timing = summary["timing"]
    console.print(
        f"{summary['decisions']:,} decisions in {timing['seconds']} s with {timing['workers']} workers: "
        f"{timing['games_per_s']:,} games/s, {timing['decisions_per_s']:,.0f} decisions/s"
    )


def seat_words(row: dict[str, Any]) -> str:
    if "player" not in row:
        return str(row["seat"] + 1)
    faults = f" ({count_phrase(row['faults'], 'fault')})" if row["faults"] else ""
    return printable(f"{row['seat'] + 1} {row['player'][:24]}{faults}")


def _spreads(summary: dict[str, Any]) -> list[tuple[str, dict[str, float]]]:
    rows = [("decisions a game", summary["length"])]
    for name in summary:
        if name.startswith("final_"):
            label = name.removeprefix("final_").replace("_", " ")
            rows.extend((f"{label}: {key}", row) for key, row in summary[name].items())
    return rows


def _with_error(value: float, half_width: float | None, form: str) -> str:
    """Return `value` as text in the format `form`, followed by `half_width`, half the width of its 95% interval.

    `half_width` is None for a single game, because the interval is then unknown.
    """
    return f"{form.format(value)} ± {'-' if half_width is None else form.format(half_width)}"


def _number(value: float) -> str:
    return f"{value:,.1f}" if isinstance(value, float) and abs(value) < 1000 else f"{value:,.0f}"
