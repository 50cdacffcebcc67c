"""What the greedy bot would do in The Last Spike, and the numbers it goes by."""

from protocol.last_spike import Buy, Play, Sell
from rails_cli.games.choices import ranked
from rails_cli.games.decision import Advice, Decision
from rails_cli.games.last_spike.players.greedy import Outlook, think


def advice(decision: Decision) -> Advice:
    outlook = Outlook(decision.view, decision.board)
    return Advice(think(decision.view, decision.legal, decision.board), [_numbers(decision, outlook)])


def _numbers(decision: Decision, outlook: Outlook) -> str:
    legal = decision.legal
    match decision.view.question.asks:
        case "play":
            pieces = {entry.piece: outlook.worth_of_piece(entry) for entry in legal if isinstance(entry, Play)}
            return ranked(pieces, "all in all")
        case "buy":
            cities = {entry.city: outlook.gain_by_purchase(entry) for entry in legal if isinstance(entry, Buy)}
            return ranked(cities, "above its price")
    lots = {entry.property: -outlook.loss_by_sale(entry) for entry in legal if isinstance(entry, Sell)}
    return ranked(lots, "for selling it")
