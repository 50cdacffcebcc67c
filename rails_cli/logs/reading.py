"""Functions that read lines, header, clocks, players and board from a log without replaying it."""

import json
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import cache, lru_cache
from typing import Any, NamedTuple

import msgspec

from rails_cli.games import NoSuchGame, load_game, standard_board
from rails_cli.games.game import Game, GameError, final_ranks
from rails_cli.games.openings import opening_actions
from rails_cli.games.shared.text import printable
from rails_cli.match.clock import mistake_in
from rails_cli.match.faults import TAKEN_OVER, VOIDED
from rails_cli.protocol.lines import UNDECODABLE, decoding_problem
from rails_cli.protocol.log import (
    LOG_FORMAT,
    ActionLine,
    FaultLine,
    Header,
    PlayerLine,
    ResultLine,
    ResumedLine,
    SetupLine,
    SignedLine,
    UndoLine,
)
from rails_cli.protocol.messages import Clock

MOST_LINES = 100_000
"""Maximum number of lines of a log."""
MAX_NESTING = 50
"""Maximum depth of nested arrays and objects in a line of a log."""
ENCODER = msgspec.json.Encoder()
_HEADERS = msgspec.json.Decoder(Header)
_RESULTS = msgspec.json.Decoder(ResultLine)


class BadLog(GameError):
    """Raised for an invalid log. The message begins with the number of the first wrong line."""

    def __init__(self, line: int, message: str, *, is_finished: bool = False, is_before_setup: bool = False) -> None:
        super().__init__(f"line {line}: {printable(message)}")
        self.line = line
        self.is_finished = is_finished
        self.is_before_setup = is_before_setup


@cache
def line_decoder(name: str) -> msgspec.json.Decoder[Any]:
    """Return the JSON decoder of all log lines of a game except the header. The decoder leaves events as JSON."""
    action_line: Any = ActionLine[load_game(name).action_type, msgspec.Raw]  # type: ignore[misc]
    return msgspec.json.Decoder(
        SetupLine[msgspec.Raw] | action_line | FaultLine | ResumedLine | UndoLine | SignedLine | ResultLine
    )


@cache
def _event_decoder(name: str) -> msgspec.json.Decoder[list[Any]]:
    return msgspec.json.Decoder(list[load_game(name).event_type])  # type: ignore[misc]


@cache
def build_decoders(name: str) -> None:
    """Build and cache all decoders of a game. Call this before several threads use the decoders.

    msgspec crashes if two threads inspect the same type at once.
    """
    standard_board(name)
    line_decoder(name)
    _event_decoder(name)
    for kind in (load_game(name).options_type, Clock):
        msgspec.json.Decoder(kind)


class Log(NamedTuple):
    """The complete lines of a log.

    `lines` includes the header. `size` is the length of all complete lines in bytes. `torn` says whether the file ends
    with an incomplete line.
    """

    header: Header
    lines: list[bytes]
    size: int
    torn: bool


def read_log(content: bytes) -> Log:
    """Return the content of a log file as separate lines, with the header decoded.

    Raise BadLog if there are too many lines, or if the header is invalid or has another log format or rules version.
    The other lines are not checked.
    """
    size = content.rfind(b"\n") + 1
    if content.count(b"\n") > MOST_LINES:
        raise BadLog(MOST_LINES + 1, f"a log has no more than {MOST_LINES:,} lines")
    lines = content[:size].split(b"\n")[:-1]
    if not lines:
        raise BadLog(1, "no header: the file has no whole line", is_before_setup=True)
    try:
        header = _HEADERS.decode(lines[0])
    except UNDECODABLE as error:
        raise BadLog(1, f"not the header of a log: {decoding_problem(error)}") from None
    if ENCODER.encode(header) != lines[0]:
        check_keys(1, lines[0])
    if _is_deep((header.board, header.options, header.clock, [player.clock for player in header.players])):
        raise BadLog(1, f"not the header of a log: nested more than {MAX_NESTING} deep")
    if header.log_format != LOG_FORMAT:
        raise BadLog(1, f"log format {header.log_format}; this program reads format {LOG_FORMAT}")
    try:
        game = load_game(header.game)
    except NoSuchGame as error:
        raise BadLog(1, str(error)) from None
    if header.rules_version != game.rules_version:
        written = f"written under rules version {header.rules_version} of {header.game}"
        raise BadLog(1, f"{written}; this program plays version {game.rules_version}")
    if mistake := game.players_mistake(len(header.players)):
        raise BadLog(1, mistake)
    check_names(1, header.players)
    try:
        opening_actions(game, header.opening)
    except msgspec.ValidationError as error:
        raise BadLog(1, f"opening: {error}") from None
    seat_clocks(1, header)
    return Log(header, lines, size, size < len(content))


def _is_deep(value: Any) -> bool:
    level: list[Any] = [value]
    for _ in range(MAX_NESTING + 1):
        level = [
            inner
            for outer in level
            if isinstance(outer, dict | list | tuple)
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
    return bool(level)


def check_keys(line: int, content: bytes) -> None:
    """Raise BadLog if a JSON object in `content` has the same key twice. `line` is the line number for the error."""

    def pairs(found: list[tuple[str, Any]]) -> None:
        keys = [key for key, _ in found]
        if len(set(keys)) < len(keys):
            repeated = next(key for place, key in enumerate(keys) if key in keys[:place])
            raise BadLog(line, f"the key {repeated!r} appears twice in one object")

    try:
        json.loads(content, object_pairs_hook=pairs)
    except (ValueError, RecursionError) as error:
        raise BadLog(line, f"cannot be read: {decoding_problem(error)}") from None


def check_names(line: int, players: list[PlayerLine]) -> None:
    names = [player.name for player in players]
    for name in names:
        if names.count(name) > 1:
            raise BadLog(line, f"two players have the name {name!r}")


def logged_clock(line: int, written: dict[str, Any] | None) -> Clock | None:
    """Return the time control in log line number `line`, given as decoded JSON in `written`. None means no limit.

    Raise BadLog if the time control is invalid.
    """
    if written is None:
        return None
    try:
        clock = msgspec.convert(written, Clock)
    except msgspec.ValidationError as error:
        raise BadLog(line, f"clock: {error}") from None
    mistake = mistake_in(clock)
    if mistake is not None:
        raise BadLog(line, f"clock: it {mistake}")
    return clock


def seat_clocks(line: int, terms: Header | ResumedLine) -> list[Clock | None]:
    """Return the time control of each seat from `terms`, a decoded log line. Raise BadLog if one is invalid.

    `line` is the number of this log line.
    """
    usual = logged_clock(line, terms.clock)
    return [usual if player.clock is None else logged_clock(line, player.clock) for player in terms.players]


def decode_result(line: bytes) -> ResultLine | None:
    """Return the decoded result line, or None if `line` is another kind of log line."""
    try:
        return _RESULTS.decode(line)
    except UNDECODABLE:
        return None


def read_events(game: Game[Any, Any], written: msgspec.Raw, number: int) -> list[Any]:
    try:
        return _event_decoder(game.name).decode(written)
    except UNDECODABLE as error:
        raise BadLog(number, f"events cannot be read: {decoding_problem(error)}") from None


def log_board(header: Header) -> Any:
    if header.board == "standard":
        return standard_board(header.game)
    return _other_board(header.game, ENCODER.encode(header.board))


@lru_cache(maxsize=8)
def _other_board(name: str, content: bytes) -> Any:
    return load_game(name).read_board(content)


def count_moves(lines: Iterable[bytes]) -> int:
    """Return the number of action and undo lines in `lines`. Actions that were taken back are counted too."""
    return sum(line.startswith((b'{"type":"action"', b'{"type":"undo"')) for line in lines)


def last_players(log: Log) -> list[str | None]:
    """Return the text that specifies the last player of each seat, such as `builtin:greedy` or a bot's command."""
    return [player.seat for player in last_terms(log).players]


def lost_seats(header: Header, faults: Iterable[FaultLine], resumed: Sequence[int]) -> set[int]:
    """Return the seats whose players failed too often. These seats are ranked last.

    If a substitute took over the seat of a client at a server, the seat is left out, because the client can return.
    `resumed` lists the action numbers at which the game was resumed. Faults before the last resumption do not count.
    """
    return {
        fault.seat
        for fault in faults
        if fault.message.endswith((TAKEN_OVER, VOIDED))
        and 0 <= fault.seat < len(header.players)
        and (header.players[fault.seat].holder is None or fault.message.endswith(VOIDED))
        and not any(number > fault.number for number in resumed)
    }


def ranks_with_lost_last(log: Log, ranks: Sequence[int], reason: str) -> list[int]:
    """Return `ranks`, changed so that players who lost their seats are ranked last. The log is not verified.

    `ranks` and `reason` are those of the result line.
    """
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
    return final_ranks(ranks, lost_seats(log.header, faults, resumed), reason)


def last_terms(log: Log) -> Header | ResumedLine:
    """Return the log line with the latest players and clock: the last `resumed` line, or else the header."""
    return _last_terms(log)[1]


def last_clock(log: Log) -> Clock | None:
    """Return the time control at the end of the log, or None if time is not limited.

    Raise BadLog if the log has an invalid time control.
    """
    line, terms = _last_terms(log)
    return logged_clock(line, terms.clock)


def _last_terms(log: Log) -> tuple[int, Header | ResumedLine]:
    """Return the number and the content of the last `resumed` line. If there is none, return 1 and the header."""
    terms: tuple[int, Header | ResumedLine] = 1, log.header
    for number, line in enumerate(log.lines[1:], 2):
        if b'"resumed"' in line:
            with suppress(msgspec.MsgspecError):
                terms = number, msgspec.json.decode(line, type=ResumedLine)
    return terms
