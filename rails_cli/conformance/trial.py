"""Games that a check plays.

The seed, the actions and the log of the last game are kept, so that a failure can be reported.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from rails_cli.conformance.settings import PlayedStep, Players, Setting, walk
from rails_cli.games.game import IllegalAction
from rails_cli.logs.chain import Chain
from rails_cli.match.match import Match, header_of
from rails_cli.protocol.common import Bid, BidRange
from rails_cli.protocol.log import PlayerLine

FEWEST_STEPS = 3
"""Approximate minimum number of steps that `Trial.sampled` yields from a game. A very short game has fewer."""
RECORDED: dict[tuple[str, int, str], list[Any]] = {}
"""Actions of games that were already played, by setting, seed and policy.

With its actions, a game can be repeated quickly.
"""


class Nonconformity(Exception):
    """Raised by a check that a game does not pass. The message says what was found and what was expected."""


class Extras(NamedTuple):
    """Optional functions and players that make the checks of one game stricter."""

    audit: Callable[[Any, Any], None] | None = None
    """Function that takes a position and the board. It raises an exception if the position is inconsistent."""
    near_misses: Callable[[Any, Any], Iterable[tuple[int, Any]]] | None = None
    """Function that takes a position and the board. It returns pairs of a seat and an action that must be refused."""
    audit_ranks: Callable[[Any, Sequence[int], Sequence[int]], None] | None = None
    """Function that takes a final position, its scores and its ranks.

    It raises an exception if scores and ranks disagree.
    """
    policies: Players = {}  # noqa: RUF012 (never changed)
    """Mapping from names to players that can be policies in addition to the players of the game."""


@dataclass
class Trial:
    """The games that one check plays with one setting and one policy."""

    setting: Setting
    policy: str
    players: Players
    """Mapping from names to all players that can be a policy."""
    extras: Extras
    seeds: range
    """Seeds of the games to play, one game per seed."""
    all_settings: Sequence[Setting]
    """All settings of the game."""
    seed: int = 0
    actions: list[Any] = field(default_factory=list)
    """Actions of the last game up to the position that is being checked."""

    def __post_init__(self) -> None:
        self.game, self.board = self.setting.game, self.setting.board

    def start(self, seed: int, events: list[Any] | None = None) -> Any:
        """Return the first position of a new game. Append the events of its set-up to `events`, unless it is None."""
        self.seed, self.actions = seed, []
        return self.setting.start(seed, events)

    def walk(self, seed: int, policy: str = "", state: Any = None, every: int = 1) -> Iterator[PlayedStep]:
        """Yield steps of the game with the seed `seed`, in which `policy` chooses all moves.

        By default, `policy` is the trial's policy. The game starts from `state`, or from the set-up if `state` is None.
        If RECORDED has the actions of the game, these actions are repeated, and only every `every`-th step is yielded.
        Otherwise all steps are yielded.
        """
        policy = policy or self.policy
        self.seed, self.actions = seed, []
        key = (repr(self.setting), seed, policy)
        if key not in RECORDED:
            for step in walk(self.setting, seed, policy, self.players, state):
                yield step
                self.actions.append(step.action)
            RECORDED[key] = self.actions
            return
        state = self.setting.start(seed) if state is None else state
        for number, action in enumerate(RECORDED[key]):
            if number % every == 0:
                yield PlayedStep(state, self.game.legal_actions(state, self.board), state.pending.seat, action)
            self.game.apply(state, self.board, action, None)
            self.actions.append(action)

    def sampled(self, seeds: Iterable[int], every: int, policy: str = "") -> Iterator[PlayedStep]:
        """Play a game with each of `seeds`, and yield every `every`-th step.

        In short games, yield more of the steps.
        """
        for seed in seeds:
            key = (repr(self.setting), seed, policy or self.policy)
            if key not in RECORDED:
                deque(self.walk(seed, policy), maxlen=0)  # records the actions
            apart = min(every, len(RECORDED[key]) // FEWEST_STEPS | 1)  # odd, so that all seats have their turn
            yield from self.walk(seed, policy, every=apart)

    def audit(self, state: Any) -> None:
        """Check a position with the function `audit` in the game's `Extras`.

        Do nothing if there is no such function.
        """
        if self.extras.audit is not None:
            self.extras.audit(state, self.board)

    def match(self, seed: int = 0) -> Match:
        self.seed, self.actions = seed, []
        players = [PlayerLine(f"seat {seat + 1}", self.policy) for seat in range(self.setting.players)]
        return Match(self.game, self.board, header_of(self.game, self.setting.options, seed, players))

    def log(self) -> bytes:
        """Return the log of the last game up to the checked position.

        If an action cannot be replayed, the log ends before it.
        """
        actions = list(self.actions)
        lines: list[Any] = []
        try:
            match = self.match(self.seed)
            lines = [match.header, match.setup_line]
            for action in actions:
                lines.append(match.play(action))
            if match.is_over:
                lines.append(match.result_line())
        except (Exception, SystemExit):  # the game is broken, which is why its log is wanted
            pass
        self.actions = actions
        return Chain().lines(lines)


def require(condition: object, message: str) -> None:
    """Raise Nonconformity with `message` unless `condition` is true."""
    if not condition:
        raise Nonconformity(message)


def refuses(function: Callable[..., Any], *arguments: Any) -> bool:
    """Return whether `function` raises IllegalAction with a message."""
    try:
        function(*arguments)
    except IllegalAction as refusal:
        return bool(str(refusal))
    return False


def first_difference(name: str, one: Any, other: Any) -> str:
    """Return a phrase that says where two JSON values differ. `name` is the name of the whole value."""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        for key in sorted({*one, *other}, key=str):
            if one.get(key) != other.get(key):
                return first_difference(f"{name}.{key}", one.get(key), other.get(key))
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for number, (a, b) in enumerate(zip(one, other, strict=True)):
            if a != b:
                return first_difference(f"{name}[{number}]", a, b)
    return f"{name} is {one!r:.200} and {other!r:.200}"


def playable(legal: Sequence[Any]) -> Iterator[Any]:
    """Yield the actions in a list of legal actions. A range of bids yields its lowest and its highest bid."""
    for entry in legal:
        if type(entry) is BidRange:
            require(entry.min <= entry.max, f"the range of bids {entry} is empty")
            yield Bid(entry.min)
            yield Bid(entry.max)
        else:
            yield entry
