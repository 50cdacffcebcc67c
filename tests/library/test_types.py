"""Tests of the types of the library. mypy checks this file, and reports each unnecessary `type: ignore`."""

from typing import Any, assert_type

from rails_cli.games.last_spike.state import State
from rails_cli.library import Batch, Choice, Engine, Outcome, Position, Space, Step
from rails_cli.protocol import american_rails, chicago_express, last_spike


def test_the_name_of_a_game_decides_the_types() -> None:
    position = Engine("chicago_express").new(3)
    assert_type(position.view(0), chicago_express.View)
    assert_type(position.view(0).players[0].cash, int)
    assert_type(position.choices(), list[Choice[chicago_express.Action]])
    after, events = position.step(position.moves()[0])
    assert_type(events, list[chicago_express.Event])
    assert_type(after.play(*after.moves()[:1]).guess(0).reseed(1).view(None), chicago_express.View)
    assert_type(Engine("ar").new(3).view(1).year, int)
    batch = Engine("ar").batch(1, 3)
    assert_type(batch.position(0).view(1).year, int)
    assert_type(batch.space, Space)
    assert isinstance(batch, Batch)
    assert_type(Engine("american_rails").action(0), american_rails.Action)
    spike = Engine("spike").new(2)
    assert_type(spike.state, State)
    assert_type(spike.state.hands, list[list[int]])
    assert_type(spike.chance(), list[Outcome[last_spike.View, last_spike.Action, last_spike.Event, State]])
    assert_type(spike.step(spike.moves()[0]), Step[last_spike.View, last_spike.Action, last_spike.Event, State])


def test_a_misspelt_name_is_an_error() -> None:
    position = Engine("ce").new(3)
    assert not hasattr(position.view(0), "hand")
    for wrong in (
        lambda: position.view(0).hand,  # type: ignore[attr-defined]
        lambda: position.state.hands,  # type: ignore[attr-defined]
        lambda: position.play("bid"),  # type: ignore[arg-type]
    ):
        assert callable(wrong)


def test_functions_may_take_positions_of_any_game() -> None:
    def seat_of(position: Position) -> int | None:
        return position.seat

    def houses(position: Position[chicago_express.View]) -> int:
        return position.view(None).houses_left

    assert seat_of(Engine("ce").new(3)) == 0
    assert houses(Engine("ce").new(3)) == 20
    for name in ("ce", "ls"):
        other = Engine(name).new(2)
        assert_type(other, Position[Any, Any, Any, Any])
        assert seat_of(other) is not None
