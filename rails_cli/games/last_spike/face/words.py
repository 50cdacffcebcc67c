"""Texts of The Last Spike for events, questions and actions."""

from collections.abc import Iterable, Sequence
from typing import assert_never

from rails_cli.games.decision import Decision, Prompt
from rails_cli.games.faces.interface import OptionWords
from rails_cli.games.faces.phrases import count_phrase, dollars, listed
from rails_cli.games.game import WireBoard
from rails_cli.games.last_spike.face.maps import city_name, lot_name, times_apart
from rails_cli.protocol.common import Pass, Passed
from rails_cli.protocol.last_spike import (
    Action,
    Buy,
    Dealt,
    Drew,
    EndReason,
    Event,
    GameEnded,
    LastSpikeDriven,
    Mixed,
    PieceChosen,
    PiecePlayed,
    Play,
    Player,
    PropertyBought,
    PropertySold,
    PropertyTaken,
    Question,
    RouteCompleted,
    RoutePaid,
    Sell,
    WentBankrupt,
)

OPTIONS = {
    "non_adjacent": OptionWords(
        "May a piece be laid away from other track?",
        {
            "only_if_forced": "Only when nothing else can be (standard)",
            "free_choice": "Whenever you like, at double cost",
        },
    ),
    "cash": OptionWords(
        "Is everybody's cash visible?", {"open": "Yes (standard)", "hidden": "No, you see only your own until the end"}
    ),
}

END_REASONS = {"last_spike": "the last spike has been driven", "last_solvent": "only one player is not bankrupt"}


def ended_because(reasons: Sequence[EndReason]) -> str:
    return listed([END_REASONS[reason] for reason in reasons])


def question_in_words(question: Question) -> str:
    """Return a question as the end of a sentence that starts with the player's name."""
    if question.asks == "play":
        return "is to play a piece"
    if question.asks == "buy":
        return "may buy a property"
    short = "" if question.short is None else f", {dollars(question.short)} short"
    return f"is to sell properties for {question.piece} ({dollars(question.cost or 0)}{short})"


def hand_in_words(player: Player) -> str:
    if player.bankrupt:
        return "bankrupt"
    return count_phrase(player.pieces, "piece") if player.hand is None else " ".join(player.hand)


def event_sentence(board: WireBoard, event: Event, players: Sequence[str]) -> str:
    """Return an event as one sentence that uses the names of players and places."""
    match event:
        case Dealt():
            return _tell_dealt(event, players)
        case PieceChosen(seat, piece, cost):
            return f"{players[seat]} chooses {piece} for {dollars(cost)} and must sell properties to pay for it."
        case PropertySold(seat, lot, _, gain):
            return f"{players[seat]} sells a property in {lot_name(board, lot)} to the bank for {dollars(gain)}."
        case PiecePlayed(seat, piece, route, cost, touching):
            apart = "" if touching else ", which touches nothing,"
            return f"{players[seat]} pays {dollars(cost)} and lays {piece}{apart} on route {route}."
        case PropertyTaken(seat, _, city):
            return f"{players[seat]} is the first to reach {city_name(board, city)} and takes its free property."
        case RouteCompleted(seat, route, cities):
            ends = listed([city_name(board, city) for city in cities])
            return f"{players[seat]} completes route {route} between {ends}."
        case LastSpikeDriven(seat, piece, bonus):
            return f"{players[seat]} drives the last spike with {piece} and takes {dollars(bonus)} from the bank."
        case RoutePaid(_, city, amounts):
            paid = [f"{dollars(amount)} to {player}" for player, amount in zip(players, amounts, strict=True) if amount]
            return f"{city_name(board, city)} pays {listed(paid) or 'nobody'}."
        case PropertyBought(seat, _, city, cost):
            return f"{players[seat]} buys a property in {city_name(board, city)} ({dollars(cost)})."
        case Drew():
            drawer = "Somebody" if event.seat is None else players[event.seat]
            return f"{drawer} draws {event.piece or 'a piece'}."
        case WentBankrupt():
            return _tell_bankrupt(board, event, players)
        case Mixed(size):
            return f"The draw pile is shuffled again; it has {count_phrase(size, 'piece')}."
        case Passed(seat, forced):
            return f"{players[seat]} has to pass." if forced else f"{players[seat]} buys nothing."
        case GameEnded(reasons):
            return f"The game ends: {ended_because(reasons)}."
        case _:
            assert_never(event)


def _tell_dealt(event: Dealt, players: Sequence[str]) -> str:
    sentence = f"{players[event.first]} starts"
    if event.draws is not None:
        drawn = [f"{player} {piece}" for player, piece in zip(players, event.draws, strict=True)]
        sentence = f"Drawn to decide who starts: {', '.join(drawn)}; {sentence}"
    hands = [
        f"{player} draws {', '.join(hand)}"
        for player, hand in zip(players, event.hands, strict=True)
        if hand is not None
    ]
    aside = [] if event.set_aside is None else [f"{event.set_aside} is set aside"]
    return "; ".join([sentence, *hands, *aside]) + "."


def _tell_bankrupt(board: WireBoard, event: WentBankrupt, players: Sequence[str]) -> str:
    parts = [f"{players[event.seat]} is bankrupt and out of the game"]
    if event.cash is not None:
        parts.append(f"{dollars(event.cash)} goes to the bank")
    if event.hand is not None:
        parts.append(f"{listed(event.hand)} to the draw pile")
    if event.returned:
        parts.append(f"property in {_lots(board, event.returned)} goes back on sale")
    if event.removed:
        parts.append(f"property in {_lots(board, event.removed)} leaves the game")
    return ", ".join(parts) + "."


def _lots(board: WireBoard, lots: Sequence[str]) -> str:
    return listed([lot_name(board, lot) for lot in lots])


def touched(events: Iterable[Event]) -> set[str]:
    """Return the ids of the pieces that were laid in the events."""
    return {event.piece for event in events if isinstance(event, PiecePlayed)}


# Questions and answers

NEW_TURN = frozenset({"play"})


def pass_words(decision: Decision) -> str:
    return "buy nothing"


def prompt(decision: Decision) -> Prompt:
    board, asked = decision.wire_board, decision.view.question
    match asked.asks:
        case "play":
            start, end = (city_name(board, board[which]) for which in ("start_city", "end_city"))
            return Prompt(
                "Which piece will you play?",
                "The first and the last piece of a route touch a city, others if their neighbour on the route has been "
                f"laid. Touching pieces cost the printed price, others {times_apart(board)}. The first to touch a city "
                "gets its free property. When a route is complete, its two cities pay their owners. A complete line "
                f"from {start} to {end} ends the game.",
                "LS-10 LS-11 LS-12 LS-13 LS-14 LS-30",
            )
        case "sell":
            short = "" if asked.short is None else f"; you are {dollars(asked.short)} short"
            return Prompt(
                f"Which property will you sell to pay for {asked.piece} ({dollars(asked.cost or 0)}{short})?",
                "The bank pays part of the price. Free properties and those of finished cities are never sold.",
                "LS-20 LS-21",
            )
    return Prompt(
        f"Which property will you buy? Or {pass_words(decision)}.",
        "One per turn: the cheapest in a city whose free property has been taken. The more of a city's properties you "
        "hold, the more each completed route there pays you.",
        "LS-15 LS-14",
    )


def words(decision: Decision, action: Play | Sell | Buy) -> str:
    if isinstance(action, Buy):
        return f"buy in {city_name(decision.wire_board, action.city)} ({action.city})"
    return instruction(decision.wire_board, action)


def instruction(board: WireBoard, action: Play | Sell | Buy) -> str:
    match action:
        case Play(piece):
            route = next(route for route in board["routes"] if any(one["id"] == piece for one in route["pieces"]))
            return f"play {piece} ({city_name(board, route['from'])} to {city_name(board, route['to'])})"
        case Sell(lot):
            return f"sell a property in {lot_name(board, lot)}"
        case Buy(city):
            return f"buy a property in {city_name(board, city)}"


def instructions(decision: Decision, actions: Sequence[Action]) -> list[str]:
    parts: list[str] = []
    sold = [action for action in actions if isinstance(action, Sell)]
    for action in actions:
        match action:
            case Play() | Buy():
                parts.append(instruction(decision.wire_board, action))
            case Sell() if action is sold[0]:
                parts.append(f"sell property in {_lots(decision.wire_board, [sale.property for sale in sold])}")
            case Pass():
                parts.append("buy nothing")
    return parts
