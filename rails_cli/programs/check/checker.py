"""Matches that check a bot: their set-up, the bot's faults, and the search for suitable positions."""

import shlex
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any, NamedTuple, get_args

import msgspec

from rails_cli.games.game import Game
from rails_cli.games.options import typed_value
from rails_cli.games.plain import tag_of, union_members
from rails_cli.games.shared.luck import opaque_id
from rails_cli.logs.chain import log_of
from rails_cli.match.clock import clock_line
from rails_cli.match.faults import DEFAULT_PLAYED
from rails_cli.match.match import Match, header_of, unique_name
from rails_cli.match.seat_specs import BUILTIN
from rails_cli.match.session import MatchPolicy, Player
from rails_cli.players.builtin import builtin_player, players_of
from rails_cli.programs.check.checked_bot import AnswersReached, CheckedBot
from rails_cli.programs.check.observations import PLAIN, Delivery, Observations, kind_of, shown
from rails_cli.programs.limits import NO_LIMITS, BotLimits
from rails_cli.protocol.log import ActionLine, FaultLine, PlayerLine, ResumedLine
from rails_cli.protocol.messages import Clock, ClockLeft
from rails_cli.referee.seats import LineSeat
from rails_cli.referee.single import Referee

ROUNDS = 6
"""Number of seeds tried for each number of players in the search for a position."""
RARE_GAMES = 160
"""Maximum number of games, over all numbers of players, in the search for events that the bot has not received."""
SENSIBLE_EACH = 8
"""In the search for unseen events, every n-th game is played by stronger players, where n is this number.

Stronger players cause rare events.
"""


class Times(NamedTuple):
    """The clock of a check: `now` returns the time in seconds, and `sleep` pauses for seconds on this clock."""

    now: Callable[[], float] = time.perf_counter
    sleep: Callable[[float], None] = time.sleep


REAL_TIMES = Times()


class Subject(NamedTuple):
    """A game and a board to check the bot with, and the numbers of players to try."""

    game: Game[Any, Any]
    board: Any
    sizes: tuple[int, ...] = ()
    """Numbers of players to try, with default options. If empty, all numbers of players and all options are tried."""

    @property
    def players(self) -> Sequence[int]:
        return self.sizes or self.game.players

    @property
    def options(self) -> list[Any]:
        """Combinations of game options to try, the default options first."""
        return [self.game.options_type()] if self.sizes else settings_of(self.game)


@dataclass(frozen=True)
class CheckMatch:
    """The plan of a match in which the bot plays `seats`. The actions `ahead` are played before the bot takes over.

    `names` are the names of the players by seat. If it is empty, default names are used.
    """

    subject: Subject
    players: int
    options: Any
    seed: int
    seats: tuple[int, ...] = ()
    ahead: tuple[Any, ...] = ()
    names: tuple[str, ...] = ()

    def match(self) -> Match:
        return self.begun(None, None, "")[0]

    def begun(self, name: str | None, clock: Clock | None, command: str) -> tuple[Match, list[Any]]:
        """Start the match `name`. Return the match at the position where the bot takes over, and its log lines so far.

        `command` is the bot's command, as written to the log.
        """
        game, board = self.subject.game, self.subject.board
        players: list[PlayerLine] = []
        for seat in range(self.players):
            is_bot = seat in self.seats
            called = self.names[seat] if self.names else "bot" if is_bot else self._other(seat)
            spec = command if is_bot else f"{BUILTIN}{self._other(seat)}"
            players.append(PlayerLine(unique_name(called, [line.name for line in players]), spec))
        written_clock = clock_line(clock)
        header = header_of(game, self.options, self.seed, players, clock=written_clock, match=name)
        match = Match(game, board, header)
        lines: list[Any] = [header, match.setup_line]
        for action in self.ahead:
            assert match.seat is not None
            lines.append(match.submit(match.seat, action))
        if self.ahead:
            lines.append(ResumedLine(match.number + 1, players, written_clock))
        return match, lines

    def other(self, seat: int) -> Player:
        """Return the built-in player for a seat that the bot does not play."""
        return builtin_player(self._other(seat), self.subject.game.name, self.seed, seat)

    @staticmethod
    def _other(seat: int) -> str:
        return "busy" if seat % 2 else "random"

    def __str__(self) -> str:
        chosen = msgspec.structs.asdict(self.options).items()
        words = [
            self.subject.game.name,
            f"{self.players} players",
            *(f"{name}={typed_value(value)}" for name, value in chosen),
        ]
        return ", ".join([*words, f"seed {self.seed}"])


class BotFault(NamedTuple):
    """A fault of the bot: an answer that the referee rejected, or an event such as a timeout or a crash.

    `number` and `kind` are the number of the request and its kind of decision. `words` describe the fault. `printed` is
    the last line that the bot printed on stdout and that was not an answer.
    """

    plan: CheckMatch
    seat: int
    code: str
    words: str
    number: int | None
    kind: str
    answer: str
    stderr: list[str]
    printed: str
    action: int | None = None
    """Number of the action in the log at which the fault occurred. None if the fault is not in the log."""
    log: bytes = b""
    """Log of the match. Empty if the log does not show what the bot received."""

    @property
    def description(self) -> str:
        """Text for users about the match, the request, and the bot's answer."""
        asked = "its first request" if self.number is None else f"request {self.number} ({self.kind})"
        where = f"{self.plan}, seat {self.seat + 1}"
        if self.code == "too_slow":
            hint = f"; it printed {self.printed!r}, but an answer starts with {{" if self.printed else ""
            return f"{where}: {self.words} to {asked}{hint}"
        if self.code == "bad_line":
            return f"{where}: {asked} was answered with {self.answer}, which is not acceptable: {self.words}"
        if self.code in ("illegal_action", "stale_request"):
            return f"{where}: {asked} was answered with {self.answer}: {self.words}"
        return f"{where}: at {asked} the bot {self.words}"


class RecordingOpponent(NamedTuple):
    """A built-in opponent that records its decisions in `met`: the first one of each kind.

    A decision is recorded as the plan of a match in which the bot has to make it. `plan` is the plan of the current
    match, and `played` has the actions after `plan.ahead`.
    """

    player: Player
    plan: CheckMatch
    played: list[Any]
    met: dict[str, CheckMatch]
    is_timed: bool = False

    def choose(self, match: Match, left: ClockLeft | None = None) -> Any:
        assert match.seat is not None
        kind = kind_in(match)
        if kind not in self.met:
            self.met[kind] = replace(self.plan, seats=(match.seat,), ahead=(*self.plan.ahead, *self.played))
        return self.player.choose(match, left)


@dataclass
class BotChecker:
    """Checks of one bot: plays matches, each with new processes, and collects what was observed.

    All checks together may take `limit_s` seconds. `coverage` maps the name of a game to the number of the bot's
    decisions of each kind. `failed` has the names of the failed checks. `hangs` is the number of unanswered requests.
    """

    command: list[str]
    subjects: list[Subject]
    policy: MatchPolicy
    observed: Observations
    seed: int
    limit_s: float
    is_quick: bool
    limits: BotLimits = NO_LIMITS
    coverage: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    failed: set[str] = field(default_factory=set)
    failing_positions: set[tuple[str, str]] = field(default_factory=set)
    """Pairs of a game and a kind of decision for which the bot is known to give illegal answers."""
    events_sent: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    hangs: int = 0
    times: Times = REAL_TIMES

    def __post_init__(self) -> None:
        self.until = self.times.now() + self.limit_s

    def bot(self, delivery: Delivery = PLAIN, until: float | None = None) -> CheckedBot:
        until = min(self.until, until or self.until)
        return CheckedBot(self.command, self.observed, until, delivery, self.limits, *self.times)

    def try_out(self, plan: CheckMatch, delivery: Delivery = PLAIN, *, answers: int | None = None) -> list[BotFault]:
        """Play a match with a new process of the bot, with the given `delivery`. Return the bot's faults.

        The match ends after `answers` answers of the bot. If `answers` is None, it is played to its end.
        """
        with closing(self.bot(delivery)) as bot:
            return self.play({plan.seats[0]: bot}, plan, answers=answers)

    def try_for_game(
        self, plan: CheckMatch, until: float, met: dict[str, CheckMatch], *, answers: int | None = None
    ) -> list[BotFault]:
        """Play a match and return the bot's faults. Raise OutOfTime if the match has not ended at the time `until`.

        The bot's decisions are counted in `coverage`. For decisions of other players, plans of matches that start with
        such a decision are added to `met`, by kind of decision.
        """
        bots = {seat: self.bot(until=until) for seat in plan.seats}
        try:
            return self.play(bots, plan, answers=answers, met=met, leaves=("stale_request",))
        finally:
            for bot in bots.values():
                bot.end()
                self.coverage[plan.subject.game.name] += bot.asked
                self.events_sent[plan.subject.game.name] += bot.events_sent

    def play(
        self,
        bots: dict[int, CheckedBot],
        plan: CheckMatch,
        *,
        answers: int | None = None,
        turn: int = 1,
        met: dict[str, CheckMatch] | None = None,
        leaves: Sequence[str] = (),
        wants_end: bool = True,
    ) -> list[BotFault]:
        """Play the match `plan`. `bots` maps a seat to the bot process that plays it. Return the bot's faults.

        `turn` is the number of this match among the matches of these processes, from 1. Corrected mistakes with codes
        in `leaves` are not returned. See `try_for_game` for `met`, and `CheckedBot.begin` for `answers` and
        `wants_end`.
        """
        faults: list[BotFault] = []
        played: list[Any] = []
        match, lines = plan.begun(opaque_id(self.seed, str(plan), turn), self.policy.clock, shlex.join(self.command))

        def write(line: Any) -> None:
            lines.append(line)
            if isinstance(line, ActionLine):
                played.append(line.action)
            elif isinstance(line, FaultLine):
                words = line.message.partition(DEFAULT_PLAYED)[0]
                bot = bots[line.seat]
                fault = fault_of(plan, line.seat, bot, line.code, words, shown(bot.last_line))
                faults.append(fault._replace(action=line.number))
                self.hangs += line.code == "too_slow"

        sitting: list[LineSeat | Player] = []
        for seat in range(plan.players):
            if seat in bots:
                bots[seat].begin(answers, wants_end=wants_end)
                sitting.append(bots[seat])
            else:
                sitting.append(RecordingOpponent(plan.other(seat), plan, played, {} if met is None else met))
        with suppress(AnswersReached):
            Referee(match, sitting, self.policy, write=write).play()
        reported = {"numbers": "stale_request", "handshake": "bad_line"}
        ignored = {*leaves, *(code for check, code in reported.items() if check in self.failed)}
        for seat, bot in bots.items():
            for slip in [slip for slip in bot.slips if slip.code not in ignored][:1]:
                fault = fault_of(plan, seat, bot, slip.code, slip.words, slip.line)
                faults.append(fault._replace(number=slip.number, kind=slip.kind))
        if faults and turn == 1 and all(bot.delivery is PLAIN for bot in bots.values()):
            faults = [fault._replace(log=log_of(lines)) for fault in faults]
        return [fault for fault in faults if (plan.subject.game.name, fault.kind) not in self.failing_positions]

    def base(self) -> CheckMatch:
        """Return the plan of a match of the first game with as few players as possible."""
        return self.plan(self.subjects[0], self.subjects[0].players[0], self.seed)

    def widest(self) -> CheckMatch:
        """Return the plan of a match of the first game with as many players as possible."""
        return self.plan(self.subjects[0], self.subjects[0].players[-1], self.seed)

    def plan(self, subject: Subject, players: int, seed: int) -> CheckMatch:
        """Return the plan of a match in which the bot plays the seat that moves first."""
        plan = CheckMatch(subject, players, subject.options[0], seed)
        seat = plan.match().seat
        assert seat is not None
        return replace(plan, seats=(seat,))

    def find(self, wanted: Callable[[Match], bool], subjects: Sequence[Subject] | None = None) -> CheckMatch | None:
        """Search for a position for which `wanted` returns true, in games of `subjects` between built-in players.

        Return the plan of a match in which the bot takes over at this position, or None if no position is found.
        Positions in which the bot is known to fail are used only if no other position is found.
        """

        def is_better(match: Match) -> bool:
            return wanted(match) and (match.game.name, kind_in(match)) not in self.failing_positions

        subjects = self.subjects if subjects is None else subjects
        found = self._search(is_better, subjects)
        if found is None and self.failing_positions:
            found = self._search(wanted, subjects)
        return found

    def _search(self, wanted: Callable[[Match], bool], subjects: Sequence[Subject]) -> CheckMatch | None:
        for subject in subjects:
            choices = subject.options
            for turn, players in product(range(ROUNDS), subject.players):
                plan = CheckMatch(subject, players, choices[turn % len(choices)], self.seed + turn)
                for match, seat, played in positions_in(plan, [plan.other(seat) for seat in range(players)]):
                    if wanted(match):
                        return replace(plan, seats=(seat,), ahead=tuple(played))
        return None

    def find_events(self, subject: Subject, until: float) -> list[tuple[CheckMatch, list[str]]]:
        """Search until the time `until` for positions just after events that the bot has not received in any match.

        Return pairs: the plan of a match in which the bot takes over at the position, and the types of these events.
        """
        game = subject.game
        missing = {tag for tag in events_of(game) if not self.events_sent[game.name][tag]}
        sensible = [name for name in ("medium", "greedy") if name in players_of(game.name)]
        choices, found = subject.options, []
        for turn in range(RARE_GAMES // len(game.players) * len(subject.players)):
            if not missing or self.times.now() > until:
                break
            players = subject.players[turn % len(subject.players)]
            plan = CheckMatch(subject, players, choices[turn // 2 % len(choices)], self.seed + turn)
            others = [plan.other(seat) for seat in range(players)]
            if sensible and turn % SENSIBLE_EACH == 0:
                others = [builtin_player(sensible[0], game.name, plan.seed, seat) for seat in range(players)]
            seen = 0
            for match, seat, played in positions_in(plan, others):
                if fresh := missing & {tag_of(event) for event in match.history[seen:]}:
                    found.append((replace(plan, seats=(seat,), ahead=tuple(played)), sorted(fresh)))
                    missing -= fresh
                if not missing:
                    break
                seen = len(match.history)
        return found


def positions_in(plan: CheckMatch, others: Sequence[Player]) -> Iterator[tuple[Match, int, list[Any]]]:
    """Play the match `plan` with the players `others`, one for each seat.

    Before each action, yield the match at this position, the seat to move, and the actions so far.
    """
    match = plan.match()
    match.has_digests = False
    played: list[Any] = []
    while (seat := match.seat) is not None:
        yield match, seat, played
        played.append(match.submit(seat, others[seat].choose(match)).action)


def fault_of(plan: CheckMatch, seat: int, bot: CheckedBot, code: str, words: str, answer: str) -> BotFault:
    return BotFault(plan, seat, code, words, bot.number, bot.kind, answer, bot.last_lines(), bot.printed)


def settings_of(game: Game[Any, Any]) -> list[Any]:
    """Return every combination of the game's options, with the default options first."""
    fields = msgspec.structs.fields(game.options_type)
    default = game.options_type()
    every = [
        msgspec.convert(dict(zip((field.name for field in fields), values, strict=True)), game.options_type)
        for values in product(*(get_args(field.type) for field in fields))
    ]
    return [default, *(options for options in every if options != default)]


def tags_of(game: Game[Any, Any]) -> list[str]:
    """Return the names of all types of entries that the list of legal actions in the game may contain."""
    return [tag_of(entry) for entry in union_members(game.entry_type)]


def events_of(game: Game[Any, Any]) -> list[str]:
    return [tag_of(event) for event in union_members(game.event_type)]


def kind_in(match: Match) -> str:
    return kind_of([tag_of(entry) for entry in match.legal])
