"""Plays seed groups: the code that runs in a worker process, on any machine.

A task needs only its arguments. A process keeps the bots it has started and uses them for game after game.
"""

import math
import os
import shlex
import time
import traceback
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from functools import lru_cache
from io import BytesIO
from multiprocessing import util
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Literal, NamedTuple, NoReturn, cast

import msgspec

from protocol.log import ActionLine, FaultLine, PlayerLine, Seed
from rails_cli.bot_process import RUN_MARK, BotLimits, BotProcess, close_all, failure_of
from rails_cli.core.luck import derived_seed, opaque_id, stream
from rails_cli.games import load_face
from rails_cli.games.game import Game, digest, ranked_last
from rails_cli.match.chain import Chain
from rails_cli.match.clock import clock_line, read_clock
from rails_cli.match.match import Match, header_of, unique_name
from rails_cli.match.session import Player, Rules
from rails_cli.players.builtin import SUBSTITUTE, ChancePlayer, builtin_player, is_slow, substitute
from rails_cli.players.chance import POLICIES, Choose
from rails_cli.referee import Referee, TimeLimit
from rails_cli.sandbox import Level, NoSandbox, chosen
from rails_cli.seats import LineSeat
from rails_cli.tournament.copies import fingerprint_of
from rails_cli.tournament.forfeits import NOBODYS_FAULT, TOO_FEW, forfeited, is_valid
from rails_cli.tournament.group_results import NOTES, GameFault, GroupPlayed, log_name
from rails_cli.tournament.model import BUILTIN, Entrant, Played, SeedGroup, Setting
from rails_cli.tournament.openings import Table, opening_of, table_of
from rails_cli.tournament.plan import TournamentPlan
from rails_cli.tournament.words import listed

ATTEMPTS = 3
"""How often a game is tried if faults make it void and such games are replayed."""
STAND_IN = BUILTIN + SUBSTITUTE
"""Spec of the substitute for a suspended entrant."""
MOSTBOTS = 24
"""Most bots that a process keeps between games."""
MOST_NOTES = 64 << 20
"""Bytes of a bot's stderr file after which a new file is started."""
TURNS = "turns"


Chance = Callable[[], float]
Came = tuple[list[int], list[int], str, list[int], bool, list[int], int]
"""The outcome of a game: the fields of `Played` from `scores` to `actions`."""


class Conditions(msgspec.Struct, frozen=True):
    """What a worker needs to play any group of a tournament."""

    mark: str
    """Value in the environment of bots by which leftover processes are found."""
    plan: TournamentPlan
    """The plan, with the folders of entrants as absolute paths on the worker."""
    has_folder: bool = True
    """Whether the worker can access the folder of the tournament."""
    key_file: str | None = None
    """Path of the key that signs logs, or None."""

    @property
    def sends_logs(self) -> bool:
        """Whether the worker returns logs instead of writing them. Workers have no key, because they start bots."""
        return not self.has_folder or self.key_file is not None


class GameFailed(Exception):
    """A bug of the program ended a game. The text has the traceback, which only the worker can see."""


@lru_cache(maxsize=2)
def _unpack(packed: bytes) -> "_Worker":
    return _Worker(msgspec.msgpack.decode(packed, type=Conditions))


def play_groups(
    packed: bytes,
    groups: Sequence[SeedGroup],
    suspended: Collection[str] = (),
    until: float | None = None,
    starts_apart: bool = False,
    now: Callable[[], float] = time.perf_counter,
    unix_time: Callable[[], float] = time.time,
) -> list[GroupPlayed]:
    """Play some groups one after another. This is the task that an executor runs.

    A group that cannot be finished before `until`, a Unix timestamp, is left out. If `starts_apart`, each bot starts
    when it is first asked, so that it is known which bot killed the worker. `now` is the clock of the games.
    """
    worker = _unpack(packed)
    played = (worker.play(group, suspended, until, starts_apart, now, unix_time) for group in groups)
    return [group for group in played if group is not None]


class _Worker:
    """Plays the groups of one tournament."""

    def __init__(self, conditions: Conditions) -> None:
        self.conditions = conditions
        self.plan = plan = conditions.plan
        TURN.folder = plan.folder / TURNS if TURN.is_watched and conditions.has_folder else None
        self.entrants = {entrant.name: entrant for entrant in plan.entrants}
        self.policies: dict[str, Choose | None] = {
            entrant.name: POLICIES.get(entrant.spec.removeprefix(BUILTIN))
            for entrant in plan.entrants
            if entrant.spec.startswith(BUILTIN)
        }
        clock = read_clock(plan.clock)
        self.clock_line = clock_line(clock)
        on_faults: Literal["void", "substitute"] = "void" if plan.on_faults == "void_and_replay" else "substitute"
        self.rules = Rules(clock, plan.start_up_s, plan.max_faults, on_faults)
        self.tables: dict[bytes, Table] = {}
        self.board_lines: dict[str, Any] = {
            "standard": "standard",
            **{name: msgspec.json.decode(content) for name, content in plan.boards.items()},
        }
        """Boards as log headers contain them."""
        self.game_s: dict[tuple[str, int], float] = {}
        """Seconds that the last game took, by name and number of players."""

    def play(
        self,
        group: SeedGroup,
        suspended: Collection[str],
        until: float | None,
        starts_apart: bool,
        now: Callable[[], float],
        unix_time: Callable[[], float],
    ) -> GroupPlayed | None:
        """Play all games of a group. Return None if there is not enough time until `until`.

        Games with different entrants but the same number in their series use the same random stream.
        """
        kind = (group.setting.game, group.setting.players)
        if until is not None and unix_time() + len(group.seatings) * self.game_s.get(kind, 0.0) > until:
            return None
        started = now()
        number = 0
        try:
            sitting = _Group(self, group, suspended, starts_apart, now)
            series: Counter[tuple[str, ...]] = Counter()
            for number, seating in enumerate(group.seatings):
                if until is not None and unix_time() + self.game_s.get(kind, 0.0) > until:
                    return None
                began = now()
                company = tuple(sorted(seating))
                sitting.play(number, seating, stream(f"{group.seed}/{series[company]}"))
                series[company] += 1
                self.game_s[kind] = now() - began
        except OSError:  # a full disk, say
            raise
        except Exception:
            raise GameFailed(failure_words(group, number, traceback.format_exc())) from None
        BOTS.let_go()
        TURN.clear()
        seconds = now() - started
        kept = sitting.logs, BOTS.sent_notes(), sitting.last_words
        return GroupPlayed(sitting.id, sitting.games, sitting.faults, seconds, *kept)

    def table(self, setting: Setting) -> Table:
        """Return the game, board and options of a setting, from a cache."""
        key = msgspec.msgpack.encode(setting)
        if key not in self.tables:
            self.tables[key] = table_of(setting, self.plan.boards)
        return self.tables[key]


class KeptLog(NamedTuple):
    """A log that was written or returned, and the head of its hash chain."""

    name: str
    head: str


class _Group:
    """A group that is being played."""

    def __init__(
        self,
        worker: _Worker,
        group: SeedGroup,
        suspended: Collection[str],
        starts_apart: bool,
        now: Callable[[], float],
    ) -> None:
        self.worker = worker
        self.now = now
        self.starts_apart = starts_apart
        self.group = group
        self.id = group.id
        self.table = worker.table(group.setting)
        self.opening = opening_of(worker.plan, group, self.table)
        """The opening that all games of the group share."""
        self.games: list[Played] = []
        self.faults: list[GameFault] = []
        self.logs: dict[str, bytes] = {}
        self.setup = ""
        """Digest of the first position of the current game."""
        self.actions: list[Any] = []
        """Actions of the current game."""
        self.last_words: dict[str, str] = {}
        self.suspended = frozenset(suspended)
        limit_s = worker.plan.group_limit_s
        self.until = None if limit_s is None else now() + limit_s
        self.used_s: defaultdict[str, float] = defaultdict(float)
        """Wall time in seconds spent waiting for each entrant."""
        self.deal = group.seed
        """Seed of the deal of the current game."""
        names = {name for seating in group.seatings for name in seating}
        if names & self.suspended or any(self._goes_by_clock(name) for name in names):
            self.play = self._play_refereed
        else:
            self.play = self._play_logged if worker.plan.logs else self._play_quickly

    def _goes_by_clock(self, name: str) -> bool:
        """Return whether the clock applies to this entrant: a bot, or a built-in player that searches."""
        return name not in self.worker.policies or is_slow(self.worker.entrants[name].spec.removeprefix(BUILTIN))

    def _play_quickly(self, number: int, seating: list[str], chance: Chance) -> None:
        """Play a game between built-in players without a log. The result is the same as with one, but faster."""
        limit = self._limit(seating, ())
        if limit is not None and limit.is_over:
            self._play_refereed(number, seating, chance)
            return
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
            seat = question.seat
            legal = legal_actions(state, board)
            choose = policies[seat]
            if choose is None:
                position.seat, position.legal = seat, legal
                action = thinkers[seat].choose(cast(Match, position))
            else:
                action = choose(legal, chance)
            apply(state, board, action, events)
            self.actions.append(action)
            if limit is not None and limit.is_over_after(seat):
                self._break_off(number, seating, chance, limit)
                return
        self._note_used(seating, limit)
        nothing = [0] * len(seating)
        came = (game.scores(state), game.ranks(state, board), "normal", nothing, False, nothing, len(self.actions))
        self._add(number, seating, came, events)

    def _play_logged(self, number: int, seating: list[str], chance: Chance) -> None:
        """Play a game between built-in players with a log."""
        limit = self._limit(seating, ())
        if limit is not None and limit.is_over:
            self._play_refereed(number, seating, chance)
            return
        match = self.match(number, seating)
        policies = [self.worker.policies[name] for name in seating]
        players = [self._builtin_player(name, seat, chance) for seat, name in enumerate(seating)]
        lines: list[Any] = [match.header, match.setup_line, *match.play_opening()]
        while match.seat is not None:
            seat = match.seat
            choose = policies[seat]
            action = players[seat].choose(match) if choose is None else choose(match.legal, chance)
            lines.append(match.play(action))
            if limit is not None and limit.is_over_after(seat):
                self.actions = [line.action for line in lines[2:]]
                self._break_off(number, seating, chance, limit)
                return
        self._note_used(seating, limit)
        self.actions = [line.action for line in lines[2:]]
        result = match.result_line()
        lines.append(result)
        nothing = [0] * len(seating)
        came = (result.scores, result.ranks, "normal", nothing, False, nothing, match.number)
        self._add(number, seating, came, match.history, self._keep_log(number, lines))

    def _break_off(self, number: int, seating: list[str], chance: Chance, limit: TimeLimit) -> None:
        """Hand the game over to the referee, because the time limit has passed after the actions so far."""
        actions = self.actions
        match = self.match(number, seating)
        lines: list[Any] = [match.header, match.setup_line, *match.play_opening()]
        lines += [match.play(action) for action in actions[match.number :]]
        self._play_with_referee(number, seating, chance, match, lines, limit)

    def match(self, number: int, seating: list[str], absent: Collection[int] = ()) -> Match:
        worker, table = self.worker, self.table
        self.deal = deal_of(table.game, self.group.seed, self.id, number)
        players = [
            _player_line(name, None if seat in absent else worker.entrants[seating[seat]])
            for seat, name in enumerate(names_of(seating))
        ]
        header = header_of(
            table.game,
            table.options,
            self.deal,
            players,
            board=worker.board_lines[self.group.setting.board],
            clock=worker.clock_line,
            opening=self.opening,
            match=opaque_id(self.group.seed, self.id, number),
            anonymous=worker.plan.anonymous,
        )
        match = Match(table.game, table.board, header)
        self.setup, self.actions = match.setup_line.digest, []
        return match

    def _play_refereed(self, number: int, seating: list[str], chance: Chance) -> None:
        """Play a game with bots. If the plan replays void games, repeat it. Each attempt is stored as a game."""
        attempts = ATTEMPTS if self.worker.plan.on_faults == "void_and_replay" else 1
        for attempt in range(attempts):
            if attempt:  # its random stream is used up
                chance = stream(f"{self.group.seed}/{number}/{attempt + 1}")
            if self._play_once(number + attempt * len(self.group.seatings), seating, chance):
                return

    def _play_once(self, number: int, seating: list[str], chance: Chance) -> bool:
        """Play one attempt at a game. Return whether it should not be repeated."""
        absent = [seat for seat, name in enumerate(seating) if name in self.suspended]
        match = self.match(number, seating, absent)
        if len(seating) - len(absent) < 2:
            self._call_off(number, seating, match, TOO_FEW, absent, [])
            return True
        limit = self._limit(seating, absent)
        if limit is not None and limit.is_over:
            slowest = limit.slowest()
            if slowest is None:
                self._call_off(number, seating, match, NOBODYS_FAULT, absent, [])
                return True
            words = "the group ran out of time, and this bot used most of it; the game is not played"
            self.faults.append(GameFault(number, 0, slowest, seating[slowest], "too_slow", words))
            self._call_off(number, seating, match, "timeout", absent, [slowest])
            return True
        return self._play_with_referee(number, seating, chance, match, [match.header, match.setup_line], limit, absent)

    def _play_with_referee(
        self,
        number: int,
        seating: list[str],
        chance: Chance,
        match: Match,
        lines: list[Any],
        limit: TimeLimit | None,
        absent: Sequence[int] = (),
    ) -> bool:
        """Play the rest of an attempt that starts with `lines`. Return whether it should not be repeated."""
        sitting = [
            substitute(self.group.setting.game, seat) if seat in absent else self._seat(seating, seat, chance)
            for seat in range(len(seating))
        ]
        bots = {seat: who for seat, who in enumerate(sitting) if isinstance(who, BotProcess)}

        def write(line: Any) -> None:
            lines.append(line)
            if type(line) is FaultLine:
                stderr = "\n".join(failure_of(line, bots.get(line.seat), None, None).stderr)
                told = line.number, line.seat, seating[line.seat], line.code, line.message, stderr
                self.faults.append(GameFault(number, *told))

        for seat, bot in bots.items():
            bot.read_stderr()
            bot.notes.heading = f"=== game {self.id}-{number} begins, seat {seat + 1}\n".encode()
        referee = Referee(
            match,
            sitting,
            self.worker.rules,
            write=write,
            limit=limit,
            on_ask=lambda seat: self._note_turn(seating[seat]),
            starts_apart=self.starts_apart,
            now=self.now,
        )
        result = referee.play()
        has_default, ms = False, [0] * len(seating)
        for line in lines:
            if type(line) is ActionLine:
                ms[line.seat] += line.ms or 0
                self.actions.append(line.action)
                has_default = has_default or line.default
        self._note_used(seating, limit, absent)
        lost = referee.session.lost_seats
        for seat, bot in bots.items():
            bot.read_stderr()
            bot.notes.mark(f"game {self.id}-{number} ends")
            BOTS.keep(bot)
            if seat in lost:
                self.last_words[seating[seat]] = "\n".join(bot.last_lines())
        is_broken_off = result.reason != "normal"
        ranks = [1] * len(seating) if is_broken_off else result.ranks
        came = (
            forfeited(result.scores, lost),
            ranked_last(ranks, {*lost, *absent}),
            result.reason,
            referee.session.faults,
            is_broken_off or has_default or bool(lost),
            ms,
            match.number,
        )
        self._add(number, seating, came, match.history, self._keep_log(number, lines), lost, absent)
        return not is_broken_off or (limit is not None and limit.is_over)

    def _note_used(self, seating: list[str], limit: TimeLimit | None, absent: Collection[int] = ()) -> None:
        """Add the seconds spent waiting for each entrant in a finished game."""
        if limit is not None:
            for seat, name in enumerate(seating):
                if seat not in absent:
                    self.used_s[name] += limit.used_s[seat]

    def _note_turn(self, name: str) -> None:
        """Record whose turn it is. Record None if another bot is starting, which may kill the worker too."""
        if TURN.folder is not None:
            is_known = all(other in BOTS.asked for other in BOTS.running() if other != name)
            TURN.note(self.id, name if is_known else None)
        BOTS.asked.add(name)

    def _limit(self, seating: list[str], absent: Collection[int]) -> TimeLimit | None:
        """Return the time limit of a game that starts now. Absent seats are never blamed for exceeding it."""
        game_s = self.worker.plan.game_limit_s
        until = None if game_s is None else self.now() + game_s
        if self.until is not None and (until is None or self.until < until):
            used_s = [-math.inf if seat in absent else self.used_s[name] for seat, name in enumerate(seating)]
            return TimeLimit(self.until, used_s, max(self.used_s.values()), now=self.now)
        if until is None:
            return None
        return TimeLimit(until, [-math.inf if seat in absent else 0.0 for seat in range(len(seating))], now=self.now)

    def _call_off(
        self, number: int, seating: list[str], match: Match, reason: str, absent: list[int], lost: list[int]
    ) -> None:
        """Record a game that is not played."""
        nothing = [0] * len(seating)
        ranks = ranked_last([1] * len(seating), () if reason == NOBODYS_FAULT else {*lost, *absent})
        faults = [int(seat in lost) for seat in range(len(seating))]
        came = (match.result_line("interrupted").scores, ranks, reason, faults, True, nothing, 0)
        self._add(number, seating, came, None, lost=lost, absent=absent)

    def _add(
        self,
        number: int,
        seating: list[str],
        came: Came,
        events: Sequence[Any] | None,
        kept: KeptLog | None = None,
        lost: Sequence[int] = (),
        absent: Sequence[int] = (),
    ) -> None:
        group = self.group
        profiles = []
        if events is not None and self.worker.plan.economy:
            profiles = load_face(group.setting.game).economy(self.table.board, len(seating), events)
        log, head = (None, None) if kept is None else kept
        deal = None if self.deal == group.seed else self.deal
        told = profiles, log, list(lost), list(absent), head, deal
        played = Played(self.id, number, group.setting, group.seed, seating, *came, *told)
        if is_valid(played) and self.actions:
            mark = fingerprint_of(group.setting, self.setup, seating, self.actions)
            played = msgspec.structs.replace(played, fingerprint=mark)
        self.games.append(played)

    def _seat(self, seating: list[str], seat: int, chance: Chance) -> LineSeat | Player:
        """Return the player of a seat: a built-in player or a bot."""
        name = seating[seat]
        if name in self.worker.policies:
            return self._builtin_player(name, seat, chance)
        return BOTS.take(self.worker.conditions, self.worker.entrants[name], seating[:seat].count(name))

    def _builtin_player(self, name: str, seat: int, chance: Chance) -> Player:
        policy = self.worker.policies[name]
        if policy is not None:
            return ChancePlayer(policy, chance)
        kind = self.worker.entrants[name].spec.removeprefix(BUILTIN)
        return builtin_player(kind, self.group.setting.game, self.group.seed, seat, self.now)

    def _keep_log(self, number: int, lines: list[Any]) -> KeptLog | None:
        if not self.worker.plan.logs:
            return None
        log = log_name(self.id, number)
        chain = Chain()
        content = chain.lines(lines)
        if self.worker.conditions.sends_logs:
            self.logs[log] = content
        elif BOTS.are_over:
            raise SystemExit
        else:
            (self.worker.plan.folder / log).write_bytes(content)
        return KeptLog(log, chain.head)


def add_notes(folder: Path, entrant: str, words: bytes) -> None:
    """Append `words` to the stderr file of an entrant. A full file is renamed, which replaces the previous one."""
    file = folder / NOTES / f"{entrant}.txt"
    with suppress(OSError):  # a full disk does not end the game
        if file.exists() and file.stat().st_size > MOST_NOTES:
            file.replace(file.with_name(f"{file.name}.old"))
        with open(file, "ab", buffering=0) as notes:
            notes.write(words)


def failure_words(group: SeedGroup, number: int, trace: str) -> str:
    """Return the error message for a game that a bug has ended."""
    players = listed(group.seatings[number])
    return (
        f"a bug in rails-cli, or in the package of the game, ended game {group.id}-{number} "
        f"({group.setting.game}: {players}):\n\n{trace}\n"
        "Please report this. Finished games are kept, and the same command resumes."
    )


def names_of(seating: Sequence[str]) -> list[str]:
    """Return the player names of a game. An entrant with several seats gets a number after its name."""
    names: list[str] = []
    for name in seating:
        names.append(unique_name(name, names))
    return names


def deal_of(game: Game[Any, Any], seed: Seed, group: str, number: int) -> Seed:
    """Return the seed for the deal of a game.

    If seats have hidden information, no deal is used twice, because a bot might remember it.
    """
    return derived_seed(seed, group, number) if game.has_secrets else seed


def _player_line(name: str, entrant: Entrant | None) -> PlayerLine:
    """Return the log's entry for an entrant, or for its substitute if `entrant` is None."""
    return PlayerLine(name, STAND_IN) if entrant is None else PlayerLine(name, entrant.spec, kept_in(entrant))


def kept_in(entrant: Entrant) -> Level | None:
    """Return the sandbox used for an entrant on this machine, or None."""
    try:
        return chosen(entrant.sandbox, entrant.image)
    except NoSandbox:
        return None


def _hidden_from(entrant: Entrant, conditions: Conditions) -> list[Path]:
    """Return the paths that are hidden from a bot in a sandbox.

    These are the results, the signing key, plans with their seeds, and the files of other entrants.
    """
    plan = conditions.plan
    own = set(_named_by(entrant))
    others = [path for other in plan.entrants for path in _named_by(other) if path not in own]
    key = [] if conditions.key_file is None else [Path(conditions.key_file)]
    return [plan.folder, *key, *Path(plan.base).glob("*.toml"), *others]


def _named_by(entrant: Entrant) -> list[Path]:
    """Return the files that an entrant's command names."""
    if not entrant.is_program:
        return []
    paths = [Path(entrant.folder or ".", word).resolve() for word in shlex.split(entrant.spec)]
    return [path for path in paths if path.is_file()]


def limits_of(entrant: Entrant) -> BotLimits:
    return BotLimits(**{field: getattr(entrant, field) for field in BotLimits.__struct_fields__})


class TournamentBot(BotProcess):
    """The process of an entrant's bot."""

    def __init__(self, conditions: Conditions, entrant: str, command: Sequence[str], **settings: Any) -> None:
        super().__init__(command, **settings)
        self.conditions = conditions
        self.entrant = entrant


class Bots:
    """The bots started by this process: one per entrant, or several if it has several seats at a table."""

    def __init__(self) -> None:
        self.seats: OrderedDict[tuple[str, str, int], TournamentBot] = OrderedDict()
        self.notes: dict[str, bytes] = {}
        """Stderr of bots by entrant, if the worker returns it."""
        self.process = 0
        self.asked: set[str] = set()
        """Entrants whose bots have received a request, and so have finished starting."""
        self.are_over = False
        """Whether this process is about to end with its bots. Nothing is recorded any more."""

    def take(self, conditions: Conditions, entrant: Entrant, place: int) -> BotProcess:
        if self.process != os.getpid():
            self.process = os.getpid()
            util.Finalize(None, self.close, exitpriority=100)  # also runs in worker processes, where atexit does not
        key = (conditions.mark, entrant.name, place)
        if key not in self.seats:
            self.seats[key] = TournamentBot(
                conditions,
                entrant.name,
                shlex.split(entrant.spec),
                stderr=BytesIO() if conditions.plan.logs else None,
                limits=limits_of(entrant),
                environment={**entrant.environment, RUN_MARK: conditions.mark},
                folder=entrant.folder or None,
                hides=_hidden_from(entrant, conditions),
                cpu_clock=conditions.plan.cpu_clock,
                freeze=entrant.freeze,
            )
        self.seats.move_to_end(key)
        return self.seats[key]

    def running(self) -> list[str]:
        """Return the entrants whose bots are running."""
        return [name for (_, name, _), bot in self.seats.items() if bot.process is not None]

    def let_go(self) -> None:
        """Close the least recently used bots if there are too many."""
        while len(self.seats) > MOSTBOTS:
            _, seat = self.seats.popitem(last=False)
            seat.close()
            self.keep(seat)

    def close(self) -> None:
        close_all(list(self.seats.values()))
        for seat in self.seats.values():
            self.keep(seat)
        self.seats.clear()

    def keep(self, bot: BotProcess) -> None:
        """Store a bot's stderr, one game at a time, because other workers append to the same file."""
        notes = bot.notes.file
        if not isinstance(bot, TournamentBot) or not isinstance(notes, BytesIO) or not notes.tell():
            return
        words = bot.notes.take()
        if bot.conditions.has_folder:
            add_notes(bot.conditions.plan.folder, bot.entrant, words)
        else:
            self.notes[bot.entrant] = self.notes.get(bot.entrant, b"") + words

    def sent_notes(self) -> dict[str, bytes]:
        """Return and clear the stderr to be sent, by entrant."""
        found, self.notes = self.notes, {}
        return found

    def end(self) -> None:
        """Kill all bots immediately."""
        for seat in list(self.seats.values()):
            seat.end()
            self.keep(seat)


BOTS = Bots()


class Turn(msgspec.Struct, frozen=True):
    """The entrant to move in a group when its worker died."""

    group: str
    entrant: str | None
    """None if another bot was starting at the time, which could also have killed the worker."""


class TurnMark:
    """A file in which a worker notes the entrant to move. It remains if the worker dies."""

    def __init__(self) -> None:
        self.is_watched = False
        """Whether this process is a worker whose death is investigated."""
        self.folder: Path | None = None
        """Folder for such files, or None if they are not read."""
        self._file: int | None = None

    def note(self, group: str, entrant: str | None) -> None:
        assert self.folder is not None
        if self._file is None:
            self._file = os.open(self.folder / str(os.getpid()), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        content = msgspec.json.encode(Turn(group, entrant)) + b"\n"
        os.pwrite(self._file, content, 0)

    def clear(self) -> None:
        """Note that no entrant is to move."""
        if self._file is not None:
            os.pwrite(self._file, b"\n", 0)

    def end(self) -> None:
        """Remove the file, because this process ends on request and nobody is to blame."""
        if self._file is not None and self.folder is not None:
            (self.folder / str(os.getpid())).unlink(missing_ok=True)


TURN = TurnMark()


def turns_in(folder: Path) -> list[Turn]:
    """Return the notes of dead workers and empty their folder."""
    found = []
    for file in sorted(folder.glob("*")):
        line = file.read_bytes().partition(b"\n")[0]
        with suppress(msgspec.MsgspecError):  # empty, or written by another program
            found.append(msgspec.json.decode(line, type=Turn))
        file.unlink()
    return found


def end_worker() -> NoReturn:
    """Kill the bots and exit this process, even in the middle of a game."""
    BOTS.are_over = True
    try:
        with suppress(OSError):
            TURN.end()
        BOTS.end()
    finally:
        os._exit(1)
