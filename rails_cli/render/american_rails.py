"""American Rails in words: an event as a sentence, a view as tables 80 columns wide."""

from collections.abc import Iterator, Sequence
from textwrap import wrap

from protocol.american_rails import (
    Built,
    CompanyRemoved,
    Developed,
    DividendPaid,
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
    SpaceTaken,
    TurnOrderSet,
    View,
    YearAdvanced,
)
from protocol.common import BidMade, FirstPlayer, Passed

WIDTH = 80
NAME_WIDTH = 14

SPACES = {
    "pass": "Pass",
    "develop": "Develop",
    "fund": "Fund",
    "take": "Take",
    "expand3": "Expand 3",
    "auction": "Auction",
    "expand4": "Expand 4",
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
                f"{_count(left, 'share')} left."
            )
        case ShareRemoved():
            return _tell_removal(event, players)
        case Founded(seat, company, hex, name, income):
            return f"{players[seat]} starts {company} in {name} ({hex}); it earns ${income}."
        case NumberTaken(seat, number):
            return f"{players[seat]} takes number {number} of the turn order."
        case TurnOrderSet(year, phase, order):
            return f"{year}, phase {phase}: the order is {_listed([players[seat] for seat in order])}."
        case SpaceTaken(seat, action):
            return f"{players[seat]} moves to {SPACES[action]}."
        case Developed(seat, hex, name, left):
            return f"{players[seat]} develops {name} ({hex}); {_count(left, 'marker')} left."
        case Funded(seat, company, amount, treasury):
            return f"{players[seat]} funds {company} with ${amount}; it now has ${treasury}."
        case MoneyTaken(seat, amount):
            return f"{players[seat]} takes ${amount} from the bank."
        case PlayersPaid():
            paid = [f"{players[seat]} ${payment}" for seat, payment in enumerate(event.payments) if seat != event.seat]
            return f"{players[event.seat]} makes the others pay the bank: {_listed(paid)}."
        case Built(seat, company, hex, name, cost, treasury, income):
            place = f"{name} ({hex})" if name else hex
            return (
                f"{players[seat]} builds {company} to {place} for ${cost}; it has ${treasury} left and earns ${income}."
            )
        case IncomeChanged(company, hex, name, change, income):
            way = "gains" if change >= 0 else "loses"
            return f"{company} {way} ${abs(change)} in {name} ({hex}); it earns ${income}."
        case LinkMade(company, _, names, bonus, income):
            return f"{company} links {_listed(names)} for a bonus of ${bonus}; it earns ${income}."
        case DividendPaid():
            payouts = [f"{players[seat]} ${payout}" for seat, payout in enumerate(event.payouts) if payout]
            return f"{event.company} earns ${event.income} and pays ${event.per_share} a share: {_listed(payouts)}."
        case YearAdvanced(year):
            return f"The year {year} begins."
        case GameEnded(reasons):
            return f"The game is over: {_listed([END_REASONS[reason] for reason in reasons])}."


def _tell_removal(event: ShareRemoved, players: Sequence[str]) -> str:
    if event.seat is None:
        return f"Nobody bids; a share of {event.company} leaves the game, {_count(event.left, 'share')} left."
    return (
        f"No city is free for {event.company}: its last {_count(event.shares, 'share')} leave the game, "
        f"the one {players[event.seat]} bought too."
    )


def position(view: View, players: Sequence[str]) -> str:
    """The position as tables of at most 80 columns."""
    lines = [*_headline(view, players), ""]
    lines += _players(view, players)
    lines += ["", *_companies(view), ""]
    lines += _tracks(view)
    lines += ["", *_columns(view, players), *_end(view)]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _headline(view: View, players: Sequence[str]) -> list[str]:
    question = view.question
    if question is None:
        return wrap(f"{view.year}: over, as {_listed([END_REASONS[reason] for reason in view.end_reasons])}.", WIDTH)
    when = "Opening" if view.is_opening else f"{view.year}, phase {view.phase}"
    about = f" ({question.company})" if question.company else ""
    cubes = f", up to {_count(question.cubes, 'cube')}" if question.cubes else ""
    return wrap(f"{when}: {_short(players[question.seat])} is to {QUESTIONS[question.asks]}{about}{cubes}.", WIDTH)


def _players(view: View, players: Sequence[str]) -> Iterator[str]:
    yield f"{'Player':<{NAME_WIDTH + 4}}{'Cash':>5}{'Due':>5}  Shares"
    for player in view.players:
        to_move = ">" if view.question is not None and view.question.seat == player.seat else " "
        shares = ", ".join(f"{company} {count}" for company, count in player.shares.items() if count) or "-"
        head = f"{to_move} {player.seat} {_short(players[player.seat]):<{NAME_WIDTH}}{player.cash:>5}{player.due:>5}  "
        yield from wrap(shares, WIDTH, initial_indent=head, subsequent_indent=" " * len(head))


def _companies(view: View) -> Iterator[str]:
    yield _row("Company", "Treasury", "Income", "Dividend", "Held", "Left", "Cubes", "Links")
    for company in view.companies:
        if company.in_play:
            yield _row(
                _short(company.id),
                company.treasury,
                company.income,
                company.dividend,
                company.shares_held,
                company.shares_left,
                company.cubes_left,
                company.links,
            )
        else:
            yield f"{_short(company.id):<{NAME_WIDTH}} not in play"


def _row(name: str, *cells: str | int) -> str:
    return f"{name:<{NAME_WIDTH}}" + "".join(f"{cell:>9}" for cell in cells)


def _tracks(view: View) -> Iterator[str]:
    for company in view.companies:
        if company.track:
            yield from _wrapped(_short(company.id), " ".join(company.track))
    yield from _wrapped(f"Developed ({_count(view.markers_left, 'marker')} left)", " ".join(view.developed))


def _wrapped(head: str, words: str) -> list[str]:
    return wrap(f"{head}: {words or '-'}", WIDTH, subsequent_indent="  ")


def _columns(view: View, players: Sequence[str]) -> Iterator[str]:
    if view.auction is not None:
        auction = view.auction
        bid = "no bid yet" if auction.leader is None else f"{_short(players[auction.leader])} bids ${auction.bid}"
        yield from _wrapped(f"Auction of {auction.company}", f"{bid}; the next bid is at least ${auction.minimum}")
        yield from _wrapped("Still in", ", ".join(_short(players[seat]) for seat in auction.still_in))
    if view.opening_lots:
        yield from _wrapped("Still to be put up", ", ".join(view.opening_lots))
    yield from _wrapped("Order", ", ".join(_short(players[seat]) for seat in view.order))
    for phase, column in enumerate(view.columns, 1):
        taken = [f"{SPACES[space]} {_short(players[seat])}" for space, seat in column.items()]
        yield from _wrapped(f"Phase {phase}", ", ".join(taken))


def _end(view: View) -> list[str]:
    end = view.end
    return wrap(
        f"End: {_count(end.years_left, 'year')} after this one, {_count(end.shares_left, 'share')} in supply, "
        f"{end.low_supplies} of {end.low_supplies_needed} supplies at {end.low_means} pieces or fewer.",
        WIDTH,
    )


def _short(name: str) -> str:
    return name if len(name) <= NAME_WIDTH - 1 else name[: NAME_WIDTH - 2] + "."


def _count(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"


def _listed(phrases: Sequence[str]) -> str:
    return ", ".join(phrases[:-1]) + f" and {phrases[-1]}" if len(phrases) > 1 else "".join(phrases)
