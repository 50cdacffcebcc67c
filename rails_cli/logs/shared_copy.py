"""Copies of logs of finished games that a server gives to others."""

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from rails_cli.logs.chain import log_of
from rails_cli.logs.reading import read_log
from rails_cli.logs.replay import replay
from rails_cli.match.match import Match
from rails_cli.match.seat_specs import BUILTIN, PERSON
from rails_cli.protocol.log import ActionLine, FaultLine, PlayerLine, ResultLine, ResumedLine, SetupLine


def shared_copy(content: bytes, person: int | None = None) -> bytes:
    """Return a copy of a log without the seed, notes of players, command lines, signatures and undone moves.

    The copy can be verified and replayed, because it contains the events with all random results. The seed is left out
    because other games may share it. The copy says that a person plays the seat `person`, unless `person` is None.
    Raise BadLog if the log is invalid.
    """
    log = read_log(content)
    header = replace(log.header, seed=None, key=None, players=_players(log.header.players, person))
    copy: Match | None = None
    lines: list[Any] = [header]
    for step in replay(log):
        message = step.message
        if isinstance(message, SetupLine):
            copy = Match(step.match.game, step.match.board, header, step.events)
            lines.append(copy.setup_line)
            continue
        assert copy is not None
        if isinstance(message, ActionLine):
            copy.game.preload_chance(copy.state, copy.board, step.events)
            lines.append(copy.play(message.action, message.ms, message.default, opening=message.opening))
        elif isinstance(message, ResultLine):
            lines.append(copy.result_line(message.reason))
        elif isinstance(message, ResumedLine):
            lines.append(replace(message, players=_players(message.players, person), chain=None))
        elif isinstance(message, FaultLine):
            lines.append(replace(message, chain=None))
    return log_of(lines)


def _players(players: Sequence[PlayerLine], person: int | None) -> list[PlayerLine]:
    """Return `players` without command lines. The player of the seat `person`, if any, is described as a person."""
    specs = [PERSON if seat == person else _public(player.seat) for seat, player in enumerate(players)]
    return [replace(player, seat=spec) for player, spec in zip(players, specs, strict=True)]


def _public(spec: str | None) -> str | None:
    """Return `spec`, which specifies a player. Return None if `spec` is a command line, which is not public."""
    is_name = spec is not None and (spec.startswith((BUILTIN, "bot:")) or spec in (PERSON, "player"))
    return spec if is_name else None
