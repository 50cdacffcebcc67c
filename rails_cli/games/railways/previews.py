"""What a choice would do: the action is played on a copy of the position, and the seat's views are compared."""

from collections.abc import Callable, Sequence
from typing import Any

from protocol.common import Bid, Pass, Passed
from rails_cli.core.money import per_share
from rails_cli.games.choices import told
from rails_cli.games.decision import Decision, Lookahead, Preview, change
from rails_cli.games.railways.companies import due

CHANGES = frozenset({"built", "developed", "founded", "funded"})
"""Events after which companies earn or have something else."""

Notes = Callable[[Decision, Any, Sequence[Any]], list[str]]
"""What a game notes of its own, by the decision, the action and what it brings."""


def _nothing(decision: Decision, action: Any, events: Sequence[Any]) -> list[str]:
    return []


def preview(
    decision: Decision,
    lookahead: Lookahead,
    actions: Sequence[Any],
    *,
    shares: str,
    last: Notes,
    first: Notes = _nothing,
) -> Preview:
    """What some actions bring, all in all. `shares` is the field that counts a company's shares in players' hands."""
    if type(actions[0]) is Bid:
        return _won(decision, lookahead, actions[0])
    events: list[Any] = []
    cost, entry = None, actions[0]
    for number, action in enumerate(actions):
        if lookahead.is_by_chance:
            break
        entry = (decision.at(lookahead) if number else decision).listed(action)
        price = getattr(entry, "cost", None)
        cost = cost if price is None else (cost or 0) + price
        lookahead, more = lookahead.after(action)
        events += more
    if lookahead.is_by_chance:
        return told(entry) if len(actions) == 1 else Preview([f"costs {cost}"] if cost else [])
    entry = next((action for action in reversed(actions) if hasattr(action, "hex")), actions[-1])
    notes = [f"costs {cost}"] if cost is not None else []
    notes += first(decision, entry, events)
    notes += _offer(decision.view, entry, shares) if entry.__struct_config__.tag == "offer" else []
    notes += _changes(decision, entry, lookahead, events)
    notes += _cash_note(decision, lookahead.view, events)
    notes += last(decision, entry, events)
    if entry.__struct_config__.tag == "choose" and any(type(event) is Passed and event.forced for event in events):
        notes.append("nothing can be done there now")
    return Preview(notes + _what_follows(lookahead, events), _gain(decision, lookahead.view) - (cost or 0))


def _gain(decision: Decision, then: Any) -> int:
    """How good a position is for the seat, compared with that before."""
    before = decision.view
    gains = [due(then, player.seat) - due(before, player.seat) for player in then.players]
    mine = gains[decision.seat]
    others = sum(gains) - mine
    built = sum(company.income - company_in(before, company.id).income for company in then.companies)
    return 100 * mine - 10 * others + (5 * built if mine >= others else 0)


def _won(decision: Decision, lookahead: Lookahead, bid: Bid) -> Preview:
    """What winning the running auction with a bid would do, if all others passed."""
    after, events = lookahead.after(bid)
    while after.asked is not None and after.view.auction is not None and not _is_sold(events):
        after, events = after.after(Pass())
    if not _is_sold(events):
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


def _is_sold(events: Sequence[Any]) -> bool:
    return any(event.__struct_config__.tag == "share_sold" for event in events)


def _what_follows(after: Lookahead, events: Sequence[Any]) -> list[str]:
    """The dividend and the end of the game, if an action brings them."""
    paid = payments(events)
    notes = [f"then the dividend: ${sum(event.payouts[after.seat] for event in paid)} for you"] if paid else []
    return [*notes, "ends the game"] if not after.is_by_chance and after.view.has_ended else notes


def payments(events: Sequence[Any]) -> list[Any]:
    """The dividends among some events."""
    return [event for event in events if event.__struct_config__.tag == "dividend_paid"]


def _changes(decision: Decision, entry: Any, after: Lookahead, events: Sequence[Any]) -> list[str]:
    """What becomes of the companies, as they stand when a dividend that follows is paid."""
    notes = []
    named = getattr(entry, "company", None)
    paid = _paid_last(events)
    for company in sorted(after.view.companies, key=lambda company: company.id != named):
        was = company_in(decision.view, company.id)
        of = "" if company.id == named else f"{company.id} "
        income, dividend = company.income, company.dividend
        if paid:
            told = paid.get(company.id)
            income, dividend = (was.income, was.dividend) if told is None else (told.income, told.per_share)
        if income != was.income:
            notes.append(f"{of}income {change(was.income, income)}")
        if dividend != was.dividend:
            notes.append(f"{of}dividend per share {change(was.dividend, dividend)}")
        if company.treasury != was.treasury and not hasattr(entry, "cost"):
            notes.append(f"{of}treasury {change(was.treasury, company.treasury)}")
    return notes


def _paid_last(events: Sequence[Any]) -> dict[str, Any]:
    """The dividends that follow everything else; after them only markers move, by themselves."""
    paid: dict[str, Any] = {}
    for event in events:
        tag = event.__struct_config__.tag
        if tag == "dividend_paid":
            paid[event.company] = event
        elif tag in CHANGES:
            paid = {}
    return paid


def _cash_note(decision: Decision, then: Any, events: Sequence[Any]) -> list[str]:
    before = decision.view.players[decision.seat].cash
    cash = _cash(then, decision.seat, events)
    return [f"your cash {change(before, cash)}"] if cash != before else []


def _cash(then: Any, seat: int, events: Sequence[Any]) -> int:
    """What the seat has then, apart from dividends."""
    return int(then.players[seat].cash - sum(event.payouts[seat] for event in payments(events)))


def _offer(before: Any, entry: Any, shares: str) -> list[str]:
    company = company_in(before, entry.company)
    notes = []
    if company.income:
        after = per_share(company.income, getattr(company, shares) + 1)
        notes.append(f"dividend per share {change(company.dividend, after)} if sold")
    return [*notes, f"{company.shares_left} left"]


def company_in(view: Any, name: str) -> Any:
    return next(company for company in view.companies if company.id == name)
