"""Chicago Express."""

from protocol.chicago_express import Action, Entry, Event, Options, View
from rails_cli.games.chicago_express.board import PLAYERS, Board, board_notes, read_board, wire_board
from rails_cli.games.chicago_express.rules import (
    apply,
    end_reasons,
    legal_actions,
    preload_chance,
    ranks,
    scores,
    setup,
    setup_from_events,
)
from rails_cli.games.chicago_express.saved import dump, load
from rails_cli.games.chicago_express.state import State
from rails_cli.games.chicago_express.view import figures, redact, view, wire_view
from rails_cli.games.game import Game

GAME: Game[State, Board] = Game(
    name="chicago_express",
    title="Chicago Express",
    rules_version=2,
    players=PLAYERS,
    has_secrets=False,
    options_type=Options,
    action_type=Action,
    entry_type=Entry,
    event_type=Event,
    view_type=View,
    read_board=read_board,
    board_notes=board_notes,
    wire_board=wire_board,
    setup=setup,
    setup_from_events=setup_from_events,
    preload_chance=preload_chance,
    legal_actions=legal_actions,
    apply=apply,
    view=view,
    wire_view=wire_view,
    redact=redact,
    scores=scores,
    ranks=ranks,
    figures=figures,
    end_reasons=end_reasons,
    dump=dump,
    load=load,
)
