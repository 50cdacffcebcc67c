"""The types of Right of Way: options, actions, events, views and the state.

Each player has signals, which are cards with the numbers 1 to 6. Players use them to win trains. Each train is worth
points.
"""

from typing import Literal

import msgspec

from rails_cli.games.plain import PlainState

Signal = Literal[1, 2, 3, 4, 5, 6]


class Options(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Choices made before the game."""

    trains: Literal["mixed", "rising"] = "mixed"
    """Order of the trains: random, or by points from 1 to 6."""


class Show(msgspec.Struct, tag="show", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Choose a signal for the first train. Other players see the signal when all have chosen."""

    signal: Signal


Action = Show
Entry = Show


class TrainsLined(msgspec.Struct, tag="trains_lined", tag_field="type", frozen=True):
    """The order of the trains was decided."""

    trains: list[int]
    """Points that each train is worth, in the order in which the trains leave."""


class Chosen(msgspec.Struct, tag="chosen", tag_field="type", frozen=True):
    """A player chose a signal."""

    seat: int
    signal: int | None
    """The signal. Null if you may not see it yet."""


class Revealed(msgspec.Struct, tag="revealed", tag_field="type", frozen=True):
    """The signals that the players chose were shown, and the first train left."""

    signals: list[int]
    """The signal of each seat, by seat."""
    points: int
    """Points of the train."""
    winner: int | None
    """Seat that won the train. Null if no seat won."""


class GameEnded(msgspec.Struct, tag="game_ended", tag_field="type", frozen=True):
    """The last train has left."""


Event = TrainsLined | Chosen | Revealed | GameEnded


class Question(msgspec.Struct, frozen=True):
    """The open question: a seat chooses a signal."""

    seat: int
    asks: Literal["show_signal"] = "show_signal"


class Player(msgspec.Struct, frozen=True):
    """The points and signals of a player, as far as the seat of the view may see them."""

    seat: int
    points: int
    signals: list[int]
    """Signals that the player has not shown yet. A chosen signal is one of them until all players have chosen."""
    has_chosen: bool
    chosen: int | None
    """The chosen signal. Null if there is none, or if you may not see it."""


class View(msgspec.Struct, frozen=True):
    """The position as one seat may see it."""

    seat: int | None
    question: Question | None
    players: list[Player]
    trains: list[int]
    """Points that each waiting train is worth, in the order in which the trains leave."""
    options: Options


class State(PlainState):
    """A position. A chosen signal is in `chosen`, and also stays in `signals` until all players have chosen."""

    pending: Question | None
    trains: list[int]
    signals: list[list[int]]
    """Signals not shown yet, by seat."""
    chosen: list[int | None]
    """The chosen signal by seat, or None for a seat that has not chosen."""
    points: list[int]
    options: Options
