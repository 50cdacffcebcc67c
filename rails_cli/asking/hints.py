"""What the greedy bot would do, and the numbers it goes by."""

from importlib import import_module
from typing import Any

from protocol.common import Bid, BidRange, Pass
from rails_cli.asking.choices import Choice, command_of
from rails_cli.asking.questions import money
from rails_cli.asking.situation import Situation

SHOWN = 3


def hint(situation: Situation, choices: list[Choice]) -> list[str]:
    """The bot's suggestion as a command, and why."""
    if situation.board is None:
        return ["No hint: this table plays on a board that is not known here."]
    greedy = import_module(f"rails_cli.games.{situation.game}.players.greedy")
    chosen = greedy.think(situation.view, situation.legal, situation.board)
    outlook = greedy.Outlook(situation.view, situation.board)
    told = [f"The greedy bot would say: {command_of(chosen)}"]
    preview = next((choice.preview.words for choice in choices if choice.action == chosen), "")
    if preview and not isinstance(chosen, Pass):
        told.append(f"That: {preview}.")
    return told + _numbers(situation, outlook, chosen)


def suggestion(situation: Situation) -> str | None:
    """The command alone."""
    if situation.board is None:
        return None
    greedy = import_module(f"rails_cli.games.{situation.game}.players.greedy")
    return command_of(greedy.think(situation.view, situation.legal, situation.board))


def _numbers(situation: Situation, outlook: Any, chosen: Any) -> list[str]:
    asks = situation.view.question.asks
    if asks in ("bid", "bid_or_pass"):
        return [_limit(situation, outlook)]
    if asks == "choose_action":
        return [_ranked(outlook.worth_of_actions(), situation, "to you until the end, above the others")]
    if asks == "choose":
        return [_ranked(outlook.worth_of_spaces(), situation, "to you until the end, above the others")]
    if asks in ("offer_share", "nominate", "auction"):
        worth = {e.company: outlook.worth_of_offer(e.company) for e in situation.legal if hasattr(e, "company")}
        return [_ranked(worth, None, "for putting it up")]
    if asks == "develop":
        value = outlook.worth_of_development if situation.game == "chicago_express" else outlook.worth_of_marker
        worth = {e.hex: value(e.hex) for e in situation.legal if hasattr(e, "hex")}
        return [_ranked(worth, None, "until the end, above the others")]
    if asks == "expand":
        return [_expansion(situation, outlook)]
    if asks == "play":
        worth = {e.piece: outlook.worth_of_piece(e) for e in situation.legal}
        return [_ranked(worth, None, "all in all")]
    if asks == "buy":
        worth = {e.city: outlook.gain_by_purchase(e) for e in situation.legal if hasattr(e, "city")}
        return [_ranked(worth, None, "above its price")]
    if asks == "sell":
        worth = {e.property: -outlook.loss_by_sale(e) for e in situation.legal if hasattr(e, "property")}
        return [_ranked(worth, None, "for selling it")]
    return []


def _limit(situation: Situation, outlook: Any) -> str:
    """Up to where the bot would go."""
    entry = situation.legal[0]
    company = situation.view.auction.company
    if not isinstance(entry, BidRange):
        return "It cannot bid."
    limit = 0
    for amount in range(entry.min, entry.max + 1):
        if outlook.bid([BidRange(amount, amount), Pass()]) != Bid(amount):
            break
        limit = amount
    dividends = f"about {outlook.dividends:.1f}" if isinstance(outlook.dividends, float) else str(outlook.dividends)
    if not limit:
        return f"With {dividends} dividends to come it thinks a {company} share earns less than ${entry.min}."
    return f"With {dividends} dividends to come it would go up to ${limit} for a {company} share."


def _expansion(situation: Situation, outlook: Any) -> str:
    if situation.game == "chicago_express":
        worth = outlook.worth_of_actions()["expand"]
    else:
        worth = outlook.best_expansion()[0]
    return f"It thinks the way it has in mind is worth about ${worth:.0f} until the end."


def _ranked(worth: dict[str, float], situation: Situation | None, what: str) -> str:
    if situation is not None:
        allowed = {entry.action for entry in situation.legal if hasattr(entry, "action")}
        worth = {name: value for name, value in worth.items() if name in allowed}
    best = sorted(worth.items(), key=lambda pair: -pair[1])[:SHOWN]
    told = ", ".join(
        f"{name} {money(round(value)) if value >= 0 else '-' + money(round(-value))}" for name, value in best
    )
    return f"What it thinks they are worth {what}: {told}."
