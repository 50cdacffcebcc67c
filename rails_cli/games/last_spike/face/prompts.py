"""The questions of The Last Spike in plain words, and its actions."""

from collections.abc import Mapping
from typing import Any

from protocol.last_spike import Buy, Play, Sell
from rails_cli.games.decision import Decision, Prompt
from rails_cli.games.phrases import dollars

NEW_TURN = frozenset({"play"})


def prompt(decision: Decision) -> Prompt:
    asked = decision.view.question
    match asked.asks:
        case "play":
            return Prompt(
                "Which piece do you lay?",
                "A piece numbered 1 or 4 touches its city, 2 and 3 touch if a neighbour on their route lies. Touching "
                "pieces cost their price, others double. The first to touch a city gets its free property. When a "
                "route is complete, its two cities pay their owners. A complete line from St. Louis to Sacramento ends "
                "the game.",
                "LS-10 LS-11 LS-12 LS-13 LS-14 LS-30",
            )
        case "sell":
            short = "" if asked.short is None else f"; you are {dollars(asked.short)} short"
            return Prompt(
                f"Which property do you sell to pay for {asked.piece} ({dollars(asked.cost or 0)}{short})?",
                "The bank pays half the price, rounded up to the next $1,000. Free properties and those of finished "
                "cities are never sold.",
                "LS-20 LS-21",
            )
    return Prompt(
        "Which property do you buy? Or pass.",
        "One a turn, the cheapest of a city whose free property has been taken. The more of a city's properties you "
        "hold, the more each completed route there pays you.",
        "LS-15 LS-14",
    )


def words(decision: Decision, action: Play | Sell | Buy) -> str:
    board = decision.wire_board
    match action:
        case Play():
            route = next(
                route for route in board["routes"] if any(one["id"] == action.piece for one in route["pieces"])
            )
            ends = f"{city_of(board, route['from'])['name']} to {city_of(board, route['to'])['name']}"
            return f"lay {action.piece} ({ends})"
        case Sell():
            return f"sell {action.property}"
        case Buy():
            return f"buy in {city_of(board, action.city)['name']}"


def city_of(board: Mapping[str, Any], city: str) -> Any:
    """The entry of a city on the board."""
    return next(entry for entry in board["cities"] if entry["id"] == city)


def city_with(board: Mapping[str, Any], lot: str) -> Any:
    """The entry of the city in which a property lies."""
    return next(city for city in board["cities"] if any(entry["id"] == lot for entry in city["properties"]))


def places(board: Mapping[str, Any], action: Any) -> list[str]:
    """Where on the map an action takes place: at a piece, or in a city."""
    match action:
        case Play():
            return [action.piece]
        case Buy():
            return [action.city]
        case Sell():
            return [city_with(board, action.property)["id"]]
    return []
