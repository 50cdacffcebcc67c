"""A position of The Last Spike as short text, for language models."""

from collections.abc import Iterable, Sequence

from rails_cli.games.faces.phrases import dollars
from rails_cli.games.game import WireBoard
from rails_cli.games.last_spike.face.panels import missing_for_line
from rails_cli.games.last_spike.face.words import hand_in_words
from rails_cli.protocol.last_spike import View


def brief(board: WireBoard, view: View) -> str:
    """Return a position as short text, with everything except the pending question and the ids of owned properties."""
    lines = ["seat: cash, pieces"]
    for player in view.players:
        cash = "hidden" if player.cash is None else dollars(player.cash)
        pieces = player.pieces if player.hand is None and not player.bankrupt else hand_in_words(player)
        lines.append(f"{player.seat + 1}: {cash} {pieces}")
    lines.append("city: price, properties of each seat, routes left")
    for city in view.cities:
        price = "free" if not city.free_taken else "sold out" if city.price is None else dollars(city.price)
        lines.append(f"{city.id}: {price} {' '.join(map(str, city.properties))} {city.routes_left}")
    lines = [line.replace("$", "") for line in lines]
    touching = set(view.touching)
    open_pieces = [(route.id, [piece for piece in route.missing if piece in touching]) for route in view.routes]
    lines += [
        f"laid: {_by_route((route.id, route.laid) for route in view.routes)}",
        f"not laid, touching: {_by_route(open_pieces)}",
        f"draw pile: {view.mix}; pieces missing for the line: {missing_for_line(board, view)}",
    ]
    if view.last_spikes:
        lines.append(f"would end the game: {' '.join(view.last_spikes)}")
    return "\n".join(lines).replace(",000", "k")


def _by_route(pieces: Iterable[tuple[str, Sequence[str]]]) -> str:
    """Return a short list of piece ids, such as `A124` for the pieces A1, A2 and A4 of route A.

    `pieces` has pairs of a route id and the ids of pieces of this route.
    """
    told = []
    for route, ids in pieces:
        numbers = sorted((piece.removeprefix(route) for piece in ids), key=lambda number: (len(number), number))
        if numbers:
            told.append(route + ("" if len(numbers[-1]) == 1 else ",").join(numbers))
    return " ".join(told) or "-"
