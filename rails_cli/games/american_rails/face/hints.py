"""What the greedy bot would do in American Rails, and the numbers it goes by."""

from protocol.american_rails import Choose, Develop, Offer
from rails_cli.games.american_rails.players.greedy import Outlook, think
from rails_cli.games.choices import ranked
from rails_cli.games.decision import Advice, Decision
from rails_cli.games.railways.hints import expansion, limit


def advice(decision: Decision) -> Advice:
    outlook = Outlook(decision.view, decision.board)
    return Advice(think(decision.view, decision.legal, decision.board), _numbers(decision, outlook))


def _numbers(decision: Decision, outlook: Outlook) -> list[str]:
    legal = decision.legal
    match decision.view.question.asks:
        case "bid":
            return [limit(decision, outlook)]
        case "choose":
            free = {entry.action for entry in legal if isinstance(entry, Choose)}
            worth = {space: value for space, value in outlook.worth_of_spaces().items() if space in free}
            return [ranked(worth, "to you until the end, above the others")]
        case "nominate" | "auction":
            offers = [entry.company for entry in legal if isinstance(entry, Offer)]
            return [ranked({company: outlook.worth_of_offer(company) for company in offers}, "for putting it up")]
        case "expand":
            return [expansion(outlook.best_expansion()[0])]
        case "develop":
            cities = [entry.hex for entry in legal if isinstance(entry, Develop)]
            return [ranked({city: outlook.worth_of_marker(city) for city in cities}, "until the end, above the others")]
    return []
