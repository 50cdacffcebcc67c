"""The questions of American Rails in plain words, and its actions."""

from protocol.american_rails import Build, Choose, Develop, Found, Fund, Offer, Take
from rails_cli.games.decision import Decision, Prompt
from rails_cli.games.railways.vocabulary import place_of, place_words

NEW_TURN = frozenset({"choose", "nominate"})
SPACES = {
    "pass": "Pass (do nothing)",
    "develop": "Develop a city",
    "fund": "Fund a company with $5",
    "take": "Take $2",
    "expand3": "Expand: up to 3 cubes",
    "auction": "Auction a share",
    "expand4": "Expand: up to 4 cubes",
}


def prompt(decision: Decision) -> Prompt:
    view, asked = decision.view, decision.view.question
    match asked.asks:
        case "bid":
            auction = view.auction
            return Prompt(
                f"{auction.company} share: bid ${auction.minimum} or more, or pass?",
                "The highest bid goes into the company's treasury, which pays for building. Who passes is out of this "
                "auction. Every year each share held earns its part of the company's income, rounded up. A company "
                "without a cube starts in a city of the buyer's choice.",
                "AR-10 AR-11 AR-12 AR-13" if auction.is_opening else "AR-10 AR-33 AR-34",
            )
        case "nominate":
            return Prompt(
                "Which company's opening share do you put up?",
                "You bid first (at least $10) or pass. Who wins it places the company's first cube.",
                "AR-10 AR-12 AR-13 AR-14",
            )
        case "auction":
            return Prompt(
                "Which company's share do you put up? Or pass.",
                "You bid first (at least $10) or pass. If nobody bids, the share leaves the game.",
                "AR-33 AR-34",
            )
        case "found":
            return Prompt(
                f"Where does {asked.company} start?",
                "Its first cube is free, on a city without cubes; the city's full value becomes its income. Think of "
                "where it can grow: Chicago, New York and Atlanta bring $10 for each pair that is linked.",
                "AR-12 AR-40 AR-41",
            )
        case "choose":
            return Prompt(
                f"{view.year}, phase {view.phase}: which space do you move to?",
                "Each space holds one player in a phase. Spaces further up let you move earlier in the next phase; "
                "those further down do more. After the third phase the dividend is paid.",
                "AR-20 AR-21 AR-50",
            )
        case "develop":
            return Prompt(
                "Which city do you develop? Or pass.",
                "A marker brings a company that is alone in the city $2 a year, or each of several $1.",
                "AR-30 AR-40",
            )
        case "fund":
            return Prompt(
                "Which company gets $5 from the bank? Or pass.",
                "The money goes into the company's treasury and pays for building.",
                "AR-31",
            )
        case "take":
            return Prompt(
                "Take $2 from the bank, make the others pay $2" + (", or build?" if asked.cubes else "?"),
                "Either the bank pays you $2, or every other player pays the bank $2, or (with 4 or 5 players) you "
                "expand by up to two cubes.",
                "AR-32",
            )
    return Prompt(
        f"Where do you build (up to {asked.cubes} more)? Or pass to stop.",
        "A cube goes beside a cube of the same company; you need a share of it, and its treasury pays. Alone in a city "
        "it earns the full value, with others the shared one.",
        "AR-35 AR-36 AR-40 AR-41",
    )


def words(decision: Decision, action: Offer | Found | Choose | Develop | Fund | Take | Build) -> str:
    match action:
        case Offer():
            return f"offer {action.company}"
        case Found():
            return f"start in {place_words(place_of(decision.wire_board, action.hex))}"
        case Choose():
            return SPACES[action.action]
        case Develop():
            return f"develop {place_words(place_of(decision.wire_board, action.hex))}"
        case Fund():
            return f"fund {action.company}"
        case Take():
            return "take $2 from the bank" if action.source == "bank" else "make the others pay"
        case Build():
            return f"{action.company} to {place_words(place_of(decision.wire_board, action.hex))}"
