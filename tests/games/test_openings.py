"""Tests of random openings: they are legal, sensible, complete, different for each seed, and reproducible."""

from functools import cache
from hashlib import sha256
from itertools import pairwise
from typing import Any

import msgspec
import pytest

from rails_cli.games import load_game, load_openings
from rails_cli.games.game import check, digest
from rails_cli.games.openings import Openings, drawn_opening, lead_of
from rails_cli.protocol.common import Bid, Pass
from tests.support.positions import Setting, all_settings

LUCKLESS = [setting for setting in all_settings() if setting.game.is_luckless(setting.board, *setting[1:])]
PLAIN = [setting for setting in LUCKLESS if setting.options == setting.game.options_type()]
SEEDS = range(16)

DRAWN = {"chicago_express": (2, "f7d5a79f848e74f2"), "american_rails": (1, "5c576ff6be452f04")}
"""By game: the version of the code that makes random openings, and a digest of the openings of the first seeds.

If the openings change, the version must change as well.
"""
DRAWN_FOR = {"chicago_express": (2, 4, 5), "american_rails": (4, 5)}


def openings_of(setting: Setting) -> Openings[Any, Any]:
    openings = load_openings(setting.name)
    assert openings is not None
    return openings


@cache
def actions_of(setting: Setting, seed: int) -> list[Any]:
    drawn = drawn_opening(setting.game, setting.board, setting.players, setting.options, seed)
    assert drawn is not None
    return drawn.actions


def position_after(setting: Setting, seed: int, events: list[Any] | None = None) -> Any:
    """Play the random opening with the seed `seed`, checking that each action is legal. Return the position after it.

    Append the events of the opening to `events` if given.
    """
    game, board = setting.game, setting.board
    state = setting.start(seed)
    for action in actions_of(setting, seed):
        check(game, board, state, state.pending.seat, action)
        game.apply(state, board, action, events)
    return state


def test_only_games_without_luck_have_openings() -> None:
    luckless = {(setting.name, setting.players) for setting in LUCKLESS}
    assert luckless == {
        *(("chicago_express", players) for players in range(2, 7)),
        *(("american_rails", n) for n in (4, 5)),
    }
    assert load_openings("last_spike") is None


@pytest.mark.parametrize("setting", LUCKLESS, ids=str)
def test_an_opening_is_legal_and_ends_between_turns(setting: Setting) -> None:
    for seed in SEEDS[:4]:
        state = position_after(setting, seed)
        assert state.pending is not None
        assert openings_of(setting).is_rest(state)


@pytest.mark.parametrize("setting", PLAIN, ids=str)
def test_openings_differ_and_give_no_seat_a_large_lead(setting: Setting) -> None:
    openings = openings_of(setting)
    states = [position_after(setting, seed) for seed in SEEDS]
    assert len({digest(setting.game, state) for state in states}) >= 0.8 * len(SEEDS)
    assert len({len(actions_of(setting, seed)) for seed in SEEDS}) > len(SEEDS) / 4  # openings have different lengths
    leads = [lead_of(openings.prospects(state, setting.board)) for state in states]
    # if every draw for a seed exceeds the limit, the draw with the smallest lead is used
    assert sum(lead > openings.lead(setting.players) for lead in leads) <= 1
    assert max(leads) <= 2 * openings.lead(setting.players)


@pytest.mark.parametrize("setting", PLAIN, ids=str)
def test_opening_bids_are_sensible(setting: Setting) -> None:
    """Every share is sold and raises are small.

    With different seeds, different seats buy the first share at different prices.
    """
    winners, prices = set(), set()
    for seed in SEEDS:
        events: list[Any] = []
        position_after(setting, seed, events)
        kinds = [type(event).__name__ for event in events]
        first = events[kinds.index("ShareSold")]
        winners.add(first.seat)
        prices.add(first.price)
        assert "ShareUnsold" not in kinds
        assert all(event.price > 0 for event in events if type(event).__name__ == "ShareSold")
        for before, after in pairwise(actions_of(setting, seed)):
            if type(before) is Bid and type(after) is Bid and after.amount > before.amount:
                assert after.amount - before.amount <= 6
    assert winners == set(range(setting.players)) or len(winners) >= 3
    assert len(prices) >= 4


@pytest.mark.parametrize("setting", PLAIN, ids=str)
def test_openings_waste_no_action(setting: Setting) -> None:
    """In an opening, no player chooses an action and then declines it with a pass."""
    for seed in SEEDS:
        for before, after in pairwise(actions_of(setting, seed)):
            assert not (type(before).__name__ in ("Choose", "Offer") and type(after) is Pass)


@pytest.mark.parametrize("name", DRAWN)
def test_a_seed_always_draws_the_same_opening(name: str) -> None:
    version, wanted = DRAWN[name]
    content = [
        actions_of(Setting(name, players, load_game(name).options_type()), seed)
        for players in DRAWN_FOR[name]
        for seed in SEEDS
    ]
    found = sha256(msgspec.json.encode(content)).hexdigest()[:16]
    openings = load_openings(name)
    assert openings is not None
    assert (openings.version, found) == (version, wanted), "openings have changed: raise the version and update DRAWN"
