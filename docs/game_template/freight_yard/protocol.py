"""The types of Freight Yard: options, actions, events, the state and the view."""

from typing import Literal

import msgspec

from rails_cli.games.plain import PlainState, view_type_of
from rails_cli.protocol.common import StartingPosition


class Options(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Choices made before the game."""

    penalty: Literal["two", "one"] = "two"
    """Points that a player loses for each wagon after the first."""


class Take(msgspec.Struct, tag="take", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Take wagons from the end of the train."""

    count: Literal[1, 2, 3]
    """Number of wagons."""


Action = Take
Entry = Take


class Taken(msgspec.Struct, tag="taken", tag_field="type", frozen=True):
    """A player took wagons."""

    seat: int
    wagons: list[int]
    """The numbers painted on the wagons."""
    points: int
    """Points that the player scored, less the penalty."""


class GameEnded(msgspec.Struct, tag="game_ended", tag_field="type", frozen=True):
    """The train is empty."""


Event = StartingPosition | Taken | GameEnded


class Question(msgspec.Struct, frozen=True):
    """The open question: which seat must answer, and a keyword for what is asked."""

    seat: int
    asks: Literal["take_wagons"] = "take_wagons"


class State(PlainState):
    """A position. Nothing is hidden, so that the views of all seats are derived from it."""

    pending: Question | None
    train: list[int]
    """The numbers painted on the wagons. The last one is the end of the train."""
    scores: list[int]
    """Points, by seat."""
    options: Options


View = view_type_of(State)
