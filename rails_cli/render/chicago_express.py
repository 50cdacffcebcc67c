"""Chicago Express in words: an event as a sentence, a view as tables 80 columns wide."""

from collections.abc import Sequence
from textwrap import wrap

from protocol.chicago_express import (
    ActionChosen,
    ActionLost,
    Built,
    ChicagoReached,
    Company,
    DetroitMoved,
    Developed,
    DialsReset,
    DividendPaid,
    EndCondition,
    Event,
    GameEnded,
    Player,
    ShareOffered,
    ShareSold,
    ShareUnsold,
    View,
    WabashOpened,
)
from protocol.common import BidMade, FirstPlayer, Passed

WIDTH = 80
NAME_WIDTH = 14

ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")

ACTIONS = {"auction": "to auction a share", "expand": "to expand a network", "develop": "to develop a hex"}

QUESTIONS = {
    "bid_or_pass": "bid or pass",
    "choose_action": "choose an action",
    "offer_share": "offer a share",
    "expand": "build",
    "develop": "develop a hex",
}

END_REASONS = {
    "locomotives_out": "too many companies have no locomotives left",
    "shares_out": "too many companies have no shares left",
    "houses_out": "the houses are running out",
    "detroit_full": "Detroit is fully developed",
}


def tell(event: Event, players: Sequence[str]) -> str:
    """The event as one sentence."""
    match event:
        case FirstPlayer(seat):
            return f"{players[seat]} is drawn to begin."
        case ShareOffered():
            return _tell_offer(event, players)
        case BidMade(seat, amount):
            return f"{players[seat]} bids ${amount}."
        case Passed(seat, forced):
            return f"{players[seat]} has to pass." if forced else f"{players[seat]} passes."
        case ShareSold():
            return _tell_sale(event, players)
        case ShareUnsold(company):
            return f"Nobody bids; the {company} keeps its share."
        case ActionChosen(seat, action, dial, is_red):
            red = " and is red" if is_red else ""
            return f"{players[seat]} chooses {ACTIONS[action]}; its dial stands at {dial}{red}."
        case Built(seat, company, hex, name, cost, treasury, income, left):
            return (
                f"{players[seat]} builds the {company} to {_place(hex, name)} for ${cost}; it has ${treasury} and "
                f"{_count(left, 'locomotive')} left and earns ${income}."
            )
        case Developed():
            return _tell_development(event, players)
        case ChicagoReached(seat, company):
            return f"{players[seat]} has brought the {company} to Chicago."
        case DividendPaid():
            return _tell_dividend(event, players)
        case WabashOpened(company, hex, income, left):
            return f"The {company} opens in {hex} with an income of ${income} and {_count(left, 'locomotive')} left."
        case DialsReset():
            return "All dials go back to 0."
        case DetroitMoved(hex, value, incomes):
            return f"Detroit ({hex}) is now worth ${value}{_incomes(incomes)}."
        case ActionLost(seat, action):
            return f"The game ends before {players[seat]} gets {ACTIONS[action]}."
        case GameEnded(reasons):
            return f"The game is over: {_listed([END_REASONS[reason] for reason in reasons])}."


def _tell_offer(event: ShareOffered, players: Sequence[str]) -> str:
    bidder = players[event.seat]
    if event.occasion == "auction":
        return f"{bidder} offers a {event.company} share for at least ${event.minimum}."
    share = "first" if event.occasion == "wabash" else "opening"
    return f"The {share} {event.company} share is auctioned for at least ${event.minimum}; {bidder} bids first."


def _tell_sale(event: ShareSold, players: Sequence[str]) -> str:
    share = (
        f"the {ORDINALS[event.shares_sold - 1]} {event.company} share"
        if event.shares_sold <= len(ORDINALS)
        else (f"{event.company} share number {event.shares_sold}")
    )
    earning = f"each share now earns ${event.per_share}"
    if not event.price:
        return f"{players[event.seat]} gets {share} for nothing; {earning}."
    return f"{players[event.seat]} pays ${event.price} for {share}; {earning}."


def _tell_development(event: Developed, players: Sequence[str]) -> str:
    worth = f", now worth ${event.value}" if event.incomes else ""
    received = "".join(f"; the {company} receives ${cash}" for company, cash in event.received.items())
    return (
        f"{players[event.seat]} develops {_place(event.hex, event.name)}{worth}{_incomes(event.incomes)}{received}; "
        f"{_count(event.houses_left, 'house')} left."
    )


def _tell_dividend(event: DividendPaid, players: Sequence[str]) -> str:
    payouts = [f"{players[seat]} ${amount}" for seat, amount in enumerate(event.payouts) if amount]
    occasion = "Chicago dividend" if event.occasion == "chicago" else "dividend"
    paid = f": {_listed(payouts)}" if payouts else ""
    return f"{event.company} {occasion}, ${event.per_share} a share{paid}."


def _incomes(incomes: dict[str, int]) -> str:
    return "".join(f"; the {company} earns ${income}" for company, income in incomes.items())


def _place(hex: str, name: str | None) -> str:
    return f"{name} ({hex})" if name else hex


def _count(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"


def _listed(phrases: Sequence[str]) -> str:
    return ", ".join(phrases[:-1]) + f" and {phrases[-1]}" if len(phrases) > 1 else "".join(phrases)


def position(view: View, players: Sequence[str]) -> str:
    """The position as tables."""
    companies = [company.id for company in view.companies]
    return "\n".join(
        [
            *_heading(view, players),
            "",
            _row("Player", "Cash", *companies),
            *(_player_row(player, players, companies) for player in view.players),
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
        return wrap(f"The game is over: {_listed([END_REASONS[reason] for reason in view.end_reasons])}.", WIDTH)
    asked = view.question
    heading = f"{players[asked.seat]} is to {QUESTIONS[asked.asks]}."
    if asked.builds_left is not None:
        heading += f" Builds left: {asked.builds_left}{f', {asked.company} only' if asked.company else ''}."
    auction = view.auction
    if auction is not None:
        bid = "no bid yet" if auction.leader is None else f"{players[auction.leader]} bids ${auction.bid}"
        heading += (
            f" {auction.company} share: {bid}, at least ${auction.minimum} needed; still in: "
            f"{_listed([players[seat] for seat in auction.still_in])}."
        )
    return wrap(heading, WIDTH)


def _row(first: str, *cells: str) -> str:
    return "".join([f"{first[:NAME_WIDTH]:<{NAME_WIDTH}}", *(f"{cell:>{_cell_width(len(cells))}}" for cell in cells)])


def _cell_width(cells: int) -> int:
    """As much as fits into the width of the page."""
    return min(10, (WIDTH - NAME_WIDTH) // cells)


def _player_row(player: Player, players: Sequence[str], companies: Sequence[str]) -> str:
    shares = [str(player.shares[company] or "-") for company in companies]
    return _row(players[player.seat], f"${player.cash}", *shares)


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
    word = {
        "locomotives_out": "companies without locomotives",
        "shares_out": "companies without shares",
        "houses_out": "houses",
        "detroit_full": "Detroit",
    }[condition.reason]
    limit = f"{condition.limit} or fewer" if condition.reason == "houses_out" else str(condition.limit)
    return f"{word} {condition.now} (ends at {limit})"
