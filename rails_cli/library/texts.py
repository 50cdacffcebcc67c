"""Positions, choices and events as the texts that people read at a terminal."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import msgspec

from rails_cli.games import load_face
from rails_cli.games.decision import Decision, LocalLookahead, decision_at
from rails_cli.games.faces.canvas import plain
from rails_cli.games.faces.choices import choices_of, command_of, numbered, preview_of, words_of
from rails_cli.games.faces.interface import Snapshot
from rails_cli.games.moves import action_of, number_of
from rails_cli.games.shared.text import printable
from rails_cli.library.errors import NOT_CONVERTED, BadArgument, listed, shown
from rails_cli.library.results import Choice
from rails_cli.protocol.common import Bid, BidRange

if TYPE_CHECKING:
    from rails_cli.library.position import Position

WIDTH = 80
"""Maximum number of columns of a table in `position_text`."""


def choices_in(position: "Position[Any, Any, Any, Any]", names: list[str]) -> list[Choice[Any]]:
    """Return all legal moves with their wording, in the order of `Position.moves`."""
    if position.seat is None:
        return []
    decision = _decision(position, position.seat, names)
    found: list[Choice[Any]] = []
    for entry in decision.legal:
        bids = map(Bid, range(entry.min, entry.max + 1)) if type(entry) is BidRange else [entry]
        found += [_choice(decision, action) for action in bids]
    return found


def _choice(decision: Decision, entry: Any) -> Choice[Any]:
    moves = decision.game.moves
    number = number_of(moves, decision.board, entry)
    return Choice(
        number,
        action_of(moves, decision.board, number),
        entry.amount if type(entry) is Bid else getattr(entry, "cost", None),
        command_of(entry),
        printable(words_of(decision, entry)),
        printable(preview_of(decision, [entry]).words),
    )


def position_text(
    position: "Position[Any, Any, Any, Any]", observer: int, names: list[str], events: Iterable[Any]
) -> str:
    """Return the position as the terminal shows it to a seat, or to a spectator if `observer` is PUBLIC.

    Raise BadArgument if one of `events` is not an event of the game.
    """
    engine = position.engine
    face, view = load_face(engine.game.name), engine.game.view(position.state, engine.board, observer)
    typed = [_typed(position, event) for event in listed("events", events)]
    known = engine.game.redacted(typed, observer, position.state.options)
    snapshot = Snapshot(engine.wire_board, view, names, observer if observer >= 0 else None, known)
    lines = [line for line in face.overview(snapshot, WIDTH) if line]
    if position.seat == observer:
        decision = _decision(position, observer, names)
        lines += [face.prompt(decision).asks, *numbered(choices_of(decision))]
    else:
        lines.append(plain(face.asked(view, names)[-1]))  # the lines before it repeat the phase
    return "\n".join(map(printable, lines))


def event_text(position: "Position[Any, Any, Any, Any]", event: Any, observer: int, names: list[str]) -> str:
    """Return an event as a sentence, with only what `observer` sees.

    `observer` is a seat, or PUBLIC for spectators. `event` is a struct of the game, or decoded JSON. Raise BadArgument
    if `event` is not an event of the game.
    """
    engine = position.engine
    (known,) = engine.game.redacted([_typed(position, event)], observer, position.state.options)
    return printable(load_face(engine.game.name).tell(engine.wire_board, known, names))


def _typed(position: "Position[Any, Any, Any, Any]", event: Any) -> Any:
    """Return `event` as a struct of the game. Raise BadArgument if it is not an event of this game and its seats."""
    game = position.engine.game
    try:
        typed = msgspec.convert(event, game.event_type)
    except NOT_CONVERTED as error:
        raise BadArgument(f"this is not an event of {game.title}: {error}") from None
    seat = getattr(typed, "seat", None)
    if seat is not None and not 0 <= seat < position.players:
        raise BadArgument(f"this is an event of seat {shown(seat)}; seats go from 0 to {position.players - 1}")
    return typed


def _decision(position: "Position[Any, Any, Any, Any]", seat: int, names: list[str]) -> Decision:
    engine = position.engine
    lookahead = LocalLookahead(engine.game, engine.board, position.state, seat)
    face = load_face(engine.game.name)
    return decision_at(lookahead, engine.game, face, engine.wire_board, engine.board, names)
