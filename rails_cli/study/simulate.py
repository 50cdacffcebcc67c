"""Simulation of many games between built-in players or bots, on all cores.

The seed of game k is the seed of the simulation plus k.
"""

import hashlib
import re
import shlex
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import msgspec

from rails_cli.basics.cores import map_in_order
from rails_cli.games import load_game, standard_board
from rails_cli.games.game import Game
from rails_cli.games.openings import drawn_opening
from rails_cli.games.plain import tag_of
from rails_cli.games.shared.luck import stream
from rails_cli.logs.chain import log_of
from rails_cli.match.clock import clock_line
from rails_cli.match.match import Match, header_of
from rails_cli.match.seat_specs import BUILTIN
from rails_cli.match.session import MatchPolicy, Player
from rails_cli.players.builtin import builtin_player
from rails_cli.players.chance import POLICIES, Choose
from rails_cli.programs.failures import Failure, failure_of
from rails_cli.programs.limits import BotLimits
from rails_cli.programs.process import BotProcess, close_all
from rails_cli.protocol.log import ActionLine, FaultLine, Opening, PlayerLine
from rails_cli.referee.seats import LineSeat
from rails_cli.referee.single import Referee

GAMES_A_TASK = 25
"""Number of games that one task plays."""
LONGEST_BOARD_NAME = 40
"""Maximum number of characters of the board's name in a file name."""
LONGEST_PLAYERS = 80
"""Maximum number of characters of the players' names in a file name."""


class Simulation(msgspec.Struct, frozen=True):
    """The settings of a simulation: everything that a worker process needs to play its games."""

    game: str
    players: int
    options: dict[str, Any]
    seed: int
    policy: str
    """Name of the built-in player that plays all seats. Not used if there are `players_lines`."""
    board: bytes | None
    """Content of a board file. None means the standard board."""
    log_dir: str | None
    board_name: str = ""
    has_drawn_openings: bool = False
    """Whether each game begins with random moves that depend on its seed."""
    players_lines: tuple[PlayerLine, ...] = ()
    """Name and kind of the player in each seat. Empty if `policy` plays all seats."""
    match_policy: MatchPolicy = MatchPolicy()
    limits: BotLimits = BotLimits()
    cpu_clock: bool = False
    """Whether the time of a bot is its CPU time instead of wall time."""
    freeze: bool = False
    """Whether the process of a bot is stopped while other seats are to move."""


class Playout(msgspec.Struct, frozen=True):
    """The result of one simulated game."""

    decisions: int
    scores: list[int]
    ranks: list[int]
    end_reasons: list[str]
    actions: dict[str, int]
    """Mapping from the type of an action to the number of actions of this type."""
    figures: dict[str, Any]
    """Figures of the game for statistics, such as the income of companies."""
    fault_codes: list[dict[str, int]] = []
    """For each seat, a mapping from the code of a fault, such as a late answer, to the number of these faults.

    Empty if `Simulation.policy` plays all seats.
    """
    lost: list[int] = []
    """Seats whose bots failed too often and were replaced by substitutes."""
    failures: list[Failure] = []
    """First fault of each seat in this game, unless the seat had a fault earlier in the same call of `play_range`."""


def play_all(plan: Simulation, games: int, workers: int, progress: Callable[[int], None]) -> list[Playout]:
    """Play all games of a simulation and return their results in order.

    `games` is the number of games. `progress` is called with the number of games finished since its last call.
    """
    has_thinkers = bool(plan.players_lines) and all(map(is_builtin, plan.players_lines))
    size = 1 if has_thinkers else GAMES_A_TASK
    tasks = [range(first, min(first + size, games)) for first in range(0, games, size)]
    played = []
    for batch in map_in_order(partial(play_range, plan), tasks, workers):
        played.extend(batch)
        progress(len(batch))
    return played


def is_builtin(line: PlayerLine) -> bool:
    return (line.seat or "").startswith(BUILTIN)


def play_range(plan: Simulation, numbers: range) -> list[Playout]:
    """Play the games of a simulation whose numbers are in `numbers`, one after another."""
    game = load_game(plan.game)
    board = _board_of(plan.game, plan.board)
    options = msgspec.convert(plan.options, game.options_type)
    bots = {
        seat: BotProcess(shlex.split(line.seat), limits=plan.limits, cpu_clock=plan.cpu_clock, freeze=plan.freeze)
        for seat, line in enumerate(plan.players_lines)
        if line.seat is not None and not is_builtin(line)
    }
    played = []
    failed: set[int] = set()
    try:
        for number in numbers:
            seed, opening = plan.seed + number, None
            if plan.has_drawn_openings:
                opening = drawn_opening(game, board, plan.players, options, seed)
            if plan.players_lines:
                played.append(play_seated(plan, game, board, options, seed, opening, bots, failed))
            else:
                played.append(play_one(plan, game, board, options, seed, opening))
    finally:
        close_all(list(bots.values()))
    return played


@lru_cache(maxsize=4)
def _board_of(name: str, board: bytes | None) -> Any:
    return standard_board(name) if board is None else load_game(name).read_board(board)


def play_one(
    plan: Simulation, game: Game[Any, Any], board: Any, options: Any, seed: int, opening: Opening | None
) -> Playout:
    """Play one game in which the built-in player `plan.policy` has all seats. Write a log if `plan.log_dir` is set."""
    choose = POLICIES[plan.policy]
    log = log_path(plan, seed)
    if log is None:
        state = game.setup(board, plan.players, options, seed, None)
        for action in opening.actions if opening is not None else ():
            game.apply(state, board, action, None)
        kinds = playout(game, board, state, choose, stream(seed))
    else:
        players = [PlayerLine(f"{plan.policy} {seat}", f"{BUILTIN}{plan.policy}") for seat in range(plan.players)]
        board_line = "standard" if plan.board is None else msgspec.json.decode(plan.board)
        match = Match(game, board, header_of(game, options, seed, players, board=board_line, opening=opening))
        content, kinds = logged_playout(match, choose, stream(seed))
        log.write_bytes(content)
        state = match.state
    return playout_of(game, board, state, kinds)


def play_seated(
    plan: Simulation,
    game: Game[Any, Any],
    board: Any,
    options: Any,
    seed: int,
    opening: Opening | None,
    bots: Mapping[int, BotProcess],
    failed: set[int],
) -> Playout:
    """Play one game between the players in `plan.players_lines`. `bots` maps a seat to its running bot.

    The bots keep running after the game. `failed` has the seats whose first fault is already reported. Seats that fail
    now are added to `failed`.
    """
    board_line = "standard" if plan.board is None else msgspec.json.decode(plan.board)
    clock = clock_line(plan.match_policy.clock)
    header = header_of(game, options, seed, plan.players_lines, board=board_line, clock=clock, opening=opening)
    match = Match(game, board, header)
    match.has_digests = plan.log_dir is not None
    sitting: list[LineSeat | Player] = [
        bots[seat] if seat in bots else builtin_player(str(line.seat).removeprefix(BUILTIN), plan.game, seed, seat)
        for seat, line in enumerate(plan.players_lines)
    ]
    lines: list[Any] = [match.header, match.setup_line]
    log = log_path(plan, seed)
    failures: list[Failure] = []

    def write(line: Any) -> None:
        lines.append(line)
        if type(line) is FaultLine and line.seat not in failed:
            failed.add(line.seat)
            spec = plan.players_lines[line.seat].seat
            failures.append(failure_of(line, bots.get(line.seat), spec, None if log is None else str(log)))

    referee = Referee(match, sitting, plan.match_policy, write=write)
    referee.play()
    if log is not None:
        log.write_bytes(log_of(lines))
    kinds = Counter(type(line.action) for line in lines if type(line) is ActionLine and not line.opening)
    session = referee.session
    return playout_of(game, board, match.state, kinds, session.fault_codes, session.lost_seats, failures)


def playout_of(
    game: Game[Any, Any],
    board: Any,
    state: Any,
    kinds: Counter[type],
    fault_codes: Sequence[dict[str, int]] = (),
    lost: Sequence[int] = (),
    failures: Sequence[Failure] = (),
) -> Playout:
    """Return the result of a finished game. `kinds` has the number of its actions of each type.

    `fault_codes`, `lost` and `failures` are fields of the result.
    """
    actions = {tag_of(kind): count for kind, count in kinds.items()}
    came = game.scores(state), game.ranks(state, board), game.end_reasons(state, board)
    figures = dict(sorted(actions.items())), game.figures(state, board)
    return Playout(kinds.total(), *came, *figures, list(fault_codes), list(lost), list(failures))


def log_path(plan: Simulation, seed: int) -> Path | None:
    """Return the path of the log of the game with this seed, or None if no logs are written."""
    return None if plan.log_dir is None else Path(plan.log_dir, log_name(plan, seed))


def log_name(plan: Simulation, seed: int) -> str:
    """Return the file name of a log: game, number and names of players, settings other than the defaults, seed."""
    who = "_".join(re.sub(r"[^\w.@-]+", "_", line.name) for line in plan.players_lines)[:LONGEST_PLAYERS] or plan.policy
    parts = [plan.game, f"{plan.players}p", who]
    if plan.board is not None:  # boards in two folders, or two pipes, may have the same name
        parts.append(f"{plan.board_name[:LONGEST_BOARD_NAME]}.{hashlib.sha256(plan.board).hexdigest()[:8]}")
    defaults = msgspec.to_builtins(load_game(plan.game).options_type())
    if plan.has_drawn_openings:
        parts.append("drawn")
    parts += [f"{name}={value}" for name, value in plan.options.items() if value != defaults[name]]
    return f"{'-'.join(parts)}-{seed}.jsonl"


def playout(game: Game[Any, Any], board: Any, state: Any, choose: Choose, chance: Callable[[], float]) -> Counter[type]:
    """Play a game from the position `state` to its end. Return the number of actions of each type.

    `choose` selects an action with random numbers from `chance`.
    """
    legal_actions = game.legal_actions
    apply = game.apply
    kinds: Counter[type] = Counter()
    while state.pending is not None:
        action = choose(legal_actions(state, board), chance)
        kinds[type(action)] += 1
        apply(state, board, action, None)
    return kinds


def logged_playout(match: Match, choose: Choose, chance: Callable[[], float]) -> tuple[bytes, Counter[type]]:
    """Play a match to its end. Return its log, and the number of actions of each type.

    `choose` selects an action with random numbers from `chance`.
    """
    lines: list[Any] = [match.header, match.setup_line, *match.play_opening()]
    kinds: Counter[type] = Counter()
    while match.seat is not None:
        line = match.play(choose(match.legal, chance))
        kinds[type(line.action)] += 1
        lines.append(line)
    lines.append(match.result_line())
    return log_of(lines), kinds
