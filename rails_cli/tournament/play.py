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
from types import SimpleNamespace
from typing import Any, BinaryIO, Literal, NamedTuple, NoReturn, cast

import msgspec

from protocol.log import ActionLine, FaultLine, Opening, PlayerLine, Seed
from rails_cli.bot_process import RUN_MARK, BotLimits, BotProcess, close_all
from rails_cli.core.luck import derived_seed, opaque_id, stream
from rails_cli.games import load_face, load_game, standard_board
from rails_cli.games.game import Game, digest
from rails_cli.games.openings import drawn_opening
from rails_cli.match.chain import Chain
from rails_cli.match.clock import read_clock
from rails_cli.match.match import Match, header_of, unique_name
from rails_cli.match.opening_book import opening_from
from rails_cli.match.session import Player, Rules
from rails_cli.players.builtin import ChancePlayer, builtin_player
from rails_cli.players.chance import POLICIES, Choose
from rails_cli.referee import Referee
from rails_cli.seats import LineSeat
from rails_cli.tournament.copies import fingerprint_of
from rails_cli.tournament.model import BUILTIN, Entrant, Played, SeedGroup, Setting
from rails_cli.tournament.plan import TournamentPlan

ATTEMPTS = 3
"""How often a game is tried that a fault makes void, where such games are replayed."""
MOSTBOTS = 24
"""Bots that a process keeps waiting for their next game."""
LOGS = "logs"
NOTES = "stderr"


Chance = Callable[[], float]
Came = tuple[list[int], list[int], str, list[int], bool, list[int], int]
"""What came of a game: the fields of `Played` from its scores to its actions."""


class Conditions(msgspec.Struct, frozen=True):
    """What a worker must know to play any group of a tournament."""

    mark: str
    """Told to bots in their environment, so that those left behind can be found."""
    plan: TournamentPlan
    """With entrants as the worker sees them, in folders that are whole paths."""
    has_folder: bool = True
    """Whether the worker has the folder of the tournament; if not, logs are sent back."""


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
    is_luckless: bool


class _Worker:
    """Plays the groups of one tournament."""

    def __init__(self, conditions: Conditions) -> None:
        self.conditions = conditions
        self.plan = plan = conditions.plan
        self.entrants = {entrant.name: entrant for entrant in plan.entrants}
        self.policies: dict[str, Choose | None] = {
            entrant.name: POLICIES.get(entrant.spec.removeprefix(BUILTIN))
            for entrant in plan.entrants
            if entrant.spec.startswith(BUILTIN)
        }
        clock = read_clock(plan.clock)
        self.clock_line = None if clock is None else msgspec.to_builtins(clock)
        on_faults: Literal["void", "substitute"] = "void" if plan.on_faults == "void_and_replay" else "substitute"
        self.rules = Rules(clock, plan.start_up_s, plan.max_faults, on_faults)
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
                content = self.plan.boards[setting.board].encode()
                board, board_line = game.read_board(content), msgspec.json.decode(content)
            options = msgspec.convert(setting.options, game.options_type, strict=False)
            is_luckless = game.is_luckless(board, setting.players, options)
            self.tables[key] = _Table(game, board, board_line, options, is_luckless)
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
        self.opening = self._opening()
        self.games: list[Played] = []
        self.faults: list[Fault] = []
        self.logs: dict[str, bytes] = {}
        self.setup = ""
        """The digest of the first position of the game being played."""
        self.actions: list[Any] = []
        """Those of the game being played."""
        self.deal = group.seed
        """What the game being played was dealt from."""
        names = {name for seating in group.seatings for name in seating}
        if any(name not in worker.policies for name in names):
            self.play = self._play_refereed
        else:
            self.play = self._play_logged if worker.plan.logs else self._play_quickly

    def _opening(self) -> Opening | None:
        """The beginning that all games of the group share."""
        plan, table, group = self.worker.plan, self.table, self.group
        if group.entry is not None:
            assert plan.book is not None
            return opening_from(plan.book, group.entry)
        if plan.openings == "none" or not table.is_luckless:
            return None
        return drawn_opening(table.game, table.board, group.setting.players, table.options, group.seed)

    def _play_quickly(self, number: int, seating: list[str], chance: Chance) -> None:
        """A game between players inside the program that nobody wants a log of: the same game for less."""
        game, board = self.table.game, self.table.board
        legal_actions, apply = game.legal_actions, game.apply
        events: list[Any] | None = [] if self.worker.plan.economy else None
        self.deal = deal_of(game, self.group.seed, self.id, number)
        state = game.setup(board, len(seating), self.table.options, self.deal, events)
        self.setup, self.actions = digest(game, state), []
        if self.opening is not None:
            self.actions += self.opening.actions
            for action in self.opening.actions:
                apply(state, board, action, events)
        policies = [self.worker.policies[name] for name in seating]
        thinkers = {
            seat: self._builtin_player(name, seat, chance)
            for seat, name in enumerate(seating)
            if policies[seat] is None
        }
        position = SimpleNamespace(game=game, board=board, state=state, seat=0, legal=[])
        position.view_for = lambda seer: game.view(state, board, seer)
        while (question := state.pending) is not None:
            legal = legal_actions(state, board)
            choose = policies[question.seat]
            if choose is None:
                position.seat, position.legal = question.seat, legal
                action = thinkers[question.seat].choose(cast(Match, position))
            else:
                action = choose(legal, chance)
            apply(state, board, action, events)
            self.actions.append(action)
        nothing = [0] * len(seating)
        came = (game.scores(state), game.ranks(state, board), "normal", nothing, False, nothing, len(self.actions))
        self._add(number, seating, came, events)

    def _play_logged(self, number: int, seating: list[str], chance: Chance) -> None:
        """A game between players inside the program."""
        match = self.match(number, seating)
        policies = [self.worker.policies[name] for name in seating]
        players = [self._builtin_player(name, seat, chance) for seat, name in enumerate(seating)]
        lines: list[Any] = [match.header, match.setup_line, *match.play_opening()]
        while match.seat is not None:
            choose = policies[match.seat]
            action = players[match.seat].choose(match) if choose is None else choose(match.legal, chance)
            lines.append(match.play(action))
        self.actions = [line.action for line in lines[2:]]
        result = match.result_line()
        lines.append(result)
        nothing = [0] * len(seating)
        came = (result.scores, result.ranks, "normal", nothing, False, nothing, match.number)
        self._add(number, seating, came, match.history, self._keep_log(str(number), lines))

    def match(self, number: int, seating: list[str], attempt: int = 1) -> Match:
        worker, table = self.worker, self.table
        self.deal = deal_of(table.game, self.group.seed, self.id, number, attempt)
        players = [
            PlayerLine(name, worker.entrants[entrant].spec)
            for name, entrant in zip(names_of(seating), seating, strict=True)
        ]
        header = header_of(
            table.game,
            table.options,
            self.deal,
            players,
            board=table.board_line,
            clock=worker.clock_line,
            opening=self.opening,
        )
        match = Match(table.game, table.board, header)
        self.setup, self.actions = match.setup_line.digest, []
        return match

    def _play_refereed(self, number: int, seating: list[str], chance: Chance) -> None:
        on_faults = self.worker.plan.on_faults
        faults, ms = [0] * len(seating), [0] * len(seating)
        kept: list[KeptLog] = []
        attempts = ATTEMPTS if on_faults == "void_and_replay" else 1
        for attempt in range(1, attempts + 1):
            if attempt > 1:  # its luck is used up
                chance = stream(f"{self.group.seed}/{number}/{attempt}")
            match = self.match(number, seating, attempt)
            lines: list[Any] = [match.header, match.setup_line]
            sitting = [self._seat(seating, seat, chance) for seat in range(len(seating))]
            name = opaque_id(self.group.seed, self.id, number, attempt)
            hides = self.worker.plan.anonymous
            referee = Referee(match, sitting, self.worker.rules, name=name, write=lines.append, is_anonymous=hides)
            result = referee.play()
            has_default = False
            for line in lines:
                if type(line) is ActionLine:
                    ms[line.seat] += line.ms or 0
                    self.actions.append(line.action)
                    has_default = has_default or line.default
                elif type(line) is FaultLine:
                    who = line.seat, seating[line.seat]
                    self.faults.append(Fault(number, line.number, *who, line.code, line.message))
            faults = [sum(pair) for pair in zip(faults, referee.faults, strict=True)]
            is_void = result.reason != "normal"
            if not is_void or attempt == attempts:
                break
            kept += self._keep_log(f"{number}-void-{attempt}", lines)
        given_away = [seat.has_substitute for seat in referee.seats]
        ranks = ranked_last(result.ranks, given_away) if on_faults == "last_place" else result.ranks
        is_tainted = is_void or has_default or any(given_away)
        came = (result.scores, ranks, result.reason, faults, is_tainted, ms, match.number)
        kept += self._keep_log(str(number), lines)
        self._add(number, seating, came, match.history, kept)

    def _add(
        self, number: int, seating: list[str], came: Came, events: Sequence[Any] | None, kept: Sequence[KeptLog] = ()
    ) -> None:
        """`kept` has the logs of attempts that were void, and last that of the game."""
        group = self.group
        profiles = []
        if events is not None and self.worker.plan.economy:
            profiles = load_face(group.setting.game).economy(self.table.board, len(seating), events)
        log, head = (kept[-1].name, kept[-1].head) if kept else (None, None)
        heads = [void.head for void in kept[:-1]]
        deal = None if self.deal == group.seed else self.deal
        played = Played(self.id, number, group.setting, group.seed, seating, *came, profiles, log, head, heads, deal)
        if played.reason == "normal":
            mark = fingerprint_of(group.setting, self.setup, seating, self.actions)
            played = msgspec.structs.replace(played, fingerprint=mark)
        self.games.append(played)

    def _seat(self, seating: list[str], seat: int, chance: Chance) -> LineSeat | Player:
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

    def _keep_log(self, name: str, lines: list[Any]) -> list[KeptLog]:
        if not self.worker.plan.logs:
            return []
        log = f"{LOGS}/{self.id}-{name}.jsonl"
        chain = Chain()
        content = chain.lines(lines)
        if not self.worker.conditions.has_folder:
            self.logs[log] = content
        elif BOTS.are_over:
            raise SystemExit
        else:
            (self.worker.plan.folder / log).write_bytes(content)
        return [KeptLog(log, chain.head)]


def names_of(seating: Sequence[str]) -> list[str]:
    """What the players of a game are called: an entrant that sits there twice has a number behind its name."""
    names: list[str] = []
    for name in seating:
        names.append(unique_name(name, names))
    return names


def deal_of(game: Game[Any, Any], seed: Seed, group: str, number: int, attempt: int = 1) -> Seed:
    """What a game of a group is dealt from. Where seats have secrets no bot may meet a deal twice: it might remember
    it."""
    return derived_seed(seed, group, number, attempt) if game.has_secrets else seed


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
                environment={**entrant.environment, RUN_MARK: conditions.mark},
                folder=entrant.folder or None,
                cpu_clock=conditions.plan.cpu_clock,
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
        if not conditions.plan.logs:
            return None
        if not conditions.has_folder:
            return self.notes.setdefault(entrant.name, BytesIO())
        return conditions.plan.folder / NOTES / f"{entrant.name}.txt"


BOTS = Bots()


def end_worker() -> NoReturn:
    """Ends this process and its bots, in the middle of a game."""
    BOTS.are_over = True
    try:
        BOTS.end()
    finally:
        os._exit(1)
