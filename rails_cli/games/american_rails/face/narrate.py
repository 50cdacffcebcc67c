"""What happens in American Rails, in words."""

from collections.abc import Sequence
from typing import NamedTuple, assert_never

from protocol.american_rails import (
    Built,
    CompanyRemoved,
    Developed,
    DividendPaid,
    EndReason,
    Event,
    Founded,
    Funded,
    GameEnded,
    IncomeChanged,
    LinkMade,
    MoneyTaken,
    NumberTaken,
    PlayersPaid,
    ShareOffered,
    ShareRemoved,
    ShareSold,
    SpaceName,
    SpaceTaken,
    TurnOrderSet,
    YearAdvanced,
)
from protocol.common import BidMade, FirstPlayer, Passed
from rails_cli.games.phrases import counted, listed


class Space(NamedTuple):
    """A space of the action track: its name, and what it is to choose it, with the numbers of the board left open."""

    name: str
    choice: str


SPACES: dict[SpaceName, Space] = {
    "pass": Space("Pass", "Pass (do nothing)"),
    "develop": Space("Develop", "Develop a city"),
    "fund": Space("Fund", "Fund a company with ${fund}"),
    "take": Space("Take", "Take ${take}"),
    "expand3": Space("Expand 3", "Expand: up to {expansion[expand3]} cubes"),
    "auction": Space("Auction", "Auction a share"),
    "expand4": Space("Expand 4", "Expand: up to {expansion[expand4]} cubes"),
}

QUESTIONS = {
    "nominate": "nominate a company",
    "bid": "bid or pass",
    "found": "place the first cube",
    "choose": "choose a space",
    "develop": "develop a city",
    "fund": "fund a company",
    "take": "take money",
    "expand": "place a cube",
    "auction": "offer a share",
}

END_REASONS = {
    "last_year": "the last year is over",
    "no_shares": "no share is left in any supply",
    "low_supplies": "too many supplies have run low",
}


def ended_because(reasons: Sequence[EndReason]) -> str:
    return listed([END_REASONS[reason] for reason in reasons])


def tell(event: Event, players: Sequence[str]) -> str:
    """The event as one sentence."""
    match event:
        case FirstPlayer(seat):
            return f"{players[seat]} is drawn to begin."
        case CompanyRemoved(company):
            return f"{company} is not in play."
        case ShareOffered():
            share = "the opening share" if event.occasion == "opening" else "a share"
            return f"{players[event.seat]} puts up {share} of {event.company} for at least ${event.minimum}."
        case BidMade(seat, amount):
            return f"{players[seat]} bids ${amount}."
        case Passed(seat, forced):
            return f"{players[seat]} has to pass." if forced else f"{players[seat]} passes."
        case ShareSold(seat, company, price, treasury, left):
            return (
                f"{players[seat]} pays ${price} for a share of {company}, which now has ${treasury} and "
                f"{counted(left, 'share')} left."
            )
        case ShareRemoved():
            return _tell_removal(event, players)
        case Founded(seat, company, hex, name, income):
            return f"{players[seat]} starts {company} in {name} ({hex}); it earns ${income}."
        case NumberTaken(seat, number):
            return f"{players[seat]} takes number {number} of the turn order."
        case TurnOrderSet(year, phase, order):
            return f"{year}, phase {phase}: the order is {listed([players[seat] for seat in order])}."
        case SpaceTaken(seat, action):
            return f"{players[seat]} moves to {SPACES[action].name}."
        case Developed(seat, hex, name, left):
            return f"{players[seat]} develops {name} ({hex}); {counted(left, 'marker')} left."
        case Funded(seat, company, amount, treasury):
            return f"{players[seat]} funds {company} with ${amount}; it now has ${treasury}."
        case MoneyTaken(seat, amount):
            return f"{players[seat]} takes ${amount} from the bank."
        case PlayersPaid():
            paid = [f"{players[seat]} ${payment}" for seat, payment in enumerate(event.payments) if seat != event.seat]
            return f"{players[event.seat]} makes the others pay the bank: {listed(paid)}."
        case Built(seat, company, hex, name, cost, treasury, income):
            place = f"{name} ({hex})" if name else hex
            return (
                f"{players[seat]} builds {company} to {place} for ${cost}; it has ${treasury} left and earns ${income}."
            )
        case IncomeChanged(company, hex, name, change, income):
            way = "gains" if change >= 0 else "loses"
            return f"{company} {way} ${abs(change)} in {name} ({hex}); it earns ${income}."
        case LinkMade(company, _, names, bonus, income):
            return f"{company} links {listed(names)} for a bonus of ${bonus}; it earns ${income}."
        case DividendPaid():
            payouts = [f"{players[seat]} ${payout}" for seat, payout in enumerate(event.payouts) if payout]
            return f"{event.company} earns ${event.income} and pays ${event.per_share} a share: {listed(payouts)}."
        case YearAdvanced(year):
            return f"The year {year} begins."
        case GameEnded(reasons):
            return f"The game is over: {ended_because(reasons)}."
        case _:
            assert_never(event)


def _tell_removal(event: ShareRemoved, players: Sequence[str]) -> str:
    if event.seat is None:
        return f"Nobody bids; a share of {event.company} leaves the game, {counted(event.left, 'share')} left."
    return (
        f"No city is free for {event.company}: its last {counted(event.shares, 'share')} leave the game, "
        f"the one {players[event.seat]} bought too."
    )
