"""Tests of numeric spaces: actions, masks and observations of random games, for every number of players."""

from collections.abc import Iterator

import numpy as np
import pytest

from rails_cli.games import GAME_NAMES, load_game
from rails_cli.games.shared.luck import stream
from rails_cli.library import Engine, Position
from rails_cli.library.spaces import Space

SIZES = [(name, players) for name in GAME_NAMES for players in load_game(name).players]
MAX_BID = 12
"""Low enough that random games have bids above it, and minimum bids above it."""

every_size = pytest.mark.parametrize(("name", "players"), SIZES)


def random_positions(space: Space, seed: int = 0, **options: str) -> Iterator[Position]:
    """Yield all positions of a game in which every seat plays random actions of the space, up to the end."""
    position = space.engine.new(space.players, seed, options)
    chance = stream(seed)
    yield position
    while position.seat is not None:
        actions = np.flatnonzero(space.mask(position))
        position = position.after(space.move(position, int(actions[int(chance() * len(actions))])))
        yield position


@every_size
def test_legal_moves_and_actions_correspond_one_to_one(name: str, players: int) -> None:
    space = Engine(name).space(players, MAX_BID)
    missing = 0
    for position in random_positions(space):
        actions = np.flatnonzero(space.mask(position)).tolist()
        moves = position.moves()
        above = [move for move in moves if move >= space.size]
        assert [space.index(position, space.move(position, action)) for action in actions] == actions
        assert sorted(moves) == sorted([space.move(position, action) for action in actions] + above)
        assert bool(actions) == (position.seat is not None)
        assert space.is_exact(position) == (not above)
        missing += len(above)
    assert bool(missing) == space.has_bids


@every_size
def test_observations_consist_of_the_fields_and_are_those_of_a_batch(name: str, players: int) -> None:
    engine = Engine(name)
    batch = engine.batch(2, players, seed=5)
    space = batch.space
    ends = [field.offset + field.length for field in space.fields]
    assert [0, *ends] == [*(field.offset for field in space.fields), space.observation_size]
    assert len({field.name for field in space.fields}) == len(space.fields)
    for _ in range(40):
        for number in range(batch.n):
            position, seat = batch.position(number), int(batch.seats[number])
            assert position.seat == seat
            assert np.array_equal(space.observe(position, seat), batch.observations[number])
            assert np.array_equal(space.mask(position), batch.masks[number])
        batch.step(batch.masks.argmax(axis=1))
