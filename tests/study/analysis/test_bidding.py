"""Tests of how the analysis judges bids and passes.

The analysis estimates how many dollars a share is worth to each seat. From these estimates follows the largest loss
that a bid or pass can cause. If a search finds a larger loss, the analysis reduces it to this limit.
"""

import pytest

from rails_cli.players.search.outcome import Tried
from rails_cli.protocol.common import Bid, Pass
from rails_cli.study.analysis.bidding import Gain, Lot, compared, gain


def lot(worth: int, *rivals: int | None, least: int = 1) -> Lot:
    return Lot(seat=0, worths=[worth, *rivals], least=least, spread=20.0)


def tried(chance: float, money: float, run: int = 0) -> Tried:
    """Return the search result of an answer in a game of three seats.

    With this answer, seat 0 wins with probability `chance` and ends with `money` dollars. The other seats share the
    rest of the probability equally. `run` is the number that encodes the answer.
    """
    rest = (1 - chance) / 2
    return Tried((run,), [chance, rest, rest], [chance, rest, rest], [money, 30.0, 30.0], visits=5)


def test_passing_is_better_than_a_bid_above_the_worth() -> None:
    assert gain(Bid(21), Pass(), lot(20, 18)) == Gain(1, 0)
    assert gain(Bid(20), Pass(), lot(20, 18)) is None
    assert gain(Bid(1), Pass(), lot(0, None)) == Gain(1, 0)


def test_a_lower_bid_is_better_if_it_still_beats_the_rivals() -> None:
    assert gain(Bid(19), Bid(4), lot(23, 18)) is None
    assert gain(Bid(19), Bid(4), lot(23, 10, None)) == Gain(8, 0)
    assert gain(Bid(19), Bid(14), lot(23, 10)) == Gain(5, 0)
    assert gain(Bid(14), Bid(19), lot(23, 10)) is None


def test_a_bid_is_better_than_passing_up_to_the_worth() -> None:
    assert gain(Pass(), Bid(12), lot(20, 15, least=10)) == Gain(4, 6)
    assert gain(Pass(), Bid(12), lot(20, 25, least=10)) == Gain(0, 11)
    assert gain(Pass(), Bid(21), lot(20, 25, least=10)) is None
    assert gain(Pass(), Bid(10), lot(10, 9, least=10)) is None
    assert gain(Pass(), Bid(10), lot(9, 20, least=10)) is None
    assert gain(Pass(), Bid(10), lot(12, None, least=10)) == Gain(2, 0)


def test_bidding_one_dollar_too_much_costs_little_even_if_the_search_disagrees() -> None:
    found = compared(tried(0.33, 20.0), Bid(21), tried(0.42, 28.0, run=1), Pass(), lot(20, 20, None))
    assert found is not None
    own, other = found
    assert other.chances[0] == 0.42
    assert 0.39 < own.chances[0] < 0.42
    assert sum(own.chances) == pytest.approx(1)
    assert other.money[0] - own.money[0] == 1
    assert own.payoffs[0] < other.payoffs[0]


def test_the_search_decides_where_it_agrees_with_the_worth() -> None:
    own, other = tried(0.30, 20.0), tried(0.33, 25.0, run=1)
    assert compared(own, Bid(30), other, Pass(), lot(20, 20, None)) == (own, other)


def test_answers_are_equal_where_search_and_worth_disagree() -> None:
    """Two answers are judged as equally good if the search and the estimated worth of the share disagree about them.

    The search prefers one answer, and the worth the other. Both answers then get the same chances of winning.
    """
    for action, other, better in ((Bid(10), Pass(), 0.4), (Bid(25), Pass(), 0.2), (Pass(), Bid(25), 0.4)):
        own = tried(0.3, 20.0)
        found = compared(own, action, tried(better, 20.0, run=1), other, lot(20, 10, None))
        assert found is not None
        assert (found[0], found[1].chances, found[1].run) == (own, own.chances, (1,))


def test_bids_that_rivals_can_still_raise_are_not_compared() -> None:
    assert compared(tried(0.3, 20.0), Bid(10), tried(0.4, 20.0, run=1), Bid(12), lot(20, 15, None)) is None
