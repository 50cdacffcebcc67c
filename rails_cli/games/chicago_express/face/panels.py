"""Positions of Chicago Express as text tables, and as panels beside the map."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from rails_cli.games.chicago_express.face.words import END_REASONS, QUESTIONS, ended_because, red_dials
from rails_cli.games.chicago_express.players.greedy import dividends_left
from rails_cli.games.faces.canvas import HEADING, RED, Line
from rails_cli.games.faces.panels import ENDED, asked_to
from rails_cli.games.faces.phrases import listed
from rails_cli.games.railways import panels
from rails_cli.games.railways.companies import Stock
from rails_cli.games.shared.text import wrap
from rails_cli.protocol.chicago_express import Company, EndCondition, View

WIDTH = 80
NAME_WIDTH = 14


def position(view: View, players: Sequence[str]) -> str:
    companies = [company.id for company in view.companies]
    return "\n".join(
        [
            *_heading(view, players),
            "",
            _row("Player", "Cash", *companies),
            *(
                _row(players[player.seat], f"${player.cash}", *(str(count or "-") for count in player.shares.values()))
                for player in view.players
            ),
            "",
            _row("Company", "Income", "Cash", "Sold", "Left", "Locos", "A share", "Min bid"),
            *(_company_row(company) for company in view.companies),
            "",
            *(line for company in view.companies for line in _wrapped(f"{company.id} stands in", company.track)),
            *_wrapped("Developed", view.developed),
            "",
            "Dials: " + ", ".join(f"{dial.action} {dial.moved} of {dial.red_at}" for dial in view.dials),
            "Worth: " + ", ".join(f"{scale.name or scale.hex} ${scale.value}" for scale in view.scales),
            *wrap("End: " + ", ".join(_condition(condition) for condition in view.end_conditions), WIDTH),
        ]
    )


def _heading(view: View, players: Sequence[str]) -> list[str]:
    if view.question is None:
        return wrap(f"The game is over: {ended_because(view.end_reasons)}.", WIDTH)
    asked = view.question
    heading = f"{players[asked.seat]} is to {QUESTIONS[asked.asks]}."
    if asked.builds_left is not None:
        heading += f" Builds left: {asked.builds_left}{f', {asked.company} only' if asked.company else ''}."
    auction = view.auction
    if auction is not None:
        bid = "no bid yet" if auction.leader is None else f"{players[auction.leader]} bids ${auction.bid}"
        heading += (
            f" {auction.company} share: {bid}, at least ${auction.minimum} needed; still in: "
            f"{listed([players[seat] for seat in auction.still_in])}."
        )
    return wrap(heading, WIDTH)


def _row(first: str, *cells: str) -> str:
    width = min(10, (WIDTH - NAME_WIDTH) // len(cells))
    return "".join([f"{first[:NAME_WIDTH]:<{NAME_WIDTH}}", *(f"{cell:>{width}}" for cell in cells)])


def _company_row(company: Company) -> str:
    return _row(
        company.id if company.is_open else f"{company.id} (closed)",
        f"${company.income}",
        f"${company.treasury}",
        str(company.shares_sold),
        str(company.shares_left),
        str(company.locomotives_left),
        f"${company.dividend}" if company.shares_sold else "-",
        "-" if company.minimum_bid is None else f"${company.minimum_bid}",
    )


def _wrapped(word: str, hexes: Sequence[str]) -> list[str]:
    return wrap(f"{word}: {' '.join(hexes) or 'nothing'}", WIDTH, subsequent_indent="  ")


def _condition(condition: EndCondition) -> str:
    limit = f"{condition.limit} or fewer" if condition.reason == "houses_out" else str(condition.limit)
    return f"{END_REASONS[condition.reason].counted_thing} {condition.now} (ends at {limit})"


# Beside the map


def stage(view: View) -> list[Line]:
    """Return lines about the phase of the game: positions of the action dials, and incomes of industrial hexes."""
    dials: Line = []
    for dial in view.dials:
        is_red = dial.action in red_dials(view)
        dials.append((f"{dial.action} ", HEADING))
        dials.append((f"{dial.moved}/{dial.red_at}{'!' if is_red else ''} ", f"bold {RED}" if is_red else ""))
    worth = ", ".join(f"{(scale.name or scale.hex)[:3]} {scale.value}" for scale in view.scales)
    return [dials, [("worth ", HEADING), (worth, "")]]


def end(board: Mapping[str, Any], view: View) -> str:
    conditions = []
    for condition in view.end_conditions:
        met = "!" if condition.is_met else ""
        sign = ">" if condition.reason == "houses_out" else "/"
        conditions.append(f"{END_REASONS[condition.reason].short} {condition.now}{sign}{condition.limit}{met}")
    return f"Ends: {', '.join(conditions)}"


def asked(view: View, names: Sequence[str]) -> list[Line]:
    question = view.question
    line = ENDED if question is None else asked_to(names[question.seat], QUESTIONS[question.asks])
    return [stage(view)[0], [*line, *panels.standing(view, names)]]


def companies(board: Mapping[str, Any], view: View, width: int) -> list[Line]:
    return panels.company_lines(board, view, _stocks(view), pieces="loco", absent="not open yet")


def dividends_to_come(view: View) -> float:
    return 0 if view.has_ended else dividends_left(view)


players = partial(panels.shareholder_lines, dividends_left=dividends_to_come)


def auction(view: View, names: Sequence[str], width: int) -> list[Line]:
    return panels.auction_lines(view, _stocks(view), names, width)


def _stocks(view: View) -> list[Stock]:
    return [Stock(company.is_open, company.shares_sold, company.locomotives_left) for company in view.companies]
