"""The Last Spike. RULES.md contains the rules."""

from typing import Any

from rails_cli.games.game import Game
from rails_cli.games.last_spike import rules
from rails_cli.games.last_spike.board import PLAYERS, Board, board_file, board_notes, read_board, wire_board
from rails_cli.games.last_spike.draws import DRAWS, outcomes, reseed
from rails_cli.games.last_spike.imagine import imagine
from rails_cli.games.last_spike.moves import MOVES
from rails_cli.games.last_spike.saved import dump, load
from rails_cli.games.last_spike.state import State
from rails_cli.games.last_spike.view import redact, view
from rails_cli.protocol.last_spike import Action, Dealt, Drew, Entry, Event, Mixed, Options, View, WentBankrupt


def figures(state: State, board: Board) -> dict[str, Any]:
    """Return two statistics of a position: `cash` in dollars by seat, and `properties`, a number by seat."""
    return {"cash": rules.scores(state), "properties": [held.bit_count() for held in state.held]}


GAME: Game[State, Board] = Game(
    name="last_spike",
    title="The Last Spike",
    aliases=("ls", "spike"),
    rules_version=rules.RULES_VERSION,
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
    ranks=rules.ranks,
    figures=figures,
    end_reasons=rules.end_reasons,
    dump=dump,
    load=load,
    moves=MOVES,
    imagine=imagine,
    outcomes=outcomes,
    reseed=reseed,
    draws=DRAWS,
    unforeseeable=frozenset({Dealt, Drew, Mixed, WentBankrupt}),
    board_file=board_file,
)
