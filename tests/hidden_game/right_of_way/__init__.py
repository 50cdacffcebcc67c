"""Right of Way, a game of secret simultaneous choices. It has no map, bids or passes."""

from rails_cli.games.game import Game
from rails_cli.games.plain import PlainBoard
from right_of_way import rules
from right_of_way.protocol import Action, Chosen, Event, Options, Revealed, State, View

GAME: Game[State, PlainBoard] = Game(
    name="right_of_way",
    title="Right of Way",
    players=(2, 3, 4, 5),
    has_secrets=True,
    options_type=Options,
    action_type=Action,
    event_type=Event,
    view_type=View,
    state_type=State,
    setup=rules.setup,
    setup_from_events=rules.setup_from_events,
    legal_actions=rules.legal_actions,
    apply=rules.apply,
    view=rules.view,
    redact=rules.redact,
    imagine=rules.imagine,
    scores=lambda state: list(state.points),
    unforeseeable=frozenset({Chosen, Revealed}),
)
