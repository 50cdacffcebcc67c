"""The greedy player of Branch Lines. It values a share by the dividends expected until the end of the game."""

from branch_lines.board import Board
from branch_lines.protocol import Action, Build, Entry, Line, View
from rails_cli.games.shared.money import per_share
from rails_cli.protocol.common import Bid, BidRange

CAUTION = 0.8  # part of the expected dividends that this player is willing to pay
HOPE = 0.4  # part of the charter bonus that is added to the value of a share


def think(view: View, legal: list[Entry], board: Board) -> Action:
    """Return the action of this player.

    - In an auction: the lowest bid if the share is worth it, otherwise a pass.
    - When building: the build with the greatest gain, or a pass if no build has a gain.
    """
    first = legal[0]
    if isinstance(first, BidRange):
        return Bid(first.min) if first.min <= worth_of_share(view, board) else legal_pass(legal)
    builds = {entry: gain_by_building(view, board, entry) for entry in legal if isinstance(entry, Build)}
    best = max(builds, key=builds.__getitem__)
    return best if builds[best] > 0 else legal_pass(legal)


def legal_pass(legal: list[Entry]) -> Action:
    last = legal[-1]
    assert not isinstance(last, BidRange)
    return last


def worth_of_share(view: View, board: Board) -> float:
    """Return the value in dollars of the auctioned share.

    The value assumes that the line spends the minimum bid on its stations.
    """
    assert view.auction is not None
    line = _line(view, view.auction.line)
    number = board.line_number[line.id]
    purse, income = line.treasury + view.auction.minimum, line.income
    for cost, more in list(zip(board.cost[number], board.income[number], strict=True))[line.built :]:
        if cost > purse:
            break
        purse, income = purse - cost, income + more
    paid = per_share(income, sum(line.shares) + 1) * (view.pile + 1)
    return CAUTION * paid + (HOPE * board.bonus if _is_own_charter(view, line) else 0)


def gain_by_building(view: View, board: Board, build: Build) -> float:
    """Return how many dollars more the station of `build` earns for this player than on average for the others.

    Earnings are the dividends until the end of the game. If this player has the charter of the line, a part of the
    charter's bonus is added.
    """
    line = _line(view, build.line)
    number = board.line_number[line.id]
    seat = view.seat or 0
    each = board.income[number][line.built] / sum(line.shares) * (view.pile + 1)
    others = (sum(line.shares) - line.shares[seat]) / (len(view.players) - 1)
    bonus = board.bonus / len(board.cost[number]) if _is_own_charter(view, line) else 0
    return each * (line.shares[seat] - others) + bonus


def _line(view: View, id: str) -> Line:
    return next(line for line in view.lines if line.id == id)


def _is_own_charter(view: View, line: Line) -> bool:
    return view.seat is not None and view.players[view.seat].charter == line.id
