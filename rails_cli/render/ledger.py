"""Who has what, in few and short lines, to stand beside a map: the open question, the companies, the players."""

from collections.abc import Mapping, Sequence

from rich.text import Text

from protocol import american_rails, chicago_express, last_spike
from rails_cli.render.boards import SEAT_STYLES, Board, View, letters, styles

NAME_WIDTH = 12
HEADING = "dim"

QUESTIONS = {
    "bid_or_pass": "bid or pass",
    "choose_action": "choose an action",
    "offer_share": "offer a share",
    "expand": "expand",
    "develop": "develop",
    "nominate": "nominate a company",
    "bid": "bid or pass",
    "found": "place a first cube",
    "choose": "choose a space",
    "fund": "fund a company",
    "take": "take money",
    "auction": "offer a share",
    "play": "play a piece",
    "sell": "sell a property",
    "buy": "buy a property",
}


def question(view: View, players: Sequence[str]) -> list[Text]:
    """The stage of the game, and who is asked what."""
    match view:
        case chicago_express.View():
            return _chicago_express_question(view, players)
        case american_rails.View():
            return _american_rails_question(view, players)
        case _:
            return _last_spike_question(view, players)


def companies(board: Board, view: View) -> list[Text]:
    """A line for each company; none in a game without companies."""
    match view:
        case chicago_express.View():
            rows = [
                (
                    company.id,
                    company.is_open,
                    (company.treasury, company.income, company.dividend, company.locomotives_left),
                    (company.shares_sold, company.shares_left),
                )
                for company in view.companies
            ]
            pieces, absent = "loco", "not open yet"
        case american_rails.View():
            rows = [
                (
                    company.id,
                    company.in_play,
                    (company.treasury, company.income, company.dividend, company.cubes_left),
                    (company.shares_held, company.shares_left),
                )
                for company in view.companies
            ]
            pieces, absent = "cube", "not in play"
        case _:
            return []
    letter_of, style_of = letters(view), styles(board)
    width = max(len("company"), *(len(company) for company, *_ in rows))
    lines = [Text(f"  {'company':<{width}} cash earn each {pieces} sold", HEADING)]
    for company, is_there, (treasury, income, each, left), (sold, unsold) in rows:
        shares = f"{sold}/{sold + unsold}"
        told = f"{treasury:>5}{income:>5}{each:>5}{left:>5}{shares:>5}" if is_there else f" {absent}"
        lines.append(Text.assemble((letter_of[company], style_of[company]), f" {company:<{width}}", told))
    return lines


def players(board: Board, view: View, names: Sequence[str]) -> list[Text]:
    """A line for each player; `>` stands before the one who is asked."""
    match view:
        case chicago_express.View() | american_rails.View():
            letter_of, style_of = letters(view), styles(board)
            cash: list[int | None] = [player.cash for player in view.players]
            held = [_shares(player.shares, letter_of, style_of) for player in view.players]
            heading = "shares"
        case _:
            cash = [player.cash for player in view.players]
            held = [_hand(player) for player in view.players]
            heading = "hand"
    asked = asked_seat(view)
    lines = [Text(f"  {'player':<{NAME_WIDTH + 2}} {'cash':>8} {heading}", HEADING)]
    for seat, (money, holding) in enumerate(zip(cash, held, strict=True)):
        lines.append(
            Text.assemble(
                (">" if seat == asked else " ", "bold"),
                (f"{seat} ", SEAT_STYLES[seat % len(SEAT_STYLES)]),
                (f"{names[seat][: NAME_WIDTH + 1]:<{NAME_WIDTH + 1}}", "bold" if seat == asked else ""),
                f" {'hidden' if money is None else f'${money:,}':>8} ",
                holding,
            )
        )
    return lines


def asked_seat(view: View) -> int | None:
    """Who is to answer; None when the game has ended."""
    asked = view.question
    return None if asked is None else asked.seat


def _shares(held: Mapping[str, int], letter_of: Mapping[str, str], style_of: Mapping[str, str]) -> Text:
    line = Text()
    for company, count in held.items():
        if count:
            line.append(letter_of[company], style_of[company]).append(f"{count} ")
    return line


def _hand(player: last_spike.Player) -> Text:
    if player.bankrupt:
        return Text("bankrupt")
    return Text(f"{player.pieces} pieces" if player.hand is None else " ".join(player.hand))


def _asked(players: Sequence[str], seat: int, what: str) -> Text:
    return Text.assemble((players[seat], "bold"), f" is to {QUESTIONS[what]}.")


def _chicago_express_question(view: chicago_express.View, players: Sequence[str]) -> list[Text]:
    dials = ", ".join(f"{dial.action} {dial.moved}/{dial.red_at}" for dial in view.dials)
    lines = [Text(f"Dials: {dials}")]
    if view.question is None:
        return [*lines, Text("The game has ended.", "bold")]
    line = _asked(players, view.question.seat, view.question.asks)
    if view.auction is not None:
        line.append(_standing(view.auction.company, view.auction.bid, view.auction.leader, players))
    return [*lines, line]


def _american_rails_question(view: american_rails.View, players: Sequence[str]) -> list[Text]:
    lines = [Text("Opening auctions" if view.is_opening else f"Year {view.year}, phase {view.phase}")]
    if not view.is_opening and not view.has_ended:
        lines[0].append(" (order " + " ".join(str(seat) for seat in view.order) + ")")
    if view.question is None:
        return [*lines, Text("The game has ended.", "bold")]
    line = _asked(players, view.question.seat, view.question.asks)
    if view.auction is not None:
        line.append(_standing(view.auction.company, view.auction.bid, view.auction.leader, players))
    return [*lines, line]


def _last_spike_question(view: last_spike.View, players: Sequence[str]) -> list[Text]:
    lines = [Text(f"Pieces in the mix: {view.mix}.")]
    if view.last_spikes:
        lines[0].append(f" Last spike: {' '.join(view.last_spikes)}")
    if view.question is None:
        return [*lines, Text("The game has ended.", "bold")]
    line = _asked(players, view.question.seat, view.question.asks)
    if view.question.piece is not None:
        line.append(f" For {view.question.piece}.")
    return [*lines, line]


def _standing(company: str, bid: int | None, leader: int | None, players: Sequence[str]) -> str:
    if bid is None or leader is None:
        return f" {company}: no bid yet."
    return f" {company}: ${bid} by {players[leader]}."
