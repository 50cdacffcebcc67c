"""Tests of the rules of Branch Lines: one for each rule and example, and tests of hidden information."""

from typing import Any

import pytest
from branch_lines import GAME
from branch_lines.board import Board
from branch_lines.protocol import (
    Build,
    Built,
    CharterPaid,
    Dealt,
    DividendPaid,
    GameEnded,
    Options,
    ShareDrawn,
    ShareSold,
    ShareUnsold,
)
from branch_lines.rules import apply, dividend, initial_state, legal_actions, setup, setup_from_events, treasury
from branch_lines.state import BidOrPass, BuildOrStop, State

from rails_cli.games.game import ALL_SEATS, PUBLIC, BoardError, ImpossibleEvents
from rails_cli.protocol.common import Bid, BidMade, BidRange, Pass, Passed
from tests.support.tools import TESTS

BOARD: Board = GAME.read_board((TESTS / "fourth_game" / "branch_lines" / "board.json").read_bytes())
COAST, HILL, MILL, VALE = range(4)


def game_with_pile(*pile: int, players: int = 3) -> State:
    """Return a game in which the seats have fixed charters: seat 0 Coast, seat 1 Hill and seat 2 Mill.

    `pile` holds the line number of each share. The last of these shares is being auctioned.
    """
    return initial_state(BOARD, Options(), list(range(players)), list(pile), None)


def play(state: State, *actions: Any) -> list[Any]:
    events: list[Any] = []
    for action in actions:
        apply(state, BOARD, action, events)
    return events


def give(state: State, account: int, amount: int) -> None:
    state.money[account] += amount
    state.money[-1] -= amount


@pytest.mark.parametrize(("players", "cash"), [(2, 30), (3, 24), (4, 20)])
def test_bl_1_starting_cash(players: int, cash: int) -> None:
    state = setup(BOARD, players, Options(), 1, None)
    assert GAME.scores(state) == [cash] * players
    assert GAME.players == (2, 3, 4)


def test_bl_2_lines_start_with_four_stations_and_no_money() -> None:
    assert [len(costs) for costs in BOARD.cost] == [4, 4, 4, 4]
    state = game_with_pile(COAST)
    assert [state.money[treasury(state, line)] for line in range(4)] == [0, 0, 0, 0]
    assert GAME.figures(state, BOARD)["income"] == {"Coast": 0, "Hill": 0, "Mill": 0, "Vale": 0}


def test_bl_3_all_shares_are_in_the_pile_and_each_player_has_a_charter() -> None:
    events: list[Any] = []
    state = setup(BOARD, 4, Options(), 7, events)
    assert type(state.pending) is BidOrPass
    assert sorted([*state.pile, state.pending.line]) == sorted([0, 1, 2, 3] * 3)
    assert sorted(state.charters) == [0, 1, 2, 3]
    assert [type(event) for event in events] == [Dealt, ShareDrawn]


def test_bl_4_charters_are_hidden_from_other_seats_until_the_end() -> None:
    dealt = Dealt(["Coast", "Hill", "Mill"])
    for options, others in ((Options(), None), (Options("open"), "Hill")):
        state = initial_state(BOARD, options, [COAST, HILL, MILL], [VALE, COAST], None)
        assert GAME.view(state, BOARD, 0).players[1].charter == others
        assert GAME.view(state, BOARD, 1).players[1].charter == "Hill"
        assert GAME.view(state, BOARD, ALL_SEATS).players[1].charter == "Hill"
        assert GAME.redact(dealt, 0, options) == Dealt(["Coast", others, others and "Mill"])
    play(state, *[Pass()] * 6)
    assert GAME.view(state, BOARD, PUBLIC).players[0].charter == "Coast"


def test_bl_10_a_round_is_an_auction_building_and_dividends() -> None:
    state = game_with_pile(HILL, COAST)
    events = play(state, Bid(5), Pass(), Pass(), Build("Coast"))
    assert [type(event) for event in events] == [BidMade, Passed, Passed, ShareSold, Built, DividendPaid, ShareDrawn]


def test_bl_11_bids_rise_and_the_opener_moves_left() -> None:
    state = game_with_pile(VALE, HILL, COAST)
    assert legal_actions(state, BOARD) == [BidRange(3, 24), Pass()]
    play(state, Bid(5))
    assert legal_actions(state, BOARD) == [BidRange(6, 24), Pass()]
    play(state, Pass(), Bid(7), Pass())
    assert state.held[COAST] == [0, 0, 1]
    play(state, Pass())
    assert state.pending is not None
    assert state.pending.seat == 1, "the seat to the left of the opener of the last auction, not of its winner"


def test_bl_12_a_seat_that_cannot_bid_passes_automatically() -> None:
    state = game_with_pile(VALE, COAST)
    give(state, 1, -22)
    assert Passed(1, forced=True) in play(state, Bid(5))
    assert state.pending == BidOrPass(5, 0, COAST, 2, 0b101)


def test_bl_13_the_price_goes_to_the_line_and_an_unsold_share_leaves_the_game() -> None:
    state = game_with_pile(HILL, COAST)
    assert ShareSold("Coast", 1, 4) in play(state, Pass(), Bid(4), Pass())
    assert GAME.scores(state) == [24, 20, 24]
    assert state.money[treasury(state, COAST)] == 4
    state = game_with_pile(HILL, COAST)
    assert ShareUnsold("Coast") in play(state, Pass(), Pass(), Pass())
    assert state.held[COAST] == [0, 0, 0]
    assert type(state.pending) is BidOrPass


def test_bl_20_the_buyer_extends_lines_it_holds_and_the_line_pays() -> None:
    state = game_with_pile(HILL, COAST)
    give(state, treasury(state, HILL), 50)
    play(state, Bid(9), Pass(), Pass())
    assert legal_actions(state, BOARD) == [Build("Coast", 3), Pass()], "the buyer holds no share of Hill"
    play(state, Build("Coast"))
    assert legal_actions(state, BOARD) == [Build("Coast", 5), Pass()]
    play(state, Build("Coast"))
    assert type(state.pending) is BidOrPass, "the $1 left pays for no station, so nothing is asked"


def test_bl_21_each_station_adds_to_the_income() -> None:
    state = game_with_pile(HILL, COAST)
    state.held[COAST][0] = 1
    state.pending = BuildOrStop(0)
    give(state, treasury(state, COAST), 20)
    events = play(state, Build("Coast"), Build("Coast"))
    assert events == [Built(0, "Coast", "Saltby", 3, 2), Built(0, "Coast", "Pebble Bay", 5, 5)]


def test_bl_30_each_share_is_paid_its_part_of_the_income_rounded_up() -> None:
    state = game_with_pile(VALE, HILL)
    state.held[COAST] = [2, 1, 0]
    state.built[COAST] = 2
    events = play(state, Pass(), Pass(), Pass())
    assert DividendPaid("Coast", 2, [4, 2, 0]) in events
    assert GAME.scores(state) == [28, 26, 24]


def test_bl_40_the_game_ends_with_an_empty_pile_or_complete_lines() -> None:
    state = game_with_pile(COAST)
    assert play(state, Pass(), Pass(), Pass())[-1] == GameEnded(["pile_empty"])
    assert legal_actions(state, BOARD) == []
    state = game_with_pile(HILL, COAST)
    state.built = [4, 4, 4, 4]
    play(state, Pass(), Pass(), Pass())
    assert GAME.end_reasons(state, BOARD) == ["lines_complete"]


def test_bl_41_charters_of_complete_lines_pay_a_bonus() -> None:
    state = game_with_pile(COAST)
    state.built[HILL] = 4
    events = play(state, Pass(), Pass(), Pass())
    assert events[-4:-1] == [CharterPaid(0, "Coast", 0), CharterPaid(1, "Hill", 10), CharterPaid(2, "Mill", 0)]
    assert GAME.scores(state) == [24, 34, 24]


def test_bl_42_ranks_follow_cash_and_ties_share_a_rank() -> None:
    state = game_with_pile(COAST)
    give(state, 1, 5)
    assert GAME.ranks(state, BOARD) == [2, 1, 2]


def test_bl_x1_dividend_of_two_shares() -> None:
    state = game_with_pile(COAST)
    state.held[COAST], state.built[COAST] = [1, 1, 0], 2
    assert dividend(state, BOARD, COAST) == 3


def test_bl_x2_cash_equal_to_the_bid_is_not_enough() -> None:
    state = game_with_pile(HILL, COAST)
    give(state, 1, 7 - state.money[1])
    assert Passed(1, forced=True) in play(state, Bid(7))


# Hidden information, events and boards


@pytest.mark.parametrize("players", GAME.players)
def test_hidden_information_does_not_change_view_or_legal_actions(players: int) -> None:
    """If the charters of other seats and the pile change, the view and the legal actions of a seat stay the same."""
    for seed in range(20):
        state = setup(BOARD, players, Options(), seed, None)
        for step in range(30):
            if state.pending is None:
                break
            seat, legal = state.pending.seat, legal_actions(state, BOARD)
            twin = state.copy()
            twin.pile = state.pile[::-1]
            own = state.charters[seat]
            others = [line for line in range(4) if line != own]
            twin.charters = [own if other == seat else others.pop() for other in range(players)]
            assert GAME.view(twin, BOARD, seat) == GAME.view(state, BOARD, seat)
            assert legal_actions(twin, BOARD) == legal
            play(state, Bid(legal[0].min) if step % 3 == 0 and isinstance(legal[0], BidRange) else legal[-1])


def test_a_game_is_set_up_from_recorded_events() -> None:
    events: list[Any] = []
    state = setup(BOARD, 3, Options(), 5, events)
    from_events = setup_from_events(BOARD, 3, Options(), events)
    assert (from_events.charters, from_events.pending) == (state.charters, state.pending)
    for wrong in ([], [Dealt(["Coast", None, "Mill"])], [Dealt(["Coast", "Sea", "Mill"])], [Dealt(["Coast", "Mill"])]):
        with pytest.raises(ImpossibleEvents):
            setup_from_events(BOARD, 3, Options(), wrong)
    with pytest.raises(ImpossibleEvents, match="not in the pile"):
        GAME.preload_chance(game_with_pile(COAST, HILL), BOARD, [ShareDrawn("Vale", 3)])


def test_wrong_boards_are_refused() -> None:
    written = (TESTS / "fourth_game" / "branch_lines" / "board.json").read_bytes()
    for wrong in (b"{", written.replace(b"Skytop", b"Saltby"), written.replace(b'"bonus": 10', b'"bonus": -1')):
        with pytest.raises(BoardError):
            GAME.read_board(wrong)
