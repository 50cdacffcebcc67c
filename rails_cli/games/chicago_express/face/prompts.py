"""The questions of Chicago Express in plain words, and its actions."""

from protocol.chicago_express import Build, Choose, Develop, Offer
from rails_cli.games.chicago_express.face.narrate import ACTIONS, red_dials
from rails_cli.games.decision import Decision, Prompt
from rails_cli.games.railways.vocabulary import place_of, place_words

NEW_TURN = frozenset({"choose_action"})


def prompt(decision: Decision) -> Prompt:
    view, asked = decision.view, decision.view.question
    match asked.asks:
        case "bid_or_pass":
            auction = view.auction
            return Prompt(
                f"{auction.company} share: bid ${auction.minimum} or more, or pass?",
                "The highest bid goes into the company's treasury, which pays for building. Who passes is out of this "
                "auction. A share earns its part of the company's income at every dividend, rounded up.",
                "CE-10 CE-11 CE-12 CE-13 CE-14" if auction.is_opening else "CE-11 CE-12 CE-31 CE-32",
            )
        case "choose_action":
            red = [f"{action} is red" for action in red_dials(view)]
            most = decision.wire_board["expand_max"]
            return Prompt(
                f"Your turn: auction, expand or develop?{' (' + ', '.join(red) + ')' if red else ''}",
                f"Auction puts up a share. Expand builds up to {most} locomotives of one company whose share you "
                "hold, paid by its treasury. Develop makes a hex with a locomotive worth more. Each moves its dial; a "
                "red dial cannot be chosen, and when two are red, every company pays its dividend.",
                "CE-20 CE-21 CE-60 CE-80",
            )
        case "offer_share":
            return Prompt(
                "Which company's share do you put up?",
                "You bid first, or pass. The lowest bid is what the share would earn; the money goes to the company. "
                "More shares in hands mean less for each of them.",
                "CE-30 CE-31 CE-32",
            )
        case "expand":
            who = asked.company or "one of your companies"
            more = f"up to {asked.builds_left} more" if asked.company else f"up to {asked.builds_left}"
            return Prompt(
                f"Where does {who} build ({more})? Or pass to stop.",
                "A locomotive goes next to the company's network. The treasury pays the printed cost times the "
                "locomotives then in the hex. Forests and mountains hold one locomotive in all. Cities bring income; "
                "Chicago pays the company's shareholders at once and opens the Wabash.",
                "CE-40 CE-41 CE-42 CE-43 CE-44 CE-70",
            )
    return Prompt(
        "Which hex do you develop? Or pass.",
        "Any hex with a locomotive: a city or mountain brings every company there more income, a forest pays $2 to the "
        "company there, Wheeling and Pittsburgh go up their scales. No share is needed.",
        "CE-50 CE-51 CE-52 CE-53 CE-54",
    )


def words(decision: Decision, action: Choose | Offer | Build | Develop) -> str:
    match action:
        case Choose():
            return ACTIONS[action.action].choice.format_map(decision.wire_board)
        case Offer():
            return f"offer {action.company}"
        case Build():
            return f"{action.company} to {place_words(place_of(decision.wire_board, action.hex))}"
        case Develop():
            return f"develop {place_words(place_of(decision.wire_board, action.hex))}"
