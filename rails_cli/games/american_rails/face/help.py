"""Commands of American Rails, previews of their effects, reasons why actions are illegal, hints and the tutorial."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from rails_cli.games.american_rails.face.maps import cost, link_bonus, worth
from rails_cli.games.american_rails.face.panels import dividends_left
from rails_cli.games.american_rails.face.words import QUESTIONS, SPACES
from rails_cli.games.american_rails.players.greedy import Estimates, think
from rails_cli.games.decision import Advice, Decision
from rails_cli.games.faces.choices import ranked
from rails_cli.games.faces.lessons import Lesson, Tutorial
from rails_cli.games.faces.vocabulary import Examples, Verb, Vocabulary
from rails_cli.games.railways import help as railways
from rails_cli.games.railways.places import BUILD, OFFER, names_of, place_name, place_words
from rails_cli.games.railways.ways import ways as railway_ways
from rails_cli.protocol.american_rails import Choose, Develop, DividendPaid, LinkMade, Offer, PlayersPaid, ShareRemoved

SOURCES = {"bank": "bank", "players": "players", "others": "players"}


def _names(board: Mapping[str, Any], view: Any) -> dict[str, dict[str, str]]:
    spaces = {space: space for space in (*SPACES, "expand")}
    return {**names_of(board, view), "action": spaces, "source": SOURCES}


VOCABULARY = Vocabulary(
    verbs=(
        Verb("choose", ("action",), is_menu=True, is_ranked=False),
        BUILD,
        Verb("develop", ("hex",)),
        Verb("found", ("hex",), also=("start",)),
        OFFER,
        Verb("fund", ("company",), is_ranked=False),
        Verb("take", ("source",), is_ranked=False),
    ),
    names=_names,
    examples=Examples(
        answers="""\
  bid 12             bid up to 20       choose expand 3 (or just: expand 3)
  build C03 C04      build Liberty C03  develop Chicago        offer Liberty
  expand 3 Liberty C03 C04; pass        fund Liberty           take bank
  pass
  build              cities within reach; build Liberty Chicago proposes the cheapest way there""",
        things=("C03", "Liberty", "bid 12"),
        answer="build C03",
        maps="map costs, map income: with numbers; map Liberty: one company",
        rules=("36", "auction"),
    ),
    called=place_name,
)


# Effects of a choice


def _last(decision: Decision, action: Any, events: Sequence[Any]) -> list[str]:
    """Return notes for the end of a preview: the payments of the other players, and a link of two bonus cities."""
    notes = []
    for event in events:
        if isinstance(event, PlayersPaid):
            amounts = {amount for payer, amount in enumerate(event.payments) if payer != decision.seat}
            each = f"${amounts.pop()} each" if len(amounts) == 1 else f"${sum(event.payments)} in total"
            notes.append(f"the others pay {each}")
    return [*notes, "links two of the bonus cities"] if any(isinstance(event, LinkMade) for event in events) else notes


preview = partial(railways.preview, shares="shares_held", last=_last)


# Why an action is illegal


def _company(decision: Decision, company: Any) -> str:
    if not company.in_play:
        return f"{company.id} was drawn out of the game before it began (AR-3)."
    match decision.view.question.asks:
        case "nominate" if company.id not in decision.view.opening_lots:
            return f"One share of {company.id} has already been auctioned (AR-14)."
        case "nominate" | "auction":
            return f"{company.id} has no share left to sell (AR-33)."
        case "expand" | "take":
            return railways.cannot_expand(decision, company, REASONS)
    return railways.not_asked_for(decision, company, REASONS)


def _hex(decision: Decision, place: Any, company: str | None) -> str:
    named = place_words(decision.wire_board, place)
    match decision.view.question.asks:
        case "develop":
            return _not_developed(decision, place)
        case "found" if place["terrain"] != "city":
            return f"{named} is not a city; a company starts in one (AR-12)."
        case "found":
            return f"{named} already holds a cube; a company starts in an empty city (AR-12)."
        case "expand" | "take" | "choose":
            return railways.cannot_build(decision, place, REASONS, company)
    return railways.no_place_asked_for(decision, REASONS)


def _not_developed(decision: Decision, place: Any) -> str:
    spot, named = place["id"], place_words(decision.wire_board, place)
    if not any(spot in company.track for company in decision.view.companies):
        return f"Nobody has built in {named} yet (AR-30)."
    if spot in decision.view.developed:
        return f"{named} is already developed (AR-30)."
    if place["terrain"] != "city":
        return f"{named} is not a city; only cities can be developed (AR-30)."
    return f"{named} can never be developed (AR-30)." if not place["developable"] else "No marker is left (AR-30)."


def _action(decision: Decision, action: str) -> str:
    column = decision.view.columns[decision.view.phase - 1]
    taken = [space for space in column if space.startswith(action)]
    by = ", ".join(f"{SPACES[space].name} by {decision.names[column[space]]}" for space in taken)
    return f"Taken in this phase: {by} (AR-20)." if taken else f"There is no {action} space (AR-20)."


REASONS = railways.Reasons(
    highest_bid="AR-10",
    lowest_bid="AR-10",
    company=_company,
    hex=_hex,
    action=_action,
    questions=QUESTIONS,
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
why = partial(railways.why, reasons=REASONS)
ways = partial(railway_ways, cost=cost, worth=worth, pieces_left=REASONS.pieces_left, bonus=link_bonus)


# Hints


def advice(decision: Decision) -> Advice:
    estimates = Estimates(decision.view, decision.board)
    return Advice(think(decision.view, decision.legal, decision.board), _numbers(decision, estimates))


def reasons(decision: Decision, actions: Sequence[Any]) -> list[str]:
    return railways.reasons(decision, actions, dividends_left(decision.view), shares="shares_held")


def _numbers(decision: Decision, estimates: Estimates) -> list[str]:
    legal = decision.legal
    match decision.view.question.asks:
        case "bid":
            return [railways.limit(decision, estimates)]
        case "choose":
            free = {entry.action for entry in legal if isinstance(entry, Choose)}
            worth = {SPACES[space].name: value for space, value in estimates.worth_of_spaces().items() if space in free}
            return [ranked(worth, "to you by the end, compared with the others")]
        case "nominate" | "auction":
            offers = [entry.company for entry in legal if isinstance(entry, Offer)]
            return [ranked({company: estimates.worth_of_offer(company) for company in offers}, "for auctioning it")]
        case "expand":
            return [railways.expansion(decision, estimates)]
        case "develop":
            cities = [entry.hex for entry in legal if isinstance(entry, Develop)]
            worth = {place_name(decision.wire_board, city): estimates.worth_of_marker(city) for city in cities}
            return [ranked(worth, "by the end, compared with the others")]
    return []


# Lessons

TUTORIAL = Tutorial(
    seed=3,
    welcome=Lesson(
        "Welcome to American Rails. With few players some railways are drawn out of the game before it "
        "begins (AR-3). You buy shares, and the money goes to the railway, which builds with it. Every year each "
        "share is paid its part of the railway's income (AR-50). Whoever has the most cash at the end wins (AR-53). "
        "First one share of each railway is auctioned (AR-10).",
        "AR-3 AR-53",
    ),
    questions={
        "nominate": Lesson(
            "You choose which railway's first share is auctioned now, and you bid first. Railways differ in the "
            "number of their shares: few shares mean a larger part for each.",
            "AR-10 AR-2",
        ),
        "bid": Lesson(
            "Bid more than the current bid or pass; once you pass you are out of this auction. The price "
            "becomes the railway's building money. There is one dividend a year, so an early share earns "
            "most often; less so if the game ends before its last year (AR-51). But a dollar that you keep may buy "
            "another share: count that, too.",
            "AR-10 AR-50 AR-51",
        ),
        "found": Lesson(
            "Your railway starts in a city without cubes. The city's full value is its income, as long as it is "
            "alone there.",
            "AR-12 AR-40 AR-41",
        ),
        "choose": Lesson(
            "Each space takes one player. The further down, the stronger the action; but the next phase goes from"
            " top to bottom, so a weak action now lets you choose first next time.",
            "AR-20 AR-21",
        ),
        "expand": Lesson(
            "Place cubes one by one, for any railway in which you hold a share, always next to its own cubes. The "
            "railway pays. Entering a city where another railway is alone makes both earn the shared value.",
            "AR-35 AR-36 AR-40",
        ),
        "develop": Lesson(
            "A marker makes a city worth more, most of all for a railway that is alone there.", "AR-30 AR-40"
        ),
        "fund": Lesson("The bank gives money to a railway's treasury. Fund one of yours.", "AR-31"),
        "take": Lesson("A little money for you, or a little less for all others.", "AR-32"),
        "auction": Lesson(
            "Auction one more share. If nobody bids, it leaves the game. When no share is left, the game ends.",
            "AR-33 AR-51",
        ),
    },
    events={
        DividendPaid: Lesson(
            "The year is over and every share was paid its part of its railway's income, rounded up.", "AR-50 AR-51"
        ),
        LinkMade: Lesson("Two of the bonus cities were linked, which brings income every year.", "AR-41"),
        ShareRemoved: Lesson("Nobody wanted that share, and it has left the game.", "AR-13 AR-33"),
    },
)
