"""Tables of players and companies, and records of auctions, computed from views and events."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from rails_cli.games.faces.auctions import Auction
from rails_cli.games.faces.sheets import Cell, Chart, Column, Row, Sheet, seat_rows
from rails_cli.games.game import WireBoard
from rails_cli.games.plain import tag_of
from rails_cli.games.railways.companies import due, letters, paints, projected
from rails_cli.games.shared.text import printable
from rails_cli.protocol.live_view import AuctionShown, PlayerShown

CHARTS = (
    Chart("Cash", 0, 0),
    Chart("Book value: cash, and shares at the price last paid", 0, 1),
    Chart("Company income", 1, 0),
    Chart("Share prices: last paid at auction", 1, 3),
)
"""Charts of columns in two sheets: the table of players (sheet 0) and the table of companies (sheet 1)."""


def player_sheet(
    board: WireBoard, view: Any, names: Sequence[str], prices: Mapping[str, int], dividends_left: float
) -> Sheet:
    """Return the table of players: cash, book value, next dividend, estimated cash at the end, and shares.

    `prices` is a mapping from company ids to the last price paid for a share. `dividends_left` is the number of
    dividends to come.
    """
    ends = projected(view, dividends_left)
    return Sheet(
        "Players",
        "Player",
        [
            *(Column(name, "money") for name in ("Cash", "Book value", "Next dividend", "Estimated end")),
            *_share_columns(board, view),
        ],
        seat_rows(names),
        [
            [
                player.cash,
                player.cash + sum(count * prices.get(company, 0) for company, count in player.shares.items()),
                due(view, seat),
                ends[seat],
                *player.shares.values(),
            ]
            for seat, player in enumerate(view.players)
        ],
    )


def possessions(board: WireBoard, view: Any) -> list[PlayerShown]:
    """Return the cash, the next dividend and the shares of each player, by seat."""
    columns = _share_columns(board, view)
    return [
        PlayerShown(
            player.cash,
            due(view, seat),
            [
                (column.name, column.paint, column.symbol, count)
                for column, count in zip(columns, player.shares.values(), strict=True)
                if count
            ],
        )
        for seat, player in enumerate(view.players)
    ]


def company_sheet(
    board: WireBoard,
    view: Any,
    prices: Mapping[str, int],
    more: Sequence[Column],
    cells: Iterable[Sequence[Cell]],
    absent: Collection[str] = (),
) -> Sheet:
    """Return the table of companies with the additional columns `more`.

    - `prices`: mapping from company ids to the last price paid for a share.
    - `cells`: for each company, the values of the additional columns.
    - `absent`: ids of companies that have values only in the additional columns.
    """
    return Sheet(
        "Companies",
        "Company",
        [*(Column(name, "money") for name in ("Income", "Treasury", "Per share", "Last price")), *more],
        [Row(column.name, column.paint, column.symbol) for column in _share_columns(board, view)],
        [
            [None, None, None, None, *own]
            if company.id in absent
            else [company.income, company.treasury, company.dividend, prices.get(company.id), *own]
            for company, own in zip(view.companies, cells, strict=True)
        ],
    )


def owners(view: Any, company: str, left: int) -> str:
    """Return the seats that hold the shares of a company, as a value of the kind `owners`.

    `left` is the number of shares that nobody holds.
    """
    return "".join(str(seat) * player.shares[company] for seat, player in enumerate(view.players)) + "-" * left


def _share_columns(board: WireBoard, view: Any) -> list[Column]:
    paint_of = paints(board)
    return [Column(printable(company), "count", paint_of[company], letter) for company, letter in letters(view).items()]


OFFERED = "share_offered"
SOLD = "share_sold"
ENDED = (SOLD, "share_unsold", "share_removed")
OCCASIONS = {"opening": "opening share", "auction": "share"}


def auctions(steps: Iterable[tuple[int, Sequence[Any]]], occasions: Mapping[str, str] = OCCASIONS) -> list[Auction]:
    """Return all auctions in the events of a game.

    `steps` has pairs of a step number and the events of the step. `occasions` maps the field `occasion` of an offer to
    a phrase for the share, such as "opening share".
    """
    found: list[Auction] = []
    running: Auction | None = None
    for number, events in steps:
        for event in events:
            kind = tag_of(event)
            if kind == OFFERED:
                running = Auction(number, event.company, occasions[event.occasion], event.minimum)
                found.append(running)
            elif running is None:
                continue
            elif kind == "bid_made":
                running.bids.append((event.seat, event.amount, number))
            elif kind == "passed":
                running.bids.append((event.seat, None, number))
            elif kind in ENDED:
                running.end = number
                if kind == SOLD:
                    running.buyer, running.price = event.seat, event.price
                running = None
    return found


def bidding(
    board: WireBoard, view: Any, history: Sequence[Any], occasions: Mapping[str, str] = OCCASIONS
) -> AuctionShown | None:
    """Return the running auction with its bids, or None if no auction is running.

    `history` has all events so far. `occasions` maps the field `occasion` of an offer to a phrase for the share.
    """
    running = view.auction
    if running is None:
        return None
    start = next(number for number in reversed(range(len(history))) if tag_of(history[number]) == OFFERED)
    (offered,) = auctions([(start, history[start:])], occasions)
    company = running.company
    return AuctionShown(
        company=printable(company),
        what=offered.what,
        paint=paints(board)[company],
        symbol=letters(view)[company],
        minimum=running.minimum,
        bids=[(seat, amount) for seat, amount, _ in offered.bids],
        leader=running.leader,
        bid=running.bid,
        still_in=running.still_in,
    )


def last_prices(events: Iterable[Any]) -> dict[str, int]:
    return {event.company: event.price for event in events if tag_of(event) == SOLD}
