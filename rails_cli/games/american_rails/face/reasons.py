"""Why something is not allowed now in American Rails."""

from collections.abc import Sequence
from typing import Any

from rails_cli.games.american_rails.face.places import cost
from rails_cli.games.decision import Decision
from rails_cli.games.railways import reasons
from rails_cli.games.railways.vocabulary import place_words


def why(decision: Decision, words: Sequence[str]) -> str | None:
    return reasons.why(decision, words, REASONS)


def _company(decision: Decision, company: Any) -> str:
    if not company.in_play:
        return f"{company.id} was drawn out of the game before it began (AR-3)."
    match decision.view.question.asks:
        case "nominate" if company.id not in decision.view.opening_lots:
            return f"One share of {company.id} has been put up already (AR-14)."
        case "nominate" | "auction":
            return f"{company.id} has no share left to sell (AR-33)."
        case "expand" | "take":
            return reasons.cannot_expand(decision, company, REASONS)
    return reasons.not_asked_for(decision, company)


def _hex(decision: Decision, place: Any, company: str | None) -> str:
    named = place_words(place)
    match decision.view.question.asks:
        case "develop":
            return _not_developed(decision, place)
        case "found" if place["terrain"] != "city":
            return f"{named} is no city; a company starts in one (AR-12)."
        case "found":
            return f"{named} holds a cube already; a company starts where none is (AR-12)."
        case "expand" | "take" | "choose":
            return reasons.cannot_build(decision, place, REASONS, company)
    return reasons.no_place_asked_for(decision)


def _not_developed(decision: Decision, place: Any) -> str:
    spot, named = place["id"], place_words(place)
    if not any(spot in company.track for company in decision.view.companies):
        return f"Nobody has built in {named} yet (AR-30)."
    if spot in decision.view.developed:
        return f"{named} is developed already (AR-30)."
    if place["terrain"] != "city":
        return f"{named} is no city; only cities are developed (AR-30)."
    return f"{named} can never be developed (AR-30)." if not place["developable"] else "No marker is left (AR-30)."


def _action(decision: Decision, action: str) -> str:
    column = decision.view.columns[decision.view.phase - 1]
    taken = [space for space in column if space.startswith(action)]
    by = ", ".join(f"{space} by {decision.names[column[space]]}" for space in taken)
    return f"Taken in this phase: {by} (AR-20)." if taken else f"There is no space {action} to take (AR-20)."


REASONS = reasons.Reasons(
    highest_bid="AR-10",
    lowest_bid="AR-10",
    company=_company,
    hex=_hex,
    action=_action,
    cost=cost,
    pieces_left=lambda company: int(company.cubes_left),
    holder_builds="AR-35",
    supply="AR-35",
    treasury="AR-35",
    price="AR-35 AR-36",
    once="AR-36",
    room="AR-36",
    beside="AR-35",
)
