"""Tests of the games as OpenSpiel games. In The Last Spike, the pieces drawn at random are outcomes of chance nodes."""

import pickle
from typing import Any

import numpy as np
import pytest

from rails_cli.games.draws import Drawn
from rails_cli.library import BadArgument, Engine, IllegalAction
from rails_cli.protocol.last_spike import Dealt, Drew

pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel has no wheels for this platform")
import rails_cli.adapters.openspiel  # noqa: E402, F401  # registers the games

ENGINE = Engine("last_spike")


@pytest.mark.parametrize(
    "game",
    [
        "rails_cli_chicago_express(players=2,chicago_phase=at_once)",
        "rails_cli_american_rails(players=3,seed=4,max_bid=40)",
        "rails_cli_last_spike(cash=hidden)",
    ],
)
def test_the_suite_of_openspiel(game: str) -> None:
    pyspiel.random_sim_test(pyspiel.load_game(game), num_sims=1, serialize=True, verbose=False)


def dealt(players: int, deal: list[str]) -> Any:
    """Return the state after the deal of a game of The Last Spike.

    `deal` names the random outcomes in order: the player who begins, the pieces of each hand, the piece set aside.
    """
    state = pyspiel.load_game(f"rails_cli_last_spike(players={players},cash=hidden)").new_initial_state()
    for name in deal:
        draw(state, name)
    assert not state.is_chance_node()
    return state


def draw(state: Any, name: str) -> None:
    """Apply the chance outcome called `name` to `state`."""
    named = {state.action_to_string(outcome): outcome for outcome, _ in state.chance_outcomes()}
    state.apply_action(named[name])


@pytest.mark.parametrize("players", ENGINE.game.players)
def test_chance_nodes_lead_to_the_positions_of_the_rules(players: int) -> None:
    events: list[Any] = []
    options = ENGINE.new(players, options={"cash": "hidden"}).state.options
    truth = ENGINE.position_of(ENGINE.game.setup(ENGINE.board, players, options, 8, events))
    deal = next(event for event in events if isinstance(event, Dealt))
    pieces = [str(piece) for hand in deal.hands for piece in hand or ()]
    aside = [] if deal.set_aside is None else [deal.set_aside]
    state = dealt(players, [f"seat {deal.first + 1} begins", *pieces, *aside])
    number = 0
    while truth.seat is not None:
        assert state.current_player() == truth.seat
        assert state.legal_actions() == sorted(truth.moves())
        assert [state.node.position.view(seat) for seat in range(players)] == list(map(truth.view, range(players)))
        move = truth.moves()[number % len(truth.moves())]
        truth, events = truth.step(move)
        state.apply_action(move)
        for event in events:
            if isinstance(event, Drew):
                assert sum(chance for _, chance in state.chance_outcomes()) == pytest.approx(1)
                draw(state, str(event.piece))
        number += 1
    assert state.is_terminal()
    assert [share > 0 for share in state.returns()] == [rank == 1 for rank in truth.ranks()]


def test_a_player_sees_nothing_hidden() -> None:
    """A player cannot tell two games apart that differ only in hidden pieces.

    In the second game, seats 2 and 3 have other hands than in the first, and seat 3 later draws another piece. Seat 1
    observes no difference between the games.
    """
    board, ids = ENGINE.board, ENGINE.board.piece_ids
    played = next(piece for piece in range(12, 40) if board.is_end[piece])
    mine, some, others = ids[:4], ids[4:7], ids[7:10]
    deals = ([*some, ids[10], *others], [*others, ids[10], *some])
    games = [dealt(3, ["seat 3 begins", *mine, *hands, ids[played]]) for hands in deals]
    assert_seat_1_sees_no_difference(*games)
    for state, drawn in zip(games, (ids[11], ids[47]), strict=True):
        state.apply_action(played)
        if not state.is_chance_node():
            state.apply_action(board.to_pass)
        draw(state, drawn)
        assert state.current_player() == 0
    assert_seat_1_sees_no_difference(*games)
    assert np.array_equal(games[0].observation_tensor(0), ENGINE.space(3).observe(games[0].node.position, 0))


def assert_seat_1_sees_no_difference(one: Any, two: Any) -> None:
    for name in ("information_state_string", "information_state_tensor", "observation_string", "observation_tensor"):
        assert getattr(one, name)(0) == getattr(two, name)(0)
        for seat in (1, 2):
            assert getattr(one, name)(seat) != getattr(two, name)(seat)


def test_a_restored_state_continues_in_the_same_way() -> None:
    state = dealt(3, ["seat 1 begins", *ENGINE.board.piece_ids[:12]])
    assert str(pickle.loads(pickle.dumps(state.get_game()))) == str(state.get_game())
    state.apply_action(state.legal_actions()[0])
    _, restored = pyspiel.deserialize_game_and_state(pyspiel.serialize_game_and_state(state.get_game(), state))
    for twin in (restored, state.clone()):
        assert twin.node == state.node
        twin.apply_action(twin.legal_actions()[0])
        assert twin.node != state.node


def test_each_draw_of_a_move_is_a_chance_node() -> None:
    """If a move leads to several draws of pieces, each draw is a chance node of its own.

    After a move the player draws a piece (LS-16). The next player also draws one if its hand is empty (LS-17).
    """
    draws = ENGINE.game.draws
    assert draws is not None
    state = ENGINE.new(2, seed=3).state.copy()
    assert state.pending is not None
    seat = state.pending.seat
    state.mix += state.hands[1 - seat]
    state.hands[1 - seat] = []
    board, move = ENGINE.board, state.hands[seat][-1]
    after = draws.play(state, board, move, [])
    if isinstance(after, Drawn):  # the seat may also buy
        state, move = after.state, board.to_pass
    undrawn = sorted(state.mix)
    assert draws.play(state, board, move, []) == undrawn
    assert draws.play(state, board, move, undrawn[3:4]) == [*undrawn[:3], *undrawn[4:]]
    end = draws.play(state, board, move, [undrawn[3], undrawn[0]])
    assert isinstance(end, Drawn)
    assert undrawn[3] in end.state.hands[seat]
    assert end.state.hands[1 - seat] == [undrawn[0]]


def test_a_bad_parameter_is_reported() -> None:
    with pytest.raises(BadArgument, match="for 2 to 6 players, not 9"):
        pyspiel.load_game("rails_cli_last_spike(players=9)")


@pytest.mark.parametrize("game", ["rails_cli_last_spike", "rails_cli_chicago_express(max_bid=10)"])
def test_an_illegal_action_is_refused(game: str) -> None:
    """An illegal action in the first state of a game raises an error and changes nothing.

    The first state is a chance node in The Last Spike, and an auction in Chicago Express. One of the illegal actions is
    a bid above the option `max_bid`.
    """
    state = pyspiel.load_game(game).new_initial_state()
    bid = max(Engine("ce").new(3).moves())
    for action in (-5, 1, bid, 10**6):
        with pytest.raises(IllegalAction, match=f"action {action} is not legal now"):
            state.apply_action(action)
    assert state.history() == []
