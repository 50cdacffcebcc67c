"""The game in a log as a list of moments, each with its position; what is good before a wrong line can be looked at."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from protocol.log import FaultLine, Header, ResultLine, ResumedLine, UndoLine
from rails_cli.games import load_face
from rails_cli.games.face import Face
from rails_cli.games.game import ALL_SEATS, Game, bare, ranked_last
from rails_cli.games.phrases import printable
from rails_cli.match.replay import (
    TAKEN_OVER,
    ActionRead,
    BadLog,
    SetupRead,
    Signing,
    Step,
    lost_seats,
    read_log,
    replay,
    signing_of,
)
from rails_cli.signing import checker


class NotBegun(BadLog):
    """A log without a mistake so far, and without a set-up."""


class Moment(NamedTuple):
    """The game after an action (number 0: after the set-up), and what the log says of that action."""

    number: int
    events: list[Any]
    digest: str
    state: Any
    to_move: int | None
    legal: list[Any]
    by: int | None = None
    action: Any = None
    faults: Sequence[FaultLine] = ()
    is_default: bool = False
    info: Any = None
    is_opening: bool = False
    taken_back: Sequence["TakenBack"] = ()
    """What had been played here before, and does not count."""


class TakenBack(NamedTuple):
    """Who took a move back, which all others agreed to; that move, and what followed it."""

    seat: int
    moments: list[Moment]


@dataclass
class Recorded:
    """A logged game. `mistake` names the first wrong line, what is `late` came after the last action."""

    header: Header
    game: Game[Any, Any]
    board: Any
    options: Any
    names: list[str]
    moments: list[Moment] = field(default_factory=list)
    late_faults: list[FaultLine] = field(default_factory=list)
    late_taken_back: list[TakenBack] = field(default_factory=list)
    result: ResultLine | None = None
    resumed: list[int] = field(default_factory=list)
    """The numbers of the actions that were asked for when the game was resumed."""
    mistake: str | None = None
    is_torn: bool = False
    signing: Signing | None = None

    @property
    def last(self) -> int:
        """The number of the last action."""
        return len(self.moments) - 1

    @property
    def is_complete(self) -> bool:
        """Whether nothing can follow: the result is there, or a line is wrong."""
        return self.result is not None or self.mistake is not None

    @cached_property
    def wire_board(self) -> dict[str, Any]:
        return self.game.wire_board(self.board)

    @cached_property
    def face(self) -> Face:
        return load_face(self.game.name)

    def view(self, moment: Moment, seer: int) -> Any:
        return self.game.view(moment.state, self.board, seer)

    def events(self, moment: Moment, seer: int) -> list[Any]:
        """What happened, as far as `seer` may know it."""
        return [self.game.redact(event, seer, self.options) for event in moment.events]

    def is_landmark(self, moment: Moment) -> bool:
        """Whether something happened that is worth jumping to."""
        return not self.face.landmarks.isdisjoint(map(type, moment.events))

    def legal(self, moment: Moment, seer: int) -> list[Any] | None:
        """What the seat to move may do; None if that is not for `seer` to know."""
        return moment.legal if seer in (ALL_SEATS, moment.to_move) or moment.to_move is None else None

    def faults(self, moment: Moment | None, seer: int) -> list[FaultLine]:
        """The faults before an action, or after the last one; their words may tell of a hand, others get the kind."""
        faults = self.late_faults if moment is None else moment.faults
        return [
            fault
            if seer in (ALL_SEATS, fault.seat)
            else FaultLine(fault.number, fault.seat, fault.code, "hidden from the other seats")
            for fault in faults
        ]

    def all_faults(self) -> list[FaultLine]:
        return [*(fault for moment in self.moments for fault in moment.faults), *self.late_faults]

    def taken_over(self) -> dict[int, range]:
        """By seat the numbers of the actions since it was lost, which a substitute played: to the end, or until the
        game was resumed. Who came back at a server is not logged."""
        lost = [fault for fault in self.all_faults() if fault.message.endswith(TAKEN_OVER)]
        return {fault.seat: range(fault.number, self._resumed_after(fault)) for fault in lost}

    def _resumed_after(self, fault: FaultLine) -> int:
        return next((number for number in self.resumed if number > fault.number), max(self.last, fault.number) + 1)

    def lost(self) -> set[int]:
        """The seats that come last, because their players failed too often; at a server they could have come back."""
        return lost_seats(self.header, self.all_faults(), self.resumed)

    def ranks(self) -> list[int] | None:
        """The ranks as they count, with lost seats last; None if there is no result."""
        return None if self.result is None else ranked_last(self.result.ranks, self.lost())

    def info(self, moment: Moment, seer: int) -> Any:
        """What the player noted; None if there is nothing, or it is not for `seer` to know."""
        return moment.info if seer in (ALL_SEATS, moment.by) else None


def read_recorded(content: bytes) -> Recorded:
    """The game in a log, up to its first wrong line; raises BadLog if it does not even have a good set-up."""
    if b"\n" not in content:
        raise NotBegun(1, "no header: the file has no whole line")
    log = read_log(content)
    steps = replay(log, with_taken_back=True)
    first = next(steps, None)
    if first is None:
        raise NotBegun(2, "the log ends before the set-up")
    match = first.match
    recorded = Recorded(
        log.header, match.game, match.board, match.options, [printable(player.name) for player in match.header.players]
    )
    recorded.is_torn = log.torn
    _add(recorded, first)
    try:
        for step in steps:
            _add(recorded, step)
    except BadLog as bad:
        recorded.mistake = str(bad)
        return recorded
    if recorded.result is not None and log.torn:
        recorded.mistake = str(BadLog(len(log.lines) + 1, "follows the result"))
        return recorded
    try:
        recorded.signing = signing_of(log, checker)
    except BadLog as bad:
        recorded.mistake = str(bad)
    return recorded


def _add(recorded: Recorded, step: Step) -> None:
    message = step.message
    if isinstance(message, FaultLine):
        recorded.late_faults.append(message)
    elif isinstance(message, ResultLine):
        recorded.result = message
    elif isinstance(message, ActionRead):
        faults, recorded.late_faults = recorded.late_faults, []
        taken_back, recorded.late_taken_back = recorded.late_taken_back, []
        moment = _moment(step, message)._replace(by=message.seat, action=bare(message.action), faults=faults)
        said = moment._replace(is_default=message.default, info=message.info, is_opening=message.opening)
        recorded.moments.append(said._replace(taken_back=taken_back))
    elif isinstance(message, UndoLine):
        undone = recorded.moments[message.to :]
        del recorded.moments[message.to :]
        earlier = [one for moment in undone for one in moment.taken_back]
        recorded.late_faults = list(undone[0].faults)
        recorded.late_taken_back = [*earlier, *recorded.late_taken_back, TakenBack(message.seat, undone)]
    elif isinstance(message, ResumedLine):
        recorded.resumed.append(message.number)
    elif isinstance(message, SetupRead):
        recorded.moments.append(_moment(step, message))


def _moment(step: Step, message: SetupRead | ActionRead[Any]) -> Moment:
    match = step.match
    return Moment(match.number, list(step.events), message.digest, match.state.copy(), match.seat, match.legal)


def printable_board(board: dict[str, Any]) -> dict[str, Any]:
    """The same board, without anything in its names that would move the cursor."""
    return {key: _printable(key, value) for key, value in board.items()}


def _printable(key: str, value: Any) -> Any:
    if isinstance(value, dict):
        return printable_board(value)
    if isinstance(value, list | tuple):
        return [_printable(key, entry) for entry in value]
    return printable(value) if key in ("name", "title") and isinstance(value, str) else value
