"""Freight Yard, a game for rails-cli."""

from freight_yard import rules
from freight_yard.protocol import Action, Event, Options, State, View
from rails_cli.games.game import Game
from rails_cli.games.plain import PlainBoard

GAME: Game[State, PlainBoard] = Game(
    name="freight_yard",
    title="Freight Yard",
    players=(2, 3, 4),
    options_type=Options,
    action_type=Action,
    event_type=Event,
    view_type=View,
    state_type=State,
    setup=rules.setup,
    legal_actions=rules.legal_actions,
    apply=rules.apply,
    scores=lambda state: list(state.scores),
)
