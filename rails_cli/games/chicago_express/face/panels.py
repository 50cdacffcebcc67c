"""Panels of Chicago Express beside its map."""

from collections.abc import Mapping, Sequence
from typing import Any

from protocol.chicago_express import ShareOffered, View
from rails_cli.games.canvas import HEADING, Line
from rails_cli.games.chicago_express.face.narrate import END_REASONS, QUESTIONS, red_dials
from rails_cli.games.face import Snapshot
from rails_cli.games.panels import ENDED, asked_to
from rails_cli.games.railways import panels
from rails_cli.games.railways.companies import Stock


def stage(view: View) -> list[Line]:
    """The dials, and what the scales are worth."""
    dials: Line = []
    for dial in view.dials:
        is_red = dial.action in red_dials(view)
        dials.append((f"{dial.action} ", HEADING))
        dials.append((f"{dial.moved}/{dial.red_at}{'!' if is_red else ''} ", "bold red" if is_red else ""))
    worth = ", ".join(f"{(scale.name or scale.hex)[:3]} {scale.value}" for scale in view.scales)
    return [dials, [("worth ", HEADING), (worth, "")]]


def end(board: Mapping[str, Any], view: View) -> str:
    told = []
    for condition in view.end_conditions:
        sign = ">" if condition.reason == "houses_out" else "/"
        met = "!" if condition.is_met else ""
        told.append(f"{END_REASONS[condition.reason].short} {condition.now}{sign}{condition.limit}{met}")
    return f"end: {', '.join(told)}"


def asked(view: View, names: Sequence[str]) -> list[Line]:
    dials = ", ".join(f"{dial.action} {dial.moved}/{dial.red_at}" for dial in view.dials)
    question = view.question
    line = ENDED if question is None else asked_to(names[question.seat], QUESTIONS[question.asks])
    return [[(f"Dials: {dials}", "")], [*line, *panels.standing(view, names)]]


def companies(board: Mapping[str, Any], view: View, width: int) -> list[Line]:
    return panels.company_lines(board, view, _stocks(view), width, pieces="loco", absent="not open yet")


def players(snapshot: Snapshot, width: int) -> list[Line]:
    return panels.shareholder_lines(snapshot, panels.bids_since(ShareOffered, snapshot.events), width)


def auction(view: View, names: Sequence[str], width: int) -> list[Line]:
    return panels.auction_lines(view, _stocks(view), names, width)


def _stocks(view: View) -> list[Stock]:
    return [Stock(company.is_open, company.shares_sold, company.locomotives_left) for company in view.companies]
