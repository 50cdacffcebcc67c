"""The pieces in a player's hand as tiles: a picture with the route, the price, and what each player would be paid."""

from typing import Any

from rails_cli.games.decision import Decision
from rails_cli.games.faces.paints import spot_paint
from rails_cli.games.faces.phrases import count_phrase, listed
from rails_cli.games.last_spike.face.drawing import TILE
from rails_cli.games.last_spike.face.help import cost_now, sold_first, why
from rails_cli.games.last_spike.face.maps import city_name, thousands, times_apart
from rails_cli.games.shared.text import printable
from rails_cli.protocol.last_spike import LastSpikeDriven, PiecePlayed, Play, PropertyTaken, RouteCompleted, RoutePaid
from rails_cli.protocol.live_view import TileShown

FEW = 2
"""Maximum number of missing pieces of a route that a tile lists by id.

If more are missing, the tile shows only how many.
"""


def tile(decision: Decision, entry: Any) -> TileShown | None:
    """Return a tile for a legal action that plays a piece. Return None for any other action."""
    if not isinstance(entry, Play):
        return None
    return _drawn(decision, entry.piece, entry.cost or 0, *_consequences(decision, entry))


def barred(decision: Decision) -> list[TileShown]:
    """Return tiles for the pieces in the seat's hand that cannot be played now. Each tile states the reason."""
    if decision.view.question.asks != "play":
        return []
    playable = {entry.piece for entry in decision.legal}
    hand = [piece for piece in decision.view.players[decision.seat].hand or () if piece not in playable]
    return [_drawn(decision, piece, cost_now(decision, piece), why(decision, [piece]) or "") for piece in hand]


def _drawn(decision: Decision, piece: str, cost: int, effect: str, gain: str = "") -> TileShown:
    board = decision.wire_board
    route = _route_of(decision, piece)
    numbers = {city["id"]: number for number, city in enumerate(board["cities"])}
    places = [(printable(city_name(board, city)), spot_paint(numbers[city])) for city in (route["from"], route["to"])]
    return TileShown(printable(piece), thousands(cost), TILE, places, effect, gain)


def _route_of(decision: Decision, piece: str) -> Any:
    routes = decision.wire_board["routes"]
    return next(route for route in routes if any(one["id"] == piece for one in route["pieces"]))


def _consequences(decision: Decision, entry: Play) -> tuple[str, str]:
    """Return two texts about playing a piece.

    The first has the effects and the payments to other players. The second has the gains of the seat to move.
    """
    board, seat = decision.wire_board, decision.seat
    ahead, events = decision.lookahead.after(entry)
    sold, later = sold_first(decision, ahead)
    amounts = [0] * len(decision.names)
    effects = ["You must sell property to pay for it."] if sold else []
    free = ""
    for event in [*events, *later]:
        match event:
            case PiecePlayed(touching=False):
                effects.append(f"Touches nothing: {times_apart(board)}.")
            case PropertyTaken():
                free = f"You get the free property of {printable(city_name(board, event.city))}."
            case RouteCompleted():
                effects.append("Completes it.")
            case RoutePaid():
                amounts = [before + paid for before, paid in zip(amounts, event.amounts, strict=True)]
            case LastSpikeDriven():
                effects.append("The last spike: the game ends.")
                amounts[seat] += event.bonus
    missing = [piece for piece in _missing(decision, _route_of(decision, entry.piece)["id"]) if piece != entry.piece]
    if missing:
        named = listed([printable(piece) for piece in missing])
        effects.append(f"The route then lacks {named if len(missing) <= FEW else count_phrase(len(missing), 'piece')}.")
    paid = sorted(
        (other for other in range(len(amounts)) if other != seat and amounts[other]), key=lambda o: -amounts[o]
    )
    if paid:
        effects.append(f"Pays {', '.join(f'{decision.names[other]} {thousands(amounts[other])}' for other in paid)}.")
    gains = [free] if free else []
    if amounts[seat]:
        gains.append(f"You get {thousands(amounts[seat])}.")
    return " ".join(effects), " ".join(gains)


def _missing(decision: Decision, route: str) -> list[str]:
    return next(shown.missing for shown in decision.view.routes if shown.id == route)
