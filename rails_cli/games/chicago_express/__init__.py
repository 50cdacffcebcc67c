"""Chicago Express. RULES.md contains the rules."""

from rails_cli.games.chicago_express import moves, rules
from rails_cli.games.chicago_express.board import PLAYERS, Board, board_file, board_notes, read_board, wire_board
from rails_cli.games.chicago_express.imagine import imagine
from rails_cli.games.chicago_express.saved import dump, load
from rails_cli.games.chicago_express.state import State
from rails_cli.games.chicago_express.view import figures, view
from rails_cli.games.game import Game
from rails_cli.games.moves import Moves
from rails_cli.protocol.chicago_express import Action, Entry, Event, Options, View

GAME: Game[State, Board] = Game(
    name="chicago_express",
    title="Chicago Express",
    aliases=("ce", "wabash cannonball"),
    rules_version=rules.RULES_VERSION,
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
    setup=rules.setup,
    setup_from_events=rules.setup_from_events,
    legal_actions=moves.legal_actions,
    apply=moves.apply,
    view=view,
    scores=rules.scores,
    figures=figures,
    end_reasons=rules.end_reasons,
    dump=dump,
    load=load,
    moves=Moves(lambda board: board.actions, rules.legal_moves, rules.apply_move),
    imagine=imagine,
    is_luckless=lambda board, players, options: True,
    board_file=board_file,
)
