"""Why something is not allowed now in Chicago Express."""

from collections.abc import Sequence
from typing import Any

from rails_cli.games.chicago_express.face.places import cost
from rails_cli.games.decision import Decision
from rails_cli.games.railways import reasons
from rails_cli.games.railways.vocabulary import place_words


def why(decision: Decision, words: Sequence[str]) -> str | None:
    return reasons.why(decision, words, REASONS)


def _company(decision: Decision, company: Any) -> str:
    if not company.is_open:
        return f"The {company.id} opens when a company reaches Chicago (CE-30, CE-71)."
    question = decision.view.question
    if question.asks == "offer_share":
        return f"{company.id} has no share left to sell (CE-30)."
    if question.asks != "expand":
        return reasons.not_asked_for(decision, company)
    if question.company not in (None, company.id):
        return f"An expansion is for one company, and this one is {question.company}'s (CE-40)."
    return reasons.cannot_expand(decision, company, REASONS)


def _hex(decision: Decision, place: Any, company: str | None) -> str:
    question = decision.view.question
    if question.asks == "develop":
        return _not_developed(decision, place)
    if question.asks not in ("expand", "choose_action"):
        return reasons.no_place_asked_for(decision)
    if place["terrain"] == "start":
        return f"{place_words(place)} is a start city; nobody builds there (CE-41)."
    return reasons.cannot_build(decision, place, REASONS, company, question.company)


def _not_developed(decision: Decision, place: Any) -> str:
    view, spot, named = decision.view, place["id"], place_words(place)
    if not any(spot in company.track for company in view.companies):
        return f"Nobody has built in {named} yet (CE-50)."
    if spot in view.developed:
        return f"{named} is developed already (CE-51)."
    scale = next((scale for scale in view.scales if scale.hex == spot), None)
    if scale is not None:
        return (
            f"{named} is at the end of its scale (CE-53)."
            if scale.next_value is None
            else f"{named} moves by itself after each dividend (CE-54, CE-62)."
        )
    if place["terrain"] in ("plain", "start") or spot == decision.wire_board["chicago"]:
        return f"{named} can never be developed: {place['terrain']} hexes and Chicago are not (CE-54)."
    return "No house is left (CE-51, CE-52)."


def _action(decision: Decision, action: str) -> str:
    return f"The {action} dial is red; it is free again after the dividend (CE-20, CE-62)."


REASONS = reasons.Reasons(
    highest_bid="CE-12",
    lowest_bid="CE-11",
    company=_company,
    hex=_hex,
    action=_action,
    cost=cost,
    pieces_left=lambda company: int(company.locomotives_left),
    holder_builds="CE-40",
    supply="CE-40",
    treasury="CE-43",
    price="CE-43",
    once="CE-40",
    room="CE-42",
    beside="CE-40",
)
