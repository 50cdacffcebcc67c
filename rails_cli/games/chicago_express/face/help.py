"""Commands of Chicago Express, previews of their effects, reasons why actions are illegal, hints and the tutorial."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from rails_cli.games.chicago_express.board import ACTIONS
from rails_cli.games.chicago_express.face.maps import cost, worth
from rails_cli.games.chicago_express.face.words import QUESTIONS, red_dials
from rails_cli.games.chicago_express.players.greedy import Estimates, think
from rails_cli.games.chicago_express.rules import is_dividend_due
from rails_cli.games.decision import Advice, Decision
from rails_cli.games.faces.choices import ranked
from rails_cli.games.faces.lessons import Lesson, Tutorial
from rails_cli.games.faces.vocabulary import Examples, Verb, Vocabulary
from rails_cli.games.railways import help as railways
from rails_cli.games.railways.places import BUILD, OFFER, names_of, place_name, place_words
from rails_cli.games.railways.ways import ways as railway_ways
from rails_cli.protocol.chicago_express import (
    ActionChosen,
    Build,
    ChicagoReached,
    Choose,
    Develop,
    DividendPaid,
    Offer,
    View,
)

NICKNAMES = {"bando": "BO", "cando": "CO", "wabash": "WAB"}


def _names(board: Mapping[str, Any], view: Any) -> dict[str, dict[str, str]]:
    names = names_of(board, view)
    ids = names["company"].values()
    names["company"] |= {name: company for name, company in NICKNAMES.items() if company in ids}
    return {**names, "action": {action: action for action in ACTIONS}}


VOCABULARY = Vocabulary(
    verbs=(Verb("choose", ("action",), is_menu=True, is_ranked=False), BUILD, Verb("develop", ("hex",)), OFFER),
    names=_names,
    examples=Examples(
        answers="""\
  bid 12             bid up to 20       choose expand (or just: expand)
  build R2 Q3        build NYC R2       develop Wheeling       offer PRR
  expand NYC R2 Q3; pass                pass
  build              cities within reach; build NYC Buffalo proposes the cheapest way there""",
        things=("R2", "NYC", "bid 12"),
        answer="build R2",
        maps="map costs, map income: with numbers; map PRR: one company",
        rules=("31", "auction"),
    ),
    called=place_name,
)


# Effects of a choice


def _first(decision: Decision, action: Any, events: Sequence[Any]) -> list[str]:
    match action:
        case Choose():
            return _dial(decision.view, events)
        case Offer():
            return [f"from ${railways.company_in(decision.view, action.company).minimum_bid}"]
    return []


def _dial(before: View, events: Sequence[Any]) -> list[str]:
    chosen = next(event for event in events if type(event) is ActionChosen)
    dial = next(dial for dial in before.dials if dial.action == chosen.action)
    notes = [f"dial {dial.moved} → {chosen.dial} of {dial.red_at}"]
    if chosen.is_red:
        is_due = is_dividend_due(len(red_dials(before)) + 1) and not railways.payments(events)
        notes.append("turns red" + (", then the dividend" if is_due else ""))
    return notes


def _last(decision: Decision, action: Any, events: Sequence[Any]) -> list[str]:
    is_arriving = isinstance(action, Build) and action.hex == decision.wire_board["chicago"]
    return ["reaches Chicago"] if is_arriving else []


preview = partial(railways.preview, shares="shares_sold", first=_first, last=_last)


# Why an action is illegal


def _company(decision: Decision, company: Any) -> str:
    if not company.is_open:
        return f"The {company.id} opens when a company reaches Chicago (CE-30, CE-71)."
    question = decision.view.question
    if question.asks == "offer_share":
        return f"{company.id} has no share left to sell (CE-30)."
    if question.asks != "expand":
        return railways.not_asked_for(decision, company, REASONS)
    if question.company not in (None, company.id):
        return f"An expansion is for one company, and this one is {question.company}'s (CE-40)."
    return railways.cannot_expand(decision, company, REASONS)


def _hex(decision: Decision, place: Any, company: str | None) -> str:
    question = decision.view.question
    if question.asks == "develop":
        return _not_developed(decision, place)
    if question.asks not in ("expand", "choose_action"):
        return railways.no_place_asked_for(decision, REASONS)
    if place["terrain"] == "start":
        return f"{place_words(decision.wire_board, place)} is a start city; nobody builds there (CE-41)."
    return railways.cannot_build(decision, place, REASONS, company, question.company)


def _not_developed(decision: Decision, place: Any) -> str:
    view, spot, named = decision.view, place["id"], place_words(decision.wire_board, place)
    if not any(spot in company.track for company in view.companies):
        return f"Nobody has built in {named} yet (CE-50)."
    if spot in view.developed:
        return f"{named} is already developed (CE-51)."
    scale = next((scale for scale in view.scales if scale.hex == spot), None)
    if scale is not None:
        return (
            f"{named} is at the end of its scale (CE-53)."
            if scale.next_value is None
            else f"{named} moves automatically after each dividend (CE-54, CE-62)."
        )
    if place["terrain"] in ("plain", "start") or spot == decision.wire_board["chicago"]:
        return f"{named} can never be developed: {place['terrain']} hexes and Chicago are not (CE-54)."
    return "No house is left (CE-51, CE-52)."


def _action(decision: Decision, action: str) -> str:
    return f"The {action} dial is red; it is free again after the dividend (CE-20, CE-62)."


REASONS = railways.Reasons(
    highest_bid="CE-12",
    lowest_bid="CE-11",
    company=_company,
    hex=_hex,
    action=_action,
    questions=QUESTIONS,
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
why = partial(railways.why, reasons=REASONS)
ways = partial(railway_ways, cost=cost, worth=worth, pieces_left=REASONS.pieces_left)


# Hints


def advice(decision: Decision) -> Advice:
    estimates = Estimates(decision.view, decision.board)
    return Advice(think(decision.view, decision.legal, decision.board), [_numbers(decision, estimates)])


def reasons(decision: Decision, actions: Sequence[Any]) -> list[str]:
    dividends = Estimates(decision.view, decision.board).dividends
    return railways.reasons(decision, actions, dividends, shares="shares_sold")


def _numbers(decision: Decision, estimates: Estimates) -> str:
    legal = decision.legal
    match decision.view.question.asks:
        case "bid_or_pass":
            return railways.limit(decision, estimates)
        case "choose_action":
            free = {entry.action for entry in legal if isinstance(entry, Choose)}
            worth = {action: value for action, value in estimates.worth_of_actions().items() if action in free}
            return ranked(worth, "to you by the end, compared with the others")
        case "offer_share":
            offers = [entry.company for entry in legal if isinstance(entry, Offer)]
            return ranked({company: estimates.worth_of_offer(company) for company in offers}, "for auctioning it")
        case "expand":
            return railways.expansion(decision, estimates)
    places = [entry.hex for entry in legal if isinstance(entry, Develop)]
    return ranked(
        {place_name(decision.wire_board, place): estimates.worth_of_development(place) for place in places},
        "by the end, compared with the others",
    )


# Lessons

TUTORIAL = Tutorial(
    welcome=Lesson(
        "Welcome to Chicago Express. Railways start in the east and want to reach Chicago in the west. "
        "Nobody owns a railway: you buy shares, and the money you pay goes to the railway, which builds with "
        "it. Whoever has the most cash at the end wins; shares and railways count for nothing then (CE-81). First"
        " one share of each railway is auctioned (CE-10).",
        "CE-81",
    ),
    questions={
        "bid_or_pass": Lesson(
            "An auction. Bid more than the current bid or pass; once you pass you are out of it. What is a share "
            "worth? Each dividend pays its part of the income, rounded up, and a game has only a few dividends."
            " But a dollar that you keep may buy another share, so it counts for more than a dollar."
            " The price becomes the railway's building money, from which all of its shareholders profit.",
            "CE-11 CE-12",
        ),
        "choose_action": Lesson(
            "Your turn. Look at the three dials: each choice moves one, and when two of them are red, all "
            "railways pay their shareholders. Auction thins out what the others hold, expand and develop make "
            "shares earn more.",
            "CE-20 CE-21",
        ),
        "expand": Lesson(
            "Build some locomotives for one railway in which you hold a share. The railway pays, never "
            "you. Cities bring income; plains are the cheap way to get there. The first choices of the list bring"
            " you most at once; further away lies Chicago, which brings much and pays the railway's shareholders on "
            "arrival.",
            "CE-40 CE-43 CE-44",
        ),
        "offer_share": Lesson(
            "Auction a share. Everybody may bid, you first. The lowest bid is what the new share would earn at one"
            " dividend. The same income is then divided among more shares: good if others hold most of them.",
            "CE-30 CE-31",
        ),
        "develop": Lesson(
            "Make a hex worth more. All railways there gain, so look for hexes where only yours stand.",
            "CE-50 CE-51 CE-52 CE-53",
        ),
    },
    events={
        DividendPaid: Lesson(
            "A dividend was paid: every share got its part of its railway's income, rounded up. Then the dials go"
            " back to 0 and Detroit is worth more. After a dividend the game may end.",
            "CE-61 CE-62 CE-80",
            "The bar at the top tells how near that is.",
        ),
        ChicagoReached: Lesson(
            "A railway has reached Chicago! Its shareholders are paid at once. The first arrival opens the WAB.",
            "CE-70 CE-71 CE-72",
        ),
    },
)
