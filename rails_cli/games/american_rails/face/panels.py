"""Panels of American Rails beside its map."""

from collections.abc import Mapping, Sequence
from typing import Any

from protocol.american_rails import ShareOffered, View
from rails_cli.games.american_rails.face.narrate import QUESTIONS, SPACES
from rails_cli.games.canvas import HEADING, Line, seat_style
from rails_cli.games.face import Snapshot
from rails_cli.games.panels import ENDED, asked_to
from rails_cli.games.railways import panels
from rails_cli.games.railways.companies import Stock


def stage(view: View) -> list[Line]:
    """The lots to come, or the year with its action track."""
    if view.is_opening:
        return [[("opening auctions, to come: ", HEADING), (", ".join(view.opening_lots) or "none", "")]]
    order = [(f"{view.year}, phase {view.phase}, order ", HEADING)]
    order += [(f"{seat} ", seat_style(seat)) for seat in view.order]
    column = view.columns[view.phase - 1] if view.columns else {}
    track = [("spaces ", HEADING)]
    for space, (name, _) in SPACES.items():
        taken = column.get(space)
        short = name.replace(" ", "")
        track += [(f"{short} ", "dim")] if taken is None else [(f"{short}:", ""), (f"{taken} ", seat_style(taken))]
    return [order, track]


def end(board: Mapping[str, Any], view: View) -> str:
    near = view.end
    return (
        f"end: years left {near.years_left}, shares left {near.shares_left}, "
        f"low supplies {near.low_supplies}/{near.low_supplies_needed}"
    )


def asked(view: View, names: Sequence[str]) -> list[Line]:
    when = "Opening auctions" if view.is_opening else f"Year {view.year}, phase {view.phase}"
    if not view.is_opening and not view.has_ended:
        when += f" (order {' '.join(map(str, view.order))})"
    question = view.question
    line = ENDED if question is None else asked_to(names[question.seat], QUESTIONS[question.asks])
    return [[(when, "")], [*line, *panels.standing(view, names)]]


def companies(board: Mapping[str, Any], view: View, width: int) -> list[Line]:
    return panels.company_lines(board, view, _stocks(view), width, pieces="cube", absent="not in play")


def players(snapshot: Snapshot, width: int) -> list[Line]:
    return panels.shareholder_lines(snapshot, panels.bids_since(ShareOffered, snapshot.events), width)


def auction(view: View, names: Sequence[str], width: int) -> list[Line]:
    return panels.auction_lines(view, _stocks(view), names, width)


def _stocks(view: View) -> list[Stock]:
    return [Stock(company.in_play, company.shares_held, company.cubes_left) for company in view.companies]
