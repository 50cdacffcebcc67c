"""Results of games in words."""

from collections.abc import Collection
from typing import Any

import msgspec

from rails_cli.games.faces.phrases import dollars
from rails_cli.games.game import ranked_last


class _Seating(msgspec.Struct):
    """The fields of a `start` message that are needed to describe the end of the game."""

    players: list[str]
    seat: int | None


def result_words(
    place: str, start: dict[str, Any] | None, end: dict[str, Any], lost: Collection[int] = frozenset()
) -> str:
    """Describe the result for the player, or for all seats if `start` is unknown. `lost` seats come last."""
    if end["reason"] == "interrupted":
        return f"{place}: interrupted"
    how = "" if end["reason"] == "normal" else f" ({end['reason']})"
    scores, ranks = end["scores"], ranked_last(end["ranks"], lost)
    try:
        seating = msgspec.convert(start, _Seating)
        mine = seating.seat
        told = list(zip(seating.players, scores, ranks, strict=True))
        if mine is None or mine < 0:
            raise IndexError
        _, score, rank = told.pop(mine)
    except (msgspec.ValidationError, ValueError, IndexError):
        return f"{place}: ended{how}, scores {scores}, ranks {ranks}"
    others = ", ".join(f"{name} {dollars(theirs)}" for name, theirs, _ in told)
    if mine in lost:
        return f"{place}: you lost your seat: ranked last (your substitute made {dollars(score)}; {others}){how}"
    shared = "shared " if ranks.count(rank) > 1 else ""
    return f"{place}: {shared}rank {rank} of {len(ranks)} with {dollars(score)} ({others}){how}"
