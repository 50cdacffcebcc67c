"""Previews of actions, reasons why actions are illegal, and hints, shared by the railway games."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rails_cli.games.decision import LAST_ONE, Decision, Lookahead, Preview, change
from rails_cli.games.faces.choices import entry_preview
from rails_cli.games.faces.phrases import listed, with_article
from rails_cli.games.faces.vocabulary import looked_up, plain, whole_number
from rails_cli.games.plain import tag_of
from rails_cli.games.railways.companies import due
from rails_cli.games.railways.places import Number, hex_named, place_name, place_of, place_words
from rails_cli.games.shared.money import per_share_once_sold
from rails_cli.protocol.common import Bid, BidRange, Pass, Passed

START = "the value of the city it starts in, at once"
"""Phrase for the income of a company without track after the sale of its first share."""
CHANGES = frozenset({"built", "developed", "founded", "funded"})
"""Tags of the events that change the income or treasury of companies."""

Notes = Callable[[Decision, Any, Sequence[Any]], list[str]]
"""Function that takes a decision, an action and the action's events. It returns game-specific notes for a preview."""


def preview(
    decision: Decision,
    lookahead: Lookahead,
    actions: Sequence[Any],
    *,
    shares: str,
    last: Notes,
    first: Notes = lambda decision, action, events: [],
) -> Preview:
    """Return the combined effect of playing `actions` one after another.

    If the last action is a bid, return the effect of winning the auction with this bid. `shares` is the name of the
    company field with the number of shares held. `first` and `last` return notes that come before and after the other
    notes.
    """
    events: list[Any] = []
    cost, entry = None, actions[0]
    for number, action in enumerate(actions):
        if lookahead.is_by_chance:
            break
        now = decision.at(lookahead) if number else decision
        if type(action) is Bid and number == len(actions) - 1:
            return _won(now, lookahead, action)
        entry = now.listed(action)
        price = getattr(entry, "cost", None)
        cost = cost if price is None else (cost or 0) + price
        lookahead, more = lookahead.after(action)
        events += more
    if lookahead.is_by_chance:
        return entry_preview(entry) if len(actions) == 1 else Preview([f"costs ${cost}"] if cost else [])
    entry = next((action for action in reversed(actions) if hasattr(action, "hex")), actions[-1])
    notes = [f"costs ${cost}"] if cost is not None else []
    notes += first(decision, entry, events)
    notes += _offer(decision.view, entry, shares) if tag_of(entry) == "offer" else []
    asked = decision.view.question.company if len(actions) == 1 else None
    notes += _changes(decision, entry, getattr(entry, "company", None) or asked, lookahead, events)
    cash, cash_then = decision.view.players[decision.seat].cash, _cash(lookahead.view, decision.seat, events)
    notes += [f"your cash {change(cash, cash_then)}"] if cash != cash_then else []
    notes += last(decision, entry, events)
    if tag_of(entry) == "choose" and any(type(event) is Passed and event.forced for event in events):
        notes.append("nothing can be done there at the moment")
    return Preview(notes + _what_follows(lookahead, events), _gain(decision, lookahead.view) - (cost or 0))


def _gain(decision: Decision, then: Any) -> int:
    """Return a rating of the change from the current view to the view `then`. Higher is better for the seat."""
    before = decision.view
    gains = [due(then, player.seat) - due(before, player.seat) for player in then.players]
    mine = gains[decision.seat]
    others = sum(gains) - mine
    built = sum(company.income - company_in(before, company.id).income for company in then.companies)
    return 100 * mine - 10 * others + (5 * built if mine >= others else 0)


def _won(decision: Decision, lookahead: Lookahead, bid: Bid) -> Preview:
    """Return the effect of winning the running auction with `bid`, if all other seats pass."""
    after, events = lookahead.after(bid)
    while not (is_sold := "share_sold" in map(tag_of, events)) and after.asked is not None and after.view.auction:
        after, events = after.after(Pass())
    if not is_sold:
        return Preview([])
    was = company_in(decision.view, decision.view.auction.company)
    company = company_in(after.view, was.id)
    cash = change(decision.view.players[decision.seat].cash, _cash(after.view, decision.seat, events))
    notes = [f"if it wins, cash {cash}"]
    if was.income:
        paid = _paid_last(events).get(was.id)
        each = company.dividend if paid is None else paid.per_share
        notes.append(f"dividend per share {change(was.dividend, each)}")
    notes.append(f"treasury {change(was.treasury, company.treasury)}")
    return Preview(notes + _what_follows(after, events), 1)


def _what_follows(after: Lookahead, events: Sequence[Any]) -> list[str]:
    """Return notes about dividends in the events, and about the end of the game.

    `after` is the position after the events.
    """
    paid = payments(events)
    notes = [f"then dividends: ${sum(event.payouts[after.seat] for event in paid)} for you"] if paid else []
    return [*notes, "ends the game"] if not after.is_by_chance and after.view.has_ended else notes


def payments(events: Sequence[Any]) -> list[Any]:
    return [event for event in events if tag_of(event) == "dividend_paid"]


def _changes(decision: Decision, entry: Any, named: str | None, after: Lookahead, events: Sequence[Any]) -> list[str]:
    """Return notes about the changes of companies: income, dividend per share and treasury.

    `entry` is the action, and `after` the position after its `events`. If dividends are paid, the notes state the
    income and dividend at the time of payment. Notes about the company with the id `named` come first and omit the id.
    """
    notes = []
    paid = _paid_last(events)
    for company in sorted(after.view.companies, key=lambda company: company.id != named):
        was = company_in(decision.view, company.id)
        of = "" if company.id == named else f"{company.id} "
        income, dividend = company.income, company.dividend
        if paid:
            dividend_paid = paid.get(company.id)
            income, dividend = (
                (was.income, was.dividend) if dividend_paid is None else (dividend_paid.income, dividend_paid.per_share)
            )
        if income != was.income:
            notes.append(f"{of}income {change(was.income, income)}")
        if dividend != was.dividend:
            notes.append(f"{of}dividend per share {change(was.dividend, dividend)}")
        if company.treasury != was.treasury and not hasattr(entry, "cost"):
            notes.append(f"{of}treasury {change(was.treasury, company.treasury)}")
    return notes


def _paid_last(events: Sequence[Any]) -> dict[str, Any]:
    """Return the last dividend event of each company, by company id.

    A dividend before a company's last change (see CHANGES) is ignored.
    """
    paid: dict[str, Any] = {}
    for event in events:
        if tag_of(event) == "dividend_paid":
            paid[event.company] = event
        elif tag_of(event) in CHANGES:
            paid = {}
    return paid


def _cash(then: Any, seat: int, events: Sequence[Any]) -> int:
    """Return the cash of a seat in the view `then`, minus the dividends that the events paid to the seat."""
    return int(then.players[seat].cash - sum(event.payouts[seat] for event in payments(events)))


def _offer(before: Any, entry: Any, shares: str) -> list[str]:
    company = company_in(before, entry.company)
    notes = []
    if company.income:
        after = per_share_once_sold(company.income, getattr(company, shares))
        notes.append(f"dividend per share {change(company.dividend, after)} if sold")
    return [*notes, f"{company.shares_left} of its shares left" if company.shares_left > 1 else LAST_ONE]


def company_in(view: Any, name: str) -> Any:
    return next(company for company in view.companies if company.id == name)


# Why an action is illegal


@dataclass(frozen=True, slots=True)
class Reasons:
    """The functions and rules with which one game explains why a choice is illegal.

    Each `str` is the id of a rule, or several ids. `highest_bid` and `lowest_bid` are about the limits of bids.
    `supply` is about a company without pieces, `treasury` about a company without enough money for any hex, and `price`
    about the cost of one hex. `room` is about a full hex, and `beside` about a hex that is not next to the network.
    `cost` returns the building cost of a hex, and `pieces_left` the number of pieces that a company can still place.
    """

    highest_bid: str
    lowest_bid: str
    company: Callable[[Decision, Any], str]
    """Return a sentence that explains why a company cannot be chosen."""
    hex: Callable[[Decision, Any, str | None], str]
    """Return a sentence that explains why a hex cannot be chosen."""
    action: Callable[[Decision, str], str]
    """Return a sentence that explains why an action cannot be chosen from the menu."""
    questions: Mapping[str, str]
    """Mapping from values of `asks` in questions to phrases for what the seat has to do, such as "bid or pass"."""
    cost: Number
    pieces_left: Callable[[Any], int]
    holder_builds: str
    """Id of the rule that only shareholders may build for a company."""
    supply: str
    treasury: str
    price: str
    once: str
    """Id of the rule that a company may build in a hex only once."""
    room: str
    beside: str


def why(decision: Decision, words: Sequence[str], reasons: Reasons) -> str | None:
    """Return a sentence that explains why the thing named by `words` cannot be chosen now, or says that it can be.

    Return None if `words` name nothing in the game.
    """
    names = decision.face.vocabulary.names(decision.wire_board, decision.view)
    company = next((found for word in words if (found := looked_up(names["company"], word))), None)
    spot = hex_named(names, words)
    if spot is not None:
        place = place_of(decision.wire_board, spot)
        fitting = [entry for entry in decision.legal if getattr(entry, "hex", None) == spot]
        if any(company in (None, getattr(entry, "company", company)) for entry in fitting):
            return f"{place_words(decision.wire_board, place)} can be chosen now."
        return reasons.hex(decision, place, company)
    if company is not None:
        if any(getattr(entry, "company", None) == company for entry in decision.legal):
            return f"{company} can be chosen now."
        return reasons.company(decision, next(one for one in decision.view.companies if one.id == company))
    if "bid" in map(plain, words) or whole_number(" ".join(words)) is not None:
        return _bid(decision, words, reasons)
    action = next((plain(word) for word in words if plain(word) in names["action"]), None)
    return None if action is None else _action(decision, action, reasons)


def not_asked_for(decision: Decision, company: Any, reasons: Reasons) -> str:
    return f"{company.id} cannot be chosen now; you are to {reasons.questions[decision.view.question.asks]}."


def no_place_asked_for(decision: Decision, reasons: Reasons) -> str:
    return f"You cannot choose a place now; you are to {reasons.questions[decision.view.question.asks]}."


def _bid(decision: Decision, words: Sequence[str], reasons: Reasons) -> str:
    entry = next((entry for entry in decision.legal if type(entry) is BidRange), None)
    if entry is None:
        return "There is no auction to bid in."
    amount = next((number for word in words if (number := whole_number(word)) is not None), None)
    if amount is not None and amount > entry.max:
        return f"You have ${entry.max}; you cannot bid more than your cash ({reasons.highest_bid})."
    if amount is not None and amount < entry.min:
        return f"The lowest bid now is ${entry.min} ({reasons.lowest_bid})."
    return f"You may bid ${entry.min} to ${entry.max}."


def _menu(decision: Decision) -> list[str]:
    return [entry.action for entry in decision.legal if hasattr(entry, "action")]


def _action(decision: Decision, action: str, reasons: Reasons) -> str:
    if any(tag_of(entry) == action for entry in decision.legal):
        return f"That is allowed: {action}."
    if not _menu(decision):
        return f"That is not possible now; you are to {reasons.questions[decision.view.question.asks]}."
    if action in _menu(decision):
        return f"That is allowed: choose {action}."
    return reasons.action(decision, action)


def cannot_expand(decision: Decision, company: Any, reasons: Reasons) -> str:
    """Return a sentence that explains why a company cannot build anywhere."""
    if not decision.view.players[decision.seat].shares[company.id]:
        return f"You hold no share of {company.id} ({reasons.holder_builds})."
    if not reasons.pieces_left(company):
        return f"{company.id} has nothing left to place ({reasons.supply})."
    return f"{company.id} has ${company.treasury}, too little for any hex beside its network ({reasons.treasury})."


def cannot_build(decision: Decision, place: Any, reasons: Reasons, *only: str | None) -> str:
    """Return sentences that explain why the seat cannot build in the hex `place`.

    If `only` is a company id, they are about this company. Otherwise they are about all companies in which the seat
    holds shares.
    """
    view = decision.view
    shares = view.players[decision.seat].shares
    wanted = [one for one in only if one is not None]
    builders = [one for one in view.companies if shares[one.id] and all(one.id == name for name in wanted)]
    if not builders:
        return f"You hold no share of {wanted[0] if wanted else 'any company'} ({reasons.holder_builds})."
    return " ".join(dict.fromkeys(_not_built(decision, place, builder, reasons) for builder in builders))


def _not_built(decision: Decision, place: Any, company: Any, reasons: Reasons) -> str:
    spot, named = place["id"], place_words(decision.wire_board, place)
    crowd = [other.id for other in decision.view.companies if spot in other.track]
    if spot in company.track:
        return f"{company.id} is already in {named} ({reasons.once})."
    cost = reasons.cost(decision.wire_board, decision.view, place)
    if cost is None:
        held, are = ("one piece", "is") if len(crowd) == 1 else (f"{len(crowd)} pieces", "are")
        return f"{named} is {place['terrain']} and holds {held} in total; {listed(crowd)} {are} there ({reasons.room})."
    if not reasons.pieces_left(company):
        return f"{company.id} has nothing left to place ({reasons.supply})."
    if not set(place["neighbours"]) & set(company.track):
        near = ", ".join(place["neighbours"])
        return f"{named} is not next to {company.id}'s network ({reasons.beside}); its neighbours are {near}."
    if cost > company.treasury:
        return f"{named} costs {company.id} ${cost}, and its treasury has ${company.treasury} ({reasons.price})."
    if any(action.startswith("expand") for action in _menu(decision)):
        return f"{named} can be built by {company.id} in an expansion; choose to expand first."
    why_not = _action(decision, "expand", reasons)
    return f"{named} can be built by {company.id} in an expansion, but you cannot expand now. {why_not}"


# Hints


def limit(decision: Decision, estimates: Any) -> str:
    """Return a sentence with the highest price that the greedy player would pay for the auctioned share."""
    entry = decision.legal[0]
    company = decision.view.auction.company
    if type(entry) is not BidRange:
        return "The bot cannot bid."
    highest = 0
    for amount in range(entry.min, entry.max + 1):
        if estimates.bid([BidRange(amount, amount), Pass()]) != Bid(amount):
            break
        highest = amount
    left = estimates.dividends
    dividends = f"about {left:.1f}" if isinstance(left, float) else str(left)
    share = f"{with_article(company)} share"
    if not highest:
        return f"With {dividends} dividends to come the bot thinks {share} earns less than ${entry.min}."
    return f"With {dividends} dividends to come the bot would go up to ${highest} for {share}."


def expansion(decision: Decision, estimates: Any) -> str:
    """Return a sentence about the expansion that the greedy player prefers."""
    worth, company, first = estimates.best_expansion(getattr(decision.view.question, "company", None))
    if not company:
        return "The bot sees no route worth building."
    by = place_name(decision.wire_board, first)
    return f"It would take the {company} by way of {by}, worth about ${worth:.0f} to you by the end."


# Reasons


def reasons(decision: Decision, actions: Sequence[Any], dividends: float, *, shares: str) -> list[str]:
    """Return sentences in favour of `actions`.

    They say what an auctioned share will earn, or how the dividends of players change. `dividends` is the expected
    number of future dividends. `shares` is the name of the company field with the number of shares held.
    """
    if decision.view.auction is not None:
        (action, *_) = actions
        if type(action) is Bid:
            return _earned(decision, dividends, shares, action.amount)
        return [_passed(decision, dividends, shares)]
    lookahead = decision.lookahead
    for action in actions:
        if lookahead.asked != decision.seat:
            break
        lookahead, _ = lookahead.after(action)
    if lookahead.is_by_chance:
        return []
    if tag_of(actions[-1]) == "offer":
        return [_diluted(decision, actions[-1].company, shares)]
    sentence = _profits(decision, lookahead.view) or _nobody_profits(decision, lookahead.view, actions[-1])
    return [sentence] if sentence else []


def _nobody_profits(decision: Decision, then: Any, last: Any) -> str:
    """Return a sentence in favour of actions that change nobody's dividends.

    Return an empty string if there is none. `then` is the view after the actions, and `last` is the last of these
    actions.
    """
    if then.players[decision.seat].cash != decision.view.players[decision.seat].cash:
        return ""  # dividends were paid: the preview shows how much
    more = [
        f"{company.id} earns ${after.income} instead of ${company.income}"
        for company, after in zip(decision.view.companies, then.companies, strict=True)
        if after.income > company.income
    ]
    if more:
        return f"{listed(more)}; a share pays the same for now, because fractions of a dollar are rounded up."
    if type(last) is Pass:
        return "Nothing else here seems worth its price."
    return "It pays nobody more yet, but leads to something that will." if tag_of(last) == "build" else ""


def _to_come(dividends: float) -> str:
    return f"about {round(dividends)} dividends" if round(dividends) != 1 else "about 1 dividend"


def _earned(decision: Decision, dividends: float, shares: str, price: int) -> list[str]:
    """Return sentences that compare the expected dividends of the auctioned share with its price.

    `dividends` is the expected number of dividends to come. `shares` is the name of the company field with the number
    of shares held.
    """
    company = company_in(decision.view, decision.view.auction.company)
    each = per_share_once_sold(company.income, getattr(company, shares))
    if not each:
        earns = "nothing yet" if company.track else START
        return [f"{company.id} earns {earns}. It builds with the price, and {_to_come(dividends)} will be paid."]
    paid = f"At ${each} a dividend the share pays ${each * round(dividends)} in {_to_come(dividends)}"
    less = ", less as more shares are sold" if company.shares_left > 1 else ""
    if price > each * round(dividends):
        return [f"{paid}, and more if {company.id} builds well{less}."]
    later = ", but cash in hand can buy more" if price < each * round(dividends) and round(dividends) > 1 else ""
    return [f"{paid}{later}.", f"It pays more if {company.id} builds well{less}."]


def _passed(decision: Decision, dividends: float, shares: str) -> str:
    """Return a sentence about what happens if another player gets the auctioned share.

    `dividends` is the expected number of dividends to come. `shares` is the name of the company field with the number
    of shares held.
    """
    company = company_in(decision.view, decision.view.auction.company)
    each, now = per_share_once_sold(company.income, getattr(company, shares)), company.dividend
    held = decision.view.players[decision.seat].shares[company.id]
    if held and each < now:
        return f"If another player gets it, you receive ${each * held} instead of ${now * held} at each dividend."
    if held:
        return "If another player gets it, you receive as much as before at each dividend."
    paid = f", and whoever buys it gets ${each * round(dividends)} in {_to_come(dividends)}" if each else ""
    return f"You keep your cash{paid}."


def _diluted(decision: Decision, name: str, shares: str) -> str:
    """Return a sentence about the dividends of shareholders if one more share of the company `name` is sold.

    `shares` is the name of the company field with the number of shares held.
    """
    company = company_in(decision.view, name)
    held = getattr(company, shares)
    each, now = per_share_once_sold(company.income, held), company.dividend
    if not held:
        earns = f"it would pay ${each} at each dividend" if each else "it earns nothing until it builds"
        if not company.track:
            earns = f"{name} earns {START}"
        return f"It is the first {name} share: {earns}."
    holders = [player for player in decision.view.players if player.shares[name]]
    losses = [
        f"{'you' if player.seat == decision.seat else decision.names[player.seat]} "
        f"${(now - each) * player.shares[name]}"
        for player in sorted(holders, key=lambda player: (player.seat != decision.seat, player.seat))
    ]
    share = f"{with_article(name)} share pays ${each}"
    if each == now:
        return f"If it is sold, {share} as before, so that costs nobody anything."
    return f"If it is sold, {share} instead of ${now}: that costs {listed(losses)} a dividend."


def _profits(decision: Decision, then: Any) -> str:
    """Return a sentence that names the players who receive more or less at each dividend than now.

    `then` is the later view that is compared with the current one.
    """
    gains = {player.seat: due(then, player.seat) - due(decision.view, player.seat) for player in then.players}
    changed = sorted((seat for seat, gain in gains.items() if gain), key=lambda seat: (seat != decision.seat, seat))
    amounts = [
        f"{'you' if seat == decision.seat else decision.names[seat]} ${abs(gains[seat])} "
        f"{'more' if gains[seat] > 0 else 'less'}"
        for seat in changed
    ]
    return f"Each dividend then pays {listed(amounts)}." if amounts else ""
