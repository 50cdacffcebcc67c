"""Panels of The Last Spike beside its map."""

from collections.abc import Mapping, Sequence
from heapq import heappop, heappush
from typing import Any

from protocol.last_spike import Player, View
from rails_cli.games.canvas import HEADING, Line
from rails_cli.games.face import Snapshot
from rails_cli.games.last_spike.face.narrate import question_in_words
from rails_cli.games.panels import ENDED, PlayerColumns, PlayerRow, player_lines
from rails_cli.games.phrases import counted


def stage(view: View) -> list[Line]:
    """The mix, and what would be the last spike."""
    lines: list[Line] = [[("mix ", HEADING), (counted(view.mix, "piece"), "")]]
    if view.last_spikes:
        lines.append([("last spike now ", HEADING), (" ".join(view.last_spikes), "bold")])
    return lines


def end(board: Mapping[str, Any], view: View) -> str:
    solvent = sum(not player.bankrupt for player in view.players)
    return f"end: the line lacks {counted(missing_for_line(board, view), 'piece')}, {solvent} players solvent"


def missing_for_line(board: Mapping[str, Any], view: View) -> int:
    """The fewest pieces that still have to be laid for a line from start to end."""
    missing = {route.id: len(route.missing) for route in view.routes}
    ways = [(0, str(board["start_city"]))]
    seen: set[str] = set()
    while ways:
        pieces, city = heappop(ways)
        if city == board["end_city"]:
            return pieces
        if city in seen:
            continue
        seen.add(city)
        for route in board["routes"]:
            if city in (route["from"], route["to"]):
                other = route["to"] if city == route["from"] else route["from"]
                heappush(ways, (pieces + missing[route["id"]], other))
    return 0


def asked(view: View, names: Sequence[str]) -> list[Line]:
    mix = f"Pieces in the mix: {view.mix}."
    if view.last_spikes:
        mix += f" Last spike: {' '.join(view.last_spikes)}"
    question = view.question
    if question is None:
        return [[(mix, "")], ENDED]
    return [[(mix, "")], [(names[question.seat], "bold"), (f" {question_in_words(question)}.", "")]]


def players(snapshot: Snapshot, width: int) -> list[Line]:
    view: View = snapshot.view
    rows = [PlayerRow(player.cash, (f"{player.property_total:,}", ""), _hand(player)) for player in view.players]
    columns = PlayerColumns("worth", "hand", cash_width=8, note_width=7)
    asked_seat = None if view.question is None else view.question.seat
    return player_lines(snapshot.names, rows, columns, width, asked=asked_seat, seer=snapshot.seer)


def _hand(player: Player) -> Line:
    if player.bankrupt:
        return [("bankrupt", "")]
    return [(f"{player.pieces} pieces", "dim") if player.hand is None else (" ".join(player.hand), "bold")]
