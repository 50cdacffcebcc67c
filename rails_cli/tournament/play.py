"""Plays seed groups: what a worker does, in whatever process or on whatever machine it runs.

A task needs nothing but its arguments. A process keeps the bots it has started and lets them serve game after game.
"""

import os
import shlex
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Sequence
from functools import lru_cache
from io import BytesIO
from multiprocessing import util
from pathlib import Path
from typing import Any, BinaryIO, Literal, NamedTuple, NoReturn, cast

import msgspec

from protocol.log import ActionLine, FaultLine, PlayerLine, ResultLine
from protocol.messages import Clock
from rails_cli.bot_process import BotLimits, BotProcess, close_all
from rails_cli.core.luck import stream
from rails_cli.games import load_face, load_game, standard_board
from rails_cli.games.game import Game
from rails_cli.match.chain import Chain
from rails_cli.match.match import Match, header_of, unique_name
from rails_cli.match.session import Player, Rules
from rails_cli.players.builtin import ChancePlayer, builtin_player
from rails_cli.players.chance import POLICIES, Choose
from rails_cli.referee import Referee
from rails_cli.seats import LineSeat
from rails_cli.tournament.model import BUILTIN, Entrant, FaultPolicy, Played, SeedGroup, Setting

ATTEMPTS = 3
"""How often a game is tried that a fault makes void, where such games are replayed."""
MOSTBOTS = 24
"""Bots that a process keeps waiting for their next game."""
TOURNAMENT_MARK = "RAILS_CLI_TOURNAMENT"
LOGS = "logs"
NOTES = "stderr"


Chance = Callable[[], float]


class Conditions(msgspec.Struct, frozen=True):
    """What a worker must know to play any group of a tournament."""

    mark: str
    """Told to bots in their environment, so that those left behind can be found."""
    entrants: list[Entrant]
    """Their folders are whole paths here."""
    clock: Clock | None = None
    cpu_clock: bool = False
    start_up_s: float = 20.0
    max_faults: int = 3
    on_faults: FaultPolicy = "substitute"
    logs: Literal["none", "written", "sent"] = "none"
    """`written` to the folder by the worker, or `sent` back where it does not have the folder."""
    economy: bool = True
    """Whether the economy of each seat is noted."""
    folder: str | None = None
    """Of the tournament; None where the worker does not have it."""
    boards: dict[str, bytes] = {}
    """The files of boards that are not standard, by digest."""


class Fault(msgspec.Struct, frozen=True):
    """Something that a bot did wrong."""

    number: int
    """The game, by its number in the group."""
    action: int
    """The number of the action that was asked for."""
    seat: int
    entrant: str
    code: str
    message: str


class GroupPlayed(msgspec.Struct, frozen=True):
    """A group played to its end."""

    group: str
    games: list[Played]
    faults: list[Fault]
    seconds: float
    logs: dict[str, bytes] = {}
    """By name, if logs are sent."""
    notes: dict[str, bytes] = {}
    """Then also what bots wrote to their stderr, by entrant."""


@lru_cache(maxsize=2)
def _unpack(packed: bytes) -> "_Worker":
    return _Worker(msgspec.msgpack.decode(packed, type=Conditions))


def play_groups(packed: bytes, groups: Sequence[SeedGroup]) -> list[GroupPlayed]:
    """The task: some groups, one after another, under conditions as MessagePack."""
    worker = _unpack(packed)
    return [worker.play(group) for group in groups]


class _Table(msgspec.Struct, frozen=True):
    """What all games of a setting share."""

    game: Game[Any, Any]
    board: Any
    board_line: Any
    options: Any


class _Worker:
    """Plays the groups of one tournament."""

    def __init__(self, conditions: Conditions) -> None:
        self.conditions = conditions
        self.entrants = {entrant.name: entrant for entrant in conditions.entrants}
        self.policies: dict[str, Choose | None] = {
            entrant.name: POLICIES.get(entrant.spec.removeprefix(BUILTIN))
            for entrant in conditions.entrants
            if entrant.spec.startswith(BUILTIN)
        }
        self.clock_line = None if conditions.clock is None else msgspec.to_builtins(conditions.clock)
        self.rules = Rules(
            clock=conditions.clock,
            start_up_s=conditions.start_up_s,
            max_faults=conditions.max_faults,
            on_faults="void" if conditions.on_faults == "void_and_replay" else "substitute",
        )
        self.tables: dict[bytes, _Table] = {}

    def play(self, group: SeedGroup) -> GroupPlayed:
        """All games of a group. Games of different companies with the same place in their series share their luck."""
        started = time.perf_counter()
        sitting = _Group(self, group)
        series: Counter[tuple[str, ...]] = Counter()
        for number, seating in enumerate(group.seatings):
            company = tuple(sorted(seating))
            sitting.play(number, seating, stream(f"{group.seed}/{series[company]}"))
            series[company] += 1
        BOTS.let_go()
        seconds = time.perf_counter() - started
        return GroupPlayed(sitting.id, sitting.games, sitting.faults, seconds, sitting.logs, BOTS.sent_notes())

    def table(self, setting: Setting) -> _Table:
        key = msgspec.msgpack.encode(setting)
        if key not in self.tables:
            game = load_game(setting.game)
            if setting.board == "standard":
                board, board_line = standard_board(setting.game), "standard"
            else:
                content = self.conditions.boards[setting.board]
                board, board_line = game.read_board(content), msgspec.json.decode(content)
            options = msgspec.convert(setting.options, game.options_type, strict=False)
            self.tables[key] = _Table(game, board, board_line, options)
        return self.tables[key]


class KeptLog(NamedTuple):
    """A log that was written or sent, and the head of its chain."""

    name: str
    head: str


class _Group:
    """One group being played."""

    def __init__(self, worker: _Worker, group: SeedGroup) -> None:
        self.worker = worker
        self.group = group
        self.id = group.id
        self.table = worker.table(group.setting)
        self.games: list[Played] = []
        self.faults: list[Fault] = []
        self.logs: dict[str, bytes] = {}
        names = {name for seating in group.seatings for name in seating}
        if any(name not in worker.policies for name in names):
            self.play = self._play_refereed
        elif worker.conditions.logs == "none":
            self.play = self._play_quickly
        else:
            self.play = self._play_logged

    def _play_quickly(self, number: int, seating: list[str], chance: Chance) -> None:
        """A game between players inside the program that nobody wants a log of: the same game for less."""
        game, board = self.table.game, self.table.board
        legal_actions, apply = game.legal_actions, game.apply
        events: list[Any] | None = [] if self.worker.conditions.economy else None
        state = game.setup(board, len(seating), self.table.options, self.group.seed, events)
        policies = [self.worker.policies[name] for name in seating]
        thinkers = {
            seat: self._builtin_player(name, seat, chance)
            for seat, name in enumerate(seating)
            if policies[seat] is None
        }
        position = _Position(game, board, state)
        actions = 0
        while (question := state.pending) is not None:
            legal = legal_actions(state, board)
            choose = policies[question.seat]
            if choose is None:
                position.seat, position.legal = question.seat, legal
                action = thinkers[question.seat].choose(cast(Match, position))
            else:
                action = choose(legal, chance)
            apply(state, board, action, events)
            actions += 1
        nothing = [0] * len(seating)
        self._add(number, seating, game.scores(state), game.ranks(state, board), nothing, nothing, actions, events)

    def _play_logged(self, number: int, seating: list[str], chance: Chance) -> None:
        """A game between players inside the program."""
        match = self.match(seating)
        policies = [self.worker.policies[name] for name in seating]
        players = [self._builtin_player(name, seat, chance) for seat, name in enumerate(seating)]
        lines: list[Any] = [match.header, match.setup_line]
        while match.seat is not None:
            choose = policies[match.seat]
            action = players[match.seat].choose(match) if choose is None else choose(match.legal, chance)
            lines.append(match.play(action))
        result = match.result_line()
        lines.append(result)
        nothing = [0] * len(seating)
        kept = self._keep_log(str(number), lines)
        self._add(
            number, seating, result.scores, result.ranks, nothing, nothing, match.number, match.history, kept=kept
        )

    def match(self, seating: list[str]) -> Match:
        worker, table = self.worker, self.table
        players = [
            PlayerLine(name, worker.entrants[entrant].spec)
            for name, entrant in zip(names_of(seating), seating, strict=True)
        ]
        header = header_of(
            table.game, table.options, self.group.seed, players, board=table.board_line, clock=worker.clock_line
        )
        return Match(table.game, table.board, header)

    def _play_refereed(self, number: int, seating: list[str], chance: Chance) -> None:
        conditions = self.worker.conditions
        faults, ms = [0] * len(seating), [0] * len(seating)
        void_heads: list[str] = []
        attempts = ATTEMPTS if conditions.on_faults == "void_and_replay" else 1
        for attempt in range(1, attempts + 1):
            if attempt > 1:  # its luck is used up
                chance = stream(f"{self.group.seed}/{number}/{attempt}")
            game = _Refereed(self, number, seating, chance)
            result = game.play()
            faults = [sum(pair) for pair in zip(faults, game.referee.faults, strict=True)]
            ms = [sum(pair) for pair in zip(ms, game.ms, strict=True)]
            is_void = result.reason != "normal"
            if not is_void or attempt == attempts:
                break
            kept = self._keep_log(f"{number}-void-{attempt}", game.lines)
            if kept is not None:
                void_heads.append(kept.head)
        given_away = game.given_away()
        self._add(
            number,
            seating,
            result.scores,
            ranked_last(result.ranks, given_away) if conditions.on_faults == "last_place" else result.ranks,
            faults,
            ms,
            game.match.number,
            game.match.history,
            result.reason,
            is_void or game.has_default or any(given_away),
            self._keep_log(str(number), game.lines),
            void_heads,
        )

    def _add(
        self,
        number: int,
        seating: list[str],
        scores: list[int],
        ranks: list[int],
        faults: list[int],
        ms: list[int],
        actions: int,
        events: Sequence[Any] | None,
        reason: str = "normal",
        is_tainted: bool = False,
        kept: KeptLog | None = None,
        void_heads: Sequence[str] = (),
    ) -> None:
        group = self.group
        profiles = []
        if events is not None and self.worker.conditions.economy:
            profiles = load_face(group.setting.game).economy(self.table.board, len(seating), events)
        self.games.append(
            Played(
                self.id,
                number,
                group.setting,
                group.seed,
                seating,
                scores,
                ranks,
                reason,
                faults,
                is_tainted,
                ms,
                actions,
                profiles,
                None if kept is None else kept.name,
                None if kept is None else kept.head,
                list(void_heads),
            )
        )

    def seat(self, seating: list[str], seat: int, chance: Chance) -> LineSeat | Player:
        """Who plays a seat: a player inside the program, or a bot."""
        name = seating[seat]
        if name in self.worker.policies:
            return self._builtin_player(name, seat, chance)
        return BOTS.take(self.worker.conditions, self.worker.entrants[name], seating[:seat].count(name))

    def _builtin_player(self, name: str, seat: int, chance: Chance) -> Player:
        policy = self.worker.policies[name]
        if policy is not None:
            return ChancePlayer(policy, chance)
        kind = self.worker.entrants[name].spec.removeprefix(BUILTIN)
        return builtin_player(kind, self.group.setting.game, self.group.seed, seat)

    def _keep_log(self, name: str, lines: list[Any]) -> KeptLog | None:
        conditions = self.worker.conditions
        if conditions.logs == "none":
            return None
        log = f"{LOGS}/{self.id}-{name}.jsonl"
        chain = Chain()
        content = chain.lines(lines)
        if conditions.logs == "sent":
            self.logs[log] = content
        else:
            assert conditions.folder is not None
            if BOTS.are_over:
                raise SystemExit
            Path(conditions.folder, log).write_bytes(content)
        return KeptLog(log, chain.head)


def names_of(seating: Sequence[str]) -> list[str]:
    """What the players of a game are called: an entrant that sits there twice has a number behind its name."""
    names: list[str] = []
    for name in seating:
        names.append(unique_name(name, names))
    return names


class _Position:
    """As much of a match as a player inside the program looks at."""

    __slots__ = ("board", "game", "legal", "seat", "state")

    def __init__(self, game: Game[Any, Any], board: Any, state: Any) -> None:
        self.game = game
        self.board = board
        self.state = state
        self.seat = 0
        self.legal: list[Any] = []

    def view_for(self, seer: int) -> Any:
        return self.game.view(self.state, self.board, seer)


class _Refereed:
    """One game with a referee: what is worth knowing about it afterwards."""

    def __init__(self, group: _Group, number: int, seating: list[str], chance: Chance) -> None:
        worker = group.worker
        self.group = group
        self.number = number
        self.seating = seating
        self.match = group.match(seating)
        self.lines: list[Any] = []
        self.has_log = worker.conditions.logs != "none"
        self.ms = [0] * len(seating)
        self.has_default = False
        self.referee = Referee(
            self.match,
            [group.seat(seating, seat, chance) for seat in range(len(seating))],
            worker.rules,
            name=f"{group.id}-{number}",
            write=self._write,
        )

    def play(self) -> ResultLine:
        if self.has_log:
            self.lines += [self.match.header, self.match.setup_line]
        return self.referee.play()

    def given_away(self) -> list[bool]:
        """By seat, whether a substitute took it over."""
        return [seat.has_substitute for seat in self.referee.seats]

    def _write(self, line: Any) -> None:
        if self.has_log:
            self.lines.append(line)
        kind = type(line)
        if kind is ActionLine:
            if line.ms:
                self.ms[line.seat] += line.ms
            if line.default:
                self.has_default = True
        elif kind is FaultLine:
            entrant = self.seating[line.seat]
            self.group.faults.append(Fault(self.number, line.number, line.seat, entrant, line.code, line.message))


def ranked_last(ranks: Sequence[int], is_last: Sequence[bool]) -> list[int]:
    """The ranks if some seats come last, together; the others move up."""
    others = [rank for rank, last in zip(ranks, is_last, strict=True) if not last]
    return [
        len(others) + 1 if last else 1 + sum(other < rank for other in others)
        for rank, last in zip(ranks, is_last, strict=True)
    ]


class Bots:
    """The bots that this process has started: one for each entrant, or several if it sits more than once at a table."""

    def __init__(self) -> None:
        self.seats: OrderedDict[tuple[str, str, int], BotProcess] = OrderedDict()
        self.notes: dict[str, BytesIO] = {}
        self.process = 0
        self.are_over = False
        """Whether this process is about to end, and its bots with it, so that nothing counts any more."""

    def take(self, conditions: Conditions, entrant: Entrant, place: int) -> BotProcess:
        if self.process != os.getpid():
            self.process = os.getpid()
            util.Finalize(None, self.close, exitpriority=100)  # also in workers, where atexit is not heard
        key = (conditions.mark, entrant.name, place)
        if key not in self.seats:
            self.seats[key] = BotProcess(
                shlex.split(entrant.spec),
                stderr=self._stderr(conditions, entrant),
                limits=BotLimits(entrant.memory_bytes, entrant.cpu_s, entrant.open_files, entrant.file_bytes),
                environment={**entrant.environment, TOURNAMENT_MARK: conditions.mark},
                folder=entrant.folder or None,
                cpu_clock=conditions.cpu_clock,
            )
        self.seats.move_to_end(key)
        return self.seats[key]

    def let_go(self) -> None:
        """Ends those that have waited longest, if there are too many."""
        while len(self.seats) > MOSTBOTS:
            _, seat = self.seats.popitem(last=False)
            seat.close()

    def close(self) -> None:
        close_all(list(self.seats.values()))
        self.seats.clear()

    def sent_notes(self) -> dict[str, bytes]:
        """What bots wrote to their stderr since the last time, where that is sent."""
        found = {}
        for name, notes in self.notes.items():
            if notes.tell():
                found[name] = notes.getvalue()
                notes.seek(0)
                notes.truncate()
        return found

    def end(self) -> None:
        """Ends all at once."""
        for seat in list(self.seats.values()):
            seat.end()

    def _stderr(self, conditions: Conditions, entrant: Entrant) -> BinaryIO | Path | None:
        """Where a bot's words on its stderr go, for all its processes together."""
        if conditions.logs == "sent":
            return self.notes.setdefault(entrant.name, BytesIO())
        if conditions.folder is None or conditions.logs == "none":
            return None
        return Path(conditions.folder, NOTES, f"{entrant.name}.txt")


BOTS = Bots()


def end_worker() -> NoReturn:
    """Ends this process and its bots, in the middle of a game."""
    BOTS.are_over = True
    try:
        BOTS.end()
    finally:
        os._exit(1)
