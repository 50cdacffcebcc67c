"""The questions of American Rails in plain words, and its actions."""

from protocol.american_rails import Build, Choose, Develop, Found, Fund, Offer, Take
from rails_cli.games.american_rails.face.narrate import SPACES
from rails_cli.games.decision import Decision, Prompt
from rails_cli.games.phrases import listed
from rails_cli.games.railways.vocabulary import place_of, place_words

NEW_TURN = frozenset({"choose", "nominate"})


def prompt(decision: Decision) -> Prompt:
    board, view, asked = decision.wire_board, decision.view, decision.view.question
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
                f"You bid first (at least ${board['minimum_bid']}) or pass. "
                "Who wins it places the company's first cube.",
                "AR-10 AR-12 AR-13 AR-14",
            )
        case "auction":
            return Prompt(
                "Which company's share do you put up? Or pass.",
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
                f"{view.year}, phase {view.phase}: which space do you move to?",
                "Each space holds one player in a phase. Spaces further up let you move earlier in the next phase; "
                "those further down do more. After the third phase the dividend is paid.",
                "AR-20 AR-21 AR-50",
            )
        case "develop":
            return Prompt(
                "Which city do you develop? Or pass.",
                f"A marker brings a company that is alone in the city ${board['development']['full']} a year, or each "
                f"of several ${board['development']['shared']}.",
                "AR-30 AR-40",
            )
        case "fund":
            return Prompt(
                f"Which company gets ${board['fund']} from the bank? Or pass.",
                "The money goes into the company's treasury and pays for building.",
                "AR-31",
            )
        case "take":
            amount = f"${board['take']}"
            return Prompt(
                f"Take {amount} from the bank, make the others pay {amount}{', or build?' if asked.cubes else '?'}",
                f"Either the bank pays you {amount}, or every other player pays the bank {amount}, or (with 4 or 5 "
                "players) you expand by up to two cubes.",
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
            return SPACES[action.action].choice.format_map(decision.wire_board)
        case Develop():
            return f"develop {place_words(place_of(decision.wire_board, action.hex))}"
        case Fund():
            return f"fund {action.company}"
        case Take():
            return (
                f"take ${decision.wire_board['take']} from the bank"
                if action.source == "bank"
                else "make the others pay"
            )
        case Build():
            return f"{action.company} to {place_words(place_of(decision.wire_board, action.hex))}"
