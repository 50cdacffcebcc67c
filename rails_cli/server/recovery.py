"""Tables as their files and logs left them when the server ended, in whatever way."""

import msgspec

from protocol.log import FaultLine, ResultLine, ResumedLine
from protocol.messages import Clock, EndReason
from rails_cli.clock import SeatClock, read_clock
from rails_cli.games import GAME_NAMES, load_game, standard_board
from rails_cli.record import LogInUse
from rails_cli.replay import BadLog, Log, carry_on, read_log, replay
from rails_cli.server.desk import BOT_CLOCK
from rails_cli.server.kept import Outcome, SavedTable
from rails_cli.server.register import Refused, Register
from rails_cli.server.table import Table


def bring_back(register: Register) -> int:
    """All tables as their files and logs left them; how many games go on."""
    clocks = register.storage.saved_clocks()
    playing = []
    tables, unread = register.storage.saved_tables()
    for line in unread:
        register.report(f"{register.storage.seats}: a line cannot be read, and is left alone: {line[:60]!r}")
    for saved in tables:
        try:
            table = _rebuilt(register, saved)
        except (BadLog, LogInUse, OSError, Refused) as error:
            register.report(f"table {saved.spec.table} cannot be brought back: {error}")
            continue
        except Exception as error:  # whatever stands in the file of seats
            register.report(f"table {saved.spec.table!r} cannot be brought back: {type(error).__name__}: {error}")
            continue
        register.tables[table.id] = table
        for chair in table.chairs:
            if chair.token_seal is not None:
                register.holders[chair.token_seal] = (table, chair)
        if table.match is not None and table.state != "ended":
            playing.append(table)
        elif table.state == "open":
            register.later(table, lambda table=table: register.start_if_full(table))  # type: ignore[misc]
    for table in playing:
        match = table.match
        assert match is not None
        waiting = clocks.get(table.id)
        used_s = waiting.used_s if waiting is not None and waiting.number == match.number + 1 else 0.0
        try:
            register.seat_server_players(table)
            table.go_on(match, used_s)
        except Exception as error:
            register.trouble(table, error)
    register.count_anew()
    return len(playing)


def _rebuilt(register: Register, saved: SavedTable) -> Table:
    spec = saved.spec
    if spec.game not in GAME_NAMES:
        raise ValueError(f"unknown game {spec.game}")
    clock: Clock | None = read_clock(spec.clock)
    game = load_game(spec.game)
    path = register.storage.log_path(spec.table)
    if spec.board == "standard" or (saved.outcome is None and not path.exists()):
        board, board_line = register.board(game, spec.board)
    else:
        board, board_line = standard_board(game.name), spec.board  # the real one is in the log
    table = Table(spec, game, board, clock, register, board_line)
    for chair, kept in zip(table.chairs, saved.chairs, strict=True):
        chair.kind, chair.name, chair.server_side = kept.kind, kept.name, kept.server_side
        chair.token_seal, chair.invite_seal = kept.token_seal, kept.invite_seal
        if chair.kind == "player":
            chair.absent_since = register.now()
    if saved.outcome is not None:
        table.state, table.outcome = "ended", saved.outcome
        return table
    if path.exists():
        _read_game(register, table, clock)
    return table


def _read_game(register: Register, table: Table, clock: Clock | None) -> None:
    """Finds out from its log how far a game has got."""
    path = register.storage.log_path(table.id)
    try:
        log = read_log(path.read_bytes())
        left = carry_on(log, clock)
    except BadLog as bad:
        if bad.is_before_setup:
            path.unlink()
            table.board, table.board_line = register.board(table.game, table.spec.board)
            return
        if bad.is_finished:
            _read_end(register, table, log)
            return
        raise
    register.storage.carry_on(table.id, left.size)
    if not left.has_setup:
        register.write(table, left.match.setup_line)
    header = left.match.header
    register.write(table, ResumedLine(left.match.number + 1, header.players, header.clock))
    table.match = left.match
    for chair, seat_clock, faults in zip(table.chairs, left.clocks, left.faults, strict=True):
        chair.clock, chair.faults = seat_clock, faults
        if clock is None and chair.kind == "bot":
            chair.clock = SeatClock(BOT_CLOCK)


def _read_end(register: Register, table: Table, log: Log) -> None:
    """The server was killed between the last line of the log and that of the seats."""
    faults = [0] * len(table.chairs)
    for step in replay(log):
        if type(step.message) is FaultLine:
            faults[step.message.seat] += 1
        elif type(step.message) is ResultLine:
            result = step.message
            reason = msgspec.convert(result.reason, EndReason)
            table.outcome = Outcome(result.scores, result.ranks, reason, faults, step.match.number, register.wall())
    table.state = "ended"
    register.save(table)
