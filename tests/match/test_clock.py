"""Tests of clocks: the time left to a seat, the time charged for an answer, and network delay, which is not charged."""

import pytest

from rails_cli.match.clock import (
    LAG_SHARE,
    MOST_LAG_OF_A_GAME_S,
    MOST_LAG_S,
    LagAllowance,
    SeatClock,
    clock_in_words,
    seconds_words,
)
from rails_cli.protocol.messages import Clock, ClockLeft

BANK = Clock(bank_s=60.0, increment_s=2.0)
MOVE = Clock(move_s=5.0)
BOTH = Clock(bank_s=4.0, move_s=5.0)


def test_a_seat_without_a_clock_has_no_limit() -> None:
    clock = SeatClock(None)
    clock.charge(1_000)
    assert (clock.left(1.0), clock.budget_s(), clock.bank_s) == (None, None, None)


@pytest.mark.parametrize(
    ("clock", "used_s", "left"),
    [
        (BANK, 0.0, ClockLeft(60.0, None)),
        (BANK, 1.5, ClockLeft(58.5, None)),
        (BANK, 61.0, ClockLeft(0.0, None)),
        (MOVE, 0.0, ClockLeft(None, 5.0)),
        (MOVE, 1.5, ClockLeft(None, 3.5)),
        (MOVE, 6.0, ClockLeft(None, 0.0)),
        (BOTH, 1.0, ClockLeft(3.0, 4.0)),
    ],
)
def test_time_left_while_a_request_is_open(clock: Clock, used_s: float, left: ClockLeft) -> None:
    assert SeatClock(clock).left(used_s) == left


@pytest.mark.parametrize(("clock", "allowed_s"), [(BANK, 60.0), (MOVE, 5.0), (BOTH, 4.0)])
def test_the_smaller_of_bank_and_move_time_limits_an_answer(clock: Clock, allowed_s: float) -> None:
    assert SeatClock(clock).budget_s() == allowed_s


def test_an_answer_costs_its_time_and_adds_the_increment() -> None:
    clock = SeatClock(BANK)
    clock.charge(10_000)
    assert clock.bank_s == 52.0
    clock.charge(100_000)
    assert clock.bank_s == 2.0, "an overdrawn bank counts as empty"


def test_time_without_an_answer_adds_no_increment() -> None:
    clock = SeatClock(BANK)
    clock.spend(10_000)
    assert clock.bank_s == 50.0
    clock.spend(100_000)
    assert clock.bank_s == 0.0


def test_network_delay_is_not_charged_up_to_a_limit() -> None:
    free = LagAllowance(None)
    assert free.take(MOST_LAG_S / 2) == MOST_LAG_S / 2
    assert free.take(MOST_LAG_S * 2) == MOST_LAG_S, "limit for one answer"
    assert free.left_s == MOST_LAG_OF_A_GAME_S - MOST_LAG_S * 1.5
    free.left_s = MOST_LAG_S / 4
    assert free.take(MOST_LAG_S) == MOST_LAG_S / 4, "limit for a game"
    assert free.take(MOST_LAG_S) == 0


def test_short_clocks_have_a_lower_limit_for_network_delay() -> None:
    move_s, bank_s = MOST_LAG_S / LAG_SHARE / 2, MOST_LAG_OF_A_GAME_S / LAG_SHARE / 2
    assert LagAllowance(Clock(move_s=move_s)).most_s == pytest.approx(MOST_LAG_S / 2)
    assert LagAllowance(Clock(bank_s=bank_s)).left_s == pytest.approx(MOST_LAG_OF_A_GAME_S / 2)
    long = LagAllowance(Clock(bank_s=bank_s * 4, move_s=move_s * 4))
    assert (long.most_s, long.left_s) == (MOST_LAG_S, MOST_LAG_OF_A_GAME_S)


@pytest.mark.parametrize(
    ("seconds", "words"), [(0.0, "0"), (12.543, "12.5"), (1.0, "1"), (2.34, "2.34"), (99.97, "100"), (3600.0, "3600")]
)
def test_seconds_are_written_without_an_exponent(seconds: float, words: str) -> None:
    assert seconds_words(seconds, digits=3) == words


def test_a_clock_in_words_has_no_exponents() -> None:
    assert clock_in_words(Clock(1e9, 0.5, 1_234_567)) == (
        "1000000000 s per game, plus 0.5 s per action, at most 1234567 s for one action"
    )
