"""Tables, charts and money totals of Branch Lines games."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from branch_lines.board import Board
from branch_lines.protocol import Built, CharterPaid, DividendPaid, Event, ShareDrawn, ShareSold, ShareUnsold, View
from rails_cli.games.faces.auctions import Auction
from rails_cli.games.faces.economy import EconomyTally, EconomyWords, Profile, Transfer, Transfers
from rails_cli.games.faces.paints import distinct_paints
from rails_cli.games.faces.sheets import Chart, Column, Row, Sheet, seat_rows
from rails_cli.games.game import WireBoard
from rails_cli.games.shared.text import printable
from rails_cli.protocol.common import BidMade, Passed
from rails_cli.protocol.live_view import AuctionShown

CHARTS = (
    Chart("Cash", 0, 0),
    Chart("Book value: cash, and shares at the price last paid", 0, 1),
    Chart("Income of the lines", 1, 0),
)
WORDS = EconomyWords("shares", "line", "lines", "income added by building")
SHARE = "share"
TRANSFERS: Transfers = {
    ShareSold: Transfer("shares", -1, "price", part="paid"),
    DividendPaid: Transfer("dividends", 1, "payouts", "line", part="returned"),
    CharterPaid: Transfer("charter", 1, "bonus", "line"),
}


def sheets(board: WireBoard, view: View, names: Sequence[str], prices: Mapping[str, int]) -> list[Sheet]:
    paints = distinct_paints(line["colour"] for line in board["lines"])
    lines = [
        Row(printable(line.id), paint, printable(line.id[:1])) for line, paint in zip(view.lines, paints, strict=True)
    ]
    return [
        Sheet(
            "Players",
            "Player",
            [
                Column("Cash", "money"),
                Column("Book value", "money"),
                Column("Charter", "text"),
                *(Column(line.name, "count", line.paint, line.symbol) for line in lines),
            ],
            seat_rows(names),
            [
                [
                    player.cash,
                    player.cash + sum(line.shares[player.seat] * prices.get(line.id, 0) for line in view.lines),
                    player.charter,
                    *(line.shares[player.seat] for line in view.lines),
                ]
                for player in view.players
            ],
        ),
        Sheet(
            "Lines",
            "Line",
            [
                Column("Income", "money"),
                Column("Treasury", "money"),
                Column("Per share", "money"),
                Column("Built", "count"),
            ],
            lines,
            [[line.income, line.treasury, line.dividend, line.built] for line in view.lines],
        ),
    ]


def last_prices(events: Iterable[Event]) -> dict[str, int]:
    return {event.line: event.price for event in events if isinstance(event, ShareSold)}


def auctions(steps: Iterable[tuple[int, Sequence[Event]]]) -> list[Auction]:
    found: list[Auction] = []
    for step, events in steps:
        for event in events:
            match event:
                case ShareDrawn(line, minimum):
                    found.append(Auction(step, line, SHARE, minimum))
                case BidMade(seat, amount):
                    found[-1].bids.append((seat, amount, step))
                case Passed(seat) if found[-1].end is None:
                    found[-1].bids.append((seat, None, step))
                case ShareSold(_, seat, price):
                    found[-1].end, found[-1].buyer, found[-1].price = step, seat, price
                case ShareUnsold():
                    found[-1].end = step
    return found


def bidding(board: WireBoard, view: View, events: Sequence[Event]) -> AuctionShown | None:
    running = view.auction
    if running is None:
        return None
    row = [line["id"] for line in board["lines"]].index(running.line)
    bids = auctions(enumerate([event] for event in events))[-1].bids
    return AuctionShown(
        company=printable(running.line),
        what=SHARE,
        paint=distinct_paints(line["colour"] for line in board["lines"])[row],
        symbol=printable(running.line[:1]),
        minimum=running.minimum,
        bids=[(seat, amount) for seat, amount, _ in bids],
        leader=running.leader,
        bid=running.bid,
        still_in=running.still_in,
    )


def economy(board: Board, players: int, events: Sequence[Any]) -> list[Profile]:
    tally = EconomyTally(players, events, TRANSFERS, board.line_ids)
    incomes = dict.fromkeys(board.line_ids, 0)
    for event in events:
        match event:
            case Built():
                tally.built[event.seat] += event.cost
                tally.gained[event.seat] += event.income - incomes[event.line]
                incomes[event.line] = event.income
            case ShareSold():
                tally.held[event.line][event.seat] += 1
    return tally.profiles()
