"""Texts of Right of Way for people: sentences for events, questions and actions, and one table."""

from collections.abc import Mapping, Sequence
from typing import Any

from rails_cli.games.decision import Decision, Prompt
from rails_cli.games.faces.interface import Face
from rails_cli.games.faces.phrases import count_phrase, listed
from rails_cli.games.faces.sheets import Column, Sheet, seat_rows
from right_of_way.protocol import Chosen, Event, GameEnded, Revealed, Show, TrainsLined, View


def tell(board: Mapping[str, Any], event: Event, names: Sequence[str]) -> str:
    match event:
        case TrainsLined(trains):
            return f"The trains wait in this order: {', '.join(map(str, trains))}."
        case Chosen(seat, signal):
            return f"{names[seat]} has chosen{'' if signal is None else f' signal {signal}'}."
        case Revealed(signals, points, winner):
            shown = listed([f"{name} {signal}" for name, signal in zip(names, signals, strict=True)])
            won = "Nobody wins" if winner is None else f"{names[winner]} wins"
            return f"The signals are shown: {shown}. {won} the train worth {count_phrase(points, 'point')}."
        case GameEnded():
            return "The last train has left."


def prompt(decision: Decision) -> Prompt:
    first, *later = decision.view.trains
    after = f" After it come {', '.join(map(str, later))}." if later else ""
    explained = "The highest signal that only one player shows wins the train. Every signal can be shown once."
    return Prompt(f"Which signal do you show for the train worth {first}?{after}", explained, "RW-2 RW-3")


def instruction(board: Mapping[str, Any], action: Show) -> str:
    return f"show signal {action.signal}"


def sheets(board: Mapping[str, Any], view: View, names: Sequence[str], prices: Mapping[str, int]) -> list[Sheet]:
    columns = [Column("Points", "count"), Column("Signals", "text"), Column("Chosen", "text")]
    cells = [
        [
            player.points,
            " ".join(map(str, player.signals)),
            (player.chosen or "yes") if player.has_chosen else "",
        ]
        for player in view.players
    ]
    return [Sheet("Players", "Player", columns, seat_rows(names), cells)]


FACE = Face(
    about="Choose signals in secret and show them together; five minutes.",
    difficulty=1,
    tell=tell,
    prompt=prompt,
    instruction=instruction,
    sheets=sheets,
    scores=lambda view: [player.points for player in view.players],
    unit="points",
    landmarks=frozenset({Revealed}),
    finale=frozenset({GameEnded}),
)
