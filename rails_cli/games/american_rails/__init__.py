"""American Rails, by Tim Harrison. RULES.md contains the rules."""

from rails_cli.games.american_rails import end, rules
from rails_cli.games.american_rails.board import PLAYERS, Board, board_file, board_notes, read_board, wire_board
from rails_cli.games.american_rails.imagine import imagine
from rails_cli.games.american_rails.moves import apply, legal_actions
from rails_cli.games.american_rails.saved import dump, load
from rails_cli.games.american_rails.state import State
from rails_cli.games.american_rails.view import figures, view
from rails_cli.games.game import Game
from rails_cli.games.moves import Moves
from rails_cli.protocol.american_rails import Action, Entry, Event, Options, View

GAME: Game[State, Board] = Game(
    name="american_rails",
    title="American Rails",
    aliases=("ar", "rails"),
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
    legal_actions=legal_actions,
    apply=apply,
    view=view,
    scores=end.scores,
    figures=figures,
    end_reasons=end.end_reasons,
    dump=dump,
    load=load,
    moves=Moves(lambda board: board.actions, rules.legal_moves, rules.apply_move),
    imagine=imagine,
    is_luckless=lambda board, players, options: not board.rules_for[players].companies_removed,
    board_file=board_file,
)
