"""Tests of the rules of Chicago Express. Test names contain the id of a rule or worked example of the rule sheet.

The module is long because each rule and each worked example has a test.
"""

from collections.abc import Sequence
from typing import Any

import pytest

from rails_cli.games.chicago_express import GAME
from rails_cli.games.chicago_express.questions import DevelopHex, OfferShare, Question
from rails_cli.games.chicago_express.state import State
from rails_cli.games.game import PUBLIC, IllegalAction, ImpossibleEvents, play
from rails_cli.games.moves import action_of
from rails_cli.protocol.chicago_express import (
    Action,
    ActionChosen,
    ActionLost,
    Build,
    Built,
    ChicagoReached,
    Choose,
    Company,
    DetroitMoved,
    Develop,
    Developed,
    DialsReset,
    DividendPaid,
    Entry,
    Event,
    GameEnded,
    Offer,
    Options,
    ShareOffered,
    ShareSold,
    ShareUnsold,
    View,
    WabashOpened,
)
from rails_cli.protocol.common import Bid, BidMade, BidRange, FirstPlayer, Pass, Passed
from tests.support.chicago_express import BOARD, expanding, pick, position

PASS = Pass()
AUCTION, EXPAND, DEVELOP = Choose("auction"), Choose("expand"), Choose("develop")
BEFORE_ACTION = Options(dividend_timing="before_action")
AT_ONCE = Options(chicago_phase="at_once")
DRAWN = Options(first_player="drawn")


def start(players: int = 3) -> State:
    return GAME.setup(BOARD, players, Options(), 0, None)


def act(state: State, *actions: Action) -> State:
    """Play each action for the seat to move, and return the new position."""
    return act_with_events(state, *actions)[0]


def act_with_events(state: State, *actions: Action) -> tuple[State, list[Event]]:
    """Play each action for the seat to move. Return the new position and the events."""
    events: list[Event] = []
    for action in actions:
        assert state.pending is not None, f"the game ended before {action}"
        state = play(GAME, BOARD, state, state.pending.seat, action, events)
    return state, events


def events_of(state: State, *actions: Action) -> list[Event]:
    """Play each action for the seat to move, and return the events."""
    return act_with_events(state, *actions)[1]


def legal(state: State) -> list[Entry]:
    return GAME.legal_actions(state, BOARD)


def builds(state: State, company: str | None = None) -> dict[str, int | None]:
    """Return the cost of each hex where the player to move may build, for all companies or only for `company`."""
    entries = [entry for entry in legal(state) if isinstance(entry, Build)]
    return {entry.hex: entry.cost for entry in entries if company in (None, entry.company)}


def developments(state: State) -> list[str]:
    return [entry.hex for entry in legal(state) if isinstance(entry, Develop)]


def public_view(state: State) -> View:
    view: View = GAME.view(state, BOARD, PUBLIC)
    return view


def company(state: State, name: str) -> Company:
    return next(company for company in public_view(state).companies if company.id == name)


def cash(state: State) -> list[int]:
    return [player.cash for player in public_view(state).players]


def shares(state: State, name: str) -> list[int]:
    return [player.shares[name] for player in public_view(state).players]


def dials(state: State) -> list[int]:
    return [dial.moved for dial in public_view(state).dials]


def scale_value(state: State, place: str) -> int:
    """Return the current value of the city `place`, which is Detroit, Wheeling or Pittsburgh."""
    return next(scale.value for scale in public_view(state).scales if scale.hex == place)


def asked(state: State) -> tuple[int, str]:
    """Return the seat to move and the kind of the question that it must answer."""
    question = public_view(state).question
    assert question is not None
    return question.seat, question.asks


def assert_refused(state: State, action: Action, words: str = "not possible") -> None:
    """Assert that `action` is illegal for the seat to move, and that the error message contains `words`."""
    assert state.pending is not None
    with pytest.raises(IllegalAction, match=words):
        play(GAME, BOARD, state, state.pending.seat, action)


# Components and set-up


@pytest.mark.parametrize(("players", "each"), [(2, 60), (3, 40), (4, 30), (5, 24), (6, 20)])
def test_ce_1_starting_cash_and_unlimited_bank(players: int, each: int) -> None:
    state = start(players)
    assert cash(state) == [each] * players
    assert state.money[-1] == -120
    rich = position(DevelopHex(0), track={"NYC": "S3 R2"})
    assert act(rich, Develop("R2")).money[-1] == rich.money[-1] - 2, "the bank is unlimited"


def test_ce_2_companies_have_locomotives_shares_and_start_cities() -> None:
    table = [
        (each.id, each.locomotives_left, each.shares_left, each.income, each.track)
        for each in public_view(start()).companies
    ]
    assert table == [
        ("PRR", 19, 3, 7, ["R5"]),
        ("BO", 21, 4, 6, ["Q7"]),
        ("CO", 25, 6, 5, ["Q9"]),
        ("NYC", 23, 5, 8, ["S3"]),
        ("WAB", 11, 2, 0, []),
    ]
    assert [each.is_open for each in public_view(start()).companies] == [True, True, True, True, False]
    names = [BOARD.hex_names[BOARD.hex_number[home]] for home in ("R5", "Q7", "Q9", "S3", "D3")]
    assert names == ["Philadelphia", "Baltimore", "Washington", "New York", "Fort Wayne"]
    assert all(each.treasury == each.shares_sold == 0 for each in public_view(start()).companies)


def test_ce_3_houses_and_values_of_industrial_hexes() -> None:
    view = public_view(start())
    assert view.houses_left == 20
    assert [(scale.name, scale.value) for scale in view.scales] == [("Detroit", 1), ("Wheeling", 3), ("Pittsburgh", 4)]
    assert BOARD.scale_values == [(1, 2, 3, 4, 5, 6, 7, 8), (3, 4, 5, 6), (4, 6, 8)]


def test_ce_4_dials_start_at_zero() -> None:
    table = [(dial.action, dial.moved, dial.red_at) for dial in public_view(start()).dials]
    assert table == [("auction", 0, 3), ("expand", 0, 5), ("develop", 0, 4)]


def test_ce_5_seat_0_bids_first_and_bidding_is_clockwise() -> None:
    state = start(4)
    seats = []
    for _ in range(4):
        seats.append(asked(state)[0])
        state = act(state, PASS)
    assert seats == [0, 1, 2, 3]


def test_ce_6_income_is_the_sum_of_the_hexes() -> None:
    """The income of a company is the sum of the values of its hexes.

    The values in dollars are: New York 8, Buffalo 3 and 2 more for its development, a mountain 1, Pittsburgh 4, a
    forest 0 and a plain 0.
    """
    track = {"NYC": "S3 L0 J6 R2 S2 K4"}
    state = position(expanding("NYC"), shares={"NYC": (1, 0, 0)}, track=track, treasury={"NYC": 90}, developed="L0")
    assert company(state, "NYC").income == 8 + 3 + 2 + 1 + 4
    state = act(state, Build("NYC", "S4"), Build("NYC", "R3"), Build("NYC", "Q3"))
    assert company(state, "NYC").income == 18 + 1
    rich = position(expanding("NYC"), shares={"NYC": (1, 0, 0)}, track=track, treasury={"NYC": 90}, income={"NYC": 49})
    assert company(act(rich, Build("NYC", "R3"), Build("NYC", "Q3")), "NYC").income == 50
    assert company(act(rich, Build("NYC", "I6"), PASS), "NYC").income == 52, "no upper limit"


def start_with_first_player(players: int, seat: int) -> State:
    return GAME.setup_from_events(BOARD, players, DRAWN, [FirstPlayer(seat)])


def test_ce_7_the_first_player_may_be_drawn_at_random() -> None:
    seats = []
    for seed in range(60):
        events: list[Event] = []
        state = GAME.setup(BOARD, 4, DRAWN, seed, events)
        assert isinstance(events[0], FirstPlayer)
        first = events[0].seat
        assert events[1:] == [ShareOffered(first, "PRR", 7, "opening")]
        assert asked(state) == (first, "bid_or_pass")
        assert GAME.dump(start_with_first_player(4, first)) == GAME.dump(state)
        seats.append(first)
    assert all(seats.count(seat) >= 6 for seat in range(4)), "each seat is drawn about equally often"
    events = []
    assert asked(GAME.setup(BOARD, 4, Options(), 3, events)) == (0, "bid_or_pass")
    assert events == [ShareOffered(0, "PRR", 7, "opening")], "without the option there is no event for the first player"
    state = act(start_with_first_player(4, 2), Bid(7), PASS, PASS, PASS, PASS, PASS, PASS, PASS, PASS, PASS, PASS, PASS)
    state = act(state, Bid(8), PASS, PASS, PASS)
    assert asked(state) == (2, "choose_action"), "the owner of the PRR share has the first turn"
    for options, impossible_events in ((DRAWN, []), (DRAWN, [FirstPlayer(4)]), (Options(), [FirstPlayer(1)])):
        with pytest.raises(ImpossibleEvents):
            GAME.setup_from_events(BOARD, 4, options, impossible_events)


# Opening auctions


def test_ce_10_opening_auctions_have_a_fixed_order() -> None:
    """One share of each company is sold in a fixed order. The winner of an auction bids first in the next."""
    state, events = act_with_events(
        start(), PASS, Bid(7), PASS, Bid(6), PASS, PASS, PASS, Bid(5), PASS, PASS, Bid(8), PASS
    )
    offers = [(event.company, event.minimum, event.seat) for event in events if isinstance(event, ShareOffered)]
    assert offers == [("BO", 6, 1), ("CO", 5, 1), ("NYC", 8, 2)]
    sales = [(event.company, event.price, event.seat) for event in events if isinstance(event, ShareSold)]
    assert sales == [("PRR", 7, 1), ("BO", 6, 1), ("CO", 5, 2), ("NYC", 8, 0)]
    assert [each.shares_sold for each in public_view(state).companies] == [1, 1, 1, 1, 0]
    assert cash(state) == [40 - 8, 40 - 7 - 6, 40 - 5]
    first: list[Event] = []
    GAME.setup(BOARD, 3, Options(), 0, first)
    assert first == [ShareOffered(0, "PRR", 7, "opening")]


def test_ce_11_bids_rise_clockwise_and_a_pass_is_final() -> None:
    state = act(start(), Bid(7))
    assert asked(state) == (1, "bid_or_pass")
    assert legal(state) == [BidRange(8, 40), PASS]
    assert_refused(state, Bid(7), "below the minimum 8")
    state = act(state, PASS, Bid(10))
    assert asked(state)[0] == 0, "seat 1 has passed and is out"
    state = act(state, Bid(12))
    assert asked(state)[0] == 2
    auction = public_view(state).auction
    assert auction is not None
    assert (auction.bid, auction.leader, auction.minimum, auction.still_in) == (12, 0, 13, [0, 2])
    state, events = act_with_events(state, PASS)
    assert events[:2] == [Passed(2), ShareSold(0, "PRR", 12, 1, 7)]
    assert cash(state) == [28, 40, 40]
    assert company(state, "PRR").treasury == 12
    assert shares(state, "PRR") == [1, 0, 0]
    assert_refused(start(), Bid(6), "below the minimum 7")


def test_ce_12_a_bid_is_at_most_the_cash_of_the_bidder() -> None:
    state = start(6)
    assert legal(state) == [BidRange(7, 20), PASS]
    assert_refused(state, Bid(21), "above your cash 20")
    assert legal(act(state, Bid(20))) != [BidRange(21, 20), PASS]
    assert cash(act(state, Bid(20))) == [0, 20, 20, 20, 20, 20], "nobody can bid more than 20, so seat 0 wins at once"
    exact = act(position(OfferShare(0), cash=(5, 20)), Offer("CO"))
    assert asked(exact) == (0, "bid_or_pass")
    assert legal(exact) == [BidRange(5, 5), PASS]


@pytest.mark.parametrize("most", [20, 999, 1_000, 1_001])
def test_ce_12_every_amount_within_cash_is_a_legal_move(most: int) -> None:
    """A bidder with `most` dollars may bid any amount up to `most`.

    Bids below $1,000 have precomputed move numbers, others do not. The test covers amounts of both kinds.
    """
    state = act(position(OfferShare(0), cash=(most, 20)), Offer("CO"))
    moves = [action_of(GAME.moves, BOARD, number) for number in GAME.moves.legal(state, BOARD)]
    assert moves == [*(Bid(amount) for amount in range(5, most + 1)), PASS]


def test_ce_13_an_opening_share_without_bids_goes_to_the_first_bidder() -> None:
    """An opening share without bids goes to the player who had to bid first, for nothing.

    This is the player who won the previous auction.
    """
    state, events = act_with_events(start(), PASS, PASS, PASS)
    assert events == [
        Passed(0),
        Passed(1),
        Passed(2),
        ShareSold(0, "PRR", 0, 1, 7),
        ShareOffered(0, "BO", 6, "opening"),
    ]
    assert shares(state, "PRR") == [1, 0, 0]
    state = act(start(), PASS, Bid(9), PASS, PASS, PASS, PASS)
    assert shares(state, "BO") == [0, 1, 0]
    assert cash(state) == [40, 31, 40]


def test_ce_14_the_last_seat_may_bid_after_all_others_passed() -> None:
    state = act(start(), PASS, PASS)
    assert asked(state) == (2, "bid_or_pass")
    assert legal(state) == [BidRange(7, 40), PASS]
    state, events = act_with_events(state, Bid(7))
    assert ShareSold(2, "PRR", 7, 1, 7) in events, "the last bidder wins without being asked again"
    state = act(start(), Bid(7), PASS, PASS)
    assert shares(state, "PRR") == [1, 0, 0]
    assert public_view(state).auction is not None
    assert public_view(state).auction.company == "BO"  # type: ignore[union-attr]


def test_ce_15_the_owner_of_prr_has_the_first_turn() -> None:
    state = act(start(), PASS, Bid(7), PASS, *[PASS] * 6, Bid(8), PASS, PASS)
    assert shares(state, "PRR") == [0, 1, 0]
    assert asked(state) == (1, "choose_action")
    state = act(start(), Bid(7), PASS, PASS, PASS, PASS, Bid(6), PASS, PASS, PASS, Bid(8), PASS, PASS)
    assert [shares(state, name) for name in ("PRR", "NYC")] == [[1, 0, 0], [0, 0, 1]]
    assert asked(state) == (0, "choose_action")


# A turn


def test_ce_20_a_player_chooses_an_action_and_its_dial_moves() -> None:
    """A player chooses an action whose dial is not red. The dial of this action moves.

    The player may then pass instead of carrying out the action. The dial does not move back.
    """
    assert legal(position(pick())) == [AUCTION, EXPAND, DEVELOP]
    assert legal(position(pick(), dials=(3, 0, 0))) == [EXPAND, DEVELOP]
    assert legal(position(pick(), dials=(2, 5, 3))) == [AUCTION, DEVELOP]
    assert legal(position(pick(), dials=(0, 0, 4))) == [AUCTION, EXPAND]
    state = position(pick(), shares={"NYC": (1, 0, 0)}, treasury={"NYC": 5}, track={"NYC": "S3 R2"})
    assert_refused(state, PASS)
    for action, moved in ((AUCTION, [1, 0, 0]), (EXPAND, [0, 1, 0]), (DEVELOP, [0, 0, 1])):
        after, events = act_with_events(state, action)
        assert dials(after) == moved
        assert events == [ActionChosen(0, action.action, 1, False)]
        after, events = act_with_events(after, PASS)
        assert asked(after) == (1, "choose_action")
        assert dials(after) == moved
        assert events == [Passed(0)]
    nothing_to_do = position(pick())
    assert asked(act(nothing_to_do, EXPAND)) == (1, "choose_action"), (
        "the action may be chosen even if nothing can be built"
    )
    red = events_of(position(pick(), dials=(2, 0, 0)), AUCTION)
    assert red == [ActionChosen(0, "auction", 3, True)]


def test_ce_21_turns_are_clockwise_and_two_red_dials_cause_a_dividend() -> None:
    state = position(pick(1), cash=(20, 20, 20))
    state = act(state, AUCTION, Offer("CO"), PASS, PASS, Bid(9))
    assert shares(state, "CO") == [1, 0, 0], "seat 0 won the auction of seat 1"
    assert asked(state) == (2, "choose_action")
    assert asked(act(state, AUCTION, PASS)) == (0, "choose_action")
    one_red = position(pick(), dials=(2, 4, 0), shares={"PRR": (1, 0, 0)})
    assert cash(act(one_red, EXPAND)) == [20, 20, 20], "one red dial causes no dividend"
    two_red = position(pick(), dials=(3, 4, 0), shares={"PRR": (1, 0, 0)})
    assert cash(act(two_red, EXPAND)) == [27, 20, 20]


def test_ce_22_questions_without_choice_are_not_asked() -> None:
    poor = position(pick(), cash=(4, 3, 20, 20))
    state, events = act_with_events(poor, AUCTION, Offer("CO"))
    assert events[1:] == [ShareOffered(0, "CO", 5, "auction"), Passed(0, True), Passed(1, True)]
    assert asked(state) == (2, "bid_or_pass")
    state, events = act_with_events(state, Bid(5))
    assert asked(state) == (3, "bid_or_pass")
    state, events = act_with_events(poor, AUCTION, Offer("CO"), Bid(20))
    assert events[-2:] == [Passed(3, True), ShareSold(2, "CO", 20, 1, 5)], "seat 3 cannot bid more than 20"
    assert asked(state) == (1, "choose_action")

    state, events = act_with_events(position(pick()), EXPAND)
    assert events == [ActionChosen(0, "expand", 1, False), Passed(0, True)], "the player holds no share"
    no_money = position(pick(), shares={"NYC": (1, 0, 0)})
    assert events_of(no_money, EXPAND)[1:] == [Passed(0, True)]
    assert events_of(position(pick()), DEVELOP)[1:] == [Passed(0, True)], "nothing can be developed"
    all_sold = {"PRR": (3, 0, 0), "BO": (4, 0, 0), "CO": (6, 0, 0), "NYC": (5, 0, 0)}
    assert events_of(position(pick(), shares=all_sold), AUCTION)[1:] == [Passed(0, True)]

    short = position(expanding("NYC"), shares={"NYC": (1, 0, 0)}, treasury={"NYC": 1})
    state, events = act_with_events(short, Build("NYC", "S4"))
    assert events[1:] == [Passed(0, True)], "no money for a second hex"
    full = position(expanding("NYC", left=1), shares={"NYC": (1, 0, 0)}, treasury={"NYC": 9})
    assert len(events_of(full, Build("NYC", "S4"))) == 1, "no pass follows the last possible build"

    only_one = position(OfferShare(0), shares={**all_sold, "CO": (5, 0, 0)})
    assert legal(only_one) == [Offer("CO"), PASS]
    last_bidder = act(start(), PASS, PASS)
    assert asked(last_bidder) == (2, "bid_or_pass")


# Auction


def test_ce_30_open_companies_with_shares_left_can_be_offered() -> None:
    state = position(OfferShare(1), shares={"PRR": (3, 0, 0), "CO": (0, 0, 5)})
    assert legal(state) == [Offer("BO"), Offer("CO"), Offer("NYC"), PASS]
    assert_refused(state, Offer("PRR"))
    assert_refused(state, Offer("WAB"))
    state, events = act_with_events(state, Offer("NYC"))
    assert events == [ShareOffered(1, "NYC", 8, "auction")]
    assert asked(state) == (1, "bid_or_pass")
    assert legal(state) == [BidRange(8, 20), PASS]
    wabash = position(OfferShare(0), track={"WAB": "D3", "PRR": "R5 A2"})
    assert Offer("WAB") in legal(wabash)


@pytest.mark.parametrize(("income", "sold", "minimum"), [(22, 2, 8), (21, 2, 7), (5, 0, 5), (1, 3, 1), (9, 4, 2)])
def test_ce_31_the_minimum_bid_is_the_dividend_after_the_sale(income: int, sold: int, minimum: int) -> None:
    state = position(OfferShare(0), income={"NYC": income}, shares={"NYC": (sold, 0, 0)})
    assert company(state, "NYC").minimum_bid == minimum
    assert legal(act(state, Offer("NYC"))) == [BidRange(minimum, 20), PASS]
    sold_out = position(OfferShare(0), shares={"NYC": (5, 0, 0)})
    assert company(sold_out, "NYC").minimum_bid is None


def test_ce_32_a_share_without_a_bid_stays_in_the_supply() -> None:
    state = position(pick(), shares={"NYC": (0, 1, 0)})
    state, events = act_with_events(state, AUCTION, Offer("NYC"), PASS, PASS, PASS)
    assert events[-1] == ShareUnsold("NYC")
    assert shares(state, "NYC") == [0, 1, 0]
    assert cash(state) == [20, 20, 20]
    assert company(state, "NYC").treasury == 0
    assert dials(state) == [1, 0, 0], "the dial has moved"
    assert asked(state) == (1, "choose_action")
    state, events = act_with_events(position(OfferShare(0)), Offer("CO"), Bid(5), Bid(6), PASS, Bid(7), PASS)
    assert events[-3:] == [BidMade(0, 7), Passed(1), ShareSold(0, "CO", 7, 1, 5)]
    assert_refused(act(position(OfferShare(0)), Offer("CO"), Bid(5)), Bid(5), "below the minimum 6")
    last = act(position(OfferShare(0)), Offer("CO"), PASS, PASS)
    assert legal(last) == [BidRange(5, 20), PASS]
    assert shares(act(last, Bid(5)), "CO") == [0, 0, 1]


# Expand


def test_ce_40_one_company_builds_up_to_three_adjacent_hexes() -> None:
    chosen = act(position(pick(), shares={"NYC": (1, 0, 0)}, treasury={"NYC": 9}), EXPAND)
    assert chosen.pending == expanding(left=3)
    state = position(
        expanding(),
        shares={"PRR": (0, 1, 0), "NYC": (1, 0, 0), "BO": (1, 0, 0)},
        treasury={"PRR": 9, "NYC": 9, "BO": 9},
    )
    assert {entry.company for entry in legal(state) if isinstance(entry, Build)} == {"BO", "NYC"}, (
        "only companies of which the player holds shares"
    )
    assert list(builds(state, "NYC")) == ["R2", "R3", "S2", "S4"], "hexes adjacent to the network"
    assert legal(state)[-1] == PASS
    state = act(state, Build("NYC", "S4"))
    assert list(builds(state)) == ["R2", "R3", "R4", "S2", "S5"], (
        "only the same company, adjacent to its extended network"
    )
    assert_refused(state, Build("BO", "P6"))
    assert_refused(state, Build("NYC", "S4"))
    state = act(state, Build("NYC", "S2"))  # a network may branch
    assert asked(state) == (0, "expand")
    state = act(state, Build("NYC", "S5"))
    assert asked(state) == (1, "choose_action"), "an expansion has three hexes at most"
    assert company(state, "NYC").track == ["S2", "S3", "S4", "S5"]
    assert company(state, "NYC").locomotives_left == 20
    two = position(expanding("NYC", left=2), shares={"NYC": (1, 0, 0)}, treasury={"NYC": 9})
    assert asked(act(two, PASS)) == (1, "choose_action")
    last = position(expanding("NYC"), shares={"NYC": (1, 0, 0)}, treasury={"NYC": 9}, left={"NYC": 1})
    state, events = act_with_events(last, Build("NYC", "S4"))
    assert events[-1] == Passed(0, True), "the company has no locomotives left"
    none = position(pick(), shares={"NYC": (1, 0, 0)}, treasury={"NYC": 9}, left={"NYC": 0})
    assert asked(act(none, EXPAND)) == (1, "choose_action")
    both = {"NYC": (1, 0, 0), "BO": (1, 0, 0)}
    state = position(expanding(), shares=both, treasury={"NYC": 9, "BO": 9}, left={"NYC": 0})
    assert builds(state, "BO")
    assert not builds(state, "NYC")


def test_ce_41_start_cities_of_other_companies_are_closed() -> None:
    """A company may not build in the start city of another company, even if its track is adjacent to this city.

    Fort Wayne is an exception: all companies may build there, although it is the start city of the Wabash.
    """
    state = position(expanding("PRR"), shares={"PRR": (1, 0, 0)}, treasury={"PRR": 9}, track={"PRR": "R5 R6 Q6 S4 P8"})
    assert not {"Q7", "Q9", "S3", "R5"} & set(builds(state))
    for name in ("Q7", "Q9", "S3"):
        assert_refused(state, Build("PRR", name))
    for wabash in ("", "D3"):
        track = {"PRR": "R5 D4", "WAB": wabash, "BO": "Q7 A2" if wabash else "Q7"}
        state = position(expanding("PRR"), shares={"PRR": (1, 0, 0)}, treasury={"PRR": 9}, track=track)
        assert company(act(state, Build("PRR", "D3")), "PRR").track == ["D3", "D4", "R5"]


@pytest.mark.parametrize(
    ("beside", "place", "terrain", "has_room"),
    [
        ("R2", "Q3", "city", True),
        ("I5", "I6", "industrial", True),
        ("Q5", "Q6", "plain", True),
        ("R2", "R3", "forest", False),
        ("I6", "J6", "mountain", False),
    ],
)
def test_ce_42_forests_and_mountains_hold_one_company(beside: str, place: str, terrain: str, has_room: bool) -> None:
    assert BOARD.file.hexes[BOARD.hex_number[place]].terrain == terrain
    alone = position(expanding("NYC"), shares={"NYC": (1, 0, 0)}, treasury={"NYC": 99}, track={"NYC": f"S3 {beside}"})
    assert place in builds(alone)
    there = {"NYC": f"S3 {beside}", "PRR": f"R5 {place}"}
    if has_room:
        there |= {"BO": f"Q7 {place}", "CO": f"Q9 {place}", "WAB": f"D3 {place}"}
    state = position(expanding("NYC"), shares={"NYC": (1, 0, 0)}, treasury={"NYC": 99}, track=there)
    assert (place in builds(state)) == has_room
    if has_room:
        assert place in company(act(state, Build("NYC", place)), "NYC").track
    else:
        assert_refused(state, Build("NYC", place))


def test_ce_42_a_hex_fills_up_during_play() -> None:
    """When a company builds in a forest, other companies can no longer build there."""
    tracks = {"NYC": "S3", "PRR": "R5 R4"}
    state = position(
        expanding("NYC", left=1),
        shares={"NYC": (1, 0, 0), "PRR": (0, 1, 0)},
        treasury={"NYC": 9, "PRR": 9},
        track=tracks,
    )
    state = act(state, Build("NYC", "R3"), EXPAND)
    assert asked(state) == (1, "expand")
    assert "R3" not in builds(state)
    assert "S4" in builds(state)
    taken = {"PRR": "R5 Q4"}
    state = position(expanding("NYC"), shares={"NYC": (1, 0, 0)}, treasury={"NYC": 9}, track=taken)
    state = act(state, Build("NYC", "R3"))
    assert "Q4" not in builds(state), "Q4 is a full forest adjacent to the new hex"
    assert "Q3" in builds(state)


def test_ce_43_cost_is_multiplied_by_the_number_of_locomotives() -> None:
    track = {"NYC": "S3 R2", "PRR": "R5 Q3", "BO": "Q7 Q3"}
    state = position(expanding("NYC"), shares={"NYC": (1, 0, 0)}, treasury={"NYC": 6}, track=track)
    assert builds(state)["Q3"] == 6, "cost 2 for each of 3 locomotives, including the new one"
    assert_refused(state, Build("NYC", "Q3", 4))
    after, events = act_with_events(state, Build("NYC", "Q3"))
    assert events[0] == Built(0, "NYC", "Q3", "Binghamton", 6, 0, 9, 21)
    assert company(after, "NYC").treasury == 0
    assert after.money[-1] == state.money[-1] + 6, "the cost goes to the bank"
    assert cash(after) == [20, 20, 20], "players do not pay"
    poor = position(expanding("NYC"), shares={"NYC": (1, 0, 0)}, treasury={"NYC": 5}, track=track)
    assert_refused(poor, Build("NYC", "Q3"))
    assert "Q3" not in builds(poor)
    wabash = {"PRR": "R5 D4", "WAB": "D3", "BO": "Q7 A2"}
    state = position(expanding("PRR"), shares={"PRR": (1, 0, 0)}, treasury={"PRR": 9}, track=wabash)
    assert builds(state)["D3"] == 2, "the free Wabash locomotive counts"


def test_ce_43_cost_rises_during_play() -> None:
    """The second company that builds in a plain pays double.

    This holds even if the plain was empty when the company became adjacent to it.
    """
    state = position(
        expanding("NYC", left=1), shares={"NYC": (1, 0, 0), "PRR": (0, 1, 0)}, treasury={"NYC": 9, "PRR": 9},
        track={"PRR": "R5 R4"},
    )  # fmt: skip
    state = act(state, Build("NYC", "S4"), EXPAND)
    assert builds(state)["S4"] == 2


def test_ce_44_income_rises_by_the_value_of_the_hex() -> None:
    def rise(place: str, beside: str, developed: str = "", values: dict[str, int] | None = None) -> int:
        """Return how much the income of PRR rises when it builds in `place` from the adjacent hex `beside`."""
        state = position(
            expanding("PRR"), shares={"PRR": (1, 0, 0)}, treasury={"PRR": 40}, track={"PRR": f"R5 {beside}"},
            developed=developed, values=values,
        )  # fmt: skip
        before = company(state, "PRR").income
        return company(act(state, Build("PRR", place)), "PRR").income - before

    assert rise("L0", "L1") == 3
    assert rise("L0", "L1", developed="L0") == 5
    assert rise("J6", "J5") == 1
    assert rise("J6", "J5", developed="J6") == 3
    assert rise("K4", "J4", values={"K4": 6}) == 6
    assert rise("E0", "E1", values={"E0": 5}) == 5
    assert rise("R3", "R4") == 0
    assert rise("R3", "R4", developed="R3") == 0
    assert rise("S5", "R4") == 0


def test_ce_45_the_chicago_phase_follows_the_whole_expansion() -> None:
    """The expansion may continue after Chicago is reached. The Chicago dividend uses the income after the expansion."""
    state = position(expanding("PRR"), shares={"PRR": (1, 0, 0)}, treasury={"PRR": 40}, track={"PRR": "R5 B2 C3"})
    state, events = act_with_events(state, Build("PRR", "A2"))
    assert asked(state) == (0, "expand")
    assert len(events) == 1
    assert not company(state, "WAB").is_open
    state, events = act_with_events(state, Build("PRR", "C2"), PASS)
    assert [type(event) for event in events] == [
        Built, Passed, ChicagoReached, DividendPaid, WabashOpened, ShareOffered,
    ]  # fmt: skip
    assert events[3] == DividendPaid("PRR", "chicago", 7 + 7 + 1, 15, [15, 0, 0])
    for stop in ("at once", "full", "no money"):
        money = 3 if stop == "no money" else 40
        left = 1 if stop == "full" else 3
        state = position(
            expanding("PRR", left=left), shares={"PRR": (1, 0, 0)}, treasury={"PRR": money}, track={"PRR": "R5 B2"}
        )
        actions: list[Action] = [Build("PRR", "A2"), *([PASS] if stop == "at once" else [])]
        assert ChicagoReached(0, "PRR") in events_of(state, *actions), stop


def test_ce_46_with_the_option_at_once_chicago_ends_the_expansion() -> None:
    """With the option `at_once`, a locomotive in Chicago ends the expansion, without a pass of the player.

    Builds in other hexes do not end the expansion.
    """
    given: dict[str, Any] = {
        "shares": {"PRR": (1, 0, 0)}, "treasury": {"PRR": 40}, "track": {"PRR": "R5 B2 C3"}, "options": AT_ONCE,
    }  # fmt: skip
    state, events = act_with_events(position(expanding("PRR"), **given), Build("PRR", "A2"))
    assert [type(event) for event in events] == [Built, ChicagoReached, DividendPaid, WabashOpened, ShareOffered]
    assert events[2] == DividendPaid("PRR", "chicago", 14, 14, [14, 0, 0])
    assert asked(state) == (0, "bid_or_pass")
    assert asked(act(position(expanding("PRR"), **given), Build("PRR", "C2"))) == (0, "expand")
    last = position(expanding("PRR", left=1), **given)
    assert Passed(0, True) not in events_of(last, Build("PRR", "A2"))
    second = position(expanding("PRR"), **{**given, "track": {"PRR": "R5 B2 C3", "WAB": "D3"}})
    state, events = act_with_events(second, Build("PRR", "A2"))
    assert [type(event) for event in events] == [Built, ChicagoReached, DividendPaid], (
        "no Wabash events, because it is already open"
    )
    assert asked(state) == (1, "choose_action")


# Develop


def test_ce_50_any_player_develops_any_occupied_hex() -> None:
    state = position(DevelopHex(2), track={"NYC": "S3 Q3 R2", "PRR": "R5 J6"}, shares={"PRR": (1, 0, 0)})
    assert developments(state) == ["J6", "Q3", "R2"], "seat 2 may develop them without holding a share"
    assert legal(state)[-1] == PASS
    assert_refused(state, Develop("L0"))
    assert_refused(state, Develop("R3"))
    state = act(state, Develop("Q3"))
    assert asked(state) == (0, "choose_action"), "an action develops one hex"


def test_ce_51_developing_a_city_or_mountain_raises_incomes_and_uses_a_house() -> None:
    state = position(DevelopHex(0), track={"NYC": "S3 L0", "PRR": "R5 L0", "BO": "Q7 J6"})
    before = {each.id: each.income for each in public_view(state).companies}
    after, events = act_with_events(state, Develop("L0"))
    incomes = {each.id: each.income for each in public_view(after).companies}
    assert incomes == {**before, "NYC": before["NYC"] + 2, "PRR": before["PRR"] + 2}
    assert events[0] == Developed(0, "L0", "Buffalo", 5, 19, {"PRR": 12, "NYC": 13}, {})
    assert public_view(after).houses_left == 19
    assert public_view(after).developed == ["L0"]
    assert after.money == state.money
    again = position(DevelopHex(0), track={"NYC": "S3 L0", "BO": "Q7 J6"}, developed="L0")
    assert developments(again) == ["J6"], "a hex is developed only once"
    assert_refused(again, Develop("L0"))
    no_house = position(DevelopHex(0), track={"NYC": "S3 L0 I6", "BO": "Q7 J6"}, houses=0)
    assert developments(no_house) == ["I6"]
    assert_refused(no_house, Develop("J6"))


def test_ce_51_without_houses_cities_and_mountains_cannot_be_developed() -> None:
    track = {"NYC": "S3 L0 R2", "BO": "Q7 J6"}
    state = act(position(DevelopHex(0), track=track, houses=1), Develop("L0"))
    assert public_view(state).houses_left == 0
    assert events_of(state, DEVELOP)[1:] == [Passed(1, True)], "a mountain and a forest need a house"


def test_ce_52_after_a_forest_used_the_last_house_only_pittsburgh_can_be_developed() -> None:
    track = {"NYC": "S3 L0 R2", "PRR": "R5 K4"}
    state = act(position(DevelopHex(0), track=track, houses=1), Develop("R2"), DEVELOP)
    assert developments(state) == ["K4"], "Pittsburgh needs no house"
    assert_refused(state, Develop("L0"))


def test_ce_52_developing_a_forest_pays_the_company() -> None:
    state = position(DevelopHex(0), track={"NYC": "S3 R2", "PRR": "R5 K4"}, treasury={"NYC": 3, "PRR": 1})
    after, events = act_with_events(state, Develop("R2"))
    assert company(after, "NYC").treasury == 5
    assert company(after, "PRR").treasury == 1
    assert after.money[-1] == state.money[-1] - 2
    assert company(after, "NYC").income == 8
    assert public_view(after).houses_left == 19
    assert events[0] == Developed(0, "R2", None, 0, 19, {}, {"NYC": 2})
    again = position(DevelopHex(0), track={"NYC": "S3 R2", "PRR": "R5 K4"}, developed="R2")
    assert_refused(again, Develop("R2"))
    no_house = position(DevelopHex(0), track={"NYC": "S3 R2", "PRR": "R5 K4"}, houses=0)
    assert developments(no_house) == ["K4"]


def test_ce_53_developing_wheeling_or_pittsburgh_needs_no_house() -> None:
    track = {"NYC": "S3 I6 K4", "PRR": "R5 K4"}
    state = act(position(DevelopHex(0), track=track, houses=0), Develop("K4"))
    assert scale_value(state, "K4") == 6
    assert [company(state, name).income for name in ("NYC", "PRR")] == [8 + 3 + 6, 7 + 6]
    assert public_view(state).houses_left == 0
    assert public_view(state).developed == []
    state = act(state, DEVELOP, Develop("K4"))
    assert scale_value(state, "K4") == 8
    state = act(state, DEVELOP)
    assert developments(state) == ["I6"], "Pittsburgh is at the end of its scale"
    assert_refused(state, Develop("K4"))
    assert developments(position(DevelopHex(0), track=track, values={"I6": 6})) == ["K4"]
    assert developments(position(DevelopHex(0), track={"NYC": "S3 I6"})) == ["I6"], (
        "a hex without a locomotive cannot be developed"
    )


def test_ce_53_newly_reached_hexes_can_be_developed() -> None:
    """A newly reached hex can be developed. Wheeling and Pittsburgh can be developed without a house."""
    for houses, opened in ((0, ["K4"]), (1, ["K4", "L3", "L4"])):
        state = position(
            expanding("PRR", left=2),
            shares={"PRR": (1, 0, 0)},
            treasury={"PRR": 30},
            track={"PRR": "R5 L4"},
            houses=houses,
        )
        state = act(state, Build("PRR", "K4"), Build("PRR", "L3"), DEVELOP)
        assert developments(state) == opened


def test_ce_54_plains_start_cities_chicago_and_detroit_cannot_be_developed() -> None:
    track = {"NYC": "S3 S2 A2 E0 R2", "PRR": "R5"}
    state = position(DevelopHex(0), track=track)
    assert developments(state) == ["R2"]
    for place in ("S2", "S3", "R5", "A2", "E0"):
        assert_refused(state, Develop(place))
    before = position(DevelopHex(0), track={"NYC": "S3 D3"})
    assert company(act(before, Develop("D3")), "NYC").income == 8 + 1 + 2
    after = position(DevelopHex(0), track={"NYC": "S3 A2", "WAB": "D3"})
    assert company(act(after, Develop("D3")), "WAB").income == 3


# Dividend phase


def test_ce_60_dividend_after_the_action() -> None:
    """The action is completed before the dividend, and the dividend is paid before the next turn."""
    state = position(
        pick(),
        shares={"PRR": (1, 0, 0), "NYC": (0, 1, 0)},
        treasury={"PRR": 9},
        track={"PRR": "R5 L1"},
        dials=(3, 4, 0),
    )
    state, events = act_with_events(state, EXPAND)
    assert len(events) == 1, "the dividend is not paid before the action"
    state, events = act_with_events(state, Build("PRR", "L0"), PASS)
    paid = [event for event in events if isinstance(event, DividendPaid)]
    assert paid == [DividendPaid("PRR", "general", 10, 10, [10, 0, 0]), DividendPaid("NYC", "general", 8, 8, [0, 8, 0])]
    assert dials(state) == [0, 0, 0]
    assert asked(state) == (1, "choose_action")
    auction = position(OfferShare(0), dials=(3, 5, 0))
    state, events = act_with_events(auction, Offer("PRR"), Bid(7), PASS, PASS)
    assert DividendPaid("PRR", "general", 7, 7, [7, 0, 0]) in events, "the share sold by this action gets a dividend"
    assert cash(state) == [20, 20, 20]


def test_ce_60_dividend_before_the_action() -> None:
    def about_to_expand(**changes: int) -> State:
        return position(
            pick(), shares={"PRR": (1, 0, 0)}, treasury={"PRR": 12}, track={"PRR": "R5 L1 E1"}, dials=(3, 4, 2),
            values={"E0": changes.get("detroit", 2)}, options=BEFORE_ACTION,
        )  # fmt: skip

    state, events = act_with_events(about_to_expand(), EXPAND)
    assert events == [
        ActionChosen(0, "expand", 5, True),
        DividendPaid("PRR", "general", 7, 7, [7, 0, 0]),
        DialsReset(),
        DetroitMoved("E0", 3, {}),
    ]
    assert dials(state) == [0, 0, 0], "all dials are reset, also the one just moved"
    assert asked(state) == (0, "expand"), "the same player carries out the action after the dividend"
    built = act(state, Build("PRR", "E0"), PASS)
    assert company(built, "PRR").income == 7 + 3, "Detroit moved before the action"
    assert cash(built) == [27, 20, 20], "the dividend is paid once"
    assert asked(built) == (1, "choose_action")
    assert asked(act(state, PASS)) == (1, "choose_action"), "the action may be given up after the dividend"
    state, events = act_with_events(about_to_expand(detroit=8), EXPAND)
    assert events[-2:] == [ActionLost(0, "expand"), GameEnded(["detroit_full"])]
    assert state.pending is None

    bidding = position(pick(), track={"BO": "Q7 E0"}, dials=(2, 5, 0), options=BEFORE_ACTION)
    offered = act(bidding, AUCTION, Offer("BO"))
    assert legal(offered) == [BidRange(6 + 2, 20), PASS], "the minimum bid uses the income after Detroit moved"
    chicago = position(
        pick(), shares={"PRR": (1, 0, 0)}, treasury={"PRR": 3}, track={"PRR": "R5 B2"}, dials=(3, 4, 0), houses=4,
        options=BEFORE_ACTION,
    )  # fmt: skip
    state, events = act_with_events(chicago, EXPAND, Build("PRR", "A2"))
    assert [type(event) for event in events[-5:]] == [
        Passed, ChicagoReached, DividendPaid, WabashOpened, ShareOffered,
    ]  # fmt: skip
    last_house = position(pick(), track={"NYC": "S3 R2"}, dials=(3, 0, 3), houses=4, options=BEFORE_ACTION)
    state = act(last_house, DEVELOP, Develop("R2"))
    assert public_view(state).houses_left == 3
    assert asked(state) == (1, "choose_action"), "the end is checked only at the next dividend"
    state = position(pick(1), houses=3, dials=(3, 0, 3), options=BEFORE_ACTION)
    assert GameEnded(["houses_out"]) in events_of(state, DEVELOP)


def test_ce_61_dividends_are_rounded_up_for_each_share() -> None:
    state = position(pick(), dials=(3, 0, 3), income={"PRR": 10, "CO": 9}, shares={"PRR": (1, 2, 0), "CO": (1, 1, 2)})
    after, events = act_with_events(state, DEVELOP)
    assert cash(after) == [20 + 4 + 3, 20 + 8 + 3, 20 + 6], "rounded up for each share"
    assert after.money[-1] == state.money[-1] - 24, "the bank pays"
    paid = [event.company for event in events if isinstance(event, DividendPaid)]
    assert paid == ["PRR", "CO"], "companies without sold shares pay nothing"
    assert [company(state, name).dividend for name in ("PRR", "CO", "BO")] == [4, 3, 0]


def test_ce_62_after_a_dividend_dials_are_reset_and_detroit_moves() -> None:
    state = position(
        pick(2), dials=(3, 1, 3), track={"BO": "Q7 E0", "CO": "Q9 E0"}, shares={"BO": (1, 0, 0)}, values={"E0": 3}
    )
    after, events = act_with_events(state, DEVELOP)
    assert events[-3:] == [
        DividendPaid("BO", "general", 9, 9, [9, 0, 0]),
        DialsReset(),
        DetroitMoved("E0", 4, {"BO": 10, "CO": 9}),
    ], "the dividend first, then the dials, then Detroit"
    assert dials(after) == [0, 0, 0]
    assert legal(after) == [AUCTION, EXPAND, DEVELOP]
    assert scale_value(after, "E0") == 4
    assert [company(after, name).income for name in ("BO", "CO", "PRR")] == [10, 9, 7]
    assert asked(after) == (0, "choose_action"), "the turn goes to the next player"
    assert scale_value(act(position(pick(), dials=(3, 0, 3)), DEVELOP), "E0") == 2, (
        "Detroit moves even if no company is there"
    )


# Chicago phase


def test_ce_70_a_company_that_reaches_chicago_pays_one_dividend() -> None:
    """A company that reaches Chicago pays a dividend from its income after the whole expansion.

    Each company, also the Wabash, pays this dividend only once.
    """
    state = position(
        expanding("PRR"),
        shares={"PRR": (2, 1, 0), "NYC": (1, 1, 1)},
        treasury={"PRR": 90},
        track={"PRR": "R5 B2", "BO": "Q7 A2", "WAB": "D3"},
    )
    state, events = act_with_events(state, Build("PRR", "A2"), Build("PRR", "C2"), PASS)
    assert cash(state) == [20 + 10, 20 + 5, 20], "(7 + 7 + 1) / 3"
    assert events[-2:] == [ChicagoReached(0, "PRR"), DividendPaid("PRR", "chicago", 15, 5, [10, 5, 0])]
    assert_refused(
        position(expanding("PRR"), shares={"PRR": (1, 0, 0)}, treasury={"PRR": 9}, track={"PRR": "R5 B2 A2"}),
        Build("PRR", "A2"),
    )
    there = position(
        expanding("PRR"), shares={"PRR": (1, 0, 0)}, treasury={"PRR": 9}, track={"PRR": "R5 B2 A2", "WAB": "D3"}
    )
    assert not [event for event in events_of(there, Build("PRR", "A3"), PASS) if isinstance(event, DividendPaid)]
    everybody = {"PRR": "R5 A2", "BO": "Q7 A2", "CO": "Q9 A2", "NYC": "S3 A2", "WAB": "D3 C3 B2"}
    state = position(expanding("WAB"), shares={"WAB": (1, 0, 0)}, treasury={"WAB": 15}, track=everybody)
    state, events = act_with_events(state, Build("WAB", "A2"))
    assert events[0] == Built(0, "WAB", "A2", "Chicago", 15, 0, 8, 7)
    assert DividendPaid("WAB", "chicago", 8, 8, [8, 0, 0]) in events


def test_ce_71_the_wabash_opens_when_chicago_is_first_reached() -> None:
    arriving = {"PRR": "R5 B2"}
    state = position(expanding("PRR", left=1), shares={"PRR": (1, 0, 0)}, treasury={"PRR": 3}, track=arriving)
    assert not company(state, "WAB").is_open
    state, events = act_with_events(state, Build("PRR", "A2"))
    assert events[2:4] == [DividendPaid("PRR", "chicago", 14, 14, [14, 0, 0]), WabashOpened("WAB", "D3", 1, 10)]
    wabash = company(state, "WAB")
    assert (wabash.is_open, wabash.track, wabash.income, wabash.treasury, wabash.locomotives_left) == (
        True, ["D3"], 1, 0, 10,
    )  # fmt: skip
    second = {"PRR": "R5 B2", "BO": "Q7 A2", "WAB": "D3 C4"}
    state = position(expanding("PRR", left=1), shares={"PRR": (1, 0, 0)}, treasury={"PRR": 6}, track=second)
    state, events = act_with_events(state, Build("PRR", "A2"))
    assert not [event for event in events if isinstance(event, WabashOpened | ShareOffered)]
    assert asked(state) == (1, "choose_action")


def test_ce_72_the_first_wabash_share_is_auctioned_when_it_opens() -> None:
    """When the Wabash opens, its first share is auctioned, even if the auction dial is red. The dial does not move.

    The player who reached Chicago bids first.
    """
    state = position(
        expanding("PRR", left=1, seat=1),
        shares={"PRR": (0, 1, 0)},
        treasury={"PRR": 3},
        track={"PRR": "R5 B2"},
        dials=(3, 1, 0),
    )
    state, events = act_with_events(state, Build("PRR", "A2"))
    assert events[-1] == ShareOffered(1, "WAB", 1, "wabash")
    assert asked(state) == (1, "bid_or_pass")
    assert legal(state) == [BidRange(1, 20 + 14), PASS]
    sold = act(state, PASS, Bid(4), PASS)
    assert shares(sold, "WAB") == [0, 0, 1]
    assert company(sold, "WAB").treasury == 4
    assert dials(sold) == [3, 1, 0]
    assert legal(sold) == [EXPAND, DEVELOP]
    unsold, events = act_with_events(state, PASS, PASS, PASS)
    assert events[-1] == ShareUnsold("WAB")
    assert company(unsold, "WAB").is_open


def test_ce_73_the_chicago_phase_comes_before_a_general_dividend() -> None:
    state = position(
        expanding("PRR", left=1),
        shares={"PRR": (1, 0, 0)},
        treasury={"PRR": 3},
        track={"PRR": "R5 B2"},
        dials=(3, 5, 0),
    )
    state, events = act_with_events(state, Build("PRR", "A2"), Bid(5), PASS, PASS)
    assert [event for event in events if not isinstance(event, Built | Passed | BidMade)] == [
        ChicagoReached(0, "PRR"),
        DividendPaid("PRR", "chicago", 14, 14, [14, 0, 0]),
        WabashOpened("WAB", "D3", 1, 10),
        ShareOffered(0, "WAB", 1, "wabash"),
        ShareSold(0, "WAB", 5, 1, 1),
        DividendPaid("PRR", "general", 14, 14, [14, 0, 0]),
        DividendPaid("WAB", "general", 1, 1, [1, 0, 0]),
        DialsReset(),
        DetroitMoved("E0", 2, {}),
    ]
    assert cash(state) == [20 + 14 - 5 + 14 + 1, 20, 20]


def test_ce_74_play_resumes_after_chicago() -> None:
    state = position(
        expanding("PRR", left=1, seat=1), shares={"PRR": (0, 1, 0)}, treasury={"PRR": 3}, track={"PRR": "R5 B2"}
    )
    state = act(state, Build("PRR", "A2"), PASS, PASS, Bid(3))
    assert shares(state, "WAB") == [1, 0, 0]
    assert asked(state) == (2, "choose_action")


# End


def test_ce_80_the_game_ends_at_a_general_dividend_for_four_reasons() -> None:
    sold = {"PRR": (3, 0, 0), "BO": (4, 0, 0), "CO": (6, 0, 0), "NYC": (4, 0, 0)}

    def reasons(**given: object) -> list[str]:
        """Return the reasons why a game ends at a general dividend. `given` are arguments of `position`."""
        state = position(pick(), dials=(3, 4, 0), **given)  # type: ignore[arg-type]
        after, events = act_with_events(state, EXPAND)
        ends = [event.reasons for event in events if isinstance(event, GameEnded)]
        assert (after.pending is None) == bool(ends)
        assert GAME.end_reasons(after, BOARD) == (ends[0] if ends else [])
        assert public_view(after).end_reasons == GAME.end_reasons(after, BOARD)
        return [str(reason) for reason in ends[0]] if ends else []

    assert reasons() == []
    assert reasons(left={"PRR": 0, "BO": 0, "CO": 1}) == []
    assert reasons(left={"PRR": 0, "BO": 0, "CO": 0}) == ["locomotives_out"]
    assert reasons(left={"PRR": 0, "BO": 0, "WAB": 0}, track={"WAB": "D3"}) == ["locomotives_out"], (
        "the Wabash counts, too"
    )
    assert reasons(shares={**sold, "CO": (5, 0, 0)}) == []
    assert reasons(shares=sold) == ["shares_out"]
    assert reasons(shares={"PRR": (3, 0, 0), "BO": (4, 0, 0), "WAB": (2, 0, 0)}, track={"WAB": "D3"}) == ["shares_out"]
    assert reasons(houses=4) == []
    assert reasons(houses=3) == ["houses_out"]
    assert reasons(houses=2) == ["houses_out"]
    assert reasons(values={"E0": 7}) == []
    assert reasons(values={"E0": 8}) == ["detroit_full"]
    assert reasons(houses=3, values={"E0": 8}) == ["houses_out", "detroit_full"]
    met = public_view(position(pick(), houses=3)).end_conditions
    assert [(each.reason, each.now, each.limit, each.is_met) for each in met] == [
        ("locomotives_out", 0, 3, False),
        ("shares_out", 0, 3, False),
        ("houses_out", 3, 3, True),
        ("detroit_full", 1, 8, False),
    ]
    assert act(position(pick(), houses=3), EXPAND).pending is not None, "the end is checked only at a general dividend"
    chicago = position(
        expanding("PRR", left=1), shares={"PRR": (1, 0, 0)}, treasury={"PRR": 3}, track={"PRR": "R5 B2"}, houses=3
    )
    assert act(chicago, Build("PRR", "A2"), PASS, PASS, PASS).pending is not None, (
        "the end is not checked at a Chicago dividend"
    )
    paid = act(position(pick(), dials=(3, 0, 3), houses=3, shares={"PRR": (1, 0, 0)}), DEVELOP)
    assert GAME.scores(paid) == [27, 20, 20], "the game ends after the dividend is paid"


def test_ce_81_most_cash_wins_and_ties_share_the_win() -> None:
    def ranks(cash: Sequence[int]) -> list[int]:
        rich = {"PRR": (2, 0, 0)}
        state = position(
            pick(), cash=cash, shares=rich, income={"PRR": 0}, treasury={"PRR": 99}, houses=3, dials=(3, 0, 3)
        )
        return GAME.ranks(act(state, DEVELOP), BOARD)

    assert ranks((10, 30, 20)) == [3, 1, 2], "shares and treasuries do not count"
    assert ranks((30, 10, 30)) == [1, 3, 1], "ties share the win"
    assert ranks((5, 5, 5)) == [1, 1, 1]


# Worked examples


def test_ce_x1_minimum_bid_for_the_third_share() -> None:
    state = position(OfferShare(0), income={"NYC": 22}, shares={"NYC": (0, 1, 1)})
    assert events_of(state, Offer("NYC")) == [ShareOffered(0, "NYC", 8, "auction")]


@pytest.mark.parametrize("way", ["R2", "R3"])
def test_ce_x2_cost_of_building_to_binghamton(way: str) -> None:
    state = position(expanding(), shares={"NYC": (1, 0, 0)}, treasury={"NYC": 6}, track={"PRR": "R5 Q3"})
    state, events = act_with_events(state, Build("NYC", way), Build("NYC", "Q3"))
    assert [event.cost for event in events if isinstance(event, Built)] == [2, 4]
    assert company(state, "NYC").treasury == 0
    assert company(state, "NYC").income == 9


@pytest.mark.parametrize(("developed", "rise"), [("", 2), ("O10", 3)])
def test_ce_x3_income_of_a_city(developed: str, rise: int) -> None:
    state = position(
        expanding("CO"), shares={"CO": (1, 0, 0)}, treasury={"CO": 9}, track={"CO": "Q9 P9"}, developed=developed
    )
    assert company(act(state, Build("CO", "O10")), "CO").income == 5 + rise


def test_ce_x4_income_of_a_developed_mountain() -> None:
    state = position(DevelopHex(0), track={"BO": "Q7 J6"})
    after = act(state, Develop("J6"))
    assert company(after, "BO").income == company(state, "BO").income + 2


def test_ce_x5_income_of_wheeling() -> None:
    state = position(expanding("BO"), shares={"BO": (1, 0, 0)}, treasury={"BO": 3}, track={"BO": "Q7 I5"})
    assert company(act(state, Build("BO", "I6")), "BO").income == 6 + 3


def test_ce_x6_developing_charleston() -> None:
    state = position(DevelopHex(0), track={"CO": "Q9 I9"}, income={"CO": 12})
    state = act(state, Develop("I9"))
    assert company(state, "CO").income == 13
    assert public_view(state).houses_left == 19


def test_ce_x7_developing_wheeling() -> None:
    state = position(DevelopHex(0), track={"PRR": "R5 I6", "BO": "Q7 I6"}, income={"PRR": 17, "BO": 14})
    state = act(state, Develop("I6"))
    assert scale_value(state, "I6") == 4
    assert [company(state, name).income for name in ("PRR", "BO")] == [18, 15]
    assert public_view(state).houses_left == 20


def test_ce_x8_developing_a_forest() -> None:
    state = position(DevelopHex(0), track={"NYC": "S3 R3"}, treasury={"NYC": 1})
    state = act(state, Develop("R3"))
    assert (company(state, "NYC").treasury, company(state, "NYC").income, public_view(state).houses_left) == (3, 8, 19)


def test_ce_x9_dividend_of_three_shares() -> None:
    state = position(pick(), income={"NYC": 16}, shares={"NYC": (2, 1, 0)}, dials=(3, 0, 3))
    assert cash(act(state, DEVELOP)) == [32, 26, 20]


def test_ce_x10_dividend_rounded_for_each_share() -> None:
    state = position(pick(), income={"NYC": 17}, shares={"NYC": (2, 0, 0)}, dials=(3, 0, 3))
    assert cash(act(state, DEVELOP)) == [38, 20, 20]


@pytest.mark.parametrize(("developed", "income"), [("", 1), ("D3", 3)])
def test_ce_x11_first_company_in_chicago(developed: str, income: int) -> None:
    track = {"NYC": "S3 B2", "PRR": "R5 D3"}
    state = position(
        expanding("NYC", left=1), shares={"NYC": (1, 1, 0)}, treasury={"NYC": 3}, track=track, developed=developed
    )
    state = act(state, Build("NYC", "A2"))
    assert company(state, "NYC").income == 8 + 7
    assert cash(state) == [28, 28, 20]
    assert company(state, "WAB").income == income
    assert company(state, "WAB").locomotives_left == 10
    assert legal(state) == [BidRange(income, 28), PASS]


def test_ce_x12_an_unsold_wabash_share_can_be_offered_later() -> None:
    state = position(expanding("NYC", left=1), shares={"NYC": (1, 1, 0)}, treasury={"NYC": 3}, track={"NYC": "S3 B2"})
    state = act(state, Build("NYC", "A2"), PASS, PASS, PASS)
    assert shares(state, "WAB") == [0, 0, 0]
    assert company(state, "WAB").shares_left == 2
    assert company(state, "WAB").is_open
    assert Offer("WAB") in legal(act(state, AUCTION))


def test_ce_x13_detroit_moves_at_a_dividend() -> None:
    state = act(position(pick(), dials=(3, 2, 3), track={"BO": "Q7 E0"}), DEVELOP)
    assert scale_value(state, "E0") == 2
    assert company(state, "BO").income == 8
    assert dials(state) == [0, 0, 0]


def test_ce_x14_the_game_ends_if_detroit_is_at_its_last_value() -> None:
    state = position(pick(), dials=(3, 2, 3), track={"BO": "Q7 E0"}, values={"E0": 8}, shares={"BO": (1, 0, 0)})
    state = act(state, DEVELOP)
    assert state.pending is None
    assert public_view(state).has_ended
    assert cash(state) == [34, 20, 20]
    assert scale_value(state, "E0") == 8
    assert company(state, "BO").income == 14
    assert dials(state) == [3, 2, 4]


def test_ce_x15_an_auction_action_may_be_passed() -> None:
    state = position(pick(), shares={"PRR": (1, 0, 0)})
    after = act(state, AUCTION, PASS)
    assert dials(after) == [1, 0, 0]
    assert asked(after) == (1, "choose_action")
    assert after.money == state.money
    assert public_view(after).companies == public_view(state).companies


def test_ce_x16_a_red_dial_is_refused() -> None:
    assert_refused(position(pick(), dials=(3, 0, 0)), AUCTION)


def test_ce_x17_seat_0_gets_the_prr_share_if_nobody_bids() -> None:
    state = act(start(), PASS, PASS, PASS)
    assert shares(state, "PRR") == [1, 0, 0]
    assert cash(state) == [40, 40, 40]
    assert asked(state) == (0, "bid_or_pass")
    assert public_view(state).auction.company == "BO"  # type: ignore[union-attr]
    state = act(state, PASS, Bid(6), PASS, PASS, Bid(5), PASS, PASS, Bid(8), PASS)
    assert asked(state) == (0, "choose_action")


def test_ce_x18_cost_of_the_wabash_building_to_chicago() -> None:
    state = position(expanding(), shares={"WAB": (1, 0, 0)}, treasury={"WAB": 8}, track={"PRR": "R5 A2", "WAB": "D3"})
    state, events = act_with_events(state, Build("WAB", "C3"), Build("WAB", "B2"), Build("WAB", "A2"))
    assert [event.cost for event in events if isinstance(event, Built)] == [1, 1, 6]
    assert company(state, "WAB").treasury == 0


def near_chicago(options: Options, asks: Question | None = None, dials: Sequence[int] = (0, 0, 0)) -> State:
    """Return the position of the worked examples in which PRR is adjacent to Chicago. `asks` is the open question."""
    return position(
        asks or expanding(),
        cash=(40, 40, 40),
        shares={"PRR": (1, 1, 0)},
        treasury={"PRR": 8},
        track={"PRR": "R5 Q5 P4 P3 O3 N2 M3 L2 K3 J3 I3 H3 G4 F3 E3 D2 C3 B2"},
        dials=dials,
        options=options,
    )


def figures(state: State) -> tuple[int, int, int]:
    """Return the treasury, income and remaining locomotives of PRR."""
    prr = company(state, "PRR")
    return prr.treasury, prr.income, prr.locomotives_left


def test_ce_x19_chicago_at_once() -> None:
    state = near_chicago(AT_ONCE)
    assert figures(state) == (8, 7, 2)
    state = act(state, Build("PRR", "A2"))
    assert figures(state) == (5, 14, 1)
    assert cash(state) == [47, 47, 40]
    assert company(state, "WAB").is_open
    assert asked(state) == (0, "bid_or_pass")
    assert legal(state) == [BidRange(1, 47), PASS]
    assert asked(act(state, PASS, PASS, PASS)) == (1, "choose_action")


def test_ce_x20_chicago_after_the_expansion() -> None:
    state = act(near_chicago(Options()), Build("PRR", "A2"))
    assert figures(state) == (5, 14, 1)
    assert cash(state) == [40, 40, 40]
    assert not company(state, "WAB").is_open
    assert asked(state) == (0, "expand")
    state = act(state, Build("PRR", "K4"))
    assert figures(state) == (1, 18, 0)
    assert cash(state) == [49, 49, 40]
    assert asked(state) == (0, "bid_or_pass")


@pytest.mark.parametrize("options", [Options(), AT_ONCE], ids=["after_expansion", "at_once"])
def test_ce_x21_both_options_agree_if_chicago_is_the_last_build(options: Options) -> None:
    state = act(near_chicago(options), Build("PRR", "K4"), Build("PRR", "A2"))
    assert figures(state) == (1, 18, 0)
    assert cash(state) == [49, 49, 40]
    assert asked(state) == (0, "bid_or_pass")


@pytest.mark.parametrize(
    ("timing", "money"), [("after_action", [54, 54, 40]), ("before_action", [51, 51, 40])], ids=["after", "before"]
)
def test_ce_x22_chicago_at_once_and_a_general_dividend(timing: Any, money: list[int]) -> None:
    options = Options(dividend_timing=timing, chicago_phase="at_once")
    state = act(near_chicago(options, pick(), (3, 4, 0)), EXPAND, Build("PRR", "A2"), PASS, PASS, PASS)
    assert cash(state) == money
    assert dials(state) == [0, 0, 0]
    assert asked(state) == (1, "choose_action")


def test_ce_x23_without_bids_a_drawn_first_player_gets_all_opening_shares() -> None:
    state = start_with_first_player(3, 2)
    for _ in range(4):
        assert asked(state) == (2, "bid_or_pass")
        state = act(state, PASS, PASS, PASS)
    assert [company(state, name).shares_sold for name in ("PRR", "BO", "CO", "NYC")] == [1, 1, 1, 1]
    assert public_view(state).players[2].shares == {"PRR": 1, "BO": 1, "CO": 1, "NYC": 1, "WAB": 0}
    assert cash(state) == [40, 40, 40]
    assert asked(state) == (2, "choose_action")
