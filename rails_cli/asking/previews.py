"""What a choice would do: the action is played on a copy of the position, and the seat's views are compared."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from protocol.common import Bid, BidRange, Pass
from rails_cli.asking.situation import Foresight, Situation
from rails_cli.games.game import bare
from rails_cli.games.railways.companies import dividend_after_sale, due


class Preview(NamedTuple):
    """What would change, in short phrases; and how good that is, to put the better choices first."""

    notes: list[str]
    gain: float = 0

    @property
    def words(self) -> str:
        return ", ".join(self.notes)


def preview_of(situation: Situation, entry: Any) -> Preview:
    """What choosing an entry of the legal list would do; without a position to try it on, what the entry says."""
    if situation.trial is None:
        return _told(entry)
    if type(entry) is BidRange:
        return won(situation, entry.min)
    after, events = situation.trial.after(entry)
    if situation.game == "last_spike":
        return _last_spike(situation, entry, events)
    if after.is_by_chance:
        return _told(entry)
    return _railways(situation, entry, after, events)


def preview_of_steps(situation: Situation, actions: Sequence[Any]) -> Preview:
    """What several actions one after another would do, all in all."""
    if situation.trial is None or len(actions) == 1:
        return won(situation, actions[0].amount) if _is_bid(situation, actions) else preview_of(situation, actions[0])
    trial = situation.trial
    if situation.game == "last_spike":
        notes = []
        for action in actions:
            if trial.is_by_chance:
                break
            now = replace(situation, trial=trial, view=trial.view, legal=trial.legal)
            notes += preview_of(now, _listed(now, action)).notes
            trial, _ = trial.after(action)
        return Preview(notes)
    events: list[Any] = []
    cost = 0
    for action in actions:
        if trial.is_by_chance:
            break
        entry = _listed(replace(situation, trial=trial, view=trial.view, legal=trial.legal), action)
        cost += getattr(entry, "cost", None) or 0
        trial, more = trial.after(action)
        events += more
    if trial.is_by_chance:
        return Preview([f"costs {cost}"] if cost else [])
    built = [action for action in actions if hasattr(action, "hex")] or list(actions)
    preview = _railways(situation, built[-1], trial, events)
    notes = [note for note in preview.notes if not note.startswith("costs ")]
    return Preview([f"costs {cost}", *notes] if cost else notes)


def _is_bid(situation: Situation, actions: Sequence[Any]) -> bool:
    return situation.trial is not None and type(actions[0]) is Bid


def _listed(situation: Situation, action: Any) -> Any:
    """The entry that an action answers, which tells its cost."""
    wanted = bare(action)
    return next((e for e in situation.legal if type(e) is type(action) and bare(e) == wanted), action)


def won(situation: Situation, amount: int) -> Preview:
    """What winning the running auction with a bid would do, if all others passed."""
    assert situation.trial is not None
    trial, events = situation.trial.after(Bid(amount))
    while trial.asked is not None and trial.view.auction is not None and not _is_sold(events):
        trial, events = trial.after(Pass())
    if not _is_sold(events):
        return Preview([])
    company = _company(situation.view, situation.view.auction.company)
    each = _each_after_sale(company)
    cash = _cash(situation.view, situation.seat)
    notes = [f"if it wins, cash {change(cash, cash - amount)}"]
    if each:
        notes.append(f"dividend per share {change(company.dividend, each)}")
    notes.append(f"treasury {change(company.treasury, company.treasury + amount)}")
    return Preview(notes + _what_follows(trial, events), 1)


def _what_follows(after: Foresight, events: Sequence[Any]) -> list[str]:
    """The dividend and the end of the game, if an action brings them."""
    paid = payments(events)
    notes = [f"then the dividend: ${sum(event.payouts[after.seat] for event in paid)} for you"] if paid else []
    return [*notes, "ends the game"] if not after.is_by_chance and after.view.has_ended else notes


def payments(events: Sequence[Any]) -> list[Any]:
    """The dividends among some events."""
    return [event for event in events if event.__struct_config__.tag == "dividend_paid"]


def _each_after_sale(company: Any) -> int:
    """What each share would be paid if one more were sold."""
    sold = company.shares_sold if hasattr(company, "shares_sold") else company.shares_held
    return dividend_after_sale(company.income, sold)


def change(before: int, after: int) -> str:
    return f"{before:,} → {after:,}"


def _is_sold(events: list[Any]) -> bool:
    return any(event.__struct_config__.tag == "share_sold" for event in events)


def _told(entry: Any) -> Preview:
    cost = getattr(entry, "cost", None)
    gain = getattr(entry, "gain", None)
    notes = [f"costs {cost:,}"] if cost is not None else []
    notes += [f"brings {gain:,}"] if gain is not None else []
    return Preview(notes, -(cost or 0))


# Chicago Express and American Rails


def _railways(situation: Situation, entry: Any, after: Foresight, events: list[Any]) -> Preview:
    seat, before, then = situation.seat, situation.view, after.view
    kind = entry.__struct_config__.tag
    notes = []
    cost = getattr(entry, "cost", None)
    if cost is not None:
        notes.append(f"costs {cost}")
    if kind == "choose" and situation.game == "chicago_express":
        notes += _dial(before, entry.action, is_paid=bool(payments(events)))
    notes += _offer(before, entry) if kind == "offer" else []
    notes += _changes(situation, entry, after, events)
    notes += _purses(situation, then, events)
    if kind == "build" and entry.hex == situation.wire_board.get("chicago"):
        notes.append("reaches Chicago")
    if any(event.__struct_config__.tag == "link_made" for event in events):
        notes.append("links two of the bonus cities")
    if kind == "choose" and any(event.__struct_config__.tag == "passed" and event.forced for event in events):
        notes.append("nothing can be done there now")
    notes += _what_follows(after, events)
    mine = due(then, seat) - due(before, seat)
    others = sum(due(then, other.seat) - due(before, other.seat) for other in then.players if other.seat != seat)
    built = sum(company.income - _company(before, company.id).income for company in then.companies)
    return Preview(notes, 100 * mine - 10 * others + (5 * built if mine >= others else 0) - (cost or 0))


def _changes(situation: Situation, entry: Any, after: Foresight, events: Sequence[Any]) -> list[str]:
    """What becomes of the companies, as they stand when a dividend that follows is paid."""
    notes = []
    named = getattr(entry, "company", None)
    paid = _paid_last(events)
    for company in sorted(after.view.companies, key=lambda company: company.id != named):
        was = _company(situation.view, company.id)
        of = "" if company.id == named else f"{company.id} "
        income, dividend = company.income, company.dividend
        if paid:
            told = paid.get(company.id)
            income, dividend = (was.income, was.dividend) if told is None else (told.income, told.per_share)
        if income != was.income:
            notes.append(f"{of}income {change(was.income, income)}")
        if dividend != was.dividend:
            notes.append(f"{of}dividend per share {change(was.dividend, dividend)}")
        if company.treasury != was.treasury and getattr(entry, "cost", None) is None:
            notes.append(f"{of}treasury {change(was.treasury, company.treasury)}")
    return notes


def _paid_last(events: Sequence[Any]) -> dict[str, Any]:
    """The dividends that follow everything else; after them only markers move, by themselves."""
    paid: dict[str, Any] = {}
    for event in events:
        tag = event.__struct_config__.tag
        if tag == "dividend_paid":
            paid[event.company] = event
        elif tag in ("built", "developed", "funded", "founded"):
            paid = {}
    return paid


def _purses(situation: Situation, then: Any, events: Sequence[Any]) -> list[str]:
    """Who pays and who is paid, apart from dividends."""
    seat = situation.seat
    before = _cash(situation.view, seat)
    cash = _cash(then, seat) - sum(event.payouts[seat] for event in payments(events))
    notes = [f"your cash {change(before, cash)}"] if cash != before else []
    for event in events:
        if event.__struct_config__.tag == "players_paid":
            amounts = {amount for payer, amount in enumerate(event.payments) if payer != seat}
            each = f"${amounts.pop()} each" if len(amounts) == 1 else f"${sum(event.payments)} in all"
            notes.append(f"the others pay {each}")
    return notes


def _dial(before: Any, action: str, *, is_paid: bool) -> list[str]:
    dial = next(dial for dial in before.dials if dial.action == action)
    notes = [f"dial {dial.moved} → {dial.moved + 1} of {dial.red_at}"]
    if dial.moved + 1 == dial.red_at:
        reds = sum(other.moved >= other.red_at for other in before.dials)
        notes.append("turns red" + (", then the dividend" if reds and not is_paid else ""))
    return notes


def _offer(before: Any, entry: Any) -> list[str]:
    company = _company(before, entry.company)
    minimum = getattr(company, "minimum_bid", None)
    notes = [] if minimum is None else [f"from ${minimum}"]
    if company.income:
        notes.append(f"dividend per share {change(company.dividend, _each_after_sale(company))} if sold")
    return [*notes, f"{company.shares_left} left"]


def _company(view: Any, name: str) -> Any:
    return next(company for company in view.companies if company.id == name)


def _cash(view: Any, seat: int) -> int:
    return int(view.players[seat].cash)


# The Last Spike


def _last_spike(situation: Situation, entry: Any, events: list[Any]) -> Preview:
    seat = situation.seat
    notes = []
    gain = 0
    cost = getattr(entry, "cost", None)
    if cost is not None:
        notes.append(f"costs {cost:,}")
        gain -= cost
    names = {city["id"]: city["name"] for city in situation.wire_board["cities"]}
    for event in events:
        match event.__struct_config__.tag:
            case "piece_chosen":
                notes.append("you must sell properties for it")
                gain -= 10_000
            case "piece_played":
                if entry.__struct_config__.tag == "sell":
                    notes.append(f"then {event.piece} is laid for {event.cost:,}")
                if not event.touching:
                    notes.append("touches nothing: double")
            case "property_taken":
                notes.append(f"free property in {names[event.city]}")
                gain += 6_000
            case "route_completed":
                notes.append(f"completes route {event.route}")
            case "route_paid":
                if event.amounts[seat]:
                    notes.append(f"{names[event.city]} pays you {event.amounts[seat]:,}")
                others = max((sum(event.amounts) - event.amounts[seat]), 0)
                if others:
                    notes.append(f"others {others:,} in {names[event.city]}")
                gain += event.amounts[seat] - others
            case "last_spike_driven":
                notes.append(f"the last spike: {event.bonus:,} for you, and the game ends")
                gain += event.bonus
            case "property_sold":
                notes.append(f"brings {event.gain:,}")
                gain += event.gain
            case "property_bought":
                city = next(city for city in situation.view.cities if city.id == event.city)
                payout = next(c["payout"] for c in situation.wire_board["cities"] if c["id"] == event.city)
                held = city.properties[seat]
                pays = change(payout[held - 1] if held else 0, payout[held])
                notes.append(f"a route pays you {pays}, {city.routes_left} to come")
                gain += (payout[held] - (payout[held - 1] if held else 0)) * city.routes_left
    return Preview(notes, gain)
