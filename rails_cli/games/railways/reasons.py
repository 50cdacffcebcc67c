"""Why something is not allowed now: said from what the seat sees, with the rule."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from protocol.common import BidRange
from rails_cli.games.decision import Decision
from rails_cli.games.phrases import listed
from rails_cli.games.railways.places import Number
from rails_cli.games.railways.vocabulary import hex_named, place_of, place_words
from rails_cli.games.vocabulary import looked_up, plain, whole_number


@dataclass(frozen=True, slots=True)
class Reasons:
    """What forbids things in one game: the numbers of its rules, and what only it can say."""

    highest_bid: str
    lowest_bid: str
    company: Callable[[Decision, Any], str]
    """Why a company cannot be chosen."""
    hex: Callable[[Decision, Any, str | None], str]
    """Why a hex cannot be chosen, or not for the company named."""
    action: Callable[[Decision, str], str]
    """Why an action cannot be chosen when one is asked for."""
    cost: Number
    pieces_left: Callable[[Any], int]
    holder_builds: str
    """The rule that only shareholders build."""
    supply: str
    treasury: str
    price: str
    once: str
    """The rule that a company builds in a hex once."""
    room: str
    beside: str


def why(decision: Decision, words: Sequence[str], reasons: Reasons) -> str | None:
    """Why the things named cannot be chosen now, or that they can; None if they name nothing."""
    names = decision.face.vocabulary.names(decision.wire_board, decision.view)
    company = next((found for word in words if (found := looked_up(names["company"], word))), None)
    spot = hex_named(names, words)
    if spot is not None:
        place = place_of(decision.wire_board, spot)
        fitting = [entry for entry in decision.legal if getattr(entry, "hex", None) == spot]
        if any(company in (None, getattr(entry, "company", company)) for entry in fitting):
            return f"{place_words(place)} can be chosen now."
        return reasons.hex(decision, place, company)
    if company is not None:
        if any(getattr(entry, "company", None) == company for entry in decision.legal):
            return f"{company} can be chosen now."
        return reasons.company(decision, next(one for one in decision.view.companies if one.id == company))
    if "bid" in map(plain, words) or whole_number(" ".join(words)) is not None:
        return _bid(decision, words, reasons)
    action = next((plain(word) for word in words if plain(word) in names["action"]), None)
    return None if action is None else _action(decision, action, reasons)


def asked(decision: Decision) -> str:
    return str(decision.view.question.asks).replace("_", " ")


def not_asked_for(decision: Decision, company: Any) -> str:
    return f"{company.id} is not what is asked for now: {asked(decision)}."


def no_place_asked_for(decision: Decision) -> str:
    return f"No place is asked for now: {asked(decision)}."


def _bid(decision: Decision, words: Sequence[str], reasons: Reasons) -> str:
    entry = next((entry for entry in decision.legal if type(entry) is BidRange), None)
    if entry is None:
        return "No auction is on in which you could bid."
    amount = next((number for word in words if (number := whole_number(word)) is not None), None)
    if amount is not None and amount > entry.max:
        return f"You have ${entry.max}; a bid is never above your cash ({reasons.highest_bid})."
    if amount is not None and amount < entry.min:
        return f"The lowest bid now is ${entry.min} ({reasons.lowest_bid})."
    return f"You may bid ${entry.min} to ${entry.max}."


def _menu(decision: Decision) -> list[str]:
    """The actions that can be chosen."""
    return [entry.action for entry in decision.legal if hasattr(entry, "action")]


def _action(decision: Decision, action: str, reasons: Reasons) -> str:
    if any(entry.__struct_config__.tag == action for entry in decision.legal):
        return f"That is allowed: {action}."
    if not _menu(decision):
        return f"You are asked something else now: {asked(decision)}."
    if action in _menu(decision):
        return f"That is allowed: choose {action}."
    return reasons.action(decision, action)


def cannot_expand(decision: Decision, company: Any, reasons: Reasons) -> str:
    """Why a company can build nowhere."""
    if not decision.view.players[decision.seat].shares[company.id]:
        return f"You hold no share of {company.id} ({reasons.holder_builds})."
    if not reasons.pieces_left(company):
        return f"{company.id} has nothing left to place ({reasons.supply})."
    return f"{company.id} has ${company.treasury}, too little for any hex beside its network ({reasons.treasury})."


def cannot_build(decision: Decision, place: Any, reasons: Reasons, *only: str | None) -> str:
    """Why nobody, or none of those who come into question, can build in a hex."""
    view = decision.view
    shares = view.players[decision.seat].shares
    wanted = [one for one in only if one is not None]
    builders = [one for one in view.companies if shares[one.id] and all(one.id == name for name in wanted)]
    if not builders:
        return f"You hold no share of {wanted[0] if wanted else 'any company'} ({reasons.holder_builds})."
    return " ".join(dict.fromkeys(_not_built(decision, place, builder, reasons) for builder in builders))


def _not_built(decision: Decision, place: Any, company: Any, reasons: Reasons) -> str:
    spot, named = place["id"], place_words(place)
    crowd = [other.id for other in decision.view.companies if spot in other.track]
    if spot in company.track:
        return f"{company.id} stands in {named} already ({reasons.once})."
    cost = reasons.cost(decision.wire_board, decision.view, place)
    if cost is None:
        held, are = ("one piece", "is") if len(crowd) == 1 else (f"{len(crowd)} pieces", "are")
        return f"{named} is {place['terrain']} and holds {held} in all; {listed(crowd)} {are} there ({reasons.room})."
    if not reasons.pieces_left(company):
        return f"{company.id} has nothing left to place ({reasons.supply})."
    if not set(place["neighbours"]) & set(company.track):
        near = ", ".join(place["neighbours"])
        return f"{named} is not next to {company.id}'s network ({reasons.beside}); its neighbours are {near}."
    if cost > company.treasury:
        return f"{named} costs {company.id} ${cost}, and its treasury has ${company.treasury} ({reasons.price})."
    if any(action.startswith("expand") for action in _menu(decision)):
        return f"{named} can be built by {company.id} in an expansion; first choose to expand."
    why_not = _action(decision, "expand", reasons)
    return f"{named} can be built by {company.id} in an expansion, but now you cannot expand. {why_not}"
