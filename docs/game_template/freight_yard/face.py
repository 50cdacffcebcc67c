"""How people see Freight Yard: a sentence for each event, the wording of actions, and one table."""

from collections.abc import Mapping, Sequence
from typing import Any

from freight_yard.protocol import Event, GameEnded, Take, Taken
from rails_cli.games.decision import Decision, Prompt
from rails_cli.games.faces.interface import Face
from rails_cli.games.faces.phrases import count_phrase
from rails_cli.games.faces.sheets import Column, Sheet, seat_rows
from rails_cli.protocol.common import StartingPosition


def tell(board: Mapping[str, Any], event: Event, names: Sequence[str]) -> str:
    match event:
        case StartingPosition():
            return "The train is ready."
        case Taken(seat, wagons, points):
            return f"{names[seat]} takes {', '.join(map(str, wagons))} and scores {points}."
        case GameEnded():
            return "The train is empty."


def prompt(decision: Decision) -> Prompt:
    train = " ".join(map(str, decision.view.train[-6:]))
    explained = "You score the numbers on the wagons, and lose points for each wagon after the first."
    return Prompt(f"The train ends with {train}. How many wagons do you take?", explained, "FY-2 FY-3")


def instruction(board: Mapping[str, Any], action: Take) -> str:
    return f"take {count_phrase(action.count, 'wagon')}"


def sheets(board: Mapping[str, Any], view: Any, names: Sequence[str], prices: Mapping[str, int]) -> list[Sheet]:
    cells = [[points, len(view.train)] for points in view.scores]
    return [
        Sheet("Players", "Player", [Column("Points", "count"), Column("Wagons left", "count")], seat_rows(names), cells)
    ]


FACE = Face(
    about="Take wagons from a train; two minutes.",
    difficulty=1,
    tell=tell,
    prompt=prompt,
    instruction=instruction,
    sheets=sheets,
    unit="points",
    landmarks=frozenset({GameEnded}),
    finale=frozenset({GameEnded}),
)
