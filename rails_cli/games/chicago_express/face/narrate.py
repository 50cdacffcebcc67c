"""What happens in Chicago Express, in words."""

from collections.abc import Sequence
from typing import NamedTuple, assert_never

from protocol.chicago_express import (
    ActionChosen,
    ActionLost,
    ActionName,
    Built,
    ChicagoReached,
    DetroitMoved,
    Developed,
    DialsReset,
    DividendPaid,
    EndReason,
    Event,
    GameEnded,
    ShareOffered,
    ShareSold,
    ShareUnsold,
    View,
    WabashOpened,
)
from protocol.common import BidMade, FirstPlayer, Passed
from rails_cli.games.phrases import counted, listed

ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")


class ActionWords(NamedTuple):
    """An action as it is told, and as it is offered, with the numbers of the board left open."""

    told: str
    choice: str


ACTIONS: dict[ActionName, ActionWords] = {
    "auction": ActionWords("to auction a share", "Auction a share"),
    "expand": ActionWords("to expand a network", "Expand a company: up to {expand_max} locomotives"),
    "develop": ActionWords("to develop a hex", "Develop a city"),
}

QUESTIONS = {
    "bid_or_pass": "bid or pass",
    "choose_action": "choose an action",
    "offer_share": "offer a share",
    "expand": "build",
    "develop": "develop a hex",
}


class EndWords(NamedTuple):
    """A reason to end the game: as a sentence, and what is counted, in a table, in a line and in few characters."""

    reason: str
    row: str
    counted: str
    short: str


END_REASONS: dict[EndReason, EndWords] = {
    "locomotives_out": EndWords(
        "too many companies have no locomotives left",
        "Without locomotives",
        "companies without locomotives",
        "no locos",
    ),
    "shares_out": EndWords(
        "too many companies have no shares left", "Without shares", "companies without shares", "no shares"
    ),
    "houses_out": EndWords("the houses are running out", "Houses left", "houses", "houses"),
    "detroit_full": EndWords("Detroit is fully developed", "Value of Detroit", "Detroit", "Detroit"),
}


def ended_because(reasons: Sequence[EndReason]) -> str:
    return listed([END_REASONS[reason].reason for reason in reasons])


def red_dials(view: View) -> list[ActionName]:
    """The actions that cannot be chosen before the next dividend."""
    return [dial.action for dial in view.dials if dial.moved >= dial.red_at]


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
            return f"{players[seat]} chooses {ACTIONS[action].told}; its dial stands at {dial}{red}."
        case Built(seat, company, hex, name, cost, treasury, income, left):
            return (
                f"{players[seat]} builds the {company} to {_place(hex, name)} for ${cost}; it has ${treasury} and "
                f"{counted(left, 'locomotive')} left and earns ${income}."
            )
        case Developed():
            return _tell_development(event, players)
        case ChicagoReached(seat, company):
            return f"{players[seat]} has brought the {company} to Chicago."
        case DividendPaid():
            return _tell_dividend(event, players)
        case WabashOpened(company, hex, income, left):
            return f"The {company} opens in {hex} with an income of ${income} and {counted(left, 'locomotive')} left."
        case DialsReset():
            return "All dials go back to 0."
        case DetroitMoved(hex, value, incomes):
            return f"Detroit ({hex}) is now worth ${value}{_incomes(incomes)}."
        case ActionLost(seat, action):
            return f"The game ends before {players[seat]} gets {ACTIONS[action].told}."
        case GameEnded(reasons):
            return f"The game is over: {ended_because(reasons)}."
        case _:
            assert_never(event)


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
        f"{counted(event.houses_left, 'house')} left."
    )


def _tell_dividend(event: DividendPaid, players: Sequence[str]) -> str:
    payouts = [f"{players[seat]} ${amount}" for seat, amount in enumerate(event.payouts) if amount]
    occasion = "Chicago dividend" if event.occasion == "chicago" else "dividend"
    paid = f": {listed(payouts)}" if payouts else ""
    return f"{event.company} {occasion}, ${event.per_share} a share{paid}."


def _incomes(incomes: dict[str, int]) -> str:
    return "".join(f"; the {company} earns ${income}" for company, income in incomes.items())


def _place(hex: str, name: str | None) -> str:
    return f"{name} ({hex})" if name else hex
