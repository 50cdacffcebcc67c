"""What the greedy bot would do in Chicago Express, and the numbers it goes by."""

from protocol.chicago_express import Choose, Develop, Offer
from rails_cli.games.chicago_express.players.greedy import Outlook, think
from rails_cli.games.choices import ranked
from rails_cli.games.decision import Advice, Decision
from rails_cli.games.railways.hints import expansion, limit


def advice(decision: Decision) -> Advice:
    outlook = Outlook(decision.view, decision.board)
    return Advice(think(decision.view, decision.legal, decision.board), [_numbers(decision, outlook)])


def _numbers(decision: Decision, outlook: Outlook) -> str:
    legal = decision.legal
    match decision.view.question.asks:
        case "bid_or_pass":
            return limit(decision, outlook)
        case "choose_action":
            free = {entry.action for entry in legal if isinstance(entry, Choose)}
            worth = {action: value for action, value in outlook.worth_of_actions().items() if action in free}
            return ranked(worth, "to you until the end, above the others")
        case "offer_share":
            offers = [entry.company for entry in legal if isinstance(entry, Offer)]
            return ranked({company: outlook.worth_of_offer(company) for company in offers}, "for putting it up")
        case "expand":
            return expansion(outlook.worth_of_actions()["expand"])
    places = [entry.hex for entry in legal if isinstance(entry, Develop)]
    return ranked({place: outlook.worth_of_development(place) for place in places}, "until the end, above the others")
