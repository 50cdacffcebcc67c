"""Texts of Chicago Express for events, questions and actions."""

from collections.abc import Sequence
from typing import NamedTuple, assert_never

from rails_cli.games.decision import Decision, Prompt
from rails_cli.games.faces.interface import OptionWords
from rails_cli.games.faces.phrases import left_phrase, listed, with_article
from rails_cli.games.game import WireBoard
from rails_cli.games.railways.places import built, place_name
from rails_cli.protocol.chicago_express import (
    Action,
    ActionChosen,
    ActionLost,
    ActionName,
    Build,
    Built,
    ChicagoReached,
    Choose,
    DetroitMoved,
    Develop,
    Developed,
    DialsReset,
    DividendPaid,
    EndReason,
    Event,
    GameEnded,
    Offer,
    ShareOffered,
    ShareSold,
    ShareUnsold,
    View,
    WabashOpened,
)
from rails_cli.protocol.common import BidMade, FirstPlayer, Passed

ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")

OPTIONS = {
    "dividend_timing": OptionWords(
        "When is the general dividend paid?",
        {
            "after_action": "After the action that turns the second dial red (standard)",
            "before_action": "Before the action that turns the second dial red",
        },
    ),
    "chicago_phase": OptionWords(
        "When does reaching Chicago count?",
        {"after_expansion": "After the whole expansion (standard)", "at_once": "At once, which ends the expansion"},
    ),
    "first_player": OptionWords(
        "Who bids first?", {"seat_0": "The first player (standard)", "drawn": "A player drawn at random"}
    ),
}


class ActionWords(NamedTuple):
    """Texts for an action of the player.

    `phrase` is the infinitive, `sentence` the third person, and `choice` the menu item. `choice` has placeholders for
    values of the board.
    """

    phrase: str
    sentence: str
    choice: str


ACTIONS: dict[ActionName, ActionWords] = {
    "auction": ActionWords("to auction a share", "auctions a share", "Auction a share"),
    "expand": ActionWords("to expand a company", "expands", "Expand a company by up to {expand_max} locomotives"),
    "develop": ActionWords("to develop a hex", "develops", "Develop a hex"),
}

QUESTIONS = {
    "bid_or_pass": "bid or pass",
    "choose_action": "choose an action",
    "offer_share": "offer a share",
    "expand": "build",
    "develop": "develop a hex",
}


class EndWords(NamedTuple):
    """Texts for a condition that ends the game.

    `reason` explains the end, and `short` is an abbreviation. In a table, `row` is the heading of the row, and
    `counted_thing` names what is counted.
    """

    reason: str
    row: str
    counted_thing: str
    short: str


END_REASONS: dict[EndReason, EndWords] = {
    "locomotives_out": EndWords(
        "too many companies have no locomotives left",
        "No locomotives",
        "companies without locomotives",
        "no locos",
    ),
    "shares_out": EndWords(
        "too many companies have no shares left", "No shares", "companies without shares", "sold out"
    ),
    "houses_out": EndWords("the houses are running out", "Houses left", "houses left", "houses"),
    "detroit_full": EndWords("Detroit is fully developed", "Value of Detroit", "Detroit", "Detroit"),
}


def ended_because(reasons: Sequence[EndReason]) -> str:
    return listed([END_REASONS[reason].reason for reason in reasons])


def red_dials(view: View) -> list[ActionName]:
    """Return the actions whose dial is red. They cannot be chosen before the next dividend of all companies."""
    return [dial.action for dial in view.dials if dial.moved >= dial.red_at]


def event_sentence(board: WireBoard, event: Event, players: Sequence[str]) -> str:
    match event:
        case FirstPlayer(seat):
            return f"{players[seat]} starts the game."
        case ShareOffered():
            return _tell_offer(event, players)
        case BidMade(seat, amount):
            return f"{players[seat]} bids ${amount}."
        case Passed(seat, forced):
            return f"{players[seat]} has to pass." if forced else f"{players[seat]} passes."
        case ShareSold():
            return _tell_sale(event, players)
        case ShareUnsold(company):
            return f"Nobody bids; the {company} keeps its share."
        case ActionChosen(seat, action, dial, is_red):
            red = ", red" if is_red else ""
            return (
                f"{players[seat]} {ACTIONS[action].sentence} ({action} dial: {dial} of {board['dials'][action]}{red})."
            )
        case Built(seat, company, hex, _, cost, treasury, income, left):
            return (
                f"{players[seat]} builds the {company} to {place_name(board, hex)} for ${cost}; it has ${treasury} "
                f"and {left_phrase(left, 'locomotive')} and earns ${income}."
            )
        case Developed():
            return _tell_development(board, event, players)
        case ChicagoReached(seat, company):
            return f"{players[seat]} has brought the {company} to Chicago."
        case DividendPaid():
            return _tell_dividend(event, players)
        case WabashOpened(company, hex, income, left):
            start = f"The {company} opens in {place_name(board, hex)}"
            return f"{start} with an income of ${income} and {left_phrase(left, 'locomotive')}."
        case DialsReset():
            return "All dials go back to 0."
        case DetroitMoved(hex, value, incomes):
            return f"{place_name(board, hex)} is now worth ${value}{_incomes(incomes)}."
        case ActionLost(seat, action):
            return f"The game ends before {players[seat]} gets {ACTIONS[action].phrase}."
        case GameEnded(reasons):
            return f"The game is over: {ended_because(reasons)}."
        case _:
            assert_never(event)


def _tell_offer(event: ShareOffered, players: Sequence[str]) -> str:
    bidder = players[event.seat]
    if event.occasion == "auction":
        return f"{bidder} offers {with_article(event.company)} share for at least ${event.minimum}."
    share = "first" if event.occasion == "wabash" else "opening"
    return f"The {share} {event.company} share is auctioned for at least ${event.minimum}; {bidder} bids first."


def _tell_sale(event: ShareSold, players: Sequence[str]) -> str:
    share = (
        f"the {ORDINALS[event.shares_sold - 1]} {event.company} share"
        if event.shares_sold <= len(ORDINALS)
        else (f"{event.company} share number {event.shares_sold}")
    )
    earning = f"each share now earns ${event.per_share}"
    if not event.price:
        return f"{players[event.seat]} gets {share} for free; {earning}."
    return f"{players[event.seat]} pays ${event.price} for {share}; {earning}."


def _tell_development(board: WireBoard, event: Developed, players: Sequence[str]) -> str:
    worth = f", now worth ${event.value}" if event.incomes else ""
    received = "".join(f"; the {company} receives ${cash}" for company, cash in event.received.items())
    return (
        f"{players[event.seat]} develops {place_name(board, event.hex)}{worth}{_incomes(event.incomes)}{received}; "
        f"{left_phrase(event.houses_left, 'house')}."
    )


def _tell_dividend(event: DividendPaid, players: Sequence[str]) -> str:
    payouts = [f"{players[seat]} ${amount}" for seat, amount in enumerate(event.payouts) if amount]
    occasion = "Chicago dividend" if event.occasion == "chicago" else "dividend"
    paid = f": {listed(payouts)}" if payouts else ""
    return f"{event.company} {occasion}, ${event.per_share} a share{paid}."


def _incomes(incomes: dict[str, int]) -> str:
    return "".join(f"; the {company} earns ${income}" for company, income in incomes.items())


# Questions and answers

PASS_WORDS = {"offer_share": "auction nothing", "expand": "build nothing", "develop": "develop nothing"}
NEW_TURN = frozenset({"choose_action"})


def pass_words(decision: Decision) -> str:
    asked = decision.view.question
    if asked.asks == "expand" and asked.company:  # it has built in this turn
        return "stop building"
    return PASS_WORDS.get(asked.asks, "pass")


def prompt(decision: Decision) -> Prompt:
    view, asked = decision.view, decision.view.question
    match asked.asks:
        case "bid_or_pass":
            auction = view.auction
            return Prompt(
                f"{auction.company} share: bid ${auction.minimum} or more, or pass?",
                "The highest bid goes into the company's treasury, which pays for building. Whoever passes is out of "
                "this auction. A share earns its part of the company's income at every dividend, rounded up.",
                "CE-10 CE-11 CE-12 CE-13 CE-14" if auction.is_opening else "CE-11 CE-12 CE-31 CE-32",
            )
        case "choose_action":
            red = [f"{action} is red" for action in red_dials(view)]
            most = decision.wire_board["expand_max"]
            return Prompt(
                f"Your turn: auction, expand or develop?{' (' + ', '.join(red) + ')' if red else ''}",
                f"Auction offers a share. Expand builds up to {most} locomotives of one company whose share you "
                "hold, paid by its treasury. Develop makes a hex with a locomotive worth more. Each moves its dial; a "
                "red dial cannot be chosen, and when two are red, every company pays its dividend.",
                "CE-20 CE-21 CE-60 CE-80",
            )
        case "offer_share":
            return Prompt(
                "Which company's share will you auction?",
                "You bid first, or pass. The lowest bid is what the share would earn; the money goes to the company. "
                "The more shares are sold, the less each one earns.",
                "CE-30 CE-31 CE-32",
            )
        case "expand":
            who = asked.company or "one of your companies"
            more = f"up to {asked.builds_left} more" if asked.company else f"up to {asked.builds_left}"
            return Prompt(
                f"Where does {who} build ({more})? Or {pass_words(decision)}.",
                "A locomotive goes next to the company's network. The treasury pays the printed cost times the "
                "locomotives then in the hex. Forests and mountains hold one locomotive in all. Cities bring income; "
                "Chicago pays the company's shareholders at once and opens the WAB.",
                "CE-40 CE-41 CE-42 CE-43 CE-44 CE-70",
            )
    scales = [scale["hex"] for scale in decision.wire_board["scales"] if scale["moves"] == "develop"]
    movable = [scale.name or scale.hex for scale in view.scales if scale.hex in scales]
    return Prompt(
        f"Which hex will you develop? Or {pass_words(decision)}.",
        "Any hex with a locomotive: a city or mountain brings every company there more income, a forest pays money to "
        f"the company there, {listed(movable)} go up their scales. No share is needed.",
        "CE-50 CE-51 CE-52 CE-53 CE-54",
    )


def words(decision: Decision, action: Choose | Offer | Build | Develop) -> str:
    match action:
        case Choose():
            return ACTIONS[action.action].choice.format_map(decision.wire_board)
        case Offer():
            return f"offer {action.company}"
        case Build():
            return f"{action.company} to {place_name(decision.wire_board, action.hex)}"
        case Develop():
            return f"develop {place_name(decision.wire_board, action.hex)}"


GIVEN_UP: dict[ActionName, str] = {
    "auction": "turn the auction dial without offering a share",
    "expand": "turn the expand dial without building",
    "develop": "turn the develop dial without developing",
}


def instruction(board: WireBoard, action: Choose | Offer | Build | Develop) -> str:
    match action:
        case Choose():
            return f"choose {ACTIONS[action.action].phrase}"
        case Offer(company):
            return f"auction {with_article(company)} share"
        case Build():
            return built(board, [action], "the ")
        case Develop(hex):
            return f"develop {place_name(board, hex)}"


def instructions(decision: Decision, actions: Sequence[Action]) -> list[str]:
    builds = [action for action in actions if isinstance(action, Build)]
    if builds:
        return [built(decision.wire_board, builds, "the ")]
    match actions:
        case [*_, Offer() | Develop() as last]:
            return [instruction(decision.wire_board, last)]
        case [Choose(action), *_]:
            return [GIVEN_UP[action]]
    return ["pass"]
