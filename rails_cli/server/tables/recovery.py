"""Recovery of tables from files and logs after the server was stopped or crashed."""

import asyncio
from collections import Counter

import msgspec

from rails_cli.basics.files import read_file
from rails_cli.games import load_game, standard_board
from rails_cli.logs.log_file import LogInUse
from rails_cli.logs.reading import BadLog, Log, last_terms, read_log
from rails_cli.logs.replay import replay
from rails_cli.logs.resume import resume_point
from rails_cli.logs.verify import check_signatures
from rails_cli.match.clock import read_clock
from rails_cli.match.faults import TAKEN_OVER, VOIDED
from rails_cli.protocol.log import FaultLine, ResultLine, ResumedLine
from rails_cli.protocol.messages import Clock, EndReason
from rails_cli.server.refused import Refused
from rails_cli.server.store.kept_logs import unfinished
from rails_cli.server.store.records import GameOutcome, SavedTable
from rails_cli.server.tables.registry import TableRegistry
from rails_cli.server.tables.table import GameTable

MOST_NAMED = 10
"""Maximum number of names in one message."""


class _Noted(msgspec.Struct):
    """A log line with only the player's note decoded. The note is the `info` that was sent with the answer."""

    info: msgspec.Raw = msgspec.Raw()


_NOTES = msgspec.json.Decoder(_Noted)


async def restore_tables(registry: TableRegistry) -> int:
    """Restore all tables from files and logs. Return the number of games that continue.

    Other tasks of the event loop may run after each table.
    """
    storage = registry.storage
    try:
        clocks = storage.saved_clocks()
    except ValueError as error:
        registry.report(f"{storage.clocks} cannot be read: the time used for open requests is forgotten ({error})")
        clocks = {}
    playing, full = [], []
    tables, problems = storage.saved_tables()
    for problem in problems:
        registry.report(f"{storage.seats}: {problem}")
    _report_strays(registry, {saved.spec.table for saved in tables})
    for saved in tables:
        await asyncio.sleep(0)
        name = saved.spec.table
        try:
            table = _rebuilt(registry, saved, has_begun=name in clocks)
        except (BadLog, LogInUse, OSError, Refused) as error:
            registry.report(f"table {name} cannot be brought back: {error}", name)
            continue
        except Exception as error:  # the file of seats may contain anything
            registry.report(f"table {name!r} cannot be brought back: {type(error).__name__}: {error}", name)
            continue
        registry.restore(table)
        if table.match is not None and table.state != "ended":
            playing.append(table)
        elif table.state == "open":
            full.append(table)
    for table in playing:
        match = table.match
        assert match is not None
        waiting = clocks.get(table.id)
        lost = 0 if waiting is None else waiting.moves - table.logged
        if lost > 0:
            words = f"its log ends at action {match.number}, {lost} were lost"
            registry.report(f"table {table.id} is rewound: {words}", table.id)
        used_s = waiting.used_s if waiting is not None and not lost else 0.0
        try:
            registry.players.start(table)
            table.start_match(match, used_s)
            registry.note("table_resumed", table.id)
        except Exception as error:
            registry.end_after_error(table, error)
    for table in full:
        registry.later(table, registry.start_if_full, table)
    registry.quotas.recount()
    return len(playing)


def _report_strays(registry: TableRegistry, known: set[str]) -> None:
    """Report unfinished logs of tables that are not in `known`, the ids of stored tables.

    Players of these tables cannot return.
    """
    storage = registry.storage
    strays = [name for name in unfinished(storage.tables) if name not in known]
    if not strays:
        return
    names = ", ".join(strays[:MOST_NAMED]) + (", ..." if len(strays) > MOST_NAMED else "")
    if storage.has_lost_seats:
        registry.report(
            f"WARNING: {storage.seats} is missing, and {len(strays)} unfinished games are here ({names}). Their players"
            " cannot come back. Stop this server, and restore the file from a backup"
        )
    else:
        registry.report(f"unfinished logs without a table, left alone: {names} ({len(strays)} in total)")


def _rebuilt(registry: TableRegistry, saved: SavedTable, *, has_begun: bool) -> GameTable:
    spec = saved.spec
    clock: Clock | None = read_clock(spec.clock)
    game = load_game(spec.game)
    path = registry.storage.log_path(spec.table)
    if saved.outcome is None and has_begun and not path.exists():
        raise Refused("bad_log", f"its game had begun, and {path} is missing")
    if spec.branch is not None:
        board, board_line = standard_board(game.name), spec.board  # the actual board is in a log
    elif spec.board == "standard" or (saved.outcome is None and not path.exists()):
        board, board_line = registry.board(game, spec.board)
    else:
        board, board_line = standard_board(game.name), spec.board  # the actual board is in the log
    table = GameTable(spec, game, board, clock, registry, board_line)
    for seat, was in zip(table.seats, saved.seats, strict=True):
        seat.kind, seat.name, seat.server_side = was.kind, was.name, was.server_side
        seat.token_seal, seat.invite_seal = was.token_seal, was.invite_seal
        if was.order is not None:
            table.orders.by_seat[seat.index] = was.order
        if seat.kind == "player":
            seat.absent_since = registry.now()
    if saved.outcome is not None:
        _restore_end(table, saved.outcome)
        return table
    if path.exists():
        _read_game(registry, table, clock)
    return table


def _restore_end(table: GameTable, outcome: GameOutcome) -> None:
    """Set `table` to the state after its game. `outcome` is the result."""
    table.state, table.outcome = "ended", outcome
    for index in outcome.substituted:
        table.seats[index].has_substitute = True


def _read_game(registry: TableRegistry, table: GameTable, clock: Clock | None) -> None:
    """Restore the game of a table from its log. `clock` is the clock of the table, or None if it has none."""
    path = registry.storage.log_path(table.id)
    try:
        log = read_log(read_file(path))
        left = resume_point(log, clock)
        check_signatures(log)  # a log that was tampered with is neither continued nor signed again
    except BadLog as bad:
        if bad.is_before_setup:
            path.unlink()
            table.board, table.board_line = registry.board(table.game, table.spec.board)
            return
        if bad.is_finished:
            _read_end(registry, table, log)
            return
        raise
    branch = log.header.branch
    if branch is not None and (left.match.number < branch.number - 1 or type(last_terms(log)) is not ResumedLine):
        path.unlink()  # it is written again when the table begins
        return
    registry.storage.reopen_log(table.id, left.size)
    if not left.has_setup:
        table.log(left.match.setup_line)
    header = left.match.header
    table.log(ResumedLine(left.match.number + 1, header.players, last_terms(log).clock))
    notes_bytes = sum(len(_NOTES.decode(line).info) for line in log.lines if b'"info":' in line)
    table.restore_match(left, log.lines, notes_bytes)
    for seat in table.seats:
        seat.set_clock(clock)
        seat.restore(left, registry.policy)


def _read_end(registry: TableRegistry, table: GameTable, log: Log) -> None:
    """Restore the result of a table from its log, if the server was killed before it stored the result."""
    codes: list[Counter[str]] = [Counter() for _ in table.seats]
    substituted: set[int] = set()
    voided_by: set[int] = set()
    for step in replay(log, with_taken_back=True):
        if type(step.message) is FaultLine:
            codes[step.message.seat][step.message.code] += 1
            if step.message.message.endswith(TAKEN_OVER):
                substituted.add(step.message.seat)
            elif step.message.message.endswith(VOIDED):
                voided_by.add(step.message.seat)
        elif type(step.message) is ResultLine:
            result = step.message
            reason = msgspec.convert(result.reason, EndReason)
            faults = [one.total() for one in codes]
            ended = (
                step.match.number,
                registry.wall(),
                sorted(substituted),
                [dict(sorted(one.items())) for one in codes],
                sorted(voided_by),
            )
            _restore_end(table, GameOutcome(result.scores, result.ranks, reason, faults, *ended))
    registry.save(table)
