"""Terminal tables of companies, players and the running auction, shown beside a map of hexes."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rails_cli.games.faces.canvas import HEADING, Line
from rails_cli.games.faces.interface import Snapshot
from rails_cli.games.faces.panels import WIDE, PlayerColumns, PlayerRow, player_lines
from rails_cli.games.plain import tag_of
from rails_cli.games.railways.companies import Stock, View, due, letters, projected, styles
from rails_cli.games.railways.places import SHORTER_PLACES
from rails_cli.games.railways.results import OFFERED
from rails_cli.games.shared.money import per_share_once_sold
from rails_cli.protocol.common import BidMade

HEADINGS = (
    "earn: income; each: what a dividend pays a share; due (bid in auctions): what it pays a player; "
    "end: estimated end, cash and what shares will still pay"
)
SHORTER = {
    "dividend per share": "each share",
    "your cash": "cash",
    "income $0→": "income ",
    "start in ": "",
    "develop ": "",
    " for you": "",
    " of its shares left": " left",
    **SHORTER_PLACES,
}


def company_lines(
    board: Mapping[str, Any], view: View, stocks: Sequence[Stock], *, pieces: str, absent: str
) -> list[Line]:
    """Return a heading, and a text line for each company.

    The line of a company that is not in play shows the text `absent`. `pieces` is the heading of the column with the
    number of pieces left.
    """
    letter_of, style_of = letters(view), styles(board)
    room = max(len("company"), *(len(company.id) for company in view.companies))
    lines: list[Line] = [[(f"  {'company':<{room}} cash earn each {pieces} sold", HEADING)]]
    for company, stock in zip(view.companies, stocks, strict=True):
        shares = f"{stock.sold}/{stock.sold + company.shares_left}"
        numbers = (company.treasury, company.income, company.dividend, stock.pieces_left, shares)
        cells = "".join(f"{number:>5}" for number in numbers) if stock.is_there else f" {absent}"
        lines.append([(letter_of[company.id], style_of[company.id]), (f" {company.id:<{room}}{cells}", "")])
    return lines


def shareholder_lines(snapshot: Snapshot, width: int, *, dividends_left: Callable[[Any], float]) -> list[Line]:
    """Return a heading, and a text line for each player.

    A line shows the cash and the shares. During an auction, it also shows the last bid, and otherwise the next
    dividend. `dividends_left` takes a view and returns the number of future dividends.
    """
    view: View = snapshot.view
    bids = _bids_since_offer(snapshot.events)
    letter_of, style_of = letters(view), styles(snapshot.wire_board)
    asked = None if view.question is None else view.question.seat
    ends = projected(view, dividends_left(view))
    rows = []
    for player in view.players:
        held = [
            part
            for company, count in player.shares.items()
            if count
            for part in ((letter_of[company], style_of[company]), (f"{count} ", ""))
        ]
        note = (str(due(view, player.seat)), "") if view.auction is None else _last_bid(view, player.seat, bids)
        rows.append(PlayerRow(player.cash, note, held, ends[player.seat]))
    columns = PlayerColumns("due" if view.auction is None else "bid", "shares")
    return player_lines(snapshot.names, rows, columns, width, asked=asked, seer=snapshot.seer)


def _last_bid(view: View, seat: int, bids: Mapping[int, int]) -> tuple[str, str]:
    """Return a text for a player's last bid in the running auction, and its style. `<` marks the highest bid.

    `bids` is a mapping from seats to their last bid in dollars.
    """
    if seat not in view.auction.still_in:
        return "out", "dim"
    if seat == view.auction.leader:
        return f"{view.auction.bid}<", "bold"
    if seat in bids:
        return f"{bids[seat]} ", ""
    return "? " if seat == view.question.seat else "- ", ""


def _bids_since_offer(events: Sequence[Any]) -> dict[int, int]:
    """Return a mapping from seats to their last bids in dollars. Only bids after the latest offer of a share count."""
    said: dict[int, int] = {}
    for event in reversed(events):
        if tag_of(event) == OFFERED:
            break
        if type(event) is BidMade:
            said.setdefault(event.seat, event.amount)
    return said


def auction_lines(view: View, stocks: Sequence[Stock], names: Sequence[str], width: int) -> list[Line]:
    """Return a text line about the running auction: the share and the highest bid.

    Return an empty list if no auction is running.
    """
    running = view.auction
    if running is None:
        return []
    company, stock = next(pair for pair in zip(view.companies, stocks, strict=True) if pair[0].id == running.company)
    text = f"{running.company}, share {stock.sold + 1}: {_leading(running, names)}"
    if company.income and width > 2 * WIDE:
        after = per_share_once_sold(company.income, stock.sold)
        text += f"; {running.company} earns ${company.income}, so ${after} a share after the sale"
    return [[("AUCTION ", "bold"), (text, "")]]


def standing(view: View, names: Sequence[str]) -> Line:
    """Return a text with the highest bid, to be shown after the question.

    The text is empty if no auction is running.
    """
    running = view.auction
    return [] if running is None else [(f" {running.company}: {_leading(running, names)}.", "")]


def _leading(running: Any, names: Sequence[str]) -> str:
    return "no bid yet" if running.leader is None else f"${running.bid} by {names[running.leader]}"
