"""Tests of functions for searches: the outcome of an auction, and expansions as sequences of moves."""

from itertools import product

import pytest

from rails_cli.games.chicago_express import GAME
from rails_cli.games.chicago_express.board import CHOOSE_FROM, EXPAND, PASS
from rails_cli.games.chicago_express.moves import expansion
from rails_cli.games.chicago_express.players import EVALUATION
from rails_cli.games.chicago_express.questions import BidOrPass, Expand, PickDial
from rails_cli.games.chicago_express.rules import apply_move, auction_outcome, legal_moves
from rails_cli.games.shared.auction import NOBODY, next_bidder, outcome
from rails_cli.games.shared.luck import stream
from rails_cli.protocol.chicago_express import Options
from tests.support.chicago_express import BOARD, expanding, pick, position
from tests.support.positions import Setting, walk


def outcome_of_bidding(limits: tuple[int, ...], leader: int, minimum: int) -> tuple[int, int]:
    """Return the winner and the price of an auction. Each seat bids as little as possible, up to its limit.

    `leader` is the seat of the highest bid so far, and `minimum` is the lowest bid allowed next.
    """
    still_in, seat = (1 << len(limits)) - 1, 0 if leader == NOBODY else leader
    seat = seat if leader == NOBODY else next_bidder(still_in, seat, len(limits))
    while seat != leader:
        if limits[seat] >= minimum:
            leader, minimum = seat, minimum + 1
        else:
            still_in ^= 1 << seat
            if not still_in:
                return NOBODY, 0
        seat = next_bidder(still_in, seat, len(limits))
    return leader, minimum - 1


def test_the_computed_outcome_of_an_auction_equals_that_of_bidding() -> None:
    """The function `outcome` computes the winner and the price of an auction without playing it.

    The result is compared with `outcome_of_bidding`, which plays the auction by bids in steps of $1. Two differences
    are accepted:

    - The price in the played auction may be $1 lower.
    - The winners may differ if the limits of two seats are equal, or if no limit reaches the minimum.
    """
    for limits in product(range(6), repeat=3):
        for leader, minimum in product((NOBODY, 0, 2), (1, 3)):
            seat, price = outcome(limits, 0b111, leader, minimum)
            winner, paid = outcome_of_bidding(limits, leader, minimum)
            assert price - paid in (0, 1)
            if seat != winner:
                assert limits[seat] == limits[winner] or max(limits) < minimum


def test_a_seat_that_has_passed_cannot_win_an_auction() -> None:
    assert outcome([9, 4, 7], 0b110, NOBODY, 3) == (2, 5)
    assert outcome([9, 4, 7], 0b010, 1, 3) == (1, 2)


@pytest.mark.parametrize(
    ("limits", "bought"),
    [([12, 9, 30], (2, 13)), ([0, 0, 0], (NOBODY, 0)), ([20, 15, 20], (0, 20)), ([0, 8, 0], (1, 8))],
)
def test_the_outcome_of_a_chicago_express_auction(limits: list[int], bought: tuple[int, int]) -> None:
    assert auction_outcome(BidOrPass(0, 0, False, NOBODY, 8, 0, 0b111), limits) == bought


def test_an_opening_share_without_bids_goes_to_the_first_bidder() -> None:
    """If all limits are 0, the seat that had to bid first gets the share for 0 dollars.

    A real auction in which all players pass ends in the same way (CE-13).
    """
    state = GAME.setup(BOARD, 4, Options(), 0, None)
    auction = state.pending
    assert type(auction) is BidOrPass
    assert auction_outcome(auction, [0, 0, 0, 0]) == (auction.first, 0)
    for _ in range(4):
        apply_move(state, BOARD, PASS)
    assert state.held[auction.company * 4 + auction.first] == 1
    assert state.money[auction.first] == BOARD.cash[4]


def test_the_leader_of_an_auction_pays_its_bid_if_another_limit_equals_it() -> None:
    """The highest bidder of an auction pays its bid if no other seat has a limit above this bid (CE-11).

    The evaluation must agree: such a position has the same value as the position after all other seats have passed.
    """
    assert EVALUATION.limits is not None
    found = 0
    for step in walk(Setting(GAME.name, 3, GAME.options_type()), 1, "greedy"):
        if type(step.state.pending) is not BidOrPass or step.state.turn == NOBODY or step.state.red.bit_count() > 1:
            continue
        for bid in range(step.state.pending.minimum, step.state.money[step.seat] + 1):
            state = step.state.copy()
            apply_move(state, BOARD, BOARD.bids_at + bid)
            if type(state.pending) is not BidOrPass:
                continue
            limits = EVALUATION.limits(state, BOARD)
            if max(limit for seat, limit in enumerate(limits) if seat != step.seat) == bid < limits[step.seat]:
                ended = state.copy()
                while type(ended.pending) is BidOrPass:
                    apply_move(ended, BOARD, PASS)
                assert EVALUATION.worth(state, BOARD) == EVALUATION.worth(ended, BOARD)
                found += 1
    assert found


def test_an_expansion_is_a_run_of_moves_that_ends_with_a_pass_if_needed() -> None:
    """`expansion` returns the moves of a whole expansion.

    Its last move is a pass, unless the company cannot build any more.
    """
    chance = stream(1)
    ended = 0
    for state in (position(pick(), shares={"PRR": [1, 0, 0]}, treasury={"PRR": 9}), position(expanding("PRR"))):
        state.money[3], state.held[0] = 9, 1
        for length in (0, 1, 2, 3):
            walked = state.copy()
            moves: tuple[int, ...] = ()
            if type(walked.pending) is PickDial:
                moves = (CHOOSE_FROM + EXPAND,)
                apply_move(walked, BOARD, *moves)
            for _ in range(length):
                builds = legal_moves(walked, BOARD)[:-1]
                moves = (*moves, builds[int(chance() * len(builds))])
                apply_move(walked, BOARD, moves[-1])
            run = expansion(state, BOARD, moves)
            played = state.copy()
            for move in run:
                assert move in legal_moves(played, BOARD)
                apply_move(played, BOARD, move)
            assert type(played.pending) is not Expand
            assert played.track[0].bit_count() == 1 + length
            ended += run[-1] != 0
    assert ended == 2
