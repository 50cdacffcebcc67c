"""Texts of American Rails for events, questions and actions."""

from collections.abc import Sequence
from typing import NamedTuple, assert_never

from rails_cli.games.decision import Decision, Prompt
from rails_cli.games.faces.interface import OptionWords
from rails_cli.games.faces.phrases import count_phrase, left_phrase, listed, with_article
from rails_cli.games.game import WireBoard
from rails_cli.games.railways.places import built, place_name, place_of
from rails_cli.protocol.american_rails import (
    Action,
    Build,
    Built,
    Choose,
    CompanyRemoved,
    Develop,
    Developed,
    DividendPaid,
    EndReason,
    Event,
    Found,
    Founded,
    Fund,
    Funded,
    GameEnded,
    IncomeChanged,
    LinkMade,
    MoneyTaken,
    NumberTaken,
    Offer,
    PlayersPaid,
    ShareOffered,
    ShareRemoved,
    ShareSold,
    SpaceName,
    SpaceTaken,
    Take,
    TurnOrderSet,
    YearAdvanced,
)
from rails_cli.protocol.common import BidMade, FirstPlayer, Passed

OPTIONS = {
    "first_player": OptionWords(
        "Who offers the first share?", {"seat_0": "The first player (standard)", "drawn": "A player drawn at random"}
    )
}


class Space(NamedTuple):
    """Texts for a space of the action track.

    `choice` is the menu item with which a player takes the space. `note` is a short text about the effect of the space.
    Both contain placeholders for numbers from the board.
    """

    name: str
    choice: str
    note: str


SPACES: dict[SpaceName, Space] = {
    "pass": Space("Pass", "Pass (do nothing)", "Do nothing"),
    "develop": Space("Develop", "Develop a city", "A city gains ${development[full]}"),
    "fund": Space("Fund", "Fund a company with ${fund}", "${fund} for a company"),
    "take": Space("Take", "Take ${take}", "${take}, or the others pay"),
    "expand3": Space("Expand 3", "Expand by up to {expansion[expand3]} cubes", "Up to {expansion[expand3]} cubes"),
    "auction": Space("Auction", "Auction a share", "Sell a share"),
    "expand4": Space("Expand 4", "Expand by up to {expansion[expand4]} cubes", "Up to {expansion[expand4]} cubes"),
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
    "last_year": "the last year has ended",
    "no_shares": "no share is left in any supply",
    "low_supplies": "too many supplies have run low",
}


def ended_because(reasons: Sequence[EndReason]) -> str:
    return listed([END_REASONS[reason] for reason in reasons])


def event_sentence(board: WireBoard, event: Event, players: Sequence[str]) -> str:
    """Return an event as one sentence with names of players and places.

    If the event changed nothing, return an empty string.
    """
    match event:
        case FirstPlayer(seat):
            return f"{players[seat]} starts the game."
        case CompanyRemoved(company):
            return f"{company} is not in play."
        case ShareOffered():
            share = "the opening share" if event.occasion == "opening" else "a share"
            return f"{players[event.seat]} auctions {share} of {event.company} for at least ${event.minimum}."
        case BidMade(seat, amount):
            return f"{players[seat]} bids ${amount}."
        case Passed(seat, forced):
            return f"{players[seat]} has to pass." if forced else f"{players[seat]} passes."
        case ShareSold(seat, company, price, treasury, left):
            return (
                f"{players[seat]} pays ${price} for a share of {company}, which now has ${treasury} and "
                f"{left_phrase(left, 'share')}."
            )
        case ShareRemoved(company, shares, _, left, seat):
            if seat is None:
                return f"Nobody bids; a share of {company} leaves the game, {left_phrase(left, 'share')}."
            one = f"its last share, which {players[seat]} bought, leaves the game"
            more = f"its last {shares} shares leave the game, including the one {players[seat]} bought"
            return f"No city is free for {company}: {more if shares > 1 else one}."
        case Founded(seat, company, _, name, income):
            return f"{players[seat]} starts {company} in {name}; it earns ${income}."
        case NumberTaken(seat, number):
            return f"{players[seat]} is number {number} in the turn order."
        case TurnOrderSet(year, phase, order):
            return f"{year}, phase {phase}: the order is {listed([players[seat] for seat in order])}."
        case SpaceTaken(seat, action):
            return f"{players[seat]} moves to the {SPACES[action].name} space."
        case Developed(seat, _, name, left):
            return f"{players[seat]} develops {name}; {left_phrase(left, 'marker')}."
        case Funded(seat, company, amount, treasury):
            return f"{players[seat]} funds {company} with ${amount}; it now has ${treasury}."
        case MoneyTaken(seat, amount):
            return f"{players[seat]} takes ${amount} from the bank."
        case PlayersPaid():
            paid = [f"{players[seat]} ${payment}" for seat, payment in enumerate(event.payments) if seat != event.seat]
            return f"{players[event.seat]} makes the others pay the bank: {listed(paid)}."
        case Built(seat, company, hex, _, cost, treasury, income):
            return (
                f"{players[seat]} builds {company} to {place_name(board, hex)} for ${cost}; it has ${treasury} left "
                f"and earns ${income}."
            )
        case IncomeChanged(change=0):
            return ""
        case IncomeChanged(company, _, name, change, income):
            way = "gains" if change >= 0 else "loses"
            return f"{company} {way} ${abs(change)} in {name}; it earns ${income}."
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


# Questions and answers

PASS_WORDS = {
    "auction": "auction nothing",
    "expand": "build nothing",
    "develop": "develop nothing",
    "fund": "fund nobody",
}
NEW_TURN = frozenset({"choose", "nominate"})


def pass_words(decision: Decision) -> str:
    asks = decision.view.question.asks
    return "stop building" if asks == "expand" and _has_built(decision) else PASS_WORDS.get(asks, "pass")


def _has_built(decision: Decision) -> bool:
    """Return whether the player who is asked to expand has already placed a cube in this turn."""
    view, asked = decision.view, decision.view.question
    (space,) = (space for space, seat in view.columns[view.phase - 1].items() if seat == asked.seat)
    return bool(asked.cubes < decision.wire_board["expansion"][space])


def prompt(decision: Decision) -> Prompt:
    board, view, asked = decision.wire_board, decision.view, decision.view.question
    match asked.asks:
        case "bid":
            auction = view.auction
            return Prompt(
                f"{auction.company} share: bid ${auction.minimum} or more, or pass?",
                "The highest bid goes into the company's treasury, which pays for building. Whoever passes is out of "
                "this auction. Every year each share held earns its part of the company's income, rounded up. A "
                "company without a cube starts in a city of the buyer's choice.",
                "AR-10 AR-11 AR-12 AR-13" if auction.is_opening else "AR-10 AR-33 AR-34",
            )
        case "nominate":
            return Prompt(
                "Which company's opening share will you auction?",
                f"You bid first (at least ${board['minimum_bid']}) or pass. "
                "The winner places the company's first cube.",
                "AR-10 AR-12 AR-13 AR-14",
            )
        case "auction":
            return Prompt(
                f"Which company's share will you auction? Or {pass_words(decision)}.",
                f"You bid first (at least ${board['minimum_bid']}) or pass. If nobody bids, the share leaves the game.",
                "AR-33 AR-34",
            )
        case "found":
            cities = listed([place_of(board, city)["name"] for city in board["links"]["cities"]])
            return Prompt(
                f"Where does {asked.company} start?",
                "Its first cube is free, on a city without cubes; the city's full value becomes its income. Think of "
                f"where it can grow: {cities} bring ${board['links']['income_per_pair']} for each pair that is linked.",
                "AR-12 AR-40 AR-41",
            )
        case "choose":
            return Prompt(
                "Which space will you take?",
                "Each space holds one player in a phase. Spaces further up let you move earlier in the next phase; "
                "those further down do more. After the last phase of a year the dividend is paid.",
                "AR-20 AR-21 AR-50",
            )
        case "develop":
            return Prompt(
                f"Which city will you develop? Or {pass_words(decision)}.",
                f"A marker brings a company that is alone in the city ${board['development']['full']} a year, or each "
                f"of several ${board['development']['shared']}.",
                "AR-30 AR-40",
            )
        case "fund":
            return Prompt(
                f"Which company gets ${board['fund']} from the bank? Or {pass_words(decision)}.",
                "The money goes into the company's treasury and pays for building.",
                "AR-31",
            )
        case "take":
            amount = f"${board['take']}"
            cubes = f", or you expand by up to {count_phrase(asked.cubes, 'cube')}" if asked.cubes else ""
            return Prompt(
                f"Take {amount} from the bank, make the others pay {amount}{', or build?' if asked.cubes else '?'}",
                f"Either the bank pays you {amount}, or every other player pays the bank {amount}{cubes}.",
                "AR-32",
            )
    cubes = f"{asked.cubes} more" if _has_built(decision) else count_phrase(asked.cubes, "cube")
    return Prompt(
        f"Where will you build (up to {cubes})? Or {pass_words(decision)}.",
        "A cube goes beside a cube of the same company; you need a share of it, and its treasury pays. Alone in a city "
        "it earns the full value, with others the shared one.",
        "AR-35 AR-36 AR-40 AR-41",
    )


def words(decision: Decision, action: Offer | Found | Choose | Develop | Fund | Take | Build) -> str:
    board = decision.wire_board
    match action:
        case Offer():
            return f"offer {action.company}"
        case Found():
            return f"start in {place_name(board, action.hex)}"
        case Choose():
            return SPACES[action.action].choice.format_map(board)
        case Build():
            return f"{action.company} to {place_name(board, action.hex)}"
    return instruction(board, action)


GIVEN_UP: dict[SpaceName, str] = {  # a space taken without using its action
    "pass": "move to the Pass space",
    "develop": "move to the Develop space without developing",
    "fund": "fund nobody",
    "take": "take nothing",
    "expand3": "move to the Expand 3 space without building",
    "auction": "move to the Auction space without offering a share",
    "expand4": "move to the Expand 4 space without building",
}


def instruction(board: WireBoard, action: Offer | Found | Choose | Develop | Fund | Take | Build) -> str:
    match action:
        case Offer(company):
            return f"auction {with_article(company)} share"
        case Found(hex):
            return f"place the first cube in {place_name(board, hex)}"
        case Choose(space):
            return f"move to the {SPACES[space].name} space"
        case Develop(hex):
            return f"develop {place_name(board, hex)}"
        case Fund(company):
            return f"fund {company}"
        case Take(source):
            return f"take ${board['take']} from the bank" if source == "bank" else "make the others pay"
        case Build():
            return built(board, [action])


def instructions(decision: Decision, actions: Sequence[Action]) -> list[str]:
    builds = [action for action in actions if isinstance(action, Build)]
    if builds:
        found = built(decision.wire_board, builds)
        first = actions[0]
        return [f"{found} from the {SPACES[first.action].name} space" if isinstance(first, Choose) else found]
    match actions:
        case [*_, Found(hex)]:
            return [f"start {decision.view.question.company} in {place_name(decision.wire_board, hex)}"]
        case [*_, Offer() | Develop() | Fund() | Take() as last]:
            return [instruction(decision.wire_board, last)]
        case [Choose(action), *_]:
            return [GIVEN_UP[action]]
    return ["pass"]
