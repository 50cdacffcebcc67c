"""Tests of the games as Gymnasium environments."""

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import rails_cli.adapters.gymnasium  # registers the games
from rails_cli.library import BadArgument, Unavailable

IDS = ["rails_cli/AmericanRails-v0", "rails_cli/ChicagoExpress-v0", "rails_cli/LastSpike-v0"]


@pytest.mark.parametrize("name", IDS)
def test_the_checker_of_gymnasium(name: str) -> None:
    check_env(gymnasium.make(name, render_mode="ansi").unwrapped)


@pytest.mark.parametrize("seat", [0, 2, None])
def test_a_whole_game_against_built_in_players(seat: int | None) -> None:
    environment = gymnasium.make("rails_cli/LastSpike-v0", players=4, seat=seat, opponents="greedy")
    game = environment.unwrapped
    observation, further = environment.reset(seed=3)
    is_over, reward = False, 0.0
    while not is_over:
        assert game.position.seat == game.seat == (game.seat if seat is None else seat)
        assert np.array_equal(observation, game.space.observe(game.position, game.seat))
        assert np.array_equal(further["action_mask"], game.action_masks())
        observation, reward, is_over, is_cut, further = environment.step(
            environment.action_space.sample(further["action_mask"])
        )
        assert further["is_legal"]
        assert not is_cut
    ranks = game.position.ranks()
    assert reward == (1 / ranks.count(1) if ranks[game.seat] == 1 else 0)
    assert not further["action_mask"].any()
    with pytest.raises(Unavailable, match="the game is over"):
        environment.step(0)


def test_an_illegal_action_is_replaced_by_the_most_passive_one() -> None:
    environment = gymnasium.make("rails_cli/ChicagoExpress-v0", players=3, seat=0)
    game = environment.unwrapped
    environment.reset(seed=1)
    before = game.position
    further = environment.step(1)[4]
    assert not further["is_legal"]
    after = game.position
    environment.reset(seed=1)
    assert environment.step(before.moves()[-1])[4]["is_legal"]
    assert game.position == after


def test_bad_arguments_are_reported() -> None:
    with pytest.raises(BadArgument, match="no seat 3; expected 0 to 2"):
        rails_cli.adapters.gymnasium.SeatEnv("ce", 3, seat=3)
    with pytest.raises(BadArgument, match="nobody"):
        rails_cli.adapters.gymnasium.SeatEnv("ce", 3, opponents="nobody")
    with pytest.raises(BadArgument, match="seat: expected a whole number, got 'x'"):
        rails_cli.adapters.gymnasium.SeatEnv("ce", 3, seat="x")  # type: ignore[arg-type]
    with pytest.raises(BadArgument, match="render_mode: expected ansi or None, got 'rgb'"):
        rails_cli.adapters.gymnasium.SeatEnv("ce", 3, render_mode="rgb")
    with pytest.raises(BadArgument, match="render_mode: expected ansi or None, got array"):
        rails_cli.adapters.gymnasium.SeatEnv("ce", 3, render_mode=np.zeros(2))  # type: ignore[arg-type]
    with pytest.raises(BadArgument, match="action: expected a whole number, got None"):
        rails_cli.adapters.gymnasium.SeatEnv("ce", 3).step(None)
