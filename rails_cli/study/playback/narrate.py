"""Descriptions of a logged game as lines of text, and as objects for JSON output."""

from collections.abc import Iterator
from typing import Any

import msgspec

from rails_cli.games.faces.interface import chosen_in_words
from rails_cli.games.faces.phrases import count_phrase, with_capital
from rails_cli.games.game import ALL_SEATS
from rails_cli.games.shared.text import printable
from rails_cli.protocol.log import FaultLine, Seed
from rails_cli.study.playback.recorded import Moment, Recorded, TakenBack


def heading(recorded: Recorded, observer: int) -> str:
    """Return a line with the game, its players, options and seed.

    The seed is included only if `observer`, the seat of the viewer, is ALL_SEATS.
    """
    seed = seed_of(recorded, observer)
    return f"{recorded.game.title}: {players_and_options(recorded)}{'' if seed is None else f'; seed {seed}'}"


def players_and_options(recorded: Recorded) -> str:
    """Return text with the player of each seat, and the options that are not the defaults.

    A built-in player whose name does not say its level is followed by the level, such as `(hard)`.
    """
    players = []
    for seat, (name, player) in enumerate(zip(recorded.names, recorded.header.players, strict=True), 1):
        side, _, level = (player.seat or "").partition(":")
        is_named = side == "builtin" and not name.startswith(level)
        players.append(f"seat {seat} {name}{f' ({level})' if is_named else ''}")
    return "; ".join([", ".join(players), *chosen_in_words(recorded.game, recorded.face, recorded.header.options)])


def seed_of(recorded: Recorded, observer: int) -> Seed | None:
    """Return the seed of the game, if it is known and `observer`, the seat of the viewer, is ALL_SEATS."""
    return recorded.header.seed if observer == ALL_SEATS else None


def headline(recorded: Recorded, moment: Moment, observer: int) -> str:
    """Return the headline of an action: one line with its number, its player, and a description.

    The description contains what `observer` (a seat, PUBLIC or ALL_SEATS) may see.
    """
    played = " (opening)" if moment.is_opening else " (played for the seat)" if moment.is_default else ""
    return f"{moment.number}. {_told(recorded, moment, observer)[0]}{played}"


def _told(recorded: Recorded, moment: Moment, observer: int) -> tuple[str, list[str]]:
    """Return a clause about the action of a player, without a period, and sentences about all else that happened.

    If an event repeats the action and adds something, such as a price, the clause has this addition.
    """
    if moment.by is None:
        done = "Set-up"
    else:
        name = recorded.names[moment.by]
        done = printable(recorded.face.action_sentence(name, recorded.wire_board, moment.action))
    whole, others = done, []
    for event in recorded.events(moment, observer):
        sentence = printable(recorded.face.tell(recorded.wire_board, event, recorded.names))
        if sentence.startswith((f"{done} ", f"{done}, ", f"{done}; ")):
            more, _, sentence = sentence.removeprefix(done).partition("; ")
            whole += more.removesuffix(".")
            sentence = with_capital(sentence)
        if sentence and sentence != f"{done}.":
            others.append(sentence)
    return whole, others


def event_lines(recorded: Recorded, moment: Moment, observer: int) -> Iterator[str]:
    """Yield the lines that follow the headline of an action.

    They are about moves taken back before the action, faults, the player's comment, and events that the headline does
    not describe. Only what `observer` (a seat, PUBLIC or ALL_SEATS) may see is included.
    """
    yield from (taken_back_in_words(recorded, one, observer) for one in moment.taken_back)
    yield from (fault_in_words(recorded, fault) for fault in recorded.faults(moment, observer))
    match recorded.info(moment, observer):
        case None:
            pass
        case {"undone": int(count)} if moment.by is not None:  # written by local games
            yield f"! {recorded.names[moment.by]} took back {count_phrase(count, 'move')} here."
        case note:
            yield f"Comment: {printable(note if isinstance(note, str) else msgspec.json.encode(note).decode())}"
    yield from _told(recorded, moment, observer)[1]


def fault_in_words(recorded: Recorded, fault: FaultLine) -> str:
    name = recorded.names[fault.seat] if 0 <= fault.seat < len(recorded.names) else f"seat {fault.seat + 1}"
    return f"! {name}: {printable(f'{fault.code}: {fault.message}')}"


def taken_back_in_words(recorded: Recorded, taken_back: TakenBack, observer: int) -> str:
    moves = "; ".join(headline(recorded, moment, observer) for moment in taken_back.moments)
    return f"! {recorded.names[taken_back.seat]} took back a move, by agreement: {moves}."


def step_text(recorded: Recorded, moment: Moment, observer: int) -> str:
    """Return the text of an action: its headline (see `headline`), and below it the lines of `event_lines`."""
    number, rest = headline(recorded, moment, observer).split(" ", 1)
    return "\n".join([f"{number:>5} {rest}", *(f"      {line}" for line in event_lines(recorded, moment, observer))])


def ending(recorded: Recorded, observer: int) -> list[str]:
    """Return lines with the result of the game. If the log has no result, say after which action it ends."""
    lines = [taken_back_in_words(recorded, one, observer) for one in recorded.late_taken_back]
    lines += [fault_in_words(recorded, fault) for fault in recorded.faults(None, observer)]
    if recorded.mistake is not None:
        return [*lines, f"The log is valid up to action {recorded.last}."]
    result = recorded.result
    if result is None:
        half = "; an incomplete line follows" if recorded.is_torn else ""
        return [*lines, f"The log ends after action {recorded.last}{half}."]
    how = "" if result.reason == "normal" else f" ({printable(result.reason)})"
    lines.append(f"Result after {recorded.last} actions{how}:")
    ranks, lost, taken_over = recorded.ranks() or [], recorded.lost(), recorded.taken_over()
    for seat in sorted(range(len(ranks)), key=ranks.__getitem__):
        name, score = recorded.names[seat], recorded.face.score_text(result.scores[seat])
        if seat in lost:
            rest = f"; its substitute finished with {score}" if seat in taken_over else ""
            lines.append(f"  {name} lost its seat{rest}")
        else:
            note = " (a substitute took over)" if seat in taken_over else ""
            lines.append(f"  {ranks[seat]}. {name}: {score}{note}")
    return lines


def step_object(recorded: Recorded, moment: Moment, observer: int) -> dict[str, Any]:
    """Return a JSON object with an action and the position after the action. What `observer` may not see is None."""
    view = recorded.view(moment, observer)
    return {
        "type": "step",
        "number": moment.number,
        "by": moment.by,
        "action": moment.action,
        "opening": moment.is_opening,
        "events": recorded.events(moment, observer),
        "faults": recorded.faults(moment, observer),
        "taken_back": [
            {
                "seat": one.seat,
                "actions": [{"number": was.number, "by": was.by, "action": was.action} for was in one.moments],
            }
            for one in moment.taken_back
        ],
        "seat": moment.to_move,
        "legal": recorded.legal(moment, observer),
        "scores": recorded.face.scores(view),
        "digest": moment.digest if observer == ALL_SEATS else None,
        "view": view,
    }
