"""Replay of logs: play a log again from its header and actions, check every line, and report the first wrong one."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from copy import copy
from functools import cache, lru_cache
from hashlib import sha256
from typing import Any, Generic, NamedTuple, TypeVar, get_args

import msgspec

from protocol.common import Passed
from protocol.log import (
    LOG_FORMAT,
    Branch,
    FaultLine,
    Header,
    PlayerLine,
    ResultLine,
    ResumedLine,
    SignedLine,
    UndoLine,
)
from protocol.messages import Clock, EndReason
from rails_cli.games import NoSuchGame, load_game, load_openings, standard_board
from rails_cli.games.game import BoardError, Game, IllegalAction, ImpossibleEvents, bare, play, ranked_last, words
from rails_cli.games.openings import drawn_opening, opening_actions
from rails_cli.games.phrases import printable
from rails_cli.match.chain import LINK_DIGITS, PREFIX, SIGNATURE
from rails_cli.match.clock import LONGEST_S, SeatClock, clock_line, mistake_in
from rails_cli.match.course import Course
from rails_cli.match.match import Mark, Match

ActionT = TypeVar("ActionT")

FAULT_CODES = (
    "bad_line", "version", "not_your_turn", "stale_request", "illegal_action", "too_slow", "too_long", "disconnect",
)  # fmt: skip
STRIKES = 3
STRIKE_CODES = ("bad_line", "stale_request", "illegal_action")
"""Faults after which the seat may answer the same question again, up to `STRIKES` times."""
DEFAULT_PLAYED = "; default played"
"""Part of a fault's message if the default action was played."""
TAKEN_OVER = "a substitute takes over"
"""End of a fault's message if a built-in player replaces the player of the seat."""
VOIDED = "the match is void"
"""End of a fault's message if the fault ended the match."""
RAN_OUT = f"the time of the match is over, and it has used most of it; {VOIDED}"
"""Message of the fault for exceeding the time of the whole match. The seat need not be the one to move."""
UNFORESEEN = "chance or something hidden came to light"
"""Reason why a move cannot be taken back."""
NOT_MARKED = "follows a fault that says the default was played, but is not marked as the default"
END_REASONS = get_args(EndReason)

MOST_LINES = 100_000
DEEPEST = 50

_ENCODER = msgspec.json.Encoder()
_HEADERS = msgspec.json.Decoder(Header)


class BadLog(Exception):
    """Raised for a log that is invalid. The text begins with the number of the first wrong line."""

    def __init__(self, line: int, message: str, *, is_finished: bool = False, is_before_setup: bool = False) -> None:
        super().__init__(f"line {line}: {printable(message)}")
        self.line = line
        self.is_finished = is_finished
        self.is_before_setup = is_before_setup


class SetupRead(
    msgspec.Struct, tag="setup", tag_field="type", frozen=True, forbid_unknown_fields=True, omit_defaults=True
):
    """A set-up line whose events are not decoded yet."""

    events: msgspec.Raw
    digest: str
    chain: str | None = None


class ActionRead(
    msgspec.Struct,
    Generic[ActionT],
    tag="action",
    tag_field="type",
    frozen=True,
    gc=False,
    forbid_unknown_fields=True,
    omit_defaults=True,
):
    """An action line whose events are not decoded yet."""

    number: int
    seat: int
    action: ActionT
    events: msgspec.Raw
    digest: str
    ms: int | None = None
    default: bool = False
    info: Any = None
    opening: bool = False
    chain: str | None = None


@cache
def _line_decoder(name: str) -> msgspec.json.Decoder[Any]:
    action_type = load_game(name).action_type
    read: Any = ActionRead[action_type]  # type: ignore[valid-type]
    return msgspec.json.Decoder(SetupRead | read | FaultLine | ResumedLine | UndoLine | SignedLine | ResultLine)


_RESULTS = msgspec.json.Decoder(ResultLine)


class Log(NamedTuple):
    """The complete lines of a log. `size` is their length in bytes, `torn` whether an incomplete line follows."""

    header: Header
    lines: list[bytes]
    size: int
    torn: bool


class Step(msgspec.Struct, frozen=True, gc=False):
    """A line of a log, numbered from 1, with its events and the match after it."""

    line: int
    message: SetupRead | ActionRead[Any] | FaultLine | ResumedLine | UndoLine | ResultLine
    match: Match
    events: list[Any]


Check = Callable[[str, bytes, bytes], bool]
"""Return whether a key (hex digits) made this signature of this content. Arguments: key, signature, content."""
FindCheck = Callable[[], Check | None]
"""Return the function that checks signatures. None if signatures cannot be checked here."""


class Signing(NamedTuple):
    """Which key signed a log, and how many of its lines."""

    key: str
    """The public key, as hex digits."""
    lines: int
    """Number of lines in the log."""
    signed: int
    """Number of lines, from the first, that are covered by a signature."""
    is_checked: bool
    """Whether the signatures were checked and are valid. False if they could not be checked."""


class Verification(NamedTuple):
    """The result of verifying a log."""

    actions: int
    is_finished: bool
    is_torn: bool
    mistake: str | None
    is_sealed: bool = False
    """Whether the result line contains the hash of all lines before it."""
    is_opening_checked: bool = True
    """Whether the opening, if there is one, was checked against the seed."""
    signing: Signing | None = None
    """The signature of the log, if its header names a key."""


def read_log(content: bytes) -> Log:
    """Split a log into lines and check its header. Raise BadLog if this program cannot replay it."""
    size = content.rfind(b"\n") + 1
    if content.count(b"\n") > MOST_LINES:
        raise BadLog(MOST_LINES + 1, f"a log has no more than {MOST_LINES:,} lines")
    lines = content[:size].split(b"\n")[:-1]
    if not lines:
        raise BadLog(1, "no header: the file has no whole line", is_before_setup=True)
    try:
        header = _HEADERS.decode(lines[0])
    except msgspec.MsgspecError as error:
        raise BadLog(1, f"not the header of a log: {error}") from None
    except UnicodeDecodeError:
        raise BadLog(1, "not the header of a log: not UTF-8") from None
    except RecursionError:
        raise BadLog(1, "not the header of a log: nested too deeply") from None
    if _ENCODER.encode(header) != lines[0]:
        _check_keys(1, lines[0])
    if _is_deep((header.board, header.options, header.clock)):
        raise BadLog(1, f"not the header of a log: nested more than {DEEPEST} deep")
    if header.log_format != LOG_FORMAT:
        raise BadLog(1, f"log format {header.log_format}; this program reads format {LOG_FORMAT}")
    try:
        game = load_game(header.game)
    except NoSuchGame as error:
        raise BadLog(1, str(error)) from None
    if header.rules_version != game.rules_version:
        written = f"written under rules version {header.rules_version} of {header.game}"
        raise BadLog(1, f"{written}; this program plays version {game.rules_version}")
    if len(header.players) not in game.players:
        words = f"{game.title} is for {game.players[0]} to {game.players[-1]} players, not {len(header.players)}"
        raise BadLog(1, words)
    _check_names(1, header.players)
    try:
        opening_actions(game, header.opening)
    except msgspec.ValidationError as error:
        raise BadLog(1, f"opening: {error}") from None
    _check_clock(1, header.clock)
    return Log(header, lines, size, size < len(content))


def _is_deep(value: Any) -> bool:
    """Return whether lists and dicts are nested more than `DEEPEST` levels deep."""
    level: list[Any] = [value]
    for _ in range(DEEPEST + 1):
        level = [
            inner
            for outer in level
            if isinstance(outer, dict | list | tuple)
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
    return bool(level)


def _check_keys(line: int, content: bytes) -> None:
    """Raise BadLog if an object has the same key twice, because JSON readers differ in which value they use."""

    def pairs(found: list[tuple[str, Any]]) -> None:
        keys = [key for key, _ in found]
        if len(set(keys)) < len(keys):
            repeated = next(key for place, key in enumerate(keys) if key in keys[:place])
            raise BadLog(line, f"the key {repeated!r} appears twice in one object")

    try:
        json.loads(content, object_pairs_hook=pairs)
    except (ValueError, RecursionError) as error:
        raise BadLog(line, f"cannot be read: {error}") from None


def _check_names(line: int, players: list[PlayerLine]) -> None:
    names = [player.name for player in players]
    for name in names:
        if names.count(name) > 1:
            raise BadLog(line, f"two players have the name {name!r}")


def _check_clock(line: int, written: dict[str, Any] | None) -> None:
    try:
        clock_of(written)
    except msgspec.ValidationError as error:
        raise BadLog(line, f"clock: {error}") from None


def clock_of(written: dict[str, Any] | None) -> Clock | None:
    """Convert the clock of a log line. Raise msgspec.ValidationError if it is invalid."""
    if written is None:
        return None
    clock = msgspec.convert(written, Clock)
    mistake = mistake_in(clock)
    if mistake is not None:
        raise msgspec.ValidationError(f"it {mistake}")
    return clock


def _check_time(line: int, ms: int, clock: Clock | None) -> None:
    """Raise BadLog if `ms` is negative or longer than the limit per answer.

    With a bank the limit per answer does not apply, because built-in players are charged but never late.
    """
    most_s = LONGEST_S if clock is None or clock.bank_s is not None or clock.move_s is None else clock.move_s
    most_ms = int(most_s * 1000) + 1
    if not 0 <= ms <= most_ms:
        raise BadLog(line, f"{ms} ms; the time of an answer is not negative, and not more than {most_ms:,} ms here")


def result_in(line: bytes) -> ResultLine | None:
    """Decode a result line. Return None if `line` is something else."""
    try:
        return _RESULTS.decode(line)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None


class _Numbered(msgspec.Struct):
    """The fields of a line that are needed to find actions that were taken back."""

    type: str = ""
    number: int = 0
    to: int = 0
    seat: int = -1
    opening: bool = False


_NUMBERED = msgspec.json.Decoder(_Numbered)


def _taken_back(log: Log) -> tuple[set[int], set[int]]:
    """Return two sets of line numbers, counted from 1: actions that were taken back, and all lines that no longer
    count.

    The second set contains the taken-back actions, the undo lines, and everything in between.
    """
    actions: set[int] = set()
    lines: set[int] = set()
    if not any(b'"undo"' in line for line in log.lines):
        return actions, lines
    standing: list[tuple[int, int]] = []
    for place, line in enumerate(log.lines[1:], 2):
        try:
            message = _NUMBERED.decode(line)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            break  # the replay reports what is wrong
        if message.type == "action":
            standing.append((place, message.number))
        elif message.type == "undo":
            first = place
            while standing and standing[-1][1] >= message.to:
                first = standing.pop()[0]
                actions.add(first)
            lines.update(range(first, place + 1))
    return actions, lines


def replay(log: Log, *, with_taken_back: bool = False) -> Iterator[Step]:
    """Replay a log line by line and check each line. Raise BadLog at the first wrong one.

    Lines that were taken back are checked too, but yielded only if `with_taken_back` is true.
    """
    game = load_game(log.header.game)
    _check_table(log.header, game)
    match: Match | None = None
    is_over = False
    faults = _Faults(len(log.header.players))
    branch = log.header.branch
    clock = clock_of(log.header.clock)
    decode = _line_decoder(game.name).decode
    taken_back, hidden = _taken_back(log)
    played: list[_Played] = []
    earliest = 1
    running = sha256(log.lines[0] + b"\n") if log.header.key is not None else None
    for number, line in enumerate(log.lines[1:], 2):
        try:
            message = decode(line)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            what = f"not an action of {game.name}" if "$.action" in str(error) else "cannot be read"
            raise BadLog(number, f"{what}: {error}") from None
        if _ENCODER.encode(message) != line:
            _check_keys(number, line)
        if is_over:
            raise BadLog(number, "follows the result")
        _check_link(number, message, line, None if running is None else running.hexdigest())
        if running is not None:
            running.update(line + b"\n")
        events: list[Any] = []
        if type(message) is SetupRead:
            if match is not None:
                raise BadLog(number, "a second set-up")
            match, events = _set_up(log, game, message, number)
        elif match is None:
            raise BadLog(number, "precedes the set-up")
        elif type(message) is SignedLine:
            continue
        elif type(message) is ActionRead:
            _check_number(number, match, message.number)
            _check_opening(number, match, message)
            if branch is not None and message.number >= branch.number and number not in taken_back:
                raise _no_branch(number, branch)
            if message.ms is not None:
                _check_time(number, message.ms, clock)
            if message.default or faults.are_open:
                faults.close(number, message.seat if message.default else None)
            if message.default and not match.is_over and bare(match.chosen(match.default)) != bare(message.action):
                raise BadLog(number, "marked as the default, but the default is another action")
            mark = match.mark() if number in taken_back else None
            try:
                if log.header.seed is None:
                    game.preload_chance(match.state, match.board, _events(game, message.events, number))
                submitted = match.submit(message.seat, message.action)
            except IllegalAction as illegal:
                raise BadLog(number, f"illegal action: {illegal}") from None
            except ImpossibleEvents as error:
                raise BadLog(number, f"impossible chance event: {error}") from None
            events = submitted.events
            _same(number, game, message, events, submitted.digest)
            if taken_back:
                played.append(_Played(message.seat, mark, any(type(one) in game.unforeseeable for one in events)))
        elif type(message) is ResultLine:
            _check_result(number, match, message)
            if branch is not None:
                raise _no_branch(number, branch)
            faults.close(number, is_broken_off=message.reason != "normal")
            _check_chain(log, number, message)
            is_over = True
        elif type(message) is FaultLine:
            _check_number(number, match, message.number)
            if match.number < len(match.opening):
                raise BadLog(number, "a fault in the opening, in which nobody is to move")
            if not 0 <= message.seat < len(log.header.players):
                raise BadLog(number, f"seat {message.seat}; the seats are 0 to {len(log.header.players) - 1}")
            if message.code not in FAULT_CODES:
                raise BadLog(number, f"fault code {message.code!r}; the codes are {', '.join(FAULT_CODES)}")
            if message.code != "disconnect" and message.message != RAN_OUT and message.seat != match.seat:
                raise BadLog(number, f"a fault of seat {message.seat}, which is not to move")
            faults.add(number, message)
        elif type(message) is UndoLine:
            _check_number(number, match, message.number)
            start = _taken_back_to(number, message, played, max(earliest, len(match.opening) + 1))
            if message.ms is not None:
                _check_time(number, message.ms, clock)
            faults.close(number, is_broken_off=True)
        else:
            assert type(message) is ResumedLine
            _check_number(number, match, message.number)
            if len(message.players) != len(log.header.players):
                words = f"resumed by {len(message.players)} players instead of {len(log.header.players)}"
                raise BadLog(number, words)
            _check_names(number, message.players)
            _check_clock(number, message.clock)
            clock = clock_of(message.clock)
            faults.close(number, is_broken_off=True)
            if branch is not None and message.number == branch.number and number not in hidden:
                earliest, branch = branch.number, None
        if type(message) is UndoLine:
            if with_taken_back:
                yield Step(number, message, match, events)
            match.rewind(start)
        elif with_taken_back or number not in hidden:
            yield Step(number, message, match, events)


class _Played(NamedTuple):
    """An action of the log, with what is needed to take it back."""

    seat: int
    mark: Mark | None
    """The match before the action. None unless the action is taken back later."""
    is_by_chance: bool
    """Whether the action revealed chance or hidden information."""


def _taken_back_to(line: int, undo: UndoLine, played: list[_Played], earliest: int) -> Mark:
    """Check `undo`, remove the actions it takes back from `played`, and return the match before them. Raise BadLog."""
    own = [number for number, one in enumerate(played, 1) if one.seat == undo.seat and number >= earliest]
    if not own:
        raise BadLog(line, f"seat {undo.seat} has no move to take back")
    if undo.to != own[-1]:
        raise BadLog(line, f"takes back action {undo.to}; the last of seat {undo.seat} is {own[-1]}")
    if any(one.is_by_chance for one in played[undo.to - 1 :]):
        raise BadLog(line, f"takes back action {undo.to}, after which {UNFORESEEN}")
    mark = played[undo.to - 1].mark
    assert mark is not None
    del played[undo.to - 1 :]
    return mark


class _Faults:
    """The faults at the open question. Checks that the default action is played after a fault that announces it, and
    only then."""

    def __init__(self, players: int) -> None:
        self.strikes = [0] * players
        self.are_open = False
        self.lost: int | None = None
        """The seat whose last fault says that the default action was played."""

    def add(self, line: int, fault: FaultLine) -> None:
        if self.lost is not None:
            raise BadLog(line, NOT_MARKED)
        self.are_open = True
        is_strike = fault.code in (*STRIKE_CODES, "too_long")
        strikes = self.strikes[fault.seat] = self.strikes[fault.seat] + is_strike
        if DEFAULT_PLAYED in fault.message and (strikes >= STRIKES or fault.code not in STRIKE_CODES):
            self.lost = fault.seat
        elif is_strike and strikes >= STRIKES:
            raise BadLog(line, f"strike {strikes} at one question; with strike {STRIKES} the default is played")

    def close(self, line: int, default_of: int | None = None, *, is_broken_off: bool = False) -> None:
        """Close the open question and forget its faults. Raise BadLog if the faults and the default action contradict
        each other.

        `default_of` is the seat for which the default action was played. `is_broken_off` means that the question was
        not answered.
        """
        if default_of is not None and default_of != self.lost:
            raise BadLog(line, "marked as the default, but the faults before it do not lead to it")
        if default_of is None and self.lost is not None and not is_broken_off:
            raise BadLog(line, NOT_MARKED)
        self.strikes = [0] * len(self.strikes)
        self.are_open, self.lost = False, None


def _check_number(line: int, match: Match, number: int) -> None:
    if number != match.number + 1:
        raise BadLog(line, f"action number {number}; {match.number + 1} is next")


def _check_opening(line: int, match: Match, message: ActionRead[Any]) -> None:
    """Raise BadLog unless the actions of the opening come first, are marked, and carry no time, no note and no default
    flag."""
    if match.number >= len(match.opening):
        if message.opening:
            raise BadLog(line, f"marked as opening, which has {len(match.opening)} actions")
        return
    if not message.opening:
        raise BadLog(line, f"not marked as opening, which has {len(match.opening)} actions")
    if bare(message.action) != match.opening[match.number]:
        wanted = words(match.opening[match.number])
        raise BadLog(line, f"the opening has {wanted} here, not {words(message.action)}")
    if message.ms is not None or message.default or message.info is not None:
        raise BadLog(line, "an action of the opening has neither time, nor a note, nor is it a default")


def _check_source(log: Log, match: Match) -> None:
    """Raise BadLog unless the opening can be played.

    A drawn opening must also be the one drawn from the seed, if its version is that of this program.
    """
    opening, game = log.header.opening, match.game
    if opening is None:
        return
    try:
        state = match.state
        for action in match.opening:
            state = play(game, match.board, state, -1 if state.pending is None else state.pending.seat, action)
    except IllegalAction as illegal:
        raise BadLog(1, f"opening: {illegal}") from None
    if opening.source == "drawn" and log.header.seed is not None:
        drawn = drawn_opening(game, match.board, len(log.header.players), match.options, log.header.seed)
        if drawn is None:
            raise BadLog(1, f"opening: {game.title} has none to draw")
        if (opening.version or 0) > (drawn.version or 0):
            was, ours = f"drawn by version {opening.version}", f"this program draws by version {drawn.version}"
            raise BadLog(1, f"opening: {was}; {ours}")
        if opening.version == drawn.version and match.opening != drawn.actions:
            raise BadLog(1, f"opening: seed {log.header.seed} draws another one")


def _can_check_opening(header: Header) -> bool:
    """Return whether the opening can be recomputed from the header. It cannot if it comes from a book or another
    version."""
    if header.opening is None:
        return True
    openings = load_openings(header.game)
    is_ours = openings is not None and header.opening.version == openings.version
    return is_ours and header.opening.source == "drawn" and header.seed is not None


def _check_table(header: Header, game: Game[Any, Any]) -> None:
    try:
        msgspec.convert(header.options, game.options_type)
    except msgspec.ValidationError as error:
        raise BadLog(1, f"options: {error}") from None
    try:
        log_board(header)
    except BoardError as error:
        raise BadLog(1, f"board: {error}") from None
    branch = header.branch
    if branch is not None and (branch.number < 1 or not re.fullmatch("[0-9a-f]{64}", branch.head)):
        raise BadLog(1, "`branch` does not say where it starts; expected the head of a log and the number of an action")


def _no_branch(number: int, branch: Branch) -> BadLog:
    return BadLog(number, f"the header says it branches at action {branch.number}, but the log does not get that far")


def _set_up(log: Log, game: Game[Any, Any], message: SetupRead, number: int) -> tuple[Match, list[Any]]:
    told = _events(game, message.events, number) if log.header.seed is None else []
    try:
        match = Match(game, log_board(log.header), _named(log), told)
    except BoardError as error:
        raise BadLog(1, f"board: {error}") from None
    except ImpossibleEvents as error:
        raise BadLog(number, f"cannot be set up: {error}") from None
    _check_source(log, match)
    events = match.setup_line.events
    _same(number, game, message, events, match.setup_line.digest)
    return match, events


def _named(log: Log) -> Header:
    """Return the header of `log`. In a branch its players are replaced by the players of the branch."""
    header = log.header
    return header if header.branch is None else msgspec.structs.replace(header, players=last_terms(log).players)


def _same(
    number: int, game: Game[Any, Any], message: SetupRead | ActionRead[Any], events: list[Any], digest: str
) -> None:
    if bytes(message.events) != _ENCODER.encode(events):
        _check_keys(number, bytes(message.events))
        told = _events(game, message.events, number)
        if told != events or msgspec.json.decode(message.events) != msgspec.to_builtins(events):
            raise BadLog(number, f"events differ: {_first_difference(told, events)}")
    if message.digest != digest:
        raise BadLog(number, f"digest {message.digest}; the position has {digest}")


def _events(game: Game[Any, Any], written: msgspec.Raw, number: int) -> list[Any]:
    try:
        return _event_decoder(game.name).decode(written)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise BadLog(number, f"events cannot be read: {error}") from None


@cache
def _event_decoder(name: str) -> msgspec.json.Decoder[list[Any]]:
    return msgspec.json.Decoder(list[load_game(name).event_type])  # type: ignore[misc]


@cache
def look_into_types(name: str) -> None:
    """Build all decoders of a game before several threads read its logs.

    msgspec crashes if two threads inspect the same type at once.
    """
    standard_board(name)
    _line_decoder(name)
    _event_decoder(name)
    for kind in (load_game(name).options_type, Clock):
        msgspec.json.Decoder(kind)


def _first_difference(told: list[Any], real: list[Any]) -> str:
    for one, other in zip(told, real, strict=False):
        if one != other:
            return f"the log has {_text(one)}, the rules say {_text(other)}"
    if len(told) < len(real):
        return f"the log leaves out {_text(real[len(told)])}"
    if len(told) > len(real):
        return f"the log adds {_text(told[len(real)])}"
    return "the log adds fields that these events do not have"


def _text(event: Any) -> str:
    return _ENCODER.encode(event).decode()


def _check_result(number: int, match: Match, message: ResultLine) -> None:
    wanted = match.result_line(message.reason)
    if message.reason not in END_REASONS:
        raise BadLog(number, f"reason {message.reason!r}; the reasons are {', '.join(END_REASONS)}")
    if message.reason == "normal" and not match.is_over:
        raise BadLog(number, "a normal result, but the game is not over")
    if message.reason != "normal" and match.is_over:
        raise BadLog(number, f"reason {message.reason!r}, but the game was played to its end")
    for field in ("scores", "ranks", "digest"):
        if getattr(message, field) != getattr(wanted, field):
            raise BadLog(number, f"{field} {getattr(message, field)}; the game gives {getattr(wanted, field)}")


def _check_chain(log: Log, number: int, message: ResultLine) -> None:
    if message.chain is not None:
        chain = sha256(b"".join([line + b"\n" for line in log.lines[: number - 1]])).hexdigest()
        if message.chain != chain:
            raise BadLog(number, f"chain {message.chain}; the lines before it have {chain}: something was changed")


def _check_link(number: int, message: Any, line: bytes, head: str | None) -> None:
    """Raise BadLog unless `line` has the right `chain` for the lines before it and its signature, if any, is the last
    field."""
    link, signature = message.chain, getattr(message, "signature", None)
    if signature is not None and not SIGNATURE.search(line):
        raise BadLog(number, "the signature is not the last field of its line, without spaces")
    if type(message) is ResultLine:
        link = None if link is None or head is None else link[:LINK_DIGITS]
    if head is None:
        if link is not None or signature is not None:
            raise BadLog(number, "has a chain or a signature, but the header names no key: line 1 was changed")
    elif link is None:
        raise BadLog(number, "has no chain, but the header names a key: it was changed, or added later")
    elif link != head[:LINK_DIGITS]:
        told = f"chain {link}; the lines before it have {head[:LINK_DIGITS]}"
        raise BadLog(number, f"{told}: line {number - 1} was changed, or lines before this one are missing or moved")


def signing_of(log: Log, find_check: FindCheck) -> Signing | None:
    """Check the signatures of a log. Raise BadLog if one is invalid. Return None if the log names no key."""
    key = log.header.key
    if key is None:
        return None
    check = find_check()
    running = sha256()
    made: list[tuple[int, bytes, bytes]] = []
    for number, line in enumerate(log.lines, 1):
        found = SIGNATURE.search(line)
        if found is not None and number > 1:
            upto = running.copy()
            upto.update(line[: found.start()])
            made.append((number, bytes.fromhex(found[1].decode()), PREFIX + upto.digest()))
        running.update(line + b"\n")
    last = made[-1][0] if made else 0
    if check is None or not made:
        return Signing(key, len(log.lines), last, check is not None)
    held = next((place for place in reversed(range(len(made))) if check(key, *made[place][1:])), -1)
    if held < len(made) - 1:
        since, upto_line = made[held][0] + 1 if held >= 0 else 1, made[held + 1][0]
        who = f"{key[:LINK_DIGITS]} did not sign them like this"
        raise BadLog(upto_line, f"the signature does not hold: lines {since} to {upto_line} were changed, {who}")
    return Signing(key, len(log.lines), last, True)


def log_board(header: Header) -> Any:
    """Return the board on which a log was played."""
    if header.board == "standard":
        return standard_board(header.game)
    return _other_board(header.game, _ENCODER.encode(header.board))


@lru_cache(maxsize=8)
def _other_board(name: str, content: bytes) -> Any:
    return load_game(name).read_board(content)


def verify(content: bytes, find_check: FindCheck = lambda: None) -> Verification:
    """Replay a log and check every line, and its signatures if `find_check` returns a function to check them."""
    signing = None
    actions, is_finished, is_torn, is_sealed, is_opening_checked, mistake = 0, False, False, False, True, None
    try:
        log = read_log(content)
        is_torn = log.torn
        is_opening_checked = _can_check_opening(log.header)
        for step in replay(log):
            actions = step.match.number
            if type(step.message) is ResultLine:
                is_finished, is_sealed = True, step.message.chain is not None
        if is_finished and is_torn:
            mistake = f"line {len(log.lines) + 1}: follows the result"
        signing = signing_of(log, find_check)
    except BadLog as bad:
        mistake = str(bad)
    return Verification(actions, is_finished, is_torn, mistake, is_sealed, is_opening_checked, signing)


class Unfinished(NamedTuple):
    """A match at the end of an unfinished log."""

    match: Match
    size: int
    clocks: list[SeatClock]
    faults: list[int]
    defaults: list[int]
    """Number of default actions played for each seat."""
    has_setup: bool
    """Whether the log contains its set-up line. If not, it must be written first."""
    stretch: list[Any]
    """The positions in which the seat to move has decided since another seat last did."""
    asked: int = 0
    """Offset for request numbers, so that new requests get higher numbers than those of moves taken back."""


def carry_on(log: Log, clock: Clock | None) -> Unfinished:
    """Replay an unfinished log and return the match at its end, with each seat's remaining time, faults and default
    actions.

    Seats that changed players when the log was resumed start again at zero. Raise BadLog if the game is finished.
    """
    clocks = [SeatClock(clock) for _ in log.header.players]
    faults = [0] * len(log.header.players)
    defaults = [0] * len(log.header.players)
    stretch: list[Any] = []
    stretches: dict[int, tuple[list[Any], Any]] = {}
    asked = 0
    match = before = None
    branch = log.header.branch
    terms: Header | ResumedLine = log.header
    for step in replay(log, with_taken_back=True):
        match = step.match
        message = step.message
        if type(message) is ActionRead:
            stretches[message.number] = stretch.copy(), before
            stretch.append(before)
            if message.opening or message.seat != match.seat:
                stretch.clear()
            defaults[message.seat] += message.default
            if message.ms is not None and (message.ms or not message.default):
                clocks[message.seat].charge(message.ms)  # a lost seat is charged 0 ms, without increment
        elif type(message) is FaultLine:
            faults[message.seat] += 1
        elif type(message) is ResumedLine:
            is_other = branch is not None and message.number == branch.number and message.clock != terms.clock
            for seat in _taken_over(terms.players, message.players, are_all=is_other):
                clocks[seat], faults[seat], defaults[seat] = SeatClock(clock), 0, 0
            terms = message
        elif type(message) is UndoLine:
            asked += match.number + 1 + unasked(match.history)
            stretch, before = stretches[message.to]
            if message.ms is not None and match.seat is not None:
                clocks[match.seat].spend(message.ms)
            continue
        elif type(message) is ResultLine:
            raise BadLog(step.line, "the game is finished; nothing is left to play", is_finished=True)
        before = match.state.copy()
    if match is not None:
        return Unfinished(match, log.size, clocks, faults, defaults, True, stretch, asked)
    if log.header.seed is None:
        raise BadLog(2, "the log ends before the set-up", is_before_setup=True)
    try:
        match = Match(load_game(log.header.game), log_board(log.header), log.header)
    except BoardError as error:
        raise BadLog(1, str(error)) from None
    _check_source(log, match)
    return Unfinished(match, log.size, clocks, faults, defaults, False, stretch)


def course_of(log: Log) -> Course:
    """Replay a log and return its actions without those taken back. Raise BadLog if it is invalid."""
    course = None
    for step in replay(log, with_taken_back=True):
        if course is None:
            course = Course(step.match)
        if type(step.message) is ActionRead:
            course.add(step.message.seat, step.message.action, step.events)
        elif type(step.message) is UndoLine:
            course.forget_from(step.message.to)
    if course is None:
        raise BadLog(2, "the log ends before the set-up", is_before_setup=True)
    return course


def branched(
    left: Unfinished, log: Log, header: Header, players: Sequence[PlayerLine], clock: Clock | None
) -> Unfinished:
    """Return `left` for a new log with `header` and `players` that branches off at that position.

    The result equals `carry_on` of the first lines of the new log, without replaying them.
    """
    terms = last_terms(log)
    clocks, faults, defaults = [copy(one) for one in left.clocks], left.faults.copy(), left.defaults.copy()
    for seat in _taken_over(terms.players, players, are_all=terms.clock != clock_line(clock)):
        clocks[seat], faults[seat], defaults[seat] = SeatClock(clock), 0, 0
    match = left.match.at(left.match.mark(), msgspec.structs.replace(header, players=list(players)))
    return left._replace(match=match, clocks=clocks, faults=faults, defaults=defaults)


def _taken_over(before: Sequence[PlayerLine], now: Sequence[PlayerLine], *, are_all: bool) -> list[int]:
    """Return the seats whose player differs between `before` and `now`. All seats if `are_all`."""
    both = enumerate(zip(before, now, strict=True))
    return [seat for seat, (old, new) in both if are_all or (new.name, new.seat) != (old.name, old.seat)]


def moves_in(lines: Iterable[bytes]) -> int:
    """Count the action and undo lines in `lines`, including actions that were taken back."""
    return sum(line.startswith((b'{"type":"action"', b'{"type":"undo"')) for line in lines)


def unasked(events: Iterable[Any]) -> int:
    """Count the questions that the rules answered with a forced pass.

    They count as requests. Otherwise a gap in the request numbers would reveal that a seat could not act.
    """
    count = 0
    for event in events:  # runs for every move: a generator takes twice the time
        if type(event) is Passed and event.forced:
            count += 1
    return count


def last_players(log: Log) -> list[str | None]:
    """Return what played each seat last."""
    return [player.seat for player in last_terms(log).players]


def lost_seats(header: Header, faults: Iterable[FaultLine], resumed: Sequence[int]) -> set[int]:
    """Return the seats ranked last because their players failed too often.

    Seats with a holder at a server are excluded, because the holder can come back. `resumed` lists the action numbers
    at which the game was resumed: earlier faults do not count.
    """
    return {
        fault.seat
        for fault in faults
        if fault.message.endswith((TAKEN_OVER, VOIDED))
        and 0 <= fault.seat < len(header.players)
        and header.players[fault.seat].holder is None
        and not any(number > fault.number for number in resumed)
    }


def ranks_in(log: Log, ranks: Sequence[int]) -> list[int]:
    """Return `ranks` with lost seats moved to the end. The log is not checked."""
    faults: list[FaultLine] = []
    resumed: list[int] = []
    for line in log.lines[1:]:
        if b'"fault"' in line or b'"resumed"' in line:
            with suppress(msgspec.MsgspecError):
                match msgspec.json.decode(line, type=FaultLine | ResumedLine):
                    case FaultLine() as fault:
                        faults.append(fault)
                    case ResumedLine(number):
                        resumed.append(number)
    return ranked_last(ranks, lost_seats(log.header, faults, resumed))


def last_terms(log: Log) -> Header | ResumedLine:
    """Return the line with the current players and clock: the header or the last resumption."""
    return _last_terms(log)[1]


def last_clock(log: Log) -> Clock | None:
    """Return the clock in use at the end of the log. Raise BadLog if it is invalid."""
    line, terms = _last_terms(log)
    _check_clock(line, terms.clock)
    return clock_of(terms.clock)


def _last_terms(log: Log) -> tuple[int, Header | ResumedLine]:
    """Return the header or the last resumption of the log, with its line number."""
    terms: tuple[int, Header | ResumedLine] = 1, log.header
    for number, line in enumerate(log.lines[1:], 2):
        if b'"resumed"' in line:
            with suppress(msgspec.MsgspecError):
                terms = number, msgspec.json.decode(line, type=ResumedLine)
    return terms
