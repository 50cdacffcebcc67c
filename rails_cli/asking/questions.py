"""Every question of every game: in plain words, explained, and with the rules that say so."""

from typing import Any, NamedTuple

from rails_cli.asking.situation import Situation


class Question(NamedTuple):
    """What is asked, how to go about it, and the rules it comes from."""

    asks: str
    explained: str
    rules: str


def question_of(situation: Situation) -> Question:
    asked = situation.view.question
    return _QUESTIONS[situation.game](situation, asked)


def _chicago_express(situation: Situation, asked: Any) -> Question:
    view = situation.view
    if asked.asks == "bid_or_pass":
        return _auction(
            situation,
            "CE-10 CE-11 CE-12 CE-13 CE-14" if view.auction.is_opening else "CE-11 CE-12 CE-31 CE-32",
            "The highest bid goes into the company's treasury, which pays for building. Who passes is out of this "
            "auction. A share earns its part of the company's income at every dividend, rounded up.",
        )
    if asked.asks == "choose_action":
        red = [f"{dial.action} is red" for dial in view.dials if dial.moved >= dial.red_at]
        return Question(
            f"Your turn: auction, expand or develop?{' (' + ', '.join(red) + ')' if red else ''}",
            "Auction puts up a share. Expand builds up to three locomotives of one company whose share you hold, paid "
            "by its treasury. Develop makes a hex with a locomotive worth more. Each moves its dial; a red dial cannot "
            "be chosen, and when two are red, every company pays its dividend.",
            "CE-20 CE-21 CE-60 CE-80",
        )
    if asked.asks == "offer_share":
        return Question(
            "Which company's share do you put up?",
            "You bid first, or pass. The lowest bid is what the share would earn; the money goes to the company. "
            "More shares in hands mean less for each of them.",
            "CE-30 CE-31 CE-32",
        )
    if asked.asks == "expand":
        who = asked.company or "one of your companies"
        more = f"up to {asked.builds_left} more" if asked.company else f"up to {asked.builds_left}"
        return Question(
            f"Where does {who} build ({more})? Or pass to stop.",
            "A locomotive goes next to the company's network. The treasury pays the printed cost times the locomotives "
            "then in the hex. Forests and mountains hold one locomotive in all. Cities bring income; Chicago pays the "
            "company's shareholders at once and opens the Wabash.",
            "CE-40 CE-41 CE-42 CE-43 CE-44 CE-70",
        )
    return Question(
        "Which hex do you develop? Or pass.",
        "Any hex with a locomotive: a city or mountain brings every company there more income, a forest pays $2 to the "
        "company there, Wheeling and Pittsburgh go up their scales. No share is needed.",
        "CE-50 CE-51 CE-52 CE-53 CE-54",
    )


def _american_rails(situation: Situation, asked: Any) -> Question:
    view = situation.view
    match asked.asks:
        case "bid":
            return _auction(
                situation,
                "AR-10 AR-11 AR-12 AR-13" if view.auction.is_opening else "AR-10 AR-33 AR-34",
                "The highest bid goes into the company's treasury, which pays for building. Who passes is out of this "
                "auction. Every year each share held earns its part of the company's income, rounded up. A company "
                "without a cube starts in a city of the buyer's choice.",
            )
        case "nominate":
            return Question(
                "Which company's opening share do you put up?",
                "You bid first (at least $10) or pass. Who wins it places the company's first cube.",
                "AR-10 AR-12 AR-13 AR-14",
            )
        case "auction":
            return Question(
                "Which company's share do you put up? Or pass.",
                "You bid first (at least $10) or pass. If nobody bids, the share leaves the game.",
                "AR-33 AR-34",
            )
        case "found":
            return Question(
                f"Where does {asked.company} start?",
                "Its first cube is free, on a city without cubes; the city's full value becomes its income. Think of "
                "where it can grow: Chicago, New York and Atlanta bring $10 for each pair that is linked.",
                "AR-12 AR-40 AR-41",
            )
        case "choose":
            return Question(
                f"{view.year}, phase {view.phase}: which space do you move to?",
                "Each space holds one player in a phase. Spaces further up let you move earlier in the next phase; "
                "those further down do more. After the third phase the dividend is paid.",
                "AR-20 AR-21 AR-50",
            )
        case "develop":
            return Question(
                "Which city do you develop? Or pass.",
                "A marker brings a company that is alone in the city $2 a year, or each of several $1.",
                "AR-30 AR-40",
            )
        case "fund":
            return Question(
                "Which company gets $5 from the bank? Or pass.",
                "The money goes into the company's treasury and pays for building.",
                "AR-31",
            )
        case "take":
            return Question(
                "Take $2 from the bank, make the others pay $2" + (", or build?" if asked.cubes else "?"),
                "Either the bank pays you $2, or every other player pays the bank $2, or (with 4 or 5 players) you "
                "expand by up to two cubes.",
                "AR-32",
            )
    return Question(
        f"Where do you build (up to {asked.cubes} more)? Or pass to stop.",
        "A cube goes beside a cube of the same company; you need a share of it, and its treasury pays. Alone in a city "
        "it earns the full value, with others the shared one.",
        "AR-35 AR-36 AR-40 AR-41",
    )


def _last_spike(situation: Situation, asked: Any) -> Question:
    if asked.asks == "play":
        return Question(
            "Which piece do you lay?",
            "A piece numbered 1 or 4 touches its city, 2 and 3 touch if a neighbour on their route lies. Touching "
            "pieces cost their price, others double. The first to touch a city gets its free property. When a route "
            "is complete, its two cities pay their owners. A complete line from St. Louis to Sacramento ends the game.",
            "LS-10 LS-11 LS-12 LS-13 LS-14 LS-30",
        )
    if asked.asks == "sell":
        short = "" if asked.short is None else f"; you are {money(asked.short)} short"
        return Question(
            f"Which property do you sell to pay for {asked.piece} ({money(asked.cost or 0)}{short})?",
            "The bank pays half the price, rounded up to the next $1,000. Free properties and those of finished cities "
            "are never sold.",
            "LS-20 LS-21",
        )
    return Question(
        "Which property do you buy? Or pass.",
        "One a turn, the cheapest of a city whose free property has been taken. The more of a city's properties you "
        "hold, the more each completed route there pays you.",
        "LS-15 LS-14",
    )


def _auction(situation: Situation, rules: str, explained: str) -> Question:
    auction = situation.view.auction
    return Question(f"{auction.company} share: bid ${auction.minimum} or more, or pass?", explained, rules)


def money(amount: int) -> str:
    return f"${amount:,}"


_QUESTIONS = {"chicago_express": _chicago_express, "american_rails": _american_rails, "last_spike": _last_spike}
