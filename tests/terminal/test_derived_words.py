"""Tests of the commands that people type in a game without commands of its own.

These commands are derived from the types and fields of the actions.
"""

from typing import Any, Literal

import msgspec
import pytest

from rails_cli.games.decision import Decision, LocalLookahead, decision_at
from rails_cli.games.faces.choices import command_of, why
from rails_cli.games.faces.derived import completed
from rails_cli.games.faces.interface import Face
from rails_cli.games.faces.sheets import Column, Sheet, seat_rows
from rails_cli.games.game import Game
from rails_cli.games.plain import NoOptions, PlainBoard, PlainState, view_type_of
from rails_cli.terminal.reading import Unclear, read

BOARD = PlainBoard(game="market")


class Take(msgspec.Struct, tag="take", tag_field="type", frozen=True):
    good: Literal["tea", "silk", "amber"]
    points: int = 0


class Draw(msgspec.Struct, tag="draw", tag_field="type", frozen=True):
    pass


class Question(msgspec.Struct, frozen=True):
    seat: int
    asks: Literal["trade"] = "trade"


class State(PlainState):
    pending: Question | None
    scores: list[int]
    options: NoOptions


def setup(board: PlainBoard, players: int, options: NoOptions, seed: Any, events: Any) -> State:
    return State(Question(0), [0] * players, options)


def apply(state: State, board: PlainBoard, action: Take | Draw, events: Any = None) -> None:
    state.pending = None


GAME: Game[State, PlainBoard] = Game(
    name="market",
    title="Market",
    players=(2,),
    action_type=Take | Draw,
    event_type=Draw,
    view_type=view_type_of(State),
    state_type=State,
    setup=setup,
    legal_actions=lambda state, board: [] if state.pending is None else [Take("tea", 5), Take("silk", 3), Draw()],
    apply=apply,
    scores=lambda state: list(state.scores),
)
FACE = Face(
    tell=lambda board, event, names: "",
    sheets=lambda board, view, names, prices: [
        Sheet("Players", "Player", [Column("Points", "count")], seat_rows(names), [[score] for score in view.scores])
    ],
)


@pytest.fixture
def decision() -> Decision:
    face = completed(FACE, GAME, lambda wire: BOARD, lambda view, legal, board: legal[-1])
    lookahead = LocalLookahead(GAME, BOARD, setup(BOARD, 2, NoOptions(), 0, None), 0)
    return decision_at(lookahead, GAME, face, GAME.wire_board(BOARD), BOARD, ["Anna", "Ben"])


def test_every_command_in_the_legal_list_is_understood(decision: Decision) -> None:
    """Every command in the list of legal actions is understood when it is typed.

    Such a command has the type of the action and the values of its fields. It omits fields such as `points` that only
    give information.
    """
    commands = [command_of(entry) for entry in decision.legal]
    assert commands == ["take tea", "take silk", "draw"]
    assert [command_of(action) for command in commands for action in read(command, decision, ())] == commands


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("take", "Take what? Possible: take tea, take silk, draw."),
        ("take amber", "`take amber` is not possible here. Possible: take tea, take silk, draw."),
        ("take slik", "I don't recognise 'slik'. Did you mean silk?"),
    ],
)
def test_commands_that_are_not_legal_are_refused_with_the_legal_ones(
    decision: Decision, line: str, message: str
) -> None:
    with pytest.raises(Unclear) as refused:
        read(line, decision, ())
    assert str(refused.value) == message


def test_why_names_the_legal_commands(decision: Decision) -> None:
    assert why(decision, ["silk"]) == "That is allowed: take silk."
    assert why(decision, ["amber"]) == "'amber' is not possible now. Possible: take tea, take silk, draw."
