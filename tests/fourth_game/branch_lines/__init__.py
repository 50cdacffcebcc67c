"""Branch Lines, a small game in a package of its own. It tests how other packages add games."""

from typing import Any

from branch_lines import rules
from branch_lines.board import PLAYERS, Board, board_notes, read_board, wire_board
from branch_lines.imagine import imagine
from branch_lines.protocol import Action, Build, CharterPaid, Dealt, Entry, Event, Options, ShareDrawn, View
from branch_lines.state import State
from branch_lines.view import redact, view
from rails_cli.games.game import Game
from rails_cli.protocol.common import Pass


def actions(board: Board) -> list[Action]:
    """Return all actions that a game on `board` can have, except bids."""
    return [*map(Build, board.line_ids), Pass()]


def figures(state: State, board: Board) -> dict[str, Any]:
    """Return two figures of a position: "cash" as a list by seat, and "income" by the id of the railway line."""
    lines = {id: rules.income(state, board, line) for line, id in enumerate(board.line_ids)}
    return {"cash": rules.scores(state), "income": lines}


GAME: Game[State, Board] = Game(
    name="branch_lines",
    title="Branch Lines",
    rules_version=1,
    players=PLAYERS,
    has_secrets=True,
    options_type=Options,
    action_type=Action,
    entry_type=Entry,
    event_type=Event,
    view_type=View,
    read_board=read_board,
    board_notes=board_notes,
    wire_board=wire_board,
    setup=rules.setup,
    setup_from_events=rules.setup_from_events,
    preload_chance=rules.preload_chance,
    legal_actions=rules.legal_actions,
    apply=rules.apply,
    view=view,
    redact=redact,
    scores=rules.scores,
    figures=figures,
    end_reasons=rules.end_reasons,
    state_type=State,
    actions=actions,
    imagine=imagine,
    unforeseeable=frozenset({Dealt, ShareDrawn, CharterPaid}),
)
