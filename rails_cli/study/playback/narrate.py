"""Descriptions of a logged game as lines of text, and as objects for JSON output."""

from collections.abc import Iterator
from typing import Any

import msgspec

from rails_cli.games.faces.interface import chosen_in_words
from rails_cli.games.faces.phrases import count_phrase
from rails_cli.games.game import ALL_SEATS
from rails_cli.games.shared.text import printable
from rails_cli.protocol.log import FaultLine
from rails_cli.study.playback.recorded import Moment, Recorded, TakenBack


def heading(recorded: Recorded, seer: int) -> str:
    """Return a line with the game, its players, options and seed.

    The seed is included only if `seer`, the seat of the viewer, is ALL_SEATS.
    """
    header = recorded.header
    players = ", ".join(f"seat {seat} {name}" for seat, name in enumerate(recorded.names, 1))
    options = "".join(f"; {words}" for words in chosen_in_words(recorded.game, recorded.face, header.options))
    seed = "" if seer != ALL_SEATS or header.seed is None else f"; seed {header.seed}"
    return f"{recorded.game.title}: {players}{options}{seed}"


def headline(recorded: Recorded, moment: Moment) -> str:
    """Return a line with the number of an action, its player, and what the player did."""
    played = " (opening)" if moment.is_opening else " (played for the seat)" if moment.is_default else ""
    return f"{moment.number}. {_done(recorded, moment)}{played}"


def _done(recorded: Recorded, moment: Moment) -> str:
    if moment.by is None:
        return "Set-up"
    return printable(recorded.face.action_sentence(recorded.names[moment.by], recorded.wire_board, moment.action))


def event_lines(recorded: Recorded, moment: Moment, seer: int) -> Iterator[str]:
    """Yield lines about an action: moves taken back before it, faults, the player's comment, and events.

    Only what `seer` (a seat, PUBLIC or ALL_SEATS) may see is included. Words that repeat the headline are omitted.
    """
    yield from (taken_back_in_words(recorded, one) for one in moment.taken_back)
    yield from (fault_in_words(recorded, fault) for fault in recorded.faults(moment, seer))
    match recorded.info(moment, seer):
        case None:
            pass
        case {"undone": int(count)} if moment.by is not None:  # written by local games
            yield f"! {recorded.names[moment.by]} took back {count_phrase(count, 'move')} here."
        case note:
            yield f"Comment: {printable(note if isinstance(note, str) else msgspec.json.encode(note).decode())}"
    said = _done(recorded, moment)
    for event in recorded.events(moment, seer):
        sentence = printable(recorded.face.tell(recorded.wire_board, event, recorded.names))
        if sentence.startswith((f"{said} ", f"{said}, ", f"{said}; ")):
            sentence = sentence.removeprefix(said).lstrip(",; ")
            sentence = sentence[:1].upper() + sentence[1:]
        if sentence and sentence != f"{said}.":
            yield sentence


def fault_in_words(recorded: Recorded, fault: FaultLine) -> str:
    name = recorded.names[fault.seat] if 0 <= fault.seat < len(recorded.names) else f"seat {fault.seat + 1}"
    return f"! {name}: {printable(f'{fault.code}: {fault.message}')}"


def taken_back_in_words(recorded: Recorded, taken_back: TakenBack) -> str:
    moves = "; ".join(headline(recorded, moment) for moment in taken_back.moments)
    return f"! {recorded.names[taken_back.seat]} took back a move, by agreement: {moves}."


def step_text(recorded: Recorded, moment: Moment, seer: int) -> str:
    """Return the numbered headline of an action, with lines about its events below."""
    number, rest = headline(recorded, moment).split(" ", 1)
    return "\n".join([f"{number:>5} {rest}", *(f"      {line}" for line in event_lines(recorded, moment, seer))])


def ending(recorded: Recorded, seer: int) -> list[str]:
    """Return lines with the result of the game. If the log has no result, say after which action it ends."""
    lines = [taken_back_in_words(recorded, one) for one in recorded.late_taken_back]
    lines += [fault_in_words(recorded, fault) for fault in recorded.faults(None, seer)]
    if recorded.mistake is not None:
        return [*lines, f"The log is valid up to action {recorded.last}."]
    result = recorded.result
    if result is None:
        half = "; an incomplete line follows" if recorded.is_torn else ""
        return [*lines, f"The log ends after action {recorded.last}{half}."]
    how = "" if result.reason == "normal" else f" ({printable(result.reason)})"
    lines.append(f"Result after {recorded.last} actions{how}:")
    ranks, lost, taken_over = recorded.ranks() or [], recorded.lost(), recorded.taken_over()
    for seat in sorted(range(len(ranks)), key=lambda seat: (ranks[seat], result.ranks[seat])):
        name, score = recorded.names[seat], recorded.face.score_text(result.scores[seat])
        if seat in lost:
            rest = f"; its substitute finished with {score}" if seat in taken_over else ""
            lines.append(f"  {name} lost its seat{rest}")
        else:
            note = " (a substitute took over)" if seat in taken_over else ""
            lines.append(f"  {ranks[seat]}. {name}: {score}{note}")
    return lines


def step_object(recorded: Recorded, moment: Moment, seer: int) -> dict[str, Any]:
    """Return an action and the position after it for JSON. What `seer` may not see is None."""
    view = recorded.view(moment, seer)
    return {
        "type": "step",
        "number": moment.number,
        "by": moment.by,
        "action": moment.action,
        "opening": moment.is_opening,
        "events": recorded.events(moment, seer),
        "faults": recorded.faults(moment, seer),
        "taken_back": [
            {
                "seat": one.seat,
                "actions": [{"number": was.number, "by": was.by, "action": was.action} for was in one.moments],
            }
            for one in moment.taken_back
        ],
        "seat": moment.to_move,
        "legal": recorded.legal(moment, seer),
        "scores": recorded.face.scores(view),
        "digest": moment.digest if seer == ALL_SEATS else None,
        "view": view,
    }
