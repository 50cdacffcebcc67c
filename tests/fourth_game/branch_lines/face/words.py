"""Sentences for events, questions and actions of Branch Lines."""

from collections.abc import Sequence
from typing import assert_never

from branch_lines.protocol import (
    Build,
    Built,
    CharterPaid,
    Dealt,
    DividendPaid,
    Event,
    GameEnded,
    ShareDrawn,
    ShareSold,
    ShareUnsold,
    View,
)
from rails_cli.games.decision import Decision, Prompt
from rails_cli.games.faces.interface import OptionWords
from rails_cli.games.faces.phrases import dollars, listed
from rails_cli.games.game import WireBoard
from rails_cli.protocol.common import BidMade, Passed

OPTIONS = {
    "charters": OptionWords(
        "Are charters secret?", {"hidden": "Yes, until the end (standard)", "open": "No, everybody sees them"}
    )
}
END_REASONS = {"pile_empty": "all shares have been drawn", "lines_complete": "all lines are complete"}
QUESTIONS = {"bid": "bid or pass", "build": "build or stop"}


def tell(board: WireBoard, event: Event, players: Sequence[str]) -> str:
    """Return `event` as one sentence."""
    match event:
        case Dealt(charters):
            seen = [f"{player} has {line}" for player, line in zip(players, charters, strict=True) if line]
            return f"The charters are dealt{': ' if seen else ''}{', '.join(seen)}."
        case ShareDrawn(line, minimum):
            return f"A share of {line} is up for auction, from {dollars(minimum)}."
        case BidMade(seat, amount):
            return f"{players[seat]} bids {dollars(amount)}."
        case Passed(seat, forced):
            return f"{players[seat]} has to pass." if forced else f"{players[seat]} passes."
        case ShareSold(line, seat, price):
            return f"{players[seat]} buys a share of {line} for {dollars(price)}."
        case ShareUnsold(line):
            return f"Nobody wants the share of {line}; it leaves the game."
        case Built(seat, line, station, cost, income):
            return (
                f"{players[seat]} builds {station}; {line} pays {dollars(cost)} for it and now earns {dollars(income)}."
            )
        case DividendPaid(line, per_share, payouts):
            paid = [f"{dollars(amount)} to {player}" for player, amount in zip(players, payouts, strict=True) if amount]
            return f"{line} pays {dollars(per_share)} a share: {listed(paid)}."
        case CharterPaid(seat, line, bonus):
            brings = f"brings {dollars(bonus)}" if bonus else "brings nothing"
            return f"The charter of {players[seat]} is {line}, and {brings}."
        case GameEnded(reasons):
            return f"The game ends: {listed([END_REASONS[reason] for reason in reasons])}."
        case _:
            assert_never(event)


def question_in_words(view: View, names: Sequence[str]) -> str:
    """Return the open question, or why the game ended, as a sentence."""
    asked, auction = view.question, view.auction
    if asked is None:
        return f"The game has ended: {listed([END_REASONS[reason] for reason in view.end_reasons])}."
    sentence = f"{names[asked.seat]} is to {QUESTIONS[asked.asks]}."
    return sentence if auction is None else f"{sentence} {auction.line}: {leading(view, names)}."


def leading(view: View, names: Sequence[str]) -> str:
    """Return in words the highest bid and its bidder, or the minimum bid if nobody has bid yet."""
    auction = view.auction
    assert auction is not None
    if auction.leader is None:
        return f"no bid yet, from {dollars(auction.minimum)}"
    return f"{dollars(auction.bid or 0)} by {names[auction.leader]}"


def prompt(decision: Decision) -> Prompt:
    view: View = decision.view
    if view.auction is not None:
        return Prompt(
            f"What do you bid for a share of {view.auction.line}? Or pass.",
            "The price goes to the line, and the buyer may spend it on stations of his lines. Every round each share "
            "is paid its part of what its line earns.",
            "BL-11 BL-13 BL-30",
        )
    return Prompt(
        "Which line do you extend? Or pass.",
        "The next station is paid for by its line, and adds to what the line earns. A complete line brings a bonus to "
        "the owner of its charter.",
        "BL-20 BL-21 BL-41",
    )


def words(decision: Decision, action: Build) -> str:
    return f"build {next_station(decision.wire_board, decision.view, action.line)['id']} ({action.line})"


def next_station(board: WireBoard, view: View, line: str) -> dict[str, str]:
    """Return the entry in `board` of the station that the railway line with the id `line` builds next."""
    number = [entry["id"] for entry in board["lines"]].index(line)
    station: dict[str, str] = board["lines"][number]["stations"][view.lines[number].built]
    return station
