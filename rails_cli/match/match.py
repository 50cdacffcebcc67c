"""A game in progress, without input and output: the seat to move, the actions played, and their log lines."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from typing import Any, NamedTuple

import msgspec

from rails_cli import __version__
from rails_cli.games.game import Game, IllegalAction, check_listed, digest, without_info_fields
from rails_cli.games.openings import opening_actions
from rails_cli.match.clock import SeatClock
from rails_cli.protocol.common import Bid, BidRange, Passed
from rails_cli.protocol.log import LOG_FORMAT, ActionLine, Header, Opening, PlayerLine, ResultLine, Seed, SetupLine

SERVER = f"rails-cli {__version__}"


def header_of(
    game: Game[Any, Any],
    options: Any,
    seed: Seed | None,
    players: Sequence[PlayerLine],
    *,
    board: Any = "standard",
    clock: dict[str, Any] | None = None,
    opening: Opening | None = None,
    match: str | None = None,
    anonymous: bool = False,
) -> Header:
    """Return the header of a log. `board` is "standard" or the decoded content of a board file.

    `match` is the name of the match. If `anonymous`, messages to players do not contain the players' names.
    """
    return Header(
        log_format=LOG_FORMAT,
        game=game.name,
        rules_version=game.rules_version,
        options=msgspec.to_builtins(options),
        seed=seed,
        board=board,
        players=list(players),
        clock=clock,
        server=SERVER,
        opening=opening,
        match=match,
        anonymous=anonymous,
    )


def unique_name(wanted: str, taken: Collection[str | None]) -> str:
    """Return the name `wanted`. If it is in `taken`, append the first number that makes it unique."""
    name, count = wanted, 2
    while name in taken:
        name, count = f"{wanted} {count}", count + 1
    return name


_BOARD_JSON: dict[int, tuple[Any, msgspec.Raw]] = {}


def board_json(game: Game[Any, Any], board: Any) -> msgspec.Raw:
    """Return `board` as JSON for clients. The JSON is cached for each board object."""
    cached = _BOARD_JSON.get(id(board))
    if cached is None or cached[0] is not board:
        cached = _BOARD_JSON[id(board)] = (board, msgspec.Raw(msgspec.json.encode(game.wire_board(board))))
    return cached[1]


class Snapshot(NamedTuple):
    """A stored position of a match. `Match.restore` sets the match back to this position.

    `number` and `events` are the numbers of actions and events before the position.
    """

    state: Any
    number: int
    events: int


class Match:
    """A game in progress. `seat` is the seat to move, or None at the end. `legal` lists its legal actions."""

    __slots__ = (
        "board",
        "game",
        "has_digests",
        "header",
        "history",
        "legal",
        "number",
        "opening",
        "options",
        "questions",
        "seat",
        "setup_line",
        "state",
    )

    def __init__(self, game: Game[Any, Any], board: Any, header: Header, setup_events: Sequence[Any] = ()) -> None:
        """Set up a game from the seed in the header.

        If the header has no seed, use the random results in `setup_events` instead.
        """
        self.game = game
        self.board = board
        self.header = header
        self.options = msgspec.convert(header.options, game.options_type)
        self.has_digests = True
        """Whether log lines of actions contain a digest of the position. False if no log is written."""
        self.number = 0
        self.questions = 0
        """Number of questions answered so far: actions, and forced passes that the rules played automatically.

        Forced passes count like other passes. Otherwise the number of the next request would reveal a forced pass.
        """
        self.seat: int | None = None
        self.legal: list[Any] = []
        events: list[Any] = []
        if header.seed is None:
            self.state = game.setup_from_events(board, len(header.players), self.options, setup_events)
            events.extend(setup_events)
        else:
            self.state = game.setup(board, len(header.players), self.options, header.seed, events)
        self.setup_line: SetupLine[Any] = SetupLine(events, digest(game, self.state))
        self.history = events.copy()
        self.questions = count_forced_passes(events)
        self.opening = opening_actions(game, header.opening)
        """The first actions of the game, which are played without asking the seats."""
        self._ask()

    @property
    def is_over(self) -> bool:
        return self.seat is None

    def submit(
        self, seat: int, action: Any, *, ms: int | None = None, default: bool = False, info: Any = None
    ) -> ActionLine[Any, Any]:
        """Play `action` for `seat` and return its log line. Raise IllegalAction and change nothing if it is not legal.

        `ms` is the time used in milliseconds, `default` marks a default action, and `info` is a note of the player.
        These three values are only logged.
        """
        if self.seat is None:
            raise IllegalAction("the game has ended; no action is possible")
        if seat != self.seat:
            raise IllegalAction(f"seat {seat} is not to move; seat {self.seat} is")
        check_listed(self.legal, action)
        return self.play(action, ms, default, info)

    def play_opening(self) -> list[ActionLine[Any, Any]]:
        """Play the rest of the opening and return its log lines. Raise IllegalAction if an action is not legal."""
        lines = []
        for action in self.opening[self.number :]:
            check_listed(self.legal, action)
            lines.append(self.play(action, opening=True))
        return lines

    def play(
        self, action: Any, ms: int | None = None, default: bool = False, info: Any = None, *, opening: bool = False
    ) -> ActionLine[Any, Any]:
        """Play an action for the seat to move without checking that it is legal. Return its log line.

        If `action` is a range of bids, play the lowest bid. `ms`, `default` and `info` are only logged (see `submit`),
        and so is `opening`, which marks an action of the opening.
        """
        game, state, seat = self.game, self.state, self.seat
        assert seat is not None
        action = Bid(action.min) if type(action) is BidRange else without_info_fields(action)
        events: list[Any] = []
        game.apply(state, self.board, action, events)
        self.number += 1
        self.questions += 1
        for event in events:
            if type(event) is Passed and event.forced:
                self.questions += 1
        self.history += events
        question = state.pending
        if question is None:
            self.seat, self.legal = None, []
        else:
            self.seat, self.legal = question.seat, game.legal_actions(state, self.board)
        state_digest = digest(game, state) if self.has_digests else ""
        return ActionLine(self.number, seat, action, events, state_digest, ms, default, info, opening)

    def snapshot(self) -> Snapshot:
        return Snapshot(self.state.copy(), self.number, len(self.history))

    def restore(self, snapshot: Snapshot) -> None:
        """Return to the position of `snapshot` and remove all later actions and events."""
        self.state, self.number = snapshot.state.copy(), snapshot.number
        del self.history[snapshot.events :]
        self.questions = self.number + count_forced_passes(self.history)
        self._ask()

    def copy_at(self, snapshot: Snapshot, header: Header | None = None) -> "Match":
        """Return a new match in the position of `snapshot`, optionally with another header."""
        other = Match(self.game, self.board, header or self.header, self.setup_line.events)
        other.has_digests = self.has_digests
        other.history = self.history[: snapshot.events]
        other.restore(snapshot)
        return other

    def events_for(self, observer: int, since: int) -> list[Any]:
        """Return the events from index `since` on, without what `observer`, a seat or PUBLIC, may not see."""
        return self.game.redacted(self.history[since:], observer, self.options)

    def event_parts(self, observer: int, since: int) -> list[list[Any]]:
        """Return the events of `events_for`, divided into one list per message.

        A forced pass that looks like a chosen pass to `observer` begins a new list. If it were in the message of the
        action before it, `observer` would know that nobody was asked.
        """
        parts: list[list[Any]] = [[]]
        for event, original in zip(self.events_for(observer, since), self.history[since:], strict=True):
            if type(event) is Passed and event.forced != original.forced:
                parts.append([])
            parts[-1].append(event)
        return parts

    def view_for(self, observer: int) -> Any:
        return self.game.view(self.state, self.board, observer)

    @property
    def default(self) -> int:
        """Index of the default action in `legal`. The default action is played for a seat that does not answer."""
        return len(self.legal) - 1

    def chosen(self, choice: int) -> Any:
        """Return the action at index `choice` of the legal list. From a range of bids, return the lowest bid.

        Raise IllegalAction if there is no such index.
        """
        if not 0 <= choice < len(self.legal):
            last = len(self.legal) - 1
            raise IllegalAction(f"choice {choice} is not in the legal list; it has the entries 0 to {last}")
        entry = self.legal[choice]
        return Bid(entry.min) if type(entry) is BidRange else entry

    def result_line(self, reason: str = "normal") -> ResultLine:
        game, state = self.game, self.state
        return ResultLine(game.scores(state), game.ranks(state, self.board), reason, digest(game, state))

    def _ask(self) -> None:
        question = self.state.pending
        self.seat = None if question is None else question.seat
        self.legal = [] if question is None else self.game.legal_actions(self.state, self.board)


class ResumePoint(NamedTuple):
    """A match at the end of an unfinished log, with the time left, faults and default actions of each seat."""

    match: Match
    size: int
    """Length of the log in bytes, without an incomplete last line."""
    clocks: list[SeatClock]
    faults: list[Counter[str]]
    defaults: list[int]
    has_setup: bool
    """Whether the log contains the set-up line. If not, this line must be written before the match continues."""
    own_positions: list[Any]
    """The positions before each action that the seat to move has played since the last action of another seat."""
    request_offset: int = 0
    """Number added to all request numbers, so that numbers used before an undo are not used again."""


def count_forced_passes(events: Iterable[Any]) -> int:
    """Return the number of forced passes in `events`. The rules play a forced pass for a seat that cannot act."""
    return sum(type(event) is Passed and event.forced for event in events)
