"""Tests of numeric spaces, which represent actions, legal actions (masks) and views (observations) as numbers."""

import copy
import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from rails_cli.games import game_names, load_game
from rails_cli.games.shared.luck import stream
from rails_cli.library import BadArgument, Engine, IllegalAction, Position
from rails_cli.library.batch import Batch
from rails_cli.library.spaces import Space
from tests.support.observations import PAGE, filled, hash_of_arrays
from tests.support.tools import ROOT
from tests.support.transcripts import EXAMPLE
from tests.support.waiting import HANG_S

SIZES = [(name, players) for name in game_names() for players in load_game(name).players]
MAX_BID = 12
"""Highest bid in dollars that an action of the tested spaces can make.

It is so low that legal bids above it occur in random games. For these bids there is no action.
"""

every_size = pytest.mark.parametrize(("name", "players"), SIZES)


def random_positions(space: Space, seed: int = 0, **options: str) -> Iterator[Position]:
    """Yield all positions of a game in which every seat plays random actions of `space`, up to the end."""
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


@pytest.mark.parametrize(
    ("name", "options"), [(name, {}) for name in game_names()] + [("last_spike", {"cash": "hidden"})]
)
def test_observations_do_not_depend_on_hidden_information(name: str, options: dict[str, str]) -> None:
    """The observation of a seat stays the same if everything that this seat cannot see is replaced by random values."""
    engine = Engine(name)
    space = engine.space(3)
    differing = 0
    for number, position in enumerate(random_positions(space, 2, **options)):
        if number % 4 and not engine.game.has_secrets:
            continue
        seat = number // 4 % 3
        view = position.view(seat)
        observed = space.observe(position, seat).tobytes()
        for seed in ("a", "b"):
            imagined = Position(engine, engine.game.imagine(view, engine.board, seed))
            assert space.observe(imagined, seat).tobytes() == observed
            differing += engine.game.dump(imagined.state) != engine.game.dump(position.state)
    assert bool(differing) == engine.game.has_secrets


@pytest.mark.parametrize("name", game_names())
def test_a_batch_rewards_winners_and_begins_new_games(name: str) -> None:
    players = load_game(name).players[0]
    batch = Engine(name).batch(3, players, seed="s")
    first_observations = batch.observations.copy()
    game = batch.engine.game
    is_luckless = game.is_luckless(batch.engine.board, players, game.options_type())
    chance = np.random.default_rng(1)
    ended = 0
    while ended < 2:
        actions = np.where(batch.masks, chance.random(batch.masks.shape), -1).argmax(axis=1)
        afters = [batch.position(number).after(int(actions[number])) for number in range(batch.n)]
        batch.step(actions)
        for number, after in enumerate(afters):
            assert batch.done[number] == (after.seat is None)
            if after.seat is not None:
                assert not batch.rewards[number].any()
                assert not batch.scores[number].any()
                continue
            ended += 1
            ranks = after.ranks()
            assert batch.rewards[number].tolist() == pytest.approx([(rank == 1) / ranks.count(1) for rank in ranks])
            assert batch.scores[number].tolist() == after.scores()
            assert batch.position(number).scores() == Engine(name).new(players).scores()
            is_same = np.array_equal(batch.observations[number], first_observations[number])
            assert is_same == is_luckless
    batch.reset()
    assert np.array_equal(batch.observations, first_observations)
    assert not batch.done.any()


@pytest.mark.parametrize("name", game_names())
def test_a_position_of_a_batch_does_not_change_when_the_game_continues(name: str) -> None:
    batch = Engine(name).batch(1, load_game(name).players[0])
    position = batch.position(0)
    after = position.play(position.moves()[0])
    batch.step(position.moves()[:1])
    assert batch.position(0) == after
    assert position != after


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda batch: pickle.loads(pickle.dumps(batch))])
@pytest.mark.parametrize("name", game_names())
def test_a_copied_batch_plays_on_its_own(name: str, copied: Callable[[Batch], Batch]) -> None:
    """A copy has the arrays and games of the original. A step in one of the two does not change the other."""
    batch = Engine(name).batch(3, load_game(name).players[0], seed=2)
    other = copied(batch)
    before = batch.observations.copy(), batch.masks.copy()
    for _ in range(80):
        other.step(other.masks.argmax(axis=1))
    assert all(map(np.array_equal, before, (batch.observations, batch.masks)))
    for _ in range(80):
        batch.step(batch.masks.argmax(axis=1))
    assert np.array_equal(batch.observations, other.observations)
    assert np.array_equal(batch.masks, other.masks)
    assert not other.masks.flags.writeable
    assert repr(batch) == repr(other) == f"<Batch of {name}: games=3, players={batch.players}>"


def test_arrays_depend_neither_on_the_size_of_the_batch_nor_on_the_hash_seed() -> None:
    program = "from tests.support.observations import hash_of_arrays; print(hash_of_arrays(3))"
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": "1"},
        capture_output=True,
        text=True,
        check=True,
        timeout=HANG_S,
    )
    assert done.stdout.strip() == hash_of_arrays(2)


def test_invalid_actions_are_refused_before_any_game_changes() -> None:
    batch = Engine("chicago_express").batch(2, 3, max_bid=20)
    before = batch.observations.copy(), batch.masks.copy(), batch.seats.copy()
    opening = batch.space.index(batch.position(0), int(np.flatnonzero(batch.masks[0])[1]))
    for actions, message in (
        ([opening, 1], r"^game 1: action 1 \(choose auction\) is not legal; expected 0 \(pass\), \d+ \(bid \d+\)"),
        ([-1, 0], "^game 0: action -1 "),
        ([opening, batch.space.size], f"^game 1: action {batch.space.size} "),
    ):
        with pytest.raises(IllegalAction, match=message):
            batch.step(actions)
    others: list[Any] = [[0], [[0, 0]], [0.0, 1.0], [True, False], None]
    for wrong in others:
        with pytest.raises(ValueError, match="expected 2 whole numbers"):
            batch.step(wrong)
    for array in (batch.observations, batch.masks):
        with pytest.raises(ValueError, match="read-only"):
            array[0, 0] = 1
    assert all(map(np.array_equal, before, (batch.observations, batch.masks, batch.seats)))


def test_invalid_arguments_are_refused() -> None:
    engine, other = Engine("chicago_express"), Engine("last_spike")
    space = engine.space(3, max_bid=5)
    position, batch = engine.new(3), engine.batch(2, 3)
    for refused, message in (
        (lambda: engine.space(7), "2 to 6 players, not 7"),
        (lambda: engine.space(3, max_bid=-1), "expected 0 to 1,000,000"),
        (lambda: engine.batch(0, 3), "expected 1 to 1,000,000"),
        (lambda: engine.batch(1, 3, options={"weather": "fine"}), "weather"),
        (lambda: other.batch(1, 3, openings="drawn"), "has no openings"),
        (lambda: space.observe(position, 3), "there is no seat 3; seats go from 0 to 2"),
        (lambda: space.observe(engine.new(4), 0), "a position of 4 players"),
        (lambda: space.mask(other.new(3)), "another game or board"),
        (lambda: space.action_name(space.size), r"is a bid of \$6, and the maximum is \$5"),
        (lambda: space.index(position, max(position.moves())), r"is a bid of \$40, and the maximum is \$5"),
        (lambda: space.move(position, -1), f"-1 is no action; actions go from 0 to {space.size - 1}"),
        (lambda: engine.space(3, 3.5), "max_bid: expected a whole number, got 3.5"),  # type: ignore[arg-type]
        (
            lambda: engine.space(3, 10**5000),
            "max_bid: expected a whole number of at most 64 bits, got a very long number",
        ),
        (lambda: engine.batch("3", 3), "n: expected a whole number, got '3'"),  # type: ignore[arg-type]
        (lambda: batch.position(2), "there is no game 2; games go from 0 to 1"),
        (lambda: batch.position(-1), "there is no game -1"),
        (lambda: space.move(position, 1.5), "action: expected a whole number, got 1.5"),  # type: ignore[arg-type]
        (lambda: space.observe(position, 1.5), "seat: expected a whole number, got 1.5"),  # type: ignore[arg-type]
        (lambda: space.observe_all([position] * 2, [0]), "a seat for each of 2 positions, got 1 seats"),
        (lambda: space.observe_all(None, [0]), "positions: expected a list, got None"),  # type: ignore[arg-type]
        (lambda: space.observe_all([position], 0), "seats: expected a list, got 0"),  # type: ignore[arg-type]
        (lambda: batch.step([[0], [0, 1]]), "expected 2 whole numbers, got lists of different lengths"),
        (lambda: space.mask(None), "expected a position, got None"),  # type: ignore[arg-type]
    ):
        with pytest.raises(BadArgument, match=message):
            refused()
    assert space.observe_all([], []).shape == (0, space.observation_size)
    assert space.names[0] == "pass"
    assert space.names[-1] == "bid 5"
    assert other.space(3).size == len(other.space(3).names)
    same_board = Engine("chicago_express", load_game("chicago_express").wire_board(engine.board))
    assert space.mask(same_board.new(3)).any()


def test_a_negative_number_is_observed_as_zero() -> None:
    engine = Engine("american_rails")
    view = engine.new(3).view(0)
    companies = [replace(company, income=-5 * company.in_play) for company in view.companies]
    in_debt = engine.position(replace(view, companies=companies))
    assert np.array_equal(engine.space(3).observe(in_debt, 0), engine.space(3).observe(engine.position(view), 0))


def test_the_programs_of_the_manual_run() -> None:
    page = PAGE.read_text(encoding="utf-8")
    for _, program in EXAMPLE.findall(page):
        exec(program, {})


def test_the_manual_lists_the_fields_of_observations() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert filled(page) == page
    assert [f"{name}/" in page for name in game_names()] == [True] * len(game_names())
