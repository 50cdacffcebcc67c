"""Reconstruction of the result of a game from its log."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec

from rails_cli.games import load_face
from rails_cli.games.game import ranked_last
from rails_cli.logs.reading import Log
from rails_cli.logs.replay import replay
from rails_cli.match.faults import RAN_OUT, TAKEN_OVER
from rails_cli.protocol.log import ActionLine, FaultLine, Opening, ResultLine, SetupLine
from rails_cli.tournament.model import PlayedGame, Setting
from rails_cli.tournament.rating.copies import fingerprint_of, trail_of
from rails_cli.tournament.rating.forfeits import NOBODYS_FAULT, forfeited
from rails_cli.tournament.results.group_results import reported_tokens


class LoggedResult(NamedTuple):
    """The result of a game according to its log. Most fields have the same meaning as in `PlayedGame`.

    `has_default` says whether a default action was played, and `is_sealed` whether the result line has a hash.
    """

    names: list[str]
    scores: list[int]
    ranks: list[int]
    reason: str
    faults: list[FaultLine]
    ms: list[int]
    answers: list[int]
    tokens: list[int]
    bad_reports: list[int]
    lost: list[int]
    has_default: bool
    actions: int
    economy: list[dict[str, Any]]
    fingerprint: str
    trail: str
    opening: Opening | None
    is_sealed: bool


def logged_result(log: Log, setting: Setting, seating: Sequence[str], max_faults: int) -> LoggedResult | None:
    """Replay a log and return the result of its game, or None if the log has no result.

    A seat is lost when `max_faults` default actions were played for it, or when a substitute took over. A lost seat
    stays lost even if its player returns. `seating` has the names of the entrants in seat order. Raise BadLog if the
    log is invalid.
    """
    players = len(log.header.players)
    ms, defaults, answers, tokens, bad_reports = ([0] * players for _ in range(5))
    faults: list[FaultLine] = []
    replaced: set[int] = set()
    setup, moves = "", []
    result: ResultLine | None = None
    for step in replay(log):
        message = step.message
        if type(message) is ActionLine:
            ms[message.seat] += message.ms or 0
            moves.append((message.seat, message.action))
            defaults[message.seat] += message.default
            answers[message.seat] += not (message.default or message.opening or message.seat in replaced)
            reported = reported_tokens(message.info)
            tokens[message.seat] += reported or 0
            bad_reports[message.seat] += reported is None
        elif type(message) is FaultLine:
            faults.append(message)
            if message.message.endswith(TAKEN_OVER):
                replaced.add(message.seat)
        elif type(message) is SetupLine:
            setup = message.digest
        elif type(message) is ResultLine:
            result = message
    if result is None:
        return None
    late = replaced | {fault.seat for fault in faults if fault.message == RAN_OUT}
    has_mark = bool(moves) and result.reason != NOBODYS_FAULT
    match = step.match
    start = setting, setup, seating
    may_repeat = log.header.opening is None and match.game.is_luckless(match.board, players, match.options)
    economy = load_face(log.header.game).economy(match.board, players, match.history)
    return LoggedResult(
        [player.name for player in log.header.players],
        result.scores,
        result.ranks,
        result.reason,
        faults,
        ms,
        answers,
        tokens if any(tokens) else [],
        bad_reports if any(bad_reports) else [],
        [seat for seat in range(players) if seat in late or defaults[seat] >= max_faults],
        any(defaults),
        match.number,
        msgspec.json.decode(msgspec.json.encode(economy)),
        fingerprint_of(*start, [action for _, action in moves]) if has_mark else "",
        trail_of(fingerprint_of(*start, ()), moves) if has_mark and may_repeat else "",
        log.header.opening,
        result.chain is not None,
    )


def with_logged_result(game: PlayedGame, logged: LoggedResult) -> PlayedGame:
    """Return the stored game with its result replaced by the result from the log."""
    players = range(len(logged.scores))
    is_broken_off = logged.reason != "normal"
    ranks = [1] * len(players) if is_broken_off else logged.ranks
    return msgspec.structs.replace(
        game,
        scores=forfeited(logged.scores, logged.lost),
        ranks=ranked_last(ranks, {*logged.lost, *game.absent}),
        reason=logged.reason,
        faults=[sum(fault.seat == seat for fault in logged.faults) for seat in players],
        is_tainted=is_broken_off or logged.has_default or bool(logged.lost),
        ms=logged.ms,
        actions=logged.actions,
        economy=logged.economy,
        lost=logged.lost,
        fingerprint=logged.fingerprint,
        trail=logged.trail,
    )
