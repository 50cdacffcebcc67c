"""Tests of functions such as copy, dump and view that are derived for games whose state is plain data."""

from dataclasses import dataclass, replace
from typing import Any, Literal

import msgspec
import pytest

from rails_cli.games.game import BoardError, Game, ImpossibleEvents
from rails_cli.games.plain import NoOptions, PlainBoard, PlainState, copied, view_type_of
from rails_cli.games.shared.luck import below, seeded
from rails_cli.protocol.common import StartingPosition

BOARD = PlainBoard(game="count")


class Add(msgspec.Struct, tag="add", tag_field="type", frozen=True):
    number: Literal[1, 2]


class Added(msgspec.Struct, tag="added", tag_field="type", frozen=True):
    seat: int


class Question(msgspec.Struct, frozen=True):
    seat: int
    asks: str = "add"


class Pile(msgspec.Struct):
    height: int


class State(PlainState):
    pending: Question | None
    scores: list[int]
    piles: list[Pile]
    options: NoOptions


@dataclass
class DataState:
    pending: Question | None
    scores: list[int]
    piles: list[Pile]
    options: NoOptions

    def copy(self) -> "DataState":
        twin: DataState = copied(self)
        return twin


def game_of(kind: Any, event_type: Any = Added | StartingPosition, **more: Any) -> Game[Any, Any]:
    """Return a small game of two players. Each of them adds a number once to a total that starts at random.

    `kind` is the type of its states, and `event_type` the type of its events. `more` are further attributes of the
    game.
    """

    def setup(board: Any, players: int, options: Any, seed: Any, events: Any) -> Any:
        height, _ = below(seeded(seed), 1000)
        return kind(Question(0), [0] * players, [Pile(height)], options)

    def apply(state: Any, board: Any, action: Add, events: Any) -> None:
        state.piles[0].height += action.number
        state.scores[state.pending.seat] += action.number
        if events is not None:
            events.append(Added(state.pending.seat))
        state.pending = None if state.pending.seat else Question(1)

    return Game(
        name="count",
        title="Count",
        players=(2,),
        action_type=Add,
        event_type=event_type,
        view_type=view_type_of(kind),
        setup=setup,
        legal_actions=lambda state, board: [Add(2), Add(1)] if state.pending else [],
        apply=apply,
        scores=lambda state: list(state.scores),
        **{"state_type": kind, **more},
    )


@pytest.mark.parametrize("kind", [State, DataState])
def test_copies_dumps_views_and_set_ups_are_derived(kind: Any) -> None:
    game = game_of(kind)
    events: list[Any] = []
    state = game.setup(BOARD, 2, NoOptions(), 5, events)
    dumped = game.dump(state)
    twin = state.copy()
    game.apply(twin, BOARD, Add(2), None)
    view = game.view(state, BOARD, 1)
    game.apply(state, BOARD, Add(1), None)
    assert game.dump(game.load(dumped, BOARD)) == dumped == game.dump(game.imagine(view, BOARD, 0))
    assert (view.seat, view.question, view.scores) == (1, Question(0), [0, 0])
    assert game.dump(game.setup_from_events(BOARD, 2, NoOptions(), events)) == dumped
    assert game.ranks(twin, BOARD) == [1, 2]
    assert list(game.moves.actions(BOARD)) == [Add(1), Add(2)]
    assert game.end_reasons(state, BOARD) == []
    game.apply(state, BOARD, Add(1), None)
    assert game.end_reasons(state, BOARD) == ["finished"]


def test_impossible_events_and_views_are_refused() -> None:
    game = game_of(State)
    state = game.setup(BOARD, 2, NoOptions(), 5, None)
    for events in ([], [StartingPosition({"scores": "many"})]):
        with pytest.raises(ImpossibleEvents):
            game.setup_from_events(BOARD, 2, NoOptions(), events)
    fixed = game_of(State, Added)
    with pytest.raises(ImpossibleEvents, match="the only set-up"):
        fixed.setup_from_events(BOARD, 2, NoOptions(), [Added(0)])
    view = game.view(state, BOARD, 0)
    with pytest.raises(ValueError, match="there is no seat 7"):
        game.imagine(msgspec.structs.replace(view, question=Question(7)), BOARD, 0)
    with pytest.raises(ValueError, match="not a view of a position"):
        game.imagine(msgspec.structs.replace(view, scores=None), BOARD, 0)


def test_a_game_with_secrets_names_the_functions_that_it_lacks() -> None:
    with pytest.raises(TypeError, match="'count' lacks setup_from_events, view, imagine"):
        game_of(State, has_secrets=True)
    with pytest.raises(TypeError, match="lacks setup_from_events, view, dump, load, imagine"):
        game_of(State, state_type=None)


def test_boards_of_other_games_and_unknown_fields_are_refused() -> None:
    game = game_of(State)
    assert game.wire_board(game.read_board(b'{"game": "count"}')) == game.wire_board(BOARD)
    for wrong, message in (
        (b'{"game": "last_spike"}', "not of count"),
        (b'{"hexes": []}', "hexes"),
        (b"{", "truncated"),
    ):
        with pytest.raises(BoardError, match=message):
            game.read_board(wrong)
    assert replace(game, title="Other").title == "Other"
