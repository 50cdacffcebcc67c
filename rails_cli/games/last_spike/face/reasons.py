"""Why something is not allowed now in The Last Spike."""

from collections.abc import Sequence

from rails_cli.games.decision import Decision
from rails_cli.games.last_spike.face.prompts import city_of, city_with
from rails_cli.games.phrases import dollars
from rails_cli.games.vocabulary import plain


def why(decision: Decision, words: Sequence[str]) -> str | None:
    names = decision.face.vocabulary.names(decision.wire_board, decision.view)
    for word in map(plain, words):
        if word in names["piece"]:
            return _piece(decision, names["piece"][word])
        if word in names["property"]:
            return _property(decision, names["property"][word])
    named = (names["city"].get(plain(word)) for word in (" ".join(words), *words))
    city = next((found for found in named if found), None)
    return None if city is None else _city(decision, city)


def _city(decision: Decision, city_id: str) -> str:
    asks = decision.view.question.asks
    city = next(city for city in decision.view.cities if city.id == city_id)
    name = city_of(decision.wire_board, city_id)["name"]
    if asks != "buy":
        return f"You buy after laying a piece; now you {asks} (LS-10)."
    if any(getattr(entry, "city", None) == city_id for entry in decision.legal):
        return f"You may buy in {name}."
    if not city.free_taken:
        return f"The free property of {name} has not been taken, so nothing is for sale there yet (LS-15)."
    if city.for_sale is None:
        return f"All properties of {name} are taken (LS-15)."
    cash = decision.view.players[decision.seat].cash or 0
    return f"{name}'s next property costs {dollars(city.price)}, and you have {dollars(cash)} (LS-15)."


def _piece(decision: Decision, piece: str) -> str:
    view = decision.view
    own = view.players[decision.seat]
    if any(piece in route.laid for route in view.routes):
        return f"{piece} lies on the board already."
    if piece not in (own.hand or ()):
        return f"{piece} is not in your hand (LS-10)."
    if view.question.asks != "play":
        return f"You play one piece a turn; now you {view.question.asks} (LS-10)."
    if any(getattr(entry, "piece", None) == piece for entry in decision.legal):
        return f"You may play {piece}."
    board, cash = decision.wire_board, own.cash or 0
    cost = next(one["cost"] for route in board["routes"] for one in route["pieces"] if one["id"] == piece)
    if piece not in view.touching:
        cost *= board["non_adjacent_multiplier"]
        if cost <= cash + own.resale:
            return (
                f"{piece} touches neither a city nor a laid piece, and you can pay for one in your hand that does; "
                "then it may not be played (LS-11)."
            )
    return (
        f"{piece} costs {dollars(cost)}; you have {dollars(cash)} and could sell for {dollars(own.resale)} "
        "(LS-11, LS-20)."
    )


def _property(decision: Decision, lot: str) -> str:
    view = decision.view
    if any(getattr(entry, "property", None) == lot for entry in decision.legal):
        return f"You may sell {lot}."
    if lot not in view.players[decision.seat].properties:
        return f"{lot} is not yours."
    if view.question.asks != "sell":
        return "Properties are sold only to pay for a piece (LS-20)."
    city = city_with(decision.wire_board, lot)
    if next(one["price"] for one in city["properties"] if one["id"] == lot) == 0:
        return f"{lot} is a free property; those are never sold (LS-21)."
    return f"All routes of {city['name']} are complete; its properties are never sold (LS-21)."
