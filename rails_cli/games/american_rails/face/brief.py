"""A position of American Rails as short text, for language models."""

from collections.abc import Sequence

from rails_cli.games.american_rails.face.panels import end
from rails_cli.games.game import WireBoard
from rails_cli.protocol.american_rails import View


def brief(board: WireBoard, view: View) -> str:
    """Return a position as short text.

    The text omits the pending question and the columns of the action track for other phases.
    """
    order = " ".join(str(seat + 1) for seat in view.order)
    when = "opening auctions" if view.is_opening else f"{view.year}, phase {view.phase}"
    lines = [f"{when}; order: {order or '-'}", "seat: cash, due, shares"]
    for player in view.players:
        shares = [company if count == 1 else f"{company} x{count}" for company, count in player.shares.items() if count]
        lines.append(" ".join([f"{player.seat + 1}: {player.cash} {player.due}", *shares]))
    lines.append("company: income, treasury, shares left, cubes left, dividend; track (D3-5: D3 D4 D5)")
    for company in view.companies:
        if company.in_play:
            left = f"{company.shares_left} {company.cubes_left}"
            figures = f"{company.income} {company.treasury} {left} {company.dividend}"
            lines.append(f"{company.id}: {figures}; {_by_row(company.track)}")
        else:
            lines.append(f"{company.id}: not in play")
    lines.append(f"developed: {_by_row(view.developed)}; markers left: {view.markers_left}")
    if not view.is_opening and (column := view.columns[view.phase - 1]):
        lines.append(f"spaces taken, by seat: {', '.join(f'{space} {seat + 1}' for space, seat in column.items())}")
    lines.append(end(board, view))
    if view.auction is not None:
        auction = view.auction
        bid = "no bid yet" if auction.leader is None else f"seat {auction.leader + 1} bids ${auction.bid}"
        still_in = " ".join(str(seat + 1) for seat in auction.still_in)
        lines.append(f"auction of {auction.company}: {bid}; still in: {still_in}")
    return "\n".join(lines)


def _by_row(hexes: Sequence[str]) -> str:
    """Return a short text for a list of hex ids.

    For example, D13, D14, D15, D17 and E14 become `D13-15 17 E14`. The letter of a row is written once. Three or more
    consecutive hexes are written as a range.
    """
    runs: list[list[str]] = []
    for hex_id in sorted(hexes):
        if runs and runs[-1][-1][0] == hex_id[0] and int(runs[-1][-1][1:]) + 1 == int(hex_id[1:]):
            runs[-1].append(hex_id)
        else:
            runs.append([hex_id])
    shown: list[str] = []
    row = ""
    for run in runs:
        words = [f"{run[0]}-{run[-1][1:]}"] if len(run) > 2 else run
        for word in words:
            shown.append(word[1:] if word[0] == row else word)
            row = word[0]
    return " ".join(shown) or "-"
