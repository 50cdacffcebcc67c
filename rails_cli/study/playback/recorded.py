"""A logged game as a list of positions. A log with a wrong line can be viewed up to that line."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from rails_cli.games import load_face
from rails_cli.games.faces.interface import Face
from rails_cli.games.game import ALL_SEATS, Game, final_ranks, without_info_fields
from rails_cli.games.shared.text import printable
from rails_cli.logs.reading import BadLog, lost_seats, read_log
from rails_cli.logs.replay import ReplayedLine, replay
from rails_cli.logs.signing import Signing
from rails_cli.logs.verify import check_signatures
from rails_cli.match.faults import TAKEN_OVER
from rails_cli.protocol.log import ActionLine, FaultLine, Header, ResultLine, ResumedLine, SetupLine, UndoLine


class LogWithoutSetup(BadLog):
    """Raised for a log that ends before its set-up line (the second line), but is valid so far."""


class Moment(NamedTuple):
    """The position after action `number`, and what the log contains about that action.

    Number 0 is the set-up, before the first action. Seat `by` played the action with the comment `info`. `faults` and
    `taken_back` precede the action in the log. `to_move` and `legal` belong to the position.
    """

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


class TakenBack(NamedTuple):
    """A move that `seat` took back because the other players agreed, and the actions that were undone with it."""

    seat: int
    moments: list[Moment]


@dataclass
class Recorded:
    """A game read from a log, with the position after each action.

    `mistake` describes the first wrong line of the log, or is None. The fields that start with `late_` have what the
    log contains after the last action.
    """

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
    """Numbers of the actions at which the game was resumed: the first action after each resumption."""
    mistake: str | None = None
    is_torn: bool = False
    signing: Signing | None = None

    @property
    def last(self) -> int:
        return len(self.moments) - 1

    @property
    def is_complete(self) -> bool:
        """Whether the log cannot become longer, because it has a result or a wrong line."""
        return self.result is not None or self.mistake is not None

    @cached_property
    def wire_board(self) -> dict[str, Any]:
        return self.game.wire_board(self.board)

    @cached_property
    def face(self) -> Face:
        return load_face(self.game.name)

    def view(self, moment: Moment, observer: int) -> Any:
        return self.game.view(moment.state, self.board, observer)

    def events(self, moment: Moment, observer: int) -> list[Any]:
        """Return the events of an action as `observer` (a seat, PUBLIC or ALL_SEATS) may see them."""
        return [self.game.redact(event, observer, self.options) for event in moment.events]

    def is_landmark(self, moment: Moment) -> bool:
        """Return whether an action has an event to which a replay can jump, such as the payment of a dividend."""
        return not self.face.landmarks.isdisjoint(map(type, moment.events))

    def legal(self, moment: Moment, observer: int) -> list[Any] | None:
        """Return the legal actions in the position of `moment`, or None if `observer` may not know them."""
        return moment.legal if observer in (ALL_SEATS, moment.to_move) or moment.to_move is None else None

    def faults(self, moment: Moment | None, observer: int) -> list[FaultLine]:
        """Return the faults logged just before the action of `moment`. None for `moment` means after the last action.

        If `observer` is not ALL_SEATS, messages about other seats are replaced, because they may reveal hidden
        information.
        """
        faults = self.late_faults if moment is None else moment.faults
        return [
            fault
            if observer in (ALL_SEATS, fault.seat)
            else FaultLine(fault.number, fault.seat, fault.code, "hidden from the other seats")
            for fault in faults
        ]

    def all_faults(self) -> list[FaultLine]:
        return [*(fault for moment in self.moments for fault in moment.faults), *self.late_faults]

    def taken_over(self) -> dict[int, range]:
        """Return a mapping from each seat that a substitute took over to the range of actions in which it played.

        A substitute plays until the end, or until the game was resumed. A player who returns to a seat at a server also
        ends the substitution, but the log does not contain this.
        """
        lost = [fault for fault in self.all_faults() if fault.message.endswith(TAKEN_OVER)]
        return {fault.seat: range(fault.number, self._resumed_after(fault)) for fault in lost}

    def _resumed_after(self, fault: FaultLine) -> int:
        return next((number for number in self.resumed if number > fault.number), max(self.last, fault.number) + 1)

    def lost(self) -> set[int]:
        """Return the seats whose players failed too often. These seats are ranked last."""
        return lost_seats(self.header, self.all_faults(), self.resumed)

    def ranks(self) -> list[int] | None:
        """Return the final rank of each seat, or None if the log has no result.

        Players who lost their seats are ranked last.
        """
        result = self.result
        return None if result is None else final_ranks(result.ranks, self.lost(), result.reason)

    def info(self, moment: Moment, observer: int) -> Any:
        """Return the player's comment on an action, or None if there is no comment that `observer` may see."""
        return moment.info if observer in (ALL_SEATS, moment.by) else None


def read_recorded(content: bytes) -> Recorded:
    """Read the game in a log up to the first wrong line.

    Raise BadLog if the header or the line of the set-up is not valid.
    """
    if b"\n" not in content:
        raise LogWithoutSetup(1, "no header: the file has no whole line")
    log = read_log(content)
    steps = replay(log, with_taken_back=True)
    first = next(steps, None)
    if first is None:
        raise LogWithoutSetup(2, "the log ends before the set-up")
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
        recorded.signing = check_signatures(log)
    except BadLog as bad:
        recorded.mistake = str(bad)
    return recorded


def _add(recorded: Recorded, step: ReplayedLine) -> None:
    message = step.message
    if isinstance(message, FaultLine):
        recorded.late_faults.append(message)
    elif isinstance(message, ResultLine):
        recorded.result = message
    elif isinstance(message, ActionLine):
        faults, recorded.late_faults = recorded.late_faults, []
        taken_back, recorded.late_taken_back = recorded.late_taken_back, []
        moment = _moment(step, message)._replace(
            by=message.seat, action=without_info_fields(message.action), faults=faults
        )
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
    elif isinstance(message, SetupLine):
        recorded.moments.append(_moment(step, message))


def _moment(step: ReplayedLine, message: SetupLine[Any] | ActionLine[Any, Any]) -> Moment:
    match = step.match
    return Moment(match.number, list(step.events), message.digest, match.state.copy(), match.seat, match.legal)


def printable_board(board: dict[str, Any]) -> dict[str, Any]:
    return {key: _printable(key, value) for key, value in board.items()}


def _printable(key: str, value: Any) -> Any:
    if isinstance(value, dict):
        return printable_board(value)
    if isinstance(value, list | tuple):
        return [_printable(key, entry) for entry in value]
    return printable(value) if key in ("name", "title") and isinstance(value, str) else value
