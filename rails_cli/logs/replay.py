"""Replay of logs. A log is played again from its header and actions, and every line is checked."""

import re
from collections.abc import Iterator
from hashlib import sha256
from typing import Any, NamedTuple, get_args

import msgspec

from rails_cli.games import load_game
from rails_cli.games.game import (
    BoardError,
    Game,
    IllegalAction,
    ImpossibleEvents,
    entry_phrase,
    play,
    without_info_fields,
)
from rails_cli.games.openings import drawn_opening
from rails_cli.logs.chain import LINK_DIGITS, SIGNATURE
from rails_cli.logs.reading import (
    ENCODER,
    BadLog,
    Log,
    check_keys,
    check_names,
    last_terms,
    line_decoder,
    log_board,
    logged_clock,
    read_events,
    seat_clocks,
)
from rails_cli.match.action_history import UNFORESEEN
from rails_cli.match.clock import LONGEST_S
from rails_cli.match.faults import DEFAULT_PLAYED, FAULT_CODES, RAN_OUT, STRIKE_CODES, STRIKES
from rails_cli.match.match import Match, Snapshot
from rails_cli.protocol.lines import UNDECODABLE, decoding_problem
from rails_cli.protocol.log import (
    ActionLine,
    Branch,
    FaultLine,
    Header,
    ResultLine,
    ResumedLine,
    SetupLine,
    SignedLine,
    UndoLine,
)
from rails_cli.protocol.messages import Clock, EndReason

NOT_MARKED = "follows a fault that says the default was played, but is not marked as the default"
END_REASONS = get_args(EndReason)


class ReplayedLine(msgspec.Struct, frozen=True, gc=False):
    """A decoded log line: its number (the header is line 1), its events, and the match after the line.

    For an `undo` line, `match` is the match before the actions are taken back.
    """

    line: int
    message: SetupLine[msgspec.Raw] | ActionLine[Any, msgspec.Raw] | FaultLine | ResumedLine | UndoLine | ResultLine
    match: Match
    events: list[Any]


def replay(log: Log, *, with_taken_back: bool = False) -> Iterator[ReplayedLine]:
    """Replay `log` and yield each line after it was checked. Raise BadLog at the first wrong line.

    Actions that were taken back, and lines about them, are yielded only if `with_taken_back`.
    """
    replayed = _Replay(log)
    for number, line in enumerate(log.lines[1:], 2):
        message = replayed.decoded(number, line)
        events = replayed.check(number, message)
        match = replayed.match
        if match is None or type(message) is SignedLine:
            continue
        if type(message) is UndoLine:
            if with_taken_back:
                yield ReplayedLine(number, message, match, events)
            replayed.take_back()
        elif with_taken_back or number not in replayed.hidden:
            yield ReplayedLine(number, message, match, events)


class _Replay:
    """The match after the log lines checked so far, and the data needed to check the next lines."""

    def __init__(self, log: Log) -> None:
        self.log = log
        self.game = load_game(log.header.game)
        _check_table(log.header, self.game)
        self.match: Match | None = None
        self.is_over = False
        self.faults = _Faults(len(log.header.players))
        self.clock: Clock | None = logged_clock(1, log.header.clock)
        self.clocks = seat_clocks(1, log.header)
        """The clock of each seat."""
        self.branch = log.header.branch
        """Where the log branches off another log. None if it does not, or after the `resumed` line at this point."""
        self.taken_back, self.hidden = _taken_back(log)
        self.played: list[_Played] = []
        """The actions so far that were not taken back. Filled only for logs with `undo` lines."""
        self.earliest = 1
        """Number of the first action that may be taken back."""
        self.undone: Snapshot | None = None
        """State of the match to which the last `undo` line goes back. None before the first `undo` line."""
        self._decode = line_decoder(self.game.name).decode
        self._hash = sha256(log.lines[0] + b"\n") if log.header.key is not None else None

    def decoded(self, number: int, line: bytes) -> Any:
        """Decode the log line `number`. Raise BadLog if it is malformed or not linked to the lines before it."""
        try:
            message = self._decode(line)
        except UNDECODABLE as error:
            what = f"not an action of {self.game.name}" if "$.action" in str(error) else "cannot be read"
            raise BadLog(number, f"{what}: {decoding_problem(error)}") from None
        if ENCODER.encode(message) != line:
            check_keys(number, line)
        if self.is_over:
            raise BadLog(number, "follows the result")
        _check_link(number, message, line, None if self._hash is None else self._hash.hexdigest())
        if self._hash is not None:
            self._hash.update(line + b"\n")
        return message

    def check(self, number: int, message: Any) -> list[Any]:
        """Play or check the log line `number`, and return the events it caused. Raise BadLog if it is wrong.

        After an `undo` line, call `take_back` to change the match.
        """
        match = self.match
        if type(message) is SetupLine:
            if match is not None:
                raise BadLog(number, "a second set-up")
            self.match, events = _set_up(self.log, self.game, message, number)
            return events
        if match is None:
            raise BadLog(number, "precedes the set-up")
        if type(message) is ActionLine:
            return self._play(number, match, message)
        if type(message) is ResultLine:
            self._finish(number, match, message)
        elif type(message) is FaultLine:
            self._add_fault(number, match, message)
        elif type(message) is UndoLine:
            self._find_earlier(number, match, message)
        elif type(message) is ResumedLine:
            self._resume(number, match, message)
        return []

    def take_back(self) -> None:
        """Go back to the position that the last checked line names."""
        assert self.match is not None
        assert self.undone is not None
        self.match.restore(self.undone)

    def _play(self, number: int, match: Match, message: ActionLine[Any, msgspec.Raw]) -> list[Any]:
        game = self.game
        _check_number(number, match, message.number)
        _check_opening(number, match, message)
        if self.branch is not None and message.number >= self.branch.number and number not in self.taken_back:
            raise _no_branch(number, self.branch)
        if message.ms is not None and 0 <= message.seat < len(self.clocks):
            _check_time(number, message.ms, self.clocks[message.seat])
        if message.default or self.faults.are_open:
            self.faults.close(number, message.seat if message.default else None)
        if (
            message.default
            and not match.is_over
            and without_info_fields(match.chosen(match.default)) != without_info_fields(message.action)
        ):
            raise BadLog(number, "marked as the default, but the default is another action")
        before = match.snapshot() if number in self.taken_back else None
        try:
            if self.log.header.seed is None:
                game.preload_chance(match.state, match.board, read_events(game, message.events, number))
            submitted = match.submit(message.seat, message.action)
        except IllegalAction as illegal:
            raise BadLog(number, f"illegal action: {illegal}") from None
        except ImpossibleEvents as error:
            raise BadLog(number, f"impossible chance event: {error}") from None
        events: list[Any] = submitted.events
        _check_events(number, game, message, events, submitted.digest)
        if self.taken_back:
            self.played.append(_Played(message.seat, before, any(type(one) in game.unforeseeable for one in events)))
        return events

    def _finish(self, number: int, match: Match, message: ResultLine) -> None:
        _check_result(number, match, message)
        if self.branch is not None:
            raise _no_branch(number, self.branch)
        self.faults.close(number, is_interrupted=message.reason != "normal")
        _check_chain(self.log, number, message)
        self.is_over = True

    def _add_fault(self, number: int, match: Match, message: FaultLine) -> None:
        seats = len(self.log.header.players)
        _check_number(number, match, message.number)
        if match.number < len(match.opening):
            raise BadLog(number, "a fault in the opening, in which nobody is to move")
        if not 0 <= message.seat < seats:
            raise BadLog(number, f"seat {message.seat}; the seats are 0 to {seats - 1}")
        if message.code not in FAULT_CODES:
            raise BadLog(number, f"fault code {message.code!r}; the codes are {', '.join(FAULT_CODES)}")
        if message.code != "disconnect" and message.message != RAN_OUT and message.seat != match.seat:
            raise BadLog(number, f"a fault of seat {message.seat}, which is not to move")
        self.faults.add(number, message)

    def _find_earlier(self, number: int, match: Match, message: UndoLine) -> None:
        _check_number(number, match, message.number)
        self.undone = _taken_back_to(number, message, self.played, max(self.earliest, len(match.opening) + 1))
        if message.ms is not None:
            _check_time(number, message.ms, self.clock)
        self.faults.close(number, is_interrupted=True)

    def _resume(self, number: int, match: Match, message: ResumedLine) -> None:
        _check_number(number, match, message.number)
        seats = len(self.log.header.players)
        if len(message.players) != seats:
            raise BadLog(number, f"resumed by {len(message.players)} players instead of {seats}")
        check_names(number, message.players)
        self.clock, self.clocks = logged_clock(number, message.clock), seat_clocks(number, message)
        self.faults.close(number, is_interrupted=True)
        if self.branch is not None and message.number == self.branch.number and number not in self.hidden:
            self.earliest, self.branch = self.branch.number, None


class _Numbered(msgspec.Struct):
    """The fields of a log line that are needed to find actions that were taken back."""

    type: str = ""
    number: int = 0
    to: int = 0


_NUMBERED = msgspec.json.Decoder(_Numbered)


def _taken_back(log: Log) -> tuple[set[int], set[int]]:
    """Return two sets of line numbers: actions that were taken back, and all lines that have no effect on the game.

    The second set has the actions taken back, the `undo` lines, and all lines between them. The header is line 1.
    """
    actions: set[int] = set()
    lines: set[int] = set()
    if b'"undo"' not in b"\n".join(log.lines):
        return actions, lines
    standing: list[tuple[int, int]] = []
    for place, line in enumerate(log.lines[1:], 2):
        try:
            message = _NUMBERED.decode(line)
        except UNDECODABLE:
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


class _Played(NamedTuple):
    """An action that was replayed, with the information needed to take it back."""

    seat: int
    before: Snapshot | None
    """Position of the match before the action. None unless the log takes the action back later."""
    is_by_chance: bool
    """Whether the action revealed a chance result or hidden information."""


def _taken_back_to(line: int, undo: UndoLine, played: list[_Played], earliest: int) -> Snapshot:
    """Return the position before the actions that `undo` takes back, and remove these actions from `played`.

    Raise BadLog if `undo` is not allowed. `line` is the line number of `undo`, and `earliest` the number of the first
    action that can be taken back.
    """
    own = [number for number, one in enumerate(played, 1) if one.seat == undo.seat and number >= earliest]
    if not own:
        raise BadLog(line, f"seat {undo.seat} has no move to take back")
    if undo.to != own[-1]:
        raise BadLog(line, f"takes back action {undo.to}; the last of seat {undo.seat} is {own[-1]}")
    if any(one.is_by_chance for one in played[undo.to - 1 :]):
        raise BadLog(line, f"takes back action {undo.to}, after which {UNFORESEEN}")
    before = played[undo.to - 1].before
    assert before is not None
    del played[undo.to - 1 :]
    return before


class _Faults:
    """The faults of all seats that were logged for the open question of the replay."""

    def __init__(self, players: int) -> None:
        self.strikes = [0] * players
        self.are_open = False
        self.lost: int | None = None
        """Seat whose last fault requires that its default action is played next. None if there is no such seat."""

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

    def close(self, line: int, default_of: int | None = None, *, is_interrupted: bool = False) -> None:
        """Check log line number `line`, which ends the open question, against the logged faults. Then clear the faults.

        `default_of` is the seat for which the line plays the default action, if any. `is_interrupted` means that the
        question ended without an action. Raise BadLog if a default action was played without enough faults. Also raise
        BadLog if the faults require the default action, but the line is another action.
        """
        if default_of is not None and default_of != self.lost:
            raise BadLog(line, "marked as the default, but the faults before it do not lead to it")
        if default_of is None and self.lost is not None and not is_interrupted:
            raise BadLog(line, NOT_MARKED)
        self.strikes = [0] * len(self.strikes)
        self.are_open, self.lost = False, None


def _check_time(line: int, ms: int, clock: Clock | None) -> None:
    """Raise BadLog if the time of an answer, `ms`, is negative or longer than the limit per answer.

    `line` is the number of the log line. If the clock has a bank, the limit per answer is not checked, because built-in
    players may exceed it.
    """
    most_s = LONGEST_S if clock is None or clock.bank_s is not None or clock.move_s is None else clock.move_s
    most_ms = int(most_s * 1000) + 1
    if not 0 <= ms <= most_ms:
        raise BadLog(line, f"{ms} ms; the time of an answer is not negative, and not more than {most_ms:,} ms here")


def _check_number(line: int, match: Match, number: int) -> None:
    if number != match.number + 1:
        raise BadLog(line, f"action number {number}; {match.number + 1} is next")


def _check_opening(line: int, match: Match, message: ActionLine[Any, msgspec.Raw]) -> None:
    """Raise BadLog if the action in log line number `line` does not fit the opening.

    The header lists the actions of the opening. Their lines must have the listed actions, be marked as opening, and
    have no time, note or default flag.
    """
    if match.number >= len(match.opening):
        if message.opening:
            raise BadLog(line, f"marked as opening, which has {len(match.opening)} actions")
        return
    if not message.opening:
        raise BadLog(line, f"not marked as opening, which has {len(match.opening)} actions")
    if without_info_fields(message.action) != match.opening[match.number]:
        wanted = entry_phrase(match.opening[match.number])
        raise BadLog(line, f"the opening has {wanted} here, not {entry_phrase(message.action)}")
    if message.ms is not None or message.default or message.info is not None:
        raise BadLog(line, "an action of the opening has neither time, nor a note, nor is it a default")


def check_opening_source(log: Log, match: Match) -> None:
    """Raise BadLog unless the opening (the list of first actions in the header) is legal.

    An opening of random moves must also equal the opening that this program makes from the seed. The equality is not
    checked for openings made by an older version of the program. Openings of a newer version are an error.
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


def _set_up(log: Log, game: Game[Any, Any], message: SetupLine[msgspec.Raw], number: int) -> tuple[Match, list[Any]]:
    setup_events = read_events(game, message.events, number) if log.header.seed is None else []
    try:
        match = Match(game, log_board(log.header), _named(log), setup_events)
    except BoardError as error:
        raise BadLog(1, f"board: {error}") from None
    except ImpossibleEvents as error:
        raise BadLog(number, f"cannot be set up: {error}") from None
    check_opening_source(log, match)
    events = match.setup_line.events
    _check_events(number, game, message, events, match.setup_line.digest)
    return match, events


def _named(log: Log) -> Header:
    """Return the header of `log`.

    If `log` is a branch of another log, replace the players in the header by those of the last `resumed` line. Raise
    BadLog if the header has another number of players.
    """
    header = log.header
    if header.branch is None:
        return header
    players = last_terms(log).players
    if len(players) != len(header.players):
        raise BadLog(1, f"{len(header.players)} players, but the branch was continued by {len(players)}")
    return msgspec.structs.replace(header, players=players)


def _check_events(
    number: int,
    game: Game[Any, Any],
    message: SetupLine[msgspec.Raw] | ActionLine[Any, msgspec.Raw],
    events: list[Any],
    digest: str,
) -> None:
    """Raise BadLog unless the log line `message` has the `events` of the replay and the `digest` of its position.

    `number` is the number of the log line.
    """
    if bytes(message.events) != ENCODER.encode(events):
        check_keys(number, bytes(message.events))
        logged = read_events(game, message.events, number)
        if logged != events or msgspec.json.decode(message.events) != msgspec.to_builtins(events):
            raise BadLog(number, f"events differ: {_first_difference(logged, events)}")
    if message.digest != digest:
        raise BadLog(number, f"digest {message.digest}; the position has {digest}")


def _first_difference(logged: list[Any], expected: list[Any]) -> str:
    for one, other in zip(logged, expected, strict=False):
        if one != other:
            return f"the log has {_text(one)}, the rules say {_text(other)}"
    if len(logged) < len(expected):
        return f"the log leaves out {_text(expected[len(logged)])}"
    if len(logged) > len(expected):
        return f"the log adds {_text(logged[len(expected)])}"
    return "the log adds fields that these events do not have"


def _text(event: Any) -> str:
    return ENCODER.encode(event).decode()


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
    """Raise BadLog unless the `chain` field of log line `number` matches `head`, the hash of all lines before it.

    `message` is the decoded `line`. In an unsigned log `head` is None, and a `chain` field is an error, except in the
    result line. A signature must be the last field of its line.
    """
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
        found = f"chain {link}; the lines before it have {head[:LINK_DIGITS]}"
        raise BadLog(number, f"{found}: line {number - 1} was changed, or lines before this one are missing or moved")
