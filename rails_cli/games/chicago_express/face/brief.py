"""A position of Chicago Express as short text, for language models."""

from rails_cli.games.chicago_express.face.panels import end
from rails_cli.games.game import WireBoard
from rails_cli.protocol.chicago_express import View


def brief(board: WireBoard, view: View) -> str:
    """Return a position as short text, with everything except the pending question."""
    lines = ["seat: cash, shares"]
    lines += [
        f"{player.seat + 1}: {player.cash}"
        + "".join(f" {count} {company}" for company, count in player.shares.items() if count)
        for player in view.players
    ]
    lines.append("company: income, treasury, shares sold/left, locomotives left, dividend, lowest bid; track")
    for company in view.companies:
        state = "" if company.is_open else " (closed)"
        shares = f"{company.shares_sold}/{company.shares_left}"
        lowest = "-" if company.minimum_bid is None else company.minimum_bid
        figures = f"{company.income} {company.treasury} {shares} {company.locomotives_left} {company.dividend} {lowest}"
        lines.append(f"{company.id}{state}: {figures}; {' '.join(company.track) or '-'}")
    lines.append(f"developed: {' '.join(view.developed) or '-'}")
    dials = ", ".join(f"{dial.action} {dial.moved}/{dial.red_at}" for dial in view.dials)
    worth = ", ".join(f"{scale.name or scale.hex} {scale.value}" for scale in view.scales)
    lines += [f"dials: {dials}; worth: {worth}", end(board, view)]
    if view.auction is not None:
        auction = view.auction
        bid = "no bid yet" if auction.leader is None else f"seat {auction.leader + 1} bids ${auction.bid}"
        still_in = " ".join(str(seat + 1) for seat in auction.still_in)
        lines.append(f"auction of {auction.company}: {bid}; still in: {still_in}")
    return "\n".join(lines)
